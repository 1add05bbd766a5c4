// Reads and writes of assigned storage take effect in the order of the graph: whoever reads an old
// version comes before the statement that overwrites it, or reads a copy made before.
#include <algorithm>
#include <map>

#include "codegen/schedule/schedule.h"
#include "ir/support/check.h"

namespace caten::schedule {
namespace {

struct Snapshot {
  ArrayId from;
  air::NodeId version;
  StatementId before;
  std::vector<ValueId> readers;
};

/// Reading exactly the element that is about to be written is no conflict.
bool reads_own_element(const Value& load, const Statement& writer) {
  return load.tuple == writer.target;
}

/// Puts `snapshots` in front of the statements that overwrite what they copy.
void insert_snapshots(Schedule& schedule, const std::vector<Snapshot>& snapshots) {
  std::map<uint32_t, std::vector<const Snapshot*>> by_position;
  for (const Snapshot& snapshot : snapshots) {
    by_position[snapshot.before.index].push_back(&snapshot);
  }
  std::vector<Statement> old = std::move(schedule.statements);
  schedule.statements.clear();
  std::vector<StatementId> moved(old.size());
  std::vector<std::pair<const Snapshot*, StatementId>> made;
  for (uint32_t i = 0; i < old.size(); ++i) {
    for (const Snapshot* snapshot : by_position[i]) {
      made.emplace_back(snapshot, StatementId{static_cast<uint32_t>(schedule.statements.size())});
      schedule.statements.emplace_back();
    }
    moved[i] = StatementId{static_cast<uint32_t>(schedule.statements.size())};
    schedule.statements.push_back(std::move(old[i]));
  }
  for (Value& value : schedule.values) {
    for (StatementId* id : {&value.statement, &value.producer}) {
      if (id->valid()) {
        *id = moved[id->index];
      }
    }
  }
  for (Statement& statement : schedule.statements) {
    for (StatementId& id : statement.after) {
      id = moved[id.index];
    }
  }
  std::map<uint32_t, StatementId> writers;
  for (uint32_t i = 0; i < schedule.statements.size(); ++i) {
    if (schedule.statements[i].kind == StatementKind::Assign) {
      writers[schedule.statements[i].node.index] = StatementId{i};
    }
  }
  for (const auto& [snapshot, id] : made) {
    index::Pool& pool = schedule.pool;
    const Array source = schedule.array(snapshot->from);
    Statement copy;
    copy.node = snapshot->version;
    copy.reason = "the old value is read after it has been overwritten";
    for (size_t axis = 0; axis < source.shape.size(); ++axis) {
      const ExprId extent = source.shape[axis];
      const RangeId range = pool.new_range(extent, index::RangeKind::Spatial);
      if (!pool.is(extent, 1)) {
        copy.spatial.push_back(range);
        copy.coordinates.push_back({axis, pool.constant(1), true});
      }
      copy.target.push_back(pool.range(range));
    }
    copy.array = ArrayId{static_cast<uint32_t>(schedule.arrays.size())};
    schedule.arrays.push_back({.kind = ArrayKind::Local,
                               .node = snapshot->version,
                               .dtype = source.dtype,
                               .shape = source.shape,
                               .written = true});
    Value load;
    load.kind = ValueKind::Load;
    load.statement = id;
    load.node = snapshot->version;
    load.dtype = source.dtype;
    load.tuple = copy.target;
    load.array = snapshot->from;
    if (auto writer = writers.find(snapshot->version.index); writer != writers.end()) {
      load.producer = writer->second;
    }
    copy.root = ValueId{static_cast<uint32_t>(schedule.values.size())};
    copy.values = {copy.root};
    schedule.values.push_back(std::move(load));
    for (ValueId reader : snapshot->readers) {
      schedule.values[reader.index].array = copy.array;
      schedule.values[reader.index].producer = id;
    }
    schedule.statements[moved[snapshot->before.index].index].after.push_back(id);
    schedule.statements[id.index] = std::move(copy);
  }
}

}  // namespace

Schedule order_versions(Schedule schedule) {
  // Writers of each array, in order.
  std::map<ArrayId, std::vector<StatementId>> writers;
  for (uint32_t i = 0; i < schedule.statements.size(); ++i) {
    Statement& statement = schedule.statements[i];
    if (statement.kind == StatementKind::Assign) {
      std::vector<StatementId>& list = writers[statement.array];
      if (!list.empty()) {
        statement.after.push_back(list.back());
      }
      list.push_back(StatementId{i});
    }
  }
  if (writers.empty()) {
    return schedule;
  }
  std::vector<Snapshot> snapshots;
  for (uint32_t i = 0; i < schedule.statements.size(); ++i) {
    for (ValueId id : schedule.statements[i].values) {
      const Value& value = schedule.value(id);
      if (value.kind != ValueKind::Load || !writers.contains(value.array)) {
        continue;
      }
      const std::vector<StatementId>& list = writers[value.array];
      const auto next = std::find_if(list.begin(), list.end(), [&](StatementId writer) {
        return schedule.statement(writer).node > value.node;
      });
      if (next == list.end()) {
        continue;
      }
      if (i < next->index) {
        schedule.statements[next->index].after.push_back(StatementId{i});
        continue;
      }
      if (i == next->index && reads_own_element(value, schedule.statements[i])) {
        continue;
      }
      auto known = std::find_if(snapshots.begin(), snapshots.end(), [&](const Snapshot& s) {
        return s.from == value.array && s.version == value.node;
      });
      if (known == snapshots.end()) {
        snapshots.push_back({value.array, value.node, *next, {}});
        known = std::prev(snapshots.end());
      }
      known->readers.push_back(id);
    }
  }
  if (!snapshots.empty()) {
    insert_snapshots(schedule, snapshots);
  }
  return schedule;
}

}  // namespace caten::schedule
