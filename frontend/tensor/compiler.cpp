// See compiler.h.
#include "frontend/tensor/compiler.h"

#include <fmt/core.h>

#include <utility>

#include "ir/support/check.h"
#include "runtime/auto_backend.h"
#include "runtime/native_backend.h"

namespace caten::tensor {
namespace {

constexpr size_t kCachedPrograms = 1024;

/// Everything that decides the program: two graphs with equal keys may share it.
std::string cache_key(const air::Graph& graph, Backend backend) {
  std::string key = fmt::format("{}\n{}", name(backend), air::print(graph));
  for (const air::SizeCheck& check : graph.checks) {
    key +=
        fmt::format("\n{} {} {}", check.left.to_string(), check.right.to_string(), check.message);
  }
  for (const std::string& symbol : graph.symbols) {
    key += "\n" + symbol;
  }
  for (const air::NodeId input : graph.inputs) {
    key += fmt::format("\n%{}", input.index);
  }
  return key;
}

std::unique_ptr<runtime::Executable> load(const codegen::Compilation& compilation, Backend backend,
                                          const std::shared_ptr<runtime::Workers>& workers,
                                          runtime::CodeCache& kernels) {
  switch (backend) {
    case Backend::Tcc:
      return runtime::load_tcc(compilation.program, workers, &kernels);
    case Backend::Cc:
      return runtime::load_native(compilation.program,
                                  codegen::native_source(*compilation.module, compilation.program),
                                  {.workers = workers});
    case Backend::Auto:
      return std::make_unique<runtime::AutoExecutable>(
          compilation.program, runtime::load_tcc(compilation.program, workers, &kernels),
          runtime::AutoOptions{.source =
                                   [lowered = compilation.module](const runtime::Program& program) {
                                     return codegen::native_source(*lowered, program);
                                   },
                               .native = {.workers = workers}});
    case Backend::Interp:
      return codegen::load_interp(compilation);
  }
  CATEN_UNREACHABLE("backend {}", static_cast<int>(backend));
}

}  // namespace

std::optional<Backend> backend_from_name(std::string_view name) {
  if (name == "tcc") {
    return Backend::Tcc;
  }
  if (name == "cc") {
    return Backend::Cc;
  }
  if (name == "auto") {
    return Backend::Auto;
  }
  if (name == "interp") {
    return Backend::Interp;
  }
  return std::nullopt;
}

std::string_view name(Backend backend) {
  switch (backend) {
    case Backend::Tcc:
      return "tcc";
    case Backend::Cc:
      return "cc";
    case Backend::Auto:
      return "auto";
    case Backend::Interp:
      return "interp";
  }
  CATEN_UNREACHABLE("backend {}", static_cast<int>(backend));
}

std::shared_ptr<const CompiledGraph> Compiler::compile(const air::Graph& graph,
                                                       std::string_view program_name) {
  std::string key = cache_key(graph, backend);
  if (const auto found = cache_.find(key); found != cache_.end()) {
    return found->second;
  }
  auto compiled = std::make_shared<CompiledGraph>();
  compiled->graph = graph;
  compiled->compilation = codegen::compile(graph, program_name, context);
  compiled->executable = load(compiled->compilation, backend, workers, kernels_);
  ++compiled_count_;
  if (order_.size() == kCachedPrograms) {
    cache_.erase(order_.front());
    order_.pop_front();
  }
  cache_.emplace(key, compiled);
  order_.push_back(std::move(key));
  return compiled;
}

}  // namespace caten::tensor
