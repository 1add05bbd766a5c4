// Terminal: a process at a pseudo-terminal, and what its screen shows.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "unit/repl/screen.h"

namespace caten::repl {

/// A folder that goes away with the object.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::string read_text(const std::string& path);
void write_text(const std::string& path, const std::string& text);

class Terminal {
 public:
  struct Setup {
    std::vector<std::string> arguments = {"repl"};
    std::map<std::string, std::string> environment = {};  // beside TERM, HOME and PATH
    std::string folder = {};                              // to work in; "" is the home
    size_t columns = 100;
  };
  /// Starts catenc and waits for its first prompt. HOME is a scratch folder.
  Terminal() : Terminal(Setup{}) {}
  explicit Terminal(Setup setup);
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  /// Sends keys as they are.
  void send(std::string_view keys);
  /// Types a line and Enter, and waits for the prompt after it; what appeared on the screen below
  /// the line.
  std::string enter(std::string_view line);
  /// Waits until the editor is ready again: once more than so far.
  void wait_for_prompt();
  /// Waits until `holds`; fails the test after a minute.
  void wait_until(const std::function<bool()>& holds, std::string_view what);
  /// Waits until the screen shows the text somewhere.
  void wait_for(std::string_view text);
  /// Waits for the end of the process; its exit code, or 128 and the signal.
  int wait_for_exit();
  void resize(size_t columns);
  void signal(int number) const;

  Screen& screen() { return screen_; }
  const std::string& home() const { return home_.path(); }
  const std::string& raw() const { return raw_; }
  size_t prompts() const { return prompts_; }

 private:
  bool read_some(std::chrono::milliseconds limit);

  ScratchFolder home_;
  Screen screen_;
  std::string raw_;        // everything written so far
  size_t counted_ = 0;     // of raw_, searched for what the editor says
  size_t shown_ = 0;       // of raw_, on the screen
  size_t edited_row_ = 0;  // of the screen, where the last input had ended
  size_t prompts_ = 0;     // how often the editor got ready
  size_t awaited_ = 0;     // how many of them were waited for
  pid_t process_ = -1;
  int fd_ = -1;
  bool ended_ = false;
};

}  // namespace caten::repl
