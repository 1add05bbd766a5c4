// Random programs as the emitted C99 library: compiled by a C compiler of this machine, many
// programs at a time, loaded and run in a child process.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "codegen/pipeline.h"
#include "tests/fuzz/outcome.h"

namespace caten::fuzz {

/// `compiler` is gcc, clang, tinycc or gnu (gcc on the C of that target). One outcome per program;
/// what the compiler refuses or what crashes is an Outcome::error that says so.
std::vector<Outcome> run_emitted(const std::string& compiler,
                                 std::span<const testing::RandomProgram> programs,
                                 std::span<const codegen::Compilation> compilations);

}  // namespace caten::fuzz
