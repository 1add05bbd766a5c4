// One Binder walks the input terms from left to right, then the outputs are read off its bindings.
#include "frontend/tensor/unify.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "ir/support/diagnostics.h"

namespace caten::notation {
namespace {

enum class Verdict : uint8_t { Equal, Different, Unknown };

Verdict compare_sizes(const Dim& a, const Dim& b) {
  if (a == b) {
    return Verdict::Equal;
  }
  if (a.is_constant() && b.is_constant()) {
    return Verdict::Different;
  }
  const Dim difference = a - b;
  if (difference.is_constant() || difference.lower_bound().value_or(0) > 0 ||
      difference.upper_bound().value_or(0) < 0) {
    return Verdict::Different;
  }
  return Verdict::Unknown;
}

/// The more informative of two sizes that are to be equal.
const Dim& better(const Dim& a, const Dim& b) {
  return b.is_constant() ? b : a;
}

void add_check(std::vector<air::SizeCheck>& checks, air::SizeCheck check) {
  const bool known = std::any_of(checks.begin(), checks.end(), [&](const air::SizeCheck& old) {
    return old.left == check.left && old.right == check.right;
  });
  if (!known) {
    checks.push_back(std::move(check));
  }
}

class Binder {
 public:
  Binder(std::string_view what, bool broadcasts, std::span<const Operand> operands, Span form)
      : what_(what), broadcasts_(broadcasts), operands_(operands), form_(form) {}

  void bind_clauses(const Clauses& clauses) {
    for (const Binding& binding : clauses.bindings) {
      const std::string place =
          fmt::format("the where clause of `{}{}`", binding.list ? "~" : "", binding.name);
      const bool is_new =
          binding.list ? lists_.emplace(binding.name, BoundList{binding.dims, place, true}).second
                       : sizes_.emplace(binding.name, BoundSize{binding.dims.at(0), place}).second;
      if (!is_new) {
        fail(Diag::ShapeNotation, binding.span, "two where clauses of `{}` bind `{}`", what_,
             binding.name);
      }
    }
  }

  void bind_terms(const std::vector<Term>& terms) {
    if (terms.size() != operands_.size()) {
      fail(Diag::WrongArgumentCount, form_, "`{}` describes {} input{} but {} tensor{} given",
           what_, terms.size(), terms.size() == 1 ? "" : "s", operands_.size(),
           operands_.size() == 1 ? " is" : "s are");
    }
    for (size_t i = 0; i < terms.size(); ++i) {
      bind_term(terms[i], operands_[i]);
    }
  }

  Shape shape_of(const Term& term) const {
    Shape shape;
    for (const Axis& axis : term.axes) {
      append_axis(shape, term, axis);
    }
    return shape;
  }

  Unified finish() && {
    Unified unified;
    unified.checks = std::move(checks_);
    for (auto& [name, bound] : sizes_) {
      unified.sizes.emplace(name, std::move(bound.dim));
    }
    for (auto& [name, bound] : lists_) {
      unified.lists.emplace(name, std::move(bound.dims));
    }
    return unified;
  }

  const std::string& what() const { return what_; }
  std::vector<air::SizeCheck>& checks() { return checks_; }

  std::string describe(const Term& term, const Operand& operand) const {
    std::string text = fmt::format("`{}` {}", term.spelling, to_string(operand.shape));
    if (!operand.name.empty()) {
      text += fmt::format(" (tensor `{}`)", operand.name);
    }
    return text;
  }

 private:
  struct BoundSize {
    Dim dim;
    std::string place;
  };
  struct BoundList {
    Shape dims;
    std::string place;
    bool by_clause = false;
  };

  void bind_term(const Term& term, const Operand& operand) {
    const size_t absorbed = absorbed_axes(term, operand);
    size_t at = 0;
    for (const Axis& axis : term.axes) {
      if (axis.kind != Axis::Kind::List) {
        bind_axis(term, axis, operand, at++);
        continue;
      }
      const auto bound = lists_.find(axis.name);
      const bool fixed = bound != lists_.end() && is_fixed(bound->second);
      const size_t count = fixed ? bound->second.dims.size() : absorbed;
      const auto first = operand.shape.begin() + static_cast<std::ptrdiff_t>(at);
      bind_list(term, axis, operand, at, Shape(first, first + static_cast<std::ptrdiff_t>(count)));
      at += count;
    }
  }

  /// A list whose length is settled: by a clause, or (when nothing broadcasts) by an earlier term.
  bool is_fixed(const BoundList& list) const { return list.by_clause || !broadcasts_; }

  /// How many axes the one open list of the term stands for; checks the rank.
  size_t absorbed_axes(const Term& term, const Operand& operand) const {
    size_t fixed = 0;
    const Axis* open = nullptr;
    for (const Axis& axis : term.axes) {
      if (axis.kind != Axis::Kind::List) {
        ++fixed;
        continue;
      }
      const auto bound = lists_.find(axis.name);
      if (bound != lists_.end() && is_fixed(bound->second)) {
        fixed += bound->second.dims.size();
        continue;
      }
      if (open != nullptr) {
        fail(Diag::ShapeNotation, axis.span,
             "`{}` and `{}` of `{}` both stand for an unknown number of axes", open->to_string(),
             axis.to_string(), term.spelling);
      }
      open = &axis;
    }
    const size_t rank = operand.shape.size();
    if (open == nullptr ? rank != fixed : rank < fixed) {
      rank_error(term, operand, fixed, open != nullptr);
    }
    return rank - fixed;
  }

  [[noreturn]] void rank_error(const Term& term, const Operand& operand, size_t fixed,
                               bool at_least) const {
    std::string axes;
    for (const Axis& axis : term.axes) {
      axes += (axes.empty() ? "" : " ") + axis.to_string();
    }
    CompileError error(
        Diag::ShapeMismatch, form_,
        fmt::format("`{}[{}]` of `{}` needs a tensor of rank {}{}, but {} has rank {}",
                    term.spelling, axes, what_, fixed, at_least ? " or more" : "",
                    describe(term, operand), operand.shape.size()));
    for (const auto& [name, list] : lists_) {
      const bool used = std::any_of(term.axes.begin(), term.axes.end(), [&](const Axis& axis) {
        return axis.kind == Axis::Kind::List && axis.name == name;
      });
      if (used && is_fixed(list)) {
        error.note(term.span,
                   fmt::format("`~{}` is {} in {}", name, to_string(list.dims), list.place));
      }
    }
    throw error;
  }

  void bind_axis(const Term& term, const Axis& axis, const Operand& operand, size_t at) {
    const Dim& size = operand.shape[at];
    const std::string place = fmt::format("axis {} of {}", at, describe(term, operand));
    if (axis.kind == Axis::Kind::Size) {
      relate(Dim(axis.size), fmt::format("`{}` in the notation", axis.size), size, place,
             fmt::format("axis {} of `{}`", at, term.spelling), term);
      return;
    }
    const auto [bound, is_new] = sizes_.emplace(axis.name, BoundSize{size, place});
    if (is_new) {
      return;
    }
    relate(bound->second.dim, bound->second.place, size, place, fmt::format("`{}`", axis.name),
           term);
    bound->second.dim = better(bound->second.dim, size);
  }

  void bind_list(const Term& term, const Axis& axis, const Operand& operand, size_t at,
                 Shape dims) {
    const std::string place = describe(term, operand);
    const auto [found, is_new] = lists_.emplace(axis.name, BoundList{dims, place});
    if (is_new) {
      return;
    }
    BoundList& bound = found->second;
    if (!is_fixed(bound)) {
      const std::string pair = fmt::format("{} and {}", bound.place, place);
      bound.dims = broadcast_shapes(bound.dims, dims, pair, checks_, form_);
      bound.place = fmt::format("{} with {}", bound.place, place);
      return;
    }
    for (size_t i = 0; i < dims.size(); ++i) {
      relate(bound.dims[i], fmt::format("axis {} of `{}` in {}", i, axis.to_string(), bound.place),
             dims[i], fmt::format("axis {} of {}", at + i, place),
             fmt::format("`{}`", axis.to_string()), term);
      bound.dims[i] = better(bound.dims[i], dims[i]);
    }
  }

  /// left == right: nothing to do, an error, or a check for the entry.
  void relate(const Dim& left, const std::string& left_place, const Dim& right,
              const std::string& right_place, const std::string& name, const Term& term) {
    switch (compare_sizes(left, right)) {
      case Verdict::Equal:
        return;
      case Verdict::Unknown:
        add_check(checks_, {left, right,
                            fmt::format("`{}` needs equal sizes for {}: {} is {{left}}, {} is "
                                        "{{right}}",
                                        what_, name, left_place, right_place),
                            form_});
        return;
      case Verdict::Different: {
        CompileError error(
            Diag::ShapeMismatch, form_,
            fmt::format("`{}` does not fit on {}: {} is {}, {} is {}", what_, name, left_place,
                        left.to_string(), right_place, right.to_string()));
        error.note(term.span, fmt::format("`{}` here", term.spelling));
        throw error;
      }
    }
  }

  void append_axis(Shape& shape, const Term& term, const Axis& axis) const {
    switch (axis.kind) {
      case Axis::Kind::Size:
        shape.emplace_back(axis.size);
        return;
      case Axis::Kind::Name: {
        const auto bound = sizes_.find(axis.name);
        if (bound == sizes_.end()) {
          unbound(term, axis);
        }
        shape.push_back(bound->second.dim);
        return;
      }
      case Axis::Kind::List: {
        const auto bound = lists_.find(axis.name);
        if (bound == lists_.end()) {
          unbound(term, axis);
        }
        shape.insert(shape.end(), bound->second.dims.begin(), bound->second.dims.end());
        return;
      }
    }
  }

  [[noreturn]] void unbound(const Term& term, const Axis& axis) const {
    fail(Diag::ShapeNotation, axis.span.known() ? axis.span : form_,
         "`{}` of the output `{}` is bound by no input and no where clause of `{}`",
         axis.to_string(), term.spelling, what_);
  }

  std::string what_;
  bool broadcasts_;
  std::span<const Operand> operands_;
  Span form_;
  std::map<std::string, BoundSize> sizes_;
  std::map<std::string, BoundList> lists_;
  std::vector<air::SizeCheck> checks_;
};

/// The input with the output's name, else `otherwise`.
int source_of(const Notation& notation, const Term& output, int otherwise) {
  for (size_t i = 0; i < notation.inputs.size(); ++i) {
    if (notation.inputs[i].name == output.name) {
      return static_cast<int>(i);
    }
  }
  return otherwise;
}

/// A clause for a name that no term uses is a misspelling.
void check_clauses_used(const Notation& notation, const Clauses& clauses, std::string_view what) {
  for (const Binding& binding : clauses.bindings) {
    const auto uses = [&](const std::vector<Term>& terms) {
      return std::any_of(terms.begin(), terms.end(), [&](const Term& term) {
        return std::any_of(term.axes.begin(), term.axes.end(), [&](const Axis& axis) {
          return axis.kind == (binding.list ? Axis::Kind::List : Axis::Kind::Name) &&
                 axis.name == binding.name;
        });
      });
    };
    if (!uses(notation.inputs) && !uses(notation.outputs)) {
      fail(Diag::ShapeNotation, binding.span,
           "the where clause of `{}{}` in `{}` names no axis of the notation",
           binding.list ? "~" : "", binding.name, what);
    }
  }
}

Unified run(Binder& binder, const Notation& notation, std::span<const Operand> operands,
            const Clauses& clauses, DType default_dtype, int missing_source) {
  check_clauses_used(notation, clauses, binder.what());
  binder.bind_clauses(clauses);
  binder.bind_terms(notation.inputs);
  std::vector<Result> results;
  for (const Term& output : notation.outputs) {
    Result result;
    result.shape = binder.shape_of(output);
    result.source = source_of(notation, output, operands.empty() ? -1 : missing_source);
    if (result.source >= 0) {
      result.dtype = operands[static_cast<size_t>(result.source)].dtype;
      result.order = operands[static_cast<size_t>(result.source)].order;
    } else {
      result.dtype = default_dtype;
    }
    result.dtype = clauses.dtype.value_or(result.dtype);
    result.order = clauses.order.value_or(result.order);
    results.push_back(std::move(result));
  }
  Unified unified = std::move(binder).finish();
  unified.results = std::move(results);
  return unified;
}

}  // namespace

Shape broadcast_shapes(const Shape& a, const Shape& b, const std::string& what,
                       std::vector<air::SizeCheck>& checks, Span form) {
  const size_t rank = std::max(a.size(), b.size());
  Shape result(rank);
  for (size_t back = 1; back <= rank; ++back) {
    Dim& out = result[rank - back];
    if (back > a.size() || back > b.size()) {
      out = back > a.size() ? b[b.size() - back] : a[a.size() - back];
      continue;
    }
    const Dim& left = a[a.size() - back];
    const Dim& right = b[b.size() - back];
    if (left.is(1)) {
      out = right;
      continue;
    }
    out = right.is(1) ? left : better(left, right);
    if (right.is(1)) {
      continue;
    }
    switch (compare_sizes(left, right)) {
      case Verdict::Equal:
        break;
      case Verdict::Unknown:
        add_check(
            checks,
            {left, right,
             fmt::format("{} do not broadcast on axis -{}: {{left}} against {{right}}", what, back),
             form});
        break;
      case Verdict::Different:
        fail(Diag::BadBroadcast, form, "{} do not broadcast on axis -{}: {} against {}", what, back,
             left.to_string(), right.to_string());
    }
  }
  return result;
}

Unified unify(const Notation& notation, std::span<const Operand> operands, const Clauses& clauses,
              Span form, DType default_dtype) {
  Binder binder("st", false, operands, form);
  return run(binder, notation, operands, clauses, default_dtype, 0);
}

Unified bind(const std::vector<Term>& terms, std::span<const Operand> operands, Span form) {
  Binder binder("defcall", false, operands, form);
  binder.bind_terms(terms);
  return std::move(binder).finish();
}

Unified broadcast(const Notation& notation, std::span<const Operand> operands,
                  const Clauses& clauses, Span form, DType default_dtype) {
  Binder binder("bc", true, operands, form);
  Unified unified = run(binder, notation, operands, clauses, default_dtype, -1);
  for (size_t i = 0; i < unified.results.size(); ++i) {
    const Term& output = notation.outputs[i];
    Result& result = unified.results[i];
    if (result.source < 0) {
      fail(Diag::ShapeNotation, output.span, "`bc` returns its inputs, and `{}` is not one of them",
           output.spelling);
    }
    const Operand& source = operands[static_cast<size_t>(result.source)];
    std::vector<air::SizeCheck> own;
    const std::string pair = fmt::format("{} and its output {}", binder.describe(output, source),
                                         to_string(result.shape));
    const Shape reached = broadcast_shapes(source.shape, result.shape, pair, own, form);
    if (reached != result.shape && own.empty()) {
      fail(Diag::BadBroadcast, form, "{} do not broadcast to {}", binder.describe(output, source),
           to_string(result.shape));
    }
  }
  return unified;
}

}  // namespace caten::notation
