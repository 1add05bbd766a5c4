// See signals.h.
#include "frontend/repl/signals.h"

#include <poll.h>

#include <array>
#include <csignal>

namespace caten::repl::signals {
namespace {

constexpr std::array<int, 4> kSignals = {SIGINT, SIGWINCH, SIGTERM, SIGHUP};

// Handlers can reach nothing but variables of the process.
std::atomic<bool> resized{false};
std::atomic<bool> ending{false};
std::array<struct sigaction, kSignals.size()> before;

void handle(int signal) {
  if (signal == SIGWINCH) {
    resized.store(true, std::memory_order_relaxed);
    return;
  }
  if (signal != SIGINT) {
    ending.store(true, std::memory_order_relaxed);
  }
  runtime::interrupt_requested.store(true, std::memory_order_relaxed);
}

}  // namespace

Scope::Scope() {
  ending.store(false);
  struct sigaction action {};
  action.sa_handler = handle;  // no SA_RESTART: a read at the prompt must return
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], &action, &before[i]);
  }
}

Scope::~Scope() {
  for (size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], &before[i], nullptr);
  }
}

bool wait_for_input(int fd) {
  sigset_t ours;
  sigset_t before_us;
  sigemptyset(&ours);
  for (const int number : kSignals) {
    sigaddset(&ours, number);
  }
  // A signal between the look at the flags and the wait must not be slept through.
  ::pthread_sigmask(SIG_BLOCK, &ours, &before_us);
  bool readable = false;
  if (!resized.load() && !ending.load() && !runtime::is_interrupted()) {
    pollfd waiting{fd, POLLIN, 0};
    readable = ::ppoll(&waiting, 1, nullptr, &before_us) > 0;
  }
  ::pthread_sigmask(SIG_SETMASK, &before_us, nullptr);
  return readable;
}

bool take_resize() {
  return resized.exchange(false);
}

bool terminated() {
  return ending.load(std::memory_order_relaxed);
}

}  // namespace caten::repl::signals
