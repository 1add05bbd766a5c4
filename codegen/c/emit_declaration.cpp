// Declarations of scratch: scalars, arrays on the stack, memory of a thread. What C can say in the
// declaration (a first value, zeros) is not said again after it.
#include <fmt/core.h>

#include <algorithm>

#include "codegen/c/body_printer.h"
#include "codegen/loops/visit.h"
#include "ir/support/check.h"

namespace caten::c {

void BodyPrinter::declare(loops::ArrayId id, const std::string& initial) {
  const loops::Array& array = kernel_.array(id);
  const std::string_view type =
      array.widened || array.is_scalar ? c_value_type(array.dtype) : c_storage_type(array.dtype);
  std::string& name = arrays_[id.index];
  name = locals_.declare(style_.labelled && !array.label.empty() ? array.label
                         : array.is_scalar                       ? "acc"
                                                                 : "row");
  if (array.is_scalar) {
    const bool once = !initial.empty() && writes_[id.index] == 1;
    line("{}{} {}{};", once ? "const " : "", type, name,
         initial.empty() ? "" : " = " + without_parentheses(initial));
    remember(name, fmt::format("const {}", type));
    return;
  }
  if (array.space == loops::ArraySpace::Worker) {
    line("{0} *const {1} = ({0} *)(scratch + {2});", type, name, index_.print_operand(array.place));
    remember(name, fmt::format("{} *const", type));
    return;
  }
  remember(name, fmt::format("{} *const", type));
  const std::optional<int64_t> size = pool_.constant_value(array.size);
  CATEN_CHECK(size.has_value(), "scratch `{}` has no constant size", name);
  line("{} {}[{}]{};", type, name, std::max<int64_t>(*size, 1),
       initial.empty() ? "" : fmt::format(" = {{{}}}", initial));
}

/// The loop that fills the scratch with zeros before anything else happens to it, which C can say
/// in the declaration; or null.
const Stmt* BodyPrinter::zeros_of(const Block& statements, size_t at, loops::ArrayId array) {
  // Declarations and other such loops may come between.
  for (size_t i = at + 1; i < statements.size(); ++i) {
    const auto* loop = std::get_if<loops::For>(&statements[i].node);
    if (loop != nullptr && is_zero_fill(*loop, array)) {
      return &statements[i];
    }
    const bool harmless = std::holds_alternative<loops::Scratch>(statements[i].node) ||
                          std::holds_alternative<loops::Constant>(statements[i].node) ||
                          (loop != nullptr && loop->body.size() <= 2 &&
                           std::holds_alternative<loops::Store>(loop->body.back().node) &&
                           std::get<loops::Store>(loop->body.back().node).array != array &&
                           (loop->body.size() == 1 ||
                            std::holds_alternative<loops::Constant>(loop->body.front().node)));
    if (!harmless) {
      return nullptr;
    }
  }
  return nullptr;
}

bool BodyPrinter::is_zero_fill(const loops::For& filler, loops::ArrayId array) {
  const loops::For* const loop = &filler;
  const loops::Array& info = kernel_.array(array);
  if (style_.dialect != DialectKind::C99 || info.is_scalar ||
      info.space != loops::ArraySpace::Scratch || !pool_.is(loop->lo, 0) || loop->hi != info.size) {
    return false;
  }
  const auto* store = std::get_if<loops::Store>(&loop->body.back().node);
  if (store == nullptr || store->array != array ||
      pool_.as_range(store->index) != std::optional(loop->range)) {
    return false;
  }
  // The zero stands in the loop or was moved before it, maybe out of loops around.
  const Scalar* zero_value = nullptr;
  loops::for_each_stmt(kernel_.body, [&](const Stmt& stmt) {
    const auto* constant = std::get_if<loops::Constant>(&stmt.node);
    if (constant != nullptr && constant->value == store->value) {
      zero_value = &constant->scalar;
    }
  });
  const size_t others = std::holds_alternative<loops::Constant>(loop->body.front().node) ? 1 : 0;
  if (zero_value == nullptr || loop->body.size() != others + 1) {
    return false;
  }
  const std::string zero = spell_constant(*zero_value, style_.dialect, uses_);
  return zero == "0" || zero == "0.0f" || zero == "0.0";
}

}  // namespace caten::c
