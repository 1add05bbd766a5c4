// Types: messages, and kinds of objects that SBCL does not have.
#include "tests/unit/lisp/language_fixture.h"

namespace caten::lisp {
namespace {

class TypesTest : public LanguageTest {};

TEST_F(TypesTest, UnknownTypes) {
  EXPECT_EQ(error("(typep 1 'intger)"),
            "unknown_type: `INTGER` is not a type; did you mean `INTEGER`?");
  EXPECT_EQ(error("(typep 1 '(frob 1))"), "unknown_type: `(FROB 1)` is not a type");
  EXPECT_EQ(error("(typep 1 5)"), "unknown_type: `5` is not a type");
  EXPECT_EQ(error("(deftype integer () t)"),
            "locked_name: `integer` is part of Common Lisp and cannot be redefined");
}

TEST_F(TypesTest, TypesThatExpandWithoutEnd) {
  EXPECT_EQ(error("(deftype endless () 'endless) (typep 1 'endless)"),
            "unknown_type: the expansion of type `ENDLESS` does not end");
  EXPECT_NE(error("(deftype deeper () '(or null deeper)) (typep 1 'deeper)").find("stack"),
            std::string::npos);
}

TEST_F(TypesTest, Coercions) {
  EXPECT_EQ(
      error("(coerce 'abc 'integer)"),
      "wrong_type: the object to coerce is ABC; expected something that can become a INTEGER");
  EXPECT_EQ(error("(coerce '(1 2) 'string)"),
            "wrong_type: element of the string is 1; expected a character");
  EXPECT_EQ(run("(list (coerce 3 'single-float) (coerce 1/4 'double-float))"), "(3.0 0.25d0)");
}

TEST_F(TypesTest, LargeIntegersAreFixnums) {
  EXPECT_EQ(run("(list (typep most-positive-fixnum 'fixnum) (typep 4611686018427387904 'integer)"
                " (typep 4611686018427387904 '(signed-byte 64)) (typep -1 '(unsigned-byte 64)))"),
            "(T T T NIL)");
}

}  // namespace
}  // namespace caten::lisp
