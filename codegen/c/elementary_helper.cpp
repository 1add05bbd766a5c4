// The vector IR as C on scalars: lanes become variables. What a lane is, the operations decide:
// a float, its bits, or a truth.
#include "codegen/c/elementary_helper.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "codegen/c/broken_line.h"
#include "codegen/c/spelling.h"
#include "codegen/vector/operations.h"
#include "ir/support/check.h"

namespace caten::c {
namespace {

using vector::Code;
using vector::Instruction;

struct Function {
  air::Op op;
  std::string_view name;
  std::string_view comment;
};
/// Not erfc, which needs fused multiply-adds, nor sin and cos, which call the C library for large
/// arguments.
constexpr Function kFunctions[] = {
    {air::Op::Exp, "exp_f32", "e^x"},
    {air::Op::Exp2, "exp2_f32", "2^x"},
    {air::Op::Log, "log_f32", "The natural logarithm of x"},
    {air::Op::Log2, "log2_f32", "The logarithm of x to base 2"},
    {air::Op::Tanh, "tanh_f32", "The hyperbolic tangent of x"},
    {air::Op::Erf, "erf_f32", "The error function of x"},
};

/// Texts up to this length are written where they are used, if only once.
constexpr size_t kShort = 60;

class Printer {
 public:
  explicit Printer(const vector::Program& program)
      : program_(program), texts_(program.code.size()), uses_(program.code.size(), 0) {
    for (const Instruction& i : program.code) {
      const bool is_choice =
          i.code == Code::Min || i.code == Code::Max;  // writes its operands twice
      for (vector::Value operand : {i.a, i.b, i.c}) {
        if (operand != vector::kNone) {
          uses_[operand] += is_choice ? 2 : 1;
        }
      }
    }
  }

  /// Everything that `result` needs, and its return.
  std::string body(vector::Value result) {
    for (vector::Value at = 0; at <= result; ++at) {
      if (uses_[at] > 0 || at == result) {
        define(at);
      }
    }
    return tables_ + out_ + fmt::format("  return {};\n", plain(as(Kind::Float, result)));
  }

 private:
  enum class Kind : uint8_t { Float, Bits, Truth };
  struct Text {
    Kind kind = Kind::Float;
    std::string text;  // an operand of any operator
  };

  static std::string plain(const std::string& text) { return without_parentheses(text); }

  /// A value as an operand of that kind.
  std::string as(Kind kind, vector::Value value) const {
    const Instruction& i = program_.code[value];
    if (i.code == Code::Constant) {
      const auto bits = static_cast<uint32_t>(i.number);
      if (kind == Kind::Bits) {
        return fmt::format("0x{:x}u", bits);
      }
      const auto number = __builtin_bit_cast(float, bits);
      Uses none;
      return std::isfinite(number)
                 ? spell_constant(Scalar::of_bits(DType::Float32, bits), DialectKind::C99, none)
                 : fmt::format("u32_to_f32(0x{:x}u)", bits);
    }
    const Text& text = texts_[value];
    if (kind == text.kind) {
      return text.text;
    }
    const std::string bits = text.kind == Kind::Float
                                 ? fmt::format("f32_bits({})", plain(text.text))
                             : text.kind == Kind::Truth ? fmt::format("(0u - {})", text.text)
                                                        : text.text;
    switch (kind) {
      case Kind::Float:
        return fmt::format("u32_to_f32({})", plain(bits));
      case Kind::Bits:
        return bits;
      case Kind::Truth:  // the sign decides
        return fmt::format("({} >> 31)", bits);
    }
    CATEN_UNREACHABLE("kind of a lane");
  }

  Text binary(Kind of, Kind result, const char* op, const Instruction& i) const {
    return {result, fmt::format("({} {} {})", as(of, i.a), op, as(of, i.b))};
  }
  Text chosen(const char* relation, const Instruction& i) const {
    const std::string a = plain(as(Kind::Float, i.a));
    const std::string b = plain(as(Kind::Float, i.b));
    return {Kind::Float, fmt::format("choose_f32({} {} {}, {}, {})", a, relation, b, a, b)};
  }

  Text expression(const Instruction& i) {
    switch (i.code) {
      case Code::Load:
        return {Kind::Float, "x"};
      case Code::Add:
        return binary(Kind::Float, Kind::Float, "+", i);
      case Code::Sub:
        return binary(Kind::Float, Kind::Float, "-", i);
      case Code::Mul:
        return binary(Kind::Float, Kind::Float, "*", i);
      case Code::Div:
        return binary(Kind::Float, Kind::Float, "/", i);
      case Code::Min:
        return chosen("<", i);
      case Code::Max:
        return chosen(">", i);
      case Code::Less:
        return binary(Kind::Float, Kind::Truth, "<", i);
      case Code::LessEqual:
        return binary(Kind::Float, Kind::Truth, "<=", i);
      case Code::Equal:
        return binary(Kind::Float, Kind::Truth, "==", i);
      case Code::NotEqual:
        return binary(Kind::Float, Kind::Truth, "!=", i);
      case Code::And:
        return binary(Kind::Bits, Kind::Bits, "&", i);
      case Code::Or:
        return binary(Kind::Bits, Kind::Bits, "|", i);
      case Code::Xor:
        return binary(Kind::Bits, Kind::Bits, "^", i);
      case Code::AddInt:
        return binary(Kind::Bits, Kind::Bits, "+", i);
      case Code::SubInt:
        return binary(Kind::Bits, Kind::Bits, "-", i);
      case Code::ShiftLeft:
        return {Kind::Bits, fmt::format("({} << {})", as(Kind::Bits, i.a), i.number)};
      case Code::ShiftBits:
        return {Kind::Bits, fmt::format("({} >> {})", as(Kind::Bits, i.a), i.number)};
      case Code::ShiftSign:
        return {Kind::Bits,
                fmt::format("(uint32_t)((int32_t){} >> {})", as(Kind::Bits, i.a), i.number)};
      case Code::ToFloat:
        return {Kind::Float, fmt::format("(float)(int32_t){}", as(Kind::Bits, i.a))};
      case Code::MulAdd:
        return {Kind::Float,
                fmt::format("multiply_add_f32({}, {}, {})", plain(as(Kind::Float, i.a)),
                            plain(as(Kind::Float, i.b)), plain(as(Kind::Float, i.c)))};
      case Code::Select:
        return {Kind::Float, fmt::format("choose_f32({}, {}, {})", plain(as(Kind::Truth, i.a)),
                                         plain(as(Kind::Float, i.b)), plain(as(Kind::Float, i.c)))};
      case Code::Lookup:
        return {Kind::Bits, fmt::format("{}[{} & 7u]", texts_[i.b].text, as(Kind::Bits, i.a))};
      default:
        break;
    }
    CATEN_UNREACHABLE("no elementary function is made of this operation");
  }

  void define(vector::Value at) {
    const Instruction& i = program_.code[at];
    if (i.code == Code::Constant) {
      return;
    }
    if (i.code == Code::Table) {
      texts_[at] = {Kind::Float, table(i.number)};
      return;
    }
    Text text = expression(i);
    if (text.text != "x" && (uses_[at] > 1 || text.text.size() > kShort)) {
      const std::string name = fmt::format("t{}", ++names_);
      const char* type = text.kind == Kind::Float ? "float" : "uint32_t";
      out_ += broken_line(fmt::format("  const {} {} = {};", type, name, plain(text.text)));
      text.text = name;
    }
    texts_[at] = std::move(text);
  }

  std::string table(uint64_t number) {
    const std::string name = fmt::format("table{}", number);
    tables_ += fmt::format("  static const uint32_t {}[{}] = {{\n", name, vector::kTableSize);
    tables_ += fmt::format("      0x{:x}u}};\n", fmt::join(program_.tables[number], "u, 0x"));
    return name;
  }

  const vector::Program& program_;
  std::vector<Text> texts_;
  std::vector<int> uses_;
  std::string tables_;
  std::string out_;
  int names_ = 0;
};

}  // namespace

std::optional<std::string> elementary_helper_name(air::Op op) {
  for (const Function& function : kFunctions) {
    if (function.op == op) {
      return std::string(function.name);
    }
  }
  return std::nullopt;
}

bool is_elementary_helper(std::string_view name) {
  return std::any_of(std::begin(kFunctions), std::end(kFunctions),
                     [&](const Function& function) { return function.name == name; });
}

std::optional<std::string> elementary_helper_text(std::string_view name) {
  for (const Function& function : kFunctions) {
    if (function.name != name) {
      continue;
    }
    vector::Builder builder;
    const vector::Value x = builder.load(builder.pointer(vector::Role::Stream, DType::Float32));
    const vector::Value args[] = {x};
    const std::optional<vector::Value> result =
        vector::operation(builder, function.op, DType::Float32, DType::Float32, args);
    CATEN_CHECK(result.has_value(), "`{}` has no vector program", name);
    const vector::Program program = builder.take();
    return fmt::format("__attribute__((always_inline)) float {}(float x) {{ /* {} */\n{}}}\n", name,
                       function.comment, Printer(program).body(*result));
  }
  return std::nullopt;
}

}  // namespace caten::c
