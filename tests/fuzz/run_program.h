// Runs a random program on one of the backends of this process.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "codegen/pipeline.h"
#include "runtime/executor.h"
#include "tests/fuzz/outcome.h"

namespace caten::fuzz {

runtime::StoragePtr to_storage(const air::Array& array);
air::Array to_array(const runtime::Storage& storage);

/// Compiles with every pass verified; with `decisions` fusion, loop orders and tile sizes are drawn
/// from the seed of the program. Exceptions of the compiler come out.
codegen::Compilation compile(const testing::RandomProgram& program, bool decisions = false);

/// Runs twice, with all memory that holds nothing filled with NaN; a RuntimeError becomes
/// Outcome::error.
Outcome run(const codegen::Compilation& compilation,
            std::shared_ptr<const runtime::Executable> executable,
            const testing::RandomProgram& program);

}  // namespace caten::fuzz
