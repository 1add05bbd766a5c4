// Writing code images: see image.h.
#include <bit>
#include <string_view>
#include <unordered_map>

#include "frontend/lisp/code.h"
#include "frontend/lisp/image.h"
#include "frontend/lisp/image_format.h"

namespace caten::lisp {
namespace {

class Bytes {
 public:
  void byte(uint8_t b) { bytes_.push_back(b); }
  void number(uint64_t n) {
    for (; n >= 0x80; n >>= 7) {
      byte(static_cast<uint8_t>(n | 0x80));
    }
    byte(static_cast<uint8_t>(n));
  }
  void raw(const void* data, size_t size) {
    const auto* begin = static_cast<const uint8_t*>(data);
    bytes_.insert(bytes_.end(), begin, begin + size);
  }
  void text(std::string_view s) {
    number(s.size());
    raw(s.data(), s.size());
  }
  void append(const Bytes& other) { raw(other.bytes_.data(), other.bytes_.size()); }
  size_t size() const { return bytes_.size(); }
  std::vector<uint8_t> take() { return std::move(bytes_); }

 private:
  std::vector<uint8_t> bytes_;
};

class ImageWriter {
 public:
  ImageWriter(Interpreter& interp, uint32_t first_file)
      : interp_(interp), first_file_(first_file) {}

  struct File {
    std::string_view name;
    std::vector<size_t> forms;  // offsets of their codes
  };

  size_t code(Code& code);
  std::vector<uint8_t> finish(std::span<const File> files);

 private:
  void tag(Bytes& out, ImageTag t) { out.byte(static_cast<uint8_t>(t)); }
  void object(Bytes& out, Value value);
  void list(Bytes& out, Value value);
  void symbol(Bytes& out, const Symbol& symbol);
  void span(Bytes& out, Span span);
  Bytes body(Code& code);

  Interpreter& interp_;
  uint32_t first_file_;
  Bytes codes_;
  std::unordered_map<const Symbol*, size_t> symbol_numbers_;
  std::vector<const Symbol*> symbols_;
};

void ImageWriter::symbol(Bytes& out, const Symbol& symbol) {
  auto [at, is_new] = symbol_numbers_.emplace(&symbol, symbols_.size());
  if (is_new) {
    symbols_.push_back(&symbol);
  }
  tag(out, ImageTag::Symbol);
  out.number(at->second);
}

void ImageWriter::list(Bytes& out, Value value) {
  std::vector<Value> items;
  while (value.is_cons()) {
    items.push_back(car(value));
    value = cdr(value);
  }
  tag(out, ImageTag::List);
  out.number(items.size());
  for (Value item : items) {
    object(out, item);
  }
  object(out, value);
}

void ImageWriter::object(Bytes& out, Value value) {
  if (value.is_none()) {
    tag(out, ImageTag::NoValue);
  } else if (value.is_nil()) {
    tag(out, ImageTag::Nil);
  } else if (value == Value::t()) {
    tag(out, ImageTag::True);
  } else if (value.is_symbol()) {
    symbol(out, *value.as<Symbol>());
  } else if (value.is_fixnum()) {
    tag(out, ImageTag::Fixnum);
    out.number(zigzag(value.fixnum_value()));
  } else if (value.is_character()) {
    tag(out, ImageTag::Character);
    out.number(value.character_value());
  } else if (value.is_single()) {
    tag(out, ImageTag::Single);
    out.number(std::bit_cast<uint32_t>(value.single_value()));
  } else if (value.is_cons()) {
    list(out, value);
  } else if (auto* integer = value.try_as<Integer>()) {
    tag(out, ImageTag::Integer);
    out.number(zigzag(integer->value));
  } else if (auto* real = value.try_as<Double>()) {
    tag(out, ImageTag::Double);
    out.raw(&real->value, sizeof real->value);
  } else if (auto* ratio = value.try_as<Ratio>()) {
    tag(out, ImageTag::Ratio);
    out.number(zigzag(ratio->numerator));
    out.number(zigzag(ratio->denominator));
  } else if (auto* string = value.try_as<String>()) {
    tag(out, ImageTag::String);
    out.text(string->utf8());
  } else if (auto* array = value.try_as<Array>(); array != nullptr && array->is_vector()) {
    tag(out, ImageTag::Vector);
    out.number(array->data.size());
    for (Value item : array->data) {
      object(out, item);
    }
  } else if (auto* nested = value.try_as<Code>()) {
    size_t offset = code(*nested);
    tag(out, ImageTag::Code);
    out.number(offset);
  } else if (auto* closure = value.try_as<Closure>(); closure != nullptr && closure->count == 0) {
    size_t offset = code(*closure->code);
    tag(out, ImageTag::Closure);
    object(out, closure->name);
    out.number(offset);
  } else {
    CATEN_UNREACHABLE("library code holds {}, which an image cannot", interp_.print(value));
  }
}

// Library files are numbered from 1; 0 stands for no place.
void ImageWriter::span(Bytes& out, Span span) {
  if (!span.known() || span.file < first_file_) {
    out.number(0);
    return;
  }
  out.number(span.file - first_file_ + 1);
  out.number(span.begin);
  out.number(span.end - span.begin);
}

Bytes ImageWriter::body(Code& code) {
  make_ready(interp_, code);
  Bytes out;
  const Parameters& parameters = code.parameters;
  out.number(parameters.required);
  out.number(parameters.optional);
  out.byte(static_cast<uint8_t>((parameters.rest ? 1 : 0) | (parameters.key ? 2 : 0) |
                                (parameters.allow_other_keys ? 4 : 0)));
  out.number(parameters.keywords.size());
  for (Value keyword : parameters.keywords) {
    object(out, keyword);
  }
  out.number(code.frame_slots);
  out.number(code.max_depth);
  out.number(code.labels.size());
  for (uint32_t label : code.labels) {
    out.number(label);
  }
  out.number(code.words.size());
  out.raw(code.words.data(), code.words.size() * sizeof(uint32_t));
  out.number(code.places.size());
  uint32_t last = 0;
  for (const Code::Place& place : code.places) {
    out.number(place.begin - last);
    span(out, place.span);
    last = place.begin;
  }
  out.text(code.doc);
  out.number(code.constants.size());
  for (Value constant : code.constants) {
    object(out, constant);
  }
  return out;
}

// Codes inside come first: recursion is as deep as functions nest in the library's text.
size_t ImageWriter::code(Code& code) {
  Bytes encoded = body(code);
  size_t offset = codes_.size();
  object(codes_, code.name);
  span(codes_, code.span);
  codes_.number(encoded.size());
  codes_.append(encoded);
  return offset;
}

std::vector<uint8_t> ImageWriter::finish(std::span<const File> files) {
  Bytes out;
  out.number(symbols_.size());
  for (const Symbol* symbol : symbols_) {
    out.text(symbol->package == nullptr ? "" : symbol->package->name);
    out.text(symbol->name);
  }
  out.number(files.size());
  for (const File& file : files) {
    out.text(file.name);
    out.number(file.forms.size());
    for (size_t offset : file.forms) {
      out.number(offset);
    }
  }
  out.number(codes_.size());
  out.append(codes_);
  return out.take();
}

}  // namespace

std::vector<uint8_t> make_image(Interpreter& interp, std::span<const LibraryText> files) {
  RootedVector<Value> forms(interp.heap());
  std::vector<size_t> counts;
  interp.record_forms(&forms);
  for (const LibraryText& file : files) {
    size_t before = forms.size();
    interp.load_library(std::string(file.name), std::string(file.text));
    counts.push_back(forms.size() - before);
  }
  interp.record_forms(nullptr);
  if (files.empty()) {
    return ImageWriter(interp, 0).finish({});
  }
  ImageWriter writer(interp, interp.sources().find(files.front().name));
  std::vector<ImageWriter::File> written;
  auto form = forms.begin();
  for (size_t i = 0; i < files.size(); ++i) {
    ImageWriter::File& file = written.emplace_back(ImageWriter::File{files[i].name, {}});
    for (size_t n = 0; n < counts[i]; ++n) {
      file.forms.push_back(writer.code(*(form++)->as<Code>()));
    }
  }
  return writer.finish(written);
}

}  // namespace caten::lisp
