// Rarely used functions and macros of Common Lisp, written in Lisp: the text is read and compiled
// at the first call, so that it costs nothing at start.
#include "frontend/builtins/lisp_text.h"
#include "frontend/builtins/tables.h"

namespace caten::lisp {
namespace {

// --- evaluation -------------------------------------------------------------------------------

constexpr const char* kCompile = R"lisp(
(lambda (name &optional definition)
  (let ((function (if (or (null definition) (functionp definition))
                      definition
                      (eval (list 'function definition)))))
    (cond ((null function) (values name nil nil))
          (name (setf (fdefinition name) function) (values name nil nil))
          (t (values function nil nil)))))
)lisp";

constexpr const char* kFunctionLambdaExpression =
    "(lambda (function) (check-type function function) (values nil t nil))";

constexpr const char* kProclaim = R"lisp(
(lambda (declaration)
  (check-type declaration cons)
  (when (eq (car declaration) 'special) (apply #'%proclaim-special (cdr declaration)))
  (values))
)lisp";

constexpr const char* kCompilerMacroFunction = "(lambda (name &optional env) nil)";
// Compiler macros only make code faster; an implementation may ignore them (CLHS 3.2.2.1.3).
constexpr const char* kDefineCompilerMacro = "(lambda (form) (list 'quote (second form)))";

constexpr const char* kWithCompilationUnit = "(lambda (form) `(progn ,@(cddr form)))";

constexpr const char* kWithConditionRestarts = R"lisp(
(lambda (form) `(progn ,(second form) ,(third form) ,@(cdddr form)))
)lisp";

// --- generic functions ------------------------------------------------------------------------

constexpr const char* kEnsureGenericFunction = R"lisp(
(lambda (name &key lambda-list documentation method-combination argument-precedence-order
              &allow-other-keys)
  (let ((old (and (fboundp name) (fdefinition name))))
    (if (typep old 'generic-function)
        old
        (%define-generic name lambda-list
          `(,@(when documentation `((:documentation ,documentation)))
            ,@(when method-combination `((:method-combination ,method-combination)))
            ,@(when argument-precedence-order
                `((:argument-precedence-order ,@argument-precedence-order))))))))
)lisp";

constexpr const char* kInvalidMethodError = R"lisp(
(lambda (method control &rest arguments)
  (error "invalid method ~s: ~?" method control arguments))
)lisp";
constexpr const char* kMethodCombinationError =
    "(lambda (control &rest arguments) (error \"method combination: ~?\" control arguments))";

// --- iteration --------------------------------------------------------------------------------

// The entries are taken at the start; one that is removed meanwhile still comes.
constexpr const char* kWithHashTableIterator = R"lisp(
(lambda (form)
  (destructuring-bind ((name table) &rest body) (cdr form)
    (let ((entries (gensym "ENTRIES")) (entry (gensym "ENTRY")))
      `(let ((,entries (loop for k being the hash-keys of ,table using (hash-value v)
                             collect (cons k v))))
         (macrolet ((,name ()
                      '(if ,entries
                           (let ((,entry (pop ,entries)))
                             (values t (car ,entry) (cdr ,entry)))
                           nil)))
           ,@body)))))
)lisp";

constexpr const char* kWithPackageIterator = R"lisp(
(lambda (form)
  (destructuring-bind ((name packages &rest kinds) &rest body) (cdr form)
    (let ((entries (gensym "ENTRIES")) (entry (gensym "ENTRY")) (p (gensym "P")))
      `(let ((,entries
               (loop for ,p in (let ((given ,packages)) (if (listp given) given (list given)))
                     append (loop for s in (%accessible-symbols (find-package ,p) :accessible)
                                  for kind = (nth-value 1 (find-symbol (symbol-name s) ,p))
                                  when (member kind ',kinds)
                                    collect (list s kind (find-package ,p))))))
         (macrolet ((,name ()
                      '(if ,entries
                           (let ((,entry (pop ,entries))) (values-list (cons t ,entry)))
                           nil)))
           ,@body)))))
)lisp";

// --- numbers ----------------------------------------------------------------------------------

constexpr const char* kBoole = R"lisp(
(lambda (operation a b)
  (check-type a integer)
  (check-type b integer)
  (case operation
    (0 0) (1 -1) (2 a) (3 b) (4 (lognot a)) (5 (lognot b)) (6 (logand a b)) (7 (logior a b))
    (8 (logxor a b)) (9 (logeqv a b)) (10 (lognand a b)) (11 (lognor a b)) (12 (logandc1 a b))
    (13 (logandc2 a b)) (14 (logorc1 a b)) (15 (logorc2 a b))
    (t (error 'type-error :datum operation :expected-type '(integer 0 15)))))
)lisp";

// --- packages and modules ---------------------------------------------------------------------

constexpr const char* kProvide =
    "(lambda (name) (pushnew (string name) *modules* :test #'string=) t)";

// --- file names -------------------------------------------------------------------------------

// File names are strings here; these take them apart and put them together as pathnames would be.
constexpr const char* kMakePathname = R"lisp(
(lambda (&key host device directory name type version defaults case)
  (declare (ignore host device version case))
  (flet ((part (v) (if (eq v :wild) "*" v)))
    (let ((directory
            (cond ((stringp directory) (concatenate 'string "/" directory "/"))
                  ((consp directory)
                   (format nil "~:[~;/~]~{~a/~}" (eq (car directory) :absolute)
                           (mapcar (lambda (d) (case d ((:up :back) "..") (:wild "*")
                                                 (:wild-inferiors "**") (t d)))
                                   (cdr directory))))
                  (defaults (directory-namestring defaults))
                  (t "")))
          (name (part (or name (and defaults (pathname-name defaults)))))
          (type (part (or type (and defaults (pathname-type defaults))))))
      (format nil "~a~@[~a~]~@[.~a~]" directory name type))))
)lisp";

constexpr const char* kPathnameDirectory = R"lisp(
(lambda (name &key case)
  (declare (ignore case))
  (let ((text (directory-namestring name)))
    (unless (string= text "")
      (cons (if (char= (char text 0) #\/) :absolute :relative)
            (loop with start = 0
                  for end = (position #\/ text :start start)
                  while end
                  for part = (subseq text start end)
                  do (setq start (1+ end))
                  unless (string= part "")
                    collect (if (string= part "..") :up part))))))
)lisp";
constexpr const char* kEnoughNamestring = R"lisp(
(lambda (name &optional (defaults ""))
  (let ((directory (directory-namestring defaults)))
    (if (and (> (length name) (length directory))
             (string= directory name :end2 (length directory)))
        (subseq name (length directory))
        name)))
)lisp";

// clang-format off
constexpr Builtin kTextBuiltins[] = {
    // name                        package min max doc                                              function
    {"BOOLE",                      "CL",   3,  3,  "a logical operation on integers, by number",    run_text<kBoole>},
    {"COMPILE",                    "CL",   1,  2,  "a function; all are compiled",                  run_text<kCompile>},
    {"COMPILER-MACRO-FUNCTION",    "CL",   1,  2,  "NIL: compiler macros are ignored",              run_text<kCompilerMacroFunction>},
    {"ENOUGH-NAMESTRING",          "CL",   1,  2,  "a file name seen from a directory",             run_text<kEnoughNamestring>},
    {"ENSURE-GENERIC-FUNCTION",    "CL",   1,  -1, "the generic function of a name, made if absent", run_text<kEnsureGenericFunction>},
    {"FUNCTION-LAMBDA-EXPRESSION", "CL",   1,  1,  "what is kept of a function's source: nothing",  run_text<kFunctionLambdaExpression>},
    {"INVALID-METHOD-ERROR",       "CL",   2,  -1, "signals an error about a method",               run_text<kInvalidMethodError>},
    {"MAKE-PATHNAME",              "CL",   0,  -1, "a file name from its parts",                    run_text<kMakePathname>},
    {"METHOD-COMBINATION-ERROR",   "CL",   1,  -1, "signals an error about a method combination",   run_text<kMethodCombinationError>},
    {"PATHNAME-DIRECTORY",         "CL",   1,  3,  "the directory of a file name as a list",        run_text<kPathnameDirectory>},
    {"PROCLAIM",                   "CL",   1,  1,  "declares globally",                             run_text<kProclaim>},
    {"PROVIDE",                    "CL",   1,  1,  "adds a name to *modules*",                      run_text<kProvide>},
};

constexpr MacroRow kTextMacros[] = {
    {"DEFINE-COMPILER-MACRO",    "CL", "ignored: compiler macros only make code faster", expand_text<kDefineCompilerMacro>},
    {"WITH-COMPILATION-UNIT",    "CL", "evaluates forms",                                expand_text<kWithCompilationUnit>},
    {"WITH-CONDITION-RESTARTS",  "CL", "evaluates forms",                                expand_text<kWithConditionRestarts>},
    {"WITH-HASH-TABLE-ITERATOR", "CL", "names a macro that gives the next entry",        expand_text<kWithHashTableIterator>},
    {"WITH-PACKAGE-ITERATOR",    "CL", "names a macro that gives the next symbol",       expand_text<kWithPackageIterator>},
};
// clang-format on

}  // namespace

std::span<const Builtin> text_builtins() {
  return kTextBuiltins;
}
std::span<const MacroRow> text_macros() {
  return kTextMacros;
}

}  // namespace caten::lisp
