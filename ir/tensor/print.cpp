// See print.h.
#include "ir/tensor/print.h"

#include <fmt/format.h>

#include <unordered_map>

#include "ir/support/overloaded.h"

namespace caten::tensor {
namespace {

std::string source_text(const Tensor& tensor, const std::string& arguments,
                        const std::function<std::string(HeapObject*)>& op_name) {
  return std::visit(
      Overloaded{
          [](const Fresh&) -> std::string { return "fresh"; },
          [&](const Computed& computed) {
            std::string text = fmt::format("{}({})", op_name(tensor.op), arguments);
            return tensor.siblings.size() > 1 ? fmt::format("{}.{}", text, computed.output) : text;
          },
          [&](const Input&) { return fmt::format("input {}", tensor.name); },
          [](const Constant& constant) {
            return fmt::format("const {}{}", constant.value.to_string(),
                               constant.weak ? " weak" : "");
          },
          [](const SizeValue& size) { return fmt::format("size {}", size.value.to_string()); },
          [&](const Stored&) {
            return tensor.name.empty() ? "stored" : fmt::format("stored {}", tensor.name);
          },
      },
      tensor.source);
}

}  // namespace

std::string print(std::span<Tensor* const> roots,
                  const std::function<std::string(HeapObject*)>& op_name) {
  std::unordered_map<const Tensor*, size_t> numbers;
  std::string text;
  for (const Tensor* tensor : topological_order(roots)) {
    std::string arguments;
    for (const Tensor* input : tensor->inputs) {
      arguments += fmt::format("{}%{}", arguments.empty() ? "" : ", ", numbers.at(input));
    }
    size_t number = numbers.size();
    numbers.emplace(tensor, number);
    text += fmt::format("%{} = {} {} {}{}\n", number, source_text(*tensor, arguments, op_name),
                        name(tensor->dtype), to_string(tensor->shape),
                        tensor->requires_grad ? " requires-grad" : "");
  }
  text += "return";
  for (const Tensor* root : roots) {
    text += fmt::format(" %{}", numbers.at(root));
  }
  return text + "\n";
}

}  // namespace caten::tensor
