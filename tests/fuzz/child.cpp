// fork() and signal handlers.
#include "tests/fuzz/child.h"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <exception>

namespace caten::fuzz {
namespace {

constexpr int kDied = 101;

// What a signal handler can read.
std::atomic<uint64_t> current_seed{0};

void print_seed(int signal) {
  std::array<char, 64> text{};
  char* end = std::to_chars(text.data(), text.data() + 30, current_seed.load()).ptr;
  *end++ = '\n';
  constexpr char kWhat[] = "crashed while running the program of seed ";
  [[maybe_unused]] ssize_t done = write(STDOUT_FILENO, kWhat, sizeof(kWhat) - 1);
  done = write(STDOUT_FILENO, text.data(), static_cast<size_t>(end - text.data()));
  std::signal(signal, SIG_DFL);
  raise(signal);
}

}  // namespace

int in_child(const std::function<int()>& body, unsigned seconds) {
  std::fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
      std::signal(signal, SIG_DFL);
    }
    alarm(seconds);
    int result = kDied;
    try {
      result = body();
    } catch (const std::exception&) {
      result = kDied;  // reported to the parent as such
    }
    std::fflush(stdout);
    _exit(result);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : kDied;
}

void name_program_on_crash() {
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
    std::signal(signal, print_seed);
  }
}

void note_program(uint64_t seed) {
  current_seed = seed;
}

}  // namespace caten::fuzz
