// Which statements of a loop that binds an index can run before the binds, with them and after. See
// Note [stages] in distribute.cpp.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "codegen/loops/visit.h"

namespace caten::loops {

/// In order of execution.
enum Stage : size_t {
  kRows,    // inner loops and what they need
  kBefore,  // what the index is computed from
  kBound,   // binds, and loads at what they bind
  kAfter,   // what depends on these
  kStages
};

/// Of the statements of a loop.
struct Stages {
  std::vector<size_t> of;             // per statement
  std::map<uint32_t, size_t> shared;  // scratch of one iteration that later stages read -> writer
};

class StageFinder {
 public:
  StageFinder(const index::Pool& pool, const Kernel& kernel, const For& loop)
      : pool_(pool), kernel_(kernel), loop_(loop) {}

  /// nullopt where the stages depend on each other in other ways.
  std::optional<Stages> find() {
    if (!place_statements() || !arrays_are_apart()) {
      return std::nullopt;
    }
    return Stages{std::move(stages_), std::move(shared_)};
  }

 private:
  /// Calls f on every array that the statement or what is inside reads or writes.
  template <typename F>
  static void each_array(const Stmt& stmt, F f) {
    if (const auto* load = std::get_if<Load>(&stmt.node)) {
      f(load->array, false);
    } else if (const auto* store = std::get_if<Store>(&stmt.node)) {
      f(store->array, true);
    } else if (const auto* sum = std::get_if<Accumulate>(&stmt.node)) {
      f(sum->array, true);
    } else if (const Block* body = body_of(stmt)) {
      for (const Stmt& inner : *body) {
        each_array(inner, f);
      }
    }
  }
  template <typename F>
  static void each_operand(const Stmt& stmt, F f) {
    for_each_operand(stmt, f);
    if (const Block* body = body_of(stmt)) {
      for_each_stmt(*body, [&](const Stmt& inner) { for_each_operand(inner, f); });
    }
  }
  bool uses_bound(const Stmt& stmt) const {
    bool out = false;
    const auto look = [&](const Stmt& one) {
      for_each_expr(one, [&](ExprId expr) {
        for (RangeId range : bound_) {
          out |= pool_.uses(expr, range);
        }
      });
    };
    look(stmt);
    if (const Block* body = body_of(stmt)) {
      for_each_stmt(*body, look);
    }
    return out;
  }

  bool place_statements() {
    stages_.assign(loop_.body.size(), kBefore);
    std::map<uint32_t, size_t> made_in;  // values
    std::map<uint32_t, size_t> kept_in;  // arrays that the loop declares: last write
    for (size_t i = 0; i < loop_.body.size(); ++i) {
      const Stmt& stmt = loop_.body[i];
      if (const auto* scratch = std::get_if<Scratch>(&stmt.node)) {
        own_[scratch->array.index] = i;
        continue;
      }
      size_t depends = kRows;
      each_operand(stmt, [&](ValueId value) {
        if (const auto made = made_in.find(value.index); made != made_in.end()) {
          depends = std::max(depends, made->second);
        }
      });
      each_array(stmt, [&](ArrayId array, bool) {
        if (const auto kept = kept_in.find(array.index); kept != kept_in.end()) {
          depends = std::max(depends, kept->second);
        }
      });
      size_t stage = kBefore;
      if (const auto* bind = std::get_if<Bind>(&stmt.node)) {
        if (depends > kBefore) {
          return false;
        }
        bound_.push_back(bind->range);
        stage = kBound;
      } else if (uses_bound(stmt)) {
        if (!std::holds_alternative<Load>(stmt.node)) {
          return false;
        }
        stage = kBound;
      } else if (depends >= kBound) {
        stage = kAfter;
      }
      if (body_of(stmt) != nullptr) {
        if (stage != kBefore) {
          return false;
        }
        stage = kRows;
      }
      stages_[i] = stage;
      if (const std::optional<ValueId> value = defined_by(stmt)) {
        made_in[value->index] = stage;
      }
      each_array(stmt, [&](ArrayId array, bool writes) {
        if (writes && own_.contains(array.index)) {
          kept_in[array.index] = stage;
        }
      });
    }
    need_early();
    return true;
  }

  /// What inner loops need, and writes of what they read or add to, belong to the rows.
  void need_early() {
    std::set<uint32_t> values;
    std::set<uint32_t> arrays;
    for (size_t i = loop_.body.size(); i-- > 0;) {
      const Stmt& stmt = loop_.body[i];
      bool needed = stages_[i] == kRows;
      if (const std::optional<ValueId> value = defined_by(stmt)) {
        needed |= values.contains(value->index);
      }
      each_array(stmt, [&](ArrayId array, bool writes) {
        needed |= writes && own_.contains(array.index) && arrays.contains(array.index);
      });
      if (!needed || stages_[i] > kBefore) {
        continue;
      }
      stages_[i] = kRows;
      each_operand(stmt, [&](ValueId value) { values.insert(value.index); });
      each_array(stmt, [&](ArrayId array, bool) { arrays.insert(array.index); });
    }
  }

  /// What one stage writes the others do not touch, but for scratch of an iteration that later
  /// stages read.
  bool arrays_are_apart() {
    std::map<uint32_t, std::set<size_t>> touched;
    std::map<uint32_t, std::set<size_t>> written;
    for (size_t i = 0; i < loop_.body.size(); ++i) {
      each_array(loop_.body[i], [&](ArrayId array, bool writes) {
        touched[array.index].insert(stages_[i]);
        if (writes) {
          written[array.index].insert(stages_[i]);
        }
      });
    }
    for (const auto& [array, declaration] : own_) {
      stages_[declaration] = touched.contains(array) ? *touched[array].begin() : kRows;
    }
    for (const auto& [array, stages] : touched) {
      const auto writes = written.find(array);
      if (stages.size() < 2 || writes == written.end()) {
        continue;
      }
      const size_t writer = *writes->second.begin();
      if (!own_.contains(array) || !kernel_.array(ArrayId{array}).is_scalar ||
          writes->second.size() > 1 || *stages.begin() < writer) {
        return false;
      }
      shared_[array] = writer;
    }
    return true;
  }

  const index::Pool& pool_;
  const Kernel& kernel_;
  const For& loop_;
  std::vector<size_t> stages_;      // per statement
  std::map<uint32_t, size_t> own_;  // arrays declared in the loop -> declaration
  std::vector<RangeId> bound_;
  std::map<uint32_t, size_t> shared_;
};

}  // namespace caten::loops
