// The printer's steps through lists and arrays; see print.h.
#include "frontend/lisp/print.h"

namespace caten::lisp {

void Printer::begin_array(Value object) {
  const Array& array = *object.as<Array>();
  const Symbol* element_type = array.element_type.try_as<Symbol>();
  if (array.is_vector() && element_type != nullptr && element_type->name == "BIT") {
    print_bits(object);
    return;
  }
  if (!settings_.array) {
    write_unreadable(array.is_vector() ? "VECTOR" : "ARRAY");
    return;
  }
  if (too_deep()) {
    out_ += '#';
    return;
  }
  if (array.is_vector()) {
    out_ += "#(";
    frames_.push_back({.kind = Frame::Kind::Vector, .object = object});
    return;
  }
  out_ += fmt::format("#{}A", array.dims.size());
  begin_row(object, 0, 0);
}

void Printer::begin_row(Value object, size_t axis, size_t offset) {
  const Array& array = *object.as<Array>();
  if (axis == array.dims.size()) {
    begin(array.data[offset]);
    return;
  }
  if (too_deep()) {
    out_ += '#';
    return;
  }
  out_ += '(';
  frames_.push_back({.kind = Frame::Kind::Row, .object = object, .axis = axis, .offset = offset});
}

/// Ends the innermost structure with `...)` when *PRINT-LENGTH* elements are printed.
bool Printer::limit_reached(size_t done) {
  if (settings_.length < 0 || static_cast<int64_t>(done) < settings_.length) {
    return false;
  }
  out_ += "...)";
  frames_.pop_back();
  return true;
}

void Printer::step_list() {
  Frame& frame = frames_.back();
  const Value rest = frame.object;
  if (rest.is_nil()) {
    out_ += ')';
    frames_.pop_back();
    return;
  }
  if (frame.next > 0) {
    out_ += ' ';
  }
  const bool labelled = frame.next > 0 && rest.is_cons() && labels_.contains(rest.bits());
  if (!rest.is_cons() || labelled) {
    out_ += ". ";
    frame.object = Value::nil();
    begin(rest);
    return;
  }
  if (limit_reached(frame.next)) {
    return;
  }
  ++frame.next;
  frame.object = cdr(rest);
  begin(car(rest));
}

void Printer::step_vector() {
  Frame& frame = frames_.back();
  const Array& array = *frame.object.as<Array>();
  if (frame.next >= array.length()) {
    out_ += ')';
    frames_.pop_back();
    return;
  }
  if (frame.next > 0) {
    out_ += ' ';
  }
  if (!limit_reached(frame.next)) {
    begin(array.data[frame.next++]);
  }
}

void Printer::step_row() {
  Frame& frame = frames_.back();
  const Array& array = *frame.object.as<Array>();
  if (static_cast<int64_t>(frame.next) >= array.dims[frame.axis]) {
    out_ += ')';
    frames_.pop_back();
    return;
  }
  if (frame.next > 0) {
    out_ += ' ';
  }
  if (limit_reached(frame.next)) {
    return;
  }
  size_t stride = 1;
  for (size_t axis = frame.axis + 1; axis < array.dims.size(); ++axis) {
    stride *= static_cast<size_t>(array.dims[axis]);
  }
  const size_t offset = frame.offset + stride * frame.next++;
  begin_row(frame.object, frame.axis + 1, offset);
}

}  // namespace caten::lisp
