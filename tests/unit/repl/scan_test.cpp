// Whether a text is finished, and which parenthesis belongs to which.
#include "frontend/reader/scan.h"

#include <gtest/gtest.h>

namespace caten::lisp {
namespace {

TEST(Scan, KnowsFinishedForms) {
  for (const char* text : {"",
                           "  ; only a comment",
                           "(+ 1 2)",
                           "a b (c)",
                           "\"a ) string\"",
                           "#\\(",
                           "#\\)",
                           "#\\;",
                           "(list #\\( #\\\" 1)",
                           "#| a ( comment |# 1",
                           "#| #| nested |# |# 1",
                           "|a ( symbol|",
                           "'(a . b)",
                           "#(1 2)",
                           "#'car",
                           "`(a ,b ,@c)",
                           "#+sbcl (nothing) 1",
                           "\"a \\\" quote\"",
                           "#2A((1 2) (3 4))",
                           "#!/usr/bin/env catenc (\n1"}) {
    EXPECT_TRUE(scan(text).complete()) << text;
  }
}

TEST(Scan, KnowsUnfinishedForms) {
  for (const char* text :
       {"(", "(a (b)", "\"open", "(a \"b) c", "#| open", "#| #| |#", "|open", "'", "#'", "`(a ,",
        "#+sbcl", "(a #\\)", "#(1 2", "(a ; b)", "(a\\)", "#2A"}) {
    EXPECT_FALSE(scan(text).complete()) << text;
  }
}

TEST(Scan, CountsDataAndSeesExtraParentheses) {
  EXPECT_EQ(scan("a 'b (c d) \"e\"").data, 4U);
  EXPECT_TRUE(scan("(a))").extra_close);
  EXPECT_FALSE(scan("(a)").extra_close);
  EXPECT_EQ(scan("#+sbcl a b").data, 2U) << "a guarded datum and a free one";
}

TEST(Scan, FindsTheOpenParenthesesAndWhatIsInThem) {
  const Scan result = scan("(defun f (x y");
  ASSERT_EQ(result.open.size(), 2U);
  EXPECT_EQ(result.open[0].paren, 0U);
  EXPECT_EQ(result.open[0].count, 2U) << "the parameter list is not finished";
  EXPECT_TRUE(result.open[0].first_is_token);
  EXPECT_EQ(result.open[1].paren, 9U);
  EXPECT_EQ(result.token_begin, 12U);
}

TEST(Scan, FindsThePartner) {
  EXPECT_EQ(matching_paren("(a (b) c)", 8), 0U);
  EXPECT_EQ(matching_paren("(a (b) c)", 5), 3U);
  EXPECT_EQ(matching_paren("(a #(b) c)", 6), 4U);
  EXPECT_EQ(matching_paren("(a \")\" b)", 8), 0U) << "the one in the string is none";
  EXPECT_EQ(matching_paren("(a #\\) b)", 8), 0U);
  EXPECT_EQ(matching_paren("a)", 1), std::nullopt);
}

}  // namespace
}  // namespace caten::lisp
