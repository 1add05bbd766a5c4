// Loads in nests as windows of an array: what a convolution or a pooling looks at.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "codegen/loops/passes/contraction_finder.h"

namespace caten::loops {

class WindowFinder : protected ContractionFinder {
 protected:
  using ContractionFinder::ContractionFinder;

  /// One of the axes over which lines and terms of windows are numbered, as of
  /// runtime/intrinsics/strips/windows.cpp: inside where 0 <= line * line_step + term * term_step -
  /// offset < limit, in memory at line * line_stride + term * term_stride.
  struct WindowAxis {
    ExprId lines;
    ExprId terms;
    ExprId line_step;
    ExprId term_step;
    ExprId offset;
    ExprId limit;
    ExprId line_stride;
    ExprId term_stride;
    bool is_guarded = false;
    ExprId line{};  // the numbers
    ExprId term{};
  };
  static constexpr size_t kWindowAxes = 4;
  struct Windows {
    ArrayId array;
    ExprId index;
    std::array<WindowAxis, kWindowAxes> axes;
  };
  /// What the guards ask of a line and a term.
  struct Inside {
    std::optional<size_t> line;
    std::optional<size_t> term;
    int64_t line_step = 0;
    int64_t term_step = 0;
    std::optional<ExprId> lower;  // line * line_step + term * term_step + lower >= 0
    std::optional<ExprId> upper;  // line * line_step + term * term_step <= upper
  };

  /// The condition expr >= 0 in terms of one line loop and one term loop.
  std::optional<Inside> condition(ExprId expr, const std::vector<Loop>& lines,
                                  const std::vector<Loop>& depth) {
    Inside out;
    ExprId rest = expr;
    const auto take = [&](const std::vector<Loop>& loops, std::optional<size_t>& which,
                          int64_t& coefficient) {
      for (size_t i = 0; i < loops.size(); ++i) {
        if (!pool_.uses(expr, loops[i].range)) {
          continue;
        }
        const std::optional<int64_t> linear = pool_.linear_coefficient(expr, loops[i].range);
        if (which || !linear) {
          return false;
        }
        which = i;
        coefficient = *linear;
        rest = pool_.sub(rest, pool_.scale(pool_.range(loops[i].range), *linear));
      }
      return true;
    };
    if (!take(lines, out.line, out.line_step) || !take(depth, out.term, out.term_step) ||
        (!out.line && !out.term)) {
      return std::nullopt;
    }
    if (out.line_step >= 0 && out.term_step >= 0) {
      out.lower = rest;
      return out;
    }
    if (out.line_step > 0 || out.term_step > 0) {
      return std::nullopt;
    }
    out.line_step = -out.line_step;
    out.term_step = -out.term_step;
    out.upper = rest;
    return out;
  }

  /// All conditions, one entry for those on the same loops.
  std::optional<std::vector<Inside>> conditions(const Guard& guard, const std::vector<Loop>& lines,
                                                const std::vector<Loop>& depth) {
    std::vector<Inside> out;
    for (ExprId expr : guard) {
      const std::optional<Inside> next = condition(expr, lines, depth);
      if (!next) {
        return std::nullopt;
      }
      const auto known = std::find_if(out.begin(), out.end(), [&](const Inside& one) {
        return (next->line && one.line == next->line) || (next->term && one.term == next->term);
      });
      if (known == out.end()) {
        out.push_back(*next);
        continue;
      }
      std::optional<ExprId>& place = next->lower ? known->lower : known->upper;
      const std::optional<ExprId>& bound = next->lower ? next->lower : next->upper;
      if (known->line != next->line || known->term != next->term ||
          known->line_step != next->line_step || known->term_step != next->term_step ||
          (place && place != bound)) {
        return std::nullopt;
      }
      place = bound;
    }
    return out;
  }

  /// What a load reads as windows of its array, when it is that: loops of lines and terms are
  /// paired up, last ones first, so that a guard is about one pair.
  std::optional<Windows> windows_of(const Load& load, const std::vector<Loop>& lines,
                                    const std::vector<Loop>& depth) {
    const std::optional<std::vector<Inside>> guards = conditions(load.guard, lines, depth);
    if (!guards) {
      return std::nullopt;
    }
    Windows out{load.array, load.index, {}};
    bool is_linear = true;
    const auto stride = [&](const Loop& loop) {
      const ExprId by = step(load.index, loop.range);
      is_linear = is_linear && !uses_any(by, lines) && !uses_any(by, depth);
      out.index = pool_.sub(out.index, pool_.mul(pool_.range(loop.range), by));
      return by;
    };
    const ExprId zero = pool_.constant(0);
    const ExprId one = pool_.constant(1);
    const WindowAxis trivial{one, one, zero, zero, zero, one, zero, zero, false, zero, zero};
    const auto guard_of = [&](std::optional<size_t> Inside::*loop, size_t at) {
      return std::find_if(guards->begin(), guards->end(),
                          [&](const Inside& inside) { return inside.*loop == at; });
    };
    std::vector<WindowAxis> axes;  // last ones first
    for (size_t line = lines.size(), term = depth.size(); line > 0 || term > 0;) {
      auto of_line = line > 0 ? guard_of(&Inside::line, line - 1) : guards->end();
      auto of_term = term > 0 ? guard_of(&Inside::term, term - 1) : guards->end();
      bool has_line = line > 0;
      bool has_term = term > 0;
      if (has_line && has_term && of_line != of_term) {
        // One of them is about a loop further out, or about no other loop.
        const bool line_waits = of_line != guards->end() && of_line->term;
        const bool term_waits = of_term != guards->end() && of_term->line;
        if (line_waits && term_waits) {
          return std::nullopt;
        }
        has_line = !line_waits;
        has_term = line_waits;
      }
      WindowAxis axis = trivial;
      if (has_line) {
        axis.lines = lines[line - 1].extent;
        axis.line_stride = stride(lines[line - 1]);
        axis.line = pool_.range(lines[line - 1].range);
      }
      if (has_term) {
        axis.terms = depth[term - 1].extent;
        axis.term_stride = stride(depth[term - 1]);
        axis.term = pool_.range(depth[term - 1].range);
      }
      if (const auto guard = has_line ? of_line : of_term; guard != guards->end()) {
        axis.is_guarded = true;
        axis.line_step = pool_.constant(guard->line_step);
        axis.term_step = pool_.constant(guard->term_step);
        axis.offset = guard->lower ? pool_.sub(zero, *guard->lower) : zero;
        const ExprId upper = guard->upper.value_or(pool_.add(
            pool_.scale(axis.lines, guard->line_step), pool_.scale(axis.terms, guard->term_step)));
        axis.limit = pool_.add(pool_.sub(upper, axis.offset), one);
      }
      line -= has_line ? 1 : 0;
      term -= has_term ? 1 : 0;
      axes.push_back(axis);
    }
    std::reverse(axes.begin(), axes.end());
    // What is inside is worked out once for the first axis.
    const size_t free = !axes.front().is_guarded ? 1 : 0;
    if (!is_linear || axes.size() + 1 - free > kWindowAxes || uses_any(out.index, lines) ||
        uses_any(out.index, depth)) {
      return std::nullopt;
    }
    out.axes.fill(trivial);
    if (free == 1) {
      out.axes[0] = axes[0];
    }
    std::copy(axes.begin() + static_cast<std::ptrdiff_t>(free), axes.end(),
              out.axes.end() - static_cast<std::ptrdiff_t>(axes.size() - free));
    return out;
  }
};

}  // namespace caten::loops
