// Which programs are encoded how.
#include "codegen/vector/assemble.h"

#include <algorithm>

#include "codegen/vector/assembler.h"
#include "codegen/vector/forms.h"

namespace caten::vector {
namespace {

std::vector<uint8_t> assemble(Isa isa, const Program& program,
                              std::optional<uint32_t> past_caches) {
  return isa == Isa::Avx512 ? assemble_avx512(program, past_caches)
                            : assemble_avx2(program, past_caches);
}

}  // namespace

std::vector<uint8_t> assemble(Isa isa, const Program& program) {
  return assemble(isa, program, std::nullopt);
}

std::optional<std::vector<uint8_t>> assemble_past_caches(Isa isa, const Program& program) {
  std::optional<uint32_t> stored;
  size_t streams = 0;
  size_t operations = 0;
  for (const Pointer& pointer : program.pointers) {
    streams += pointer.role == Role::Stream ? 1 : 0;
    if (pointer.role == Role::Function || pointer.role == Role::Cell) {
      return std::nullopt;
    }
  }
  for (const Instruction& i : program.code) {
    const Shape shape = row_of(i.code).shape;
    operations += shape == Shape::Leaf ? 0 : 1;
    if (shape != Shape::Effect) {
      continue;
    }
    if (i.code != Code::Store || stored ||
        size_of(program.pointers[i.number].dtype) != program.lane_bytes) {
      return std::nullopt;
    }
    stored = static_cast<uint32_t>(i.number);
  }
  // What is loaded from there, too, is in the caches anyway.
  const bool loaded =
      std::any_of(program.code.begin(), program.code.end(),
                  [&](const Instruction& i) { return i.code == Code::Load && i.number == stored; });
  if (!stored || loaded || streams >= kVolatile || operations >= kHeavy) {
    return std::nullopt;
  }
  return assemble(isa, program, stored);
}

}  // namespace caten::vector
