// A fixture with the whole language: evaluates text and gives the printed value, or the error.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "frontend/language.h"
#include "frontend/lisp/interpreter.h"
#include "ir/support/diagnostics.h"

namespace caten::lisp {

class LanguageTest : public testing::Test {
 protected:
  LanguageTest() {
    install_language(interp);
    interp.set_current_package(interp.user_package());
  }

  /// The printed value of the last form.
  std::string run(const std::string& text) { return interp.print(interp.eval_text(text)); }

  /// "kind: message" of the error that the text ends with.
  std::string error(const std::string& text) {
    try {
      return "no error: " + run(text);
    } catch (const CompileError& thrown) {
      last_error = thrown;
      return std::string(diag_name(thrown.kind)) + ": " + thrown.message;
    }
  }

  /// The source text that the last error points at.
  std::string culprit() { return std::string(interp.sources().snippet(last_error.span)); }

  Interpreter interp;
  CompileError last_error{Diag::LispError, {}, ""};
};

}  // namespace caten::lisp
