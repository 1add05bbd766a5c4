// See assembler.h and Note [layout].
#include "codegen/vector/assembler.h"

#include <algorithm>

namespace caten::vector {

Assembler::Assembler(Target target, const Program& program, std::optional<uint32_t> past_caches)
    : BodyAssembler(target, program.lane_bytes, program.pointers.size()),
      whole_(program),
      past_caches_(past_caches) {
  if (whole_.phases.empty()) {
    whole_.phases.push_back({0, false});
  } else {
    has_rows_ = true;
  }
  find_cells();
}

std::vector<uint8_t> Assembler::run() {
  place_pointers();
  prologue();
  const Encoder::Label row = encoder_.here();
  for (size_t phase = 0; phase < whole_.phases.size(); ++phase) {
    begin(part(phase));
    if (whole_.phases[phase].once) {
      once();
    } else {
      loops();
    }
  }
  if (has_rows_) {
    next_row(row);
  }
  epilogue();
  for (const Patch& patch : patches_) {
    out_of_line(patch);
  }
  return encoder_.finish();
}

/// Sums that start from nothing, and cells that nobody reads: what is stored there need not be.
void Assembler::find_cells() {
  std::vector<int> stores(whole_.pointers.size(), 0);
  std::vector<Value> stored(whole_.pointers.size(), kNone);
  is_empty_.assign(whole_.pointers.size(), false);
  is_read_.assign(whole_.pointers.size(), false);
  for (const Instruction& i : whole_.code) {
    if (i.code == Code::Store) {
      ++stores[i.number];
      stored[i.number] = i.a;
    } else if (i.code == Code::Scalar && !is_empty_[i.number]) {
      is_read_[i.number] = true;
    } else if (is_reduction(i.code) && whole_.pointers[i.number].role == Role::Cell) {
      const Instruction* start = stores[i.number] == 1 ? &whole_.code[stored[i.number]] : nullptr;
      is_empty_[i.number] = start != nullptr && start->code == Code::Constant &&
                            start->number == identity(i.code, lane_bytes_);
      is_read_[i.number] = !is_empty_[i.number];
    }
  }
}

/// A phase as a program of its own.
Program Assembler::part(size_t phase) const {
  const size_t from = whole_.phases[phase].begin;
  const size_t to =
      phase + 1 < whole_.phases.size() ? whole_.phases[phase + 1].begin : whole_.code.size();
  Program out{whole_.pointers, {}, whole_.tables, {}, whole_.lane_bytes};
  for (size_t at = from; at < to; ++at) {
    Instruction i = whole_.code[at];
    if (i.code == Code::Store && whole_.pointers[i.number].role == Role::Cell &&
        !is_read_[i.number]) {
      i = {Code::Constant, kNone, kNone, kNone, 0};
    }
    for (Value* operand : {&i.a, &i.b, &i.c}) {
      *operand = *operand == kNone ? kNone : *operand - static_cast<Value>(from);
    }
    out.code.push_back(i);
  }
  return out;
}

void Assembler::once() {
  copies_ = 1;
  for (const Pin& held : held_) {
    pins_.push_back(held);
    free_registers_ = std::min(free_registers_, held.reg);
  }
  lay_out(1);
  encoder_.clear(Gpr::Rax);
  begin_single_elements();
  stored_.clear();
  body(true);
  for (const auto& [cell, reg, stamp] : stored_) {
    if (stamp_of_[static_cast<size_t>(reg)] == stamp) {
      held_.push_back({Code::Scalar, cell, reg});
    }
  }
}

void Assembler::loops() {
  copies_ = copies();
  give_accumulators();
  give_pins();
  start();
  held_.clear();
  if (past_caches_) {
    align(*past_caches_);
    is_past_caches_ = true;
  }
  // Whole rounds, then single vectors, then what is less than one.
  if (copies_ > 1) {
    loop(copies_, false);
  }
  loop(1, false);
  is_past_caches_ = false;
  rest();
  if (past_caches_) {
    encoder_.sfence();
  }
  give_sums();
}

/// Single elements until the stream is at a multiple of what a vector has.
void Assembler::align(uint32_t pointer) {
  const Gpr at = kStreamRegisters[kVolatile - 1];
  encoder_.move(at, stream_register(pointer));
  begin_single_elements();
  const Encoder::Label top = encoder_.here();
  encoder_.move(Gpr::Rdi, at);
  encoder_.and_with(Gpr::Rdi, target_.vector_bytes - 1);
  const Encoder::Label aligned = encoder_.jump_forward(Encoder::When::Equal);
  encoder_.compare(Gpr::Rax, Gpr::Rsi);
  const Encoder::Label end = encoder_.jump_forward(Encoder::When::GreaterEqual);
  lay_out(1);
  body(true);
  encoder_.add(Gpr::Rax, 1);
  encoder_.add(at, lane_bytes_);
  encoder_.jump_back(top);
  encoder_.land(aligned);
  encoder_.land(end);
}

/// Registers that are left hold the constants and scalars that are used most.
void Assembler::give_pins() {
  lay_out(copies_);
  constexpr int kSpare = 2;  // for operands that have to be loaded first
  const int left = free_registers_ - pressure() - kSpare;
  std::vector<std::pair<size_t, uint32_t>> leaves;  // uses, line
  for (uint32_t at = 0; at < lines_.size(); ++at) {
    if (is_leaf_in_memory(lines_[at].instruction.code) && !uses_[at].empty()) {
      leaves.emplace_back(uses_[at].size(), at);
    }
  }
  std::stable_sort(leaves.begin(), leaves.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  for (const auto& [uses, at] : leaves) {
    if (static_cast<int>(pins_.size()) >= left) {
      break;
    }
    const Instruction& i = lines_[at].instruction;
    pins_.push_back({i.code, i.number, --free_registers_});
  }
}

void Assembler::give_accumulators() {
  begin_sums();
  int next = target_.registers;
  for (Sum& sum : sums_) {
    for (int copy = 0; copy < copies_; ++copy) {
      sum.accumulators[static_cast<size_t>(copy)] = --next;
    }
    sum.unordered = is_extreme(sum.code) ? place_for_nans(next) : -1;
  }
  free_registers_ = next;
}

/// Streams get registers, scalars and cells a vector on the stack; slot 0 keeps the argument, how
/// many rows are left, and where the steps are.
void Assembler::place_pointers() {
  size_t streams = 0;
  slots_ = 1;
  for (size_t i = 0; i < whole_.pointers.size(); ++i) {
    const Role role = whole_.pointers[i].role;
    if (role == Role::Stream) {
      CATEN_CHECK(streams < kMaxStreams, "a vector program has too many streams");
      slot_of_[i] = static_cast<int>(streams++);
    } else if (role == Role::Scalar || role == Role::Cell) {
      slot_of_[i] = slots_++;
    }
  }
  saved_ = streams > kVolatile ? streams - kVolatile : 0;
  scalar_slots_ = slots_;
  // As many spill slots as there can be values.
  int spills = 0;
  for (size_t phase = 0; phase < whole_.phases.size(); ++phase) {
    begin(part(phase));
    spills = std::max(spills, static_cast<int>(program_.code.size()) * copies());
  }
  slots_ += spills;
  saved_slots_ = slots_;
  slots_ += target_.registers + 5;  // of out_of_line
}

/// All registers are saved around the call, which gets a vector from and to the stack. Their slots:
/// vector registers, argument, result, mask registers, two for general registers.
void Assembler::out_of_line(const Patch& patch) {
  constexpr Gpr kGeneral[] = {Gpr::Rax, Gpr::Rcx, Gpr::Rdx, Gpr::Rsi,
                              Gpr::R8,  Gpr::R9,  Gpr::R10, Gpr::R11};
  const int from = saved_slots_ + target_.registers;
  const int to = from + 1;
  const int others = to + 1;
  const auto general = [&](size_t i) {
    return (others + 1) * target_.vector_bytes + static_cast<int32_t>(8 * i);
  };
  encoder_.land(patch.jump);
  for (int r = 0; r < target_.registers; ++r) {
    encoder_.vector(kStore, r, 0, slot(saved_slots_ + r));
  }
  encoder_.vector(kStore, patch.x, 0, slot(from));
  save_others(others);
  for (size_t i = 0; i < std::size(kGeneral); ++i) {
    encoder_.store(Gpr::Rsp, general(i), kGeneral[i]);
  }
  encoder_.load(Gpr::R11, Gpr::Rsp, 0);
  encoder_.load(Gpr::R11, Gpr::R11, static_cast<int32_t>(8 * patch.function));
  encoder_.add(Gpr::Rdi, Gpr::Rsp, target_.vector_bytes * to);
  encoder_.add(Gpr::Rsi, Gpr::Rsp, target_.vector_bytes * from);
  encoder_.clear(Gpr::Rdx);
  encoder_.add(Gpr::Rdx, lanes());
  encoder_.vzeroupper();
  encoder_.call(Gpr::R11);
  restore_others(others);
  for (size_t i = 0; i < std::size(kGeneral); ++i) {
    encoder_.load(kGeneral[i], Gpr::Rsp, general(i));
  }
  for (int r = 0; r < target_.registers; ++r) {
    encoder_.vector(kLoad, r, 0, slot(r == patch.value ? to : saved_slots_ + r));
  }
  encoder_.jump_back(patch.back);
}

void Assembler::prologue() {
  for (size_t i = 0; i < saved_; ++i) {
    encoder_.push(kStreamRegisters[kVolatile + i]);
  }
  encoder_.push(Gpr::Rbp);
  encoder_.move(Gpr::Rbp, Gpr::Rsp);
  encoder_.add(Gpr::Rsp, -target_.vector_bytes * slots_);
  encoder_.and_with(Gpr::Rsp, -target_.vector_bytes);
  encoder_.store(Gpr::Rsp, 0, Gpr::Rdi);
  if (has_rows_) {
    encoder_.load(Gpr::Rax, Gpr::Rdi, static_cast<int32_t>(8 * whole_.pointers.size()));
    encoder_.store(Gpr::Rsp, kSteps, Gpr::Rax);
    encoder_.load(Gpr::Rax, Gpr::Rax, 0);
    encoder_.store(Gpr::Rsp, kRows, Gpr::Rax);
  }
  for (size_t i = 0; i < whole_.pointers.size(); ++i) {
    const Pointer& pointer = whole_.pointers[i];
    const auto offset = static_cast<int32_t>(8 * i);
    if (pointer.role == Role::Stream) {
      encoder_.load(stream_register(i), Gpr::Rdi, offset);
    } else if (pointer.role == Role::Scalar) {
      encoder_.load(Gpr::Rax, Gpr::Rdi, offset);
      if (pointer.dtype == DType::Bool) {
        const Place place = slot(slot_of_[i]);
        encoder_.load_byte(Gpr::Rax, Gpr::Rax);
        encoder_.negate(Gpr::Rax);
        encoder_.store(Gpr::Rsp, place.displacement, Gpr::Rax);
        encoder_.vector(broadcast(lane_bytes_), 0, 0, place);
      } else {
        encoder_.vector(broadcast(lane_bytes_), 0, 0, Place::memory(Gpr::Rax, 0));
      }
      encoder_.vector(kStore, 0, 0, slot(slot_of_[i]));
    }
  }
}

/// Accumulators and pinned values of a phase.
void Assembler::start() {
  // From registers first: the accumulators may be in these. One that another pin overwrites is
  // loaded like the rest.
  std::vector<bool> done(pins_.size(), false);
  std::vector<int> written;
  for (size_t i = 0; i < pins_.size(); ++i) {
    for (const Pin& held : held_) {
      if (pins_[i].code == Code::Scalar && pins_[i].number == held.number && !done[i] &&
          std::find(written.begin(), written.end(), held.reg) == written.end()) {
        move(pins_[i].reg, Place::reg(held.reg));
        written.push_back(pins_[i].reg);
        done[i] = true;
      }
    }
  }
  for (const Sum& sum : sums_) {
    for (int copy = 0; copy < copies_; ++copy) {
      move(sum.accumulators[static_cast<size_t>(copy)],
           Place::constant(identity(sum.code, lane_bytes_)));
    }
    if (sum.unordered >= 0) {
      clear_nans(sum);
    }
  }
  for (size_t i = 0; i < pins_.size(); ++i) {
    const Pin& pin = pins_[i];
    if (done[i]) {
      continue;
    }
    move(pin.reg, pin.code == Code::Constant ? Place::constant(pin.number)
                  : pin.code == Code::Table  ? Place::table(program_.tables[pin.number])
                                             : slot(slot_of_[pin.number]));
  }
  encoder_.clear(Gpr::Rax);
}

/// Adds what accumulators have to where sums are kept.
void Assembler::give_sums() {
  for (const Sum& sum : sums_) {
    const int total = sum.accumulators[0];
    const bool in_cell = program_.pointers[sum.pointer].role == Role::Cell;
    if (!in_cell) {
      encoder_.load(Gpr::Rdi, Gpr::Rsp, 0);
      encoder_.load(Gpr::Rdi, Gpr::Rdi, static_cast<int32_t>(8 * sum.pointer));
    }
    const Place place = in_cell ? slot(slot_of_[sum.pointer]) : Place::memory(Gpr::Rdi, 0);
    if (!is_empty_[sum.pointer]) {
      const int given = 0;  // nothing else is live
      encoder_.vector(one_lane(kLoad, lane_bytes_), given, 0, place);
      if (sum.unordered >= 0) {
        note_nan(sum, given);
      }
      encoder_.vector(one_of(combining(sum.code)), total, given, Place::reg(total));
    }
    if (sum.unordered >= 0) {
      put_nan(sum, total);
    }
    if (in_cell) {
      encoder_.vector(broadcast(lane_bytes_), total, 0, Place::reg(total));
      held_.push_back({Code::Scalar, sum.pointer, total});
    }
    encoder_.vector(in_cell ? kStore : one_lane(kStore, lane_bytes_), total, 0, place);
  }
}

/// Streams advance; back to the first phase while rows are left.
void Assembler::next_row(Encoder::Label first) {
  held_.clear();
  encoder_.load(Gpr::Rdi, Gpr::Rsp, kSteps);
  for (size_t i = 0; i < whole_.pointers.size(); ++i) {
    if (whole_.pointers[i].role == Role::Stream) {
      encoder_.add_from(stream_register(i), Gpr::Rdi, static_cast<int32_t>(8 * (i + 1)));
    }
  }
  encoder_.load(Gpr::Rax, Gpr::Rsp, kRows);
  encoder_.add(Gpr::Rax, -1);
  encoder_.store(Gpr::Rsp, kRows, Gpr::Rax);
  encoder_.jump_back(Encoder::When::NotEqual, first);
}

void Assembler::epilogue() {
  encoder_.vzeroupper();
  encoder_.leave();
  for (size_t i = saved_; i-- > 0;) {
    encoder_.pop(kStreamRegisters[kVolatile + i]);
  }
  encoder_.ret();
}

void Assembler::loop(int copies, bool partial) {
  const int32_t step = partial ? 1 : copies * lanes();
  encoder_.add(Gpr::Rdi, Gpr::Rax, step);
  encoder_.compare(Gpr::Rdi, Gpr::Rsi);
  const Encoder::Label skip = encoder_.jump_forward(Encoder::When::Greater);
  const Encoder::Label top = encoder_.here();
  lay_out(copies);
  body(partial);
  encoder_.add(Gpr::Rax, step);
  encoder_.add(Gpr::Rdi, Gpr::Rax, step);
  encoder_.compare(Gpr::Rdi, Gpr::Rsi);
  encoder_.jump_back(Encoder::When::LessEqual, top);
  encoder_.land(skip);
}

/// Every sum into the first lane of its first accumulator.
void Assembler::fold() {
  for (const Sum& sum : sums_) {
    const Opcode combine = opcode(combining(sum.code));
    const int total = sum.accumulators[0];
    for (int width = copies_ / 2; width > 0; width /= 2) {
      for (int i = 0; i < width; ++i) {
        const int left = sum.accumulators[static_cast<size_t>(i)];
        const int right = sum.accumulators[static_cast<size_t>(i + width)];
        encoder_.vector(combine, left, left, Place::reg(right));
      }
    }
    fold_lanes(combine, total);
    if (sum.unordered >= 0) {
      fold_nans(sum, total);
    }
  }
}
void Assembler::fold_lanes(Opcode combine, int reg) {
  const int other = 0;  // nothing else is live
  const auto add = [&](Length length) {
    encoder_.vector(with_length(combine, length), reg, reg, Place::reg(other));
  };
  if (target_.vector_bytes == 64) {
    encoder_.vector({1, 3, 0x1b, Length::Bits512, true}, reg, 0, Place::reg(other),
                    uint8_t{1});  // vextractf64x4
    add(Length::Bits256);
  }
  encoder_.vector({1, 3, 0x19, Length::Bits256}, reg, 0, Place::reg(other),
                  uint8_t{1});  // vextractf128
  add(Length::Bits128);
  encoder_.vector({0, 1, 0x12, Length::Bits128}, other, reg, Place::reg(reg));  // vmovhlps
  add(Length::Bits128);
  if (lane_bytes_ == 4) {
    encoder_.vector({2, 1, 0x16, Length::Bits128}, other, 0, Place::reg(reg));  // vmovshdup
    add(Length::Bits128);
  }
}

// Note [layout]
// rax counts elements, rsi is n, streams have a register each, rsp points to slots as long as a
// vector: the argument, scalars in every lane, spilled values. Constants follow the code and are
// operands in memory, as scalars are. Values get registers in the order of the program; when none
// is free, the one whose next use is farthest goes to the stack. One round of the loop runs the
// program for up to four vectors at once, instruction by instruction: a processor that waits for
// the end of a chain of operations then finds others, and a sum has several accumulators, each with
// a partial sum per lane: float sums differ by the target, as LANGUAGE.md's section 5 allows. The
// rest of less than a vector runs through the same code, with AVX2 for one element after the other,
// with AVX-512 once under a mask (avx512.cpp): whatever is in the other lanes stays there.
// Registers that are left hold the constants that are used most.
}  // namespace caten::vector
