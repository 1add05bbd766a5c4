// bind_symbols: replaces symbolic sizes by numbers (`-D n=128`). Size relations that become known
// are decided here; the rest stay checks at entry.
#include <algorithm>

#include "ir/passes/passes.h"
#include "ir/support/diagnostics.h"
#include "ir/support/overloaded.h"

namespace caten::air {
namespace {

using Lookup = std::function<std::optional<Dim>(std::string_view)>;

void substitute(Shape& shape, const Lookup& lookup) {
  for (Dim& dim : shape) {
    dim = dim.substitute(lookup);
  }
}

void substitute(Attr& attr, const Lookup& lookup) {
  std::visit(Overloaded{
                 [&](DimAttr& a) { a.value = a.value.substitute(lookup); },
                 [&](ShapeAttr& a) { substitute(a.shape, lookup); },
                 [&](SliceAttr& a) {
                   for (SliceAxis& axis : a.axes) {
                     axis.start = axis.start.substitute(lookup);
                     axis.size = axis.size.substitute(lookup);
                   }
                 },
                 [&](PadAttr& a) {
                   substitute(a.lo, lookup);
                   substitute(a.hi, lookup);
                 },
                 [](NoAttr&) {},
                 [](ConstAttr&) {},
                 [](InputAttr&) {},
                 [](ParamAttr&) {},
                 [](AxisAttr&) {},
                 [](PermuteAttr&) {},
                 [](ReduceAttr&) {},
                 [](ArgReduceAttr&) {},
                 [](ScatterAttr&) {},
                 [](ScanAttr&) {},
                 [](SortAttr&) {},
             },
             attr);
}

/// A size that became a number is an ordinary constant.
Node folded(Node node) {
  if (node.op == Op::DimValue) {
    if (std::optional<int64_t> value = node.get<DimAttr>().value.constant()) {
      node.op = Op::Const;
      node.attr = ConstAttr{Scalar::of_int(node.dtype, *value)};
    }
  }
  return node;
}

/// The checks that are still open; a violated one is the user's mistake.
void bind_checks(const Graph& graph, Graph& out, const Lookup& lookup) {
  for (SizeCheck check : graph.checks) {
    check.left = check.left.substitute(lookup);
    check.right = check.right.substitute(lookup);
    if (check.left == check.right) {
      continue;
    }
    if (check.left.is_constant() && check.right.is_constant()) {
      std::string message = check.message;
      for (const auto& [key, dim] : {std::pair{"{left}", check.left}, {"{right}", check.right}}) {
        if (size_t at = message.find(key); at != std::string::npos) {
          message.replace(at, std::string_view(key).size(), dim.to_string());
        }
      }
      fail(Diag::BadSize, check.span, "{}", message);
    }
    out.checks.push_back(std::move(check));
  }
}

}  // namespace

Graph bind_symbols(const Graph& graph, const std::map<std::string, int64_t, std::less<>>& values) {
  Lookup lookup = [&](std::string_view name) -> std::optional<Dim> {
    auto found = values.find(name);
    return found == values.end() ? std::nullopt : std::optional<Dim>(found->second);
  };
  Graph out;
  std::vector<NodeId> image(graph.size());
  for (uint32_t i = 0; i < graph.size(); ++i) {
    Node node = graph.node(NodeId{i});
    substitute(node.shape, lookup);
    substitute(node.attr, lookup);
    for (NodeId& input : node.inputs) {
      input = image[input.index];
    }
    image[i] = out.add(folded(std::move(node)), graph.span(NodeId{i}));
    if (out.label(image[i]).empty()) {
      out.set_label(image[i], graph.label(NodeId{i}));
    }
  }
  for (const Output& output : graph.outputs) {
    out.outputs.push_back({output.name, image[output.node.index]});
  }
  for (NodeId input : graph.inputs) {
    out.inputs.push_back(image[input.index]);
  }
  std::copy_if(graph.symbols.begin(), graph.symbols.end(), std::back_inserter(out.symbols),
               [&](const std::string& name) { return !values.contains(name); });
  bind_checks(graph, out, lookup);
  return out;
}

}  // namespace caten::air
