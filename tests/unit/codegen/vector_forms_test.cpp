// Every instruction form of vector programs against a disassembler.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/unit/codegen/vector_support.h"

namespace caten::vector {
namespace {

/// What a disassembler calls the instructions of codes.def; "" for those that a target does not
/// have.
struct Names {
  Code code;
  const char* avx2;
  const char* avx2_long;  // lanes of 64 bits
  const char* avx512;
  const char* avx512_long;
};
constexpr Names kNames[] = {
    {Code::Add, "vaddps", "vaddpd", "vaddps", "vaddpd"},
    {Code::Mul, "vmulps", "vmulpd", "vmulps", "vmulpd"},
    {Code::Sub, "vsubps", "vsubpd", "vsubps", "vsubpd"},
    {Code::Min, "vminps", "vminpd", "vminps", "vminpd"},
    {Code::Div, "vdivps", "vdivpd", "vdivps", "vdivpd"},
    {Code::Max, "vmaxps", "vmaxpd", "vmaxps", "vmaxpd"},
    {Code::And, "vandps", "vandpd", "vandps", "vandpd"},
    {Code::AndNot, "vandnps", "vandnpd", "vandnps", "vandnpd"},
    {Code::Or, "vorps", "vorpd", "vorps", "vorpd"},
    {Code::Xor, "vxorps", "vxorpd", "vxorps", "vxorpd"},
    {Code::Less, "vcmplt_oqps", "vcmplt_oqpd", "vcmplt_oqps", "vcmplt_oqpd"},
    {Code::LessEqual, "vcmple_oqps", "vcmple_oqpd", "vcmple_oqps", "vcmple_oqpd"},
    {Code::Equal, "vcmpeqps", "vcmpeqpd", "vcmpeqps", "vcmpeqpd"},
    {Code::NotEqual, "vcmpneqps", "vcmpneqpd", "vcmpneqps", "vcmpneqpd"},
    {Code::Unordered, "vcmpunordps", "vcmpunordpd", "vcmpunordps", "vcmpunordpd"},
    {Code::Sqrt, "vsqrtps", "vsqrtpd", "vsqrtps", "vsqrtpd"},
    {Code::Nearest, "vroundps $0x8", "vroundpd $0x8", "vrndscaleps $0x8", "vrndscalepd $0x8"},
    {Code::Floor, "vroundps $0x9", "vroundpd $0x9", "vrndscaleps $0x9", "vrndscalepd $0x9"},
    {Code::Ceil, "vroundps $0xa", "vroundpd $0xa", "vrndscaleps $0xa", "vrndscalepd $0xa"},
    {Code::Trunc, "vroundps $0xb", "vroundpd $0xb", "vrndscaleps $0xb", "vrndscalepd $0xb"},
    {Code::ToFloat, "vcvtdq2ps", "", "vcvtdq2ps", "vcvtqq2pd"},
    {Code::ToInt, "vcvttps2dq", "", "vcvttps2dq", "vcvttpd2qq"},
    {Code::AddInt, "vpaddd", "vpaddq", "vpaddd", "vpaddq"},
    {Code::SubInt, "vpsubd", "vpsubq", "vpsubd", "vpsubq"},
    {Code::MulInt, "vpmulld", "", "vpmulld", "vpmullq"},
    {Code::MaxInt, "vpmaxsd", "", "vpmaxsd", "vpmaxsq"},
    {Code::MinInt, "vpminsd", "", "vpminsd", "vpminsq"},
    {Code::EqualInt, "vpcmpeqd", "vpcmpeqq", "vpcmpeqd", "vpcmpeqq"},
    {Code::MoreInt, "vpcmpgtd", "vpcmpgtq", "vpcmpgtd", "vpcmpgtq"},
    {Code::ShiftLeft, "vpslld $0x3", "vpsllq $0x3", "vpslld $0x3", "vpsllq $0x3"},
    {Code::ShiftBits, "vpsrld $0x3", "vpsrlq $0x3", "vpsrld $0x3", "vpsrlq $0x3"},
    {Code::ShiftSign, "vpsrad $0x3", "", "vpsrad $0x3", "vpsraq $0x3"},
    {Code::MulAdd, "vfmadd213ps", "vfmadd213pd", "vfmadd213ps", "vfmadd213pd"},
    {Code::Select, "vblendvps", "vblendvpd", "vblendmps", "vblendmpd"},
    {Code::Lookup, "vpermps", "", "vpermps", ""},
    {Code::Patch, "vmovmskps", "vmovmskpd", "kortestw", "kortestw"},
    {Code::RoundHalf, "vcvtph2ps", "", "vcvtph2ps", ""},
    {Code::RoundSingle, "", "vcvtpd2ps", "", "vcvtpd2ps"},
    {Code::Sum, "vaddps", "vaddpd", "vaddps", "vaddpd"},
    {Code::Product, "vmulps", "vmulpd", "vmulps", "vmulpd"},
    {Code::Most, "vmaxps", "vmaxpd", "vmaxps", "vmaxpd"},
    {Code::Least, "vminps", "vminpd", "vminps", "vminpd"},
    {Code::SumInt, "vpaddd", "vpaddq", "vpaddd", "vpaddq"},
    {Code::MostInt, "vpmaxsd", "", "vpmaxsd", "vpmaxsq"},
    {Code::LeastInt, "vpminsd", "", "vpminsd", "vpminsq"},
    {Code::Dot, "vfmadd231ps", "vfmadd231pd", "vfmadd231ps", "vfmadd231pd"},
};

constexpr Code kCodes[] = {
#define CATEN_VECTOR_CODE(name, ...) Code::name,
#include "codegen/vector/codes.def"
#undef CATEN_VECTOR_CODE
};

/// A program whose result needs the operation.
Program program_with(Isa isa, Code code, int lane_bytes) {
  Builder b(isa, lane_bytes);
  const DType dtype = lane_bytes == 8 ? DType::Float64 : DType::Float32;
  const Value x = b.load(stream(b, dtype));
  const Value y = b.load(stream(b, dtype));
  switch (code) {
    case Code::Sum:
    case Code::Product:
    case Code::Most:
    case Code::Least:
    case Code::SumInt:
    case Code::MostInt:
    case Code::LeastInt:
    case Code::Dot:
      b.reduce(code, b.pointer(Role::Sum, dtype), x, code == Code::Dot ? y : kNone);
      return b.take();
    case Code::Select:
      b.store(stream(b, dtype), b.select(x, y, b.constant(uint64_t{1})));
      return b.take();
    case Code::MulAdd:
      b.store(stream(b, dtype), b.multiply_add(x, y, b.constant(uint64_t{1})));
      return b.take();
    case Code::Lookup: {
      constexpr float kTable[kTableSize] = {1, 2, 3, 4, 5, 6, 7, 8};
      b.store(stream(b, dtype), b.lookup(x, kTable));
      return b.take();
    }
    case Code::Patch:
      b.store(stream(b, dtype), b.patch(x, y, b.binary(Code::Less, x, y), "ct_sin_f32"));
      return b.take();
    case Code::ShiftLeft:
    case Code::ShiftBits:
    case Code::ShiftSign:
      b.store(stream(b, dtype), b.unary(code, x, 3));
      return b.take();
    case Code::Sqrt:
    case Code::Nearest:
    case Code::Floor:
    case Code::Ceil:
    case Code::Trunc:
    case Code::ToFloat:
    case Code::ToInt:
    case Code::RoundHalf:
    case Code::RoundSingle:
      b.store(stream(b, dtype), b.unary(code, x));
      return b.take();
    default:
      b.store(stream(b, dtype), b.binary(code, x, y));
      return b.take();
  }
}

/// Up to the constants (behind what follows the routine), and with one space between mnemonic and
/// operands.
std::string plain(const std::string& text, Code code) {
  const size_t end = std::max(text.find("\tret"), code == Code::Patch ? text.rfind("\tjmp") : 0);
  std::string out;
  for (char c : text.substr(0, end)) {
    if (c != ' ' || out.empty() || out.back() != ' ') {
      out += c;
    }
  }
  return out;
}

void expect_form(Isa isa, int lane_bytes, Code code, const std::string& expected) {
  const std::string text =
      plain(disassembled(assemble(isa, program_with(isa, code, lane_bytes))), code);
  const size_t found = text.find(expected + " ");
  const size_t with_operand = expected.find('$') == std::string::npos ? found : text.find(expected);
  ASSERT_NE(with_operand, std::string::npos) << expected << "\n" << text;
  const std::string line = text.substr(with_operand, text.find('\n', with_operand) - with_operand);
  const std::string vector = isa == Isa::Avx512 ? "zmm" : "ymm";
  EXPECT_TRUE(line.find(vector) != std::string::npos || code == Code::Patch) << line;
  EXPECT_EQ(text.find("(bad)"), std::string::npos) << text;
}

TEST(VectorPrograms, EveryFormIsWhatTheDisassemblerSays) {
  for (Code code : kCodes) {
    const bool is_leaf = code == Code::Constant || code == Code::Scalar || code == Code::Table ||
                         code == Code::Load || code == Code::Store;
    const auto* names = std::find_if(std::begin(kNames), std::end(kNames),
                                     [&](const Names& row) { return row.code == code; });
    ASSERT_NE(names == std::end(kNames), !is_leaf) << static_cast<int>(code);
    if (is_leaf) {
      continue;
    }
    const std::tuple<Isa, int, const char*> forms[] = {{Isa::Avx2, 4, names->avx2},
                                                       {Isa::Avx2, 8, names->avx2_long},
                                                       {Isa::Avx512, 4, names->avx512},
                                                       {Isa::Avx512, 8, names->avx512_long}};
    for (const auto& [isa, lane_bytes, name] : forms) {
      if (*name != '\0') {
        expect_form(isa, lane_bytes, code, name);
      }
    }
  }
}

/// Comparisons, logic on them and selections; the complement has no bits beyond the lanes. Four
/// vectors a round have more masks than there are registers: some become vectors.
TEST(VectorPrograms, LogicOnMasksIsInMaskRegisters) {
  for (const int lane_bytes : {4, 8}) {
    Builder b(Isa::Avx512, lane_bytes);
    const DType dtype = lane_bytes == 8 ? DType::Float64 : DType::Float32;
    const Value x = b.load(stream(b, dtype));
    const Value y = b.load(stream(b, dtype));
    const Value less = b.binary(Code::Less, x, y);
    const Value known = b.load(stream(b, DType::Bool));
    const Value other = b.binary(Code::Xor, b.binary(Code::And, less, known), b.ones());
    const Value either = b.binary(Code::Or, other, b.binary(Code::Xor, less, known));
    b.store(stream(b, dtype), b.select(b.binary(Code::AndNot, less, either), x, y));
    const std::string text = disassembled(assemble(Isa::Avx512, b.take()));
    for (const char* name : {"kandw", "kxorw", "korw", "kandnw", "vptestm", "vpmovm2"}) {
      EXPECT_NE(text.find(name), std::string::npos) << name << "\n" << text;
    }
    EXPECT_NE(text.find(lane_bytes == 8 ? "knotb" : "knotw"), std::string::npos) << text;
    EXPECT_EQ(text.substr(0, text.find("\tret")).find("(bad)"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace caten::vector
