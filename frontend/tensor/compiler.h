// Compiler: AIR graphs to programs that are loaded on the chosen backend. Equal graphs (equal
// printed AIR, checks and backend) are compiled once.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "codegen/pipeline.h"
#include "ir/air/air.h"
#include "runtime/backend.h"
#include "runtime/code_cache.h"
#include "runtime/program.h"
#include "runtime/workers.h"

namespace caten::tensor {

enum class Backend : uint8_t { Tcc, Cc, Auto, Interp };
std::optional<Backend> backend_from_name(std::string_view name);
std::string_view name(Backend backend);

/// A graph and what became of it. Immutable; shared by every runtime with an equal graph.
struct CompiledGraph {
  air::Graph graph;
  codegen::Compilation compilation;
  std::shared_ptr<const runtime::Executable> executable;
};

class Compiler {
 public:
  /// Compiles and loads, or finds the program of an equal graph. `name` names new kernels.
  std::shared_ptr<const CompiledGraph> compile(const air::Graph& graph, std::string_view name);

  Backend backend = Backend::Tcc;
  /// Of all programs; their number may change at any time.
  const std::shared_ptr<runtime::Workers> workers = std::make_shared<runtime::Workers>();
  /// Passes to leave out, dumps and timings of every compilation.
  codegen::PassContext context;

  /// Compiles anew from now on: the rules changed.
  void forget_programs() {
    cache_.clear();
    order_.clear();
  }

  size_t compiled_count() const { return compiled_count_; }
  /// Kernels that TinyCC compiled; programs share equal ones.
  size_t compiled_kernels() const { return kernels_.compiled(); }

 private:
  std::unordered_map<std::string, std::shared_ptr<const CompiledGraph>> cache_;
  std::deque<std::string> order_;  // of insertion: the oldest programs leave first
  size_t compiled_count_ = 0;
  runtime::CodeCache kernels_;
};

}  // namespace caten::tensor
