// Statements of the loop IR as C text: shared by emit_kernel.cpp (one statement after the other),
// emit_expression.cpp, emit_declaration.cpp, emit_loop.cpp, place_values.cpp (what gets a name),
// emit_parallel.cpp and emit_strip.cpp (calls of vector routines).
#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "codegen/c/emit_index.h"
#include "codegen/c/emit_kernel.h"
#include "codegen/strip/strip.h"
#include "ir/support/check.h"

namespace caten::c {

using loops::Block;
using loops::Kernel;
using loops::Stmt;
using loops::ValueId;

/// Where a value is used.
struct UseInfo {
  int count = 0;          // places in the text
  int operands = 0;       // places in the loop IR
  bool compared = false;  // an operand whose type matters to compilers' warnings
};

class BodyPrinter {
 public:
  BodyPrinter(index::Pool& pool, const Kernel& kernel, const KernelNames& names,
              const KernelStyle& style, LocalNames& locals, Uses& uses)
      : kernel_(kernel),
        style_(style),
        locals_(locals),
        uses_(uses),
        index_(pool, style.dialect, names.symbols, uses),
        pool_(pool),
        arrays_(names.arrays),
        text_of_(kernel.values.size()),
        use_(kernel.values.size()) {
    arrays_.resize(kernel.arrays.size());
  }

  KernelBody run() {
    for (const auto& [name, type] : style_.arguments) {
      remember(name, type);
    }
    count_uses(kernel_.body);
    find_writes();
    if (kernel_.checks_indices) {
      line("{} status = 0;", style_.dialect == DialectKind::C99 ? "int" : "int32_t");
    }
    block(kernel_.body);
    return {std::move(out_), std::move(parts_), index_.used_symbols()};
  }

 private:
  template <typename... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    put(fmt::format(format, std::forward<Args>(args)...));
  }
  /// An indented line.
  void put(std::string_view text);

  void count_uses(const Block& statements);
  void find_writes();
  bool is_nested_in_user(const Block& statements, size_t at, const loops::Let& let) const;
  void use(ValueId value, bool compared = false) {
    use_[value.index].count += 1;
    use_[value.index].compared |= compared;
  }
  void block(const Block& statements);
  void statement(const Block& statements, size_t at);
  bool may_move_to_use(const Block& statements, size_t at, ValueId value,
                       loops::ArrayId array) const;
  bool is_read_before_write(const Block& statements, size_t at, const loops::Load& load) const;
  static bool uses_value(const Stmt& stmt, ValueId value);
  static bool is_added(const Stmt& stmt, ValueId value);
  bool is_condition(const Block& statements, size_t at, const loops::Let& let) const;
  bool is_declared_by_store(const Block& statements, size_t at, loops::ArrayId array) const;
  bool is_chosen_under_its_guard(const Block& statements, size_t at, const loops::Load& load);
  std::string element(loops::ArrayId array, index::ExprId position);
  std::string named(ValueId value);
  void define(ValueId value, const std::string& expression);
  const std::string& text(ValueId value) const {
    CATEN_CHECK(!text_of_[value.index].empty(), "value {} is printed before it is computed",
                value.index);
    return text_of_[value.index];
  }
  std::string op_text(const loops::Let& let);
  std::string condition_text(const loops::Let& let);
  void bind(const loops::Bind& bind);
  void sort(const loops::SortLine& sort);
  void declare(loops::ArrayId array, const std::string& initial);
  const Stmt* zeros_of(const Block& statements, size_t at, loops::ArrayId array);
  bool is_zero_fill(const loops::For& filler, loops::ArrayId array);
  int64_t inner_iterations(const Block& body) const;
  bool asks_in_blocks(const loops::For& loop) const;
  void loop(const loops::For& loop);
  /// Names that open() and close() enclose are known inside only.
  void open();
  void close();
  /// A variable that a part may need.
  void remember(const std::string& name, std::string type) {
    if (!style_.workers.empty()) {
      variables_.push_back({name, std::move(type)});
    }
  }
  void openmp(const loops::For& loop);
  void ask_for_interrupt(const loops::For& loop);
  void return_if_interrupted();

  // emit_parallel.cpp
  void parallel(const loops::For& loop);
  void comment(const loops::Comment& comment);
  std::string load_text(const loops::Load& load);
  std::string element_text(const loops::Load& load);
  std::string select_text(const loops::Select& select);
  std::string store_text(const loops::Store& store);

  // emit_strip.cpp
  void call(const loops::Call& call);
  bool strip(const loops::For& loop);
  bool is_for_compiler(const loops::For& loop) const;
  bool rows(const loops::For& loop, const std::string& begin, const std::string& end);
  void pointer_array(const std::string& array, const std::vector<strip::Operand>& operands);
  std::string chosen_routine(const strip::Step& step);
  std::string routine_of(const std::vector<uint8_t>& code);
  void strip_steps(const loops::For& loop, const strip::Body& body, const std::string& at);
  void strip_call(const strip::Step& step);
  void fused_call(const strip::Step& step);
  void strip_scalar(const loops::For& loop, const strip::Body& body, const strip::Step& step,
                    const std::string& at);
  std::string strip_operand(const strip::Operand& operand);

  const Kernel& kernel_;
  const KernelStyle& style_;
  LocalNames& locals_;
  Uses& uses_;
  IndexPrinter index_;
  index::Pool& pool_;
  std::vector<std::string> arrays_;
  std::vector<std::string> text_of_;  // per value: name or inlined expression
  std::vector<UseInfo> use_;
  strip::Constants constants_;
  std::vector<size_t> last_write_;       // per array: number of the last statement that writes it
  std::vector<int> writes_;              // per array: how many statements write it
  std::vector<bool> declared_by_store_;  // per array
  std::unordered_map<uint32_t, char>
      conditions_;                        // values that are C conditions: see condition_text
  std::unordered_set<const Stmt*> done_;  // statements whose effect a declaration has
  size_t position_ = 0;  // number of the statement being printed, in order of the text
  std::string out_;
  int indent_ = 1;
  int loop_depth_ = 0;
  // Of the strip being printed:
  std::vector<std::string> slots_;
  std::unordered_map<uint32_t, std::string> scalar_names_;  // values that are the same throughout
  std::string count_;
  // Of parallel loops:
  struct Variable {
    std::string name;
    std::string type;  // as in a declaration; what a part gets is a copy
  };
  std::vector<Variable> variables_;  // in scope
  std::vector<size_t> scopes_;       // how many there were at each open()
  std::string parts_;
  int part_count_ = 0;
  bool in_part_ = false;
};

}  // namespace caten::c
