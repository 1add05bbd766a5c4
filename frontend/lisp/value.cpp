// Object types of the core, tracing, UTF-8.
#include "frontend/lisp/value.h"

#include <utility>

#include "frontend/lisp/hash_table.h"
#include "frontend/lisp/package.h"
#include "ir/support/diagnostics.h"

namespace caten::lisp {
namespace {

template <typename T>
void destroy(HeapObject* object) {
  static_cast<T*>(object)->~T();
}

void trace_cons(HeapObject* object, Tracer& tracer) {
  auto* cons = static_cast<Cons*>(object);
  trace(tracer, cons->car);
  trace(tracer, cons->cdr);
}

void trace_symbol(HeapObject* object, Tracer& tracer) {
  auto* symbol = static_cast<Symbol*>(object);
  trace(tracer, symbol->value);
  trace(tracer, symbol->function);
  trace(tracer, symbol->setf_function);
  trace(tracer, symbol->plist);
  tracer.mark(symbol->package);
}

void destroy_symbol(HeapObject* object) {
  delete[] static_cast<Symbol*>(object)->spelling;
}

void trace_array(HeapObject* object, Tracer& tracer) {
  auto* array = static_cast<Array*>(object);
  trace(tracer, array->element_type);
  if (array->data.target() != nullptr) {
    tracer.mark(array->data.target());
    return;
  }
  for (Value item : array->data) {
    trace(tracer, item);
  }
}

void trace_string(HeapObject* object, Tracer& tracer) {
  tracer.mark(static_cast<String*>(object)->chars.target());
}

void trace_box(HeapObject* object, Tracer& tracer) {
  trace(tracer, static_cast<Box*>(object)->value);
}

void trace_native(HeapObject* object, Tracer& tracer) {
  auto* function = static_cast<NativeFunction*>(object);
  trace(tracer, function->name);
  for (Value item : function->data) {
    trace(tracer, item);
  }
}

Symbol static_symbol(const Symbol& self, std::string_view name) {
  Symbol symbol(name);
  symbol.header = reinterpret_cast<uintptr_t>(&Symbol::kType) | 1;
  symbol.value = Value::object(&self);
  symbol.hash = hash_name(name);
  symbol.flags = kConstant;
  return symbol;
}

}  // namespace

const ObjectType Cons::kType = {"cons", trace_cons, nullptr};
const ObjectType SourceCons::kType = {"cons", trace_cons, nullptr};
const ObjectType Symbol::kType = {"symbol", trace_symbol, destroy_symbol};
const ObjectType String::kType = {"string", trace_string, destroy<String>};
const ObjectType Array::kType = {"array", trace_array, destroy<Array>};
const ObjectType Integer::kType = {"integer", nullptr, nullptr};
const ObjectType Double::kType = {"double-float", nullptr, nullptr};
const ObjectType Ratio::kType = {"ratio", nullptr, nullptr};
const ObjectType Box::kType = {"box", trace_box, nullptr};
const ObjectType NativeFunction::kType = {"function", trace_native, destroy<NativeFunction>,
                                          kCallable};

const Symbol kNil = static_symbol(kNil, "NIL");
const Symbol kT = static_symbol(kT, "T");

Span span_of(Value form) {
  if (form.is_cons() && form.cons_pointer()->has_type(SourceCons::kType)) {
    return static_cast<SourceCons*>(form.cons_pointer())->span;
  }
  return {};
}

std::string symbol_label(const Symbol& symbol) {
  if (symbol.spelling != nullptr) {
    return symbol.spelling;
  }
  std::string label(symbol.name);
  for (char& c : label) {
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return label;
}

std::string String::utf8() const {
  return encode_utf8(view());
}

void String::append(std::u32string_view text) {
  for (char32_t c : text) {
    const size_t at = length();
    if (at < chars.size()) {
      chars[at] = c;
    } else {
      chars.own().push_back(c);
    }
    fill_pointer += fill_pointer < 0 ? 0 : 1;
  }
}

void fail_outgrown() {
  fail(Diag::IndexOutOfRange, {}, "the array is displaced to one that has become too small for it");
}

void append_utf8(std::string& out, char32_t c) {
  auto put = [&out](uint32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xC0 | (c >> 6));
    put(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    put(0xE0 | (c >> 12));
    put(0x80 | ((c >> 6) & 0x3F));
    put(0x80 | (c & 0x3F));
  } else {
    put(0xF0 | (c >> 18));
    put(0x80 | ((c >> 12) & 0x3F));
    put(0x80 | ((c >> 6) & 0x3F));
    put(0x80 | (c & 0x3F));
  }
}

std::string encode_utf8(std::u32string_view text) {
  std::string out;
  out.reserve(text.size());
  for (char32_t c : text) {
    append_utf8(out, c);
  }
  return out;
}

namespace {

// Decodes the code point at text[at]; returns its length in bytes, 0 if the bytes are invalid.
size_t decode_one(std::string_view text, size_t at, char32_t& out) {
  auto byte = [&](size_t i) { return static_cast<uint8_t>(text[at + i]); };
  uint8_t lead = byte(0);
  size_t length = lead < 0x80 ? 1 : lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (length == 0 || lead > 0xF4 || at + length > text.size()) {
    return 0;
  }
  char32_t c = length == 1 ? lead : lead & (0xFFU >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) {
      return 0;
    }
    c = (c << 6) | (byte(i) & 0x3FU);
  }
  constexpr char32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (c < kSmallest[length] || c > 0x10FFFF || (c >= 0xD800 && c < 0xE000)) {
    return 0;
  }
  out = c;
  return length;
}

}  // namespace

std::u32string decode_utf8(std::string_view text) {
  std::u32string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    char32_t c = 0xFFFD;
    size_t length = decode_one(text, at, c);
    out.push_back(c);
    at += length == 0 ? 1 : length;
  }
  return out;
}

int64_t list_length(Value list) {
  int64_t length = 0;
  Value slow = list;
  while (list.is_cons()) {
    list = list.cons_pointer()->cdr;
    if (++length % 2 == 0) {
      slow = slow.cons_pointer()->cdr;
      if (list.is_cons() && slow == list) {
        return -1;
      }
    }
  }
  return list.is_nil() ? length : -1;
}

}  // namespace caten::lisp
