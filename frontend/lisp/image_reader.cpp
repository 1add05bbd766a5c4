// Loading code images: see image.h.
#include <bit>
#include <cstring>

#include "frontend/lisp/analyze.h"
#include "frontend/lisp/code.h"
#include "frontend/lisp/image.h"
#include "frontend/lisp/image_format.h"
#include "frontend/lisp/vm.h"

namespace caten::lisp {
namespace {

class Bytes {
 public:
  explicit Bytes(const uint8_t* at) : at_(at) {}

  uint8_t byte() { return *at_++; }
  uint64_t number() {
    uint64_t n = 0;
    for (unsigned shift = 0;; shift += 7) {
      uint8_t b = byte();
      n |= uint64_t{b & 0x7FU} << shift;
      if (b < 0x80) {
        return n;
      }
    }
  }
  uint32_t small() { return static_cast<uint32_t>(number()); }
  void raw(void* out, size_t size) {
    if (size != 0) {
      std::memcpy(out, at_, size);
    }
    at_ += size;
  }
  std::string_view text() {
    size_t size = number();
    std::string_view view(reinterpret_cast<const char*>(at_), size);
    at_ += size;
    return view;
  }
  const uint8_t* at() const { return at_; }
  void skip(size_t size) { at_ += size; }

 private:
  const uint8_t* at_;
};

/// The loaded image of an interpreter, kept for decoding bodies.
class Image {
 public:
  explicit Image(Interpreter& interp) : interp_(interp), symbols_(interp.heap()) {}

  void load(std::span<const uint8_t> bytes, std::span<const LibraryText> files);
  void decode_body(Code& code);

 private:
  struct SymbolName {
    std::string_view package;  // empty: uninterned
    std::string_view name;
  };

  Value object(Bytes& in);
  Value list(Bytes& in);
  Value symbol(size_t number);
  Span span(Bytes& in);
  Code* code(size_t offset);
  void run(Code* code);

  Interpreter& interp_;
  std::vector<SymbolName> names_;
  RootedVector<Value> symbols_;         // no value: not looked up yet
  std::vector<uint32_t> file_numbers_;  // of the interpreter, by the image's numbers from 1
  const uint8_t* codes_ = nullptr;
};

Value Image::symbol(size_t number) {
  Value& known = symbols_[number];
  if (known.is_none()) {
    const SymbolName& name = names_[number];
    if (name.package.empty()) {
      known = interp_.make_symbol(name.name);
    } else {
      Package* package = interp_.find_package(name.package);
      CATEN_CHECK(package != nullptr, "the library's package {} is gone", name.package);
      known = package->intern(interp_.heap(), name.name);
    }
  }
  return known;
}

Value Image::list(Bytes& in) {
  std::vector<Value> items(in.number());
  for (Value& item : items) {
    item = object(in);
  }
  Value tail = object(in);
  return interp_.list(items, tail);
}

Value Image::object(Bytes& in) {
  Heap& heap = interp_.heap();
  switch (static_cast<ImageTag>(in.byte())) {
    case ImageTag::NoValue:
      return Value();
    case ImageTag::Nil:
      return Value::nil();
    case ImageTag::True:
      return Value::t();
    case ImageTag::Symbol:
      return symbol(in.number());
    case ImageTag::Fixnum:
      return Value::fixnum(unzigzag(in.number()));
    case ImageTag::Integer:
      return interp_.integer(unzigzag(in.number()));
    case ImageTag::Character:
      return Value::character(static_cast<char32_t>(in.number()));
    case ImageTag::Single:
      return Value::single(std::bit_cast<float>(in.small()));
    case ImageTag::Double: {
      double value = 0;
      in.raw(&value, sizeof value);
      return interp_.real(value);
    }
    case ImageTag::Ratio: {
      int64_t numerator = unzigzag(in.number());
      return Value::object(heap.make<Ratio>(numerator, unzigzag(in.number())));
    }
    case ImageTag::String:
      return interp_.string(in.text());
    case ImageTag::List:
      return list(in);
    case ImageTag::Vector: {
      std::vector<Value> items(in.number());
      for (Value& item : items) {
        item = object(in);
      }
      return interp_.vector(std::move(items));
    }
    case ImageTag::Code:
      return Value::object(code(in.number()));
    case ImageTag::Closure: {
      Value name = object(in);
      return Value::object(heap.make<Closure>(name, code(in.number()), 0U));
    }
  }
  CATEN_UNREACHABLE("bad tag in a code image");
}

Span Image::span(Bytes& in) {
  uint32_t file = in.small();
  if (file == 0) {
    return {};
  }
  uint32_t begin = in.small();
  return {file_numbers_[file - 1], begin, begin + in.small()};
}

Code* Image::code(size_t offset) {
  Bytes in(codes_ + offset);
  Code* code = interp_.heap().make<Code>();
  code->name = object(in);
  code->span = span(in);
  in.number();  // size of the body
  code->image = in.at();
  return code;
}

void Image::decode_body(Code& code) {
  Bytes in(code.image);
  code.image = nullptr;
  Parameters& parameters = code.parameters;
  parameters.required = in.small();
  parameters.optional = in.small();
  uint8_t flags = in.byte();
  parameters.rest = (flags & 1) != 0;
  parameters.key = (flags & 2) != 0;
  parameters.allow_other_keys = (flags & 4) != 0;
  parameters.keywords.resize(in.number());
  for (Value& keyword : parameters.keywords) {
    keyword = object(in);
  }
  code.frame_slots = in.small();
  code.max_depth = in.small();
  code.labels.resize(in.number());
  for (uint32_t& label : code.labels) {
    label = in.small();
  }
  code.words.resize(in.number());
  in.raw(code.words.data(), code.words.size() * sizeof(uint32_t));
  code.places.resize(in.number());
  uint32_t last = 0;
  for (Code::Place& place : code.places) {
    place.begin = last += in.small();
    place.span = span(in);
  }
  code.doc = in.text();
  code.constants.resize(in.number());
  for (Value& constant : code.constants) {
    constant = object(in);
  }
}

void Image::run(Code* code) {
  interp_.heap().safepoint();
  Vm::Expansion mark(interp_.vm(), code->span);
  interp_.call(Value::object(interp_.heap().make<Closure>(Value::nil(), code, 0U)), {});
}

void Image::load(std::span<const uint8_t> bytes, std::span<const LibraryText> files) {
  Bytes in(bytes.data());
  names_.resize(in.number());
  for (SymbolName& name : names_) {
    name.package = in.text();
    name.name = in.text();
  }
  symbols_->resize(names_.size());
  for (const LibraryText& file : files) {
    file_numbers_.push_back(
        interp_.add_library_file(std::string(file.name), std::string(file.text)));
  }
  size_t file_count = in.number();
  CATEN_CHECK(file_count == files.size(), "the image has {} files, not {}", file_count,
              files.size());
  std::vector<std::vector<size_t>> forms(file_count);
  for (size_t i = 0; i < file_count; ++i) {
    std::string_view name = in.text();
    CATEN_CHECK(name == files[i].name, "the image has {} in place of {}", name, files[i].name);
    forms[i].resize(in.number());
    for (size_t& offset : forms[i]) {
      offset = in.number();
    }
  }
  in.number();  // size of the codes
  codes_ = in.at();
  for (const std::vector<size_t>& file : forms) {
    Interpreter::Binding package(interp_, interp_.cl("*PACKAGE*"),
                                 Value::object(&interp_.current_package()));
    for (size_t offset : file) {
      run(code(offset));
    }
  }
}

}  // namespace

void load_image(Interpreter& interp, std::span<const uint8_t> image,
                std::span<const LibraryText> files) {
  interp.state<Image>("image").load(image, files);
}

void make_ready(Interpreter& interp, Code& code) {
  if (code.image != nullptr) {
    interp.state<Image>("image").decode_body(code);
  } else if (!code.source.is_none()) {
    compile_source(interp, code);
  }
}

}  // namespace caten::lisp
