// Sums per kernel and their table.
#include "runtime/profile.h"

#include <fmt/core.h>

#include <algorithm>

namespace caten::runtime {
namespace {

double microseconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double, std::micro>(time).count();
}

}  // namespace

void Profile::add(std::string_view kernel, std::chrono::nanoseconds time) {
  std::lock_guard lock(mutex_);
  auto row = std::find_if(rows_.begin(), rows_.end(),
                          [&](const Row& candidate) { return candidate.kernel == kernel; });
  if (row == rows_.end()) {
    rows_.push_back({std::string(kernel), 1, time, time});
    return;
  }
  ++row->calls;
  row->total += time;
  row->least = std::min(row->least, time);
}

std::vector<Profile::Row> Profile::rows() const {
  std::lock_guard lock(mutex_);
  return rows_;
}

std::string Profile::to_string() const {
  std::vector<Row> sorted = rows();
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Row& a, const Row& b) { return a.total > b.total; });
  std::chrono::nanoseconds sum{};
  size_t width = 6;
  for (const Row& row : sorted) {
    sum += row.total;
    width = std::max(width, row.kernel.size());
  }
  std::string text = fmt::format("{:<{}} {:>9} {:>12} {:>12} {:>6}\n", "kernel", width, "calls",
                                 "total us", "least us", "share");
  for (const Row& row : sorted) {
    double share = sum.count() == 0 ? 0 : 100 * microseconds(row.total) / microseconds(sum);
    text += fmt::format("{:<{}} {:>9} {:>12.1f} {:>12.1f} {:>5.1f}%\n", row.kernel, width,
                        row.calls, microseconds(row.total), microseconds(row.least), share);
  }
  return text;
}

}  // namespace caten::runtime
