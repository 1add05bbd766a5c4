// Lisp: an interpreter with the language but without the library, for tests that write Lisp.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "frontend/language.h"
#include "frontend/lisp/interpreter.h"

namespace caten::lisp {

class Lisp {
 public:
  Lisp() { install_language(interp_); }

  /// The printed value of the last form.
  std::string eval(const std::string& text) { return interp_.print(interp_.eval_text(text)); }

  /// The error of a text: `line:column: message`, where the span starts; "no error" otherwise.
  std::string error(const std::string& text) {
    try {
      interp_.load_text("test", text);
    } catch (const CompileError& error) {
      if (!error.span.known()) {
        return error.message;
      }
      SourceMap::Position at = interp_.sources().position(error.span.file, error.span.begin);
      return fmt::format("{}:{}: {}", at.line, at.column, error.message);
    }
    return "no error";
  }
  /// The text that the error's span covers.
  std::string error_text(const std::string& text) {
    try {
      interp_.load_text("test", text);
    } catch (const CompileError& error) {
      return std::string(interp_.sources().snippet(error.span));
    }
    return "no error";
  }
  /// The first note of the error.
  std::string error_note(const std::string& text) {
    try {
      interp_.load_text("test", text);
    } catch (const CompileError& error) {
      return error.notes.empty() ? "no note" : error.notes[0].message;
    }
    return "no error";
  }

  Interpreter& interp() { return interp_; }

 private:
  Interpreter interp_;
};

}  // namespace caten::lisp
