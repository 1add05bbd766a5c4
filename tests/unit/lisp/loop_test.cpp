// LOOP: messages for malformed loops, and loops that run long.
#include "tests/unit/lisp/language_fixture.h"

namespace caten::lisp {
namespace {

class LoopTest : public LanguageTest {};

TEST_F(LoopTest, MalformedLoops) {
  EXPECT_EQ(error("(loop for x)"), "malformed_form: `loop`: the clause ends after its variable");
  EXPECT_EQ(error("(loop for x in)"),
            "malformed_form: `loop`: the loop ends where a list is expected");
  EXPECT_EQ(error("(loop for x in '(1) colect x)"),
            "malformed_form: `loop`: unknown clause, at `COLECT`");
  EXPECT_EQ(error("(loop for x within '(1) do (print x))"),
            "malformed_form: `loop`: expected in, on, across, =, being, from, to, below or another "
            "preposition, at `WITHIN`");
  EXPECT_EQ(
      error("(loop for x in '(1) collect x sum x)"),
      "malformed_form: `loop`: two kinds of accumulation go into one result; name them with into");
  EXPECT_EQ(error("(loop for i downto 3 collect i)"),
            "malformed_form: `loop`: downto and above need a start: add from, at `COLLECT`");
  EXPECT_EQ(error("(loop for x in '(1) do)"), "malformed_form: `loop`: expected a compound form");
  EXPECT_EQ(error("(loop for 5 in '(1) do (print 1))"),
            "malformed_form: `loop`: `5` is not a variable");
}

TEST_F(LoopTest, LongLoops) {
  EXPECT_EQ(run("(loop for i from 1 to 1000000 sum i)"), "500000500000");
  EXPECT_EQ(run("(length (loop for i below 300000 collect (list i)))"), "300000");
  EXPECT_EQ(run("(loop for x across (make-array 100000 :initial-element 2) sum x)"), "200000");
}

TEST_F(LoopTest, OverPackagesAndTables) {
  EXPECT_EQ(run("(and (member 'car (loop for s being the external-symbols of :cl collect s)) t)"),
            "T");
  EXPECT_EQ(run("(let ((h (make-hash-table)))"
                "  (dotimes (i 5) (setf (gethash i h) (* i i)))"
                "  (remhash 2 h)"
                "  (loop for k being the hash-keys of h using (hash-value v) collect (list k v)))"),
            "((0 0) (1 1) (3 9) (4 16))");
  EXPECT_EQ(run("(let ((h (make-hash-table)))"
                "  (dotimes (i 100) (setf (gethash i h) i))"
                "  (loop for k being the hash-keys of h do (remhash k h))"
                "  (hash-table-count h))"),
            "0");
}

}  // namespace
}  // namespace caten::lisp
