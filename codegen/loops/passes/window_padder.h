// Windows that look beyond the border of their array: the array is copied with its border, so that
// the windows need no guards. See Note [padding] in unroll.cpp.
#pragma once

#include <algorithm>
#include <optional>
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
      }
    });
  }

  /// Pads what the loads of a window read, where that costs less than the guards. `terms` are the
  /// loops over the window around the straight-line `body`.
  void pad(const std::vector<LoopAround>& around, const std::vector<Loop>& terms, Block& body) {
    for (size_t i = 0; i < body.size(); ++i) {
      const auto* select = std::get_if<Select>(&body[i].node);
      const std::optional<size_t> loaded = select == nullptr ? std::nullopt : find_load(body, i);
      const Constant* border = loaded ? constant(body, select->args[1]) : nullptr;
      if (border == nullptr) {
        continue;
      }
      auto& load = std::get<Load>(body[*loaded].node);
      const std::optional<Padded> padded = find(around, terms, load);
      if (!padded) {
        continue;
      }
      load.array = copy(*padded, *border, *around[padded->outermost].before);
      load.index = padded->index;
      load.guard.clear();
      // The padded value, under the name that its users know.
      load.value = select->value;
      body.erase(body.begin() + static_cast<std::ptrdiff_t>(i));
      --i;
    }
  }

 private:
  /// One axis of the copy.
  struct Axis {
    int64_t extent;
    int64_t offset;  // place p is element p - offset of `limit`
    int64_t limit;
    int64_t stride;  // from one place to the next in the array
    ExprId place;    // of a line and a term
  };
  struct Padded {
    ArrayId array;
    ExprId start;  // where place 0 of all axes is in the array, or would be
    std::vector<Axis> axes;
    int64_t elements = 1;
    ExprId index;          // of a line and a term in the copy
    size_t outermost = 0;  // of the loops around that the copy is for
  };

  /// The load that a select pads, when nothing else uses it.
  std::optional<size_t> find_load(const Block& body, size_t at) const {
    const auto& select = std::get<Select>(body[at].node);
    std::optional<size_t> out;
    int uses = 0;
    for (size_t i = 0; i < body.size(); ++i) {
      const auto* load = std::get_if<Load>(&body[i].node);
      if (load != nullptr && load->value == select.args[0] && select.cases.size() == 1 &&
          !load->guard.empty() && select.cases.front() == load->guard) {
        out = i;
      }
      for_each_operand(body[i], [&](ValueId value) { uses += value == select.args[0] ? 1 : 0; });
    }
    return uses == 1 ? out : std::nullopt;
  }

  const Constant* constant(const Block& body, ValueId value) const {
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
    const auto is_in_guard = [&](const LoopAround& loop) {
      return std::any_of(load.guard.begin(), load.guard.end(),
                         [&](ExprId expr) { return pool_.uses(expr, loop.range); });
    };
    const auto first = std::find_if(around.begin(), around.end(), is_in_guard);
    const bool is_written =
        std::find(written_.begin(), written_.end(), load.array) != written_.end();
    if (is_written || first == around.end() ||
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
    if (!windows) {
      return std::nullopt;
    }
    const int64_t most = std::min(
        kMostCopied * count, tiling_.scratch_bytes / 2 / size_of(kernel_.array(load.array).dtype));
    out.array = load.array;
    out.start = windows->index;
    out.index = pool_.constant(0);
    for (const WindowAxis& axis : windows->axes) {
      if (pool_.is(axis.lines, 1) && pool_.is(axis.terms, 1)) {
        continue;
      }
      const std::optional<Axis> next = axis_of(axis);
      if (!next || __builtin_mul_overflow(out.elements, next->extent, &out.elements) ||
          out.elements > most) {
        return std::nullopt;
      }
      out.index = pool_.add(pool_.scale(out.index, next->extent), next->place);
      out.axes.push_back(*next);
    }
    return out;
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
    return Axis{(lines - 1) * line_step + (terms - 1) * term_step + 1, offset, limit, stride,
                pool_.add(pool_.scale(axis.line, line_step), pool_.scale(axis.term, term_step))};
  }

  /// Copies the array with its border to scratch.
  ArrayId copy(const Padded& padded, const Constant& border, Block& out) {
    Array array;
    array.label = "padded";
    array.space = ArraySpace::Scratch;
    array.dtype = kernel_.array(padded.array).dtype;
    array.widened = kernel_.array(padded.array).widened;
    array.size = pool_.constant(padded.elements);
    array.written = true;
    const ArrayId id = kernel_.new_array(std::move(array));
    const DType dtype = kernel_.value(border.value).dtype;
    const ValueId around = kernel_.new_value(dtype, "");
    Load load{kernel_.new_value(dtype, ""), padded.array, padded.start, {}};
    ExprId place = pool_.constant(0);
    std::vector<Loop> loops;
    for (const Axis& axis : padded.axes) {
      const ExprId extent = pool_.constant(axis.extent);
      loops.push_back({pool_.new_range(extent, index::RangeKind::Spatial), extent});
      const ExprId at = pool_.range(loops.back().range);
      const ExprId element = pool_.sub(at, pool_.constant(axis.offset));
      place = pool_.add(pool_.scale(place, axis.extent), at);
      load.index = pool_.add(load.index, pool_.scale(at, axis.stride));
      if (axis.offset > 0) {
        load.guard.push_back(element);
      }
      if (axis.extent - axis.offset > axis.limit) {
        load.guard.push_back(pool_.sub(pool_.constant(axis.limit - 1), element));
      }
    }
    const ValueId value = kernel_.new_value(dtype, "");
    Block body;
    body.push_back({load});
    body.push_back({Select{value, {load.guard}, {load.value, around}}});
    body.push_back({Store{id, place, value}});
    for (size_t i = loops.size(); i-- > 0;) {
      For loop{loops[i].range, pool_.constant(0), loops[i].extent, LoopKind::Serial,
               std::move(body)};
      body.clear();
      body.push_back({std::move(loop)});
    }
    out.push_back({Scratch{id}});
    out.push_back({Constant{around, border.scalar}});
    out.push_back(std::move(body.front()));
    return id;
  }

  /// A copy takes so many elements for each window at most.
  static constexpr int64_t kMostCopied = 2;
  std::vector<ArrayId> written_;
};

}  // namespace caten::loops
