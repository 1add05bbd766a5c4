// Warnings: what is suspicious in the user's code but does not stop it. The analyzer notes
// variables, calls and local functions as it resolves them; definitions are noted when they are
// made. What only the whole file can tell (is this function defined anywhere?) is decided at its
// end, when the functions that nothing has called yet are analyzed too.
//
// Code of the library is never looked at, and nothing here changes what a program does: functions
// are analyzed for warnings without being compiled.
#pragma once

#include <map>
#include <string>
#include <unordered_set>
#include <vector>

#include "frontend/lisp/ast.h"
#include "frontend/lisp/interpreter.h"

namespace caten::lisp {

class Warnings {
 public:
  explicit Warnings(Interpreter& interp) : interp_(interp) {}
  /// Null when nobody listens (Interpreter::on_warning).
  static Warnings* of(Interpreter& interp);

  /// Where a variable, or another element of a list that the user wrote, stands in the text;
  /// unknown for lists that macros made and for code of the library.
  Span place_of_element(Value cell, Span form) const;

  void note_unused(const Variable& variable);
  /// A call of a global function, or a mention of it (#'name) if `form` is no list.
  void note_call(Value name, Value form, Span place);
  /// A function whose body will be compiled at its first call.
  void note_function(Code& code);
  void note_local_function(Value name, Span place);

  enum class Thing : uint8_t { Function, Macro, Method, Class, Entry };
  /// A definition is about to be made at the current place; `detail` tells methods of one name
  /// apart.
  void note_definition(Thing thing, Value name, const std::string& detail = "");
  /// The name is free again (fmakunbound).
  void forget_definition(Value name);

  /// The end of a file (or of what was typed): reports what waited for it.
  void finish(uint32_t file);
  /// The file was left by an error, which says enough: forgets what waited for its end.
  void discard(uint32_t file);
  /// One file, for as long as it is read: finishes it, or discards it if the block is left early.
  class FileScope {
   public:
    FileScope(Interpreter& interp, uint32_t file) : interp_(interp), file_(file) {}
    ~FileScope();
    FileScope(const FileScope&) = delete;
    FileScope& operator=(const FileScope&) = delete;
    void finish();
    /// The interpreter is gone, and what it knew of the file with it.
    void abandon() { finished_ = true; }

   private:
    Interpreter& interp_;
    uint32_t file_;
    bool finished_ = false;
  };

 private:
  struct Call {
    Value name;
    Span place;
    bool is_call = false;
    size_t count = 0;
    std::vector<Value> args;  // keywords and other constants as they are written; else no value
  };
  struct Definition {
    Thing thing;
    Span place;
  };
  using Key = std::pair<uint64_t, std::string>;

  bool is_user_code(Span span) const { return span.known() && !interp_.is_library(span.file); }
  /// A function of a file that is finished was analyzed then, even if it is compiled later.
  bool is_open(Span span) const { return is_user_code(span) && !finished_.contains(span.file); }
  void report(CompileError warning);
  void analyze_uncalled(uint32_t file);
  void analyze_functions(uint32_t file);
  void check_call(const Call& call);
  void check_arguments(const Call& call, Value function);
  void undefined(const Call& call);

  Interpreter& interp_;
  std::vector<Call> calls_;
  std::vector<Code*> functions_;
  RootedVector<Value> kept_{interp_.heap()};  // the objects that the above refer to
  std::map<Key, Definition> definitions_;
  std::unordered_set<uint64_t> redefined_;  // functions: which definition a call meets is not known
  std::unordered_set<uint64_t> reported_;   // undefined functions
  std::unordered_set<uint32_t> finished_;   // files
};

}  // namespace caten::lisp
