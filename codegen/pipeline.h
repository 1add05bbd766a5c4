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
  bool verify = false;                              // always on in debug builds
  bool keep_texts = true;                           // schedule, fusion and loops as text
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
  };
  std::vector<ParameterData> parameters;
  /// Puts the parameters into the C file as constant arrays, and a ready NAME_embedded_params.
  bool embed_parameters = false;
};
struct LibraryText {
  std::string source;  // kernels.c
  std::string header;  // kernels.h
};
/// The self-contained C99 library. `header_name` is the base name used in #include; `sources`
/// resolves spans for comments.
LibraryText emit_library(const std::vector<LibraryEntry>& entries, std::string_view header_name,
                         const SourceMap& sources);

}  // namespace caten::codegen
