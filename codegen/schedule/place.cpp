// Where results live. A result that only statements inside the same iteration of some shared loops
// read is a scratch of the ranges opened inside those loops: a scalar when there are none.
#include <algorithm>

#include "codegen/schedule/schedule.h"

namespace caten::schedule {
namespace {

/// The loops around one statement, outermost first: numbers of tree nodes and what each loop is to
/// the statement.
struct Path {
  std::vector<std::pair<size_t, RangeId>> loops;
  size_t kernel = 0;
};

class Placer {
 public:
  explicit Placer(Schedule& schedule) : schedule_(schedule), paths_(schedule.statements.size()) {}

  void run() {
    for (size_t k = 0; k < schedule_.kernels.size(); ++k) {
      for (const TreeNode& root : schedule_.kernels[k].roots) {
        visit(root, k);
      }
    }
    std::vector<size_t> shared(paths_.size(), SIZE_MAX);
    std::vector<char> outside(paths_.size(), 0);
    for (size_t i = 0; i < paths_.size(); ++i) {
      for (ValueId id : schedule_.statements[i].values) {
        const Value& value = schedule_.value(id);
        if (value.kind != ValueKind::Load || !value.producer.valid()) {
          continue;
        }
        const size_t p = value.producer.index;
        // Sorting addresses a whole line of what it reads.
        if (paths_[p].kernel != paths_[i].kernel ||
            schedule_.statements[i].kind == StatementKind::Sort) {
          outside[p] = 1;
        } else {
          shared[p] = std::min(shared[p], common_depth(paths_[p], paths_[i]));
        }
      }
    }
    for (size_t i = 0; i < paths_.size(); ++i) {
      Statement& statement = schedule_.statements[i];
      const Array& array = schedule_.array(statement.array);
      const bool by_element = statement.kind != StatementKind::Scan &&
                              statement.kind != StatementKind::Sort &&
                              statement.kind != StatementKind::Scatter;
      if (array.kind != ArrayKind::Local || outside[i] != 0 || shared[i] == SIZE_MAX ||
          !by_element) {
        continue;
      }
      statement.local = true;
      statement.scope = shared[i];
      for (RangeId range : statement.spatial) {
        const auto& loops = paths_[i].loops;
        const auto at = std::find_if(loops.begin(), loops.end(),
                                     [&](const auto& loop) { return loop.second == range; });
        if (static_cast<size_t>(at - loops.begin()) >= statement.scope) {
          statement.scratch.push_back(range);
        }
      }
    }
  }

 private:
  void visit(const TreeNode& node, size_t kernel) {
    const size_t number = next_number_++;
    if (node.is_leaf()) {
      paths_[node.statement.index].kernel = kernel;
      return;
    }
    for (const auto& [statement, range] : node.ranges) {
      paths_[statement.index].loops.emplace_back(number, range);
    }
    for (const TreeNode& child : node.children) {
      visit(child, kernel);
    }
  }

  static size_t common_depth(const Path& a, const Path& b) {
    size_t depth = 0;
    while (depth < a.loops.size() && depth < b.loops.size() &&
           a.loops[depth].first == b.loops[depth].first) {
      ++depth;
    }
    return depth;
  }

  Schedule& schedule_;
  std::vector<Path> paths_;
  size_t next_number_ = 0;
};

}  // namespace

Schedule place_arrays(Schedule schedule) {
  Placer(schedule).run();
  return schedule;
}

}  // namespace caten::schedule
