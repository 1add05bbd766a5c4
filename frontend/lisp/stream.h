// Stream: the Lisp's character streams: strings, files, the console. Text is UTF-8 inside; the
// column of the next character is known, for fresh-line and FORMAT's tabulation.
#pragma once

#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/lisp/interpreter.h"

namespace caten::lisp {

struct Stream : HeapObject {
  enum class Direction : uint8_t { Input, Output };

  explicit Stream(Direction d) : direction(d) {}
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  /// Output: to the string target, the file, and all parts of a broadcast stream.
  void write(std::string_view utf8);
  void write_char(char32_t c);
  void flush();

  /// Input. Reads more from the file when the text is used up.
  std::optional<char32_t> peek_char();
  std::optional<char32_t> read_char();
  /// Steps back over the character read last; false at the beginning.
  bool unread_char();
  /// A line without its newline; `newline` tells whether there was one. Nothing at the end.
  std::optional<std::string> read_line(bool* newline);
  /// Appends one more line of the console to `text`; false at the end. The text of files is all
  /// there from the start.
  bool read_more();

  /// Flushes and gives the file back. A file being superseded appears under its name only now;
  /// `abort` drops what was written. Fails (file_error) if the data cannot be written.
  void close(bool abort);

  /// Whether it only stands for other streams.
  bool is_link() const { return !input.is_none() || !output.is_none() || !synonym.is_none(); }

  Direction direction;
  bool is_open = true;
  bool is_binary = false;        // element type (unsigned-byte 8): text holds bytes
  std::FILE* file = nullptr;     // an output file, or the console
  bool owns_file = false;        // the console's files are not closed
  std::string path;              // of a file
  std::string temporary;         // written to, renamed to `path` by close; or empty
  std::string text;              // input: all text read so far; string output: the result
  size_t position = 0;           // input: of the next character in `text`
  size_t column = 0;             // output
  Value target;                  // a string with fill pointer that output is appended to
  std::vector<Value> broadcast;  // streams that output is passed on to
  bool is_broadcast = false;
  std::vector<Value> sources;  // input streams that are read one after the other
  // A two-way stream stands for one stream per direction, a synonym stream for the value of a
  // symbol; output_stream and input_stream follow them.
  Value input, output;
  Value synonym;

  static const ObjectType kType;
};

Value make_string_output_stream(Interpreter& interp);
/// What was written so far; the stream is emptied.
std::string take_output(Stream& stream);
Value make_string_input_stream(Interpreter& interp, std::string utf8);

/// A stream, NIL (*STANDARD-OUTPUT*) or T (*TERMINAL-IO*); must be open.
Stream& output_stream(Interpreter& interp, Value designator);
/// A stream, NIL or T (*STANDARD-INPUT*); must be open.
Stream& input_stream(Interpreter& interp, Value designator);

/// Makes the console streams and binds *STANDARD-INPUT*, *STANDARD-OUTPUT*, *ERROR-OUTPUT*,
/// *TRACE-OUTPUT*, *DEBUG-IO*, *QUERY-IO*, *TERMINAL-IO*.
void install_console_streams(Interpreter& interp);

}  // namespace caten::lisp
