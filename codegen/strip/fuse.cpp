// Fuse: neighbouring steps become one routine of their own, which keeps in registers what the steps
// would hand over in slots. What has no vector program stays a call between such routines.
#include <algorithm>

#include "codegen/loops/visit.h"
#include "codegen/strip/run.h"

namespace caten::strip {
namespace {

/// The slots that a step reads, as far as they matter here.
template <typename F>
void each_slot_read(const Body& body, const Step& step, F f) {
  for (const Operand& operand : step.in) {
    if (operand.kind == Operand::Kind::Slot) {
      f(operand.slot);
    }
  }
  if (step.stmt == nullptr) {
    return;
  }
  loops::for_each_operand(*step.stmt, [&](ValueId value) {
    for (const auto& [placed, operand] : body.places) {
      if (placed == value && operand.kind == Operand::Kind::Slot) {
        f(operand.slot);
      }
    }
  });
}

bool is_read_after(const Body& body, size_t end, size_t slot) {
  for (size_t i = end; i < body.steps.size(); ++i) {
    bool read = false;
    each_slot_read(body, body.steps[i], [&](size_t s) { read |= s == slot; });
    if (read) {
      return true;
    }
    const Operand& out = body.steps[i].out;
    if (out.kind == Operand::Kind::Slot && out.slot == slot) {
      return false;
    }
  }
  return false;
}

/// Where a run of so wide lanes that begins at `begin` would end.
size_t end_of_run(Isa isa, int lane_bytes, const Constants& constants, const Body& body,
                  size_t begin) {
  Run run(isa, lane_bytes, constants);
  size_t end = begin;
  while (end < body.steps.size() && run.add(body.steps[end]) && !run.is_full()) {
    ++end;
  }
  return end;
}

/// The longest run from `begin` on; its end in `end`.
std::optional<Step> longest_run(Isa isa, const Constants& constants, const Body& body, size_t begin,
                                size_t& end) {
  const size_t end32 = end_of_run(isa, 4, constants, body, begin);
  const size_t end64 = end_of_run(isa, 8, constants, body, begin);
  const int lane_bytes = end32 >= end64 ? 4 : 8;
  end = std::max(end32, end64);
  if (end == begin + 1 && body.steps[begin].effect == Step::Effect::Move) {
    return std::nullopt;  // copies are fast as they are
  }
  for (; end > begin; --end) {
    Run run(isa, lane_bytes, constants);
    bool fits = true;
    for (size_t i = begin; i < end && fits; ++i) {
      fits = run.add(body.steps[i]);
    }
    if (!fits) {
      continue;
    }
    run.store_slots([&](size_t slot) { return is_read_after(body, end, slot); });
    if (run.is_full()) {
      continue;
    }
    Step step;
    step.kind = Step::Kind::Fused;
    step.in = run.pointers();
    const vector::Program program = run.take();
    step.code = vector::assemble(isa, program);
    for (const vector::Instruction& i : program.code) {
      if (i.code != vector::Code::Store || step.in[i.number].kind != Operand::Kind::Memory) {
        continue;
      }
      step.stored = step.in[i.number].array;
      step.past_caches =
          vector::assemble_past_caches(isa, program).value_or(std::vector<uint8_t>{});
    }
    return step;
  }
  return std::nullopt;
}

}  // namespace

bool Body::uses_slot(size_t slot) const {
  return std::any_of(steps.begin(), steps.end(), [&](const Step& step) {
    bool used = step.out.kind == Operand::Kind::Slot && step.out.slot == slot;
    each_slot_read(*this, step, [&](size_t s) { used |= s == slot; });
    return used;
  });
}

void fuse(Isa isa, const Constants& constants, Body& body) {
  std::vector<Step> steps;
  for (size_t i = 0; i < body.steps.size();) {
    size_t end = i;
    if (std::optional<Step> fused = longest_run(isa, constants, body, i, end)) {
      steps.push_back(std::move(*fused));
      i = end;
    } else {
      steps.push_back(body.steps[i]);
      ++i;
    }
  }
  body.steps = std::move(steps);
  bool whole = true;
  for (size_t slot = 0; slot < body.slots.size(); ++slot) {
    whole = whole && !body.uses_slot(slot);
  }
  body.whole = whole && std::none_of(body.steps.begin(), body.steps.end(), [](const Step& step) {
                 return step.kind == Step::Kind::Scalar;
               });
}

}  // namespace caten::strip
