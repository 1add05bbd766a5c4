// Operands of contractions: how a matrix gets into packed panels. See Note [contractions] in
// contract.cpp.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "codegen/loops/passes/window_finder.h"

namespace caten::loops {

class ContractionPacker : protected WindowFinder {
 protected:
  using WindowFinder::WindowFinder;

  /// What computes one value, in order.
  static Block needed_for(const Core& core, ValueId value) {
    std::vector<uint32_t> wanted = {value.index};
    std::vector<const Stmt*> reversed;
    for (auto it = core.operands.rbegin(); it != core.operands.rend(); ++it) {
      const uint32_t defined = defined_by(*it)->index;
      if (std::find(wanted.begin(), wanted.end(), defined) != wanted.end()) {
        reversed.push_back(&*it);
        for_each_operand(*it, [&](ValueId operand) { wanted.push_back(operand.index); });
      }
    }
    Block out;
    for (auto it = reversed.rbegin(); it != reversed.rend(); ++it) {
      out.push_back(**it);
    }
    return out;
  }

  /// A matrix in memory: element (line, k) is at index + line * line_stride + k * depth_stride.
  struct Matrix {
    ArrayId array;
    ExprId index;
    ExprId line_stride;
    ExprId depth_stride;
  };

  /// The operand as a matrix in memory, when it is one.
  std::optional<Matrix> in_memory(const Block& statements, ValueId value, DType dtype,
                                  const std::vector<Loop>& lines, const std::vector<Loop>& depth) {
    const auto* load = statements.empty() ? nullptr : std::get_if<Load>(&statements.back().node);
    if (load == nullptr || load->value != value || !load->guard.empty() ||
        kernel_.array(load->array).is_scalar || held_as(kernel_.array(load->array)) != dtype) {
      return std::nullopt;
    }
    Matrix out{load->array,
               {},
               step(load->index, lines.back().range),
               step(load->index, depth.back().range)};
    out.index = pool_.sub(load->index, pool_.add(pool_.mul(position(lines), out.line_stride),
                                                 pool_.mul(position(depth), out.depth_stride)));
    for (ExprId expr : {out.index, out.line_stride, out.depth_stride}) {
      if (uses_any(expr, lines) || uses_any(expr, depth)) {
        return std::nullopt;
      }
    }
    return out;
  }

  /// What an element is in memory.
  static DType held_as(const Array& array) { return array.widened ? DType::Float32 : array.dtype; }

  ArrayId scratch(DType dtype, ExprId size, const char* label, Block& out) {
    Array array;
    array.label = label;
    array.space = ArraySpace::Scratch;
    array.dtype = dtype;
    array.widened = is_half(dtype);
    array.size = size;
    array.written = true;
    const ArrayId id = kernel_.new_array(std::move(array));
    out.push_back({Scratch{id}});
    return id;
  }

  /// Whether an operand is better computed along its depth than across, by its first load: steps of
  /// one, then any constant step, and loops that are long enough for strips.
  bool walks_depth(const Block& statements, const Loop& line, const Loop& depth) const {
    for (const Stmt& stmt : statements) {
      if (const auto* load = std::get_if<Load>(&stmt.node)) {
        const std::optional<int64_t> across = pool_.linear_coefficient(load->index, line.range);
        const std::optional<int64_t> along = pool_.linear_coefficient(load->index, depth.range);
        const bool is_long = !too_small(depth.extent, tiling_.min_strip_loop);
        return across != 1 && ((along == 1 && is_long) || !across);
      }
    }
    return true;
  }

  /// Computes the operand into a matrix of its own; `terms` is the product of the depth, or less of
  /// a single loop.
  Matrix computed(const Block& statements, ValueId value, const std::vector<Loop>& lines,
                  const std::vector<Loop>& depth, ExprId most_lines, ExprId terms, Block& out) {
    const bool along_depth = walks_depth(statements, lines.back(), depth.back());
    const ExprId size = pool_.mul(most_lines, product(depth));
    const ArrayId array = scratch(kernel_.value(value).dtype, size, "packed", out);
    const auto& outer = along_depth ? lines : depth;
    const auto& inner = along_depth ? depth : lines;
    const ExprId place = pool_.add(pool_.mul(position(outer), product(inner)), position(inner));
    Block body = statements;
    body.push_back({Store{array, place, value}});
    for (const auto* loops : {&inner, &outer}) {
      for (size_t i = loops->size(); i-- > 0;) {
        const Loop& loop = (*loops)[i];
        const bool is_depth = (loops == &inner) == along_depth;
        const ExprId end = is_depth && depth.size() == 1 ? terms : loop.extent;
        For around{loop.range, pool_.constant(0), end, LoopKind::Serial, std::move(body)};
        body.clear();
        body.push_back({std::move(around)});
      }
    }
    Block copy = Cloner(pool_, kernel_, {}).clone(body);
    out.push_back(std::move(copy.front()));
    const ExprId one = pool_.constant(1);
    return along_depth ? Matrix{array, pool_.constant(0), product(depth), one}
                       : Matrix{array, pool_.constant(0), one, product(lines)};
  }

  ExprId rounded_up(ExprId count, int64_t to) {
    return pool_.scale(
        pool_.floor_div(pool_.add(count, pool_.constant(to - 1)), pool_.constant(to)), to);
  }

  static std::string routine(const char* name, DType dtype) {
    return std::string("ct_") + name +
           (dtype == DType::Float32   ? "_f32"
            : dtype == DType::Float64 ? "_f64"
                                      : "_i32");
  }

  ArrayId pack(const char* name, const Matrix& matrix, DType dtype, ExprId lines, ExprId depth,
               ArrayId panels, Block& out) {
    out.push_back({Call{routine(name, dtype),
                        {{panels, pool_.constant(0), true}, {matrix.array, matrix.index, false}},
                        {lines, depth, matrix.line_stride, matrix.depth_stride}}});
    return panels;
  }

  /// Terms of the axes but the first, whose geometry is worked out for every panel.
  static constexpr int64_t kMostWindowTerms = 512;

  /// The load that an operand is, with zero outside of its guard.
  const Load* padded_load(const Block& statements, ValueId value) const {
    const Load* load = nullptr;
    const Select* select = nullptr;
    for (const Stmt& stmt : statements) {
      if (const auto* next = std::get_if<Load>(&stmt.node)) {
        if (load != nullptr) {
          return nullptr;
        }
        load = next;
      } else if (const auto* choice = std::get_if<Select>(&stmt.node)) {
        select = choice;
      } else if (!std::holds_alternative<Constant>(stmt.node)) {
        return nullptr;
      }
    }
    if (load == nullptr) {
      return nullptr;
    }
    if (select == nullptr) {
      return load->value == value ? load : nullptr;
    }
    const bool is_padding = select->value == value && select->cases.size() == 1 &&
                            select->cases.front() == load->guard &&
                            select->args[0] == load->value && is_zero(statements, select->args[1]);
    return is_padding ? load : nullptr;
  }

  bool is_zero(const Block& statements, ValueId value) const {
    const auto known = constants_.find(value.index);
    const Constant* constant = known == constants_.end() ? nullptr : &known->second;
    for (const Stmt& stmt : statements) {
      const auto* local = std::get_if<Constant>(&stmt.node);
      constant = local != nullptr && local->value == value ? local : constant;
    }
    return constant != nullptr && constant->scalar.bits() == 0;
  }

  /// The operand as windows of an array, with zero outside of it, when it is that.
  std::optional<Windows> windows(const Block& statements, ValueId value, DType dtype,
                                 const std::vector<Loop>& lines, const std::vector<Loop>& depth) {
    const Load* load = padded_load(statements, value);
    if (load == nullptr || kernel_.array(load->array).is_scalar ||
        held_as(kernel_.array(load->array)) != dtype) {
      return std::nullopt;
    }
    std::optional<Windows> out = windows_of(*load, lines, depth);
    int64_t terms = 1;
    for (size_t i = 1; out && i < kWindowAxes; ++i) {
      const std::optional<int64_t> count = known(out->axes[i].terms);
      terms = count && *count <= kMostWindowTerms ? terms * *count : kMostWindowTerms + 1;
      if (terms > kMostWindowTerms) {
        return std::nullopt;
      }
    }
    return out;
  }

  /// Packs lines of windows from `first` on.
  void pack_windows(const Windows& windows, DType dtype, ExprId first, ExprId count, ExprId depth,
                    ArrayId panels, Block& out) {
    Call call{routine("pack_windows", dtype),
              {{panels, pool_.constant(0), true}, {windows.array, pool_.constant(0), false}},
              {windows.index, first, count, depth}};
    for (const WindowAxis& axis : windows.axes) {
      call.numbers.insert(call.numbers.end(), {axis.lines, axis.terms});
      if (&axis != &windows.axes.front()) {
        call.numbers.insert(call.numbers.end(),
                            {axis.line_step, axis.term_step, axis.offset, axis.limit});
      }
      call.numbers.insert(call.numbers.end(), {axis.line_stride, axis.term_stride});
    }
    out.push_back({std::move(call)});
  }
};

}  // namespace caten::loops
