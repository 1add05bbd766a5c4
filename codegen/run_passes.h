// Running a table of passes: skip, time, verify, dump, and name the pass in internal errors. No
// pass does any of this itself.
#pragma once

#include <fmt/core.h>

#include <chrono>
#include <string>
#include <string_view>
#include <utility>

#include "codegen/pipeline.h"
#include "ir/support/check.h"

namespace caten::codegen {

/// One row of a pass table. A pass takes a T and returns one.
template <typename T>
struct Pass {
  std::string_view name;
  T (*run)(T);
  bool required;
  std::string_view why;
};

/// `before` has to come before `after`, because of `why`.
struct Order {
  std::string_view before;
  std::string_view after;
  std::string_view why;
};

template <typename T, size_t N, size_t M>
consteval bool in_order(const Pass<T> (&passes)[N], const Order (&orders)[M]) {
  for (const Order& order : orders) {
    size_t last_before = 0;
    size_t first_after = N;
    bool found = false;
    for (size_t i = 0; i < N; ++i) {
      if (passes[i].name == order.before) {
        last_before = i;
        found = true;
      }
      if (passes[i].name == order.after && first_after == N) {
        first_after = i;
      }
    }
    if (!found || first_after == N || last_before > first_after) {
      return false;
    }
  }
  return true;
}

#ifdef NDEBUG
inline constexpr bool kAlwaysVerify = false;
#else
inline constexpr bool kAlwaysVerify = true;
#endif

/// Dumps in internal errors end here.
inline constexpr size_t kMaxErrorDump = 4000;

/// Runs one step under a name; `dump` prints what it works on, for the message of an internal
/// error.
template <typename F, typename D>
auto timed(std::string_view name, PassContext& context, F step, D dump) {
  const auto start = std::chrono::steady_clock::now();
  try {
    auto result = step();
    context.timings.push_back({std::string(name), std::chrono::steady_clock::now() - start});
    return result;
  } catch (const InternalError& error) {
    std::string text = dump();
    if (text.size() > kMaxErrorDump) {
      text = text.substr(0, kMaxErrorDump) + "...\n";
    }
    throw InternalError(fmt::format("pass `{}`: {}\n{}", name, error.what(), text));
  }
}

template <typename T, size_t N>
T run_passes(T value, const Pass<T> (&passes)[N], PassContext& context,
             std::string (*print)(const T&), void (*verify)(const T&)) {
  for (const Pass<T>& pass : passes) {
    if (!pass.required && context.disabled.contains(pass.name)) {
      continue;
    }
    std::string before;
    value = timed(
        pass.name, context,
        [&] {
          T result = pass.run(std::move(value));
          if (kAlwaysVerify || context.verify) {
            verify(result);
          }
          return result;
        },
        [&] { return print(value); });
    if (context.dump &&
        (context.dump_after.contains("all") || context.dump_after.contains(pass.name))) {
      context.dump(pass.name, print(value));
    }
  }
  return value;
}

}  // namespace caten::codegen
