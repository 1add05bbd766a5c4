// The loops of a vector program around its rounds, for any target. See Note [layout].
#pragma once

#include <optional>
#include <vector>

#include "codegen/vector/body_assembler.h"

namespace caten::vector {

class Assembler : public BodyAssembler {
 public:
  /// The whole routine.
  std::vector<uint8_t> run();

 protected:
  /// `past_caches`: the pointer that is stored to past the caches.
  Assembler(Target target, const Program& program, std::optional<uint32_t> past_caches);

  /// What is left after whole vectors; every sum then is in the first lane of its first
  /// accumulator, by `fold`.
  virtual void rest() = 0;
  /// What follows runs for single elements.
  virtual void begin_single_elements() {}
  /// The sums of a phase get registers.
  virtual void begin_sums() {}
  /// Where a sum's NaNs are noted; `next` is the lowest register that accumulators have.
  virtual int place_for_nans(int& next) = 0;
  virtual void clear_nans(const Sum& sum) = 0;
  /// Where a NaN was noted: the total becomes one, and nothing is noted any more.
  virtual void fold_nans(const Sum& sum, int total) = 0;
  /// A NaN in the first lane of a register is noted; makes the total one in its first lane.
  virtual void note_nan(const Sum& sum, int value) = 0;
  virtual void put_nan(const Sum& sum, int total) = 0;
  /// Registers besides vector and general ones, to and from a slot of the stack.
  virtual void save_others(int /*slot*/) {}
  virtual void restore_others(int /*slot*/) {}

  void fold();
  /// Rounds of `copies` vectors, or of one element each, while as many are left.
  void loop(int copies, bool partial);

  /// In slot 0, behind the argument.
  static constexpr int32_t kRows = 8;
  static constexpr int32_t kSteps = 16;

 private:
  void find_cells();
  Program part(size_t phase) const;
  void once();
  void loops();
  void align(uint32_t pointer);
  int copies() const {
    const auto most = static_cast<size_t>(kShort * target_.registers);
    return operations() <= most ? 4 : operations() <= kMedium ? 2 : 1;
  }
  void give_pins();
  void give_accumulators();
  void place_pointers();
  void prologue();
  void start();
  void give_sums();
  void next_row(Encoder::Label first);
  void epilogue();
  void out_of_line(const Patch& patch);
  void fold_lanes(Opcode combine, int reg);
  /// How accumulators combine.
  static Code combining(Code code) { return code == Code::Dot ? Code::Sum : code; }

  Program whole_;
  std::optional<uint32_t> past_caches_;
  bool has_rows_ = false;
  std::vector<Pin> held_;       // cells that the last loop left in registers
  std::vector<bool> is_empty_;  // per pointer: a cell of a sum that starts from its identity
  std::vector<bool> is_read_;   // per pointer: a cell whose stored numbers somebody reads
};

/// One for each target.
std::vector<uint8_t> assemble_avx2(const Program& program, std::optional<uint32_t> past_caches);
std::vector<uint8_t> assemble_avx512(const Program& program, std::optional<uint32_t> past_caches);

}  // namespace caten::vector
