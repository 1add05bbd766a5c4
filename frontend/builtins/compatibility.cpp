// What files written for SBCL and Quicklisp expect around them: QL, ASDF, UIOP, CTX.
#include "frontend/builtins/lisp_text.h"
#include "frontend/builtins/tables.h"

namespace caten::lisp {
namespace {

/// (ql:quickload systems ...): nothing is to be loaded for the systems that are here, or part of
/// what is here; others are an error.
constexpr const char* kQuickload = R"lisp(
(lambda (systems &key verbose silent prompt explain &allow-other-keys)
  (declare (ignore verbose silent prompt explain))
  (let ((systems (if (listp systems) systems (list systems))))
    (dolist (system systems systems)
      (let ((name (string-downcase system)))
        (unless (or (member name '("alexandria" "cl-ppcre" "uiop" "asdf" "rove" "caten" "caten.llm")
                            :test #'string=)
                    (and (> (length name) 6) (string= name "caten" :end1 5)
                         (find (char name 5) "./-")))
          (error "system `~a` is not available: there are alexandria, cl-ppcre, uiop, rove and caten"
                 name))))))
)lisp";

// (ctx:with-contextvar (name value...) form...): ctx:getenv gives the values inside
constexpr const char* kWithContextvar = R"lisp(
(lambda (form)
  (destructuring-bind (settings &rest body) (cdr form)
    `(let ((%*contextvars*
             (list* ,@(loop for (name value) on settings by #'cddr
                            append (list (intern (string name) :keyword) value))
                    %*contextvars*)))
       ,@body)))
)lisp";

// The value with-contextvar gives, or the environment's (an integer where it is one), or the
// default.
constexpr const char* kContextGetenv = R"lisp(
(lambda (name &optional default)
  (let ((given (getf %*contextvars* (intern (string name) :keyword) '%none)))
    (if (eq given '%none) (%environment-value name default) given)))
)lisp";

constexpr const char* kStrcat = R"lisp(
(lambda (&rest parts)
  (apply #'concatenate 'string (mapcar (lambda (part) (if part (string part) "")) parts)))
)lisp";
constexpr const char* kStringPrefixP = R"lisp(
(lambda (prefix string)
  (let ((prefix (string prefix)) (string (string string)))
    (and (<= (length prefix) (length string))
         (string= prefix string :end2 (length prefix)))))
)lisp";
constexpr const char* kStringSuffixP = R"lisp(
(lambda (string suffix)
  (let ((suffix (string suffix)) (string (string string)))
    (and (<= (length suffix) (length string))
         (string= suffix string :start2 (- (length string) (length suffix))))))
)lisp";
constexpr const char* kEmptyp = "(lambda (x) (or (null x) (and (vectorp x) (zerop (length x)))))";
constexpr const char* kFirstChar = "(lambda (s) (and (stringp s) (plusp (length s)) (char s 0)))";
constexpr const char* kLastChar =
    "(lambda (s) (and (stringp s) (plusp (length s)) (char s (1- (length s)))))";
constexpr const char* kEnsureList = "(lambda (x) (if (listp x) x (list x)))";
constexpr const char* kWhileCollecting = R"lisp(
(lambda (form)
  (destructuring-bind (collectors &rest body) (cdr form)
    (let ((lists (mapcar (lambda (c) (gensym (string (if (consp c) (car c) c)))) collectors)))
      `(let ,lists
         (flet ,(mapcar (lambda (c l) `(,(if (consp c) (car c) c) (x) (push x ,l) x))
                        collectors lists)
           ,@body)
         (values ,@(mapcar (lambda (l) `(nreverse ,l)) lists))))))
)lisp";
constexpr const char* kIfLet = R"lisp(
(lambda (form) `(alexandria:if-let ,@(cdr form)))
)lisp";
constexpr const char* kNest = R"lisp(
(lambda (form)
  (reduce (lambda (outer inner) `(,@outer ,inner)) (cdr form) :from-end t))
)lisp";
constexpr const char* kFileExistsP = R"lisp(
(lambda (name) (and name (probe-file name)))
)lisp";
constexpr const char* kReadFileForms = R"lisp(
(lambda (name)
  (with-open-file (in name)
    (loop for form = (read in nil '%end) until (eq form '%end) collect form)))
)lisp";
constexpr const char* kQuit = "(lambda (&optional (code 0) (finish-output t)) (exit code))";
constexpr const char* kSymbolCall = R"lisp(
(lambda (package name &rest arguments)
  (apply (or (find-symbol (string name) package)
             (error "package ~a has no symbol ~a" package name))
         arguments))
)lisp";
constexpr const char* kFindSymbolStar = R"lisp(
(lambda (name package &optional (error t))
  (multiple-value-bind (symbol kind) (find-symbol (string name) package)
    (cond (kind (values symbol kind))
          (error (error "package ~a has no symbol ~a" package name))
          (t nil))))
)lisp";
constexpr const char* kCommandLine = "(lambda () *args*)";
constexpr const char* kAddNickname = R"lisp(
(lambda (nickname package &optional (of *package*))
  (%add-package-local-nickname nickname package of))
)lisp";

// clang-format off
constexpr Builtin kBuiltins[] = {
    // name                      package      min max doc                                          function
    {"QUICKLOAD",                "QUICKLISP", 1,  -1, "nothing for the systems that are here",     run_text<kQuickload>},
    {"LOAD-SYSTEM",              "ASDF",      1,  -1, "nothing for the systems that are here",     run_text<kQuickload>},
    {"GETENV",                   "CATEN/COMMON.CONTEXTVAR", 1, 2, "a setting of with-contextvar or an environment variable", run_text<kContextGetenv>},
    {"STRCAT",                   "UIOP",      0,  -1, "strings one after the other",               run_text<kStrcat>},
    {"STRING-PREFIX-P",          "UIOP",      2,  2,  "whether a string begins with a prefix",     run_text<kStringPrefixP>},
    {"STRING-SUFFIX-P",          "UIOP",      2,  2,  "whether a string ends with a suffix",       run_text<kStringSuffixP>},
    {"EMPTYP",                   "UIOP",      1,  1,  "true for NIL and empty vectors",            run_text<kEmptyp>},
    {"FIRST-CHAR",               "UIOP",      1,  1,  "the first character of a string, if any",   run_text<kFirstChar>},
    {"LAST-CHAR",                "UIOP",      1,  1,  "the last character of a string, if any",    run_text<kLastChar>},
    {"ENSURE-LIST",              "UIOP",      1,  1,  "the list, or a list of the object",         run_text<kEnsureList>},
    {"FILE-EXISTS-P",            "UIOP",      1,  1,  "the full name of a file that exists",       run_text<kFileExistsP>},
    {"READ-FILE-FORMS",          "UIOP",      1,  1,  "the data in a file",                        run_text<kReadFileForms>},
    {"SYMBOL-CALL",              "UIOP",      2,  -1, "calls the function of a name in a package", run_text<kSymbolCall>},
    {"FIND-SYMBOL*",             "UIOP",      2,  3,  "the symbol of a name in a package",         run_text<kFindSymbolStar>},
    {"COMMAND-LINE-ARGUMENTS",   "UIOP",      0,  0,  "the arguments of the script",               run_text<kCommandLine>},
    {"ADD-PACKAGE-LOCAL-NICKNAME", "UIOP",    2,  3,  "a nickname inside of a package",            run_text<kAddNickname>},
    {"QUIT",                     "UIOP",      0,  2,  "ends the program with a code",              run_text<kQuit>},
};

constexpr MacroRow kMacros[] = {
    {"WITH-CONTEXTVAR",  "CATEN/COMMON.CONTEXTVAR", "evaluates forms with settings",       expand_text<kWithContextvar>},
    {"WHILE-COLLECTING", "UIOP", "evaluates forms in which functions collect what they get", expand_text<kWhileCollecting>},
    {"IF-LET",           "UIOP", "if all bound values are true",                           expand_text<kIfLet>},
    {"NEST",             "UIOP", "puts each form into the one before, as its last part",   expand_text<kNest>},
};
// clang-format on

}  // namespace

std::span<const Builtin> compatibility_builtins() {
  return kBuiltins;
}
std::span<const MacroRow> compatibility_macros() {
  return kMacros;
}

void install_compatibility(Interpreter& interp) {
  const Value settings = interp.caten("%*CONTEXTVARS*");
  interp.proclaim_special(settings);
  interp.set_symbol_value(settings, Value::nil());
  constexpr struct {
    const char* package;
    const char* nickname;
  } kNicknames[] = {{"CATEN/COMMON.CONTEXTVAR", "CTX"}, {"CL-PPCRE", "PPCRE"}, {"QUICKLISP", "QL"}};
  for (const auto& [package, nickname] : kNicknames) {
    interp.find_package(package)->nicknames.emplace_back(nickname);
  }
}

}  // namespace caten::lisp
