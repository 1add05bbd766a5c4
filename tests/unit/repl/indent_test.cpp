// Where new lines start.
#include "frontend/repl/indent.h"

#include <gtest/gtest.h>

#include "frontend/repl/width.h"

namespace caten::repl {
namespace {

TEST(Indent, FollowsEmacs) {
  struct Case {
    const char* text;
    size_t column;
  };
  for (const Case& c : {
           Case{"(foo a", 5},        // under the first argument
           Case{"(foo", 1},          // under the operator
           Case{"(defun f (x)", 2},  // a body
           Case{"(defun f", 4},      // before the body
           Case{"(let ((a 1)", 6},   // in the bindings
           Case{"(let ((a 1))", 2},
           Case{"(when x", 2},
           Case{"(if x", 4},
           Case{"(cond ((a) b)", 6},
           Case{"(cond (a", 7},
           Case{"'(a b", 2},  // data
           Case{"(loop for x in y", 6},
           Case{"(flet ((f (x)", 9},  // a local function
           Case{"(defmethod forward ((op SinCos) &rest xs)", 2},
           Case{"(with-slots (a) b", 2},
           Case{"(a)\n(b c", 3},
           Case{"(a \"text\n  ( more", 0},  // in a string
           Case{"(foo\n a", 1},
           Case{"(with-context", 2},
           Case{"(alexandria:when-let ((a b))", 21},
       }) {
    EXPECT_EQ(indentation(c.text, 0), c.column) << c.text;
  }
}

TEST(Indent, CountsThePromptInTheFirstLineOnly) {
  EXPECT_EQ(indentation("(foo a", 8), 13U);
  EXPECT_EQ(indentation("(foo a\n             (bar b", 8), 18U);
}

TEST(Width, OfWideCharactersAndRows) {
  EXPECT_EQ(display_width("abc"), 3U);
  EXPECT_EQ(cell_behind(L"ab\ncd", 8, 80).row, 1U);
  EXPECT_EQ(cell_behind(L"ab\ncd", 8, 80).column, 2U);
  EXPECT_EQ(cell_behind(L"abcd", 8, 10).row, 1U) << "a full row goes on below";
  EXPECT_EQ(cell_behind(L"ab", 8, 10).row, 1U);
  EXPECT_EQ(cell_behind(L"ab", 8, 10).column, 0U);
}

}  // namespace
}  // namespace caten::repl
