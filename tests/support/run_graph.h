// Runs compiled graphs in tests: buffers and arena by hand, without the executor.
#pragma once

#include <vector>

#include "codegen/pipeline.h"
#include "ir/air/evaluate.h"

namespace caten::testing {

/// Runs a loaded compilation on the inputs, params and symbols of `env`; updates env.params. Checks
/// that nothing is written past the end of a buffer. Between kernels all of the arena that holds
/// nothing is NaN.
std::vector<air::Array> run(const codegen::Compilation& compilation,
                            const runtime::Executable& executable, air::Environment& env);

}  // namespace caten::testing
