// See disassemble.h.
#include "frontend/lisp/disassemble.h"

#include <fmt/format.h>

#include <algorithm>

#include "frontend/lisp/code.h"
#include "frontend/lisp/image.h"

namespace caten::lisp {
namespace {

struct OpRow {
  const char* name;
  size_t words;
};
constexpr OpRow kOps[] = {
#define LISP_OP(name, words) {#name, words},
#include "frontend/lisp/opcodes.def"
#undef LISP_OP
};

/// What the operand A of an instruction means.
enum class Operand : uint8_t { None, Number, Signed, Constant, Slot, Target, Label };

Operand operand_of(OpCode op) {
  switch (op) {
    case OpCode::Const:
    case OpCode::Global:
    case OpCode::GlobalHint:
    case OpCode::FunctionOf:
    case OpCode::StoreGlobal:
    case OpCode::MakeClosure:
    case OpCode::CallGlobal:
    case OpCode::TailCallGlobal:
    case OpCode::BindSpecial:
      return Operand::Constant;
    case OpCode::Fixnum:
    case OpCode::AddFixnum:
      return Operand::Signed;
    case OpCode::Local:
    case OpCode::LocalBox:
    case OpCode::Store:
    case OpCode::StoreBox:
    case OpCode::MakeBox:
    case OpCode::JumpIfGiven:
    case OpCode::Given:
    case OpCode::EnterExit:
      return Operand::Slot;
    case OpCode::Jump:
    case OpCode::JumpBack:
    case OpCode::JumpIfNil:
    case OpCode::JumpIfNotNil:
    case OpCode::JumpIfNotNilKeep:
    case OpCode::JumpIfNotLess:
    case OpCode::JumpIfNotGreater:
    case OpCode::JumpIfNotLessEq:
    case OpCode::JumpIfNotGreaterEq:
    case OpCode::JumpIfNotNumberEq:
    case OpCode::JumpIfNotEq:
      return Operand::Target;
    case OpCode::ExitBlock:
    case OpCode::ExitTagbody:
    case OpCode::EnterCatch:
      return Operand::Label;
    case OpCode::Captured:
    case OpCode::CapturedBox:
    case OpCode::StoreCapturedBox:
    case OpCode::Pop:
    case OpCode::Slide:
    case OpCode::Call:
    case OpCode::TailCall:
    case OpCode::Apply:
    case OpCode::TailApply:
    case OpCode::Values:
    case OpCode::BindValues:
    case OpCode::Unwind:
      return Operand::Number;
    default:  // the inlined functions: no operand
      return Operand::None;
  }
}

std::string short_text(Interpreter& interp, Value value) {
  constexpr size_t kLongest = 60;
  std::string text = value.is_none() ? "" : interp.print(value);
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text.size() > kLongest ? text.substr(0, kLongest) + "..." : text;
}

std::string operand_text(Interpreter& interp, const Code& code, OpCode op, uint32_t a) {
  switch (operand_of(op)) {
    case Operand::None:
      return "";
    case Operand::Number:
      return fmt::format(" {}", a);
    case Operand::Signed:
      return fmt::format(" {}", static_cast<int32_t>(a << 8) >> 8);
    case Operand::Constant:
      return " " + (op == OpCode::MakeClosure ? "code" : short_text(interp, code.constants[a]));
    case Operand::Slot:
      return fmt::format(" s{}", a);
    case Operand::Target:
      return fmt::format(" -> {}", a);
    case Operand::Label:
      return fmt::format(" -> {}", a < code.labels.size() ? code.labels[a] : a);
  }
  return "";
}

void add_code(Interpreter& interp, const Code& code, std::string& out, std::vector<Code*>& inner) {
  for (size_t at = 0; at < code.words.size();) {
    const uint32_t word = code.words[at];
    const auto op = static_cast<OpCode>(word & 0xFF);
    const OpRow& row = kOps[word & 0xFF];
    const uint32_t a = word >> 8;
    out += fmt::format("{:>5}  {}{}", at, row.name, operand_text(interp, code, op, a));
    size_t words = row.words;
    if (op == OpCode::MakeClosure) {
      const uint32_t captures = code.words[at + 1];
      out += fmt::format(", {} captured", captures);
      words += captures;
      inner.push_back(static_cast<Code*>(code.constants[a].object_pointer()));
    } else if (op == OpCode::CallGlobal || op == OpCode::TailCallGlobal) {
      out += fmt::format(", {} arguments", code.words[at + 1]);
    } else if (op == OpCode::JumpIfGiven) {
      out += fmt::format(" -> {}", code.words[at + 1]);
    }
    out += "\n";
    at += words;
  }
}

}  // namespace

std::string disassemble(Interpreter& interp, Closure& function) {
  std::string out;
  std::vector<Code*> pending = {function.code};
  for (size_t i = 0; i < pending.size(); ++i) {
    make_ready(interp, *pending[i]);
    const Code& code = *pending[i];
    out += fmt::format("{}: {} slots, {} words\n",
                       code.name.is_nil() ? "lambda" : interp.print(code.name), code.frame_slots,
                       code.words.size());
    add_code(interp, code, out, pending);
  }
  return out;
}

}  // namespace caten::lisp
