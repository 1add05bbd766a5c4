// The vector routines that code of the tcc target calls, as tables of names and addresses. Every
// file of this folder is compiled once per instruction set, with CATEN_ISA naming it; all but the
// table functions has internal linkage, so that the linker cannot mix instruction sets.
//
// Calling convention: pointers, int64_t counts and int32_t flags only. Arrays hold `n` elements;
// `out` may be one of the operands. Operands of binary routines are arrays unless their bit in
// `scalars` is set (bit 0: the first): then they point to one element.
#pragma once

#include <cstddef>
#include <cstdint>

namespace caten::runtime::strips {

struct Entry {
  const char* name;
  const void* address;
};
struct Table {
  const Entry* entries;
  size_t count;
};

#define CATEN_STRIP_TABLES(isa) \
  Table arithmetic_##isa();     \
  Table borders_##isa();        \
  Table casts_##isa();          \
  Table math_##isa();           \
  Table matmul_##isa();         \
  Table moves_##isa();          \
  Table packing_##isa();        \
  Table rounding_##isa();       \
  Table reductions_##isa();     \
  Table windows_##isa();
CATEN_STRIP_TABLES(baseline)
#ifdef __x86_64__
CATEN_STRIP_TABLES(avx2)
CATEN_STRIP_TABLES(avx512)
#endif
#undef CATEN_STRIP_TABLES

}  // namespace caten::runtime::strips

#define CATEN_JOIN2(a, b) a##_##b
#define CATEN_JOIN(a, b) CATEN_JOIN2(a, b)
#define CATEN_TABLE(family) CATEN_JOIN(family, CATEN_ISA)
