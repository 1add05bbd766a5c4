// Compiles with a subprocess in a temporary directory; calls through generated wrappers.
#include "tests/support/c_compiler.h"

#include <dlfcn.h>
#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "codegen/lowered_module.h"

namespace caten::testing {
namespace {

using Wrapper = int (*)(const int64_t* sizes, void* const* inputs, void* const* outputs,
                        void* const* params, void* state, void* scratch);

constexpr size_t kAlignment = 64;
constexpr size_t kGuardBytes = 64;
constexpr std::byte kGuard{0xa5};

/// A directory that is removed again.
class Directory {
 public:
  Directory() {
    std::string pattern = std::filesystem::temp_directory_path() / "catenc-XXXXXX";
    if (mkdtemp(pattern.data()) == nullptr) {
      throw std::runtime_error("no temporary directory");
    }
    path_ = pattern;
  }
  ~Directory() { std::filesystem::remove_all(path_); }
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  std::string text() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

void write_file(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path) << text;
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string strict_flags(const CCompiler& compiler) {
  return compiler.name == "tcc" ? "-std=c99 -Wall -Werror"
         : compiler.target == codegen::Target::Gnu
             ? "-std=gnu99 -Wall -Wextra -Werror -fopenmp " + compiler.flags
             : "-std=c99 -Wall -Wextra -Wpedantic -Wconversion -Werror " + compiler.flags;
}

/// Runs a command; what it printed when it failed, else "".
std::string failure_of(const std::string& command, const Directory& directory) {
  const std::string log = directory / "log";
  if (std::system((command + " > " + log + " 2>&1").c_str()) == 0) {
    return "";
  }
  const std::string text = read_file(log);
  return text.empty() ? "failed: " + command : text;
}

int64_t value_of(const runtime::SizeExpr& expr, std::span<const int64_t> sizes) {
  return expr.evaluate(sizes).value();
}

std::vector<int64_t> shape_of(const runtime::Buffer& buffer, std::span<const int64_t> sizes) {
  std::vector<int64_t> shape;
  for (const runtime::SizeExpr& size : buffer.shape) {
    shape.push_back(value_of(size, sizes));
  }
  return shape;
}

size_t rounded(size_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

std::vector<std::byte> guarded(size_t bytes) {
  return std::vector<std::byte>(bytes + kGuardBytes, kGuard);
}

void check_guard(const std::vector<std::byte>& memory, const std::string& name) {
  for (size_t i = memory.size() - kGuardBytes; i < memory.size(); ++i) {
    if (memory[i] != kGuard) {
      throw std::runtime_error(name + " was written past its end");
    }
  }
}

}  // namespace

struct CLibrary::Entry {
  const codegen::Compilation* compilation = nullptr;
  runtime::SizeExpr scratch_bytes{};
  std::vector<int> params;
  std::vector<int> state;
  Wrapper wrapper = nullptr;
};

bool has_compiler(const std::string& name) {
  return std::system(("command -v " + name + " > /dev/null 2>&1").c_str()) == 0;
}

std::string compile_errors(const codegen::LibraryText& library, const CCompiler& compiler) {
  const Directory directory;
  write_file(directory / "kernels.c", library.source);
  write_file(directory / "kernels.h", library.header);
  return failure_of(fmt::format("{} {} -c {}/kernels.c -o {}/kernels.o", compiler.name,
                                strict_flags(compiler), directory.text(), directory.text()),
                    directory);
}

CLibrary::CLibrary(const std::vector<const codegen::Compilation*>& compilations,
                   const CCompiler& compiler) {
  const SourceMap sources;
  std::vector<codegen::LibraryEntry> entries;
  std::string wrappers = "#include \"kernels.h\"\n";
  for (size_t i = 0; i < compilations.size(); ++i) {
    codegen::LibraryEntry entry;
    entry.c_name = fmt::format("entry{}", i);
    entry.lisp_name = entry.c_name;
    entry.compilation = compilations[i];
    entries.push_back(entry);

    const runtime::Program& program = compilations[i]->program;
    Entry own;
    own.compilation = compilations[i];
    // Other loops than in memory, so other temporaries.
    own.scratch_bytes = codegen::lower_c99(*compilations[i], compiler.target).program.arena_bytes;
    for (size_t b = 0; b < program.buffers.size(); ++b) {
      if (program.buffers[b].kind == runtime::BufferKind::Param) {
        (program.buffers[b].written ? own.state : own.params).push_back(static_cast<int>(b));
      }
    }
    std::string arguments;
    const auto add = [&](const std::string& text) {
      arguments += (arguments.empty() ? "" : ", ") + text;
    };
    for (size_t k = 0; k < program.symbols.size(); ++k) {
      add(fmt::format("sizes[{}]", k));
    }
    for (size_t k = 0; k < program.inputs.size(); ++k) {
      add(fmt::format("inputs[{}]", k));
    }
    for (size_t k = 0; k < program.outputs.size(); ++k) {
      add(fmt::format("outputs[{}]", k));
    }
    std::string body;
    if (!own.params.empty()) {
      body += fmt::format("  {}_params p = {{", entry.c_name);
      for (size_t k = 0; k < own.params.size(); ++k) {
        body += fmt::format("{}params[{}]", k == 0 ? "" : ", ", k);
      }
      body += "};\n";
      add("&p");
    }
    if (!own.state.empty()) {
      add("state");
    }
    if (own.scratch_bytes != runtime::SizeExpr::number(0)) {
      add("scratch");
    }
    wrappers += fmt::format(
        "int call_{0}(const int64_t *sizes, void *const *inputs, void *const *outputs, void *const "
        "*params, void *state, void *scratch) {{\n  (void)sizes; (void)inputs; (void)outputs; "
        "(void)params; (void)state; (void)scratch;\n{1}  return {2}({3});\n}}\n",
        i, body, entry.c_name, arguments);
    entries_.push_back(std::move(own));
  }
  text_ = codegen::emit_library(entries, "kernels", sources, {.target = compiler.target});

  const Directory directory;
  write_file(directory / "kernels.c", text_.source);
  write_file(directory / "kernels.h", text_.header);
  write_file(directory / "calls.c", wrappers);
  const std::string at = directory.text();
  for (const std::string& command :
       {fmt::format("{} {} -fPIC -c {}/kernels.c -o {}/kernels.o", compiler.name,
                    strict_flags(compiler), at, at),
        fmt::format("{} -std=c99 -fPIC -shared -I{} {}/calls.c {}/kernels.o -lm{} -o {}/library.so",
                    compiler.name, at, at, at,
                    compiler.target == codegen::Target::Gnu ? " -fopenmp" : "", at)}) {
    if (const std::string error = failure_of(command, directory); !error.empty()) {
      throw std::runtime_error(error);
    }
  }
  // OpenMP's threads stay in its library, which therefore stays.
  const int keep = compiler.target == codegen::Target::Gnu ? RTLD_NODELETE : 0;
  handle_ = dlopen((at + "/library.so").c_str(), RTLD_NOW | RTLD_LOCAL | keep);
  if (handle_ == nullptr) {
    throw std::runtime_error(dlerror());
  }
  for (size_t i = 0; i < entries_.size(); ++i) {
    void* symbol = dlsym(handle_, fmt::format("call_{}", i).c_str());
    entries_[i].wrapper = reinterpret_cast<Wrapper>(symbol);
  }
}

CLibrary::~CLibrary() {
  if (handle_ != nullptr) {
    dlclose(handle_);
  }
}

std::vector<air::Array> CLibrary::run(size_t number, air::Environment& env) const {
  const Entry& entry = entries_[number];
  const runtime::Program& program = entry.compilation->program;
  std::vector<int64_t> sizes;
  for (const std::string& symbol : program.symbols) {
    sizes.push_back(env.symbols.at(symbol));
  }
  const auto buffer = [&](int index) -> const runtime::Buffer& {
    return program.buffers[static_cast<size_t>(index)];
  };
  std::vector<void*> inputs;
  for (int input : program.inputs) {
    inputs.push_back(env.inputs.at(buffer(input).name).data.data());
  }
  std::vector<void*> params;
  for (int param : entry.params) {
    params.push_back(env.params.at(buffer(param).storage).data.data());
  }
  size_t state_bytes = 0;
  for (int index : entry.state) {
    state_bytes = rounded(state_bytes + env.params.at(buffer(index).storage).data.size());
  }
  std::vector<std::byte> state = guarded(state_bytes);
  size_t offset = 0;
  for (int index : entry.state) {
    const air::Array& array = env.params.at(buffer(index).storage);
    std::copy_n(array.data.data(), array.data.size(), state.data() + offset);
    offset = rounded(offset + array.data.size());
  }
  std::vector<std::byte> scratch =
      guarded(static_cast<size_t>(value_of(entry.scratch_bytes, sizes)));
  std::vector<std::vector<std::byte>> memory;
  std::vector<void*> outputs;
  for (int output : program.outputs) {
    const air::Array array =
        air::Array::zeros(buffer(output).dtype, shape_of(buffer(output), sizes));
    memory.push_back(guarded(array.data.size()));
  }
  for (std::vector<std::byte>& m : memory) {
    outputs.push_back(m.data());
  }
  const int status = entry.wrapper(sizes.data(), inputs.data(), outputs.data(), params.data(),
                                   state.data(), scratch.data());
  if (status != 0) {
    throw std::runtime_error(fmt::format("status {}", status));
  }
  check_guard(state, "state");
  check_guard(scratch, "scratch");
  offset = 0;
  for (int index : entry.state) {
    air::Array& array = env.params.at(buffer(index).storage);
    std::copy_n(state.data() + offset, array.data.size(), array.data.data());
    offset = rounded(offset + array.data.size());
  }
  std::vector<air::Array> result;
  for (size_t i = 0; i < memory.size(); ++i) {
    check_guard(memory[i], "an output");
    air::Array array = air::Array::zeros(buffer(program.outputs[i]).dtype,
                                         shape_of(buffer(program.outputs[i]), sizes));
    std::copy_n(memory[i].data(), array.data.size(), array.data.data());
    result.push_back(std::move(array));
  }
  return result;
}

}  // namespace caten::testing
