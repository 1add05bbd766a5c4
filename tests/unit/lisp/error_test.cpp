// Errors: where they point, what they say, and that handlers see them before the stack unwinds.
#include "frontend/builtins/builtins.h"
#include "tests/unit/lisp/lisp_test.h"

namespace caten::lisp {
namespace {

TEST(Error, PointsAtTheForm) {
  Lisp lisp;
  EXPECT_EQ(lisp.error_text("(defun f (x)\n  (list (car x)\n        (cdr 5)))\n(f '(1))"),
            "(cdr 5)");
  EXPECT_EQ(lisp.error_text("(defun g (x) (+ x 1)) (g \"one\")"), "(+ x 1)");
  EXPECT_EQ(lisp.error_text("(mapcar (lambda (x) (car x)) '(1))"), "(car x)");
  EXPECT_EQ(lisp.error_text("(mapcar #'car '(1))"), "(mapcar #'car '(1))");
  EXPECT_EQ(lisp.error_text("(let ((y 1)) (list y zzz))"), "zzz");
  EXPECT_EQ(lisp.error_text("(when t (unless nil (undefined-thing 1)))"), "(undefined-thing 1)");
  EXPECT_EQ(lisp.error_text("(defmacro twice (x) `(progn ,x ,x)) (twice (car 1))"), "(car 1)");
  EXPECT_EQ(lisp.error_text("(defmacro bad () '(car 1)) (list (bad))"), "(bad)");
}

TEST(Error, SuggestsNames) {
  Lisp lisp;
  EXPECT_EQ(lisp.error("(defun norm (x) x) (nrom 4.0)"), "1:20: function `nrom` is not defined");
  EXPECT_EQ(lisp.error_note("(nrom 4.0)"), "did you mean `norm`?");
  EXPECT_EQ(lisp.error("(let ((total 1)) (+ totla total))"),
            "1:21: variable `totla` is not defined");
  EXPECT_EQ(lisp.error_note("(let ((total 1)) (+ totla total))"), "did you mean `total`?");
  EXPECT_EQ(lisp.error_note("(defvar *verbose* 1) (list *vebrose*)"), "did you mean `*verbose*`?");
}

TEST(Error, MalformedForms) {
  Lisp lisp;
  EXPECT_EQ(lisp.error("(if)"), "1:1: malformed `IF` form: 0 arguments where 2 to 3 are expected");
  EXPECT_EQ(lisp.error("(let ((x 1 2)) x)"),
            "1:1: malformed binding `(X 1 2)`; expected `(name form)`");
  EXPECT_EQ(lisp.error("(let ((nil 1)) 2)"), "1:1: `NIL` is a constant and cannot be bound");
  EXPECT_EQ(lisp.error("(1 2)"), "1:1: `1` is in the place of a function name");
  EXPECT_EQ(lisp.error("(return-from nowhere 1)"),
            "1:1: `return-from`: no block named `NOWHERE` is around this form");
  EXPECT_EQ(lisp.error("(go nowhere)"), "1:1: `go`: no tag `NOWHERE` is around this form");
  EXPECT_EQ(lisp.error("(list 1 . 2)"), "1:1: a form must be a proper list");
  EXPECT_EQ(lisp.error("(setq x)"),
            "1:1: `setq` takes pairs of variable and form; the last form is missing");
}

TEST(Error, BacktraceNamesTheCallers) {
  Lisp lisp;
  try {
    lisp.interp().load_text("test",
                            "(defun inner (x)\n  (+ 1 (car x)))\n"
                            "(defun outer (x)\n  (+ 1 (inner x)))\n(outer 5)");
    FAIL() << "no error";
  } catch (const CompileError& error) {
    ASSERT_EQ(error.notes.size(), 2U);
    EXPECT_EQ(error.notes[0].message, "in `(inner 5)`, called here");
    EXPECT_EQ(lisp.interp().sources().snippet(error.notes[0].span), "(inner x)");
    EXPECT_EQ(error.notes[1].message, "in `(outer 5)`, called here");
  }
}

TEST(Error, LibraryCodeIsBlamedOnItsCaller) {
  Lisp lisp;
  lisp.interp().load_library("library", "(defun library-function (x) (list (car x)))");
  EXPECT_EQ(lisp.error_text("(defun mine (x)\n  (list (library-function x)))\n(mine 3)"),
            "(library-function x)");
}

Value fail_with_span(Interpreter& interp, std::span<Value> args) {
  fail(Diag::ShapeMismatch, interp.current_span(), "shape {}", interp.print(args[0]));
}

TEST(Error, BuiltinErrorsAreConditions) {
  Lisp lisp;
  constexpr Builtin rows[] = {{"FAIL-SHAPE", "CATEN", 1, 1, "fails", fail_with_span}};
  lisp.interp().install(rows);
  EXPECT_EQ(lisp.eval("(handler-case (fail-shape 3) (error () :caught))"), ":CAUGHT");
  EXPECT_EQ(lisp.eval("(let ((log nil)) (handler-case (handler-bind ((error (lambda (c) c "
                      "(push :handler log)))) (unwind-protect (fail-shape 3) "
                      "(push :cleanup log))) (error () (push :caught log))) (nreverse log))"),
            "(:HANDLER :CLEANUP :CAUGHT)");
  try {
    lisp.interp().load_text("test", "(list\n (fail-shape 7))");
    FAIL() << "no error";
  } catch (const CompileError& error) {
    EXPECT_EQ(error.kind, Diag::ShapeMismatch);
    EXPECT_EQ(error.message, "shape 7");
    EXPECT_EQ(lisp.interp().sources().snippet(error.span), "(fail-shape 7)");
  }
}

TEST(Error, CleanupsRunWhenNobodyHandles) {
  Lisp lisp;
  lisp.eval("(defvar *log* nil)");
  EXPECT_NE(lisp.error("(unwind-protect (error \"x\") (push :cleanup *log*))"), "no error");
  EXPECT_EQ(lisp.eval("*log*"), "(:CLEANUP)");
}

TEST(Error, HandlersRunOutsideTheirOwnCluster) {
  Lisp lisp;
  EXPECT_EQ(lisp.eval("(handler-case (handler-bind ((error (lambda (c) c (error \"second\")))) "
                      "(error \"first\")) (error (c) (princ-to-string c)))"),
            "\"second\"");
}

TEST(Error, CommonLispIsLocked) {
  Lisp lisp;
  lisp.interp().cl_package().locked = true;
  EXPECT_EQ(lisp.error("(defun car (x) x)"),
            "1:1: `car` is part of Common Lisp and cannot be redefined");
}

}  // namespace
}  // namespace caten::lisp
