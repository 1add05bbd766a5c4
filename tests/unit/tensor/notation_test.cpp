// The shape notation: what parses, and where each error points.
#include "frontend/tensor/notation.h"

#include <gtest/gtest.h>

#include "ir/support/diagnostics.h"

namespace caten::notation {
namespace {

/// The literal as the reader sees it: quotes at 10 and 11 + size.
Span literal(std::string_view text) {
  return {1, 10, static_cast<uint32_t>(12 + text.size())};
}

/// "message @ the text the span covers".
std::string error_of(std::string_view text) {
  try {
    parse(text, literal(text));
  } catch (const CompileError& error) {
    EXPECT_EQ(error.kind, Diag::ShapeNotation);
    const size_t begin = error.span.begin - 11;
    return error.message.substr(0, error.message.find(" in the shape notation")) + " @ " +
           std::string(text.substr(begin, error.span.end - error.span.begin));
  }
  return "no error";
}

TEST(Notation, Terms) {
  const Notation n = parse("A[~ i 3] bc_d[~HW] C[] -> A[~ I]", {});
  ASSERT_EQ(n.inputs.size(), 3U);
  ASSERT_EQ(n.outputs.size(), 1U);
  EXPECT_EQ(n.inputs[0].name, "a");
  EXPECT_EQ(n.inputs[0].spelling, "A");
  ASSERT_EQ(n.inputs[0].axes.size(), 3U);
  EXPECT_TRUE(n.inputs[0].axes[0].is_leading());
  EXPECT_EQ(n.inputs[0].axes[1].name, "i");
  EXPECT_EQ(n.inputs[0].axes[2].size, 3);
  EXPECT_EQ(n.inputs[1].name, "bc_d");
  EXPECT_EQ(n.inputs[1].axes[0].to_string(), "~hw");
  EXPECT_FALSE(n.inputs[1].axes[0].is_leading());
  EXPECT_TRUE(n.inputs[2].axes.empty());
  EXPECT_EQ(n.outputs[0].axes[1].name, "i");
}

TEST(Notation, SpacesAreFree) {
  const Notation n = parse("  A [ ~\ti ]B[j]->C[i j]\n", {});
  EXPECT_EQ(n.inputs.size(), 2U);
  EXPECT_EQ(n.outputs[0].axes.size(), 2U);
}

TEST(Notation, NoInputs) {
  EXPECT_TRUE(parse("-> A[3]", {}).inputs.empty());
}

TEST(Notation, NamesOfManyKinds) {
  const Notation n = parse("x-1[c_in h_ d1] -> λ[c_in]", {});
  EXPECT_EQ(n.inputs[0].name, "x-1");
  EXPECT_EQ(n.outputs[0].name, "λ");
}

TEST(Notation, SpansPointIntoTheString) {
  const std::string_view text = "A[~ i] -> B[i]";
  const Notation n = parse(text, literal(text));
  EXPECT_EQ(n.inputs[0].span, (Span{1, 11, 17}));
  EXPECT_EQ(n.inputs[0].axes[1].span, (Span{1, 15, 16}));
  EXPECT_EQ(n.outputs[0].span, (Span{1, 21, 25}));
}

TEST(Notation, EscapedLiteralKeepsTheWholeSpan) {
  const Notation n = parse("A[i] -> A[i]", {1, 10, 40});
  EXPECT_EQ(n.inputs[0].axes[0].span, (Span{1, 10, 40}));
}

TEST(Notation, Errors) {
  EXPECT_EQ(error_of("A[i]"), "`->` is missing @ A[i]");
  EXPECT_EQ(error_of("A[i] -> B[i] -> C[i]"), "a second `->` @ ->");
  EXPECT_EQ(error_of("A[i] ->"), "no output after `->` @ ->");
  EXPECT_EQ(error_of("A[i -> B[i]"), "the `[` of `A` is never closed @ [");
  EXPECT_EQ(error_of("A[i] -> B[i"), "the `[` of `B` is never closed @ [");
  EXPECT_EQ(error_of("A -> B[i]"), "expected `[` after the tensor name `A` @ A ");
  EXPECT_EQ(error_of("[i] -> B[i]"), "expected the name of a tensor @ [");
  EXPECT_EQ(error_of("3[i] -> B[i]"), "expected the name of a tensor @ 3");
  EXPECT_EQ(error_of("A[i ~] -> B[i]"), "`~` may only come first in the axes of `A` @ ~");
  EXPECT_EQ(error_of("A[~ ~] -> B[~]"), "`~` may only come first in the axes of `A` @ ~");
  EXPECT_EQ(error_of("A[-3] -> B[]"), "`-3` is not a size @ -3");
  EXPECT_EQ(error_of("A[3x] -> B[]"), "`3x` is not a size @ 3x");
  EXPECT_EQ(error_of("A[99999999999999999999] -> B[]"),
            "`99999999999999999999` is not a size @ 99999999999999999999");
  EXPECT_EQ(error_of("A[i,j] -> B[]"), "unexpected `,` among the axes of `A` @ ,");
  EXPECT_EQ(error_of("A[(+ i 1)] -> B[]"), "unexpected `(` among the axes of `A` @ (");
  EXPECT_EQ(error_of(""), "`->` is missing @ ");
}

TEST(Notation, TermsOfDefcall) {
  EXPECT_EQ(parse_terms("Tokens[Batch Seq] Start[]", {}).size(), 2U);
  EXPECT_THROW(parse_terms("A[i] -> B[i]", {}), CompileError);
}

}  // namespace
}  // namespace caten::notation
