// Makes a failing program smaller: drops outputs, replaces nodes by inputs that hold their values,
// by one of their own operands or by zeros, for as long as it still fails.
#pragma once

#include <functional>

#include "tests/support/random_graph.h"

namespace caten::fuzz {

/// `fails` is called on many candidates; it must survive whatever they do (run them in a child).
testing::RandomProgram shrink(testing::RandomProgram program,
                              const std::function<bool(const testing::RandomProgram&)>& fails);

}  // namespace caten::fuzz
