// Tensors through Lisp: making, asking, facets, st and bc, lowering, running, gradients.
#include <unistd.h>

#include "frontend/tensor/session.h"
#include "tests/unit/tensor/world.h"

namespace caten {
namespace {

class Library : public testing::World {};

constexpr const char* kSinCos = R"lisp(
  (defclass SinCos (Func) nil)
  (defmethod forward ((op SinCos) &rest tensors) (st "A[~] -> A[~]" (tensors)))
  (defmethod backward ((op SinCos) &optional dout) (declare (ignore dout)) nil)
  (defmethod lower ((op SinCos) &rest inputs)
    (let ((x (car inputs)))
      (with-context (a (%sin (%add x (%fconst (/ pi 2))))) (b (%sin a)))))
  (defun sincos (x) (forward (make-instance 'SinCos) x))
)lisp";

TEST_F(Library, SinCosOnBothBackends) {
  eval(kSinCos);
  for (const char* backend : {":tcc", ":interp"}) {
    EXPECT_EQ(eval(std::string("(setf *backend* ") + backend +
                   ") (change-facet (proceed (sincos (make-tensor '(2 2) :initial-element 1.0))) "
                   ":list)"),
              "((0.5143952 0.5143952) (0.5143952 0.5143952))")
        << backend;
  }
}

TEST_F(Library, WeakConstantsTakeTheDtype) {
  eval(kSinCos);
  EXPECT_EQ(eval("(dtype-of (proceed (sincos (make-tensor '(2) :dtype :float64))))"), ":FLOAT64");
  EXPECT_EQ(
      eval("(item (proceed (sincos (make-tensor '() :dtype :float64 :initial-element 1.0))))"),
      "0.5143952585235492d0");
  EXPECT_EQ(eval("(dtype-of (proceed (sincos (make-tensor '(2) :dtype :float16))))"), ":FLOAT16");
}

TEST_F(Library, MakingTensors) {
  EXPECT_EQ(
      eval("(let ((x (make-tensor '(2 3)))) (list (shape x) (ndim x) (dtype-of x) (order x)))"),
      "((2 3) 2 :FLOAT32 :ROW)");
  EXPECT_EQ(eval("(change-facet (make-tensor '(2) :dtype :int8 :initial-element 7) :list)"),
            "(7 7)");
  EXPECT_EQ(eval("(change-facet (make-tensor '(2) :dtype :bool :initial-element t) :list)"),
            "(T T)");
  EXPECT_EQ(eval("(shape (make-tensor '(n (+ n 1) 3)))"), "(N (+ N 1) 3)");
  EXPECT_EQ(eval("(shape (make-tensor (list (iconst 'n) (iconst 3))))"), "(N 3)");
  EXPECT_EQ(eval("(change-facet (make-tensor '(2 2) :from '((1 2) (3 4))) :list)"),
            "((1.0 2.0) (3.0 4.0))");
  EXPECT_EQ(eval("(tensor-p (make-tensor '()))"), "T");
  EXPECT_EQ(eval("(item (make-tensor '() :initial-element 3.5))"), "3.5");
  EXPECT_EQ(eval("(change-facet (make-tensor '(2 0 3)) :list)"), "(NIL NIL)");
}

TEST_F(Library, MakingTensorsGoesWrong) {
  EXPECT_EQ(error("(make-tensor '(2) :dtype :float31)"),
            "unknown_dtype: :dtype is `:FLOAT31`, which is no dtype; did you mean `:float32`? @ "
            "(make-tensor '(2) :dtype :float31)");
  EXPECT_EQ(error("(make-tensor '(2) :dtype :uint8 :initial-element 256)"),
            "bad_constant: the constant 256 does not fit dtype uint8 @ "
            "(make-tensor '(2) :dtype :uint8 :initial-element 256)");
  EXPECT_EQ(error("(make-tensor '(2) :dtype :int8 :initial-element 1.5)"),
            "bad_constant: the constant 1.5 is no int8 @ "
            "(make-tensor '(2) :dtype :int8 :initial-element 1.5)");
  EXPECT_EQ(error("(make-tensor '(-1))").substr(0, 8), "bad_size");
  EXPECT_EQ(error("(make-tensor '(\"a\"))").substr(0, 10), "wrong_type");
  EXPECT_EQ(error("(make-tensor '(4000000000 4000000000))").substr(0, 8), "bad_size");
  EXPECT_EQ(error("(make-tensor '(2) :from '((1 2)))"),
            "shape_mismatch: :from has shape (1 2), the tensor is to have (2) @ "
            "(make-tensor '(2) :from '((1 2)))");
  EXPECT_EQ(error("(make-tensor '(2 2) :from '((1 2) (3)))"),
            "shape_mismatch: the rows of the data have different lengths on axis 1: 2 and 1 @ "
            "(make-tensor '(2 2) :from '((1 2) (3)))");
  EXPECT_EQ(error("(make-tensor '(2) :dtype :int32 :requires-grad t)"),
            "no_gradient: a tensor of dtype int32 cannot have a gradient; only floats can @ "
            "(make-tensor '(2) :dtype :int32 :requires-grad t)");
}

TEST_F(Library, HugeTensorsFailWhenTheyAreNeeded) {
  // The size fits int64 but no memory.
  EXPECT_NE(error("(proceed (!neg (make-tensor '(1000000000 1000000))))"), "no error");
}

TEST_F(Library, Facets) {
  EXPECT_EQ(eval("(dtype-of (change-facet '(1 2) :tensor))"), ":INT64");
  EXPECT_EQ(eval("(dtype-of (change-facet '(1 2.0) :tensor))"), ":FLOAT32");
  EXPECT_EQ(eval("(dtype-of (change-facet '(1 2d0) :tensor))"), ":FLOAT64");
  EXPECT_EQ(eval("(dtype-of (change-facet '(t nil) :tensor))"), ":BOOL");
  EXPECT_EQ(eval("(array-dimensions (change-facet (make-tensor '(2 3)) :array))"), "(2 3)");
  EXPECT_EQ(eval("(elements (change-facet '((1 2) (3 4)) :tensor))"), "#(1 2 3 4)");
  EXPECT_EQ(eval("(elements (make-tensor '(2 2) :order :column :from '((1 2) (3 4))))"),
            "#(1.0 3.0 2.0 4.0)");
  EXPECT_EQ(eval("(let ((x (make-tensor '(2)))) (with-facet (a (x)) (setf (aref a 1) 5.0)) "
                 "(change-facet x :list))"),
            "(0.0 5.0)");
  EXPECT_EQ(
      eval("(let ((x (make-tensor '(2))) (y (make-tensor '(2)))) (with-facets ((a (x)) (b (y))) "
           "(setf (aref a 0) 1.0 (aref b 0) 2.0)) (list (change-facet x :list) "
           "(change-facet y :list)))"),
      "((1.0 0.0) (2.0 0.0))");
}

TEST_F(Library, Printing) {
  EXPECT_EQ(eval("(let ((text (princ-to-string (make-tensor '(2 2) :from '((1 2) (3 4.5)))))) "
                 "(subseq text (position #\\Newline text)))"),
            "\"\n  ((1.0 2.0)\n   (3.0 4.5))}\"");
  EXPECT_EQ(eval("(let ((text (princ-to-string (!add (make-input 'x '(n)) 1)))) "
                 "(subseq text (search \":lazy\" text)))"),
            "\":lazy :op add}\"");
}

TEST_F(Library, ShapeNotationPointsIntoTheString) {
  EXPECT_EQ(
      error("(st \"A[~ i -> A[i]\" ((make-tensor '(2))))"),
      "shape_notation: the `[` of `A` is never closed in the shape notation \"A[~ i -> A[i]\" "
      "@ [");
  EXPECT_EQ(
      error("(st \"A[i j] B[j k] -> C[i k]\" ((make-tensor '(3 4)) (make-tensor '(5 6))))"),
      "shape_mismatch: `st` does not fit on `j`: axis 1 of `A` (3 4) is 4, axis 0 of `B` (5 6) "
      "is 5 @ (st \"A[i j] B[j k] -> C[i k]\" ((make-tensor '(3 4)) (make-tensor '(5 6))))");
}

TEST_F(Library, ShapeNotationClauses) {
  EXPECT_EQ(eval("(shape (st \"X[N C_in ~HW] -> X[N C_out ~HW]\" ((make-tensor '(1 2 3 4))) "
                 "(:C_out . (* 2 4)) (:~HW . (list 3 4))))"),
            "(1 8 3 4)");
  EXPECT_EQ(
      eval("(dtype-of (st \"A[~] B[~] -> A[~]\" ((list (make-tensor '(2)) (make-tensor '(2)))) "
           "(:dtype . :bool)))"),
      ":BOOL");
  EXPECT_EQ(eval("(multiple-value-bind (a b) (st \"A[i j] -> B[j] C[i]\" ((make-tensor '(2 3)))) "
                 "(list (shape a) (shape b)))"),
            "((3) (2))");
  EXPECT_EQ(eval("(mapcar #'shape (multiple-value-list (bc \"A[~] B[~] -> A[~] B[~]\" "
                 "((make-tensor '(3 1)) (make-tensor '(2 1 4))))))"),
            "((2 3 4) (2 3 4))");
}

TEST_F(Library, FreshTensorsCannotBeComputed) {
  EXPECT_EQ(error("(proceed (st \"-> A[2]\" ()))").substr(0, 51),
            "bad_op: nothing computes this tensor of shape (2): ");
}

TEST_F(Library, ForwardMustReturnFreshTensors) {
  EXPECT_EQ(error("(defclass Same (Func) nil)\n"
                  "(defmethod forward ((op Same) &rest xs) (first xs))\n"
                  "(forward (make-instance 'Same) (make-tensor '(2)))")
                .substr(0, 84),
            "wrong_type: `forward` of `Same` returned a tensor that was made elsewhere; it has to");
}

TEST_F(Library, LowerMustKeepItsPromise) {
  const std::string op =
      "(defclass Bad (Func) nil)\n"
      "(defmethod forward ((op Bad) &rest xs) (st \"A[~] -> A[~]\" (xs)))\n";
  const std::string run = "(proceed (forward (make-instance 'Bad) (make-tensor '(2))))";
  EXPECT_EQ(error(op + "(defmethod lower ((op Bad) &rest xs) (%cast (first xs) :int8))\n" + run),
            "bad_op: `lower` of `Bad` gave int8, its `forward` promised float32 @ "
            "(forward (make-instance 'Bad) (make-tensor '(2)))");
  EXPECT_EQ(
      error(op + "(defmethod lower ((op Bad) &rest xs) (%reshape (first xs) '(1 2)))\n" + run),
      "bad_op: `lower` of `Bad` gave the shape (1 2), its `forward` promised (2) @ "
      "(forward (make-instance 'Bad) (make-tensor '(2)))");
  EXPECT_EQ(error(op + "(defmethod lower ((op Bad) &rest xs) (%reshape (first xs) '(3)))\n" + run),
            "bad_reshape: `reshape` from (2) (2 elements) to (3) (3 elements) @ "
            "(%reshape (first xs) '(3))");
  EXPECT_EQ(
      error(op + "(defmethod lower ((op Bad) &rest xs) (values (first xs) (first xs)))\n" + run)
          .substr(0, 61),
      "bad_op: `lower` of `Bad` gave 2 values, it has 1 output @ (fo");
  EXPECT_EQ(error(op + "(defmethod lower ((op Bad) &rest xs) 'x)\n" + run).substr(0, 10),
            "wrong_type");
}

TEST_F(Library, EmittersNeedALowering) {
  EXPECT_EQ(error("(%sin 1.0)"),
            "bad_op: this function emits AIR; it works only inside `lower` @ (%sin 1.0)");
}

TEST_F(Library, NodesBelongToTheirLowering) {
  const std::string message = error(
      "(defvar *node* nil)\n"
      "(defclass Leak (Func) nil)\n"
      "(defmethod forward ((op Leak) &rest xs) (st \"A[~] -> A[~]\" (xs)))\n"
      "(defmethod lower ((op Leak) &rest xs) (or *node* (setf *node* (%neg (first xs)))))\n"
      "(proceed (forward (make-instance 'Leak) (make-tensor '(2))))\n"
      "(proceed (forward (make-instance 'Leak) (make-tensor '(2))))");
  EXPECT_NE(message.find("is an AIR node of another lowering"), std::string::npos) << message;
}

TEST_F(Library, SymbolicSizes) {
  eval("(defparameter *rt* (caten (!add (make-input 'x '(n m)) (make-input 'y '(n 3)))))");
  EXPECT_EQ(
      eval("(shape (forward *rt* (cons 'x (make-tensor '(2 3))) (cons 'y (make-tensor '(2 3)))))"),
      "(2 3)");
  EXPECT_EQ(eval("(shape (forward *rt* 'x (make-tensor '(5 3)) 'y (make-tensor '(5 3)) 'n 5))"),
            "(5 3)");
  EXPECT_EQ(eval("(change-facet (forward *rt* 'x '((1 2 3)) 'y '((1 1 1))) :list)"),
            "((2.0 3.0 4.0))");
  EXPECT_NE(error("(forward *rt* 'x (make-tensor '(2 4)) 'y (make-tensor '(2 3)))"), "no error");
  EXPECT_NE(error("(forward *rt* 'x (make-tensor '(2 3)) 'y (make-tensor '(4 3)))"), "no error");
}

TEST_F(Library, ArgumentsOfRuntimes) {
  eval("(defparameter *rt* (caten (!mul (make-input 'x '(n)) (make-input 'k '()))))");
  EXPECT_EQ(eval("(change-facet (forward *rt* '(k . 2) '(x 1.0 2.0)) :list)"), "(2.0 4.0)");
  EXPECT_NE(error("(forward *rt* '(k . 2))"), "no error");
  EXPECT_EQ(error("(forward *rt* '(k . 2) '(z . 3))"),
            "unknown_input: the runtime has no input or size `z`; it has `n`, `x`, `k` @ "
            "(forward *rt* '(k . 2) '(z . 3))");
  EXPECT_NE(error("(forward *rt* '(k . 2) '(k . 3) '(x 1.0))"), "no error");
  EXPECT_NE(error("(forward *rt* 'k (make-tensor '() :dtype :int8) 'x '(1.0))"), "no error");
  EXPECT_EQ(error("(forward *rt* 3)").substr(0, 10), "wrong_type");
}

TEST_F(Library, NamesOfSizesAndInputsAreDistinct) {
  EXPECT_EQ(error("(caten (!add (make-input 'n '(n)) 1))").substr(0, 36),
            "bad_size: `n` names both a size and ");
  EXPECT_EQ(error("(caten (!add (make-input 'x '(2)) (make-input 'x '(2) :dtype :float64)))")
                .substr(0, 14),
            "shape_mismatch");
  // A scalar integer input that is used as a size is that size.
  EXPECT_EQ(
      eval("(let* ((n (make-input 'n '() :dtype :int64)) (rt (caten (!add (!cast n :float32) "
           "(make-input 'x (list n)))))) (change-facet (forward rt '(n . 2) '(x 1 2)) :list))"),
      "(3.0 4.0)");
}

TEST_F(Library, EqualGraphsAreCompiledOnce) {
  const std::string before = eval("(proceed (!add (make-tensor '(2)) 1)) (caten::%compiled-count)");
  EXPECT_EQ(
      eval("(proceed (!add (make-tensor '(2) :initial-element 3.0) 1)) (caten::%compiled-count)"),
      before);
  EXPECT_NE(eval("(proceed (!add (make-tensor '(3)) 1)) (caten::%compiled-count)"), before);
}

TEST_F(Library, ResultsAreTensorsAgain) {
  EXPECT_EQ(eval("(let ((y (proceed (!add (make-tensor '(2)) 1)))) "
                 "(change-facet (proceed (!mul y (!add y 2))) :list))"),
            "(3.0 3.0)");
  // A result is a copy: it does not follow the parameter.
  EXPECT_EQ(eval("(let* ((p (make-tensor '(1))) (y (proceed p))) (proceed (!assign p '5.0)) "
                 "(list (item y) (item p)))"),
            "(0.0 5.0)");
}

TEST_F(Library, SeveralOutputs) {
  EXPECT_EQ(
      eval("(multiple-value-bind (a b) (proceed (!add (make-tensor '(1)) 1) (!add (make-tensor "
           "'(1)) 2)) (list (item a) (item b)))"),
      "(1.0 2.0)");
}

TEST_F(Library, OneOpMayBeAppliedTwice) {
  eval(kSinCos);
  EXPECT_EQ(eval("(let ((op (make-instance 'SinCos))) (item (proceed (forward op (forward op "
                 "(make-tensor '() :initial-element 0.0))))))"),
            eval("(item (proceed (sincos (proceed (sincos (make-tensor '()))))))"));
}

TEST_F(Library, DeepGraphs) {
  EXPECT_EQ(eval("(let ((x (make-tensor '(1)))) (dotimes (i 2000) (setf x (!add x (!neg x)))) "
                 "(item (proceed x)))"),
            "0.0");
}

TEST_F(Library, Files) {
  const std::string base = "/tmp/caten_library_test_" + std::to_string(getpid());
  EXPECT_EQ(eval("(save-npy \"" + base +
                 ".npy\" (make-tensor '(2) :from '(1.5 2.5)))\n"
                 "(change-facet (load-npy \"" +
                 base + ".npy\") :list)"),
            "(1.5 2.5)");
  EXPECT_EQ(
      eval("(let ((table (make-hash-table :test #'equal)))\n"
           "  (setf (gethash \"a.b\" table) (make-tensor '(2) :dtype :int8 :initial-element 3))\n"
           "  (save-safetensors \"" +
           base +
           ".safetensors\" table)\n"
           "  (change-facet (gethash \"a.b\" (load-safetensors \"" +
           base + ".safetensors\")) :list))"),
      "(3 3)");
  unlink((base + ".npy").c_str());
  unlink((base + ".safetensors").c_str());
  EXPECT_EQ(error("(load-npy \"/nowhere/x.npy\")").substr(0, 10), "file_error");
}

}  // namespace
}  // namespace caten
