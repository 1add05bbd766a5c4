// Reads the text that print() writes. First forms (atoms and lists with spans), then their meaning;
// every mistake is a CompileError at the form it is in.
#include <fmt/core.h>

#include <charconv>
#include <map>

#include "ir/air/air.h"
#include "ir/support/diagnostics.h"
#include "ir/support/overloaded.h"

namespace caten::air {
namespace {

constexpr size_t kMaxNesting = 120;

struct Form {
  enum class Kind : uint8_t { Atom, String, List };
  Kind kind = Kind::Atom;
  Span span;
  bool barred = false;  // an atom written between bars: a symbol, whatever it looks like
  std::string text;
  std::vector<Form> items;
};

/// Splits text into top-level forms. No recursion: open lists are on a stack.
class FormReader {
 public:
  FormReader(std::string_view text, uint32_t file) : text_(text), file_(file) {}

  std::vector<Form> read_all() {
    std::vector<Form> top;
    std::vector<Form> open;
    const auto finish = [&](Form form) {
      (open.empty() ? top : open.back().items).push_back(std::move(form));
    };
    while (skip_blanks()) {
      const char c = text_[at_];
      if (c == '(') {
        open.push_back({Form::Kind::List, span(at_, at_ + 1), false, "", {}});
        ++at_;
        if (open.size() > kMaxNesting) {
          fail(Diag::ReadError, open.back().span, "lists are nested more than {} deep",
               kMaxNesting);
        }
      } else if (c == ')') {
        if (open.empty()) {
          fail(Diag::UnbalancedParen, span(at_, at_ + 1), "unmatched closing parenthesis");
        }
        Form list = std::move(open.back());
        open.pop_back();
        list.span.end = static_cast<uint32_t>(++at_);
        finish(std::move(list));
      } else {
        finish(c == '"'   ? delimited(Form::Kind::String)
               : c == '|' ? delimited(Form::Kind::Atom)
                          : atom());
      }
    }
    if (!open.empty()) {
      fail(Diag::UnbalancedParen, open.back().span, "parenthesis is never closed");
    }
    return top;
  }

 private:
  Span span(size_t begin, size_t end) const {
    return {file_, static_cast<uint32_t>(begin), static_cast<uint32_t>(end)};
  }

  /// False at the end of the text.
  bool skip_blanks() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == ';') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
        ++at_;
      } else {
        return true;
      }
    }
    return false;
  }

  Form atom() {
    const size_t begin = at_;
    at_ = std::min(text_.find_first_of(" \t\r\n()\";|", at_), text_.size());
    return {Form::Kind::Atom,
            span(begin, at_),
            false,
            std::string(text_.substr(begin, at_ - begin)),
            {}};
  }

  /// A string or a barred symbol, with backslash escapes.
  Form delimited(Form::Kind kind) {
    const size_t begin = at_;
    const char delimiter = text_[at_++];
    std::string value;
    while (at_ < text_.size() && text_[at_] != delimiter) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) {
        ++at_;
        value += text_[at_] == 'n' && kind == Form::Kind::String ? '\n' : text_[at_];
      } else {
        value += text_[at_];
      }
      ++at_;
    }
    if (at_ == text_.size()) {
      fail(Diag::ReadError, span(begin, begin + 1), "{} is never closed",
           kind == Form::Kind::String ? "string" : "symbol");
    }
    ++at_;
    return {kind, span(begin, at_), true, std::move(value), {}};
  }

  std::string_view text_;
  uint32_t file_;
  size_t at_ = 0;
};

/// Meaning of forms.
class GraphParser {
 public:
  Graph parse(const std::vector<Form>& forms) {
    for (size_t i = 0; i < forms.size();) {
      if (forms[i].kind == Form::Kind::Atom && forms[i].text.starts_with('%')) {
        if (i + 2 >= forms.size() || forms[i + 1].text != "=") {
          fail(Diag::ReadError, forms[i].span, "expected `{} = (op dtype shape …)`", forms[i].text);
        }
        definition(forms[i], forms[i + 2]);
        i += 3;
      } else {
        section(forms[i]);
        ++i;
      }
    }
    return std::move(graph_);
  }

 private:
  const Form& list(const Form& form, std::string_view what) const {
    if (form.kind != Form::Kind::List) {
      fail(Diag::ReadError, form.span, "expected {}, a list", what);
    }
    return form;
  }
  const std::string& symbol(const Form& form, std::string_view what) const {
    if (form.kind != Form::Kind::Atom) {
      fail(Diag::ReadError, form.span, "expected {}, a symbol", what);
    }
    return form.text;
  }

  std::optional<int64_t> as_integer(const Form& form) const {
    int64_t value = 0;
    const char* const end = form.text.data() + form.text.size();
    if (form.kind != Form::Kind::Atom || form.barred || form.text.empty()) {
      return std::nullopt;
    }
    const auto result = std::from_chars(form.text.data(), end, value);
    return result.ec == std::errc() && result.ptr == end ? std::optional(value) : std::nullopt;
  }
  int64_t integer(const Form& form, std::string_view what) const {
    const auto value = as_integer(form);
    if (!value) {
      fail(Diag::ReadError, form.span, "expected {}, an integer", what);
    }
    return *value;
  }
  int small(const Form& form, std::string_view what) const {
    const int64_t value = integer(form, what);
    if (value < -1000000 || value > 1000000) {
      fail(Diag::ReadError, form.span, "{} is too large: {}", what, value);
    }
    return static_cast<int>(value);
  }

  /// n, 3, (+ a b …), (* a b …), (floor-div a b), (mod a b), (max a b), (min a b). Nesting is
  /// limited by the reader.
  Dim dim(const Form& form) const {
    if (const auto value = as_integer(form)) {
      return *value;
    }
    if (form.kind != Form::Kind::List) {
      return Dim::symbol(symbol(form, "a size"));
    }
    if (form.items.size() < 2) {
      fail(Diag::ReadError, form.span, "expected a size expression like `(+ n 1)`");
    }
    const std::string& head = symbol(form.items[0], "an operator");
    Dim value = dim(form.items[1]);
    for (size_t i = 2; i < form.items.size(); ++i) {
      value = combine(form.items[0], head, value, dim(form.items[i]));
    }
    return value;
  }
  Dim combine(const Form& at, const std::string& head, const Dim& a, const Dim& b) const {
    if (head == "+") {
      return a + b;
    }
    if (head == "-") {
      return a - b;
    }
    if (head == "*") {
      return a * b;
    }
    if (head == "floor-div") {
      return Dim::floor_div(a, b);
    }
    if (head == "mod") {
      return Dim::mod(a, b);
    }
    if (head == "max") {
      return Dim::max(a, b);
    }
    if (head == "min") {
      return Dim::min(a, b);
    }
    fail(Diag::ReadError, at.span, "no size operator `{}`", head);
  }

  Shape shape(const Form& form) const {
    Shape out;
    for (const Form& item : list(form, "a shape").items) {
      out.push_back(dim(item));
    }
    return out;
  }
  std::vector<int> ints(const Form& form) const {
    std::vector<int> out;
    for (const Form& item : list(form, "axes").items) {
      out.push_back(small(item, "an axis"));
    }
    return out;
  }

  NodeId node_id(const Form& form) const {
    const auto found = ids_.find(symbol(form, "a node"));
    if (found == ids_.end()) {
      fail(Diag::UndefinedVariable, form.span, "no node `{}` before this one", form.text);
    }
    return found->second;
  }
  static bool is_node(const Form& form) {
    return form.kind == Form::Kind::Atom && !form.barred && form.text.starts_with('%');
  }

  void definition(const Form& id, const Form& form) {
    const auto& items = list(form, "a node").items;
    if (items.size() < 3) {
      fail(Diag::ReadError, form.span, "expected `(op dtype shape …)`");
    }
    const auto op = op_from_name(symbol(items[0], "an op"));
    if (!op) {
      fail(Diag::UndefinedFunction, items[0].span, "no op `{}`", items[0].text);
    }
    const auto dtype = dtype_from_name(symbol(items[1], "a dtype"));
    if (!dtype) {
      fail(Diag::WrongDtype, items[1].span, "no dtype `{}`", items[1].text);
    }
    Node node{*op, *dtype, shape(items[2]), {}, NoAttr{}};
    size_t at = 3;
    while (at < items.size() && is_node(items[at])) {
      node.inputs.push_back(node_id(items[at++]));
    }
    std::vector<const Form*> rest;
    while (at < items.size() && !is_node(items[at])) {
      rest.push_back(&items[at++]);
    }
    while (at < items.size()) {
      node.inputs.push_back(node_id(items[at++]));
    }
    node.attr = attribute(node, form, rest);
    add(id, form, std::move(node));
  }

  void add(const Form& id, const Form& form, Node node) {
    const NodeId made = graph_.add(std::move(node), form.span);
    if (const auto fault = find_fault(graph_, made)) {
      fail(Diag::ShapeMismatch, form.span, "node `{}` is not well formed: {}", id.text, *fault);
    }
    if (!ids_.emplace(id.text, made).second) {
      fail(Diag::ReadError, id.span, "node `{}` is defined twice", id.text);
    }
  }

  void expect_count(const Form& form, const std::vector<const Form*>& rest, size_t count) const {
    if (rest.size() != count) {
      fail(Diag::ReadError, form.span, "`{}` takes {} attribute forms, has {}", form.items[0].text,
           count, rest.size());
    }
  }

  Scalar scalar(const Form& form, DType dtype) const {
    const auto value = Scalar::parse(dtype, symbol(form, "a constant"));
    if (!value) {
      fail(Diag::BadConstant, form.span, "`{}` is no {}", form.text, caten::name(dtype));
    }
    return *value;
  }

  /// The attribute forms of a node by the op's kind of attribute.
  Attr attribute(const Node& node, const Form& form, const std::vector<const Form*>& rest) const {
    const auto count = [&](size_t n) { expect_count(form, rest, n); };
    return std::visit(
        Overloaded{
            [&](const NoAttr&) -> Attr { return count(0), NoAttr{}; },
            [&](const ConstAttr&) -> Attr {
              return count(1), ConstAttr{scalar(*rest[0], node.dtype)};
            },
            [&](const InputAttr&) -> Attr {
              return count(1), InputAttr{symbol(*rest[0], "a name")};
            },
            [&](const ParamAttr&) -> Attr {
              return count(2),
                     ParamAttr{symbol(*rest[0], "a name"), small(*rest[1], "a storage number")};
            },
            [&](const DimAttr&) -> Attr { return count(1), DimAttr{dim(*rest[0])}; },
            [&](const AxisAttr&) -> Attr { return count(1), AxisAttr{small(*rest[0], "an axis")}; },
            [&](const ShapeAttr&) -> Attr { return count(0), ShapeAttr{node.shape}; },
            [&](const PermuteAttr&) -> Attr { return count(1), PermuteAttr{ints(*rest[0])}; },
            [&](const SliceAttr&) -> Attr {
              count(rest.size() == 1 ? 1 : 2);
              return slice_attr(*rest[0], rest.size() == 2 ? ints(*rest[1]) : std::vector<int>{});
            },
            [&](const PadAttr&) -> Attr {
              return count(2), pad_attr(*rest[0], scalar(*rest[1], node.dtype));
            },
            [&](const ReduceAttr&) -> Attr { return count(2), reduce_attr(*rest[0], *rest[1]); },
            [&](const ArgReduceAttr&) -> Attr {
              return count(2), arg_reduce_attr(*rest[0], *rest[1]);
            },
            [&](const ScatterAttr&) -> Attr { return count(3), scatter_attr(rest); },
            [&](const ScanAttr&) -> Attr {
              return count(2), ScanAttr{reduce_op(*rest[0]), small(*rest[1], "an axis")};
            },
            [&](const SortAttr&) -> Attr {
              return count(2), SortAttr{small(*rest[1], "an axis"),
                                        flag(*rest[0], "descending", "ascending")};
            },
        },
        default_attr(node.op));
  }

  ReduceOp reduce_op(const Form& which) const {
    const auto op = reduce_op_from_name(symbol(which, "a reduction"));
    if (!op) {
      fail(Diag::UndefinedFunction, which.span, "no reduction `{}`", which.text);
    }
    return *op;
  }

  Attr reduce_attr(const Form& which, const Form& axes) const {
    return ReduceAttr{reduce_op(which), ints(axes)};
  }

  /// One of two words; whether it is the first.
  bool flag(const Form& form, std::string_view yes, std::string_view no) const {
    const std::string& word = symbol(form, "a word");
    if (word != yes && word != no) {
      fail(Diag::ReadError, form.span, "expected `{}` or `{}`", yes, no);
    }
    return word == yes;
  }

  Attr arg_reduce_attr(const Form& which, const Form& axis) const {
    return ArgReduceAttr{flag(which, "max", "min"), small(axis, "an axis")};
  }

  Attr scatter_attr(const std::vector<const Form*>& rest) const {
    const auto mode = scatter_mode_from_name(symbol(*rest[0], "a scatter mode"));
    if (!mode) {
      fail(Diag::UndefinedFunction, rest[0]->span, "no scatter mode `{}`", rest[0]->text);
    }
    return ScatterAttr{*mode, small(*rest[1], "an axis"), flag(*rest[2], "along", "whole")};
  }

  Attr slice_attr(const Form& form, std::vector<int> dynamic_axes) const {
    SliceAttr attr;
    for (const Form& axis : list(form, "slice axes").items) {
      if (axis.items.size() != 3) {
        fail(Diag::ReadError, axis.span, "expected `(start size step)`");
      }
      attr.axes.push_back(
          {dim(axis.items[0]), dim(axis.items[1]), integer(axis.items[2], "a step")});
    }
    attr.dynamic_axes = std::move(dynamic_axes);
    return attr;
  }

  Attr pad_attr(const Form& form, Scalar value) const {
    PadAttr attr{{}, {}, value};
    for (const Form& axis : list(form, "padding").items) {
      if (axis.items.size() != 2) {
        fail(Diag::ReadError, axis.span, "expected `(low high)`");
      }
      attr.lo.push_back(dim(axis.items[0]));
      attr.hi.push_back(dim(axis.items[1]));
    }
    return attr;
  }

  void section(const Form& form) {
    const auto& items = list(form, "a section").items;
    if (items.empty()) {
      fail(Diag::ReadError, form.span, "empty section");
    }
    const std::string& head = symbol(items[0], "a section name");
    for (size_t i = 1; i < items.size(); ++i) {
      if (head == "symbols") {
        graph_.symbols.push_back(symbol(items[i], "a symbol"));
      } else if (head == "inputs") {
        const NodeId id = node_id(items[i]);
        if (graph_[id].op != Op::Input) {
          fail(Diag::ReadError, items[i].span, "`{}` is no input", items[i].text);
        }
        graph_.inputs.push_back(id);
      } else if (head == "outputs") {
        if (items[i].items.size() != 2) {
          fail(Diag::ReadError, items[i].span, "expected `(name %node)`");
        }
        graph_.outputs.push_back({symbol(items[i].items[0], "a name"), node_id(items[i].items[1])});
      } else if (head == "checks") {
        check(items[i]);
      } else {
        fail(Diag::ReadError, items[0].span, "no section `{}`", head);
      }
    }
  }

  void check(const Form& form) {
    const auto& items = form.items;
    if (items.size() != 4 || items[0].text != "=" || items[3].kind != Form::Kind::String) {
      fail(Diag::ReadError, form.span, "expected `(= left right \"message\")`");
    }
    graph_.checks.push_back({dim(items[1]), dim(items[2]), items[3].text, form.span});
  }

  Graph graph_;
  std::map<std::string, NodeId, std::less<>> ids_;
};

}  // namespace

Graph parse(std::string_view text, uint32_t file) {
  return GraphParser().parse(FormReader(text, file).read_all());
}

}  // namespace caten::air
