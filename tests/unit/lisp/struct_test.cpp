// Structures: messages, redefinition, and use in tables.
#include "tests/unit/lisp/language_fixture.h"

namespace caten::lisp {
namespace {

class StructTest : public LanguageTest {};

TEST_F(StructTest, Mistakes) {
  run("(defstruct point (x 0 :type integer) (y 0 :read-only t))");
  EXPECT_EQ(error("(point-x 5)"),
            "wrong_type: the argument of `POINT-X` is `5`; expected a structure `POINT`");
  EXPECT_EQ(error("(make-point :x 'a)"),
            "wrong_type: slot `X` of structure `POINT` is `A`; expected `INTEGER`");
  EXPECT_EQ(error("(setf (point-x (make-point)) 1.5)"),
            "wrong_type: slot `X` of structure `POINT` is `1.5`; expected `INTEGER`");
  EXPECT_NE(error("(setf (point-y (make-point)) 1)").find("undefined_function"), std::string::npos);
  EXPECT_EQ(error("(defstruct point x x)"), "malformed_form: slot `X` is defined twice");
  EXPECT_EQ(error("(defstruct (point (:bad 1)) x)"),
            "malformed_form: `defstruct` has no option :BAD");
  EXPECT_EQ(error("(defstruct (q (:include no-such)) x)"),
            "undefined_class: there is no class named `NO-SUCH`");
}

TEST_F(StructTest, Redefinition) {
  EXPECT_EQ(run("(defstruct thing a) (defparameter *old* (make-thing :a 1))"
                "(defstruct thing a (b 5)) (list (thing-a *old*) (thing-b *old*)"
                " (thing-b (make-thing)))"),
            "(1 5 5)");
}

TEST_F(StructTest, EqualityAndHashing) {
  EXPECT_EQ(run("(defstruct pair a b)"
                "(let ((h (make-hash-table :test 'equalp)))"
                "  (setf (gethash (make-pair :a 1 :b \"X\") h) :found)"
                "  (list (gethash (make-pair :a 1.0 :b \"x\") h)"
                "        (gethash (make-pair :a 2 :b \"x\") h)"
                "        (equal (make-pair) (make-pair))))"),
            "(:FOUND NIL NIL)");
}

TEST_F(StructTest, PrintsNestedStructures) {
  EXPECT_EQ(run("(defstruct (tree (:copier nil)) value left right)"
                "(make-tree :value 1 :left (make-tree :value \"x\"))"),
            "#S(TREE :VALUE 1 :LEFT #S(TREE :VALUE \"x\" :LEFT NIL :RIGHT NIL) :RIGHT NIL)");
}

}  // namespace
}  // namespace caten::lisp
