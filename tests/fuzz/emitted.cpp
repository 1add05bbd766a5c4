// A batch becomes one kernels.c and one file of wrappers with a uniform signature, compiled into a
// shared object. The child writes results into memory shared with this process, each followed by
// bytes that have to stay as they are.
#include "tests/fuzz/emitted.h"

#include <dlfcn.h>
#include <fmt/core.h>
#include <sys/mman.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>

#include "codegen/lowered_module.h"
#include "ir/support/check.h"
#include "runtime/buffer.h"
#include "tests/fuzz/child.h"

namespace caten::fuzz {
namespace {

using runtime::BufferKind;
using runtime::Program;
using testing::RandomProgram;

const std::map<std::string, std::string>& commands() {
  // -fno-builtin: constant calls of libm functions are not folded to other bits than libm gives.
  // -mno-red-zone: see runtime/native_backend.cpp.
  std::string optimised = " -O2 -march=native -fno-builtin";
#ifdef __x86_64__
  optimised += " -mno-red-zone";
#endif
  const std::string strict = " -std=c99 -Wall -Wextra -Wpedantic -Wconversion -Werror";
  static const std::map<std::string, std::string> table = {
      {"gcc", "gcc" + strict + optimised},
      {"clang", "clang" + strict + optimised},
      {"tinycc", "tcc -std=c99 -Wall -Werror"},
      {"gnu", "gcc -std=gnu99 -Wall -Wextra -Werror -fopenmp" + optimised},
  };
  return table;
}

codegen::Target target_of(const std::string& compiler) {
  return compiler == "gnu" ? codegen::Target::Gnu : codegen::Target::C99;
}

constexpr size_t kAlignment = 64;
constexpr unsigned char kCanary = 0xA5;

size_t rounded(size_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

/// A shared anonymous mapping.
class SharedMemory {
 public:
  explicit SharedMemory(size_t bytes) : bytes_(bytes) {
    address_ = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CATEN_CHECK(address_ != MAP_FAILED, "no {} bytes of shared memory", bytes);
  }
  ~SharedMemory() { munmap(address_, bytes_); }
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  std::byte* at(size_t offset) const { return static_cast<std::byte*>(address_) + offset; }

 private:
  void* address_;
  size_t bytes_;
};

/// Where one program's results are in the shared memory.
struct Layout {
  size_t status = 0;
  std::vector<size_t> outputs{};
  size_t state = 0;
  size_t state_bytes = 0;
  size_t end = 0;
};

const runtime::Buffer& buffer(const Program& program, int index) {
  return program.buffers[static_cast<size_t>(index)];
}

/// The written parameters, in the order in which they lie in the state.
std::vector<const runtime::Buffer*> params(const Program& program, bool written) {
  std::vector<const runtime::Buffer*> result;
  for (const runtime::Buffer& candidate : program.buffers) {
    if (candidate.kind == BufferKind::Param && candidate.written == written) {
      result.push_back(&candidate);
    }
  }
  return result;
}

std::vector<int64_t> sizes_of(const Program& program, const air::Environment& environment) {
  std::vector<int64_t> sizes;
  for (const std::string& symbol : program.symbols) {
    sizes.push_back(environment.symbols.at(symbol));
  }
  return sizes;
}

std::vector<int64_t> shape_of(const runtime::Buffer& array, const std::vector<int64_t>& sizes) {
  std::vector<int64_t> shape;
  for (const runtime::SizeExpr& size : array.shape) {
    shape.push_back(size.evaluate(sizes).value_or(0));
  }
  return shape;
}

size_t bytes_of(const runtime::Buffer& array, const std::vector<int64_t>& sizes) {
  return static_cast<size_t>(
      runtime::checked_bytes(array.dtype, shape_of(array, sizes)).value_or(0));
}

Layout lay_out(const Program& program, const std::vector<int64_t>& sizes, size_t start) {
  Layout layout;
  layout.status = start;
  layout.end = start + kAlignment;
  for (int output : program.outputs) {
    layout.outputs.push_back(layout.end);
    layout.end += rounded(bytes_of(buffer(program, output), sizes)) + kAlignment;
  }
  layout.state = layout.end;
  for (const runtime::Buffer* param : params(program, true)) {
    layout.state_bytes += rounded(bytes_of(*param, sizes));
  }
  layout.end += layout.state_bytes + kAlignment;
  return layout;
}

bool has_scratch(const Program& program) {
  return program.arena_bytes != runtime::SizeExpr::number(0);
}

std::string entry_name(size_t i) {
  return fmt::format("entry{}", i);
}

/// int run_I(sizes, inputs, outputs, params, state, scratch) and int64_t scratch_I(sizes).
std::string wrapper(const Program& program, size_t i) {
  std::string sizes;
  std::vector<std::string> arguments;
  for (size_t symbol = 0; symbol < program.symbols.size(); ++symbol) {
    arguments.push_back(fmt::format("s[{}]", symbol));
    sizes += (sizes.empty() ? "" : ", ") + arguments.back();
  }
  for (size_t input = 0; input < program.inputs.size(); ++input) {
    arguments.push_back(fmt::format("in[{}]", input));
  }
  for (size_t output = 0; output < program.outputs.size(); ++output) {
    arguments.push_back(fmt::format("out[{}]", output));
  }
  if (!params(program, false).empty()) {
    arguments.emplace_back("params");
  }
  if (!params(program, true).empty()) {
    arguments.emplace_back("state");
  }
  if (has_scratch(program)) {
    arguments.emplace_back("scratch");
  }
  std::string list;
  for (const std::string& argument : arguments) {
    list += (list.empty() ? "" : ", ") + argument;
  }
  std::string unused;
  for (const char* name : {"s", "in", "out", "params", "state", "scratch"}) {
    unused += fmt::format("  (void){};\n", name);
  }
  return fmt::format(
      "int run_{0}(const int64_t *s, const void *const *in, void *const *out, const void *params,\n"
      "            void *state, void *scratch);\n"
      "int run_{0}(const int64_t *s, const void *const *in, void *const *out, const void *params,\n"
      "            void *state, void *scratch) {{\n{1}  return {2}({3});\n}}\n"
      "int64_t scratch_{0}(const int64_t *s);\n"
      "int64_t scratch_{0}(const int64_t *s) {{\n  (void)s;\n  return {4};\n}}\n",
      i, unused, entry_name(i), list,
      has_scratch(program) ? fmt::format("{}_scratch_bytes({})", entry_name(i), sizes) : "0");
}

/// A directory that is removed with its contents.
class Directory {
 public:
  Directory() {
    std::string pattern = (std::filesystem::temp_directory_path() / "catenc-fuzz-XXXXXX").string();
    CATEN_CHECK(mkdtemp(pattern.data()) != nullptr, "cannot make {}", pattern);
    path_ = pattern;
  }
  ~Directory() { std::filesystem::remove_all(path_); }
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;
  std::string operator/(const char* file) const { return path_ + "/" + file; }

 private:
  std::string path_;
};

using RunFunction = int (*)(const int64_t*, const void* const*, void* const*, const void*, void*,
                            void*);
using ScratchFunction = int64_t (*)(const int64_t*);

/// Calls one program in the child.
void call(void* library, size_t i, const RandomProgram& program, const Program& artifact,
          const Layout& layout, const SharedMemory& memory) {
  auto run = reinterpret_cast<RunFunction>(dlsym(library, fmt::format("run_{}", i).c_str()));
  auto scratch_bytes =
      reinterpret_cast<ScratchFunction>(dlsym(library, fmt::format("scratch_{}", i).c_str()));
  const air::Environment& environment = program.environment;
  std::vector<int64_t> sizes = sizes_of(artifact, environment);
  std::vector<const void*> inputs;
  for (int input : artifact.inputs) {
    inputs.push_back(environment.inputs.at(buffer(artifact, input).name).data.data());
  }
  std::vector<void*> outputs;
  for (size_t offset : layout.outputs) {
    outputs.push_back(memory.at(offset));
  }
  std::vector<const void*> parameters;
  for (const runtime::Buffer* param : params(artifact, false)) {
    parameters.push_back(environment.params.at(param->storage).data.data());
  }
  std::byte* state = memory.at(layout.state);
  for (const runtime::Buffer* param : params(artifact, true)) {
    const std::vector<std::byte>& data = environment.params.at(param->storage).data;
    std::copy(data.begin(), data.end(), state);
    state += rounded(data.size());
  }
  int64_t bytes = scratch_bytes(sizes.data());
  runtime::StoragePtr scratch =
      runtime::Storage::allocate(DType::UInt8, {std::max<int64_t>(bytes, 0)});
  if (bytes > 0) {
    std::memset(scratch->data(), 0xff, scratch->bytes());
  }
  int32_t status = run(sizes.data(), inputs.data(), outputs.data(), parameters.data(),
                       memory.at(layout.state), scratch->data());
  std::memcpy(memory.at(layout.status), &status, sizeof(status));
}

bool intact(const SharedMemory& memory, size_t end_of_array, size_t next) {
  for (size_t i = end_of_array; i < next; ++i) {
    if (*memory.at(i) != std::byte{kCanary}) {
      return false;
    }
  }
  return true;
}

Outcome collect(const RandomProgram& program, const Program& artifact, const Layout& layout,
                const SharedMemory& memory) {
  Outcome outcome;
  int32_t status = 0;
  std::memcpy(&status, memory.at(layout.status), sizeof(status));
  if (status != 0) {
    outcome.error = fmt::format("status {}", status);
    return outcome;
  }
  std::vector<int64_t> sizes = sizes_of(artifact, program.environment);
  for (size_t i = 0; i < artifact.outputs.size(); ++i) {
    const runtime::Buffer& output = buffer(artifact, artifact.outputs[i]);
    air::Array array = air::Array::zeros(output.dtype, shape_of(output, sizes));
    const std::byte* data = memory.at(layout.outputs[i]);
    std::copy_n(data, array.data.size(), array.data.begin());
    size_t next = i + 1 < layout.outputs.size() ? layout.outputs[i + 1] : layout.state;
    if (!intact(memory, layout.outputs[i] + array.data.size(), next)) {
      outcome.error = fmt::format("writes beyond the end of output {}", i);
    }
    outcome.outputs.push_back(std::move(array));
  }
  const std::byte* state = memory.at(layout.state);
  outcome.params = program.environment.params;
  for (const runtime::Buffer* param : params(artifact, true)) {
    std::vector<std::byte>& data = outcome.params.at(param->storage).data;
    std::copy_n(state, data.size(), data.begin());
    state += rounded(data.size());
  }
  if (!intact(memory, layout.state + layout.state_bytes, layout.end)) {
    outcome.error = "writes beyond the end of its state";
  }
  return outcome;
}

void write_file(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// Compiles the batch; the compiler's complaint, or "" when it has none.
std::string build(const std::string& compiler, const Directory& directory,
                  std::span<const codegen::Compilation> compilations) {
  std::vector<codegen::LibraryEntry> entries;
  std::string wrappers = "#include \"kernels.h\"\n";
  for (size_t i = 0; i < compilations.size(); ++i) {
    codegen::LibraryEntry entry;
    entry.c_name = entry_name(i);
    entry.lisp_name = entry_name(i);
    entry.compilation = &compilations[i];
    entries.push_back(std::move(entry));
    wrappers += wrapper(codegen::lower_c99(compilations[i], target_of(compiler)).program, i);
  }
  SourceMap sources;
  codegen::LibraryText text =
      codegen::emit_library(entries, "kernels", sources, {.target = target_of(compiler)});
  write_file(directory / "kernels.c", text.source);
  write_file(directory / "kernels.h", text.header);
  write_file(directory / "wrappers.c", wrappers);
  std::string command =
      fmt::format("{} -fPIC -shared -o '{}' '{}' '{}' -lm > '{}' 2>&1", commands().at(compiler),
                  directory / "kernels.so", directory / "kernels.c", directory / "wrappers.c",
                  directory / "log");
  if (std::system(command.c_str()) == 0) {
    return "";
  }
  return fmt::format("{} refuses the C: {}", compiler, read_file(directory / "log").substr(0, 600));
}

/// Programs whose C a compiler refuses are found by halving the batch.
void run_part(const std::string& compiler, std::span<const RandomProgram> programs,
              std::span<const codegen::Compilation> compilations, std::span<Outcome> outcomes) {
  if (programs.empty()) {
    return;
  }
  Directory directory;
  std::string complaint = build(compiler, directory, compilations);
  if (!complaint.empty() && programs.size() == 1) {
    outcomes[0].error = complaint;
    return;
  }
  if (!complaint.empty()) {
    size_t half = programs.size() / 2;
    run_part(compiler, programs.first(half), compilations.first(half), outcomes.first(half));
    run_part(compiler, programs.subspan(half), compilations.subspan(half), outcomes.subspan(half));
    return;
  }
  std::vector<Layout> layouts;
  size_t end = kAlignment;  // the first bytes count the programs begun
  for (size_t i = 0; i < programs.size(); ++i) {
    const Program& artifact = compilations[i].program;
    layouts.push_back(lay_out(artifact, sizes_of(artifact, programs[i].environment), end));
    end = layouts.back().end;
  }
  SharedMemory memory(end);
  std::memset(memory.at(0), kCanary, end);
  size_t next = 0;
  while (next < programs.size()) {
    std::memcpy(memory.at(0), &next, sizeof(next));
    int result = in_child([&] {
      void* library = dlopen((directory / "kernels.so").c_str(), RTLD_NOW | RTLD_LOCAL);
      if (library == nullptr) {
        fmt::print("{}\n", dlerror());
        return 1;
      }
      for (size_t i = next; i < programs.size(); ++i) {
        size_t begun = i + 1;
        std::memcpy(memory.at(0), &begun, sizeof(begun));
        call(library, i, programs[i], compilations[i].program, layouts[i], memory);
      }
      return 0;
    });
    size_t begun = 0;
    std::memcpy(&begun, memory.at(0), sizeof(begun));
    for (size_t i = next; i < begun; ++i) {
      bool crashed = result != 0 && i + 1 == begun;
      outcomes[i] = crashed ? Outcome{.error = "crashes"}
                            : collect(programs[i], compilations[i].program, layouts[i], memory);
    }
    CATEN_CHECK(begun > next, "the library of a batch cannot be loaded");
    next = begun;
  }
}

}  // namespace

std::vector<Outcome> run_emitted(const std::string& compiler,
                                 std::span<const RandomProgram> programs,
                                 std::span<const codegen::Compilation> compilations) {
  std::vector<Outcome> outcomes(programs.size());
  run_part(compiler, programs, compilations, outcomes);
  return outcomes;
}

}  // namespace caten::fuzz
