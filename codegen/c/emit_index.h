// Index expressions and guards as C.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "codegen/c/spelling.h"
#include "codegen/index/index.h"

namespace caten::c {

class IndexPrinter {
 public:
  IndexPrinter(index::Pool& pool, DialectKind dialect, const std::vector<std::string>& symbols,
               Uses& uses)
      : pool_(pool), dialect_(dialect), symbols_(symbols), uses_(uses) {}

  void name_range(index::RangeId range, std::string name) {
    ranges_[range.index] = std::move(name);
  }
  const std::string& range_name(index::RangeId range) const { return ranges_.at(range.index); }

  /// `(i + 1) * n + 4`; a sum or product is not in parentheses.
  std::string print(index::ExprId expr);
  /// The same, in parentheses unless it is a name or a number.
  std::string print_operand(index::ExprId expr);
  /// Conjunction of `expr >= 0`, as `i >= 1 && i < n`.
  std::string print_guard(const std::vector<index::ExprId>& guard);
  const std::set<uint32_t>& used_symbols() const { return used_; }

 private:
  std::string print_atom(index::AtomId atom);
  std::string print_term(const index::Term& term, int64_t coefficient);
  std::vector<index::Term> ordered(std::vector<index::Term> terms) const;
  std::string print_terms(std::vector<index::Term> terms);
  std::string take_common_factor(std::vector<index::Term>& terms);
  std::string print_sum(const std::vector<index::Term>& terms, int sign);

  index::Pool& pool_;
  DialectKind dialect_;
  const std::vector<std::string>& symbols_;
  Uses& uses_;
  std::unordered_map<uint32_t, std::string> ranges_;
  std::set<uint32_t> used_;
};

}  // namespace caten::c
