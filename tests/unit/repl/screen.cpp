// See screen.h.
#include "unit/repl/screen.h"

#include <algorithm>
#include <cstdlib>

#include "frontend/lisp/value.h"

namespace caten::repl {

std::vector<char32_t>& Screen::line() {
  if (rows_.size() <= row_) {
    rows_.resize(row_ + 1);
  }
  return rows_[row_];
}

void Screen::put(char32_t c) {
  if (column_ >= columns_) {  // a full row wraps when the next character comes
    column_ = 0;
    ++row_;
  }
  std::vector<char32_t>& cells = line();
  if (cells.size() <= column_) {
    cells.resize(column_ + 1, U' ');
  }
  cells[column_++] = c;
}

void Screen::control(char32_t c) {
  switch (c) {
    case '\r':
      column_ = 0;
      break;
    case '\n':
      ++row_;
      line();
      break;
    case '\b':
      column_ = std::min(column_, columns_ - 1);
      column_ -= column_ > 0 ? 1 : 0;
      break;
    case '\t':
      column_ = std::min(columns_ - 1, (column_ / 8 + 1) * 8);
      break;
    case 0x1B:
      in_escape_ = true;
      escape_.clear();
      break;
    default:  // the bell
      break;
  }
}

/// escape_ holds "[…X".
void Screen::sequence() {
  const char final = escape_.back();
  if (escape_[0] != '[' || escape_.find('?') != std::string::npos) {
    return;  // keypad modes, bracketed paste
  }
  const size_t n = static_cast<size_t>(std::max(1, std::atoi(escape_.c_str() + 1)));
  std::vector<char32_t>& cells = line();
  switch (final) {
    case 'A':
      row_ -= std::min(row_, n);
      break;
    case 'B':
      row_ += n;
      line();
      break;
    case 'C':
      column_ = std::min(columns_ - 1, column_ + n);
      break;
    case 'D':
      column_ -= std::min(column_, n);
      break;
    case 'G':
      column_ = n - 1;
      break;
    case 'K':
      cells.resize(std::min(cells.size(), column_));
      break;
    case 'J':
      cells.resize(std::min(cells.size(), column_));
      rows_.resize(row_ + 1);
      break;
    case 'P':
      if (column_ < cells.size()) {
        const auto begin = cells.begin() + static_cast<ptrdiff_t>(column_);
        cells.erase(begin, begin + static_cast<ptrdiff_t>(std::min(n, cells.size() - column_)));
      }
      break;
    case '@':
      if (column_ < cells.size()) {
        cells.insert(cells.begin() + static_cast<ptrdiff_t>(column_), n, U' ');
        cells.resize(std::min(cells.size(), columns_));
      }
      break;
    case 'm':  // colours
      break;
    default:
      unknown_ += escape_ + " ";
  }
}

void Screen::write(std::string_view bytes) {
  for (const char byte : bytes) {
    if (in_escape_) {
      escape_ += byte;
      const bool done =
          escape_.size() == 1 ? byte != '[' && byte != '(' : byte >= '@' || escape_[0] == '(';
      if (done) {
        in_escape_ = false;
        sequence();
      }
      continue;
    }
    pending_ += byte;
    const auto lead = static_cast<unsigned char>(pending_[0]);
    const size_t wanted = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
    if (pending_.size() < wanted) {
      continue;
    }
    const char32_t c = lisp::decode_utf8(pending_).front();
    pending_.clear();
    if (c < 0x20 || c == 0x7F) {
      control(c);
    } else {
      put(c);
    }
  }
}

std::string Screen::row_text(size_t row) const {
  if (row >= rows_.size()) {
    return "";
  }
  std::string out = lisp::encode_utf8(std::u32string(rows_[row].begin(), rows_[row].end()));
  return out.substr(0, out.find_last_not_of(' ') + 1);
}

std::string Screen::text() const {
  std::string out;
  for (size_t i = 0; i < rows_.size(); ++i) {
    out += row_text(i) + "\n";
  }
  while (out.ends_with("\n\n")) {
    out.pop_back();
  }
  return out;
}

}  // namespace caten::repl
