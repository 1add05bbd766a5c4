// See stream.h.
#include "frontend/lisp/stream.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "frontend/builtins/builtins.h"

namespace caten::lisp {
namespace {

void trace_stream(HeapObject* object, Tracer& tracer) {
  const auto& stream = *static_cast<Stream*>(object);
  trace(tracer, stream.target);
  for (const auto* parts : {&stream.broadcast, &stream.sources}) {
    for (Value part : *parts) {
      trace(tracer, part);
    }
  }
  for (Value link : {stream.input, stream.output, stream.synonym}) {
    trace(tracer, link);
  }
}

void destroy_stream(HeapObject* object) {
  static_cast<Stream*>(object)->~Stream();
}

bool is_continuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
}

size_t count_chars(std::string_view utf8) {
  size_t n = 0;
  for (char byte : utf8) {
    n += is_continuation(byte) ? 0 : 1;
  }
  return n;
}

/// The number of bytes of the character that begins at `at`.
size_t char_bytes(std::string_view text, size_t at) {
  const auto first = static_cast<unsigned char>(text[at]);
  size_t want = first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  size_t n = 1;
  while (n < want && at + n < text.size() && is_continuation(text[at + n])) {
    ++n;
  }
  return n;
}

char32_t char_at(const Stream& stream) {
  if (stream.is_binary) {
    return static_cast<unsigned char>(stream.text[stream.position]);
  }
  const std::string_view bytes =
      std::string_view(stream.text)
          .substr(stream.position, char_bytes(stream.text, stream.position));
  return decode_utf8(bytes)[0];
}

Stream& stream_of(Interpreter& interp, Value designator, Stream::Direction direction) {
  const bool out = direction == Stream::Direction::Output;
  const std::string_view expected = out ? "an output stream" : "an input stream";
  Value value = designator;
  if (value.is_nil() || value == Value::t()) {
    const std::string_view variable = !out             ? "*STANDARD-INPUT*"
                                      : value.is_nil() ? "*STANDARD-OUTPUT*"
                                                       : "*TERMINAL-IO*";
    value = interp.cl(variable).as<Symbol>()->value;
  }
  Stream* stream = value.is_none() ? nullptr : value.try_as<Stream>();
  constexpr int kMaxLinks = 100;  // synonyms may name each other
  for (int links = 0; stream != nullptr && links < kMaxLinks; ++links) {
    const Value link = !stream->synonym.is_none() ? stream->synonym.as<Symbol>()->value
                       : out                      ? stream->output
                                                  : stream->input;
    if (link.is_none() || !stream->is_open) {
      break;
    }
    value = link;
    stream = link.try_as<Stream>();
  }
  if (stream == nullptr || stream->is_link() || stream->direction != direction) {
    wrong_type(interp, value.is_none() ? Value::nil() : value, "stream", expected);
  }
  if (!stream->is_open) {
    fail(Diag::StreamError, interp.current_span(), "the stream is closed");
  }
  return *stream;
}

}  // namespace

const ObjectType Stream::kType{"stream", trace_stream, destroy_stream, 0};

Stream::~Stream() {
  if (file != nullptr && owns_file) {
    std::fclose(file);
    if (!temporary.empty()) {
      ::unlink(temporary.c_str());
    }
  }
}

void Stream::write(std::string_view utf8) {
  const size_t newline = utf8.rfind('\n');
  if (newline == std::string_view::npos) {
    column += count_chars(utf8);
  } else {
    column = count_chars(utf8.substr(newline + 1));
  }
  if (is_broadcast) {
    for (Value part : broadcast) {
      part.as<Stream>()->write(utf8);
    }
  } else if (file != nullptr) {
    std::fwrite(utf8.data(), 1, utf8.size(), file);
  } else if (String* string = target.is_none() ? nullptr : target.try_as<String>()) {
    string->append(decode_utf8(utf8));
  } else {
    text += utf8;
  }
}

void Stream::write_char(char32_t c) {
  std::string utf8;
  append_utf8(utf8, c);
  write(utf8);
}

void Stream::flush() {
  for (Value part : broadcast) {
    part.as<Stream>()->flush();
  }
  if (file != nullptr && direction == Direction::Output) {
    std::fflush(file);
  }
}

bool Stream::read_more() {
  for (; !sources.empty(); sources.erase(sources.begin())) {
    auto& source = *sources.front().as<Stream>();
    if (source.position < source.text.size() || source.read_more()) {
      text.append(source.text, source.position);
      source.position = source.text.size();
      return true;
    }
  }
  if (file == nullptr) {
    return false;
  }
  std::fflush(stdout);  // a prompt must be seen before its answer is typed
  char* line = nullptr;
  size_t capacity = 0;
  const ssize_t length = ::getline(&line, &capacity, file);
  if (length > 0) {
    text.append(line, static_cast<size_t>(length));
  }
  std::free(line);
  return length > 0;
}

std::optional<char32_t> Stream::peek_char() {
  if (position >= text.size() && !read_more()) {
    return std::nullopt;
  }
  return char_at(*this);
}

std::optional<char32_t> Stream::read_char() {
  const std::optional<char32_t> c = peek_char();
  if (c) {
    position += is_binary ? 1 : char_bytes(text, position);
  }
  return c;
}

bool Stream::unread_char() {
  if (position == 0) {
    return false;
  }
  --position;
  while (!is_binary && position > 0 && is_continuation(text[position])) {
    --position;
  }
  return true;
}

std::optional<std::string> Stream::read_line(bool* newline) {
  if (!peek_char()) {
    return std::nullopt;
  }
  size_t end = text.find('\n', position);
  while (end == std::string::npos && read_more()) {
    end = text.find('\n', position);
  }
  *newline = end != std::string::npos;
  std::string line = text.substr(position, *newline ? end - position : std::string::npos);
  position = *newline ? end + 1 : text.size();
  return line;
}

void Stream::close(bool abort) {
  if (!is_open) {
    return;
  }
  is_open = false;
  if (file == nullptr || !owns_file) {
    flush();
    return;
  }
  const bool bad_write = std::ferror(file) != 0;
  const bool bad_close = std::fclose(file) != 0;
  file = nullptr;
  if (abort || bad_write || bad_close) {
    if (!temporary.empty()) {
      ::unlink(temporary.c_str());
    }
    if (!abort) {
      fail_file(path, "cannot write the file");
    }
    return;
  }
  if (!temporary.empty() && std::rename(temporary.c_str(), path.c_str()) != 0) {
    const int error = errno;
    ::unlink(temporary.c_str());
    fail_file(path, fmt::format("cannot write the file: {}", std::strerror(error)));
  }
}

Value make_string_output_stream(Interpreter& interp) {
  return Value::object(interp.heap().make<Stream>(Stream::Direction::Output));
}

std::string take_output(Stream& stream) {
  std::string text = std::move(stream.text);
  stream.text.clear();
  return text;
}

Value make_string_input_stream(Interpreter& interp, std::string utf8) {
  Stream* stream = interp.heap().make<Stream>(Stream::Direction::Input);
  stream->text = std::move(utf8);
  return Value::object(stream);
}

Stream& output_stream(Interpreter& interp, Value designator) {
  return stream_of(interp, designator, Stream::Direction::Output);
}

Stream& input_stream(Interpreter& interp, Value designator) {
  return stream_of(interp, designator, Stream::Direction::Input);
}

void install_console_streams(Interpreter& interp) {
  const auto console = [&](Stream::Direction direction, std::FILE* file) {
    Stream* stream = interp.heap().make<Stream>(direction);
    stream->file = file;
    return Value::object(stream);
  };
  const Value in = console(Stream::Direction::Input, stdin);
  const Value out = console(Stream::Direction::Output, stdout);
  const Value error = console(Stream::Direction::Output, stderr);
  const auto define = [&](std::string_view name, Value stream) {
    const Value symbol = interp.cl(name);
    interp.cl_package().export_symbol(symbol);
    interp.proclaim_special(symbol);
    interp.set_symbol_value(symbol, stream);
  };
  define("*STANDARD-INPUT*", in);
  define("*STANDARD-OUTPUT*", out);
  define("*ERROR-OUTPUT*", error);
  define("*TRACE-OUTPUT*", out);
  define("*QUERY-IO*", out);
  define("*DEBUG-IO*", out);
  define("*TERMINAL-IO*", out);
}

}  // namespace caten::lisp
