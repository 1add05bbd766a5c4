// See width.h.
#include "frontend/repl/width.h"

#include <algorithm>
#include <cwchar>

#include "frontend/lisp/value.h"

namespace caten::repl {
namespace {

size_t width_of(wchar_t c) {
  const int width = ::wcwidth(c);
  return width < 0 ? 1 : static_cast<size_t>(width);
}

}  // namespace

size_t display_width(std::string_view utf8) {
  size_t width = 0;
  for (const char32_t c : lisp::decode_utf8(utf8)) {
    width += width_of(static_cast<wchar_t>(c));
  }
  return width;
}

std::string clipped(std::string_view utf8, size_t limit) {
  size_t end = std::min(utf8.find('\n'), utf8.size());
  if (end > limit) {
    end = limit;
    while (end > 0 && (static_cast<unsigned char>(utf8[end]) & 0xC0) == 0x80) {
      --end;
    }
  }
  return std::string(utf8.substr(0, end)) + (end < utf8.size() ? "..." : "");
}

Cell cell_behind(std::wstring_view text, size_t first_column, size_t columns) {
  Cell cell{0, first_column};
  for (const wchar_t c : text) {
    if (c == L'\n') {
      cell = {cell.row + 1, 0};
      continue;
    }
    const size_t width = width_of(c);
    if (cell.column + width > columns) {
      cell = {cell.row + 1, 0};
    }
    cell.column += width;
    if (cell.column >= columns) {
      cell = {cell.row + 1, 0};
    }
  }
  return cell;
}

}  // namespace caten::repl
