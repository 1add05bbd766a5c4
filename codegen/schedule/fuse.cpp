// Loop trees and kernels. See Note [fusion legality] and Note [what shares a kernel].
#include <algorithm>
#include <map>
#include <set>

#include "codegen/schedule/dependences.h"
#include "codegen/schedule/schedule.h"
#include "ir/support/check.h"

namespace caten::schedule {
namespace {

/// Kernels stop growing here, so that one scalar (a loss, a gradient norm) does not chain a whole
/// program together.
constexpr size_t kMaxKernelStatements = 64;
/// How many kernels a search for a cycle may visit before it gives up and assumes one.
constexpr int kMaxCycleSearch = 256;

using ReadKey = std::pair<ArrayId, size_t>;  // array and axis

/// One way to share a loop: which range of each member is the loop variable.
struct Candidate {
  std::vector<RangeId> ranges;  // one per member
  std::set<ReadKey> reads;      // array axes that some member walks with this loop
};

/// Statements that share a loop; or a lone statement without loops (no candidates).
struct Group {
  std::vector<StatementId> members;
  std::vector<Candidate> candidates;
};

class Fuser {
 public:
  explicit Fuser(Schedule& schedule)
      : schedule_(schedule),
        pool_(schedule.pool),
        dependences_(find_dependences(schedule)),
        spatial_(schedule.statements.size()),
        reduce_(schedule.statements.size()),
        group_of_(schedule.statements.size(), SIZE_MAX),
        slot_of_(schedule.statements.size(), 0),
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

  std::vector<RangeId> preferences(StatementId id) const;
  std::optional<Group> joined(const Group& group, StatementId id) const;
  void add_member(Group& group, Group&& with_member, size_t group_number);
  void start_group(std::vector<Group>& groups, StatementId id);
  void place_in_level(std::vector<Group>& groups, StatementId id,
                      const std::vector<StatementId>& level);
  bool is_in(StatementId id, const std::vector<StatementId>& level) const;
  std::vector<TreeNode> arrange(std::vector<Group> groups);

  bool depends(size_t later, size_t earlier) const;
  bool may_join(size_t kernel, StatementId id);
  bool join_kernel(size_t kernel, StatementId id);
  bool is_prelude_of(const Draft& draft, StatementId id) const;
  bool walks_columns(const Group& group, StatementId id) const;
  void finish_join(size_t kernel, StatementId id);
  void take_in_preludes(size_t kernel, StatementId id);
  void place_statement(StatementId id);
  void note_separate(StatementId id, size_t kernel);

  Schedule& schedule_;
  index::Pool& pool_;
  std::vector<Dependences> dependences_;
  std::vector<std::vector<RangeId>> spatial_;  // ranges not yet opened as loops
  std::vector<std::vector<RangeId>> reduce_;
  std::vector<size_t> group_of_;  // at the level being arranged
  std::vector<size_t> slot_of_;
  std::vector<size_t> kernel_of_;
  std::vector<char> after_contraction_;  // a contraction precedes it in its kernel
  bool inside_kernel_ = false;           // arranging what is inside the outermost loops
  std::vector<Draft> drafts_;
  std::map<ArrayId, size_t> last_reader_;  // draft that last read an array
};

/// The ranges that may be the next loop of a statement, the preferred one first. Inside a kernel a
/// reduction that walks memory along its last spatial range keeps that range innermost.
std::vector<RangeId> Fuser::preferences(StatementId id) const {
  std::vector<RangeId> out = spatial_[id.index];
  const std::vector<RangeId>& reduce = reduce_[id.index];
  auto at = out.end();
  if (schedule_.statement(id).reduce_outside && !out.empty() && !reduce.empty()) {
    if (inside_kernel_ && out.back() == schedule_.statement(id).spatial.back()) {
      out.pop_back();
      at = out.end();
    } else {
      --at;
    }
  }
  out.insert(at, reduce.begin(), reduce.end());
  return out;
}

/// The group with the statement added, or nullopt when no loop can be shared.
std::optional<Group> Fuser::joined(const Group& group, StatementId id) const {
  const StatementId first = group.members.front();
  if (schedule_.statement(id).kind == StatementKind::Scatter ||
      schedule_.statement(first).kind == StatementKind::Scatter) {
    return std::nullopt;  // its loops keep their order
  }
  const std::vector<RangeId> own = preferences(id);
  const Dependences& dependences = dependences_[id.index];
  std::vector<const Flow*> flows;
  for (const auto* list : {&dependences.flows, &dependences.overwrites}) {
    for (const Flow& flow : *list) {
      const size_t slot = slot_of_[flow.producer.index];
      if (slot < group.members.size() && group.members[slot] == flow.producer) {
        flows.push_back(&flow);
      }
    }
  }
  Group out;
  for (const Candidate& candidate : group.candidates) {
    for (RangeId range : own) {
      if (pool_.range_info(range).extent != pool_.range_info(candidate.ranges.front()).extent) {
        continue;
      }
      const bool legal = std::all_of(flows.begin(), flows.end(), [&](const Flow* flow) {
        return flow->aligned_with(candidate.ranges[slot_of_[flow->producer.index]]) == range;
      });
      const bool related =
          !flows.empty() ||
          std::any_of(dependences.reads.begin(), dependences.reads.end(), [&](const Read& read) {
            return read.range == range && candidate.reads.contains({read.array, read.axis});
          });
      if (!legal || !related) {
        continue;
      }
      Candidate extended = candidate;
      extended.ranges.push_back(range);
      for (const Read& read : dependences.reads) {
        if (read.range == range) {
          extended.reads.insert({read.array, read.axis});
        }
      }
      out.candidates.push_back(std::move(extended));
      break;
    }
  }
  if (out.candidates.empty()) {
    return std::nullopt;
  }
  out.members = group.members;
  out.members.push_back(id);
  return out;
}

void Fuser::add_member(Group& group, Group&& with_member, size_t group_number) {
  group = std::move(with_member);
  group_of_[group.members.back().index] = group_number;
  slot_of_[group.members.back().index] = group.members.size() - 1;
}

void Fuser::start_group(std::vector<Group>& groups, StatementId id) {
  Group group;
  group.members = {id};
  for (RangeId range : preferences(id)) {
    Candidate candidate;
    candidate.ranges = {range};
    for (const Read& read : dependences_[id.index].reads) {
      if (read.range == range) {
        candidate.reads.insert({read.array, read.axis});
      }
    }
    group.candidates.push_back(std::move(candidate));
  }
  group_of_[id.index] = groups.size();
  slot_of_[id.index] = 0;
  groups.push_back(std::move(group));
}

bool Fuser::is_in(StatementId id, const std::vector<StatementId>& level) const {
  return std::binary_search(level.begin(), level.end(), id);
}

/// Adds a statement to the last group it can share a loop with, or starts a new one.
void Fuser::place_in_level(std::vector<Group>& groups, StatementId id,
                           const std::vector<StatementId>& level) {
  size_t first = 0;      // the first group it may be in
  bool related = false;  // some group holds a producer
  for (const Flow& flow : dependences_[id.index].flows) {
    if (is_in(flow.producer, level)) {
      first = std::max(first, group_of_[flow.producer.index]);
      related = true;
    }
  }
  for (StatementId before : schedule_.statement(id).after) {
    if (is_in(before, level)) {
      const bool may_share = find_overwrite(dependences_[id.index], before) != nullptr;
      first = std::max(first, group_of_[before.index] + (may_share ? 0 : 1));
      related = related || may_share;
    }
  }
  if (!groups.empty()) {
    std::vector<size_t> tries;
    if (related && first < groups.size()) {
      tries.push_back(first);
    }
    if (groups.size() - 1 > first || (!related && groups.size() - 1 >= first)) {
      tries.push_back(groups.size() - 1);
    }
    for (size_t number : tries) {
      if (std::optional<Group> group = joined(groups[number], id)) {
        add_member(groups[number], std::move(*group), number);
        return;
      }
    }
  }
  start_group(groups, id);
}

/// Turns groups into loops and arranges what is inside each.
std::vector<TreeNode> Fuser::arrange(std::vector<Group> groups) {
  std::vector<TreeNode> out;
  for (Group& group : groups) {
    TreeNode node;
    if (group.candidates.empty()) {
      node.statement = group.members.front();
      out.push_back(std::move(node));
      continue;
    }
    const Candidate& chosen = group.candidates.front();
    node.extent = pool_.range_info(chosen.ranges.front()).extent;
    for (size_t i = 0; i < group.members.size(); ++i) {
      const StatementId id = group.members[i];
      node.ranges.emplace_back(id, chosen.ranges[i]);
      std::erase(spatial_[id.index], chosen.ranges[i]);
      std::erase(reduce_[id.index], chosen.ranges[i]);
    }
    std::vector<StatementId> level = group.members;
    std::sort(level.begin(), level.end());
    std::vector<Group> inner;
    for (StatementId id : level) {
      place_in_level(inner, id, level);
    }
    node.children = arrange(std::move(inner));
    out.push_back(std::move(node));
  }
  return out;
}

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

/// No cycle between kernels, no read-write order inside one, not too large, and no contraction
/// over the result of a contraction.
bool Fuser::may_join(size_t kernel, StatementId id) {
  if (drafts_[kernel].statements.size() >= kMaxKernelStatements) {
    note_separate(id, kernel);
    return false;
  }
  const Dependences& dependences = dependences_[id.index];
  std::set<size_t> others;
  for (StatementId before : schedule_.statement(id).after) {
    if (kernel_of_[before.index] != kernel) {
      others.insert(kernel_of_[before.index]);
    } else if (find_overwrite(dependences, before) == nullptr) {
      return false;
    }
  }
  for (const Flow& flow : dependences.flows) {
    const size_t other = kernel_of_[flow.producer.index];
    if (other != kernel) {
      others.insert(other);
    } else if (dependences.contraction && after_contraction_[flow.producer.index]) {
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
  if (!may_join(kernel, id)) {
    return false;
  }
  Draft& draft = drafts_[kernel];
  const Dependences& dependences = dependences_[id.index];
  size_t first = 0;
  bool related = false;
  bool scalar_flow = false;
  for (const Flow& flow : dependences.flows) {
    if (kernel_of_[flow.producer.index] == kernel) {
      first = std::max(first, group_of_[flow.producer.index]);
      related = true;
      scalar_flow |= schedule_.statement(flow.producer).spatial.empty();
    }
  }
  for (const Flow& flow : dependences.overwrites) {
    if (kernel_of_[flow.producer.index] == kernel) {
      first = std::max(first, group_of_[flow.producer.index]);
    }
  }
  const bool prelude = related && is_prelude_of(draft, id);
  const bool scalar =
      schedule_.statement(id).spatial.empty() && schedule_.statement(id).reduce.empty();
  if (!scalar) {
    for (size_t number = first; number < draft.groups.size(); ++number) {
      std::optional<Group> group = joined(draft.groups[number], id);
      if (!group || (!related && dependences.contraction) ||
          (prelude && walks_columns(*group, id))) {
        continue;
      }
      add_member(draft.groups[number], std::move(*group), number);
      finish_join(kernel, id);
      return true;
    }
  }
  const bool shares =
      std::any_of(dependences.reads.begin(), dependences.reads.end(),
                  [&](const Read& read) { return draft.reads.contains(read.array); });
  if (related && (scalar || prelude || (scalar_flow && shares))) {
    start_group(draft.groups, id);
    finish_join(kernel, id);
    return true;
  }
  return false;
}

void Fuser::finish_join(size_t kernel, StatementId id) {
  Draft& draft = drafts_[kernel];
  draft.statements.push_back(id);
  kernel_of_[id.index] = kernel;
  const Dependences& dependences = dependences_[id.index];
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
  for (const Flow& flow : dependences_[id.index].flows) {
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
      group_of_[member.index] += prelude.groups.size();
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
  for (const Flow& flow : dependences_[id.index].flows) {
    if (kernel_of_[flow.producer.index] == kernel) {
      std::string& note = schedule_.statements[flow.producer.index].separate;
      if (!note.empty()) {
        continue;
      }
      if (drafts_[kernel].statements.size() >= kMaxKernelStatements) {
        note = "its kernel has grown to the limit";
      } else if (dependences_[id.index].contraction && after_contraction_[flow.producer.index]) {
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
  const Dependences& dependences = dependences_[id.index];
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
    start_group(drafts_.back().groups, id);
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
    spatial_[i] = schedule_.statements[i].spatial;
    reduce_[i] = schedule_.statements[i].reduce;
    schedule_.statements[i].reduce_outside = dependences_[i].reduce_outside;
  }
  for (uint32_t i = 0; i < count; ++i) {
    place_statement(StatementId{i});
  }
  inside_kernel_ = true;
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
    kernel.roots = arrange(std::move(drafts_[next].groups));
    schedule_.kernels.push_back(std::move(kernel));
  }
  CATEN_CHECK(finished == drafts_.size(), "kernels depend on each other in a cycle");
}

}  // namespace

Schedule fuse(Schedule schedule) {
  Fuser(schedule).run();
  return schedule;
}

// Note [fusion legality]
// Two statements may share a loop when everything that one reads of the other is computed in the
// same iteration or before the loop: the reader's coordinate along the producer's axis is exactly
// the loop variable, and the producer does not reduce over it (its result would not be complete).
// A statement that overwrites storage comes strictly after those that read the old contents, unless
// what they read is the very element that is overwritten: then the loops may be shared, and inside
// them it comes later.
//
// Note [what shares a kernel]
// One loop at the outermost level, or a sequence of loops when what flows between them is a scalar
// (softmax of a whole vector) or a table much smaller than the main loop (a transcendental of a
// bias). A contraction over the result of a contraction starts a new kernel: each wants its own
// blocking.

}  // namespace caten::schedule
