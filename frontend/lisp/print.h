// Printer: every Lisp object as text, under the control of the *PRINT-…* variables.
//
// Nested structure of any depth is printed without recursion. Circular structure is printed with
// #n= labels whether or not *PRINT-CIRCLE* is on, so printing always ends; with it on, shared
// structure is labelled too.
//
// Object kinds of other files (instances, structures, tensors, ...) register how they print:
//   register_printer(interp, Instance::kType, [](Printer& printer, Value object) { ... });
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "frontend/lisp/interpreter.h"

namespace caten::lisp {

struct PrintSettings {
  bool escape = true;
  bool readably = false;
  bool pretty = true;  // 'x for (quote x)
  bool circle = false;
  bool radix = false;
  bool array = true;
  bool gensym = true;
  int base = 10;
  int64_t length = -1;  // -1: no limit
  int64_t level = -1;
  enum class Case : uint8_t { Up, Down, Capitalize } letter_case = Case::Up;

  /// The values of the *PRINT-…* variables.
  static PrintSettings current(Interpreter& interp);
};

class Printer {
 public:
  Printer(Interpreter& interp, PrintSettings settings) : interp_(interp), settings_(settings) {}

  void print(Value object);
  void write(std::string_view text) { out_ += text; }
  /// Writes `#<text>`; an error under *PRINT-READABLY*.
  void write_unreadable(std::string_view text);
  /// Whether the object now to be printed lies deeper than *PRINT-LEVEL* allows.
  bool too_deep() const { return settings_.level >= 0 && depth() >= settings_.level; }

  Interpreter& interpreter() { return interp_; }
  const PrintSettings& settings() const { return settings_; }
  std::string take() { return std::move(out_); }

 private:
  /// A structure whose elements are being printed.
  struct Frame {
    enum class Kind : uint8_t { List, Vector, Row, Quote, Structure } kind;
    Value object;       // List: the rest to print; else the array or structure
    size_t next = 0;    // List: elements done; Vector: next index; Row: elements of the axis done;
                        // Structure: slots done
    size_t axis = 0;    // Row
    size_t offset = 0;  // Row: row-major offset of the axis
  };

  int64_t depth() const;
  void begin(Value object);
  void step();
  void step_list();
  void step_vector();
  void step_row();
  void step_structure();
  bool limit_reached(size_t done);
  bool begin_abbreviation(Value list);
  void begin_array(Value object);
  void begin_structure(Value object);
  void begin_row(Value array, size_t axis, size_t offset);
  void print_atom(Value object);
  void print_symbol(Value symbol);
  void print_string(std::u32string_view text);
  void print_function(Value function);
  void print_bits(Value vector);
  /// Writes a label if the object has one; true if that is all to be printed.
  bool print_label(Value object);
  void find_labels(Value root);
  bool has_parts(Value object) const;
  bool is_small_tree(Value root) const;

  Interpreter& interp_;
  PrintSettings settings_;
  std::string out_;
  std::vector<Frame> frames_;
  int64_t outer_depth_ = 0;
  std::unordered_map<uint64_t, int64_t> labels_;  // 0: labelled, number not yet given
  int64_t label_count_ = 0;
};

using PrintFn = void (*)(Printer& printer, Value object);

/// How objects of a kind print. Called with the kind's objects only.
void register_printer(Interpreter& interp, const ObjectType& type, PrintFn print);

/// How structures of one ObjectType print: as #S(NAME :SLOT value...), piece by piece.
struct StructureRow {
  const ObjectType* type = nullptr;
  bool (*prints_slots)(Interpreter& interp, Value object);  // false: the kind's PrintFn prints it
  Value (*name)(Value object);
  std::span<const Value> (*slot_names)(Value object);
  std::span<const Value> (*slots)(Value object);  // no value for an unbound slot
};
void register_structures(Interpreter& interp, const StructureRow& row);

/// The text of an object: prin1 (escape) or princ.
std::string print_to_string(Interpreter& interp, Value object, bool escape);

/// A character's name without `#\`, or "" if it has none.
std::string_view character_name(char32_t c);
/// The character of a name (any case), or no value.
Value named_character(std::string_view name);

/// An integer in a base 2..36.
std::string integer_text(int64_t n, int base);

/// Any number as it prints under the settings.
std::string number_text(Interpreter& interp, Value number, const PrintSettings& settings);

/// The printer hook and the *PRINT-…* variables.
void install_printer(Interpreter& interp);

}  // namespace caten::lisp
