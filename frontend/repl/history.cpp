// Where the history is kept: see editor.h.
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "frontend/repl/editor.h"

namespace caten::repl {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

std::string history_path() {
  std::string state = variable("XDG_STATE_HOME");
  if (state.empty() || state[0] != '/') {  // the specification says to ignore relative ones
    const std::string home = variable("HOME");
    if (home.empty() || home[0] != '/') {
      return "";
    }
    state = home + "/.local/state";
  }
  const std::string folder = state + "/catenc";
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    return "";
  }
  std::string path = folder + "/history";
  const bool exists = ::access(path.c_str(), F_OK) == 0;
  return ::access(exists ? path.c_str() : folder.c_str(), W_OK) == 0 ? path : "";
}

}  // namespace caten::repl
