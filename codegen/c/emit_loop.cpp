// Serial loops as C: names of their variables, OpenMP pragmas, and where a kernel that runs in this
// process looks for a Ctrl-C.
#include <fmt/core.h>

#include "codegen/c/body_printer.h"
#include "codegen/loops/visit.h"
#include "runtime/interrupt.h"

namespace caten::c {
namespace {

constexpr std::string_view kLoopNames[] = {"i", "j", "k", "l", "m", "p", "q", "r"};

/// Iterations between two looks for a Ctrl-C in a loop without others inside.
constexpr int64_t kInterruptBlock = int64_t{1} << 16;

/// A loop asks in every round if it has that many iterations of others inside.
constexpr int64_t kWorthAsking = 64;

}  // namespace

/// Iterations of the loops in a body, as far as known; at least 0.
int64_t BodyPrinter::inner_iterations(const Block& body) const {
  constexpr int64_t kUnknown = 1024;
  int64_t sum = 0;
  loops::for_each_stmt(body, [&](const Stmt& stmt) {
    if (const auto* inner = std::get_if<loops::For>(&stmt.node)) {
      sum += pool_.constant_value(pool_.range_info(inner->range).extent).value_or(kUnknown);
    }
  });
  return sum;
}

/// Whether a loop outside of all others, with none inside, may run so long that it must ask on its
/// way.
bool BodyPrinter::asks_in_blocks(const loops::For& loop) const {
  return style_.detail && loop_depth_ == 0 && !in_part_ &&
         inner_iterations(loop.body) < kWorthAsking &&
         pool_.constant_value(pool_.range_info(loop.range).extent).value_or(INT64_MAX) >
             kInterruptBlock;
}

/// Guarded: without -fopenmp the pragma would be one that compilers do not know.
void BodyPrinter::openmp(const loops::For& loop) {
  constexpr std::string_view kWorthwhile = "50e6";  // picoseconds
  const bool known = pool_.constant_value(pool_.mul(loop.hi, loop.cost)).has_value();
  out_ += "#ifdef _OPENMP\n#pragma omp parallel for";
  if (!known) {
    out_ += fmt::format(" if ((double)({}) * (double)({}) > {})", index_.print(loop.hi),
                        index_.print(loop.cost), kWorthwhile);
  }
  out_ += "\n#endif\n";
}

void BodyPrinter::loop(const loops::For& loop) {
  if (loop.kind != loops::LoopKind::Strip &&
      rows(loop, index_.print(loop.lo), index_.print_operand(loop.hi))) {
    return;
  }
  const size_t before = out_.size();
  if (style_.openmp && loop.kind == loops::LoopKind::Parallel) {
    openmp(loop);
  }
  std::string wanted(kLoopNames[0]);
  for (std::string_view candidate : kLoopNames) {
    if (!locals_.is_taken(std::string(candidate))) {
      wanted = candidate;
      break;
    }
  }
  open();
  const bool blocks = asks_in_blocks(loop);
  if (blocks) {
    const std::string start = locals_.declare("block");
    const std::string end = locals_.declare("end");
    const std::string hi = index_.print_operand(loop.hi);
    line("for (int64_t {0} = {1}; {0} < {2}; {0} += {3}) {{", start, index_.print(loop.lo), hi,
         kInterruptBlock);
    ++indent_;
    return_if_interrupted();
    line("const int64_t {0} = {1} - {2} < {3} ? {1} : {2} + {3};", end, hi, start, kInterruptBlock);
    const std::string name = locals_.declare(wanted);
    index_.name_range(loop.range, name);
    line("for (int64_t {0} = {1}; {0} < {2}; ++{0}) {{", name, start, end);
    ++indent_;
    remember(name, "const int64_t");
  } else {
    const std::string name = locals_.declare(wanted);
    index_.name_range(loop.range, name);
    line("for (int64_t {0} = {1}; {0} < {2}; ++{0}) {{", name, index_.print(loop.lo),
         index_.print(loop.hi));
    ++indent_;
    remember(name, "const int64_t");
    ask_for_interrupt(loop);
  }
  const size_t inside = out_.size();
  ++loop_depth_;
  block(loop.body);
  --loop_depth_;
  --indent_;
  const bool empty = out_.size() == inside;  // what it did was under a condition that never holds
  line("}}");
  if (blocks) {
    --indent_;
    line("}}");
  }
  if (empty) {
    out_.resize(before);
  }
  close();
}

/// A kernel that runs in this process ends early when the user presses Ctrl-C.
void BodyPrinter::ask_for_interrupt(const loops::For& loop) {
  if (style_.detail && inner_iterations(loop.body) >= kWorthAsking) {
    return_if_interrupted();
  }
}

void BodyPrinter::return_if_interrupted() {
  uses_.functions.insert("ct_interrupted");
  line("if (ct_interrupted()) {{");
  if (in_part_) {
    line("  return;");
  } else {
    line("  return {};", runtime::kInterruptedStatus);
  }
  line("}}");
}

}  // namespace caten::c
