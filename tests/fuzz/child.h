// Running what may crash.
#pragma once

#include <cstdint>
#include <functional>

namespace caten::fuzz {

/// Runs `body` in a child process. Its result (0 to 100), or 101 when it died by a signal or an
/// uncaught exception, or took longer than `seconds`.
int in_child(const std::function<int()>& body, unsigned seconds = 60);

/// A crash of this process from now on prints the seed of the program being run.
void name_program_on_crash();
void note_program(uint64_t seed);

}  // namespace caten::fuzz
