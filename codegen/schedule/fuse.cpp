// What shares a kernel. See Note [what shares a kernel]; which loops statements may share is
// loop_groups.cpp's.
#include <algorithm>
#include <map>
#include <set>

#include "codegen/schedule/loop_groups.h"
#include "ir/support/check.h"

namespace caten::schedule {
namespace {

using codegen::kMaxCycleSearch;
using codegen::kMaxKernelStatements;
using codegen::kRarely;

class Fuser {
 public:
  explicit Fuser(Schedule& schedule)
      : schedule_(schedule),
        pool_(schedule.pool),
        loops_(schedule),
        kernel_of_(schedule.statements.size(), SIZE_MAX),
        after_contraction_(schedule.statements.size(), false) {}

  void run();

 private:
  struct Draft {
    std::vector<Group> groups;
    std::vector<StatementId> statements;
    std::set<size_t> depends_on;  // other drafts
    std::set<ArrayId> reads;
  };

  bool depends(size_t later, size_t earlier);
  bool goes_on_by_rows(StatementId id, const Flow& flow) const;
  bool comes_between_more(StatementId id, RangeId row, const Draft& before) const;
  bool may_join(size_t kernel, StatementId id);
  bool join_kernel(size_t kernel, StatementId id);
  bool is_scatter(StatementId id) const {
    return schedule_.statement(id).kind == StatementKind::Scatter;
  }
  bool is_prelude_of(const Draft& draft, StatementId id) const;
  bool walks_columns(const Group& group, StatementId id) const;
  bool sums_products(const Group& group, StatementId id) const;
  void finish_join(size_t kernel, StatementId id);
  void take_in_preludes(size_t kernel, StatementId id);
  void take_in_operands(size_t kernel, StatementId id);
  bool is_alone_with(StatementId id, size_t other) const;
  bool may_take_in(size_t kernel, size_t other);
  void take_in(size_t kernel, size_t other);
  void place_statement(StatementId id);
  void note_separate(StatementId id, size_t kernel);

  Schedule& schedule_;
  index::Pool& pool_;
  LoopGroups loops_;
  std::vector<size_t> kernel_of_;
  std::vector<char> after_contraction_;  // a contraction precedes it in its kernel
  std::vector<Draft> drafts_;
  std::map<ArrayId, size_t> last_reader_;  // draft that last read an array
  std::vector<uint64_t> seen_in_;          // per draft: the last search that came by
  uint64_t search_ = 0;
};

/// Whether draft `later` depends on draft `earlier`, directly or not.
bool Fuser::depends(size_t later, size_t earlier) {
  seen_in_.resize(drafts_.size(), 0);
  ++search_;
  int seen = 0;
  std::vector<size_t> stack = {later};
  while (!stack.empty()) {
    const size_t draft = stack.back();
    stack.pop_back();
    if (draft == earlier || seen > kMaxCycleSearch) {
      return true;
    }
    for (size_t next : drafts_[draft].depends_on) {
      if (seen_in_[next] != search_) {
        seen_in_[next] = search_;
        ++seen;
        stack.push_back(next);
      }
    }
  }
  return false;
}

/// Whether a contraction over the result of another goes on with its rows, as attention does: a row
/// of results takes just one row of the other, and there are batches. Then a block of rows is all
/// that is kept of what comes between. Without batches such a kernel has as many threads to use as
/// there are rows: that is worth it where what comes between is much larger than what it comes from
/// and what becomes of it.
bool Fuser::goes_on_by_rows(StatementId id, const Flow& flow) const {
  const std::vector<RangeId>& batches = loops_.dependences(id).batches;
  const std::vector<RangeId>& spatial = schedule_.statement(id).spatial;
  const auto in = [](const std::vector<RangeId>& ranges, RangeId range) {
    return std::find(ranges.begin(), ranges.end(), range) != ranges.end();
  };
  const bool aligned = std::all_of(flow.aligned.begin(), flow.aligned.end(),
                                   [](const auto& range) { return range.has_value(); });
  if (!aligned) {
    return false;
  }
  const auto row = std::find_if(flow.aligned.begin(), flow.aligned.end(),
                                [&](const auto& range) { return !in(batches, *range); });
  if (row == flow.aligned.end() || !in(spatial, **row)) {
    return false;
  }
  return row != flow.aligned.begin() ||
         comes_between_more(id, **row, drafts_[kernel_of_[flow.producer.index]]);
}

/// Whether rows may have any length, and what they come from and become is as wide as some number:
/// scores of one head, between queries and mixed values.
bool Fuser::comes_between_more(StatementId id, RangeId row, const Draft& before) const {
  const auto is_known = [&](RangeId range) {
    return range == row || pool_.constant_value(pool_.range_info(range).extent).has_value();
  };
  const auto are_known = [&](const std::vector<RangeId>& ranges) {
    return std::all_of(ranges.begin(), ranges.end(), is_known);
  };
  const Statement& statement = schedule_.statement(id);
  return are_known(statement.spatial) && !are_known(statement.reduce) &&
         std::all_of(before.statements.begin(), before.statements.end(), [&](StatementId member) {
           return !loops_.dependences(member).contraction ||
                  are_known(schedule_.statement(member).reduce);
         });
}

/// No cycle between kernels, no read-write order inside one, not too large, and no contraction
/// over the result of a contraction unless it goes on by rows.
bool Fuser::may_join(size_t kernel, StatementId id) {
  if (drafts_[kernel].statements.size() >= kMaxKernelStatements) {
    note_separate(id, kernel);
    return false;
  }
  const Dependences& dependences = loops_.dependences(id);
  std::set<size_t> others;
  for (StatementId before : schedule_.statement(id).after) {
    if (kernel_of_[before.index] != kernel) {
      others.insert(kernel_of_[before.index]);
    } else if (find_overwrite(dependences, before) == nullptr && !is_scatter(id)) {
      return false;
    }
  }
  for (const Flow& flow : dependences.flows) {
    const size_t other = kernel_of_[flow.producer.index];
    if (other != kernel) {
      others.insert(other);
    } else if (dependences.contraction && after_contraction_[flow.producer.index] &&
               !goes_on_by_rows(id, flow)) {
      return false;
    }
  }
  return std::none_of(others.begin(), others.end(),
                      [&](size_t other) { return depends(other, kernel); });
}

/// Everything in the draft is small beside the statement: fewer elements in the proven sense that
/// its ranges' extents are some of the statement's.
bool Fuser::is_prelude_of(const Draft& draft, StatementId id) const {
  const auto extents_of = [&](const Statement& statement) {
    std::multiset<ExprId> extents;
    for (const auto* ranges : {&statement.spatial, &statement.reduce}) {
      for (RangeId range : *ranges) {
        extents.insert(pool_.range_info(range).extent);
      }
    }
    return extents;
  };
  const std::multiset<ExprId> own = extents_of(schedule_.statement(id));
  return std::all_of(draft.statements.begin(), draft.statements.end(), [&](StatementId other) {
    const std::multiset<ExprId> extents = extents_of(schedule_.statement(other));
    return extents.size() < own.size() &&
           std::includes(own.begin(), own.end(), extents.begin(), extents.end());
  });
}

/// Sharing this loop would make the statement walk memory across its last axis: that of its result,
/// or the one that a product of a matrix and a vector sums.
bool Fuser::walks_columns(const Group& group, StatementId id) const {
  const std::vector<RangeId>& spatial = schedule_.statement(id).spatial;
  const bool sums_rows = !spatial.empty() && !schedule_.statement(id).reduce_outside;
  return std::all_of(group.candidates.begin(), group.candidates.end(), [&](const Candidate& c) {
    const RangeId range = c.ranges.back();
    return pool_.range_info(range).kind == index::RangeKind::Reduce
               ? sums_rows
               : spatial.size() > 1 && range == spatial.back();
  });
}

/// Sharing this loop would add up the elements of a product as they come: threads, which compute
/// one element each, would have to take turns.
bool Fuser::sums_products(const Group& group, StatementId id) const {
  const Statement& statement = schedule_.statement(id);
  return statement.spatial.empty() && !statement.reduce.empty() &&
         std::any_of(group.members.begin(), group.members.end(), [&](StatementId member) {
           return member != id && loops_.dependences(member).contraction;
         });
}

bool Fuser::join_kernel(size_t kernel, StatementId id) {
  if (!may_join(kernel, id) || schedule_.decisions.choose(false, kRarely)) {
    return false;
  }
  Draft& draft = drafts_[kernel];
  const Dependences& dependences = loops_.dependences(id);
  size_t first = 0;
  bool related = false;
  bool scalar_flow = false;
  for (const Flow& flow : dependences.flows) {
    if (kernel_of_[flow.producer.index] == kernel) {
      first = std::max(first, loops_.group_of(flow.producer));
      related = true;
      scalar_flow |= schedule_.statement(flow.producer).spatial.empty();
    }
  }
  for (const Flow& flow : dependences.overwrites) {
    if (kernel_of_[flow.producer.index] == kernel) {
      first = std::max(first, loops_.group_of(flow.producer));
    }
  }
  if (is_scatter(id)) {  // loops of its own, after the base has been filled
    const std::vector<StatementId>& after = schedule_.statement(id).after;
    const bool has_base = std::any_of(after.begin(), after.end(), [&](StatementId base) {
      return kernel_of_[base.index] == kernel;
    });
    if (has_base) {
      loops_.start_group(draft.groups, id);
      finish_join(kernel, id);
    }
    return has_base;
  }
  const bool prelude = related && is_prelude_of(draft, id);
  const bool scalar =
      schedule_.statement(id).spatial.empty() && schedule_.statement(id).reduce.empty();
  if (!scalar) {
    for (size_t number = first; number < draft.groups.size(); ++number) {
      std::optional<Group> group = loops_.joined(draft.groups[number], id);
      if (!group || (!related && dependences.contraction) ||
          (prelude && walks_columns(*group, id)) || sums_products(*group, id)) {
        continue;
      }
      loops_.add_member(draft.groups[number], std::move(*group), number);
      finish_join(kernel, id);
      return true;
    }
  }
  const bool shares =
      std::any_of(dependences.reads.begin(), dependences.reads.end(),
                  [&](const Read& read) { return draft.reads.contains(read.array); });
  if (related && (scalar || prelude || (scalar_flow && shares))) {
    loops_.start_group(draft.groups, id);
    finish_join(kernel, id);
    return true;
  }
  return false;
}

void Fuser::finish_join(size_t kernel, StatementId id) {
  Draft& draft = drafts_[kernel];
  draft.statements.push_back(id);
  kernel_of_[id.index] = kernel;
  const Dependences& dependences = loops_.dependences(id);
  after_contraction_[id.index] = dependences.contraction;
  for (const Flow& flow : dependences.flows) {
    if (kernel_of_[flow.producer.index] != kernel) {
      draft.depends_on.insert(kernel_of_[flow.producer.index]);
    } else if (after_contraction_[flow.producer.index]) {
      after_contraction_[id.index] = true;
    }
  }
  for (StatementId before : schedule_.statement(id).after) {
    if (kernel_of_[before.index] != kernel) {
      draft.depends_on.insert(kernel_of_[before.index]);
    }
  }
  for (const Read& read : dependences.reads) {
    draft.reads.insert(read.array);
    last_reader_[read.array] = kernel;
  }
  draft.reads.insert(schedule_.statement(id).array);
}

/// The statements of another kernel that the kernel depends on may move into it.
bool Fuser::may_take_in(size_t kernel, size_t other) {
  if (drafts_[other].statements.size() + drafts_[kernel].statements.size() > kMaxKernelStatements) {
    return false;
  }
  const std::set<size_t>& needs = drafts_[kernel].depends_on;
  return std::none_of(needs.begin(), needs.end(), [&](size_t need) {
    return need != other && depends(need, other);  // another kernel has to run between the two
  });
}

/// The statements of `other` come before those of the kernel; its groups have been moved.
void Fuser::take_in(size_t kernel, size_t other) {
  Draft& from = drafts_[other];
  Draft& into = drafts_[kernel];
  for (StatementId member : from.statements) {
    kernel_of_[member.index] = kernel;
  }
  from.statements.insert(from.statements.end(), into.statements.begin(), into.statements.end());
  into.statements = std::move(from.statements);
  into.depends_on.insert(from.depends_on.begin(), from.depends_on.end());
  into.depends_on.erase(other);
  into.reads.insert(from.reads.begin(), from.reads.end());
  for (ArrayId array : from.reads) {
    if (auto reader = last_reader_.find(array);
        reader != last_reader_.end() && reader->second == other) {
      reader->second = kernel;
    }
  }
  // Whoever depended on the emptied draft finds the kernel through it.
  from = Draft{};
  from.depends_on = {kernel};
}

/// Kernels that only prepare small tables for the statement move into its kernel, before the rest.
void Fuser::take_in_preludes(size_t kernel, StatementId id) {
  for (const Flow& flow : loops_.dependences(id).flows) {
    const size_t other = kernel_of_[flow.producer.index];
    if (other == kernel || !is_prelude_of(drafts_[other], id) || !may_take_in(kernel, other)) {
      continue;
    }
    std::vector<Group>& before = drafts_[other].groups;
    std::vector<Group>& groups = drafts_[kernel].groups;
    for (StatementId member : drafts_[kernel].statements) {
      loops_.shift(member, before.size());
    }
    before.insert(before.end(), std::make_move_iterator(groups.begin()),
                  std::make_move_iterator(groups.end()));
    groups = std::move(before);
    take_in(kernel, other);
  }
}

/// Whether the statement is the only one of its kernel that comes after something of the other
/// kernel, and that because it reads results.
bool Fuser::is_alone_with(StatementId id, size_t other) const {
  const Draft& draft = drafts_[kernel_of_[id.index]];
  return std::none_of(draft.statements.begin(), draft.statements.end(), [&](StatementId member) {
    const std::vector<Flow>& flows = loops_.dependences(member).flows;
    const std::vector<StatementId>& after = schedule_.statement(member).after;
    return std::any_of(after.begin(), after.end(),
                       [&](StatementId s) { return kernel_of_[s.index] == other; }) ||
           (member != id && std::any_of(flows.begin(), flows.end(), [&](const Flow& flow) {
              return kernel_of_[flow.producer.index] == other;
            }));
  });
}

/// What the statement combines with results of its own kernel, element by element, moves into that
/// kernel: sums over rows of two matrices that are added, say. They have nothing in common but
/// their reader, so they were put into kernels of their own.
void Fuser::take_in_operands(size_t kernel, StatementId id) {
  for (const Flow& flow : loops_.dependences(id).flows) {
    const size_t other = kernel_of_[flow.producer.index];
    std::vector<Group>& first = drafts_[other].groups;
    std::vector<Group>& groups = drafts_[kernel].groups;
    const size_t number = loops_.group_of(id);
    // Only two single nests: what else the kernels do would have to wait for the loops they share.
    if (other == kernel || first.size() != 1 || groups.size() != 1 || !is_alone_with(id, other) ||
        (loops_.dependences(id).contraction && after_contraction_[flow.producer.index]) ||
        !may_take_in(kernel, other) || schedule_.decisions.choose(false, kRarely)) {
      continue;
    }
    std::optional<Group> both = loops_.merged(first.front(), groups.front(), id);
    if (!both) {
      continue;
    }
    loops_.set_members(*both, number);
    groups.front() = std::move(*both);
    after_contraction_[id.index] |= after_contraction_[flow.producer.index];
    take_in(kernel, other);
  }
}

void Fuser::note_separate(StatementId id, size_t kernel) {
  for (const Flow& flow : loops_.dependences(id).flows) {
    if (kernel_of_[flow.producer.index] == kernel) {
      std::string& note = schedule_.statements[flow.producer.index].separate;
      if (!note.empty()) {
        continue;
      }
      if (drafts_[kernel].statements.size() >= kMaxKernelStatements) {
        note = "its kernel has grown to the limit";
      } else if (loops_.dependences(id).contraction && after_contraction_[flow.producer.index] &&
                 !goes_on_by_rows(id, flow)) {
        note = "its consumer is a contraction, and it is computed by one";
      } else if (schedule_.statement(flow.producer).spatial.empty()) {
        note = "it is complete only after all of its loops";
      } else {
        note = "no loop can be shared: the consumer needs all of it, or reads it in another order";
      }
    }
  }
}

void Fuser::place_statement(StatementId id) {
  const Dependences& dependences = loops_.dependences(id);
  // Kernels of producers, those that share most loops first.
  std::map<size_t, int> shared;
  for (const Flow& flow : dependences.flows) {
    int& count = shared[kernel_of_[flow.producer.index]];
    count = std::max(count, flow.aligned_count() + 1);
  }
  std::vector<std::pair<int, size_t>> tries;
  for (const auto& [kernel, count] : shared) {
    tries.emplace_back(-count, kernel);
  }
  std::sort(tries.begin(), tries.end());
  std::vector<size_t> kernels;
  if (is_scatter(id)) {
    for (StatementId base : schedule_.statement(id).after) {
      kernels.push_back(kernel_of_[base.index]);
    }
  }
  for (const auto& [count, kernel] : tries) {
    kernels.push_back(kernel);
  }
  for (const Read& read : dependences.reads) {
    if (auto it = last_reader_.find(read.array); it != last_reader_.end()) {
      if (std::find(kernels.begin(), kernels.end(), it->second) == kernels.end()) {
        kernels.push_back(it->second);
      }
    }
  }
  for (size_t kernel : kernels) {
    if (join_kernel(kernel, id)) {
      take_in_preludes(kernel, id);
      take_in_operands(kernel, id);
      break;
    }
  }
  if (kernel_of_[id.index] == SIZE_MAX) {
    drafts_.emplace_back();
    loops_.start_group(drafts_.back().groups, id);
    finish_join(drafts_.size() - 1, id);
  }
  for (const Flow& flow : dependences.flows) {
    if (kernel_of_[flow.producer.index] != kernel_of_[id.index]) {
      note_separate(id, kernel_of_[flow.producer.index]);
    }
  }
}

void Fuser::run() {
  const auto count = static_cast<uint32_t>(schedule_.statements.size());
  for (uint32_t i = 0; i < count; ++i) {
    place_statement(StatementId{i});
  }
  // Kernels in an order that respects their dependences, otherwise as they came up.
  std::vector<size_t> waiting(drafts_.size(), 0);
  std::vector<std::vector<size_t>> users(drafts_.size());
  std::set<size_t> ready;
  for (size_t i = 0; i < drafts_.size(); ++i) {
    waiting[i] = drafts_[i].depends_on.size();
    for (size_t earlier : drafts_[i].depends_on) {
      users[earlier].push_back(i);
    }
    if (waiting[i] == 0) {
      ready.insert(i);
    }
  }
  size_t finished = 0;
  while (!ready.empty()) {
    const size_t next = *ready.begin();
    ready.erase(ready.begin());
    for (size_t user : users[next]) {
      if (--waiting[user] == 0) {
        ready.insert(user);
      }
    }
    ++finished;
    if (drafts_[next].statements.empty()) {
      continue;  // moved into another kernel
    }
    Kernel kernel;
    kernel.statements = drafts_[next].statements;
    kernel.roots = loops_.trees(std::move(drafts_[next].groups));
    schedule_.kernels.push_back(std::move(kernel));
  }
  CATEN_CHECK(finished == drafts_.size(), "kernels depend on each other in a cycle");
}

}  // namespace

Schedule fuse(Schedule schedule) {
  Fuser(schedule).run();
  return schedule;
}

// Note [what shares a kernel]
// One loop at the outermost level, or a sequence of loops when what flows between them is a scalar
// (softmax of a whole vector), a table much smaller than the main loop (a transcendental of a
// bias), or the base of a scatter. A contraction over the result of a contraction starts a new
// kernel: each wants its own blocking. Not so within batches, by rows: the operands of one batch
// are small, both contractions have blocks of the same rows, and the matrix between them (the
// scores of attention) is never in memory as a whole.

}  // namespace caten::schedule
