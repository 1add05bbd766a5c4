// Loop groups: legality and relatedness of shared loops, and loop trees from groups.
#include "codegen/schedule/loop_groups.h"

#include <algorithm>

namespace caten::schedule {

LoopGroups::LoopGroups(Schedule& schedule)
    : schedule_(schedule),
      pool_(schedule.pool),
      dependences_(find_dependences(schedule)),
      group_of_(schedule.statements.size(), SIZE_MAX),
      slot_of_(schedule.statements.size(), 0) {
  for (size_t i = 0; i < schedule.statements.size(); ++i) {
    Statement& statement = schedule.statements[i];
    statement.reduce_outside = dependences_[i].reduce_outside;
    spatial_.push_back(statement.spatial);
    reduce_.push_back(statement.reduce);
  }
}

/// The ranges that may be the next loop of a statement, the preferred one first. Inside a kernel a
/// reduction that walks memory along its last spatial range keeps that range innermost.
std::vector<RangeId> LoopGroups::preferences(StatementId id) const {
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

/// A product of matrices whose loop over the terms is shared falls apart into sums of outer
/// products.
bool LoopGroups::splits_product(StatementId id, RangeId range) const {
  return dependences_[id.index].matrix_product &&
         pool_.range_info(range).kind == index::RangeKind::Reduce;
}

bool LoopGroups::splits_product(const Group& group, const Candidate& candidate) const {
  for (size_t i = 0; i < group.members.size(); ++i) {
    if (splits_product(group.members[i], candidate.ranges[i])) {
      return true;
    }
  }
  return false;
}

std::optional<Group> LoopGroups::joined(const Group& group, StatementId id) const {
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
    if (splits_product(group, candidate)) {
      continue;
    }
    for (RangeId range : own) {
      if (splits_product(id, range) ||
          pool_.range_info(range).extent != pool_.range_info(candidate.ranges.front()).extent) {
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

std::optional<Group> LoopGroups::merged(const Group& first, const Group& second,
                                        StatementId reader) const {
  const auto slot_in = [](const Group& group, StatementId id) {
    return static_cast<size_t>(std::find(group.members.begin(), group.members.end(), id) -
                               group.members.begin());
  };
  struct Link {
    const Flow* flow;
    size_t slot;  // of the producer
  };
  const auto is_scatter = [&](StatementId id) {
    return schedule_.statement(id).kind == StatementKind::Scatter;
  };
  if (std::any_of(first.members.begin(), first.members.end(), is_scatter) ||
      std::any_of(second.members.begin(), second.members.end(), is_scatter)) {
    return std::nullopt;  // its loops keep their order
  }
  std::vector<Link> links;
  for (const Flow& flow : dependences_[reader.index].flows) {
    if (const size_t slot = slot_in(first, flow.producer); slot < first.members.size()) {
      links.push_back({&flow, slot});
    }
  }
  const size_t own = slot_in(second, reader);
  Group out;
  for (const Candidate& candidate : second.candidates) {
    const RangeId range = candidate.ranges[own];
    const auto other =
        std::find_if(first.candidates.begin(), first.candidates.end(), [&](const Candidate& c) {
          return !splits_product(first, c) &&
                 pool_.range_info(c.ranges.front()).extent == pool_.range_info(range).extent &&
                 std::all_of(links.begin(), links.end(), [&](const Link& l) {
                   return l.flow->aligned_with(c.ranges[l.slot]) == range;
                 });
        });
    if (other == first.candidates.end() || splits_product(second, candidate)) {
      continue;
    }
    Candidate both = *other;
    both.ranges.insert(both.ranges.end(), candidate.ranges.begin(), candidate.ranges.end());
    both.reads.insert(candidate.reads.begin(), candidate.reads.end());
    out.candidates.push_back(std::move(both));
  }
  if (links.empty() || out.candidates.empty()) {
    return std::nullopt;
  }
  out.members = first.members;
  out.members.insert(out.members.end(), second.members.begin(), second.members.end());
  return out;
}

void LoopGroups::set_members(const Group& group, size_t group_number) {
  for (size_t slot = 0; slot < group.members.size(); ++slot) {
    group_of_[group.members[slot].index] = group_number;
    slot_of_[group.members[slot].index] = slot;
  }
}

void LoopGroups::add_member(Group& group, Group&& with_member, size_t group_number) {
  group = std::move(with_member);
  group_of_[group.members.back().index] = group_number;
  slot_of_[group.members.back().index] = group.members.size() - 1;
}

void LoopGroups::start_group(std::vector<Group>& groups, StatementId id) {
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
  if (schedule_.statement(id).kind != StatementKind::Scatter) {
    schedule_.decisions.order(group.candidates);
  }
  group_of_[id.index] = groups.size();
  slot_of_[id.index] = 0;
  groups.push_back(std::move(group));
}

/// Adds a statement to the last group it can share a loop with, or starts a new one.
void LoopGroups::place_in_level(std::vector<Group>& groups, StatementId id,
                                const std::vector<StatementId>& level) {
  size_t first = 0;      // the first group it may be in
  bool related = false;  // some group holds a producer
  for (const Flow& flow : dependences_[id.index].flows) {
    if (std::binary_search(level.begin(), level.end(), flow.producer)) {
      first = std::max(first, group_of_[flow.producer.index]);
      related = true;
    }
  }
  for (StatementId before : schedule_.statement(id).after) {
    if (std::binary_search(level.begin(), level.end(), before)) {
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
        join_operands(groups, id);
        return;
      }
    }
  }
  start_group(groups, id);
}

/// The group just before that of the statement joins it when the statement is all that relates the
/// two: what it combines is computed in the same loops.
void LoopGroups::join_operands(std::vector<Group>& groups, StatementId id) {
  for (size_t number = group_of_[id.index]; number > 0; --number) {
    const std::vector<StatementId>& before = groups[number - 1].members;
    const auto is_before = [&](StatementId other) {
      return std::find(before.begin(), before.end(), other) != before.end();
    };
    const std::vector<StatementId>& members = groups[number].members;
    const bool related = std::any_of(members.begin(), members.end(), [&](StatementId member) {
      const std::vector<Flow>& flows = dependences_[member.index].flows;
      const std::vector<StatementId>& after = schedule_.statement(member).after;
      return std::any_of(after.begin(), after.end(), is_before) ||
             (member != id && std::any_of(flows.begin(), flows.end(), [&](const Flow& flow) {
                return is_before(flow.producer);
              }));
    });
    if (related) {
      return;
    }
    std::optional<Group> both = merged(groups[number - 1], groups[number], id);
    if (!both) {
      return;
    }
    groups[number - 1] = std::move(*both);
    set_members(groups[number - 1], number - 1);
    groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(number));
    for (size_t later = number; later < groups.size(); ++later) {
      set_members(groups[later], later);
    }
  }
}

/// Turns groups into loops and arranges what is inside each.
std::vector<TreeNode> LoopGroups::arrange(std::vector<Group> groups) {
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

std::vector<TreeNode> LoopGroups::trees(std::vector<Group> groups) {
  inside_kernel_ = true;
  std::vector<TreeNode> out = arrange(std::move(groups));
  inside_kernel_ = false;
  return out;
}

// Note [fusion legality]
// Two statements may share a loop when everything that one reads of the other is computed in the
// same iteration or before the loop: the reader's coordinate along the producer's axis is exactly
// the loop variable, and the producer does not reduce over it (its result would not be complete).
// A statement that overwrites storage comes strictly after those that read the old contents, unless
// what they read is the very element that is overwritten: then the loops may be shared, and inside
// them it comes later.

}  // namespace caten::schedule
