// See unsupported.h.
#include "frontend/lisp/unsupported.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace caten::lisp {

namespace {

struct Row {
  std::string_view name;
  const char* reason;  // may be empty
};

// Sorted by name.
// clang-format off
constexpr Row kUnsupported[] = {
    {"*BREAK-ON-SIGNALS*", ""},
    {"*DEBUGGER-HOOK*", ""},
    {"*DEFAULT-PATHNAME-DEFAULTS*", "file names are strings"},
    {"*MACROEXPAND-HOOK*", ""},
    {"*PRINT-PPRINT-DISPATCH*", "the pretty printer cannot be changed"},
    {"*READ-EVAL*", "the reader cannot be changed"},
    {"*READ-SUPPRESS*", "the reader cannot be changed"},
    {"*READTABLE*", "the reader cannot be changed"},
    {"CALL-METHOD", ""},
    {"COMPILE-FILE", "files are loaded as they are"},
    {"COMPILE-FILE-PATHNAME", "files are loaded as they are"},
    {"COPY-PPRINT-DISPATCH", "the pretty printer cannot be changed"},
    {"COPY-READTABLE", "the reader cannot be changed"},
    {"DRIBBLE", ""},
    {"ECHO-STREAM-INPUT-STREAM", ""},
    {"ECHO-STREAM-OUTPUT-STREAM", ""},
    {"ED", ""},
    {"FILE-AUTHOR", "file names are strings"},
    {"FILE-STRING-LENGTH", ""},
    {"FUNCTION-KEYWORDS", ""},
    {"GET-DISPATCH-MACRO-CHARACTER", "the reader cannot be changed"},
    {"GET-MACRO-CHARACTER", "the reader cannot be changed"},
    {"HOST-NAMESTRING", "file names are strings"},
    {"LOAD-LOGICAL-PATHNAME-TRANSLATIONS", "file names are strings"},
    {"LOGICAL-PATHNAME", "file names are strings"},
    {"LOGICAL-PATHNAME-TRANSLATIONS", "file names are strings"},
    {"MAKE-DISPATCH-MACRO-CHARACTER", "the reader cannot be changed"},
    {"MAKE-ECHO-STREAM", ""},
    {"MAKE-INSTANCES-OBSOLETE", ""},
    {"MAKE-LOAD-FORM-SAVING-SLOTS", "objects are not written into compiled files"},
    {"PARSE-NAMESTRING", "file names are strings"},
    {"PATHNAME-DEVICE", "file names are strings"},
    {"PATHNAME-HOST", "file names are strings"},
    {"PATHNAME-MATCH-P", "file names are strings"},
    {"PATHNAME-VERSION", "file names are strings"},
    {"PPRINT-DISPATCH", "the pretty printer cannot be changed"},
    {"PPRINT-EXIT-IF-LIST-EXHAUSTED", "the pretty printer cannot be changed"},
    {"PPRINT-FILL", "the pretty printer cannot be changed"},
    {"PPRINT-INDENT", "the pretty printer cannot be changed"},
    {"PPRINT-LINEAR", "the pretty printer cannot be changed"},
    {"PPRINT-LOGICAL-BLOCK", "the pretty printer cannot be changed"},
    {"PPRINT-NEWLINE", "the pretty printer cannot be changed"},
    {"PPRINT-POP", "the pretty printer cannot be changed"},
    {"PPRINT-TAB", "the pretty printer cannot be changed"},
    {"PPRINT-TABULAR", "the pretty printer cannot be changed"},
    {"READ-DELIMITED-LIST", "the reader cannot be changed"},
    {"READTABLE-CASE", "the reader cannot be changed"},
    {"READTABLEP", "the reader cannot be changed"},
    {"SET-DISPATCH-MACRO-CHARACTER", "the reader cannot be changed"},
    {"SET-MACRO-CHARACTER", "the reader cannot be changed"},
    {"SET-PPRINT-DISPATCH", "the pretty printer cannot be changed"},
    {"SET-SYNTAX-FROM-CHAR", "the reader cannot be changed"},
    {"TRANSLATE-LOGICAL-PATHNAME", "file names are strings"},
    {"TRANSLATE-PATHNAME", "file names are strings"},
    {"UPGRADED-COMPLEX-PART-TYPE", "there are no complex numbers"},
    {"WILD-PATHNAME-P", "file names are strings"},
};
// clang-format on
static_assert(std::is_sorted(std::begin(kUnsupported), std::end(kUnsupported),
                             [](const Row& a, const Row& b) { return a.name < b.name; }));

constexpr std::array<std::string_view, 4> kMacros = {"CALL-METHOD", "PPRINT-EXIT-IF-LIST-EXHAUSTED",
                                                     "PPRINT-LOGICAL-BLOCK", "PPRINT-POP"};

}  // namespace

const char* unsupported_reason(std::string_view name) {
  const Row* found =
      std::lower_bound(std::begin(kUnsupported), std::end(kUnsupported), name,
                       [](const Row& row, std::string_view wanted) { return row.name < wanted; });
  return found != std::end(kUnsupported) && found->name == name ? found->reason : nullptr;
}

bool is_unsupported_macro(std::string_view name) {
  return std::find(kMacros.begin(), kMacros.end(), name) != kMacros.end();
}

}  // namespace caten::lisp
