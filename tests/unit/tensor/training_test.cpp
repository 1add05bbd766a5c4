// Gradients and state through Lisp: backward on runtimes, accumulation, places and versions.
#include "tests/unit/tensor/world.h"

namespace caten {
namespace {

class Training : public testing::World {
 protected:
  /// The gradient of the sum of a form over *x*, as a list.
  std::string gradient(const std::string& x, const std::string& form) {
    return eval("(let* ((x (make-tensor (list (length '" + x + ")) :from '" + x +
                " :requires-grad t)) (rt (caten " + form +
                "))) (forward rt) (backward rt) (and (grad x) (change-facet (grad x) :list)))");
  }
};

TEST_F(Training, GradientsOfComposedOps) {
  EXPECT_EQ(gradient("(1.0 2.0)", "(!mul x x)"), "(2.0 4.0)");
  EXPECT_EQ(gradient("(1.0 2.0)", "(!sum (!mul x (!mul x x)))"), "(3.0 12.0)");
  EXPECT_EQ(gradient("(0.0)", "(!sin x)"), "(1.0)");
  EXPECT_EQ(gradient("(1.0 2.0)", "(!add x 1)"), "(1.0 1.0)");
}

TEST_F(Training, NoGradientFlows) {
  EXPECT_EQ(gradient("(1.0)", "(with-no-grad (!mul x x))"), "NIL");
  EXPECT_EQ(gradient("(1.0)", "(detach x)"), "NIL");
  EXPECT_EQ(gradient("(1.0)", "(!cast x :int32)"), "NIL");
}

TEST_F(Training, UserOpsHaveTheirOwnBackward) {
  eval(R"lisp(
    (defclass Scale2 (Func) nil)
    (defmethod forward ((op Scale2) &rest xs) (st "A[~] B[~] -> A[~]" (xs)))
    (defmethod lower ((op Scale2) &rest xs) (%mul (first xs) (second xs)))
    (defmethod backward ((op Scale2) &optional dout) (values (!mul dout 10) nil))
  )lisp");
  EXPECT_EQ(gradient("(1.0 2.0)", "(forward (make-instance 'Scale2) x x)"), "(10.0 10.0)");
}

TEST_F(Training, BackwardIsChecked) {
  const std::string op = R"lisp(
    (defclass Odd (Func) nil)
    (defmethod forward ((op Odd) &rest xs) (st "A[~] -> A[~]" (xs)))
    (defmethod lower ((op Odd) &rest xs) (first xs))
  )lisp";
  const std::string run = R"lisp(
    (let ((rt (caten (forward (make-instance 'Odd) (make-tensor '(2) :requires-grad t)))))
      (forward rt) (backward rt))
  )lisp";
  EXPECT_NE(error(op + "(defmethod backward ((op Odd) &optional d) (values d d))" + run)
                .find("`backward` of `Odd` gave 2 values, the op has 1 input"),
            std::string::npos);
  EXPECT_NE(error(op + "(defmethod backward ((op Odd) &optional d) (!reshape d 1 2))" + run)
                .find("gradient 0 of `Odd` has shape (1 2), the input has (2)"),
            std::string::npos);
  EXPECT_NE(error(op + "(defmethod backward ((op Odd) &optional d) 3)" + run), "no error");
}

TEST_F(Training, SeveralOutputsWithOneUnused) {
  eval(R"lisp(
    (defclass Pair (Func) nil)
    (defmethod forward ((op Pair) &rest xs) (st "A[~] -> A[~] B[~]" (xs)))
    (defmethod lower ((op Pair) &rest xs)
      (values (%mul (first xs) 2.0) (%mul (first xs) 3.0)))
    (defmethod backward ((op Pair) &rest douts)
      (!add (!mul (first douts) 2.0) (!mul (second douts) 3.0)))
    (defun pair (x) (forward (make-instance 'Pair) x))
  )lisp");
  EXPECT_EQ(gradient("(1.0)", "(nth-value 1 (pair x))"), "(3.0)");
  EXPECT_EQ(gradient("(1.0)", "(multiple-value-bind (a b) (pair x) (!add a b))"), "(5.0)");
  EXPECT_EQ(gradient("(1.0)", "(multiple-value-list (pair x))"), "(5.0)");
}

TEST_F(Training, GradientsAccumulateOverRuns) {
  eval(
      "(defparameter *x* (make-tensor '(2) :from '(1 2) :requires-grad t))"
      "(defparameter *rt* (caten (!sum (!mul *x* *x*))))");
  EXPECT_EQ(eval("(forward *rt*) (backward *rt*) (change-facet (grad *x*) :list)"), "(2.0 4.0)");
  EXPECT_EQ(eval("(forward *rt*) (backward *rt*) (change-facet (grad *x*) :list)"), "(4.0 8.0)");
  EXPECT_EQ(eval("(zero-grad *x*) (change-facet (grad *x*) :list)"), "(0.0 0.0)");
  EXPECT_EQ(error("(backward *rt*)"),
            "no_gradient: `backward` needs a `forward` before it @ (backward *rt*)");
}

TEST_F(Training, GradientsSeeTheInputsOfTheLastForward) {
  eval(
      "(defparameter *w* (make-tensor '(2) :initial-element 1.0 :requires-grad t))"
      "(defparameter *rt* (caten (!sum (!mul *w* (make-input 'x '(n 2))))))");
  EXPECT_EQ(eval("(forward *rt* 'x '((1 2))) (backward *rt*) (change-facet (grad *w*) :list)"),
            "(1.0 2.0)");
  EXPECT_EQ(eval("(zero-grad *w*) (forward *rt* 'x '((1 2) (3 4))) (backward *rt*) "
                 "(change-facet (grad *w*) :list)"),
            "(4.0 6.0)");
}

TEST_F(Training, StepsThroughAssign) {
  EXPECT_EQ(eval("(let* ((w (make-tensor '(1) :initial-element 1.0 :requires-grad t))"
                 "       (rt (caten (!mul w w))))"
                 "  (dotimes (i 3)"
                 "    (forward rt) (backward rt)"
                 "    (proceed (with-no-grad (!assign w (!sub w (!mul (grad w) 0.25)))))"
                 "    (zero-grad w))"
                 "  (item w))"),
            "0.125");
}

TEST_F(Training, ReadersTakeTheStateOfTheirTime) {
  EXPECT_EQ(eval("(let* ((p (make-tensor '(1) :initial-element 1.0))"
                 "       (before (!add p 10)) (set (!assign p (!add p 1))) (after (!add p 10)))"
                 "  (multiple-value-bind (a b c) (proceed before set after)"
                 "    (list (item a) (item b) (item c) (item p))))"),
            "(11.0 2.0 12.0 2.0)");
}

TEST_F(Training, StateIsKeptBetweenRunsOfARuntime) {
  EXPECT_EQ(eval("(let* ((p (make-tensor '(1))) (rt (caten (!assign p (!add p 1)))))"
                 "  (list (item (forward rt)) (item (forward rt)) (item p)))"),
            "(1.0 2.0 2.0)");
}

TEST_F(Training, LaterProgramsReadWhatWasAssigned) {
  EXPECT_EQ(eval("(let* ((p (make-tensor '(1))) (set (!assign p (!add p 1))) (double (!mul p 2)))"
                 "  (proceed set)"
                 "  (list (item (proceed double)) (item p) (item (proceed (!mul p 3)))))"),
            "(2.0 1.0 3.0)");
}

TEST_F(Training, ViewsArePlaces) {
  EXPECT_EQ(eval("(let* ((p (make-tensor '(2 2))) (row (!view p 1 t)))"
                 "  (proceed (!assign row 7.0))"
                 "  (list (change-facet p :list) (change-facet (proceed (!add row 1)) :list)))"),
            "(((0.0 0.0) (7.0 7.0)) ((8.0 8.0)))");
}

}  // namespace
}  // namespace caten
