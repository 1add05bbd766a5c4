// What the statuses that kernels return mean, in words.
#include "runtime/backend.h"

#include <fmt/core.h>

#include "ir/support/check.h"

namespace caten::runtime {

void Executable::run_watched(std::span<const int64_t> sizes, std::span<void* const> buffers,
                             const std::function<void(size_t)>& before) const {
  before(0);
  run(sizes, buffers);
}

void Executable::run_profiled(std::span<const int64_t> sizes, std::span<void* const> buffers,
                              Profile& profile) const {
  ProfileScope scope(&profile, "run");
  run(sizes, buffers);
}

void throw_status(std::string_view program, std::string_view kernel, int32_t status,
                  std::span<const int64_t, 2> detail) {
  switch (static_cast<Status>(status)) {
    case Status::IndexOutOfRange:
      throw RuntimeError(
          fmt::format("`{}`: index {} is out of range for an axis of size {} (in kernel `{}`)",
                      program, detail[0], detail[1], kernel));
    case Status::BadSize:
      throw RuntimeError(
          fmt::format("`{}`: a size is negative or overflows (in kernel `{}`)", program, kernel));
    case Status::SizeRelation:
      throw RuntimeError(
          fmt::format("`{}`: sizes do not fit together (in kernel `{}`)", program, kernel));
    case Status::Ok:
      break;
  }
  CATEN_UNREACHABLE("kernel `{}` of `{}` returned status {}", kernel, program, status);
}

}  // namespace caten::runtime
