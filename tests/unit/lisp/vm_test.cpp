// Evaluation: scope, exits, dynamic variables, values, tail calls.
#include "tests/unit/lisp/lisp_test.h"

namespace caten::lisp {
namespace {

TEST(Vm, LexicalScope) {
  Lisp lisp;
  EXPECT_EQ(lisp.eval("(let ((x 1)) (let ((x 2) (y x)) (list x y)))"), "(2 1)");
  EXPECT_EQ(lisp.eval("(let* ((x 1) (y (+ x 1))) (list x y))"), "(1 2)");
  EXPECT_EQ(lisp.eval("(let ((fs nil)) (dolist (x '(1 2 3)) (push (lambda () x) fs)) "
                      "(mapcar #'funcall fs))"),
            "(3 2 1)");
  EXPECT_EQ(lisp.eval("(let ((n 0)) (flet ((up () (incf n))) (up) (up) n))"), "2");
  EXPECT_EQ(lisp.eval("(defun adder (k) (lambda (x) (lambda (y) (+ x y k)))) "
                      "(funcall (funcall (adder 1) 10) 100)"),
            "111");
  EXPECT_EQ(lisp.eval("(labels ((e (n) (if (= n 0) t (o (- n 1)))) "
                      "(o (n) (if (= n 0) nil (e (- n 1))))) (e 1000))"),
            "T");
  EXPECT_EQ(lisp.eval("(flet ((f (x) (* 2 x))) (flet ((f (x) (+ 1 (f x)))) (f 5)))"), "11");
  EXPECT_EQ(lisp.eval("(let ((x 1)) (macrolet ((m () ''x)) (list (m) x)))"), "(X 1)");
  EXPECT_EQ(lisp.eval("(let ((l (list 1 2))) (symbol-macrolet ((a (car l))) (setq a 9) l))"),
            "(9 2)");
}

TEST(Vm, BlocksAndTagbodies) {
  Lisp lisp;
  EXPECT_EQ(lisp.eval("(block b (+ 1 (return-from b 5)))"), "5");
  EXPECT_EQ(lisp.eval("(list 1 (block b (list 2 3 (return-from b 4))) 5)"), "(1 4 5)");
  EXPECT_EQ(lisp.eval("(block b (mapcar (lambda (x) (when (= x 2) (return-from b :two)) x) "
                      "'(1 2 3)))"),
            ":TWO");
  EXPECT_EQ(lisp.eval("(let ((i 0)) (tagbody top (incf i) (when (< i 10) (go top))) i)"), "10");
  EXPECT_EQ(lisp.eval("(let ((i 0)) (tagbody top (funcall (lambda () (incf i) "
                      "(when (< i 10) (go top)))) (incf i 100)) i)"),
            "110");
  EXPECT_EQ(lisp.eval("(multiple-value-list (block b (mapc (lambda (x) "
                      "(return-from b (values x 2))) '(1))))"),
            "(1 2)");
  EXPECT_EQ(lisp.error("(funcall (block b (lambda () (return-from b 1))))"),
            "1:30: the block or tagbody to leave has been left already");
  EXPECT_EQ(lisp.eval("(let ((r nil)) (dolist (x '(1 2 3) (nreverse r)) (push x r)))"), "(1 2 3)");
}

TEST(Vm, CatchThrowUnwindProtect) {
  Lisp lisp;
  EXPECT_EQ(lisp.eval("(catch 'a (catch 'b (throw 'a 1)) 2)"), "1");
  EXPECT_EQ(lisp.eval("(let ((log nil)) (catch 'a (unwind-protect (throw 'a 1) (push 1 log)) "
                      "(push 2 log)) log)"),
            "(1)");
  EXPECT_EQ(lisp.eval("(let ((log nil)) (block b (unwind-protect (mapc (lambda (x) "
                      "(unwind-protect (return-from b x) (push :inner log))) '(1)) "
                      "(push :outer log))) log)"),
            "(:OUTER :INNER)");
  EXPECT_EQ(lisp.eval("(multiple-value-list (unwind-protect (values 1 2) (values 3 4 5)))"),
            "(1 2)");
  EXPECT_EQ(lisp.eval("(catch 'x (unwind-protect (throw 'x 1) (throw 'x 2)))"), "2");
  EXPECT_EQ(lisp.error("(throw 'none 1)"), "1:1: `throw`: no `catch` has the tag NONE");
  EXPECT_EQ(lisp.eval("(let ((n 0)) (dotimes (i 10) (block nil (unwind-protect (return) "
                      "(incf n)))) n)"),
            "10");
}

TEST(Vm, DynamicVariables) {
  Lisp lisp;
  lisp.eval("(defvar *d* 1) (defun d () *d*)");
  EXPECT_EQ(lisp.eval("(list (let ((*d* 2)) (d)) (d))"), "(2 1)");
  EXPECT_EQ(lisp.eval("(let ((*d* 2)) (setq *d* 3) (d))"), "3");
  EXPECT_EQ(lisp.eval("(catch 'x (let ((*d* 2)) (throw 'x (d))))"), "2");
  EXPECT_EQ(lisp.eval("(d)"), "1");
  EXPECT_EQ(lisp.eval("(funcall (lambda (*d*) (d)) 7)"), "7");
  EXPECT_EQ(lisp.eval("(funcall (lambda (&key (*d* 8)) (d)))"), "8");
  EXPECT_EQ(lisp.eval("(defun outer () (declare (special loc)) loc) "
                      "(let ((loc 5)) (declare (special loc)) (outer))"),
            "5");
  EXPECT_EQ(lisp.eval("(progv '(*d*) '(42) (d))"), "42");
  lisp.error("(let ((*d* 9)) (error \"out\"))");
  EXPECT_EQ(lisp.eval("(d)"), "1") << "an error restores bindings";
  EXPECT_EQ(lisp.error("(defconstant +c+ 1) (setq +c+ 2)"),
            "1:21: `+C+` is a constant and cannot be assigned");
}

TEST(Vm, MultipleValues) {
  Lisp lisp;
  EXPECT_EQ(lisp.eval("(multiple-value-list (values 1 2 3))"), "(1 2 3)");
  EXPECT_EQ(lisp.eval("(multiple-value-list (values))"), "NIL");
  EXPECT_EQ(lisp.eval("(list (values 1 2) (values))"), "(1 NIL)");
  EXPECT_EQ(lisp.eval("(multiple-value-bind (a b c) (values 1 2) (list a b c))"), "(1 2 NIL)");
  EXPECT_EQ(lisp.eval("(multiple-value-list (if t (values 1 2) 3))"), "(1 2)");
  EXPECT_EQ(lisp.eval("(multiple-value-list (or nil (values 1 2)))"), "(1 2)");
  EXPECT_EQ(lisp.eval("(multiple-value-list (or (values 1 2) 3))"), "(1)");
  EXPECT_EQ(lisp.eval("(multiple-value-list (mapcar (lambda (x) (values x x)) '(1)))"), "((1))");
  EXPECT_EQ(lisp.eval("(defun f () (values 1 2)) (multiple-value-list (let ((x 1)) (f)))"),
            "(1 2)");
  EXPECT_EQ(lisp.eval("(multiple-value-list (prog1 (f) 3))"), "(1)");
  EXPECT_EQ(lisp.eval("(multiple-value-list (multiple-value-prog1 (f) 3))"), "(1 2)");
  EXPECT_EQ(lisp.eval("(multiple-value-call #'list 0 (f) (values) (values 3 4))"), "(0 1 2 3 4)");
  EXPECT_EQ(lisp.eval("(let (a b) (multiple-value-setq (a b) (f)) (list a b))"), "(1 2)");
  EXPECT_EQ(lisp.eval("(nth-value 1 (f))"), "2");
  EXPECT_EQ(lisp.eval("(multiple-value-list (funcall 'floor 7 2))"), "(3 1)");
  EXPECT_EQ(lisp.eval("(multiple-value-list (apply #'values '(1 2)))"), "(1 2)");
}

TEST(Vm, CallsAreDeepAndTailCallsFlat) {
  Lisp lisp;
  EXPECT_EQ(lisp.eval("(defun down (n) (if (= n 0) 0 (+ 1 (down (- n 1))))) (down 50000)"),
            "50000");
  EXPECT_EQ(lisp.eval("(defun tail (n) (if (= n 0) :done (tail (- n 1)))) (tail 3000000)"),
            ":DONE");
  EXPECT_NE(lisp.error("(defun forever (n) (+ 1 (forever n))) (forever 1)").find("stack exhausted"),
            std::string::npos);
  EXPECT_NE(lisp.error("(defun via (n) (mapcar #'via (list n))) (via 1)").find("stack exhausted"),
            std::string::npos);
  EXPECT_EQ(lisp.eval("(+ 1 1)"), "2") << "the interpreter goes on after exhausting its stack";
}

TEST(Vm, OrderOfEvaluation) {
  Lisp lisp;
  EXPECT_EQ(lisp.eval("(let ((log nil)) (flet ((n (x) (push x log) x)) "
                      "(list (n 1) (n 2)) (funcall (progn (n 3) #'list) (n 4)) (nreverse log)))"),
            "(1 2 3 4)");
  EXPECT_EQ(lisp.eval("(let ((x 1)) (+ x (setq x 5) x))"), "11");
}

TEST(Vm, FixnumsOverflowIntoInt64AndNoFurther) {
  Lisp lisp;
  EXPECT_EQ(lisp.eval("(+ 2305843009213693951 1)"), "2305843009213693952");
  EXPECT_EQ(lisp.eval("(- -2305843009213693952 1)"), "-2305843009213693953");
  EXPECT_EQ(lisp.eval("(* 3037000499 3037000499)"), "9223372030926249001");
  EXPECT_EQ(lisp.eval("(+ 9223372036854775806 1)"), "9223372036854775807");
  EXPECT_NE(lisp.error("(+ 9223372036854775807 1)").find("does not fit"), std::string::npos);
  EXPECT_NE(lisp.error("(* 4294967296 4294967296)").find("does not fit"), std::string::npos);
  EXPECT_EQ(lisp.eval("(eql (+ 2305843009213693951 1) 2305843009213693952)"), "T");
}

TEST(Vm, DefinitionsInOneInterpreterDoNotReachAnother) {
  Lisp one;
  Lisp two;
  one.eval("(defun only-here () 1)");
  EXPECT_NE(two.error("(only-here)"), "no error");
}

}  // namespace
}  // namespace caten::lisp
