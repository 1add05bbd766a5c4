// Editor: reads what the user types at the terminal, with libedit: several lines until the forms
// are balanced, history, completion, indentation, the matching parenthesis shown. It knows of the
// Lisp only what its Guide tells it. The only user of libedit.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace caten::repl {

struct Completions {
  size_t begin = 0;                // the candidates replace the text from here to the cursor
  std::vector<std::string> words;  // sorted
};

/// What the editor asks about the text.
class Guide {
 public:
  virtual ~Guide() = default;
  /// Whether Enter ends the input, or begins another line.
  virtual bool is_complete(std::string_view text) = 0;
  virtual Completions complete(std::string_view before_cursor) = 0;
  /// The argument list of the call that the cursor is in, or "".
  virtual std::string arguments(std::string_view before_cursor) = 0;
};

class Editor {
 public:
  /// `history_file` may be "" (kept in memory only).
  Editor(Guide& guide, std::string history_file);
  ~Editor();
  Editor(const Editor&) = delete;
  Editor& operator=(const Editor&) = delete;

  enum class Event { Text, Cancelled, End };
  struct Input {
    Event event = Event::End;
    std::string text;
  };
  /// Shows the prompt and reads one input; Ctrl-C cancels it, Ctrl-D on an empty one ends. The
  /// terminal is in its ordinary mode outside of this call.
  Input read(const std::string& prompt);

  /// The inputs so far, oldest first.
  std::vector<std::string> history() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The file that the history is kept in: $XDG_STATE_HOME/catenc/history, by default
/// ~/.local/state/catenc/history; makes its folder. "" when there is no place to write.
std::string history_path();

}  // namespace caten::repl
