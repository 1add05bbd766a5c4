// Places: messages, and forms that the corpus cannot show because SBCL has other internals.
#include "tests/unit/lisp/language_fixture.h"

namespace caten::lisp {
namespace {

class SetfTest : public LanguageTest {};

TEST_F(SetfTest, Mistakes) {
  EXPECT_EQ(error("(setf 5 6)"), "malformed_form: `5` is not a place that `setf` could store into");
  EXPECT_EQ(error("(setf x)"), "malformed_form: `setf` expects pairs of a place and a value");
  EXPECT_EQ(error("(setf t 6)"), "constant_assignment: `T` is a constant; it cannot be assigned");
  EXPECT_EQ(error("(setf (if t 1 2) 6)"),
            "malformed_form: `(IF T 1 2)` is not a place that `setf` could store into");
  EXPECT_EQ(error("(incf)"), "malformed_form: `INCF` expects a place and perhaps a number");
  EXPECT_EQ(error("(push 1)"), "malformed_form: malformed `PUSH`");
  EXPECT_EQ(error("(let ((l (list 1))) (setf (nth 3 l) 1))"),
            "index_out_of_range: index 3 is out of range; expected 0 to 0");
  EXPECT_EQ(error("(setf (aref (vector 1 2) 2) 1)"),
            "index_out_of_range: index 2 is out of range; expected 0 to 1");
}

TEST_F(SetfTest, SpecialVariablesAndClosures) {
  EXPECT_EQ(run("(defvar *count* 0) (let ((*count* 5)) (incf *count*) (setf *count* (+ *count* 1))"
                "  *count*)"),
            "7");
  EXPECT_EQ(run("*count*"), "0");
  EXPECT_EQ(run("(let* ((n 0) (f (lambda () (incf n)))) (funcall f) (funcall f) n)"), "2");
}

TEST_F(SetfTest, InstancesAndHashTables) {
  EXPECT_EQ(run("(defclass box () ((items :initform nil :accessor items)))"
                "(let ((b (make-instance 'box)))"
                "  (push 1 (items b)) (push 2 (items b)) (pushnew 2 (items b))"
                "  (setf (cdr (items b)) '(9)) (incf (car (items b)) 10) (items b))"),
            "(12 9)");
  EXPECT_EQ(
      run("(let ((h (make-hash-table)))"
          "  (incf (gethash :a h 0)) (push 1 (gethash :l h)) (setf (getf (gethash :p h) :k) 5)"
          "  (list (gethash :a h) (gethash :l h) (gethash :p h)))"),
      "(1 (1) (:K 5))");
}

TEST_F(SetfTest, SetfFunctionsAsValues) {
  EXPECT_EQ(run("(let ((l (list 1 2))) (funcall #'(setf car) 5 l) (funcall #'(setf nth) 6 1 l) l)"),
            "(5 6)");
}

}  // namespace
}  // namespace caten::lisp
