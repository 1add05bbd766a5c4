// Unroll: a reduction over few known terms inside a loop over many elements becomes straight-line
// code, so that the loop around it, not the one over terms, runs in strips: windows of pooling and
// of depthwise convolutions.
//
//   for j { s = 0; for k { s += f(j, k) }; rest(s) }   ->   for j { t = 0 + f(j, 0) + …; rest(t) }
#include <algorithm>
#include <utility>

#include "codegen/loops/passes/passes.h"
#include "codegen/loops/passes/window_padder.h"
#include "codegen/loops/visit.h"
#include "ir/support/check.h"

namespace caten::loops {
namespace {

/// A window of 5 x 5 is unrolled, one of 7 x 7 is not: its loads alone would be four routines.
constexpr int64_t kMaxTerms = 32;
constexpr size_t kMaxStatements = 400;

air::Op operation(air::ReduceOp op) {
  switch (op) {
    case air::ReduceOp::Add:
      return air::Op::Add;
    case air::ReduceOp::Mul:
      return air::Op::Mul;
    case air::ReduceOp::Max:
      return air::Op::Max;
    case air::ReduceOp::Min:
      return air::Op::Min;
    case air::ReduceOp::And:
      return air::Op::And;
    case air::ReduceOp::Or:
      return air::Op::Or;
  }
  CATEN_UNREACHABLE("reduction");
}

class Unroller {
 public:
  Unroller(Module& module, Kernel& kernel)
      : pool_(module.pool), tiling_(module.tiling), kernel_(kernel), padder_(module, kernel) {}

  void block(Block& statements) {
    Block out;
    out.reserve(statements.size());
    for (Stmt& stmt : statements) {
      if (auto* loop = std::get_if<For>(&stmt.node)) {
        const bool is_plain = loop->kind == LoopKind::Serial && pool_.is(loop->lo, 0);
        around_.push_back({loop->range, loop->hi, is_plain, &out});
        if (is_window(*loop)) {
          pad(*loop);
          unroll(*loop);
        } else {
          block(loop->body);
        }
        around_.pop_back();
      } else if (Block* body = body_of(stmt)) {
        // What a condition guards is not copied before it.
        const std::vector<LoopAround> outside = std::exchange(around_, {});
        block(*body);
        around_ = outside;
      }
      out.push_back(std::move(stmt));
    }
    statements = std::move(out);
  }

 private:
  struct Term {
    RangeId range;
    int64_t extent;
  };

  /// The reduction in the body of the loop, its terms and the scalar it runs in.
  const Accumulate* find_sum(const Block& body, size_t& nest, std::vector<Term>& terms) const {
    const auto is_loop = [](const Stmt& s) { return std::holds_alternative<For>(s.node); };
    nest = static_cast<size_t>(std::find_if(body.begin(), body.end(), is_loop) - body.begin());
    if (nest == body.size() || std::count_if(body.begin(), body.end(), is_loop) != 1) {
      return nullptr;
    }
    const Block* inner = nullptr;
    for (const auto* loop = std::get_if<For>(&body[nest].node); loop != nullptr;
         loop = inner->size() == 1 ? std::get_if<For>(&inner->front().node) : nullptr) {
      const std::optional<int64_t> extent = pool_.constant_value(loop->hi);
      if (!extent || !pool_.is(loop->lo, 0) || loop->kind != LoopKind::Serial) {
        return nullptr;
      }
      terms.push_back({loop->range, *extent});
      inner = &loop->body;
    }
    return inner->empty() ? nullptr : std::get_if<Accumulate>(&inner->back().node);
  }
  const Block& inner(const Block& body, size_t nest) const {
    const Block* out = &std::get<For>(body[nest].node).body;
    while (out->size() == 1 && std::holds_alternative<For>(out->front().node)) {
      out = &std::get<For>(out->front().node).body;
    }
    return *out;
  }

  bool is_window(const For& loop) const {
    size_t nest = 0;
    std::vector<Term> terms;
    const Accumulate* sum = find_sum(loop.body, nest, terms);
    if (sum == nullptr) {
      return false;
    }
    int64_t count = 1;
    for (const Term& term : terms) {
      count *= term.extent;
      if (count > kMaxTerms) {
        return false;
      }
    }
    const Block& body = inner(loop.body, nest);
    const std::optional<int64_t> extent = pool_.constant_value(loop.hi);
    if (extent && !tiling_.is_worth_a_strip(*extent, count * static_cast<int64_t>(body.size()))) {
      return false;
    }
    const Array& scalar = kernel_.array(sum->array);
    if (!scalar.is_scalar || is_half(scalar.dtype) ||
        body.size() * static_cast<size_t>(count) > kMaxStatements) {
      return false;
    }
    // Straight-line code over elements that are a constant number apart.
    const bool straight = std::all_of(body.begin(), body.end(), [&](const Stmt& stmt) {
      const auto* load = std::get_if<Load>(&stmt.node);
      return &stmt == &body.back() ||
             (defined_by(stmt) && !std::holds_alternative<IndexValue>(stmt.node) &&
              (load == nullptr ||
               (load->array != sum->array && pool_.linear_coefficient(load->index, loop.range))));
    });
    return straight && is_own_scalar(loop.body, nest, sum->array);
  }

  /// The scalar is declared and set once before the nest, and only read behind it.
  bool is_own_scalar(const Block& body, size_t nest, ArrayId scalar) const {
    int declared = 0;
    int stored = 0;
    for (size_t i = 0; i < body.size(); ++i) {
      const auto* scratch = std::get_if<Scratch>(&body[i].node);
      const auto* store = std::get_if<Store>(&body[i].node);
      const auto* sum = std::get_if<Accumulate>(&body[i].node);
      const auto* load = std::get_if<Load>(&body[i].node);
      declared += scratch != nullptr && scratch->array == scalar ? 1 : 0;
      stored += store != nullptr && store->array == scalar && i < nest ? 1 : 0;
      if ((i != nest && body_of(body[i]) != nullptr) ||
          (i < nest && load != nullptr && load->array == scalar) ||
          (i > nest && store != nullptr && store->array == scalar) ||
          (sum != nullptr && sum->array == scalar)) {
        return false;
      }
    }
    return declared == 1 && stored == 1;
  }

  void pad(For& loop) {
    size_t nest = 0;
    std::vector<Term> terms;
    find_sum(loop.body, nest, terms);
    std::vector<Loop> loops;
    for (const Term& term : terms) {
      loops.push_back({term.range, pool_.constant(term.extent)});
    }
    padder_.pad(around_, loops, const_cast<Block&>(inner(loop.body, nest)));
  }

  void unroll(For& loop) {
    size_t nest = 0;
    std::vector<Term> terms;
    const Accumulate sum = *find_sum(loop.body, nest, terms);
    const Block body = inner(loop.body, nest);
    const DType dtype = kernel_.array(sum.array).dtype;
    Block out;
    ValueId total;
    for (size_t i = 0; i < nest; ++i) {
      const auto* scratch = std::get_if<Scratch>(&loop.body[i].node);
      const auto* store = std::get_if<Store>(&loop.body[i].node);
      if (store != nullptr && store->array == sum.array) {
        total = store->value;
      } else if (scratch == nullptr || scratch->array != sum.array) {
        out.push_back(std::move(loop.body[i]));
      }
    }
    int64_t count = 1;
    for (const Term& term : terms) {
      count *= term.extent;
    }
    for (int64_t n = 0; n < count; ++n) {
      index::Pool::Substitution at;
      int64_t rest = n;
      for (size_t t = terms.size(); t-- > 0;) {
        at.emplace_back(terms[t].range, pool_.constant(rest % terms[t].extent));
        rest /= terms[t].extent;
      }
      Cloner cloner(pool_, kernel_, std::move(at));
      Block term = cloner.clone(body);
      const ValueId value = std::get<Accumulate>(term.back().node).value;
      term.pop_back();
      std::move(term.begin(), term.end(), std::back_inserter(out));
      const ValueId next = kernel_.new_value(dtype, "");
      out.push_back({Let{next, operation(sum.op), {total, value}}});
      total = next;
    }
    std::vector<uint32_t> read;  // what the scalar is loaded into
    for (size_t i = nest + 1; i < loop.body.size(); ++i) {
      Stmt& stmt = loop.body[i];
      if (const auto* load = std::get_if<Load>(&stmt.node);
          load != nullptr && load->array == sum.array) {
        read.push_back(load->value.index);
        continue;
      }
      for_each_operand(stmt, [&](ValueId& operand) {
        if (std::find(read.begin(), read.end(), operand.index) != read.end()) {
          operand = total;
        }
      });
      out.push_back(std::move(stmt));
    }
    loop.body = std::move(out);
  }

  index::Pool& pool_;
  const codegen::Tiling& tiling_;
  Kernel& kernel_;
  WindowPadder padder_;
  std::vector<LoopAround> around_;
};

}  // namespace

Module unroll(Module module) {
  for (Kernel& kernel : module.kernels) {
    Unroller(module, kernel).block(kernel.body);
  }
  return module;
}

// Note [padding]
// A window that looks beyond the border has guards, which split_guards turns into pieces of loops:
// a strip for the interior, and elements one by one for the border, which cost as much as the
// strip. Where sizes are known, the array is copied into scratch with its border first, by
// ct_with_border, and the windows read the copy: every line is one strip. Where lines step over
// elements (a stride of two), the copy has the even places of a line before the odd ones, so that
// every load of the strip is contiguous. Only what lies in the loops around that the guards are
// about is copied, and only where it is read several times.
}  // namespace caten::loops
