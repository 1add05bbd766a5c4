// Which variables of LET and LET* the values of forms were bound to: names for what becomes of
// them.
#pragma once

#include <compare>
#include <map>
#include <string>
#include <string_view>
#include <tuple>

#include "frontend/lisp/interpreter.h"

namespace caten::lisp {

class BindingNames {
 public:
  explicit BindingNames(Interpreter& /*interp*/) {}
  static BindingNames& of(Interpreter& interp) {
    return interp.state<BindingNames>("binding-names");
  }

  void note(Span form, std::string_view variable) {
    if (form.known()) {
      names_.insert_or_assign(std::tuple(form.file, form.begin, form.end), std::string(variable));
    }
  }
  /// "" when the form's value was not bound to a variable.
  std::string_view find(Span form) const {
    const auto name = names_.find(std::tuple(form.file, form.begin, form.end));
    return name == names_.end() ? std::string_view() : name->second;
  }

 private:
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, std::string> names_;
};

}  // namespace caten::lisp
