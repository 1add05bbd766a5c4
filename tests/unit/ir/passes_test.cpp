// Passes as text: AIR in, AIR out. Every case is also checked to be a fixed point.
#include "ir/passes/passes.h"

#include <gtest/gtest.h>

#include "ir/air/air.h"

namespace caten::air {
namespace {

struct Case {
  const char* name;
  const char* before;
  const char* after;
};

std::string simplified(const Graph& graph) {
  const Graph out = dead_code(simplify(canonicalize(graph)));
  verify(out);
  return print(out);
}

const Case kCases[] = {
    {"IdentitiesOfIntegers", R"(
%0 = (input int32 (n) x)
%1 = (const int32 (n) 0)
%2 = (add int32 (n) %1 %0)
%3 = (const int32 (n) 1)
%4 = (mul int32 (n) %2 %3)
%5 = (sub int32 (n) %4 %0)
%6 = (const int32 (n) 7)
%7 = (add int32 (n) %5 %6)
(inputs %0)
(outputs (y %7))
)",
     R"(%0 = (input int32 (n) x)
%1 = (const int32 (n) 7)
(inputs %0)
(outputs (y %1))
)"},
    {"FloatsKeepSignedZeroInfAndNan", R"(
%0 = (input float32 (3) x)
%1 = (const float32 (3) 0.0)
%2 = (add float32 (3) %0 %1)
%3 = (mul float32 (3) %2 %1)
%4 = (sub float32 (3) %3 %3)
%5 = (div float32 (3) %4 %4)
(inputs %0)
(outputs (y %5))
)",
     R"(%0 = (input float32 (3) x)
%1 = (const float32 (3) 0.0)
%2 = (add float32 (3) %0 %1)
%3 = (mul float32 (3) %2 %1)
%4 = (sub float32 (3) %3 %3)
%5 = (div float32 (3) %4 %4)
(inputs %0)
(outputs (y %5))
)"},
    {"ConstantsFoldAndGoRight", R"(
%0 = (input int8 (2) x)
%1 = (const int8 (2) 100)
%2 = (add int8 (2) %1 %1)
%3 = (add int8 (2) %2 %0)
%4 = (sub int8 (2) %3 %1)
(inputs %0)
(outputs (y %4))
)",
     R"(%0 = (input int8 (2) x)
%1 = (const int8 (2) 100)
%2 = (add int8 (2) %0 %1)
(inputs %0)
(outputs (y %2))
)"},
    {"MovementPairsCancel", R"(
%0 = (input float32 (2 3 n) x)
%1 = (permute float32 (n 2 3) %0 (2 0 1))
%2 = (permute float32 (2 3 n) %1 (1 2 0))
%3 = (reshape float32 ((* 6 n)) %2)
%4 = (reshape float32 (2 3 n) %3)
%5 = (slice float32 (2 3 n) %4 ((0 2 1) (2 3 -1) (0 n 1)))
%6 = (slice float32 (2 3 n) %5 ((0 2 1) (2 3 -1) (0 n 1)))
(inputs %0)
(outputs (y %6))
)",
     R"(%0 = (input float32 (2 3 n) x)
(inputs %0)
(outputs (y %0))
)"},
    {"SliceInsidePaddingReadsNoPadding", R"(
%0 = (input float32 (4) x)
%1 = (pad float32 (8) %0 ((2 2)) 0.0)
%2 = (slice float32 (3) %1 ((3 3 1)))
%3 = (slice float32 (4) %1 ((1 4 1)))
(inputs %0)
(outputs (inside %2) (outside %3))
)",
     R"(%0 = (input float32 (4) x)
%1 = (pad float32 (8) %0 ((2 2)) 0.0)
%2 = (slice float32 (3) %0 ((1 3 1)))
%3 = (slice float32 (4) %1 ((1 4 1)))
(inputs %0)
(outputs (inside %2) (outside %3))
)"},
    {"ReductionsMergeAndSkipUnitAxes", R"(
%0 = (input float32 (2 1 n) x)
%1 = (reduce float32 (1 1 n) %0 add (0 1))
%2 = (reduce float32 (1 1 1) %1 add (2))
%3 = (reduce float32 (2 1 n) %0 max (1))
(inputs %0)
(outputs (sum %2) (same %3))
)",
     R"(%0 = (input float32 (2 1 n) x)
%1 = (reduce float32 (1 1 1) %0 add (0 2))
(inputs %0)
(outputs (sum %1) (same %0))
)"},
    {"ExactCastsVanishInexactOnesStay", R"(
%0 = (input int8 (n) x)
%1 = (cast float32 (n) %0)
%2 = (cast int8 (n) %1)
%3 = (cast bool (n) %0)
%4 = (cast int8 (n) %3)
(inputs %0)
(outputs (a %2) (b %4))
)",
     R"(%0 = (input int8 (n) x)
%1 = (cast bool (n) %0)
%2 = (cast int8 (n) %1)
(inputs %0)
(outputs (a %0) (b %2))
)"},
    {"DeadNodesGoEffectsAndInputsStay", R"(
%0 = (input float32 (2) unused)
%1 = (param float32 (2) p 0)
%2 = (const float32 (2) 3.0)
%3 = (neg float32 (2) %1)
%4 = (assign float32 (2) %1 %2 ((0 2 1)))
%5 = (sin float32 (2) %3)
(inputs %0)
(outputs (y %1))
)",
     R"(%0 = (input float32 (2) unused)
%1 = (param float32 (2) p 0)
%2 = (const float32 (2) 3.0)
%3 = (assign float32 (2) %1 %2 ((0 2 1)))
(inputs %0)
(outputs (y %1))
)"},
    {"DivisionByPowersOfTwoOnly", R"(
%0 = (input float32 (n) x)
%1 = (const float32 (n) 8.0)
%2 = (div float32 (n) %0 %1)
%3 = (const float32 (n) 3.0)
%4 = (div float32 (n) %0 %3)
(inputs %0)
(outputs (a %2) (b %4))
)",
     R"(%0 = (input float32 (n) x)
%1 = (const float32 (n) 0.125)
%2 = (mul float32 (n) %0 %1)
%3 = (const float32 (n) 3.0)
%4 = (div float32 (n) %0 %3)
(inputs %0)
(outputs (a %2) (b %4))
)"},
};

class Simplify : public testing::TestWithParam<Case> {};

TEST_P(Simplify, GivesTheExpectedText) {
  const Graph before = parse(GetParam().before, 1);
  verify(before);
  const std::string once = simplified(before);
  EXPECT_EQ(once, GetParam().after);
  EXPECT_EQ(simplified(parse(once, 1)), once) << "not a fixed point";
}

INSTANTIATE_TEST_SUITE_P(Passes, Simplify, testing::ValuesIn(kCases),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(Passes, DeepGraphsNeedNoStack) {
  std::string text = "%0 = (input float32 (2) x)\n";
  constexpr int kDepth = 50000;
  for (int i = 1; i <= kDepth; ++i) {
    text += "%" + std::to_string(i) + " = (" + (i % 2 == 0 ? "exp" : "neg") + " float32 (2) %" +
            std::to_string(i - 1) + ")\n";
  }
  text += "(inputs %0) (outputs (y %" + std::to_string(kDepth) + "))";
  const Graph graph = parse(text, 1);
  EXPECT_EQ(dead_code(simplify(graph)).size(), static_cast<uint32_t>(kDepth + 1));
}

TEST(Passes, SharedDoublingStaysShared) {
  std::string text = "%0 = (input int32 (2) x)\n";
  for (int i = 1; i <= 64; ++i) {
    const std::string previous = std::to_string(i - 1);
    text += "%" + std::to_string(i) + " = (add int32 (2) %" + previous + " %" + previous + ")\n";
  }
  text += "(inputs %0) (outputs (y %64))";
  EXPECT_EQ(simplify(parse(text, 1)).size(), 65U);
}

}  // namespace
}  // namespace caten::air
