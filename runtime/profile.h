// Profile: how often each kernel ran and how long it took. Several runs, also at once, may add to
// one profile.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace caten::runtime {

class Profile {
 public:
  struct Row {
    std::string kernel;
    int64_t calls = 0;
    std::chrono::nanoseconds total{};
    std::chrono::nanoseconds least{};
  };

  void add(std::string_view kernel, std::chrono::nanoseconds time);
  /// In the order in which kernels were first seen.
  std::vector<Row> rows() const;
  /// A table of the rows, longest total first, with each one's share.
  std::string to_string() const;

 private:
  mutable std::mutex mutex_;
  std::vector<Row> rows_;
};

/// Adds the time from construction to destruction.
class ProfileScope {
 public:
  ProfileScope(Profile* profile, std::string_view kernel)
      : profile_(profile), kernel_(kernel), start_(now()) {}
  ~ProfileScope() {
    if (profile_ != nullptr) {
      profile_->add(kernel_, now() - start_);
    }
  }
  ProfileScope(const ProfileScope&) = delete;
  ProfileScope& operator=(const ProfileScope&) = delete;

 private:
  std::chrono::steady_clock::time_point now() const {
    return profile_ == nullptr ? std::chrono::steady_clock::time_point{}
                               : std::chrono::steady_clock::now();
  }
  Profile* profile_;  // null: nothing is measured
  std::string_view kernel_;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace caten::runtime
