// CLOS beyond the corpus: messages, redefinition while running, caches, collections.
#include "tests/unit/lisp/language_fixture.h"

namespace caten::lisp {
namespace {

class ClosTest : public LanguageTest {};

TEST_F(ClosTest, NoApplicableMethodNamesGenericAndTypes) {
  run("(defmethod area ((x integer) y) x) (defmethod area ((x string) (y symbol)) y)");
  EXPECT_EQ(error("(list (area 1.5 'b))"),
            "no_applicable_method: generic function `AREA` has no method for argument types "
            "SINGLE-FLOAT, SYMBOL; defined for (INTEGER T), (STRING SYMBOL)");
  EXPECT_EQ(culprit(), "(area 1.5 'b)");
}

TEST_F(ClosTest, InitargsAreChecked) {
  run("(defclass layer () ((weight :initarg :weight) (bias :initarg :bias)))");
  EXPECT_EQ(error("(make-instance 'layer :wieght 1)"),
            "unknown_initarg: class `LAYER` takes no initialization argument :WIEGHT; did "
            "you mean :WEIGHT?");
  EXPECT_EQ(error("(make-instance 'layer :weight)"),
            "wrong_argument_count: odd number of initialization arguments for `LAYER`; expected "
            "keyword and value pairs");
  EXPECT_EQ(run("(slot-boundp (make-instance 'layer :bad 1 :allow-other-keys t) 'bias)"), "NIL");
}

TEST_F(ClosTest, MistakesInDefinitions) {
  EXPECT_EQ(error("(make-instance 'lyaer)"), "undefined_class: there is no class named `LYAER`");
  EXPECT_EQ(error("(defclass a () ((x :initfrom 1)))"),
            "malformed_form: slot `X` has no option :INITFROM; did you mean :INITFORM?");
  EXPECT_EQ(culprit(), "(x :initfrom 1)");
  EXPECT_EQ(error("(defclass a () (x x))"), "malformed_form: slot `X` is defined twice");
  EXPECT_EQ(error("(defclass integer () ())"),
            "locked_name: `integer` is part of Common Lisp and cannot be redefined");
  EXPECT_EQ(error("(defclass a (integer) ())"),
            "bad_class: `A` cannot inherit from `INTEGER`, a built-in class");
  EXPECT_EQ(error("(defclass a (b) ()) (make-instance 'a)"),
            "undefined_class: class `B` is named as a superclass but is not defined");
  EXPECT_EQ(error("(defclass c () ()) (defclass c (c) ())"),
            "bad_class: class `C` cannot inherit from itself");
  EXPECT_EQ(error("(defmethod f ((x no-class)) x)"),
            "undefined_class: there is no class named `NO-CLASS`");
  EXPECT_EQ(error("(defmethod f ((x integer y)) x)"),
            "malformed_form: `(X INTEGER Y)` is not a parameter; expected `variable`, `(variable "
            "class)` or `(variable (eql object))`");
  EXPECT_EQ(error("(defmethod g (x) x) (defmethod g (x y) y)"),
            "bad_method: this method of `G` has 2 required and 0 optional parameters; the generic "
            "function has 1 and 0");
  EXPECT_EQ(error("(defun h (x) x) (defmethod h ((x integer)) x)"),
            "bad_method: `H` already names an ordinary function; a generic function cannot take "
            "its place");
}

TEST_F(ClosTest, SlotsThatAreMissingOrUnbound) {
  run("(defclass p () ((side :initarg :side)))");
  EXPECT_EQ(error("(slot-value (make-instance 'p) 'side)"),
            "unbound_slot: slot `SIDE` of an instance of `P` is unbound");
  EXPECT_EQ(error("(slot-value (make-instance 'p) 'sides)"),
            "missing_slot: class `P` has no slot `SIDES`; did you mean `SIDE`?");
  EXPECT_EQ(error("(slot-value 5 'x)"),
            "wrong_type: `5` has no slots, so no slot X; expected an instance of a class");
}

TEST_F(ClosTest, ClassesAndMethodsChangeWhileRunning) {
  run("(defclass node () ((a :initform 1 :accessor a)))"
      "(defclass leaf (node) ((b :initform 2)))"
      "(defparameter *leaf* (make-instance 'leaf))"
      "(defmethod what ((x node)) :node)");
  EXPECT_EQ(run("(what *leaf*)"), ":NODE");
  run("(defmethod what ((x leaf)) :leaf)");
  EXPECT_EQ(run("(what *leaf*)"), ":LEAF");
  run("(defclass node () ((a :initform 1 :accessor a) (c :initform 3) (d :initform 4)))");
  EXPECT_EQ(run("(list (a *leaf*) (slot-value *leaf* 'b) (slot-value *leaf* 'c))"), "(1 2 3)");
  run("(defclass other () ()) (defmethod what ((x other)) :other) (defclass leaf (other) ())"
      "(remove-method #'what (find-method #'what nil '(leaf)))");
  EXPECT_EQ(run("(list (what *leaf*) (slot-exists-p *leaf* 'a))"), "(:OTHER NIL)");
}

TEST_F(ClosTest, ManyClassesInOneCache) {
  EXPECT_EQ(run("(dotimes (i 200)"
                "  (eval `(defclass ,(intern (format nil \"K~a\" i)) () ()))"
                "  (eval `(defmethod number-of ((x ,(intern (format nil \"K~a\" i)))) ,i)))"
                "(defparameter *all* (loop for i below 200"
                "  collect (make-instance (intern (format nil \"K~a\" i)))))"
                "(loop repeat 3 always (loop for x in *all* for i from 0"
                "                        always (= (number-of x) i)))"),
            "T");
}

TEST_F(ClosTest, ManyEqlMethods) {
  EXPECT_EQ(run("(dotimes (i 50) (eval `(defmethod twice ((x (eql ,i))) ,(* 2 i))))"
                "(defmethod twice (x) x)"
                "(list (twice 0) (twice 49) (twice 50) (twice 'a))"),
            "(0 98 50 A)");
}

TEST_F(ClosTest, SurvivesCollections) {
  EXPECT_EQ(
      run("(defclass cell () ((v :initarg :v :initform (list 1 2)) (n :initform nil)))"
          "(defmethod keep :around ((c cell) &rest more) (cons c (call-next-method)))"
          "(defmethod keep ((c cell) &rest more) more)"
          "(let ((chain nil))"
          "  (dotimes (i 40000)"
          "    (let ((c (make-instance 'cell :v (list i))))"
          "      (keep c i (list i))"
          "      (when (zerop (mod i 1000)) (setf (slot-value c 'n) chain chain c))))"
          "  (loop for c = chain then (slot-value c 'n) while c sum (car (slot-value c 'v))))"),
      "780000");
}

TEST_F(ClosTest, CallNextMethodKeepsTheArguments) {
  EXPECT_EQ(run("(defmethod passed ((x integer)) (setq x (* 2 x)) (list :integer x))"
                "(defmethod passed ((x (eql 5))) (setq x 0) (call-next-method))"
                "(passed 5)"),
            "(:INTEGER 10)");
  EXPECT_EQ(run("(defmethod as-function ((x number)) (list x))"
                "(defmethod as-function ((x integer)) (mapcar #'call-next-method '(1 2)))"
                "(as-function 3)"),
            "((1) (2))");
  EXPECT_EQ(run("(defmacro up () '(call-next-method))"
                "(defmethod by-macro ((x number)) (list :up x))"
                "(defmethod by-macro ((x integer)) (up)) (by-macro 1)"),
            "(:UP 1)");
}

TEST_F(ClosTest, DescribeShowsWhatIsKnown) {
  std::string text =
      run("(defclass shape () ((area :initarg :area)) (:documentation \"A shape.\"))"
          "(with-output-to-string (s) (describe 'shape s))");
  EXPECT_NE(text.find("Documentation: A shape."), std::string::npos) << text;
  EXPECT_NE(text.find("Slot AREA :AREA"), std::string::npos) << text;
  text = run("(with-output-to-string (s) (describe (make-instance 'shape :area 3) s))");
  EXPECT_NE(text.find("AREA = 3"), std::string::npos) << text;
}

TEST_F(ClosTest, TraceAndTime) {
  EXPECT_EQ(run("(defun fact (n) (if (< n 2) 1 (* n (fact (1- n)))))"
                "(trace fact)"
                "(with-output-to-string (*trace-output*) (fact 2))"),
            "\"  0: (FACT 2)\n    1: (FACT 1)\n    1: FACT returned 1\n  0: FACT returned 2\n\"");
  EXPECT_EQ(run("(untrace fact) (with-output-to-string (*trace-output*) (fact 2))"), "\"\"");
  EXPECT_EQ(run("(let ((*trace-output* (make-string-output-stream)))"
                "  (multiple-value-list (time (values 1 2))))"),
            "(1 2)");
}

}  // namespace
}  // namespace caten::lisp
