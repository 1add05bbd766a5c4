// See brief.h.
#include "frontend/lisp/brief.h"

#include "frontend/lisp/print.h"

namespace caten::lisp {

namespace {

constexpr size_t kMaxText = 24;
constexpr int kMaxItems = 4;
constexpr int kMaxDepth = 2;

std::string shortened(std::string text) {
  if (text.size() <= kMaxText) {
    return text;
  }
  size_t end = kMaxText;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) {
    --end;  // not inside a code point
  }
  return text.substr(0, end) + "...";
}

std::string brief(Interpreter& interp, Value object, int depth);

std::string brief_list(Interpreter& interp, Value list, int depth) {
  if (depth == kMaxDepth) {
    return "(...)";
  }
  std::string out = "(";
  int items = 0;
  for (; list.is_cons(); list = cdr(list), ++items) {
    out += items == 0 ? "" : " ";
    if (items == kMaxItems) {
      return out + "...)";
    }
    out += brief(interp, car(list), depth + 1);
  }
  return out + (list.is_nil() ? ")" : " . " + brief(interp, list, depth + 1) + ")");
}

std::string brief(Interpreter& interp, Value object, int depth) {
  if (object.is_cons()) {
    return brief_list(interp, object, depth);
  }
  if (const Symbol* symbol = object.try_as<Symbol>()) {
    return (symbol->has(kKeyword) ? ":" : "") + symbol_label(*symbol);
  }
  if (const String* string = object.try_as<String>()) {
    constexpr size_t kMaxChars = kMaxText + 1;
    return string->chars.intact()
               ? "\"" + shortened(encode_utf8(string->view().substr(0, kMaxChars))) + "\""
               : "#<string>";
  }
  if (!object.is_object()) {
    return interp.print(object);
  }
  const HeapObject& heap_object = *object.object_pointer();
  if (heap_object.has_type(Double::kType) || heap_object.has_type(Integer::kType) ||
      heap_object.has_type(Ratio::kType)) {
    return interp.print(object);
  }
  if (interp.hooks.brief != nullptr) {
    return interp.hooks.brief(interp, object);
  }
  return fmt::format("#<{}>", heap_object.type().name);
}

}  // namespace

std::string brief_text(Interpreter& interp, Value object) {
  return brief(interp, object, 0);
}

}  // namespace caten::lisp
