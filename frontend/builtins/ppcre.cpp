// CL-PPCRE on PCRE2: scanners and scan. What is built on them is Lisp text (ppcre_texts.cpp).
//
// Strings are arrays of code points, so PCRE2's 32-bit library works on them as they are, and its
// offsets are indices. A scan sees the text from `start` to `end` only, as in CL-PPCRE: `^` matches
// at `start`, and nothing looks behind it.
#define PCRE2_CODE_UNIT_WIDTH 32
#include <pcre2.h>

#include <memory>
#include <unordered_map>

#include "frontend/builtins/builtins.h"
#include "frontend/builtins/tables.h"

namespace caten::lisp {
namespace {

using Args = std::span<Value>;

struct Scanner : HeapObject {
  Scanner(pcre2_code* c, pcre2_match_data* m) : code(c), match(m) {}
  pcre2_code* code;
  pcre2_match_data* match;
  static const ObjectType kType;
};

void trace_scanner(HeapObject*, Tracer&) {}

void destroy_scanner(HeapObject* object) {
  auto& scanner = *static_cast<Scanner*>(object);
  pcre2_match_data_free(scanner.match);
  pcre2_code_free(scanner.code);
}

std::string error_text(int code) {
  PCRE2_UCHAR buffer[256];
  const int length = pcre2_get_error_message(code, buffer, std::size(buffer));
  std::string text;
  for (int i = 0; i < length; ++i) {
    append_utf8(text, static_cast<char32_t>(buffer[i]));
  }
  return text;
}

Value compile_scanner(Interpreter& interp, const String& regex, uint32_t options) {
  int error = 0;
  PCRE2_SIZE at = 0;
  const std::u32string_view text = regex.view();
  pcre2_code* code = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(),
                                   options | PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C,
                                   &error, &at, nullptr);
  if (code == nullptr) {
    fail(Diag::ParseError, interp.current_span(), "regular expression \"{}\": {} at position {}",
         regex.utf8(), error_text(error), at);
  }
  return Value::object(
      interp.heap().make<Scanner>(code, pcre2_match_data_create_from_pattern(code, nullptr)));
}

/// Scanners of strings used as regular expressions, by text; emptied when there are many.
class ScannerCache final : public RootSource {
 public:
  explicit ScannerCache(Interpreter& interp) : interp_(interp) { interp.heap().add_root(this); }
  ~ScannerCache() { interp_.heap().remove_root(this); }
  void trace_roots(Tracer& tracer) override {
    for (const auto& [text, scanner] : scanners_) {
      trace(tracer, scanner);
    }
  }
  Value scanner(const String& regex) {
    constexpr size_t kMaxScanners = 200;
    std::u32string text(regex.view());
    if (auto found = scanners_.find(text); found != scanners_.end()) {
      return found->second;
    }
    const Value made = compile_scanner(interp_, regex, 0);
    if (scanners_.size() >= kMaxScanners) {
      scanners_.clear();
    }
    scanners_.emplace(std::move(text), made);
    return made;
  }

 private:
  Interpreter& interp_;
  std::unordered_map<std::u32string, Value> scanners_;
};

/// A scanner, or the scanner of a string.
Value scanner_of(Interpreter& interp, Value regex) {
  if (regex.is<Scanner>()) {
    return regex;
  }
  if (regex.is_list()) {
    fail(Diag::Unsupported, interp.current_span(),
         "parse trees as regular expressions are not supported; expected a string or a scanner");
  }
  return interp.state<ScannerCache>("ppcre-scanners")
      .scanner(expect_string(interp, regex, "regular expression"));
}

// (create-scanner regex &key case-insensitive-mode multi-line-mode single-line-mode extended-mode)
Value create_scanner(Interpreter& interp, Args args) {
  const KeywordArgs keys(interp, args, 1,
                         {"CASE-INSENSITIVE-MODE", "MULTI-LINE-MODE", "SINGLE-LINE-MODE",
                          "EXTENDED-MODE", "DESTRUCTIVE"});
  if (args[0].is<Scanner>()) {
    return args[0];
  }
  if (args[0].is_list()) {
    return scanner_of(interp, args[0]);
  }
  uint32_t options = 0;
  options |= keys.get("CASE-INSENSITIVE-MODE").truthy() ? PCRE2_CASELESS : 0;
  options |= keys.get("MULTI-LINE-MODE").truthy() ? PCRE2_MULTILINE : 0;
  options |= keys.get("SINGLE-LINE-MODE").truthy() ? PCRE2_DOTALL : 0;
  options |= keys.get("EXTENDED-MODE").truthy() ? PCRE2_EXTENDED : 0;
  return compile_scanner(interp, expect_string(interp, args[0], "regular expression"), options);
}

Value group_position(PCRE2_SIZE offset, int64_t begin) {
  return offset == PCRE2_UNSET ? Value::nil() : Value::fixnum(begin + static_cast<int64_t>(offset));
}

// (%regex-scan regex string begin from end): the first match at `from` or later in the text from
// `begin` to `end`: its start and end, and vectors of the groups' starts and ends; or NIL
Value scan_from(Interpreter& interp, Args args) {
  Scanner& scanner = *scanner_of(interp, args[0]).as<Scanner>();
  const String& string = expect_string(interp, args[1], "target string");
  const auto length = static_cast<int64_t>(string.length());
  const int64_t begin = expect_index(interp, args[2], "start");
  const int64_t from = expect_index(interp, args[3], "start");
  const int64_t end = args[4].is_nil() ? length : expect_index(interp, args[4], "end");
  if (begin > from || from > end || end > length) {
    fail(Diag::WrongType, interp.current_span(),
         "the range {} to {} does not fit a string of length {}", from, end, length);
  }
  const std::u32string_view text =
      string.view().substr(static_cast<size_t>(begin), static_cast<size_t>(end - begin));
  const int found =
      pcre2_match(scanner.code, reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(),
                  static_cast<PCRE2_SIZE>(from - begin), 0, scanner.match, nullptr);
  if (found == PCRE2_ERROR_NOMATCH) {
    return Value::nil();
  }
  if (found < 0) {
    fail(Diag::BadArguments, interp.current_span(), "matching a regular expression: {}",
         error_text(found));
  }
  const PCRE2_SIZE* offsets = pcre2_get_ovector_pointer(scanner.match);
  const size_t count = pcre2_get_ovector_count(scanner.match);
  std::vector<Value> starts, ends;
  for (size_t i = 1; i < count; ++i) {
    starts.push_back(group_position(offsets[2 * i], begin));
    ends.push_back(group_position(offsets[2 * i + 1], begin));
  }
  // `\K` can make a match start after its end.
  const PCRE2_SIZE start = std::min(offsets[0], offsets[1]);
  return interp.set_values({group_position(start, begin), group_position(offsets[1], begin),
                            interp.vector(std::move(starts)), interp.vector(std::move(ends))});
}

// (quote-meta-chars string): a regular expression that matches the string itself
Value quote_meta_chars(Interpreter& interp, Args args) {
  std::u32string out;
  for (char32_t c : expect_string(interp, args[0], "argument").view()) {
    const bool plain = c >= 0x80 || c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                       (c >= 'A' && c <= 'Z');
    if (!plain) {
      out += U'\\';
    }
    out += c;
  }
  return interp.string(std::move(out));
}

// clang-format off
constexpr Builtin kPpcreBuiltins[] = {
    // name               package     min max  doc                                                  function
    {"CREATE-SCANNER",    "CL-PPCRE", 1,  -1,  "a compiled regular expression",                     create_scanner},
    {"QUOTE-META-CHARS",  "CL-PPCRE", 1,  1,   "a regular expression that matches a string itself", quote_meta_chars},
    {"%REGEX-SCAN",       "CATEN",    5,  5,   "regex, string, begin, from, end: the first match",  scan_from},
};
// clang-format on

}  // namespace

const ObjectType Scanner::kType = {"scanner", trace_scanner, destroy_scanner};

std::span<const Builtin> ppcre_builtins() {
  return kPpcreBuiltins;
}

}  // namespace caten::lisp
