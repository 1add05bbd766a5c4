// Streams as builtins: reading and writing characters, lines and data; string streams.
#include <unistd.h>

#include <algorithm>

#include "frontend/builtins/builtins.h"
#include "frontend/builtins/sequence.h"
#include "frontend/builtins/tables.h"
#include "frontend/lisp/format.h"
#include "frontend/lisp/print.h"
#include "frontend/lisp/stream.h"

namespace caten::lisp {
namespace {

using Args = std::span<Value>;

Stream& any_stream(Interpreter& interp, Value v) {
  return expect_object<Stream>(interp, v, "stream");
}

// --- output -----------------------------------------------------------------------------------

Value write_part(Interpreter& interp, Args args, std::string_view ending) {
  const String& string = expect_string(interp, args[0], "string");
  const size_t first_key = std::min<size_t>(args.size(), 2);
  const KeywordArgs keys(interp, args, first_key, {"START", "END"});
  const Bounds bounds = bounds_of(interp, keys.get("START"), keys.get("END"), string.length());
  std::string text = encode_utf8(string.view().substr(bounds.start, bounds.end - bounds.start));
  text += ending;
  output_stream(interp, arg_or(args, 1)).write(text);
  return args[0];
}

Value io_write_string(Interpreter& interp, Args args) {
  return write_part(interp, args, "");
}
Value io_write_line(Interpreter& interp, Args args) {
  return write_part(interp, args, "\n");
}

Value io_write_char(Interpreter& interp, Args args) {
  const char32_t c = expect_character(interp, args[0], "character");
  output_stream(interp, arg_or(args, 1)).write_char(c);
  return args[0];
}

Value io_write_byte(Interpreter& interp, Args args) {
  const int64_t byte = expect_index(interp, args[0], "byte");
  Stream& out = output_stream(interp, args[1]);
  if (!out.is_binary || byte > 255) {
    wrong_type(interp, args[byte > 255 ? 0 : 1], "argument",
               byte > 255 ? "a byte" : "a binary output stream");
  }
  const auto c = static_cast<char>(byte);
  out.write(std::string_view(&c, 1));
  return args[0];
}

Value io_force_output(Interpreter& interp, Args args) {
  output_stream(interp, arg_or(args, 0)).flush();
  return Value::nil();
}

// --- input ------------------------------------------------------------------------------------

/// What an input function returns at the end: the eof-value, unless eof-error-p.
Value at_end(Interpreter& interp, Value error_p, Value eof_value) {
  if (error_p.truthy()) {
    fail(Diag::EndOfFile, interp.current_span(), "end of file");
  }
  return eof_value;
}

Value io_read_char(Interpreter& interp, Args args) {
  const std::optional<char32_t> c = input_stream(interp, arg_or(args, 0)).read_char();
  return c ? Value::character(*c) : at_end(interp, arg_or(args, 1, Value::t()), arg_or(args, 2));
}

bool is_space(char32_t c) {
  return c == U' ' || (c >= U'\t' && c <= U'\r');
}

Value io_peek_char(Interpreter& interp, Args args) {
  Stream& in = input_stream(interp, arg_or(args, 1));
  const Value type = arg_or(args, 0);
  std::optional<char32_t> c = in.peek_char();
  while (c && ((type == Value::t() && is_space(*c)) ||
               (type.is_character() && *c != type.character_value()))) {
    in.read_char();
    c = in.peek_char();
  }
  return c ? Value::character(*c) : at_end(interp, arg_or(args, 2, Value::t()), arg_or(args, 3));
}

Value io_unread_char(Interpreter& interp, Args args) {
  expect_character(interp, args[0], "character");
  Stream& in = input_stream(interp, arg_or(args, 1));
  if (!in.unread_char() || in.peek_char() != args[0].character_value()) {
    fail(Diag::StreamError, interp.current_span(),
         "the character to put back is not the one that was read last");
  }
  return Value::nil();
}

Value io_read_line(Interpreter& interp, Args args) {
  bool newline = false;
  const std::optional<std::string> line = input_stream(interp, arg_or(args, 0)).read_line(&newline);
  if (!line) {
    const Value value = at_end(interp, arg_or(args, 1, Value::t()), arg_or(args, 2));
    return interp.set_values({value, Value::t()});
  }
  return interp.set_values({interp.string(*line), Value::boolean(!newline)});
}

Value io_read_byte(Interpreter& interp, Args args) {
  Stream& in = input_stream(interp, args[0]);
  if (!in.is_binary) {
    wrong_type(interp, args[0], "stream", "a binary input stream");
  }
  const std::optional<char32_t> c = in.read_char();
  return c ? Value::fixnum(static_cast<int64_t>(*c))
           : at_end(interp, arg_or(args, 1, Value::t()), arg_or(args, 2));
}

Value io_listen(Interpreter& interp, Args args) {
  Stream& in = input_stream(interp, arg_or(args, 0));
  return Value::boolean(in.position < in.text.size());
}

/// One datum from the stream. An incomplete one makes the console ask for another line.
Value read_datum(Interpreter& interp, Stream& in) {
  while (true) {
    size_t offset = 0;
    try {
      const Value datum = interp.read(std::string_view(in.text).substr(in.position), &offset);
      if (!datum.is_none()) {
        in.position += offset;
        return datum;
      }
      if (!in.read_more()) {
        in.position = in.text.size();
        return {};
      }
    } catch (const CompileError&) {
      if (!in.read_more()) {
        throw;
      }
    }
  }
}

Value io_read_preserving(Interpreter& interp, Args args) {
  const Value datum = read_datum(interp, input_stream(interp, arg_or(args, 0)));
  return datum.is_none() ? at_end(interp, arg_or(args, 1, Value::t()), arg_or(args, 2)) : datum;
}

Value io_read(Interpreter& interp, Args args) {
  Stream& in = input_stream(interp, arg_or(args, 0));
  const Value datum = read_datum(interp, in);
  if (datum.is_none()) {
    return at_end(interp, arg_or(args, 1, Value::t()), arg_or(args, 2));
  }
  if (const std::optional<char32_t> c =
          in.position < in.text.size() ? in.peek_char() : std::nullopt;
      c && is_space(*c)) {
    in.read_char();  // the white space that ended a token
  }
  return datum;
}

/// (read-from-string string eof-error-p eof-value &key start end preserve-whitespace): the datum
/// and the index after it.
Value io_read_from_string(Interpreter& interp, Args args) {
  const String& string = expect_string(interp, args[0], "string");
  const KeywordArgs keys(interp, args, std::min<size_t>(args.size(), 3),
                         {"START", "END", "PRESERVE-WHITESPACE"});
  const Bounds bounds = bounds_of(interp, keys.get("START"), keys.get("END"), string.length());
  const std::string text =
      encode_utf8(string.view().substr(bounds.start, bounds.end - bounds.start));
  size_t offset = 0;
  const Value datum = interp.read(text, &offset);
  if (datum.is_none()) {
    return interp.set_values({at_end(interp, arg_or(args, 1, Value::t()), arg_or(args, 2)),
                              Value::fixnum(static_cast<int64_t>(bounds.end))});
  }
  size_t index = bounds.start + decode_utf8(std::string_view(text).substr(0, offset)).size();
  if (keys.get("PRESERVE-WHITESPACE").is_nil() && index < bounds.end &&
      is_space(string.chars[index])) {
    ++index;
  }
  return interp.set_values({datum, Value::fixnum(static_cast<int64_t>(index))});
}

/// (read-sequence sequence stream) stores characters or bytes; returns the index after the last.
Value io_read_sequence(Interpreter& interp, Args args) {
  const KeywordArgs keys(interp, args, 2, {"START", "END"});
  Stream& in = input_stream(interp, args[1]);
  std::vector<Value> items = sequence_items(interp, args[0], "sequence");
  const Bounds bounds = bounds_of(interp, keys.get("START"), keys.get("END"), items.size());
  size_t at = bounds.start;
  for (; at < bounds.end; ++at) {
    const std::optional<char32_t> c = in.read_char();
    if (!c) {
      break;
    }
    items[at] = in.is_binary ? Value::fixnum(static_cast<int64_t>(*c)) : Value::character(*c);
  }
  store_items(interp, args[0], items);
  return Value::fixnum(static_cast<int64_t>(at));
}

Value io_write_sequence(Interpreter& interp, Args args) {
  const KeywordArgs keys(interp, args, 2, {"START", "END"});
  Stream& out = output_stream(interp, args[1]);
  const std::vector<Value> items = sequence_items(interp, args[0], "sequence");
  const Bounds bounds = bounds_of(interp, keys.get("START"), keys.get("END"), items.size());
  std::string text;
  for (size_t i = bounds.start; i < bounds.end; ++i) {
    if (out.is_binary) {
      const int64_t byte = expect_index(interp, items[i], "byte");
      if (byte > 255) {
        wrong_type(interp, items[i], "element", "a byte");
      }
      text += static_cast<char>(byte);
    } else {
      append_utf8(text, expect_character(interp, items[i], "element"));
    }
  }
  out.write(text);
  return args[0];
}

// --- string streams and questions -------------------------------------------------------------

Value io_make_string_output_stream(Interpreter& interp, Args args) {
  KeywordArgs(interp, args, 0, {"ELEMENT-TYPE"});
  return make_string_output_stream(interp);
}

Value io_get_output_stream_string(Interpreter& interp, Args args) {
  Stream& stream = any_stream(interp, args[0]);
  if (stream.direction != Stream::Direction::Output || stream.file != nullptr ||
      stream.is_broadcast) {
    wrong_type(interp, args[0], "stream", "a string output stream");
  }
  return interp.string(take_output(stream));
}

Value io_make_string_input_stream(Interpreter& interp, Args args) {
  const String& string = expect_string(interp, args[0], "string");
  const Bounds bounds = bounds_of(interp, arg_or(args, 1), arg_or(args, 2), string.length());
  return make_string_input_stream(
      interp, encode_utf8(string.view().substr(bounds.start, bounds.end - bounds.start)));
}

/// An output stream that appends to a string with a fill pointer.
Value io_make_appending_stream(Interpreter& interp, Args args) {
  const String& string = expect_string(interp, args[0], "string");
  if (string.fill_pointer < 0) {
    wrong_type(interp, args[0], "string", "a string with a fill pointer");
  }
  const Value stream = make_string_output_stream(interp);
  stream.as<Stream>()->target = args[0];
  return stream;
}

Value io_make_broadcast_stream(Interpreter& interp, Args args) {
  const Value made = make_string_output_stream(interp);
  made.as<Stream>()->is_broadcast = true;
  for (Value part : args) {
    made.as<Stream>()->broadcast.push_back(Value::object(&output_stream(interp, part)));
  }
  return made;
}

Value io_make_concatenated_stream(Interpreter& interp, Args args) {
  const Value made = make_string_input_stream(interp, "");
  for (Value part : args) {
    made.as<Stream>()->sources.push_back(Value::object(&input_stream(interp, part)));
  }
  return made;
}

Value io_make_two_way_stream(Interpreter& interp, Args args) {
  const Value made = make_string_output_stream(interp);
  made.as<Stream>()->input = Value::object(&input_stream(interp, args[0]));
  made.as<Stream>()->output = Value::object(&output_stream(interp, args[1]));
  return made;
}

Value io_make_synonym_stream(Interpreter& interp, Args args) {
  expect_symbol(interp, args[0], "argument");
  const Value made = make_string_output_stream(interp);
  made.as<Stream>()->synonym = args[0];
  return made;
}

Value none_to_nil(Value v) {
  return v.is_none() ? Value::nil() : v;
}
Value io_broadcast_streams(Interpreter& interp, Args args) {
  return interp.list(any_stream(interp, args[0]).broadcast);
}
Value io_concatenated_streams(Interpreter& interp, Args args) {
  return interp.list(any_stream(interp, args[0]).sources);
}
Value io_synonym_symbol(Interpreter& interp, Args args) {
  return none_to_nil(any_stream(interp, args[0]).synonym);
}
Value io_two_way_input(Interpreter& interp, Args args) {
  return none_to_nil(any_stream(interp, args[0]).input);
}
Value io_two_way_output(Interpreter& interp, Args args) {
  return none_to_nil(any_stream(interp, args[0]).output);
}

Value io_close(Interpreter& interp, Args args) {
  Stream& stream = any_stream(interp, args[0]);
  const bool was_open = stream.is_open;
  stream.close(KeywordArgs(interp, args, 1, {"ABORT"}).get("ABORT").truthy());
  return Value::boolean(was_open);
}

Value io_streamp(Interpreter&, Args args) {
  return Value::boolean(args[0].is<Stream>());
}
Value io_interactive_p(Interpreter& interp, Args args) {
  const Stream& stream = any_stream(interp, args[0]);
  return Value::boolean(stream.file != nullptr && ::isatty(::fileno(stream.file)) != 0);
}
Value io_element_type(Interpreter& interp, Args args) {
  return any_stream(interp, args[0]).is_binary
             ? interp.list({interp.cl("UNSIGNED-BYTE"), Value::fixnum(8)})
             : interp.cl("CHARACTER");
}
Value io_clear_input(Interpreter& interp, Args args) {
  Stream& in = input_stream(interp, arg_or(args, 0));
  if (in.file != nullptr) {
    in.position = in.text.size();
  }
  return Value::nil();
}

/// (y-or-n-p [control argument...]): asks until the answer is y or n (yes or no).
template <bool Words>
Value io_ask(Interpreter& interp, Args args) {
  Stream& out = output_stream(interp, Value::nil());
  while (true) {
    if (!args.empty()) {
      out.write(format_to_string(interp, args[0], args.subspan(1)) + " ");
    }
    out.write(Words ? "(yes or no) " : "(y or n) ");
    bool newline = false;
    const std::optional<std::string> line = input_stream(interp, Value::nil()).read_line(&newline);
    if (!line) {
      return at_end(interp, Value::t(), Value::nil());
    }
    if (*line == "yes" || (!Words && (*line == "y" || *line == "Y"))) {
      return Value::t();
    }
    if (*line == "no" || (!Words && (*line == "n" || *line == "N"))) {
      return Value::nil();
    }
  }
}

Value io_open_stream_p(Interpreter& interp, Args args) {
  return Value::boolean(any_stream(interp, args[0]).is_open);
}
Value io_input_stream_p(Interpreter& interp, Args args) {
  const Stream& stream = any_stream(interp, args[0]);
  return Value::boolean(stream.is_link() || stream.direction == Stream::Direction::Input);
}
Value io_output_stream_p(Interpreter& interp, Args args) {
  return Value::boolean(any_stream(interp, args[0]).direction == Stream::Direction::Output);
}

// clang-format off
constexpr Builtin kIoBuiltins[] = {
    // name                        package  min max  doc                                                    function
    {"WRITE-STRING",               "CL",    1,  -1,  "(write-string string [stream] &key start end)",       io_write_string},
    {"WRITE-LINE",                 "CL",    1,  -1,  "like write-string, and ends the line",                io_write_line},
    {"WRITE-CHAR",                 "CL",    1,  2,   "writes a character",                                  io_write_char},
    {"WRITE-BYTE",                 "CL",    2,  2,   "writes a byte to a binary stream",                    io_write_byte},
    {"WRITE-SEQUENCE",             "CL",    2,  -1,  "writes the elements of a sequence",                   io_write_sequence},
    {"FORCE-OUTPUT",               "CL",    0,  1,   "sends buffered output on its way",                    io_force_output},
    {"FINISH-OUTPUT",              "CL",    0,  1,   "sends buffered output on its way",                    io_force_output},
    {"CLEAR-OUTPUT",               "CL",    0,  1,   "sends buffered output on its way",                    io_force_output},
    {"READ-CHAR",                  "CL",    0,  4,   "(read-char [stream eof-error-p eof-value])",          io_read_char},
    {"READ-CHAR-NO-HANG",          "CL",    0,  4,   "like read-char",                                      io_read_char},
    {"PEEK-CHAR",                  "CL",    0,  5,   "(peek-char [type stream eof-error-p eof-value]): the next character, not taken", io_peek_char},
    {"UNREAD-CHAR",                "CL",    1,  2,   "puts the last character back",                        io_unread_char},
    {"READ-LINE",                  "CL",    0,  4,   "(read-line [stream eof-error-p eof-value]): line, missing-newline-p", io_read_line},
    {"READ-BYTE",                  "CL",    1,  3,   "(read-byte stream [eof-error-p eof-value])",          io_read_byte},
    {"READ-SEQUENCE",              "CL",    2,  -1,  "fills a sequence from a stream; the index after the last element", io_read_sequence},
    {"LISTEN",                     "CL",    0,  1,   "true if a character can be read at once",             io_listen},
    {"READ",                       "CL",    0,  4,   "(read [stream eof-error-p eof-value]): the next datum", io_read},
    {"READ-PRESERVING-WHITESPACE", "CL",    0,  4,   "like read, leaving the white space behind the datum",  io_read_preserving},
    {"READ-FROM-STRING",           "CL",    1,  -1,  "a datum and the index after it",                      io_read_from_string},
    {"MAKE-STRING-OUTPUT-STREAM",  "CL",    0,  -1,  "a stream that collects what is written",              io_make_string_output_stream},
    {"GET-OUTPUT-STREAM-STRING",   "CL",    1,  1,   "what was written to a string stream since the last call", io_get_output_stream_string},
    {"MAKE-STRING-INPUT-STREAM",   "CL",    1,  3,   "a stream that reads a string",                        io_make_string_input_stream},
    {"MAKE-BROADCAST-STREAM",      "CL",    0,  -1,  "an output stream that writes to several others",      io_make_broadcast_stream},
    {"MAKE-CONCATENATED-STREAM",   "CL",    0,  -1,  "an input stream that reads several, one after the other", io_make_concatenated_stream},
    {"MAKE-TWO-WAY-STREAM",        "CL",    2,  2,   "a stream that reads one stream and writes another",   io_make_two_way_stream},
    {"MAKE-SYNONYM-STREAM",        "CL",    1,  1,   "a stream that stands for the value of a symbol",      io_make_synonym_stream},
    {"BROADCAST-STREAM-STREAMS",   "CL",    1,  1,   "the streams of a broadcast stream",                   io_broadcast_streams},
    {"CONCATENATED-STREAM-STREAMS", "CL",   1,  1,   "the streams still to be read",                        io_concatenated_streams},
    {"SYNONYM-STREAM-SYMBOL",      "CL",    1,  1,   "the symbol of a synonym stream",                      io_synonym_symbol},
    {"TWO-WAY-STREAM-INPUT-STREAM", "CL",   1,  1,   "what a two-way stream reads",                         io_two_way_input},
    {"TWO-WAY-STREAM-OUTPUT-STREAM", "CL",  1,  1,   "what a two-way stream writes",                        io_two_way_output},
    {"%MAKE-APPENDING-STREAM",     "CATEN", 1,  1,   "an output stream that appends to a string with a fill pointer", io_make_appending_stream},
    {"CLOSE",                      "CL",    1,  -1,  "closes a stream (&key abort)",                        io_close},
    {"STREAMP",                    "CL",    1,  1,   "true for streams",                                    io_streamp},
    {"INTERACTIVE-STREAM-P",       "CL",    1,  1,   "true for streams on a terminal",                      io_interactive_p},
    {"STREAM-ELEMENT-TYPE",        "CL",    1,  1,   "what a stream reads or writes",                       io_element_type},
    {"CLEAR-INPUT",                "CL",    0,  1,   "drops input that was typed but not read",             io_clear_input},
    {"Y-OR-N-P",                   "CL",    0,  -1,  "asks a question; true for y",                         io_ask<false>},
    {"YES-OR-NO-P",                "CL",    0,  -1,  "asks a question; true for yes",                       io_ask<true>},
    {"OPEN-STREAM-P",              "CL",    1,  1,   "true if a stream is open",                            io_open_stream_p},
    {"INPUT-STREAM-P",             "CL",    1,  1,   "true for input streams",                              io_input_stream_p},
    {"OUTPUT-STREAM-P",            "CL",    1,  1,   "true for output streams",                             io_output_stream_p},
};
// clang-format on

}  // namespace

std::span<const Builtin> io_builtins() {
  return kIoBuiltins;
}

}  // namespace caten::lisp
