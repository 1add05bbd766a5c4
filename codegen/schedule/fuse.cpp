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

  bool depends(size_t later, size_t earlier) const;
  bool goes_on_by_rows(StatementId id, const Flow& flow) const;
  bool may_join(size_t kernel, StatementId id);
  bool join_kernel(size_t kernel, StatementId id);
  bool is_scatter(StatementId id) const {
    return schedule_.statement(id).kind == StatementKind::Scatter;
  }
  bool is_prelude_of(const Draft& draft, StatementId id) const;
  bool walks_columns(const Group& group, StatementId id) const;
  void finish_join(size_t kernel, StatementId id);
  void take_in_preludes(size_t kernel, StatementId id);
  void place_statement(StatementId id);
  void note_separate(StatementId id, size_t kernel);

  Schedule& schedule_;
  index::Pool& pool_;
  LoopGroups loops_;
  std::vector<size_t> kernel_of_;
  std::vector<char> after_contraction_;  // a contraction precedes it in its kernel
  std::vector<Draft> drafts_;
  std::map<ArrayId, size_t> last_reader_;  // draft that last read an array
};

/// Whether draft `later` depends on draft `earlier`, directly or not.
bool Fuser::depends(size_t later, size_t earlier) const {
  std::vector<size_t> stack = {later};
  std::set<size_t> seen;
  while (!stack.empty()) {
    const size_t draft = stack.back();
    stack.pop_back();
    if (draft == earlier || static_cast<int>(seen.size()) > kMaxCycleSearch) {
      return true;
    }
    for (size_t next : drafts_[draft].depends_on) {
      if (seen.insert(next).second) {
        stack.push_back(next);
      }
    }
  }
  return false;
}

/// Whether a contraction over the result of another goes on with its rows, as attention does: there
/// are batches, and in each a row of results takes just one row of the other. Then a block of rows
/// is all that is kept of what comes between.
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
  return row != flow.aligned.begin() && row != flow.aligned.end() && in(spatial, **row);
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
  const Statement& statement = schedule_.statement(id);
  std::multiset<ExprId> own;
  for (const auto* ranges : {&statement.spatial, &statement.reduce}) {
    for (RangeId range : *ranges) {
      own.insert(pool_.range_info(range).extent);
    }
  }
  return std::all_of(draft.statements.begin(), draft.statements.end(), [&](StatementId other) {
    const Statement& s = schedule_.statement(other);
    std::multiset<ExprId> extents;
    for (const auto* ranges : {&s.spatial, &s.reduce}) {
      for (RangeId range : *ranges) {
        extents.insert(pool_.range_info(range).extent);
      }
    }
    return extents.size() < own.size() &&
           std::includes(own.begin(), own.end(), extents.begin(), extents.end());
  });
}

/// Sharing this loop would make the statement walk its last axis outermost.
bool Fuser::walks_columns(const Group& group, StatementId id) const {
  const std::vector<RangeId>& spatial = schedule_.statement(id).spatial;
  return spatial.size() > 1 &&
         std::all_of(group.candidates.begin(), group.candidates.end(),
                     [&](const Candidate& c) { return c.ranges.back() == spatial.back(); });
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
          (prelude && walks_columns(*group, id))) {
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

/// Kernels that only prepare small tables for the statement move into its kernel, before the rest.
void Fuser::take_in_preludes(size_t kernel, StatementId id) {
  for (const Flow& flow : loops_.dependences(id).flows) {
    const size_t other = kernel_of_[flow.producer.index];
    Draft& prelude = drafts_[other];
    if (other == kernel || !is_prelude_of(prelude, id) ||
        prelude.statements.size() + drafts_[kernel].statements.size() > kMaxKernelStatements) {
      continue;
    }
    const std::set<size_t>& needs = drafts_[kernel].depends_on;
    if (std::any_of(needs.begin(), needs.end(),
                    [&](size_t need) { return need != other && depends(need, other); })) {
      continue;  // another kernel has to run between the two
    }
    for (StatementId member : drafts_[kernel].statements) {
      loops_.shift(member, prelude.groups.size());
    }
    for (StatementId member : prelude.statements) {
      kernel_of_[member.index] = kernel;
    }
    Draft& into = drafts_[kernel];
    prelude.groups.insert(prelude.groups.end(), std::make_move_iterator(into.groups.begin()),
                          std::make_move_iterator(into.groups.end()));
    into.groups = std::move(prelude.groups);
    prelude.statements.insert(prelude.statements.end(), into.statements.begin(),
                              into.statements.end());
    into.statements = std::move(prelude.statements);
    into.depends_on.insert(prelude.depends_on.begin(), prelude.depends_on.end());
    into.depends_on.erase(other);
    into.reads.insert(prelude.reads.begin(), prelude.reads.end());
    for (ArrayId array : prelude.reads) {
      if (auto reader = last_reader_.find(array);
          reader != last_reader_.end() && reader->second == other) {
        reader->second = kernel;
      }
    }
    // Whoever depended on the emptied draft finds the kernel through it.
    prelude = Draft{};
    prelude.depends_on = {kernel};
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
