// Windows that look beyond the border of their array, or that step over elements: the array is
// copied with its border, so that all loads are of neighbours and need no guards. See Note
// [padding] in unroll.cpp.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "codegen/loops/passes/window_finder.h"

namespace caten::loops {

/// A loop around the window, and the block that what comes before the loop goes to.
struct LoopAround {
  RangeId range;
  ExprId extent;
  bool is_plain;  // in order, from 0 on
  Block* before;
};

class WindowPadder : private WindowFinder {
 public:
  WindowPadder(Module& module, Kernel& kernel) : WindowFinder(module, kernel) {
    for_each_stmt(kernel.body, [&](const Stmt& stmt) {
      if (const auto* store = std::get_if<Store>(&stmt.node)) {
        written_.push_back(store->array);
      } else if (const auto* sum = std::get_if<Accumulate>(&stmt.node)) {
        written_.push_back(sum->array);
      } else if (const auto* call = std::get_if<Call>(&stmt.node)) {
        for (const Call::Pointer& pointer : call->pointers) {
          if (pointer.written) {
            written_.push_back(pointer.array);
          }
        }
      } else if (const auto* sort = std::get_if<SortLine>(&stmt.node)) {
        written_.push_back(sort->order);
      }
    });
  }

  /// Copies what the loads of a window read, where that costs less than what it saves. `terms` are
  /// the loops over the window around the straight-line `body`.
  void pad(const std::vector<LoopAround>& around, const std::vector<Loop>& terms, Block& body) {
    for (size_t i = 0; i < body.size(); ++i) {
      const auto* read = std::get_if<Load>(&body[i].node);
      if (read == nullptr) {
        continue;
      }
      const std::optional<size_t> select = find_select(body, *read);
      const Constant* border = select ? constant(body, *select) : nullptr;
      if (!read->guard.empty() && border == nullptr) {
        continue;
      }
      const std::optional<Padded> padded = find(around, terms, *read);
      if (!padded) {
        continue;
      }
      auto& load = std::get<Load>(body[i].node);
      load.array = copy(*padded, border, *around[padded->outermost].before);
      load.index = padded->index;
      load.guard.clear();
      if (select) {  // its value is that of the load now
        load.value = std::get<Select>(body[*select].node).value;
        body.erase(body.begin() + static_cast<std::ptrdiff_t>(*select));
      }
    }
  }

 private:
  /// One axis of the copy.
  struct Axis {
    int64_t extent;
    int64_t offset;  // place p is element p - offset of `limit`
    int64_t limit;
    int64_t stride;  // from one place to the next in the array
    int64_t phases;  // places that lines step over
    ExprId line;     // the place that a line begins at
    ExprId term;     // the places from there to what a term reads
  };
  struct Padded {
    ArrayId array;
    ExprId start;            // where place 0 of all axes is in the array, or would be
    std::vector<Axis> axes;  // the last one is that of the line
    int64_t elements = 1;
    ExprId index;          // of a line and a term in the copy
    size_t outermost = 0;  // of the loops around that the copy is for
  };
  static constexpr size_t kAxes = 3;  // of ct_with_border_*

  /// The select that gives a load its value outside, when nothing else uses the load.
  static std::optional<size_t> find_select(const Block& body, const Load& load) {
    std::optional<size_t> out;
    int uses = 0;
    for (size_t i = 0; i < body.size(); ++i) {
      const auto* select = std::get_if<Select>(&body[i].node);
      if (select != nullptr && !load.guard.empty() && select->args[0] == load.value &&
          select->cases.size() == 1 && select->cases.front() == load.guard) {
        out = i;
      }
      for_each_operand(body[i], [&](ValueId value) { uses += value == load.value ? 1 : 0; });
    }
    return uses == 1 ? out : std::nullopt;
  }

  /// The constant that a select chooses outside.
  const Constant* constant(const Block& body, size_t select) const {
    const ValueId value = std::get<Select>(body[select].node).args[1];
    for (const Stmt& stmt : body) {
      const auto* local = std::get_if<Constant>(&stmt.node);
      if (local != nullptr && local->value == value) {
        return local;
      }
    }
    const auto known = constants_.find(value.index);
    return known == constants_.end() ? nullptr : &known->second;
  }

  std::optional<Padded> find(const std::vector<LoopAround>& around, const std::vector<Loop>& terms,
                             const Load& load) {
    const Array& array = kernel_.array(load.array);
    const bool is_own = array.space != ArraySpace::Buffer ||
                        std::find(written_.begin(), written_.end(), load.array) != written_.end();
    // The loops from the first one on that decides what is inside, or that steps along the line.
    const auto first =
        load.guard.empty()
            ? std::prev(around.end())
            : std::find_if(around.begin(), around.end(), [&](const LoopAround& loop) {
                return std::any_of(load.guard.begin(), load.guard.end(),
                                   [&](ExprId expr) { return pool_.uses(expr, loop.range); });
              });
    if (is_own || first == around.end() ||
        !std::all_of(first, around.end(), [](const LoopAround& loop) { return loop.is_plain; })) {
      return std::nullopt;
    }
    Padded out;
    out.outermost = static_cast<size_t>(first - around.begin());
    std::vector<Loop> lines;
    int64_t count = 1;
    for (auto loop = first; loop != around.end(); ++loop) {
      lines.push_back({loop->range, loop->extent});
      count *= known(loop->extent).value_or(0);
    }
    const std::optional<Windows> windows = windows_of(load, lines, terms);
    if (!windows || uses_data(windows->index)) {
      return std::nullopt;
    }
    int64_t loads = count;
    for (const Loop& term : terms) {
      loads *= known(term.extent).value_or(0);
    }
    out.array = load.array;
    out.start = windows->index;
    for (const WindowAxis& axis : windows->axes) {
      if (pool_.is(axis.lines, 1) && pool_.is(axis.terms, 1)) {
        continue;
      }
      const std::optional<Axis> next = axis_of(axis);
      if (!next || __builtin_mul_overflow(out.elements, next->extent, &out.elements)) {
        return std::nullopt;
      }
      out.axes.push_back(*next);
    }
    const int64_t most =
        std::min(loads / kLoadsOfElement, tiling_.scratch_bytes / 2 / size_of(array.dtype));
    if (out.axes.empty() || out.axes.size() > kAxes || out.elements > most ||
        (load.guard.empty() && out.axes.back().phases == 1)) {
      return std::nullopt;
    }
    place_lines(out);
    return out;
  }

  /// Whether a Bind, which may be inside of the loops, has set one of the ranges.
  bool uses_data(ExprId expr) const {
    const auto& ranges = pool_.ranges_of(expr);
    return std::any_of(ranges.begin(), ranges.end(), [&](RangeId range) {
      return pool_.range_info(range).kind == index::RangeKind::Data;
    });
  }

  /// Lines that step over places read neighbours all the same: the places that one term reads in
  /// all lines are together, a phase after the other.
  void place_lines(Padded& padded) {
    padded.index = pool_.constant(0);
    padded.elements = 1;
    for (const Axis& axis : padded.axes) {
      const bool is_line = &axis == &padded.axes.back();
      const int64_t phases = is_line ? axis.phases : 1;
      const int64_t length = (axis.extent + phases - 1) / phases;
      const ExprId divisor = pool_.constant(phases);
      const ExprId in_phase =
          pool_.add(pool_.floor_div(axis.line, divisor), pool_.floor_div(axis.term, divisor));
      const ExprId place = pool_.add(pool_.scale(pool_.mod(axis.term, divisor), length), in_phase);
      padded.index = pool_.add(pool_.scale(padded.index, phases * length), place);
      padded.elements *= phases * length;
    }
  }

  /// The axis of a copy, where all about it is known and lines and terms step over the same places.
  std::optional<Axis> axis_of(const WindowAxis& axis) {
    int64_t numbers[8];
    size_t count = 0;
    for (const ExprId expr : {axis.lines, axis.terms, axis.line_step, axis.term_step, axis.offset,
                              axis.limit, axis.line_stride, axis.term_stride}) {
      const std::optional<int64_t> number = known(expr);
      if (!number) {
        return std::nullopt;
      }
      numbers[count++] = *number;
    }
    auto [lines, terms, line_step, term_step, offset, limit, line_stride, term_stride] = numbers;
    if (!axis.is_guarded) {  // one of them, or lines that step over several terms
      const int64_t stride = terms > 1 ? term_stride : line_stride;
      if (stride <= 0 || line_stride % stride != 0) {
        return std::nullopt;
      }
      term_step = terms > 1 ? 1 : 0;
      line_step = line_stride / stride;
      offset = 0;
      limit = (lines - 1) * line_step + (terms - 1) * term_step + 1;
    }
    const int64_t stride = term_step > 0   ? term_stride / term_step
                           : line_step > 0 ? line_stride / line_step
                                           : 0;
    if (stride <= 0 || line_stride != line_step * stride || term_stride != term_step * stride) {
      return std::nullopt;
    }
    return Axis{(lines - 1) * line_step + (terms - 1) * term_step + 1,
                offset,
                limit,
                stride,
                lines > 1 ? std::max<int64_t>(line_step, 1) : 1,
                pool_.scale(axis.line, line_step),
                pool_.scale(axis.term, term_step)};
  }

  ArrayId scratch(DType dtype, const char* label, int64_t elements, Block& out) {
    Array array;
    array.label = label;
    array.space = ArraySpace::Scratch;
    array.dtype = dtype;
    array.size = pool_.constant(elements);
    array.written = true;
    const ArrayId id = kernel_.new_array(std::move(array));
    out.push_back({Scratch{id}});
    return id;
  }

  /// Copies the array with its border to scratch.
  ArrayId copy(const Padded& padded, const Constant* border, Block& out) {
    const DType dtype = kernel_.array(padded.array).dtype;
    const ArrayId id = scratch(dtype, "padded", padded.elements, out);
    const ArrayId outside = scratch(dtype, "border", 1, out);
    const ExprId zero = pool_.constant(0);
    const ValueId value = kernel_.new_value(dtype, "");
    out.push_back({Constant{value, border != nullptr ? border->scalar : Scalar::of_int(dtype, 0)}});
    out.push_back({Store{outside, zero, value}});
    Call call{"ct_with_border_" + std::to_string(size_of(dtype) * 8),
              {{id, zero, true}, {padded.array, zero, false}, {outside, zero, false}},
              {padded.start, pool_.constant(padded.axes.back().phases)}};
    const auto add = [&](const Axis& axis) {
      for (const int64_t number : {axis.extent, axis.offset, axis.limit, axis.stride}) {
        call.numbers.push_back(pool_.constant(number));
      }
    };
    for (size_t i = padded.axes.size(); i < kAxes; ++i) {
      add({1, 0, 1, 0, 1, zero, zero});
    }
    std::for_each(padded.axes.begin(), padded.axes.end(), add);
    out.push_back({std::move(call)});
    return id;
  }

  /// Elements that are copied are read at least so often.
  static constexpr int64_t kLoadsOfElement = 2;
  std::vector<ArrayId> written_;
};

}  // namespace caten::loops
