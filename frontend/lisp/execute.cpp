// Vm::execute: the instruction loop.
#include <compare>

#include "frontend/builtins/builtins.h"
#include "frontend/lisp/analyze.h"
#include "frontend/lisp/number.h"
#include "frontend/lisp/vm.h"

namespace caten::lisp {
namespace {

inline bool both_fixnums(Value a, Value b) {
  return (((a.bits() ^ 1) | (b.bits() ^ 1)) & 3) == 0;
}

inline int64_t signed_operand(uint32_t instruction) {
  return static_cast<int32_t>(instruction) >> 8;
}

}  // namespace

// Runs the frames from `bottom` up until that one returns. The machine state is kept in locals,
// which nothing may take the address of; it is written back (LISP_SAVE) before anything that may
// look at it: calls, safepoints, errors.
Value Vm::execute(size_t bottom) {
  Frame* frame = nullptr;
  const Value* constants = nullptr;
  const uint32_t* words = nullptr;
  const uint32_t* pc = nullptr;
  Value* fp = nullptr;
  Value* sp = nullptr;
  Value function;  // operands of the labels below
  uint32_t count = 0;

#define LISP_SAVE() (frame->pc = pc, sp_ = sp)
#define LISP_JUMP(target) (pc = words + (target))

load_frame:
  frame = &frames_[frame_count_ - 1];
  constants = frame->closure->code->constants.data();
  words = frame->closure->code->words.data();
  pc = frame->pc;
  fp = stack_.get() + frame->base;
  sp = sp_;
  for (;;) {
    uint32_t instruction = *pc++;
    uint32_t a = instruction >> 8;
    switch (static_cast<OpCode>(instruction & 0xFF)) {
      case OpCode::Const:
        *sp++ = constants[a];
        break;
      case OpCode::Fixnum:
        *sp++ = Value::fixnum(signed_operand(instruction));
        break;
      case OpCode::Local:
        *sp++ = fp[a];
        break;
      case OpCode::LocalBox:
        *sp++ = static_cast<Box*>(fp[a].object_pointer())->value;
        break;
      case OpCode::Captured:
        *sp++ = frame->closure->captured()[a];
        break;
      case OpCode::CapturedBox:
        *sp++ = static_cast<Box*>(frame->closure->captured()[a].object_pointer())->value;
        break;
      case OpCode::GlobalHint:
        ++pc;
        [[fallthrough]];
      case OpCode::Global: {
        Value value = static_cast<Symbol*>(constants[a].object_pointer())->value;
        if (value.is_none()) [[unlikely]] {
          LISP_SAVE();
          bool hinted = static_cast<OpCode>(instruction & 0xFF) == OpCode::GlobalHint;
          unbound_variable(constants[a], hinted ? constants[pc[-1]] : Value());
        }
        *sp++ = value;
        break;
      }
      case OpCode::FunctionOf:
        LISP_SAVE();
        *sp++ = interp_.coerce_to_function(constants[a]);
        break;
      case OpCode::Store:
        fp[a] = *--sp;
        break;
      case OpCode::StoreBox:
        static_cast<Box*>(fp[a].object_pointer())->value = *--sp;
        break;
      case OpCode::StoreCapturedBox:
        static_cast<Box*>(frame->closure->captured()[a].object_pointer())->value = *--sp;
        break;
      case OpCode::StoreGlobal: {
        auto* symbol = static_cast<Symbol*>(constants[a].object_pointer());
        if (symbol->has(kConstant)) [[unlikely]] {
          LISP_SAVE();
          interp_.set_symbol_value(constants[a], sp[-1]);  // fails
        }
        symbol->value = *--sp;
        break;
      }
      case OpCode::MakeBox:
        fp[a] = Value::object(heap_.make<Box>(fp[a]));
        break;
      case OpCode::Duplicate:
        sp[0] = sp[-1];
        ++sp;
        break;
      case OpCode::Pop:
        sp -= a;
        break;
      case OpCode::Slide:
        sp[-1 - static_cast<ptrdiff_t>(a)] = sp[-1];
        sp -= a;
        break;
      case OpCode::Jump:
        LISP_JUMP(a);
        break;
      case OpCode::JumpBack:
        LISP_JUMP(a);
        LISP_SAVE();
        step(Safepoint::Jump);
        break;
      case OpCode::JumpIfNil:
        if ((--sp)->is_nil()) {
          LISP_JUMP(a);
        }
        break;
      case OpCode::JumpIfNotNil:
        if (!(--sp)->is_nil()) {
          LISP_JUMP(a);
        }
        break;
      case OpCode::JumpIfNotNilKeep:
        if (sp[-1].is_nil()) {
          --sp;
        } else {
          LISP_JUMP(a);
        }
        break;
      case OpCode::JumpIfGiven: {
        uint32_t target = *pc++;
        if (!fp[a].is_none()) {
          LISP_JUMP(target);
        }
        break;
      }
      case OpCode::Given:
        *sp++ = Value::boolean(!fp[a].is_none());
        break;

#define LISP_COMPARE(op, fast, slow)                                                       \
  case OpCode::op: {                                                                       \
    Value x = sp[-2];                                                                      \
    Value y = sp[-1];                                                                      \
    bool holds =                                                                           \
        both_fixnums(x, y) ? x.fixnum_value() fast y.fixnum_value() : (LISP_SAVE(), slow); \
    --sp;                                                                                  \
    sp[-1] = Value::boolean(holds);                                                        \
    break;                                                                                 \
  }                                                                                        \
  case OpCode::JumpIfNot##op: {                                                            \
    Value x = sp[-2];                                                                      \
    Value y = sp[-1];                                                                      \
    bool holds =                                                                           \
        both_fixnums(x, y) ? x.fixnum_value() fast y.fixnum_value() : (LISP_SAVE(), slow); \
    sp -= 2;                                                                               \
    if (!holds) {                                                                          \
      LISP_JUMP(a);                                                                        \
    }                                                                                      \
    break;                                                                                 \
  }
        LISP_COMPARE(Less, <, std::is_lt(number_compare(interp_, x, y)))
        LISP_COMPARE(Greater, >, std::is_gt(number_compare(interp_, x, y)))
        LISP_COMPARE(LessEq, <=, std::is_lteq(number_compare(interp_, x, y)))
        LISP_COMPARE(GreaterEq, >=, std::is_gteq(number_compare(interp_, x, y)))
        LISP_COMPARE(NumberEq, ==, std::is_eq(number_compare(interp_, x, y)))
#undef LISP_COMPARE

      case OpCode::JumpIfNotEq:
        sp -= 2;
        if (sp[0] != sp[1]) {
          LISP_JUMP(a);
        }
        break;
      case OpCode::MakeClosure: {
        uint32_t captures = *pc++;
        auto* code = static_cast<Code*>(constants[a].object_pointer());
        auto* closure =
            heap_.make_sized<Closure>(captures * sizeof(Value), code->name, code, captures);
        for (uint32_t i = 0; i < captures; ++i) {
          uint32_t capture = *pc++;
          closure->captured()[i] =
              (capture & 1) == 0 ? fp[capture >> 1] : frame->closure->captured()[capture >> 1];
        }
        *sp++ = Value::object(closure);
        break;
      }
      case OpCode::CallGlobal:
        count = *pc++;
        function = constants[a];
        goto call;
      case OpCode::Call:
        count = a;
        function = *--sp;
        goto call;
      case OpCode::TailCallGlobal:
        count = *pc++;
        function = constants[a];
        goto tail_call;
      case OpCode::TailCall:
        count = a;
        function = *--sp;
        goto tail_call;
      case OpCode::Apply:
      case OpCode::TailApply:
        sp -= 2;
        function = sp[1];
        LISP_SAVE();
        count = a + spread(sp[0]);
        sp = sp_;
        if (static_cast<OpCode>(instruction & 0xFF) == OpCode::TailApply) {
          goto tail_call;
        }
        goto call;
      case OpCode::Return:
        value_count_ = 1;
        [[fallthrough]];
      case OpCode::ReturnValues: {
        Value result = sp[-1];
        sp_ = fp;
        --frame_count_;
        if (frame_count_ == bottom) {
          return result;
        }
        *sp_++ = result;
        goto load_frame;
      }
      case OpCode::OneValue:
        value_count_ = 1;
        break;
      case OpCode::Values: {
        values_.assign(sp - a, sp);
        value_count_ = a;
        sp -= a;
        *sp++ = a == 0 ? Value::nil() : values_[0];
        break;
      }
      case OpCode::ValuesList: {
        LISP_SAVE();
        Value list = expect_list(interp_, sp[-1], "list");
        values_.clear();
        for (Value item : list_items(list)) {
          values_.push_back(item);
        }
        value_count_ = values_.size();
        sp[-1] = car(list);
        break;
      }
      case OpCode::BindValues: {
        Value primary = *--sp;
        if (value_count_ == 1) {
          for (uint32_t i = 0; i < a; ++i) {
            *sp++ = i == 0 ? primary : Value::nil();
          }
        } else {
          for (uint32_t i = 0; i < a; ++i) {
            *sp++ = i < value_count_ ? values_[i] : Value::nil();
          }
        }
        break;
      }
      case OpCode::ListValues:
        sp[-1] = value_count_ == 1
                     ? interp_.list({sp[-1]})
                     : interp_.list(std::span<const Value>(values_.data(), value_count_));
        break;
      case OpCode::BindSpecial:
        bind(constants[a], *--sp);
        break;
      case OpCode::Unwind:
        LISP_SAVE();
        unwind_to(dynamic_.size() - a);
        break;
      case OpCode::EnterExit: {
        Value tag = Value::object(heap_.make<ExitTag>(dynamic_.size()));
        fp[a] = tag;
        dynamic_.push_back({.kind = EntryKind::Exit,
                            .a = tag,
                            .frame = static_cast<uint32_t>(frame_count_ - 1),
                            .sp = static_cast<uint32_t>(index_of(sp))});
        break;
      }
      case OpCode::EnterCatch: {
        Value tag = *--sp;
        dynamic_.push_back({.kind = EntryKind::Catch,
                            .a = tag,
                            .frame = static_cast<uint32_t>(frame_count_ - 1),
                            .sp = static_cast<uint32_t>(index_of(sp)),
                            .label = a});
        break;
      }
      case OpCode::EnterCleanup:
        push_cleanup(*--sp);
        break;
      case OpCode::EnterHandlers:
        push_handlers(*--sp);
        break;
      case OpCode::ExitBlock:
      case OpCode::ExitTagbody:
      case OpCode::Throw: {
        LISP_SAVE();
        NonLocalExit exit;
        auto opcode = static_cast<OpCode>(instruction & 0xFF);
        if (opcode == OpCode::Throw) {
          exit.index = find_catch(sp[-2]);
          exit.label = dynamic_[exit.index].label;
          exit.value = sp[-1];
        } else {
          exit.index = find_exit(sp[-1]);
          exit.label = a;
          exit.keep_entry = opcode == OpCode::ExitTagbody;
          exit.value = exit.keep_entry ? Value() : sp[-2];
        }
        if (dynamic_[exit.index].frame < bottom) {
          throw exit;
        }
        resume(exit);
        goto load_frame;
      }
      case OpCode::Car:
        if (sp[-1].is_cons()) [[likely]] {
          sp[-1] = sp[-1].cons_pointer()->car;
        } else if (!sp[-1].is_nil()) {
          LISP_SAVE();
          wrong_type(interp_, sp[-1], "the argument of `car`", "a list");
        }
        break;
      case OpCode::Cdr:
        if (sp[-1].is_cons()) [[likely]] {
          sp[-1] = sp[-1].cons_pointer()->cdr;
        } else if (!sp[-1].is_nil()) {
          LISP_SAVE();
          wrong_type(interp_, sp[-1], "the argument of `cdr`", "a list");
        }
        break;
      case OpCode::Cons:
        --sp;
        sp[-1] = interp_.cons(sp[-1], sp[0]);
        break;
      case OpCode::Eq:
        --sp;
        sp[-1] = Value::boolean(sp[-1] == sp[0]);
        break;
      case OpCode::Eql:
        --sp;
        sp[-1] = Value::boolean(eql(sp[-1], sp[0]));
        break;
      case OpCode::Not:
        sp[-1] = Value::boolean(sp[-1].is_nil());
        break;
      case OpCode::Consp:
        sp[-1] = Value::boolean(sp[-1].is_cons());
        break;
      case OpCode::Atom:
        sp[-1] = Value::boolean(!sp[-1].is_cons());
        break;
      case OpCode::Listp:
        sp[-1] = Value::boolean(sp[-1].is_list());
        break;
      case OpCode::Symbolp:
        sp[-1] = Value::boolean(sp[-1].is_symbol());
        break;
      case OpCode::Add: {
        int64_t sum = 0;
        --sp;
        // Two fixnum tags make 2; taking one off leaves a tagged sum.
        if (both_fixnums(sp[-1], sp[0]) &&
            !__builtin_add_overflow(static_cast<int64_t>(sp[-1].bits()),
                                    static_cast<int64_t>(sp[0].bits() - 1), &sum)) [[likely]] {
          sp[-1] = Value::from_bits(static_cast<uint64_t>(sum));
          break;
        }
        LISP_SAVE();
        sp[-1] = number_add(interp_, sp[-1], sp[0]);
        break;
      }
      case OpCode::AddFixnum: {
        int64_t sum = 0;
        int64_t step = signed_operand(instruction);
        if (sp[-1].is_fixnum() && !__builtin_add_overflow(static_cast<int64_t>(sp[-1].bits()),
                                                          step * 4, &sum)) [[likely]] {
          sp[-1] = Value::from_bits(static_cast<uint64_t>(sum));
          break;
        }
        LISP_SAVE();
        sp[-1] = number_add(interp_, sp[-1], Value::fixnum(step));
        break;
      }
      case OpCode::Subtract: {
        int64_t difference = 0;
        --sp;
        if (both_fixnums(sp[-1], sp[0]) &&
            !__builtin_sub_overflow(static_cast<int64_t>(sp[-1].bits()),
                                    static_cast<int64_t>(sp[0].bits() - 1), &difference))
            [[likely]] {
          sp[-1] = Value::from_bits(static_cast<uint64_t>(difference));
          break;
        }
        LISP_SAVE();
        sp[-1] = number_subtract(interp_, sp[-1], sp[0]);
        break;
      }
      case OpCode::Multiply: {
        int64_t product = 0;
        --sp;
        // Untagged times four times the other, plus the tag.
        if (both_fixnums(sp[-1], sp[0]) &&
            !__builtin_mul_overflow(sp[-1].fixnum_value(), static_cast<int64_t>(sp[0].bits() - 1),
                                    &product)) {
          sp[-1] = Value::from_bits(static_cast<uint64_t>(product) + 1);
          break;
        }
        LISP_SAVE();
        sp[-1] = number_multiply(interp_, sp[-1], sp[0]);
        break;
      }
    }
    continue;

  call:  // `function` with the `count` arguments on top of the stack
    LISP_SAVE();
    {
      Function* callee = resolve(function, &count);
      if (callee->has_type(Closure::kType)) {
        auto& closure = *static_cast<Closure*>(callee);
        push_frame(closure, layout(closure, count));
        goto load_frame;
      }
      call_native(*static_cast<NativeFunction*>(callee), count);
      sp = sp_;
    }
    continue;

  tail_call:  // a call whose values the frame returns; builtins run inside the frame, so that
              // their errors have its place
    LISP_SAVE();
    {
      Function* callee = resolve(function, &count);
      if (callee->has_type(Closure::kType)) {
        auto& closure = *static_cast<Closure*>(callee);
        // The user's frame stays while library code runs for it: errors point at its form.
        if (interp_.is_library(closure.code->span.file) &&
            !interp_.is_library(frame->closure->code->span.file)) {
          push_frame(closure, layout(closure, count));
          goto load_frame;
        }
        Value* base = layout(closure, count);
        sp_ = std::copy(base, sp_, fp);
        --frame_count_;
        push_frame(closure, fp);
        goto load_frame;
      }
      call_native(*static_cast<NativeFunction*>(callee), count);
      Value result = sp_[-1];
      sp_ = fp;
      --frame_count_;
      if (frame_count_ == bottom) {
        return result;
      }
      *sp_++ = result;
      goto load_frame;
    }
  }
#undef LISP_SAVE
#undef LISP_JUMP
}

}  // namespace caten::lisp
