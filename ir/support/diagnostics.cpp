// Rendering of the user's mistakes. A place is shown as
//     model.lisp:3:5: error: message
//       3 |   (foo bar)
//         |   ^^^^^^^^^
// A span over several lines shows its first and last line. Very long lines show a window around
// the caret, so that an error in a 10 MB line stays readable.
#include "ir/support/diagnostics.h"

#include <algorithm>
#include <array>

#include "ir/support/check.h"
#include "ir/support/utf8.h"

namespace caten {

void internal_error(const char* file, int line, const char* condition, const std::string& message) {
  throw InternalError(fmt::format("{}:{}: {} ({})", file, line, message, condition));
}

namespace {

#define CATEN_DIAG(number, name, text, title) {Diag::name, false, "E0" #number, text, title},
#define CATEN_WARNING(number, name, text, title) {Diag::name, true, "W0" #number, text, title},
constexpr DiagInfo kDiagnostics[] = {
#include "ir/support/diagnostics.def"
};

}  // namespace

std::span<const DiagInfo> diagnostics() {
  return kDiagnostics;
}

const DiagInfo& diag_info(Diag kind) {
  return kDiagnostics[static_cast<size_t>(kind)];
}

void fail_file(std::string path, std::string message) {
  CompileError error(Diag::FileError, Span{}, std::move(message));
  error.path = std::move(path);
  throw error;
}

uint32_t SourceMap::add(std::string name, std::string text) {
  CATEN_CHECK(text.size() < UINT32_MAX, "source text of `{}` is too long for a span", name);
  files_.push_back({std::move(name), std::move(text), {}});
  return static_cast<uint32_t>(files_.size());
}

const SourceMap::File& SourceMap::file(uint32_t id) const {
  CATEN_CHECK(id >= 1 && id <= files_.size(), "no source file number {}", id);
  return files_[id - 1];
}

uint32_t SourceMap::find(std::string_view name) const {
  for (size_t i = files_.size(); i > 0; --i) {
    if (files_[i - 1].name == name) {
      return static_cast<uint32_t>(i);
    }
  }
  return 0;
}

const std::string& SourceMap::name(uint32_t id) const {
  return file(id).name;
}
const std::string& SourceMap::text(uint32_t id) const {
  return file(id).text;
}

namespace {

/// Where line `line` (1-based) begins and ends (its newline excluded).
struct Line {
  size_t begin;
  size_t end;
};

Line line_around(std::string_view text, size_t offset) {
  const size_t before = offset == 0 ? std::string_view::npos : text.rfind('\n', offset - 1);
  const size_t begin = before == std::string_view::npos ? 0 : before + 1;
  size_t end = text.find('\n', offset);
  if (end == std::string_view::npos) {
    end = text.size();
  }
  if (end > begin && text[end - 1] == '\r') {
    --end;
  }
  return {begin, std::max(begin, end)};
}

}  // namespace

SourceMap::Position SourceMap::position(uint32_t id, uint32_t offset) const {
  const File& f = file(id);
  if (f.line_starts.empty()) {
    f.line_starts.push_back(0);
    for (size_t at = f.text.find('\n'); at != std::string::npos; at = f.text.find('\n', at + 1)) {
      f.line_starts.push_back(static_cast<uint32_t>(at + 1));
    }
  }
  const uint32_t end = std::min(offset, static_cast<uint32_t>(f.text.size()));
  const auto after = std::upper_bound(f.line_starts.begin(), f.line_starts.end(), end);
  const auto line = static_cast<uint32_t>(after - f.line_starts.begin());
  uint32_t column = 1;
  for (uint32_t at = f.line_starts[line - 1]; at < end; at += decode_utf8(f.text, at).bytes) {
    ++column;
  }
  return {line, column};
}

std::string_view SourceMap::snippet(Span span) const {
  if (!span.known()) {
    return {};
  }
  const std::string_view whole = text(span.file);
  const size_t begin = std::min<size_t>(span.begin, whole.size());
  const size_t end = std::clamp<size_t>(span.end, begin, whole.size());
  return whole.substr(begin, end - begin);
}

namespace {

constexpr int kTabWidth = 8;
constexpr size_t kWindowBytes = 160;  // longer lines are shown in part

constexpr std::string_view kRed = "\033[1;31m";
constexpr std::string_view kCyan = "\033[1;36m";
constexpr std::string_view kMagenta = "\033[1;35m";
constexpr std::string_view kGreen = "\033[1;32m";
constexpr std::string_view kBold = "\033[1m";
constexpr std::string_view kReset = "\033[0m";

struct Paint {
  bool on;
  std::string operator()(std::string_view code, std::string_view text) const {
    return on ? fmt::format("{}{}{}", code, text, kReset) : std::string(text);
  }
};

/// One source line as shown (tabs expanded, control characters replaced) and the carets below it.
struct ShownLine {
  std::string text;
  std::string carets;
};

/// The first byte of a code point at or after `at`.
size_t to_boundary(std::string_view text, size_t at) {
  while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U) {
    ++at;
  }
  return at;
}

/// Shows the line [line.begin, line.end) with carets under the bytes [begin, end) of it.
ShownLine show_line(std::string_view text, Line line, size_t begin, size_t end) {
  ShownLine shown;
  size_t first = line.begin;
  size_t last = line.end;
  if (last - first > kWindowBytes) {
    if (begin - first > kWindowBytes / 2) {
      first = to_boundary(text, begin - kWindowBytes / 4);
    }
    last = to_boundary(text, std::min(last, first + kWindowBytes));
  }
  int column = 0;
  int caret_from = -1;
  int caret_to = -1;
  const auto put = [&](std::string_view piece, int width) {
    shown.text += piece;
    column += width;
  };
  if (first != line.begin) {
    put("...", 3);
  }
  for (size_t at = first; at < last;) {
    const CodePoint point = decode_utf8(text, at);
    const int before = column;
    if (point.value == '\t') {
      const int width = kTabWidth - column % kTabWidth;
      put(std::string(static_cast<size_t>(width), ' '), width);
    } else if (point.value < 0x20 || point.value == 0x7F || !point.valid) {
      put("\xEF\xBF\xBD", 1);
    } else {
      put(text.substr(at, point.bytes), display_width(point.value));
    }
    if (at >= begin && at < end) {
      caret_from = caret_from < 0 ? before : caret_from;
      caret_to = column;
    }
    at += point.bytes;
  }
  if (caret_from < 0) {  // an empty range, or the end of the line: one caret at its place
    caret_from = begin <= first ? 0 : column;
  }
  if (last != line.end) {
    put("...", 3);
  }
  const int count = std::max(1, caret_to - caret_from);
  shown.carets = std::string(static_cast<size_t>(caret_from), ' ') +
                 std::string(static_cast<size_t>(count), '^');
  return shown;
}

size_t first_nonblank(std::string_view text, Line line) {
  const size_t at = text.find_first_not_of(" \t", line.begin);
  return at == std::string_view::npos ? line.begin : std::min(at, line.end);
}

/// The source lines of a span with their carets.
void append_excerpt(std::string& out, Span span, const SourceMap& sources, const Paint& paint) {
  const std::string_view text = sources.text(span.file);
  const size_t begin = std::min<size_t>(span.begin, text.size());
  const size_t end = std::clamp<size_t>(span.end, begin, text.size());
  const uint32_t first_line = sources.position(span.file, static_cast<uint32_t>(begin)).line;
  const Line first = line_around(text, begin);
  const bool several = end > first.end + 1;
  const size_t last_at = several ? end - 1 : begin;
  const uint32_t last_line =
      several ? sources.position(span.file, static_cast<uint32_t>(last_at)).line : first_line;
  const size_t gutter = std::max<size_t>(3, fmt::format("{}", last_line).size());
  const auto append = [&](uint32_t number, const ShownLine& shown) {
    out += fmt::format("{:>{}} | {}\n", number, gutter, shown.text);
    out += fmt::format("{:>{}} | {}\n", "", gutter, paint(kGreen, shown.carets));
  };
  append(first_line, show_line(text, first, begin, std::min(end, first.end)));
  if (last_line == first_line) {
    return;
  }
  if (last_line > first_line + 1) {
    out += fmt::format("{:>{}} |\n", "...", gutter);
  }
  const Line last = line_around(text, last_at);
  append(last_line, show_line(text, last, first_nonblank(text, last), end));
}

void append_place(std::string& out, Span span, std::string_view severity, std::string_view message,
                  const SourceMap& sources, const Paint& paint) {
  const std::string_view color = severity == "error"     ? kRed
                                 : severity == "warning" ? kMagenta
                                                         : kCyan;
  const std::string label = paint(color, fmt::format("{}:", severity));
  if (!span.known()) {
    out += fmt::format("{} {}\n", label, paint(kBold, message));
    return;
  }
  const SourceMap::Position at = sources.position(span.file, span.begin);
  const std::string place = fmt::format("{}:{}:{}:", sources.name(span.file), at.line, at.column);
  out += fmt::format("{} {} {}\n", paint(kBold, place), label, paint(kBold, message));
  append_excerpt(out, span, sources, paint);
}

std::string json_string(std::string_view text) {
  std::string out = "\"";
  for (size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text, at);
    if (point.value == '"' || point.value == '\\') {
      out += '\\';
      out += static_cast<char>(point.value);
    } else if (point.value < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(point.value));
    } else {
      append_utf8(out, point.value);
    }
    at += point.bytes;
  }
  return out + '"';
}

std::string json_place(Span span, std::string_view path, const SourceMap& sources) {
  if (!span.known()) {
    return path.empty() ? "\"file\":null" : fmt::format("\"file\":{}", json_string(path));
  }
  const SourceMap::Position begin = sources.position(span.file, span.begin);
  const SourceMap::Position end = sources.position(span.file, std::max(span.begin, span.end));
  return fmt::format("\"file\":{},\"line\":{},\"column\":{},\"end_line\":{},\"end_column\":{}",
                     json_string(sources.name(span.file)), begin.line, begin.column, end.line,
                     end.column);
}

std::string render_json(const CompileError& error, std::string_view severity,
                        const SourceMap& sources) {
  std::string out =
      fmt::format("{{\"severity\":\"{}\",\"code\":\"{}\",\"kind\":\"{}\",{},\"message\":{}",
                  severity, diag_info(error.kind).code, diag_name(error.kind),
                  json_place(error.span, error.path, sources), json_string(error.message));
  out += ",\"notes\":[";
  for (size_t i = 0; i < error.notes.size(); ++i) {
    out += fmt::format("{}{{{},\"message\":{}}}", i == 0 ? "" : ",",
                       json_place(error.notes[i].span, "", sources),
                       json_string(error.notes[i].message));
  }
  out += "],\"backtrace\":[";
  for (size_t i = 0; i < error.frames.size(); ++i) {
    out += fmt::format("{}{{{},\"call\":{}}}", i == 0 ? "" : ",",
                       json_place(error.frames[i].place, "", sources),
                       json_string(error.frames[i].call));
  }
  return out + "]}\n";
}

std::string render_as(std::string_view severity, const CompileError& error,
                      const SourceMap& sources, bool color, ErrorFormat format) {
  if (format == ErrorFormat::Json) {
    return render_json(error, severity, sources);
  }
  const Paint paint{color};
  const std::string message = fmt::format("{} [{}]", error.message, diag_info(error.kind).code);
  std::string out;
  if (!error.path.empty()) {
    out = fmt::format("{} {} {}\n", paint(kBold, error.path + ":"),
                      paint(kRed, fmt::format("{}:", severity)), paint(kBold, message));
  } else {
    append_place(out, error.span, severity, message, sources, paint);
  }
  for (const Note& note : error.notes) {
    append_place(out, note.span, "note", note.message, sources, paint);
  }
  return out;
}

}  // namespace

std::string render(const CompileError& error, const SourceMap& sources, bool color,
                   ErrorFormat format) {
  return render_as(diag_info(error.kind).warning ? "warning" : "error", error, sources, color,
                   format);
}

std::string render_as_error(const CompileError& warning, const SourceMap& sources, bool color,
                            ErrorFormat format) {
  return render_as("error", warning, sources, color, format);
}

}  // namespace caten
