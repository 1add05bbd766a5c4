// Golden transcripts, typed at a pseudo-terminal: tests/golden/repl/*.txt. A file says in its first
// lines (`;;; …`) what it shows, then holds the lines to type, `;;; expect` and the screen
// afterwards. Leading blanks are not typed: the editor indents. Times and tensor ids are masked.
// CATEN_BLESS=1 rewrites.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <sstream>

#include "frontend/reader/scan.h"
#include "frontend/repl/commands.h"
#include "unit/repl/terminal.h"

namespace caten::repl {
namespace {

constexpr std::string_view kExpect = ";;; expect\n";

std::string masked(const std::string& screen) {
  std::string out = std::regex_replace(screen, std::regex(R"(\b[0-9.]+ (ns|us|ms|s)\b)"), "TIME");
  out = std::regex_replace(out, std::regex(R"(\b[0-9]+ runs\b)"), "N runs");
  return std::regex_replace(out, std::regex(R"(:id [0-9]+)"), ":id N");
}

bool is_complete(const std::string& input) {
  const auto start = command_at_start(input);
  if (start && start->command != nullptr && start->command->operand != Operand::Form) {
    return true;
  }
  return lisp::scan(std::string_view(input).substr(start ? start->end : 0)).complete();
}

std::string play(const std::string& lines) {
  Terminal terminal({.columns = 100});
  std::istringstream in(lines);
  std::string input;
  for (std::string line; std::getline(in, line);) {
    if (input.empty() && (line.empty() || line.starts_with(";;;"))) {
      continue;
    }
    line.erase(0, line.find_first_not_of(' '));
    input += line + "\n";
    const size_t row = terminal.screen().row();
    terminal.send(line + "\r");
    if (is_complete(input)) {
      terminal.wait_for_prompt();
      input.clear();
      continue;
    }
    // The next line is there when its indentation is.
    terminal.wait_until(
        [&] { return terminal.screen().row() > row && terminal.screen().column() > 8; },
        "the line after " + line);
  }
  return masked(terminal.screen().text());
}

class TranscriptTest : public testing::TestWithParam<std::string> {};

TEST_P(TranscriptTest, LooksAsWritten) {
  const std::string path = std::string(CATEN_TRANSCRIPTS) + "/" + GetParam() + ".txt";
  const std::string text = read_text(path);
  const size_t split = text.find(kExpect);
  const std::string lines = text.substr(0, split);
  const std::string screen = play(lines);
  if (std::getenv("CATEN_BLESS") != nullptr) {
    write_text(path, lines + std::string(kExpect) + screen);
    return;
  }
  ASSERT_NE(split, std::string::npos) << path;
  EXPECT_EQ(text.substr(split + kExpect.size()), screen);
}

std::vector<std::string> transcripts() {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::directory_iterator(CATEN_TRANSCRIPTS)) {
    out.push_back(entry.path().stem().string());
  }
  std::sort(out.begin(), out.end());
  return out;
}

INSTANTIATE_TEST_SUITE_P(Golden, TranscriptTest, testing::ValuesIn(transcripts()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace caten::repl
