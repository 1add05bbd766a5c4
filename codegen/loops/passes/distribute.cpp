// Distribute: a loop that reads elements chosen by an index becomes several loops over blocks of
// its iterations, of which only one binds the index; the others run in strips and as rows. See Note
// [stages].
#include <algorithm>
#include <array>
#include <map>

#include "codegen/loops/passes/loop_stages.h"
#include "codegen/loops/passes/passes.h"
#include "codegen/loops/visit.h"

namespace caten::loops {
namespace {

/// Below so many operations outside of inner loops the loop stays as it is.
constexpr int kLeastOps = 4;
/// Iterations of a block of a parallel loop around other loops: what several threads can share.
constexpr int64_t kParallelRows = 16;

class Distributor {
 public:
  Distributor(index::Pool& pool, const codegen::Tiling& tiling, Kernel& kernel)
      : pool_(pool), tiling_(tiling), kernel_(kernel) {}

  void block(Block& statements) {
    for (Stmt& stmt : statements) {
      Block* body = body_of(stmt);
      if (body == nullptr) {
        continue;
      }
      auto* loop = std::get_if<For>(&stmt.node);
      if (loop == nullptr || !binds(*body)) {
        block(*body);
      } else if (is_long(*loop) && is_plain(*body)) {
        if (std::optional<For> blocks = Cut(*this, *loop).run()) {
          stmt.node = std::move(*blocks);
        }
      }
    }
  }

 private:
  static bool binds(const Block& body) {
    return std::any_of(body.begin(), body.end(),
                       [](const Stmt& stmt) { return std::holds_alternative<Bind>(stmt.node); });
  }
  bool is_long(const For& loop) const {
    const std::optional<int64_t> trips = pool_.constant_value(loop.hi);
    return pool_.is(loop.lo, 0) && (!trips || *trips >= 2 * tiling_.min_strip_loop);
  }
  static bool is_plain(const Block& body) {
    bool plain = true;
    for_each_stmt(body, [&](const Stmt& stmt) {
      plain = plain && !std::holds_alternative<If>(stmt.node) &&
              !std::holds_alternative<Call>(stmt.node) &&
              !std::holds_alternative<SortLine>(stmt.node);
    });
    return plain;
  }

  /// One loop.
  class Cut {
   public:
    Cut(Distributor& all, For& loop)
        : pool_(all.pool_), tiling_(all.tiling_), kernel_(all.kernel_), loop_(loop) {}

    std::optional<For> run() {
      std::optional<Stages> stages = StageFinder(pool_, kernel_, loop_).find();
      if (!stages) {
        return std::nullopt;
      }
      stages_ = std::move(*stages);
      return is_worth_it() ? std::optional(blocks()) : std::nullopt;
    }

   private:
    bool has_loops() const {
      return std::any_of(loop_.body.begin(), loop_.body.end(),
                         [](const Stmt& stmt) { return body_of(stmt) != nullptr; });
    }
    bool is_worth_it() const {
      int ops = 0;
      for (const Stmt& stmt : loop_.body) {
        if (const auto* let = std::get_if<Let>(&stmt.node)) {
          ops += air::info(let->op).has(air::kTranscendental) ? codegen::kTranscendentalOps : 1;
        }
      }
      return ops >= kLeastOps || has_loops();
    }

    /// Whether a stage computes the value again: it costs less than a store and a load.
    static bool is_repeated(const Stmt& stmt) {
      return std::holds_alternative<Constant>(stmt.node) ||
             std::holds_alternative<IndexValue>(stmt.node);
    }

    For blocks() {
      const bool is_shared = loop_.kind == LoopKind::Parallel && has_loops();
      iterations_ = is_shared ? std::min(kParallelRows, tiling_.strip) : tiling_.strip;
      const ExprId size = pool_.constant(iterations_);
      const ExprId count =
          pool_.floor_div(pool_.add(loop_.hi, pool_.constant(iterations_ - 1)), size);
      const RangeId number = pool_.new_range(count, index::RangeKind::Spatial);
      first_ = pool_.mul(pool_.range(number), size);
      For out{number, pool_.constant(0), count, loop_.kind, {}};
      if (loop_.kind == LoopKind::Parallel) {
        out.cost = pool_.mul(loop_.cost, size);
        out.worker_bytes = loop_.worker_bytes;
      }
      std::array<Block, kStages> stages = separate(out.body);
      copy_arrays(stages, out.body);
      const ExprId trips = pool_.min(size, pool_.sub(loop_.hi, first_));
      for (Block& stage : stages) {
        if (stage.empty()) {
          continue;
        }
        const RangeId range = pool_.new_range(size, index::RangeKind::Spatial);
        Cloner cloner(pool_, kernel_, {{loop_.range, pool_.add(first_, pool_.range(range))}});
        out.body.push_back(
            {For{range, pool_.constant(0), trips, LoopKind::Serial, cloner.clone(stage)}});
      }
      return out;
    }

    ExprId in_block() { return pool_.sub(pool_.range(loop_.range), first_); }

    /// Scratch of the block with an element for every iteration.
    ArrayId scratch(std::string label, DType dtype, bool widened, Block& declared) {
      Array array;
      array.space = ArraySpace::Scratch;
      array.label = std::move(label);
      array.dtype = dtype;
      array.widened = widened;
      array.size = pool_.constant(iterations_);
      array.written = true;
      const ArrayId id = kernel_.new_array(std::move(array));
      declared.push_back({Scratch{id}});
      return id;
    }

    /// What an iteration leaves in its scratch is copied, and later stages read the copies.
    void copy_arrays(std::array<Block, kStages>& stages, Block& declared) {
      for (const auto& [index, writer] : stages_.shared) {
        const ArrayId original{index};
        const Array info = kernel_.array(original);
        const ArrayId copy = scratch(info.label, info.dtype, info.widened, declared);
        for (size_t stage = writer + 1; stage < kStages; ++stage) {
          for (Stmt& stmt : stages[stage]) {
            if (auto* load = std::get_if<Load>(&stmt.node); load && load->array == original) {
              load->array = copy;
              load->index = in_block();
            }
          }
        }
        const ValueId value = kernel_.new_value(
            is_half(info.dtype) && info.widened ? DType::Float32 : info.dtype, info.label);
        stages[writer].push_back({Load{value, original, pool_.constant(0), {}}});
        stages[writer].push_back({Store{copy, in_block(), value}});
      }
    }

    /// The statements of every stage; values of earlier ones go through scratch of the block.
    std::array<Block, kStages> separate(Block& declared) {
      std::array<Block, kStages> out;
      std::map<uint32_t, size_t> defined;  // value -> statement
      std::map<uint32_t, ArrayId> stored;
      std::array<std::map<uint32_t, ValueId>, kStages> known;  // in the stage
      for (size_t i = 0; i < loop_.body.size(); ++i) {
        if (const std::optional<ValueId> value = defined_by(loop_.body[i])) {
          defined[value->index] = i;
        }
      }
      const auto fetch = [&](size_t stage, ValueId value) {
        const auto definition = defined.find(value.index);
        if (definition == defined.end() || stages_.of[definition->second] == stage) {
          return value;
        }
        const auto [entry, inserted] = known[stage].try_emplace(value.index, value);
        if (!inserted) {
          return entry->second;
        }
        const Stmt& source = loop_.body[definition->second];
        const ValueInfo info = kernel_.value(value);
        const ValueId fresh = kernel_.new_value(info.dtype, info.label);
        entry->second = fresh;
        if (is_repeated(source)) {
          Stmt copy = source;
          if (auto* constant = std::get_if<Constant>(&copy.node)) {
            constant->value = fresh;
          } else {
            std::get<IndexValue>(copy.node).value = fresh;
          }
          out[stage].push_back(std::move(copy));
          return fresh;
        }
        auto array = stored.find(value.index);
        if (array == stored.end()) {
          const ArrayId id = scratch(info.label, info.dtype, is_half(info.dtype), declared);
          out[stages_.of[definition->second]].push_back({Store{id, in_block(), value}});
          array = stored.emplace(value.index, id).first;
        }
        out[stage].push_back({Load{fresh, array->second, in_block(), {}}});
        return fresh;
      };
      for (size_t stage = 0; stage < kStages; ++stage) {
        for (size_t i = 0; i < loop_.body.size(); ++i) {
          if (stages_.of[i] != stage) {
            continue;
          }
          Stmt stmt = std::move(loop_.body[i]);
          const auto replace = [&](Stmt& one) {
            for_each_operand(one, [&](ValueId& value) { value = fetch(stage, value); });
          };
          replace(stmt);
          if (Block* body = body_of(stmt)) {
            each_inside(*body, replace);
          }
          loop_.body[i] = stmt;  // what later stages repeat
          out[stage].push_back(std::move(stmt));
        }
      }
      return out;
    }
    template <typename F>
    static void each_inside(Block& statements, F f) {
      for (Stmt& stmt : statements) {
        f(stmt);
        if (Block* body = body_of(stmt)) {
          each_inside(*body, f);
        }
      }
    }

    index::Pool& pool_;
    const codegen::Tiling& tiling_;
    Kernel& kernel_;
    For& loop_;
    Stages stages_;
    int64_t iterations_ = 0;  // of a block
    ExprId first_;
  };

  index::Pool& pool_;
  const codegen::Tiling& tiling_;
  Kernel& kernel_;
};

}  // namespace

Module distribute(Module module) {
  for (Kernel& kernel : module.kernels) {
    Distributor(module.pool, module.tiling, kernel).block(kernel.body);
  }
  return module;
}

// Note [stages]
// A loop over rows that computes a sum of each, then reads the element that an index of the row
// chooses, then goes on with both (a cross-entropy) is neither a strip nor rows of strips: a bind
// may set the status of the kernel, and what it binds stands in index expressions. Such a loop is
// distributed (Allen and Kennedy, Optimizing Compilers for Modern Architectures, 5.4) over blocks
// of its iterations: first inner loops with what they need, then what the index is computed from,
// then the binds with the loads that use them, then the rest. Values that a later stage needs are
// stored in scratch of the block; constants and indices are computed anew. The order of iterations
// stays the same within each stage, and no stage writes what another one touches.
}  // namespace caten::loops
