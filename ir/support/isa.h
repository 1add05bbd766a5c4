// Which instruction set kernels may use: a level of x86-64, decided once per process.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace caten {

/// Each level has the instructions of those before it.
enum class Isa : uint8_t {
  Baseline,  // what the compiler of catenc takes for granted; all there is on other processors
  Avx2,      // AVX2, FMA and F16C
  Avx512,    // and AVX-512 F, BW, CD, DQ and VL, the set of all processors since Skylake-X
};
inline constexpr Isa kIsas[] = {Isa::Baseline, Isa::Avx2, Isa::Avx512};

/// "baseline", "avx2", "avx512".
std::string_view name(Isa isa);

/// The highest level of this machine.
Isa machine_isa();

/// The level that everything uses: the machine's, or a lower one that CATENC_ISA in the environment
/// names. Anything else there is ignored here; the command line refuses it with isa_problem().
Isa isa();

/// What is wrong with the value of CATENC_ISA; nullopt for nullptr and for the levels of this
/// machine.
std::optional<std::string> isa_problem(const char* wanted);

}  // namespace caten
