// The whole language with its library, for tests that say what they mean in Lisp.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "frontend/language.h"
#include "frontend/lisp/interpreter.h"
#include "ir/support/diagnostics.h"

namespace caten::testing {

class World : public ::testing::Test {
 protected:
  World() {
    install_language(interp_);
    load_stdlib(interp_);
  }

  /// The printed value of the last form.
  std::string eval(const std::string& text) {
    return interp_.print(interp_.load_text("test.lisp", text));
  }

  /// "kind: message @ the text that the error points at".
  std::string error(const std::string& text) {
    try {
      interp_.load_text("test.lisp", text);
    } catch (const CompileError& e) {
      return std::string(diag_name(e.kind)) + ": " + e.message + " @ " +
             std::string(interp_.sources().snippet(e.span));
    }
    return "no error";
  }

  lisp::Interpreter interp_;
};

}  // namespace caten::testing
