// The `interp` backend: runs a compilation's AIR through the reference evaluator, on the buffers of
// its program.
#include <cstring>

#include "codegen/pipeline.h"
#include "ir/air/evaluate.h"
#include "ir/support/check.h"
#include "runtime/interrupt.h"

namespace caten::codegen {
namespace {

class InterpExecutable : public runtime::Executable {
 public:
  explicit InterpExecutable(const Compilation& compilation)
      : graph_(compilation.simplified), program_(compilation.program) {}

  void run(std::span<const int64_t> sizes, std::span<void* const> buffers) const override {
    air::Environment env;
    for (size_t i = 0; i < program_.symbols.size(); ++i) {
      env.symbols[program_.symbols[i]] = sizes[i];
    }
    env.between_nodes = runtime::poll_interrupt;
    for (size_t i = 0; i < program_.buffers.size(); ++i) {
      const runtime::Buffer& buffer = program_.buffers[i];
      if (buffer.kind == runtime::BufferKind::Param) {
        env.params[buffer.storage] = read(buffer, sizes, buffers[i]);
      }
    }
    add_unread_params(env);
    for (int input : program_.inputs) {
      const auto at = static_cast<size_t>(input);
      env.inputs[program_.buffers[at].name] = read(program_.buffers[at], sizes, buffers[at]);
    }
    std::vector<air::Array> outputs;
    try {
      outputs = air::evaluate(graph_, env);
    } catch (const air::EvaluateError& error) {
      throw runtime::RuntimeError(error.what());
    }
    for (size_t i = 0; i < outputs.size(); ++i) {
      const auto at = static_cast<size_t>(program_.outputs[i]);
      if (program_.buffers[at].kind == runtime::BufferKind::Output) {
        write(outputs[i], buffers[at]);
      }
    }
    for (size_t i = 0; i < program_.buffers.size(); ++i) {
      const runtime::Buffer& buffer = program_.buffers[i];
      if (buffer.kind == runtime::BufferKind::Param && buffer.written) {
        write(env.params.at(buffer.storage), buffers[i]);
      }
    }
  }

 private:
  /// Parameters that no kernel touches (nothing is left of what was read from them) have no buffer,
  /// and their elements do not matter.
  void add_unread_params(air::Environment& env) const {
    const auto value_of = [&](std::string_view symbol) { return find(env.symbols, symbol); };
    for (uint32_t i = 0; i < graph_.size(); ++i) {
      const air::Node& node = graph_[air::NodeId{i}];
      if (node.op != air::Op::Param || env.params.contains(node.get<air::ParamAttr>().storage)) {
        continue;
      }
      std::vector<int64_t> shape;
      for (const Dim& dim : node.shape) {
        shape.push_back(dim.evaluate(value_of).value_or(0));
      }
      env.params.emplace(node.get<air::ParamAttr>().storage,
                         air::Array::zeros(node.dtype, std::move(shape)));
    }
  }
  static std::optional<int64_t> find(const std::map<std::string, int64_t>& symbols,
                                     std::string_view symbol) {
    auto found = symbols.find(std::string(symbol));
    return found == symbols.end() ? std::nullopt : std::optional(found->second);
  }
  static air::Array read(const runtime::Buffer& buffer, std::span<const int64_t> sizes,
                         const void* data) {
    std::vector<int64_t> shape;
    for (const runtime::SizeExpr& size : buffer.shape) {
      const std::optional<int64_t> value = size.evaluate(sizes);
      CATEN_CHECK(value.has_value(), "size of buffer `{}` overflows", buffer.name);
      shape.push_back(*value);
    }
    air::Array array = air::Array::zeros(buffer.dtype, std::move(shape));
    if (!array.data.empty()) {
      std::memcpy(array.data.data(), data, array.data.size());
    }
    return array;
  }
  static void write(const air::Array& array, void* data) {
    if (!array.data.empty()) {
      std::memcpy(data, array.data.data(), array.data.size());
    }
  }

  const air::Graph& graph_;
  const runtime::Program& program_;
};

}  // namespace

std::unique_ptr<runtime::Executable> load_interp(const Compilation& compilation) {
  return std::make_unique<InterpExecutable>(compilation);
}

}  // namespace caten::codegen
