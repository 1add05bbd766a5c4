// Reader: text to data, one top-level form at a time, so that in-package takes effect in between.
//
// A datum is a Value; conses read from a registered text are SourceConses, which carry spans (see
// value.h), so a form's place lives exactly as long as the form. Nesting uses an explicit stack of
// at most kMaxDepth levels. Backquotes read as (CATEN::%BACKQUOTE x) with (CATEN::%COMMA x) and
// (CATEN::%COMMA-AT x) inside, expanded by backquote.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/lisp/interpreter.h"

namespace caten::lisp {

class Reader {
 public:
  static constexpr size_t kMaxDepth = 100000;

  /// `file` is the text's id in the SourceMap, or 0 if it has none (no spans then).
  Reader(Interpreter& interp, uint32_t file, size_t offset = 0)
      : interp_(interp),
        read_base_(interp.cl("*READ-BASE*").as<Symbol>()),
        file_(file),
        offset_(offset) {}

  /// The next datum of the text, or no value at its end.
  Value read(std::string_view text);
  size_t offset() const { return offset_; }

 private:
  enum class LevelKind : uint8_t {
    List,
    Vector,
    Array,
    Structure,
    Path,
    Label,
    Prefix,
    FeatureTest,
    FeatureSkip
  };
  struct Level {
    LevelKind kind;
    bool wanted = true;  // features: the sense of the test (#+ or #-)
    uint8_t dot = 0;     // lists: 1 after the dot, 2 after the datum behind it
    size_t begin = 0;    // of the opening characters
    Value head{};        // lists: first cons; prefixes: the symbol; arrays, labels: the number
    Cons* last = nullptr;
  };

  struct Delivered {
    bool complete = false;  // a top-level datum is ready
    Value value;
  };

  void push(Level level);
  Delivered deliver(Value value, size_t begin, size_t end);
  Delivered close(size_t end);
  void append(Level& list, Value value, size_t begin, size_t end);
  Value wrap(const Level& prefix, Value value, size_t begin, size_t end);
  Value new_cons(Value car, size_t begin, size_t end);
  bool feature_holds(Value test);

  Value read_token(std::string_view text, size_t begin, bool escaped);
  Value read_number(std::string_view text, size_t begin);
  Value read_based(std::string_view text, int base, size_t begin);
  Value read_rational(std::string_view text, int base, size_t begin);
  int base() const;
  Value read_integer(std::string_view digits, int base, size_t begin, size_t end);
  Value read_float(std::string_view text, size_t begin);
  Value read_symbol(std::string_view text, size_t begin, bool escaped);
  Value intern(Package& package, std::string_view text, size_t begin, bool only_external);
  Value read_character(std::string_view text, size_t begin);
  Value read_radix(std::string_view text, size_t begin);
  Value read_string(std::string_view text);
  Value label_number(std::string_view digits, size_t begin, size_t end);
  /// What `#n#` stands for: the datum, or a stand-in while it is being read.
  Value labelled(Value number, size_t begin, size_t end);
  void define_label(Value number, Value value, size_t begin, size_t end);
  Value read_structure(Value form);
  Value make_bit_vector(std::string_view bits);
  Value make_array(int64_t rank, Value contents, size_t begin, size_t end);
  [[noreturn]] void fail_at_end();
  [[noreturn]] void fail_malformed(std::string_view text, size_t begin);
  Span span(size_t begin, size_t end) const;

  Interpreter& interp_;
  const Symbol* read_base_;
  uint32_t file_;
  size_t offset_;
  std::vector<Level> levels_;
  std::optional<size_t> first_column_;  // of the datum's lists, the first that starts a line
  // Data to be dropped are not built; feature tests are read even inside of them.
  bool suppressed() const { return skipping_ > 0 && testing_ == 0; }

  struct Label {
    Value number;
    Value value;  // a stand-in until the datum is complete
    bool complete;
  };
  std::vector<Label> labels_;  // of the top-level datum
  size_t skipping_ = 0;        // levels whose data is dropped unread
  size_t testing_ = 0;         // levels that read a feature test
  Package* package_ = nullptr;
  std::string name_;                   // scratch: the symbol name, upcased
  size_t marker_ = std::string::npos;  // scratch: where the package marker is in name_
  bool double_marker_ = false;
  bool mixed_case_ = false;
};

}  // namespace caten::lisp
