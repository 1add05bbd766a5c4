// Conditions made from errors of C++ code, and errors made from conditions.
#include "tests/unit/lisp/language_fixture.h"

namespace caten::lisp {
namespace {

class ConditionsTest : public LanguageTest {};

TEST_F(ConditionsTest, UncaughtConditionsKeepReportAndPlace) {
  EXPECT_EQ(error("(progn (error \"bad ~a\" 5))"), "lisp_error: bad 5");
  EXPECT_EQ(culprit(), "(error \"bad ~a\" 5)");
  run("(define-condition lost (error) ((what :initarg :what))"
      "  (:report (lambda (c s) (format s \"lost ~a\" (slot-value c 'what)))))");
  EXPECT_EQ(error("(error 'lost :what 'keys)"), "lisp_error: lost KEYS");
  EXPECT_EQ(error("(error 'type-error :datum 1 :expected-type 'string)"),
            "wrong_type: the value 1 is not of type STRING");
}

TEST_F(ConditionsTest, EveryKindHasAClass) {
  EXPECT_EQ(run("(every (lambda (name) (subtypep name 'error))"
                " '(caten::shape-mismatch caten::bad-axis caten::wrong-dtype caten::unsupported"
                "   no-applicable-method caten::bad-reshape))"),
            "T");
}

TEST_F(ConditionsTest, MessagesOfBuiltinsAreReports) {
  EXPECT_EQ(run("(handler-case (car 5) (type-error (c) (princ-to-string c)))"),
            "\"the argument of `car` is 5; expected a list\"");
  EXPECT_EQ(run("(handler-case (undefined-thing) (undefined-function (c) (princ-to-string c)))"),
            "\"function `undefined-thing` is not defined\"");
}

TEST_F(ConditionsTest, AnErrorSignalledAgainKeepsItsPlace) {
  error("(handler-case (car 5) (error (c) (error c)))");
  EXPECT_EQ(culprit(), "(car 5)");
}

TEST_F(ConditionsTest, WarningsGoToErrorOutput) {
  EXPECT_EQ(run("(with-output-to-string (*error-output*) (warn \"careful ~a\" 1))"),
            "\"WARNING: careful 1\n\"");
}

TEST_F(ConditionsTest, FailedChecksSayWhat) {
  EXPECT_EQ(error("(let ((x 1)) (assert (= x 2)))"),
            "assertion_failed: the assertion (= X 2) failed");
  EXPECT_EQ(error("(let ((x 1)) (check-type x string))"),
            "wrong_type: the value of `X` is `1`; expected of type `STRING`");
  EXPECT_EQ(error("(error 'no-such-condition)"),
            "undefined_class: there is no class named `NO-SUCH-CONDITION`");
  EXPECT_EQ(error("(invoke-restart 'gone)"), "control_error: restart GONE is not active");
  EXPECT_EQ(error("(handler-case 1 (error (a b) 2))"),
            "malformed_form: `handler-case` expects (type ([variable]) body...) clauses");
}

TEST_F(ConditionsTest, DeepNestingOfHandlers) {
  EXPECT_EQ(run("(defun nest (n) (if (= n 0) (error \"deep\")"
                "  (handler-case (nest (1- n)) (type-error () :wrong))))"
                "(handler-case (nest 1000) (simple-error () :found))"),
            ":FOUND");
  EXPECT_EQ(
      run("(let ((n 0)) (dotimes (i 20000) (handler-case (error \"x\") (error () (incf n)))) n)"),
      "20000");
}

TEST_F(ConditionsTest, ErrorsInsideHandlersAndReports) {
  EXPECT_EQ(error("(define-condition odd (error) () (:report (lambda (c s) (car 7))))"
                  "(error 'odd)"),
            "wrong_type: the argument of `car` is 7; expected a list");
  EXPECT_EQ(error("(handler-bind ((error (lambda (c) (car 8)))) (error \"first\"))"),
            "wrong_type: the argument of `car` is 8; expected a list");
}

}  // namespace
}  // namespace caten::lisp
