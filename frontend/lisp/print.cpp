// The printer of everything but numbers and characters' names; see print.h.
#include "frontend/lisp/print.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "frontend/builtins/builtins.h"
#include "frontend/lisp/hash_table.h"
#include "frontend/lisp/stream.h"

namespace caten::lisp {
namespace {

struct PrinterState {
  explicit PrinterState(Interpreter& interp) {
    for (size_t i = 0; i < kNames.size(); ++i) {
      symbols[i] = interp.cl(kNames[i]).as<Symbol>();
    }
  }

  enum Name : uint8_t {
    Escape,
    Readably,
    Pretty,
    Circle,
    Radix,
    Array,
    Gensym,
    Base,
    Length,
    Level,
    Case
  };
  static constexpr std::array<std::string_view, 11> kNames = {
      "*PRINT-ESCAPE*", "*PRINT-READABLY*", "*PRINT-PRETTY*", "*PRINT-CIRCLE*",
      "*PRINT-RADIX*",  "*PRINT-ARRAY*",    "*PRINT-GENSYM*", "*PRINT-BASE*",
      "*PRINT-LENGTH*", "*PRINT-LEVEL*",    "*PRINT-CASE*"};
  Value get(Name name) const {
    const Value value = symbols[name]->value;
    return value.is_none() ? Value::nil() : value;
  }

  std::array<Symbol*, kNames.size()> symbols;
  std::vector<std::pair<const ObjectType*, PrintFn>> printers;
  StructureRow structures;
  int64_t depth = 0;  // of the printing in progress that called a user's print-object
};

/// Sets the depth that a nested printer starts from.
class DepthScope {
 public:
  DepthScope(int64_t& depth, int64_t value) : depth_(depth), before_(depth) { depth = value; }
  ~DepthScope() { depth_ = before_; }
  DepthScope(const DepthScope&) = delete;
  DepthScope& operator=(const DepthScope&) = delete;

 private:
  int64_t& depth_;
  int64_t before_;
};

PrinterState& state_of(Interpreter& interp) {
  return interp.state<PrinterState>("printer");
}

int64_t limit_of(Value v) {
  return is_integer(v) && integer_value(v) >= 0 ? integer_value(v) : -1;
}

/// The references that the printer follows inside an object that has_parts.
template <typename Visit>
void for_each_part(const StructureRow& structures, Value v, const Visit& visit) {
  if (v.is_cons()) {
    visit(car(v));
    visit(cdr(v));
  } else if (const Array* array = v.try_as<Array>()) {
    for (Value item : array->data) {
      visit(item);
    }
  } else {
    for (Value item : structures.slots(v)) {
      visit(item);
    }
  }
}

}  // namespace

bool Printer::has_parts(Value v) const {
  if (v.is_cons() || v.is<Array>()) {
    return true;
  }
  const StructureRow& structures = state_of(interp_).structures;
  return v.is_object() && &v.object_pointer()->type() == structures.type &&
         structures.prints_slots(interp_, v);
}

/// Whether a walk of the structure as a tree ends soon: then it has no cycle.
bool Printer::is_small_tree(Value root) const {
  std::vector<Value> pending{root};
  for (size_t steps = 0; !pending.empty(); ++steps) {
    if (steps > 4096) {
      return false;
    }
    const Value v = pending.back();
    pending.pop_back();
    for_each_part(state_of(interp_).structures, v, [&](Value part) {
      if (has_parts(part)) {
        pending.push_back(part);
      }
    });
  }
  return true;
}

PrintSettings PrintSettings::current(Interpreter& interp) {
  const PrinterState& state = state_of(interp);
  const auto flag = [&](PrinterState::Name name) { return state.get(name).truthy(); };
  PrintSettings settings;
  settings.readably = flag(PrinterState::Readably);
  settings.escape = settings.readably || flag(PrinterState::Escape);
  settings.pretty = flag(PrinterState::Pretty);
  settings.circle = flag(PrinterState::Circle);
  settings.radix = flag(PrinterState::Radix);
  settings.array = settings.readably || flag(PrinterState::Array);
  settings.gensym = settings.readably || flag(PrinterState::Gensym);
  const int64_t base = limit_of(state.get(PrinterState::Base));
  settings.base = base >= 2 && base <= 36 ? static_cast<int>(base) : 10;
  if (!settings.readably) {
    settings.length = limit_of(state.get(PrinterState::Length));
    settings.level = limit_of(state.get(PrinterState::Level));
  }
  const Value letter_case = state.get(PrinterState::Case);
  settings.letter_case = letter_case == interp.keyword("DOWNCASE")     ? Case::Down
                         : letter_case == interp.keyword("CAPITALIZE") ? Case::Capitalize
                                                                       : Case::Up;
  return settings;
}

int64_t Printer::depth() const {
  return outer_depth_ + static_cast<int64_t>(frames_.size());
}

void Printer::print(Value object) {
  // Called at top level, and again from a kind's own printer while frames are open.
  const size_t base = frames_.size();
  if (base == 0) {
    outer_depth_ = state_of(interp_).depth;
    if (has_parts(object) && (settings_.circle || !is_small_tree(object))) {
      find_labels(object);
    }
  }
  begin(object);
  while (frames_.size() > base) {
    step();
  }
}

/// Finds the objects to be labelled: those met twice under *PRINT-CIRCLE*, else those that contain
/// themselves. A depth-first walk with an explicit stack; an object is open while its parts are
/// being walked.
void Printer::find_labels(Value root) {
  struct Visit {
    Value object;
    bool leaving;
  };
  std::unordered_map<uint64_t, bool> open;  // seen objects; true: open
  std::vector<Visit> pending{{root, false}};
  while (!pending.empty()) {
    const Visit visit = pending.back();
    pending.pop_back();
    if (visit.leaving) {
      open[visit.object.bits()] = false;
      continue;
    }
    const auto [seen, fresh] = open.try_emplace(visit.object.bits(), true);
    if (!fresh) {
      if (settings_.circle || seen->second) {
        labels_.emplace(visit.object.bits(), 0);
      }
      continue;
    }
    pending.push_back({visit.object, true});
    for_each_part(state_of(interp_).structures, visit.object, [&](Value part) {
      if (has_parts(part)) {
        pending.push_back({part, false});
      }
    });
  }
}

bool Printer::print_label(Value object) {
  if (labels_.empty()) {
    return false;
  }
  const auto found = labels_.find(object.bits());
  if (found == labels_.end()) {
    return false;
  }
  if (found->second != 0) {
    out_ += fmt::format("#{}#", found->second);
    return true;
  }
  found->second = ++label_count_;
  out_ += fmt::format("#{}=", found->second);
  return false;
}

void Printer::begin(Value object) {
  if (!has_parts(object)) {
    print_atom(object);
    return;
  }
  if (print_label(object)) {
    return;
  }
  if (object.is_cons()) {
    if (settings_.pretty && begin_abbreviation(object)) {
      return;
    }
    if (too_deep()) {
      out_ += '#';
      return;
    }
    out_ += '(';
    frames_.push_back({.kind = Frame::Kind::List, .object = object});
  } else if (object.is<Array>()) {
    begin_array(object);
  } else {
    begin_structure(object);
  }
}

/// 'x for (quote x), #'f for (function f). The object itself is printed next.
bool Printer::begin_abbreviation(Value list) {
  const Value rest = cdr(list);
  if (!rest.is_cons() || !cdr(rest).is_nil() || labels_.contains(rest.bits())) {
    return false;
  }
  const Value head = car(list);
  if (head == interp_.cl("QUOTE")) {
    out_ += '\'';
  } else if (head == interp_.cl("FUNCTION")) {
    out_ += "#'";
  } else if (head == interp_.caten("%BACKQUOTE")) {
    out_ += '`';
  } else if (head == interp_.caten("%COMMA")) {
    out_ += ',';
  } else if (head == interp_.caten("%COMMA-AT")) {
    out_ += ",@";
  } else {
    return false;
  }
  frames_.push_back({.kind = Frame::Kind::Quote, .object = car(rest)});
  return true;
}

void Printer::begin_structure(Value object) {
  if (too_deep()) {
    out_ += '#';
    return;
  }
  out_ += "#S(";
  print_atom(state_of(interp_).structures.name(object));
  frames_.push_back({.kind = Frame::Kind::Structure, .object = object});
}

void Printer::step() {
  switch (frames_.back().kind) {
    case Frame::Kind::List:
      step_list();
      return;
    case Frame::Kind::Vector:
      step_vector();
      return;
    case Frame::Kind::Row:
      step_row();
      return;
    case Frame::Kind::Structure:
      step_structure();
      return;
    case Frame::Kind::Quote: {
      const Value quoted = frames_.back().object;
      frames_.pop_back();
      begin(quoted);
      return;
    }
  }
}

void Printer::step_structure() {
  Frame& frame = frames_.back();
  const StructureRow& structures = state_of(interp_).structures;
  const std::span<const Value> names = structures.slot_names(frame.object);
  if (frame.next >= names.size()) {
    out_ += ')';
    frames_.pop_back();
    return;
  }
  out_ += ' ';
  if (limit_reached(frame.next)) {
    return;
  }
  const size_t at = frame.next++;
  const Value slot = structures.slots(frame.object)[at];
  print_symbol(interp_.keyword(names[at].as<Symbol>()->name));
  out_ += ' ';
  begin(slot.is_none() ? Value::nil() : slot);
}

void Printer::write_unreadable(std::string_view text) {
  if (settings_.readably) {
    fail(Diag::NotReadable, interp_.current_span(), "#<{}> cannot be printed readably", text);
  }
  out_ += "#<";
  out_ += text;
  out_ += '>';
}

void Printer::print_bits(Value vector) {
  const Array& array = *vector.as<Array>();
  out_ += "#*";
  for (size_t i = 0; i < array.length(); ++i) {
    out_ += array.data[i] == Value::fixnum(1) ? '1' : '0';
  }
}

void Printer::print_string(std::u32string_view text) {
  if (!settings_.escape) {
    out_ += encode_utf8(text);
    return;
  }
  out_ += '"';
  for (char32_t c : text) {
    if (c == U'"' || c == U'\\') {
      out_ += '\\';
    }
    append_utf8(out_, c);
  }
  out_ += '"';
}

void Printer::print_function(Value function) {
  const Value name = static_cast<Function*>(function.object_pointer())->name;
  if (name.is_none() || name.is_nil()) {
    write_unreadable("FUNCTION (LAMBDA)");
    return;
  }
  write_unreadable(fmt::format("FUNCTION {}", interp_.print(name)));
}

void Printer::print_atom(Value v) {
  if (v.is_symbol()) {
    print_symbol(v);
  } else if (is_number(v)) {
    out_ += number_text(interp_, v, settings_);
  } else if (const String* string = v.try_as<String>()) {
    print_string(string->view());
  } else if (v.is_character()) {
    const char32_t c = v.character_value();
    if (settings_.escape) {
      out_ += "#\\";
    }
    const std::string_view name = settings_.escape && c != U' ' ? character_name(c) : "";
    if (name.empty()) {
      append_utf8(out_, c);
    } else {
      out_ += name;
    }
  } else if (v.is_none()) {
    out_ += "#<no value>";
  } else {
    const ObjectType& type = v.object_pointer()->type();
    for (const auto& [kind, print] : state_of(interp_).printers) {
      if (kind == &type) {
        interp_.check_stack();
        const DepthScope scope(state_of(interp_).depth, depth() + 1);
        print(*this, v);
        return;
      }
    }
    if (v.is_function()) {
      print_function(v);
    } else {
      std::string name(type.name);
      std::transform(name.begin(), name.end(), name.begin(),
                     [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
      write_unreadable(name);
    }
  }
}

void register_printer(Interpreter& interp, const ObjectType& type, PrintFn print) {
  state_of(interp).printers.emplace_back(&type, print);
}

void register_structures(Interpreter& interp, const StructureRow& row) {
  state_of(interp).structures = row;
}

std::string print_to_string(Interpreter& interp, Value object, bool escape) {
  PrintSettings settings = PrintSettings::current(interp);
  settings.escape = escape || settings.readably;
  Printer printer(interp, settings);
  printer.print(object);
  return printer.take();
}

void install_printer(Interpreter& interp) {
  const auto define = [&](std::string_view name, Value value) {
    const Value symbol = interp.cl(name);
    interp.cl_package().export_symbol(symbol);
    interp.proclaim_special(symbol);
    interp.set_symbol_value(symbol, value);
  };
  const Value nil = Value::nil();
  const Value t = Value::t();
  define("*PRINT-ESCAPE*", t);
  define("*PRINT-READABLY*", nil);
  define("*PRINT-PRETTY*", t);
  define("*PRINT-CIRCLE*", nil);
  define("*PRINT-RADIX*", nil);
  define("*PRINT-ARRAY*", t);
  define("*PRINT-GENSYM*", t);
  define("*PRINT-BASE*", Value::fixnum(10));
  define("*PRINT-LENGTH*", nil);
  define("*PRINT-LEVEL*", nil);
  define("*PRINT-LINES*", nil);
  define("*PRINT-CASE*", interp.keyword("UPCASE"));
  define("*PRINT-RIGHT-MARGIN*", nil);
  define("*PRINT-MISER-WIDTH*", nil);
  define("*READ-DEFAULT-FLOAT-FORMAT*", interp.cl("SINGLE-FLOAT"));
  interp.hooks.print = print_to_string;
  register_printer(interp, HashTable::kType, [](Printer& printer, Value object) {
    const HashTable& table = *object.as<HashTable>();
    constexpr std::string_view kTests[] = {"EQ", "EQL", "EQUAL", "EQUALP"};
    printer.write_unreadable(fmt::format("HASH-TABLE :TEST {} :COUNT {}",
                                         kTests[static_cast<size_t>(table.test)], table.count()));
  });
  register_printer(interp, Package::kType, [](Printer& printer, Value object) {
    printer.write_unreadable(fmt::format("PACKAGE \"{}\"", object.as<Package>()->name));
  });
  register_printer(interp, Stream::kType, [](Printer& printer, Value object) {
    const Stream& stream = *object.as<Stream>();
    printer.write_unreadable(stream.path.empty() ? "STREAM"
                                                 : fmt::format("STREAM \"{}\"", stream.path));
  });
}

}  // namespace caten::lisp
