// The compiler's door: AIR in, Program and C text out, with every stage observable.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/air/air.h"
#include "ir/rewrite/rule_set.h"
#include "ir/support/diagnostics.h"
#include "runtime/backend.h"
#include "runtime/program.h"

namespace caten::codegen {

/// What a caller may ask of a compilation and learn from it.
struct PassContext {
  std::set<std::string, std::less<>> disabled;    // --disable-pass
  std::set<std::string, std::less<>> dump_after;  // --dump-after ("all" for every pass)
  std::function<void(std::string_view pass, const std::string& text)> dump;
  std::vector<const rewrite::RuleSet*> user_rules;  // from `defsimplifier`, tried before ours
  /// Fusion, loop orders and tile sizes drawn at random: for the fuzz driver.
  std::optional<uint64_t> decision_seed;
  bool verify = false;     // always on in debug builds
  bool keep_texts = true;  // schedule, fusion and loops as text
  struct Timing {
    std::string pass;
    std::chrono::nanoseconds time{};
  };
  std::vector<Timing> timings;  // filled by every run
};

struct PassRow {
  std::string_view stage;  // "air", "schedule", "loops"
  std::string_view name;
  bool required;
  std::string_view why;
};
/// Every pass in order, for --list-passes.
std::vector<PassRow> list_passes();

/// Everything known about one compiled graph; each member is printable for --emit.
struct Compilation {
  air::Graph simplified;
  std::string schedule_text;  // --emit=schedule
  std::string fusion_text;    // --explain-fusion
  std::string loops_text;     // --emit=loops
  runtime::Program program;
  int kernel_count = 0;
  int64_t index_steps = 0;  // work done on index expressions, see index::Pool::steps
  std::shared_ptr<const struct LoweredModule> module;  // loop nests, for emit_library
};

/// Compiles one graph. `name` names the program and prefixes its kernels.
Compilation compile(const air::Graph& graph, std::string_view name, PassContext& context);

/// The kernels of a compilation's program for the C compiler of the machine
/// (runtime/native_backend.h). Lowers its module anew: may run in another thread meanwhile.
runtime::NativeSource native_source(const LoweredModule& lowered, const runtime::Program& program);

/// An Executable that evaluates AIR (the `interp` backend). Buffers as in compilation.program.
std::unique_ptr<runtime::Executable> load_interp(const Compilation& compilation);

/// One entry of the emitted library.
struct LibraryEntry {
  std::string c_name;  // already injective and free of reserved names: see c/names.h
  std::string lisp_name;
  std::string doc;  // comment above the prototype: the Lisp form
  const Compilation* compilation = nullptr;
  /// Contents of parameters and of initial state, by storage; needed for embedding.
  struct ParameterData {
    int storage = 0;
    std::span<const std::byte> bytes;
    int64_t file_offset = 0;  // Weights::File: where the file has them
  };
  std::vector<ParameterData> parameters;
};
/// Where the parameters of the functions come from.
enum class Weights : uint8_t {
  Caller,  // the caller fills NAME_params
  Embed,   // constant arrays in the C file, and a ready NAME_embedded_params
  File,    // NAME_params_from_file points into the contents of a file
};
enum class Target : uint8_t {
  C99,  // strictly conforming, one thread
  Gnu,  // also loops that OpenMP may split, with the same results for any number of threads
};
struct LibraryOptions {
  Target target = Target::C99;
  Weights weights = Weights::Caller;
  /// Weights::File: its name, its size, and what it starts with, by which it is recognised.
  std::string file_name{};
  int64_t file_bytes = 0;
  std::string file_header{};
  bool main = false;  // also a program that runs the functions on .npy files
};
struct LibraryText {
  std::string source;  // kernels.c
  std::string header;  // kernels.h
  std::string main;    // when it was asked for
};
/// The self-contained C99 library. `header_name` is the base name used in #include; `sources`
/// resolves spans for comments. Throws CompileError (BadOption) when an entry's name is taken by
/// the main program.
LibraryText emit_library(const std::vector<LibraryEntry>& entries, std::string_view header_name,
                         const SourceMap& sources, const LibraryOptions& options = {});

}  // namespace caten::codegen
