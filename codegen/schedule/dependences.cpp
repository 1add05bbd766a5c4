// Flows, reads and the shape of reductions, from the loads of every statement.
#include "codegen/schedule/dependences.h"

#include "codegen/schedule/cost.h"
#include "ir/support/check.h"

namespace caten::schedule {
namespace {

/// The range of the reader that walks spatial range number `i` of the producer: the one range that
/// the reader's coordinate is. An Assign may write part of an array: then only an axis written as
/// it is counts.
std::optional<RangeId> reader_range(index::Pool& pool, const Statement& producer, size_t i,
                                    const Value& load) {
  if (producer.kind == StatementKind::Scatter) {
    return std::nullopt;  // any update may reach any element
  }
  if (producer.kind == StatementKind::Assign &&
      pool.as_range(producer.target[producer.coordinates[i].axis]) != producer.spatial[i]) {
    return std::nullopt;
  }
  const std::optional<RangeId> range = pool.as_range(coordinate_in(pool, producer, i, load.tuple));
  if (range && pool.range_info(*range).kind == index::RangeKind::Data) {
    return std::nullopt;
  }
  return range;
}

void add_flow(Schedule& schedule, Dependences& out, const Value& load) {
  const Statement& producer = schedule.statement(load.producer);
  auto flow = std::find_if(out.flows.begin(), out.flows.end(),
                           [&](const Flow& f) { return f.producer == load.producer; });
  const bool first = flow == out.flows.end();
  if (first) {
    out.flows.push_back({load.producer, producer.spatial, {}});
    out.flows.back().aligned.resize(producer.spatial.size());
    flow = std::prev(out.flows.end());
  }
  for (size_t i = 0; i < producer.spatial.size(); ++i) {
    const std::optional<RangeId> coordinate = reader_range(schedule.pool, producer, i, load);
    if (first) {
      flow->aligned[i] = coordinate;
    } else if (flow->aligned[i] != coordinate) {
      flow->aligned[i].reset();
    }
  }
}

/// How the loops of `reader` correspond to those of `writer`, if every element that it reads of the
/// array is the one that the writer overwrites at the same coordinates.
std::optional<Flow> own_elements(Schedule& schedule, const Statement& writer, StatementId id) {
  const index::Pool& pool = schedule.pool;
  const Statement& reader = schedule.statement(id);
  Flow flow{id, reader.spatial, std::vector<std::optional<RangeId>>(reader.spatial.size())};
  bool reads = false;
  for (ValueId value_id : reader.values) {
    const Value& load = schedule.value(value_id);
    if (load.kind != ValueKind::Load || load.array != writer.array) {
      continue;
    }
    reads = true;
    for (size_t axis = 0; axis < load.tuple.size(); ++axis) {
      const std::optional<RangeId> read = pool.as_range(load.tuple[axis]);
      const std::optional<RangeId> written = pool.as_range(writer.target[axis]);
      if (!read && !written && load.tuple[axis] == writer.target[axis]) {
        continue;  // an axis of size 1
      }
      const auto own = std::find(reader.spatial.begin(), reader.spatial.end(), read);
      if (!read || !written || own == reader.spatial.end() ||
          std::find(writer.spatial.begin(), writer.spatial.end(), written) ==
              writer.spatial.end()) {
        return std::nullopt;
      }
      std::optional<RangeId>& aligned =
          flow.aligned[static_cast<size_t>(own - reader.spatial.begin())];
      if (aligned && aligned != written) {
        return std::nullopt;
      }
      aligned = written;
    }
  }
  return reads ? std::optional(std::move(flow)) : std::nullopt;
}

/// Whether some range that only one operand walks makes rows, and one that only another walks makes
/// columns; each of them, and the terms, at least what packing pays for.
bool is_matrix_product(const Schedule& schedule, const Statement& statement,
                       const std::vector<ExprId>& operands) {
  const index::Pool& pool = schedule.pool;
  const codegen::Tiling& tiling = schedule.tiling;
  const auto walks = [&](const std::vector<RangeId>& ranges, ExprId position) {
    return std::any_of(ranges.begin(), ranges.end(),
                       [&](RangeId r) { return pool.uses(position, r); });
  };
  std::vector<RangeId> rows;
  std::vector<RangeId> columns;
  for (const ExprId a : operands) {
    for (const ExprId b : operands) {
      if (a == b || !walks(statement.reduce, a) || !walks(statement.reduce, b)) {
        continue;
      }
      rows.clear();
      columns.clear();
      for (const RangeId range : statement.spatial) {
        const bool in_a = pool.uses(a, range);
        if (in_a != pool.uses(b, range)) {
          (in_a ? rows : columns).push_back(range);
        }
      }
      if (are_many(pool, rows, tiling.min_rows) && are_many(pool, columns, tiling.min_columns) &&
          are_many(pool, statement.reduce, tiling.min_terms)) {
        return true;
      }
    }
  }
  return false;
}

/// Looks at how the loads of a reduction walk memory.
void inspect_reduction(Schedule& schedule, const Statement& statement, Dependences& out) {
  if ((statement.kind != StatementKind::Reduce && statement.kind != StatementKind::Scan) ||
      statement.spatial.empty() || statement.reduce.empty()) {
    return;
  }
  index::Pool& pool = schedule.pool;
  const RangeId inner_spatial = statement.spatial.back();
  std::vector<ExprId> operands;
  int spatial_score = 0;
  int reduce_score = 0;
  for (ValueId id : statement.values) {
    const Value& value = schedule.value(id);
    if (value.kind != ValueKind::Load) {
      continue;
    }
    const ExprId position = position_in(pool, schedule.array(value.array), value.tuple);
    const bool reduces = std::any_of(statement.reduce.begin(), statement.reduce.end(),
                                     [&](RangeId r) { return pool.uses(position, r); });
    if (!reduces) {
      continue;
    }
    operands.push_back(position);
    out.contraction |= std::any_of(statement.spatial.begin(), statement.spatial.end(),
                                   [&](RangeId r) { return !pool.uses(position, r); });
    if (pool.linear_coefficient(position, inner_spatial) == 1) {
      ++spatial_score;
    }
    for (RangeId range : statement.reduce) {
      if (pool.linear_coefficient(position, range) == 1) {
        ++reduce_score;
        break;
      }
    }
  }
  const air::Node& node = schedule.graph->node(statement.node);
  out.contraction = out.contraction && statement.kind == StatementKind::Reduce &&
                    node.get<air::ReduceAttr>().op == air::ReduceOp::Add;
  if (out.contraction) {
    std::copy_if(statement.spatial.begin(), statement.spatial.end(),
                 std::back_inserter(out.batches), [&](RangeId range) {
                   return std::all_of(operands.begin(), operands.end(),
                                      [&](ExprId position) { return pool.uses(position, range); });
                 });
  }
  out.matrix_product = out.contraction && is_matrix_product(schedule, statement, operands);
  // A row of accumulators pays where the other order would stride through memory.
  out.reduce_outside = spatial_score > reduce_score ||
                       (spatial_score > 0 && spatial_score == reduce_score && out.contraction);
}

}  // namespace

const Flow* find_overwrite(const Dependences& dependences, StatementId reader) {
  const auto found = std::find_if(dependences.overwrites.begin(), dependences.overwrites.end(),
                                  [&](const Flow& flow) { return flow.producer == reader; });
  return found == dependences.overwrites.end() ? nullptr : &*found;
}

std::vector<Dependences> find_dependences(Schedule& schedule) {
  std::vector<Dependences> out(schedule.statements.size());
  for (size_t i = 0; i < out.size(); ++i) {
    const Statement& statement = schedule.statements[i];
    for (ValueId id : statement.values) {
      const Value& value = schedule.value(id);
      if (value.kind != ValueKind::Load) {
        continue;
      }
      if (value.producer.valid()) {
        CATEN_CHECK(value.producer.index < i, "statement {} reads the later statement {}", i,
                    value.producer.index);
        add_flow(schedule, out[i], value);
      }
      for (size_t axis = 0; axis < value.tuple.size(); ++axis) {
        const std::optional<RangeId> range = schedule.pool.as_range(value.tuple[axis]);
        if (range) {
          out[i].reads.push_back({value.array, axis, *range});
        }
      }
    }
    for (StatementId before : statement.after) {
      const Statement& other = schedule.statement(before);
      const bool also_writes =
          other.kind == StatementKind::Assign && other.array == statement.array;
      if (std::optional<Flow> flow = own_elements(schedule, statement, before);
          flow && !also_writes && statement.kind == StatementKind::Assign) {
        out[i].overwrites.push_back(std::move(*flow));
      }
    }
    inspect_reduction(schedule, statement, out[i]);
  }
  return out;
}

}  // namespace caten::schedule
