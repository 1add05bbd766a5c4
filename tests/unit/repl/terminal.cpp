// See terminal.h.
#include "unit/repl/terminal.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace caten::repl {
namespace {

constexpr std::chrono::seconds kPatience{60};
// With `h` the editor asks for bracketed paste, when its prompt is drawn; with `l` the input ends.
constexpr std::string_view kPaste = "\033[?2004";

}  // namespace

ScratchFolder::ScratchFolder() {
  path_ = (std::filesystem::temp_directory_path() / "catenc-repl-XXXXXX").string();
  if (::mkdtemp(path_.data()) == nullptr) {
    ADD_FAILURE() << "no scratch folder";
  }
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string read_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void write_text(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

Terminal::Terminal(Setup setup) : screen_(setup.columns) {
  winsize size{};
  size.ws_col = static_cast<unsigned short>(setup.columns);
  size.ws_row = 200;  // nothing scrolls away
  std::vector<std::string> words = {CATENC};
  words.insert(words.end(), setup.arguments.begin(), setup.arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) {
    argv.push_back(word.data());
  }
  argv.push_back(nullptr);
  setup.environment.try_emplace("TERM", "xterm");
  setup.environment.try_emplace("HOME", home_.path());
  setup.environment.try_emplace("NO_COLOR", "1");
  process_ = ::forkpty(&fd_, nullptr, nullptr, &size);
  if (process_ == 0) {
    const char* path = std::getenv("PATH");
    const std::string saved = path == nullptr ? "/usr/bin:/bin" : path;
    ::clearenv();
    ::setenv("PATH", saved.c_str(), 1);
    for (const auto& [name, value] : setup.environment) {
      ::setenv(name.c_str(), value.c_str(), 1);
    }
    const std::string& folder = setup.folder.empty() ? home_.path() : setup.folder;
    if (::chdir(folder.c_str()) == 0) {
      ::execv(argv[0], argv.data());
    }
    ::_exit(127);
  }
  wait_for_prompt();
}

Terminal::~Terminal() {
  if (!ended_) {
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }
  ::close(fd_);
}

void Terminal::send(std::string_view keys) {
  while (!keys.empty()) {
    const ssize_t n = ::write(fd_, keys.data(), keys.size());
    if (n < 0 && errno != EINTR) {
      ADD_FAILURE() << "the terminal is closed";
      return;
    }
    keys.remove_prefix(n < 0 ? 0 : static_cast<size_t>(n));
    read_some(std::chrono::milliseconds(0));  // a full pipe would stop both sides
  }
}

bool Terminal::read_some(std::chrono::milliseconds limit) {
  pollfd fd{fd_, POLLIN, 0};
  if (::poll(&fd, 1, static_cast<int>(limit.count())) <= 0) {
    return false;
  }
  char buffer[65536];
  const ssize_t n = ::read(fd_, buffer, sizeof buffer);
  if (n <= 0) {
    ended_ = ended_ || n == 0 || errno == EIO;
    return false;
  }
  raw_.append(buffer, static_cast<size_t>(n));
  for (size_t at = raw_.find(kPaste, counted_);
       at != std::string::npos && raw_.size() > at + kPaste.size();
       at = raw_.find(kPaste, counted_)) {
    const size_t end = at + kPaste.size() + 1;
    screen_.write(std::string_view(raw_).substr(shown_, end - shown_));
    shown_ = counted_ = end;
    if (raw_[end - 1] == 'h') {
      ++prompts_;
    } else {
      edited_row_ = screen_.row();
    }
  }
  screen_.write(std::string_view(raw_).substr(shown_));
  shown_ = raw_.size();
  return true;
}

void Terminal::wait_until(const std::function<bool()>& holds, std::string_view what) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  bool closed = false;
  while (!holds()) {
    closed = closed || ended_;
    if (closed || std::chrono::steady_clock::now() > end) {
      FAIL() << "waited for " << what << "; the screen:\n" << screen_.text();
    }
    read_some(std::chrono::milliseconds(50));
  }
}

void Terminal::wait_for_prompt() {
  wait_until([this] { return prompts_ > awaited_; }, "a prompt");
  awaited_ = prompts_;
}

void Terminal::wait_for(std::string_view text) {
  wait_until([&] { return screen_.text().find(text) != std::string::npos; }, text);
}

std::string Terminal::enter(std::string_view line) {
  send(line);
  send("\r");
  wait_for_prompt();
  std::string out;
  for (size_t row = edited_row_; row < screen_.row(); ++row) {
    out += screen_.row_text(row) + "\n";
  }
  return out;
}

int Terminal::wait_for_exit() {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  int status = 0;
  while (std::chrono::steady_clock::now() < end) {
    read_some(std::chrono::milliseconds(20));
    if (::waitpid(process_, &status, WNOHANG) == process_) {
      while (read_some(std::chrono::milliseconds(0))) {
      }
      ended_ = true;
      return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
  }
  ADD_FAILURE() << "the process does not end; the screen:\n" << screen_.text();
  return -1;
}

void Terminal::resize(size_t columns) {
  winsize size{};
  size.ws_col = static_cast<unsigned short>(columns);
  size.ws_row = 200;
  screen_.resize(columns);
  ::ioctl(fd_, TIOCSWINSZ, &size);  // the kernel sends SIGWINCH
}

void Terminal::signal(int number) const {
  ::kill(process_, number);
}

}  // namespace caten::repl
