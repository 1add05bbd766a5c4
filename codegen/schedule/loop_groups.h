// Which statements share a loop, level by level. See Note [fusion legality].
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "codegen/schedule/dependences.h"
#include "codegen/schedule/schedule.h"

namespace caten::schedule {

/// One way to share a loop: which range of each member is the loop variable.
struct Candidate {
  std::vector<RangeId> ranges;                 // one per member
  std::set<std::pair<ArrayId, size_t>> reads;  // array axes that some member walks with this loop
};

/// Statements that share a loop; or a lone statement without loops (no candidates).
struct Group {
  std::vector<StatementId> members;
  std::vector<Candidate> candidates;
};

/// Groups of one level: of the outermost loops first, then of what is inside each.
class LoopGroups {
 public:
  explicit LoopGroups(Schedule& schedule);

  const Dependences& dependences(StatementId id) const { return dependences_[id.index]; }
  /// The number of the group that a statement was last put into.
  size_t group_of(StatementId id) const { return group_of_[id.index]; }
  /// Groups were put before that of the statement.
  void shift(StatementId id, size_t by) { group_of_[id.index] += by; }

  /// The group with the statement added, or nullopt when no loop can be shared.
  std::optional<Group> joined(const Group& group, StatementId id) const;
  /// One group of both, so that `reader`, of the second, runs in the loops of what it reads of the
  /// first; nullopt when they do not correspond. Nothing else relates the two.
  std::optional<Group> merged(const Group& first, const Group& second, StatementId reader) const;
  void add_member(Group& group, Group&& with_member, size_t group_number);
  /// The group, all of whose members are new there, has this number.
  void set_members(const Group& group, size_t group_number);
  void start_group(std::vector<Group>& groups, StatementId id);

  /// Groups of the outermost level become loops, and what is inside each is arranged.
  std::vector<TreeNode> trees(std::vector<Group> groups);

 private:
  std::vector<RangeId> preferences(StatementId id) const;
  bool splits_product(StatementId id, RangeId range) const;
  bool splits_product(const Group& group, const Candidate& candidate) const;
  void place_in_level(std::vector<Group>& groups, StatementId id,
                      const std::vector<StatementId>& level);
  void join_operands(std::vector<Group>& groups, StatementId id);
  std::vector<TreeNode> arrange(std::vector<Group> groups);

  Schedule& schedule_;
  index::Pool& pool_;
  std::vector<Dependences> dependences_;
  std::vector<std::vector<RangeId>> spatial_;  // ranges not yet opened as loops
  std::vector<std::vector<RangeId>> reduce_;
  std::vector<size_t> group_of_;  // at the level being arranged
  std::vector<size_t> slot_of_;   // in its group
  bool inside_kernel_ = false;    // arranging what is inside the outermost loops
};

}  // namespace caten::schedule
