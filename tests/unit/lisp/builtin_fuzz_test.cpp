// Calls every function of the language with random arguments of random kinds: each call must
// return or signal a condition; never crash, hang or raise an InternalError.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "frontend/builtins/builtins.h"
#include "frontend/language.h"
#include "frontend/lisp/print.h"

namespace caten::lisp {
namespace {

/// Functions that do what they are asked, which a test must not ask for.
constexpr std::string_view kAvoided[] = {
    "EXIT",
    "QUIT",
    "SLEEP",
    "DELETE-FILE",
    "RENAME-FILE",
    "LOAD",
    "OPEN",
    "BREAK",
    "INVOKE-DEBUGGER",
    "ENSURE-DIRECTORIES-EXIST",
    "READ",
    "READ-CHAR",
    "READ-LINE",
    "PEEK-CHAR",
    "READ-PRESERVING-WHITESPACE",
    "Y-OR-N-P",
    "YES-OR-NO-P",
    "LISTEN",
    "READ-CHAR-NO-HANG",
    "CLOSE",
    "DELETE-PACKAGE",
    "UNINTERN",
    "FMAKUNBOUND",
    "MAKUNBOUND",
    "UNUSE-PACKAGE",
    "USE-PACKAGE",
    "SHADOW",
    "IMPORT",
    "EXPORT",
    "UNEXPORT",
    "MAKE-PACKAGE",
    "SET",
    "REQUIRE",
    "%IN-PACKAGE",
    "%DEFINE-PACKAGE",
    "RENAME-PACKAGE",
    "THROW",
    "INVOKE-RESTART",
    "SAVE-NPY",
    "SAVE-SAFETENSORS",
};

constexpr std::string_view kArguments = R"lisp(
(list 0 1 -1 2 3 7 100 4611686018427387904 -9223372036854775808 9223372036854775807 1/2 -3/7
      1.0 -0.5 0.0 1e30 1d0 -2.5d0 1d300 nil t 'a :key :test :start :end :initial-element
      :element-type :count 'list 'vector 'string "abc" "" "héllo" #\a #\Newline
      '(1 2 3) '(a . b) '((a . 1) (b . 2)) '(:a 1 :b 2) '(3 1 2) '("x" "y")
      (vector 1 2 3) (vector) (vector 'a "s" 1.5) (make-array '(2 2) :initial-element 0)
      (make-array 3 :fill-pointer 1 :initial-element 9)
      (make-array 3 :element-type 'character :fill-pointer 0 :initial-element #\z)
      (make-array 4 :element-type 'bit :initial-element 1)
      (make-array '(2 0 3)) (make-hash-table) (make-hash-table :test 'equal)
      #'car #'cons #'+ #'identity #'list #'< #'eql (lambda (x) x) (lambda () nil)
      (lambda (&rest xs) xs) 'car 'no-such-function
      (make-string-input-stream "1 (2) \"x\"") (make-string-output-stream)
      (find-package :cl) (make-symbol "G") (make-random-state)
      "~a ~s~%" "~{~a~^,~}" "~10,2f" "~v,va" "~[a~;b~:;c~]" "~:(~a~)" "~r"
      '(quote a) '(lambda (x) x) (byte 3 2)
      (let ((l (list 1 2 3))) (setf (cdddr l) l) l)
      (let ((l (list 1 2))) (setf (car l) l) l)
      (let ((v (vector 1 nil))) (setf (aref v 1) v) v))
)lisp";

class BuiltinFuzz : public testing::Test {
 protected:
  BuiltinFuzz() {
    install_language(interp_);
    interp_.set_current_package(interp_.user_package());
    // What the calls print goes nowhere.
    interp_.load_text("<setup>",
                      "(setf *standard-output* (make-broadcast-stream)"
                      "      *error-output* *standard-output* *terminal-io* *standard-output*"
                      "      *trace-output* *standard-output* *debug-io* *standard-output*)");
    for (Package* package : interp_.packages()) {
      for (const SymbolTable::Slot& slot : package->symbols.slots()) {
        if (slot.symbol != nullptr && slot.symbol->function.is<NativeFunction>() &&
            slot.symbol->name[0] != '%' &&  // only for code that macros make
            std::ranges::find(kAvoided, slot.symbol->name) == std::end(kAvoided)) {
          functions_.push_back(slot.symbol);
        }
      }
    }
    std::ranges::sort(functions_, {}, &Symbol::name);
    functions_.erase(std::unique(functions_.begin(), functions_.end()), functions_.end());
  }

  /// Fresh arguments, as functions change the ones they get.
  Value arguments() { return interp_.load_text("<arguments>", std::string(kArguments)); }

  Interpreter interp_;
  std::vector<Symbol*> functions_;
};

TEST_F(BuiltinFuzz, WrongArgumentsAreConditions) {
  constexpr int kRounds = 12;
  std::mt19937_64 random(20240607);
  const auto below = [&](size_t n) { return static_cast<size_t>(random() % n); };
  size_t returned = 0;
  size_t signalled = 0;
  for (int round = 0; round < kRounds; ++round) {
    RootedVector<Value> pool(interp_.heap());
    for (Value v : list_items(arguments())) {
      pool.push_back(v);
    }
    for (Symbol* symbol : functions_) {
      const NativeFunction& function = *symbol->function.as<NativeFunction>();
      const auto least = static_cast<size_t>(function.min_args);
      const size_t most =
          function.max_args < 0 ? least + 4 : static_cast<size_t>(function.max_args);
      RootedVector<Value> call(interp_.heap());
      for (size_t n = least + below(most - least + 1); n > 0; --n) {
        call.push_back(pool[below(pool.size())]);
      }
      SCOPED_TRACE(std::string(symbol->name));
      try {
        interp_.call(symbol->function, call.span());
        ++returned;
      } catch (const CompileError&) {
        ++signalled;
      } catch (const InternalError& error) {
        std::string text;
        for (Value argument : call) {
          text += " " + interp_.print(argument);
        }
        ADD_FAILURE() << "(" << symbol->name << text << "): " << error.what();
      }
    }
  }
  EXPECT_GT(returned, functions_.size());
  EXPECT_GT(signalled, functions_.size());
}

}  // namespace
}  // namespace caten::lisp
