// See isa.h.
#include "ir/support/isa.h"

#include <fmt/core.h>

#include <cstdlib>

namespace caten {
namespace {

std::optional<Isa> named(std::string_view text) {
  for (const Isa isa : kIsas) {
    if (text == name(isa)) {
      return isa;
    }
  }
  return std::nullopt;
}

/// Empty is as good as absent, as for other variables.
bool is_unset(const char* wanted) {
  return wanted == nullptr || *wanted == '\0';
}

}  // namespace

std::string_view name(Isa isa) {
  switch (isa) {
    case Isa::Baseline:
      return "baseline";
    case Isa::Avx2:
      return "avx2";
    case Isa::Avx512:
      return "avx512";
  }
  return "";
}

Isa machine_isa() {
#ifdef __x86_64__
  // These ask the operating system, too: whether it saves the registers.
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") ||
      !__builtin_cpu_supports("f16c")) {
    return Isa::Baseline;
  }
  const bool has_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                          __builtin_cpu_supports("avx512cd") &&
                          __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  return has_avx512 ? Isa::Avx512 : Isa::Avx2;
#else
  return Isa::Baseline;
#endif
}

Isa isa() {
  static const Isa chosen = [] {
    const char* wanted = std::getenv("CATENC_ISA");
    return is_unset(wanted) || isa_problem(wanted) ? machine_isa() : *named(wanted);
  }();
  return chosen;
}

std::optional<std::string> isa_problem(const char* wanted) {
  if (is_unset(wanted)) {
    return std::nullopt;
  }
  const std::optional<Isa> level = named(wanted);
  if (!level) {
    return fmt::format("CATENC_ISA is `{}`, which is none of baseline, avx2, avx512", wanted);
  }
  if (*level > machine_isa()) {
    return fmt::format("CATENC_ISA is `{}`, but this machine has {} only", wanted,
                       name(machine_isa()));
  }
  return std::nullopt;
}

}  // namespace caten
