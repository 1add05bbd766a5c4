// The user's mistakes: CompileError, thrown by fail(), rendered once by the driver as
// `file:line:col: error: message [E0201]` with the source line, a caret range and notes. Warnings
// are the same objects with a kind of CATEN_WARNING; they are reported, not thrown.
#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/support/span.h"

namespace caten {

enum class Diag : uint8_t {
#define CATEN_DIAG(number, name, text, title) name,
#include "ir/support/diagnostics.def"
};

struct DiagInfo {
  Diag kind;
  bool warning;
  std::string_view code;   // "E0201": stable
  std::string_view name;   // the snake_case name, as in tests/error file names
  std::string_view title;  // what `catenc explain-error` lists
};

/// All kinds, by their enumerators.
std::span<const DiagInfo> diagnostics();
const DiagInfo& diag_info(Diag kind);
inline std::string_view diag_name(Diag kind) {
  return diag_info(kind).name;
}

/// A further place that explains an error ("the other tensor's shape came from here").
struct Note {
  Span span;
  std::string message;
};

/// A call in progress when an error happened, as text: `(ratio 1 0)`.
struct StackFrame {
  std::string call;
  Span place;    // where in the frame the error happened, or the next call
  bool library;  // the function is one of ours
};

/// The user's mistake. Wording: lower case, no final period, code in backticks, what was seen then
/// what was expected. For Diag::FileError `path` names the file and the span is unknown.
class CompileError : public std::exception {
 public:
  CompileError(Diag error_kind, Span where, std::string text)
      : kind(error_kind), span(where), message(std::move(text)) {}

  const char* what() const noexcept override { return message.c_str(); }
  CompileError& note(Span where, std::string text) {
    notes.push_back({where, std::move(text)});
    return *this;
  }

  Diag kind;
  Span span;
  std::string message;
  std::string path;
  std::vector<Note> notes;
  std::vector<StackFrame> frames;  // innermost first; filled in when nobody handled the error
};

/// Throws a CompileError with an fmt-formatted message.
template <typename... Args>
[[noreturn]] void fail(Diag kind, Span span, fmt::format_string<Args...> format, Args&&... args) {
  throw CompileError(kind, span, fmt::format(format, std::forward<Args>(args)...));
}

/// Throws a CompileError about a file as a whole: rendered as `path: error: message`.
[[noreturn]] void fail_file(std::string path, std::string message);

/// The texts that spans point into. File ids start at 1.
class SourceMap {
 public:
  /// Registers a text; `name` is what diagnostics show (a path, "<stdin>", "<repl:3>").
  uint32_t add(std::string name, std::string text);

  /// The text that was last registered under a name; 0 when there is none.
  uint32_t find(std::string_view name) const;
  const std::string& name(uint32_t file) const;
  const std::string& text(uint32_t file) const;

  struct Position {
    uint32_t line = 1;    // 1-based
    uint32_t column = 1;  // 1-based, counted in code points
  };
  Position position(uint32_t file, uint32_t offset) const;

  /// The text of a span, or "" when the span is unknown.
  std::string_view snippet(Span span) const;

 private:
  struct File {
    std::string name;
    std::string text;
    mutable std::vector<uint32_t> line_starts;  // filled at first use
  };
  const File& file(uint32_t id) const;
  std::vector<File> files_;
};

enum class ErrorFormat : uint8_t { Text, Json };

/// Renders an error with source line, caret range and notes; ends in a newline. `color` adds ANSI
/// codes. Tabs and wide characters keep the caret aligned.
std::string render(const CompileError& error, const SourceMap& sources, bool color,
                   ErrorFormat format = ErrorFormat::Text);
/// The same as an error, for a warning under --werror.
std::string render_as_error(const CompileError& warning, const SourceMap& sources, bool color,
                            ErrorFormat format = ErrorFormat::Text);

}  // namespace caten
