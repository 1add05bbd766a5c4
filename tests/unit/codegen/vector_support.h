// What tests of vector programs share.
#pragma once

#include <fmt/core.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "codegen/vector/assemble.h"
#include "ir/support/isa.h"
#include "runtime/code_memory.h"

namespace caten::vector {

/// Machine code that can be called.
class Routine {
 public:
  explicit Routine(const std::vector<uint8_t>& code) : memory_(code.size()) {
    std::memcpy(memory_.address(), code.data(), code.size());
    memory_.make_executable();
  }
  void operator()(const void* const* pointers, int64_t n) const {
    using Function = void (*)(const void* const*, int64_t);
    reinterpret_cast<Function>(memory_.address())(pointers, n);
  }

 private:
  runtime::CodeMemory memory_;
};

inline std::string disassembled(const std::vector<uint8_t>& code) {
  const std::string path = (std::filesystem::temp_directory_path() /
                            fmt::format("vector_test_{}.bin", static_cast<int>(getpid())))
                               .string();
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(code.data()), static_cast<std::streamsize>(code.size()));
  const std::string command = "objdump -D -b binary -m i386:x86-64 --no-show-raw-insn " + path;
  std::string out;
  FILE* pipe = popen(command.c_str(), "r");
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) {
    out += static_cast<char>(c);
  }
  pclose(pipe);
  std::filesystem::remove(path);
  return out;
}

inline uint32_t stream(Builder& b, DType dtype = DType::Float32) {
  return b.pointer(Role::Stream, dtype);
}

}  // namespace caten::vector
