// AIR as text, as a Graphviz graph and as JSON: three walks over the nodes in order of ids, sharing
// the text of attributes.
#include <fmt/core.h>

#include "ir/air/air.h"
#include "ir/support/overloaded.h"

namespace caten::air {
namespace {

std::string ints_text(const std::vector<int>& values) {
  std::string out = "(";
  for (size_t i = 0; i < values.size(); ++i) {
    out += fmt::format("{}{}", i == 0 ? "" : " ", values[i]);
  }
  return out + ")";
}

std::string slice_text(const SliceAttr& attr) {
  std::string out = "(";
  for (size_t i = 0; i < attr.axes.size(); ++i) {
    const SliceAxis& axis = attr.axes[i];
    out += fmt::format("{}({} {} {})", i == 0 ? "" : " ", axis.start.to_string(),
                       axis.size.to_string(), axis.step);
  }
  out += ")";
  return attr.dynamic_axes.empty() ? out : out + " " + ints_text(attr.dynamic_axes);
}

std::string pad_text(const PadAttr& attr) {
  std::string out = "(";
  for (size_t i = 0; i < attr.lo.size(); ++i) {
    out +=
        fmt::format("{}({} {})", i == 0 ? "" : " ", attr.lo[i].to_string(), attr.hi[i].to_string());
  }
  return fmt::format("{}) {}", out, attr.value.to_string());
}

/// The attribute as it stands after the inputs; "" when the node's shape says it all.
std::string attr_text(const Attr& attr) {
  return std::visit(
      Overloaded{
          [](const NoAttr&) { return std::string(); },
          [](const ConstAttr& a) { return a.value.to_string(); },
          [](const InputAttr& a) { return symbol_text(a.name); },
          [](const ParamAttr& a) { return fmt::format("{} {}", symbol_text(a.name), a.storage); },
          [](const DimAttr& a) { return a.value.to_string(); },
          [](const AxisAttr& a) { return fmt::format("{}", a.axis); },
          [](const ShapeAttr&) { return std::string(); },
          [](const PermuteAttr& a) { return ints_text(a.order); },
          [](const SliceAttr& a) { return slice_text(a); },
          [](const PadAttr& a) { return pad_text(a); },
          [](const ReduceAttr& a) { return fmt::format("{} {}", name(a.op), ints_text(a.axes)); },
          [](const ArgReduceAttr& a) {
            return fmt::format("{} {}", a.max ? "max" : "min", a.axis);
          },
          [](const ScatterAttr& a) {
            return fmt::format("{} {} {}", name(a.mode), a.axis, a.along ? "along" : "whole");
          },
          [](const ScanAttr& a) { return fmt::format("{} {}", name(a.op), a.axis); },
          [](const SortAttr& a) {
            return fmt::format("{} {}", a.descending ? "descending" : "ascending", a.axis);
          },
      },
      attr);
}

/// Inputs before the attribute; the dynamic starts of slices come after it.
size_t leading_inputs(const Node& node) {
  if (const auto* slice = std::get_if<SliceAttr>(&node.attr)) {
    return node.inputs.size() - slice->dynamic_axes.size();
  }
  return node.inputs.size();
}

std::string node_text(const Node& node) {
  std::string out = fmt::format("({} {} {}", name(node.op), caten::name(node.dtype),
                                caten::to_string(node.shape));
  const size_t leading = leading_inputs(node);
  for (size_t i = 0; i < leading; ++i) {
    out += fmt::format(" %{}", node.inputs[i].index);
  }
  if (const std::string attr = attr_text(node.attr); !attr.empty()) {
    out += " " + attr;
  }
  for (size_t i = leading; i < node.inputs.size(); ++i) {
    out += fmt::format(" %{}", node.inputs[i].index);
  }
  return out + ")";
}

/// A string literal with \" \\ \n escaped; JSON reads it too (other control characters as \u).
std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    } else {
      out += c;
    }
  }
  return out + "\"";
}

/// A label fits a comment when it stays on its line.
std::string comment(std::string_view label) {
  std::string out(label);
  for (char& c : out) {
    if (static_cast<unsigned char>(c) < 0x20) {
      c = ' ';
    }
  }
  return out;
}

}  // namespace

std::string print(const Graph& graph) {
  std::string out;
  if (!graph.symbols.empty()) {
    out += "(symbols";
    for (const std::string& symbol : graph.symbols) {
      out += " " + symbol_text(symbol);
    }
    out += ")\n";
  }
  for (uint32_t i = 0; i < graph.size(); ++i) {
    out += fmt::format("%{} = {}", i, node_text(graph[NodeId{i}]));
    if (const std::string& label = graph.label(NodeId{i}); !label.empty()) {
      out += "  ; " + comment(label);
    }
    out += "\n";
  }
  if (!graph.inputs.empty()) {
    out += "(inputs";
    for (const NodeId id : graph.inputs) {
      out += fmt::format(" %{}", id.index);
    }
    out += ")\n";
  }
  if (!graph.checks.empty()) {
    out += "(checks";
    for (const SizeCheck& check : graph.checks) {
      out += fmt::format("\n  (= {} {} {})", check.left.to_string(), check.right.to_string(),
                         quoted(check.message));
    }
    out += ")\n";
  }
  out += "(outputs";
  for (const Output& output : graph.outputs) {
    out += fmt::format(" ({} %{})", symbol_text(output.name), output.node.index);
  }
  return out + ")\n";
}

std::string to_dot(const Graph& graph) {
  std::string out = "digraph air {\n  node [shape=box, fontname=monospace];\n";
  for (uint32_t i = 0; i < graph.size(); ++i) {
    const Node& node = graph[NodeId{i}];
    std::string label = fmt::format("%{} {}", i, name(node.op));
    if (const std::string attr = attr_text(node.attr); !attr.empty()) {
      label += " " + attr;
    }
    label += fmt::format("\n{} {}", caten::name(node.dtype), caten::to_string(node.shape));
    if (const std::string& made_by = graph.label(NodeId{i}); !made_by.empty()) {
      label += "\n" + made_by;
    }
    const char* style = node.op == Op::Assign                    ? ", color=red"
                        : info(node.op).cls == OpClass::Leaf     ? ", style=rounded"
                        : info(node.op).cls == OpClass::Reduce   ? ", color=blue"
                        : info(node.op).cls == OpClass::Movement ? ", color=gray"
                                                                 : "";
    out += fmt::format("  n{} [label={}{}];\n", i, quoted(label), style);
    for (const NodeId input : node.inputs) {
      out += fmt::format("  n{} -> n{};\n", input.index, i);
    }
  }
  for (size_t k = 0; k < graph.outputs.size(); ++k) {
    out += fmt::format("  out{} [label={}, shape=ellipse];\n  n{} -> out{};\n", k,
                       quoted(graph.outputs[k].name), graph.outputs[k].node.index, k);
  }
  return out + "}\n";
}

std::string to_json(const Graph& graph) {
  std::string out = "{\"symbols\":[";
  for (size_t i = 0; i < graph.symbols.size(); ++i) {
    out += (i == 0 ? "" : ",") + quoted(graph.symbols[i]);
  }
  out += "],\n\"nodes\":[";
  for (uint32_t i = 0; i < graph.size(); ++i) {
    const Node& node = graph[NodeId{i}];
    out += fmt::format("{}\n {{\"id\":{},\"op\":\"{}\",\"dtype\":\"{}\",\"shape\":[",
                       i == 0 ? "" : ",", i, name(node.op), caten::name(node.dtype));
    for (size_t k = 0; k < node.shape.size(); ++k) {
      const bool number = node.shape[k].is_constant();
      const std::string text = node.shape[k].to_string();
      out += (k == 0 ? "" : ",") + (number ? text : quoted(text));
    }
    out += "],\"inputs\":[";
    for (size_t k = 0; k < node.inputs.size(); ++k) {
      out += fmt::format("{}{}", k == 0 ? "" : ",", node.inputs[k].index);
    }
    out += fmt::format("],\"attr\":{},\"label\":{}}}", quoted(attr_text(node.attr)),
                       quoted(graph.label(NodeId{i})));
  }
  out += "],\n\"outputs\":[";
  for (size_t i = 0; i < graph.outputs.size(); ++i) {
    out += fmt::format("{}{{\"name\":{},\"node\":{}}}", i == 0 ? "" : ",",
                       quoted(graph.outputs[i].name), graph.outputs[i].node.index);
  }
  return out + "]}\n";
}

}  // namespace caten::air
