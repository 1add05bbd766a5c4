// C identifiers from Lisp names. c_identifier is injective: different names give different
// identifiers, none of which C, C++, POSIX, GNU libc or the compilers know. See Note [name
// mangling] in names.cpp.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace caten::c {

/// `name` is a Lisp name as printed in lower case: `a-b`, `conv2d`, `*w*`, `Foo` for |Foo|.
std::string c_identifier(std::string_view name);
bool is_reserved(std::string_view identifier);

/// Local names of one function: readable first, unique within the open scopes.
class LocalNames {
 public:
  explicit LocalNames(std::set<std::string> taken = {}) : scopes_{std::move(taken)} {}

  void open() { scopes_.emplace_back(); }
  void close() {
    scopes_.pop_back();
    next_.clear();  // numbers of the closed scope are free again
  }
  /// `wanted` (any text, often a label), or wanted_2, wanted_3, … when that is taken.
  std::string declare(std::string_view wanted);
  bool is_taken(const std::string& name) const;

 private:
  std::vector<std::set<std::string>> scopes_;
  std::unordered_map<std::string, int> next_;  // per base name: the number to try next
};

}  // namespace caten::c
