// Screen: what a terminal shows of the bytes that a program writes to it, all rows since its start.
// Knows the control sequences of xterm that libedit and the REPL use.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace caten::repl {

class Screen {
 public:
  explicit Screen(size_t columns) : columns_(columns) {}

  void write(std::string_view bytes);
  void resize(size_t columns) { columns_ = columns; }

  /// The rows without trailing blanks, UTF-8, each ended by a newline; rows at the end that are
  /// empty are left out.
  std::string text() const;
  std::string row_text(size_t row) const;
  size_t row() const { return row_; }
  size_t column() const { return column_; }
  bool has_unknown() const { return !unknown_.empty(); }
  const std::string& unknown() const { return unknown_; }

 private:
  void put(char32_t c);
  void control(char32_t c);
  void sequence();
  std::vector<char32_t>& line();

  size_t columns_;
  std::vector<std::vector<char32_t>> rows_ = std::vector<std::vector<char32_t>>(1);
  size_t row_ = 0;
  size_t column_ = 0;
  std::string pending_;  // an unfinished UTF-8 character
  std::string escape_;   // an unfinished control sequence, without ESC
  bool in_escape_ = false;
  std::string unknown_;
};

}  // namespace caten::repl
