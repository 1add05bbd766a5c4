// The compiler, top to bottom. Read this file first.
#include "codegen/pipeline.h"

#include "codegen/c/emit_program.h"
#include "codegen/loops/build.h"
#include "codegen/loops/passes/passes.h"
#include "codegen/lowered_module.h"
#include "codegen/plan_memory.h"
#include "codegen/run_passes.h"
#include "codegen/schedule/schedule.h"
#include "ir/passes/passes.h"

namespace caten::codegen {
namespace {

air::Graph canonicalize(air::Graph graph) {
  return air::canonicalize(graph);
}
air::Graph simplify(air::Graph graph) {
  return air::simplify(graph);
}
air::Graph dead_code(air::Graph graph) {
  return air::dead_code(graph);
}

// clang-format off
constexpr Pass<air::Graph> kAirPasses[] = {
    // name              function                required  why it is here
    {"canonicalize",     canonicalize,           true,  "views composed, constants right: rules match one form"},
    {"simplify",         simplify,               false, "fold constants, cancel what the rule tables know"},
    {"dead_code",        dead_code,              true,  "the scheduler must not see values nobody reads"},
};
constexpr Order kAirOrder[] = {
    {"canonicalize", "simplify", "left sides of rules assume canonical operands"},
    {"simplify", "dead_code", "rules leave replaced nodes behind"},
};

constexpr Pass<schedule::Schedule> kSchedulePasses[] = {
    {"make_statements",  schedule::make_statements,  true,  "index tuples backwards from every stored value; decides what is stored"},
    {"order_versions",   schedule::order_versions,   true,  "assignments take effect in the order of the graph"},
    {"fuse",             schedule::fuse,             true,  "shared loops and kernels"},
    {"place_arrays",     schedule::place_arrays,     true,  "results read in the same iteration are scratch"},
};
constexpr Order kScheduleOrder[] = {
    {"make_statements", "order_versions", "it orders statements"},
    {"order_versions", "fuse", "fusion respects reads of overwritten storage"},
    {"fuse", "place_arrays", "scratch is what the shared loops leave open"},
};

constexpr Pass<loops::Module> kLoopPasses[] = {
    {"loop_dead_code",   loops::dead_code,       true,  "results forwarded in registers leave stores that nobody reads"},
    {"collapse",         loops::collapse,        false, "contiguous nests become one loop without index arithmetic"},
    {"partial_sums",     loops::partial_sums,    true,  "float sums need eight partial sums for precision; compilers vectorise them"},
    {"hoist",            loops::hoist,           false, "invariants are computed once; TinyCC does not do it"},
    {"spill_scratch",    loops::spill_scratch,   true,  "the stack holds little, and nothing of symbolic size"},
};
constexpr Order kLoopOrder[] = {
    {"loop_dead_code", "collapse", "a dead store may be the access that is not contiguous"},
    {"collapse", "partial_sums", "longer reduce loops first"},
    {"partial_sums", "hoist", "unrolled copies leave invariants behind"},
};
// clang-format on
static_assert(in_order(kAirPasses, kAirOrder));
static_assert(in_order(kSchedulePasses, kScheduleOrder));
static_assert(in_order(kLoopPasses, kLoopOrder));

template <typename T, size_t N>
void list(std::string_view stage, const Pass<T> (&passes)[N], std::vector<PassRow>& rows) {
  for (const Pass<T>& pass : passes) {
    rows.push_back({stage, pass.name, pass.required, pass.why});
  }
}

void nothing_to_verify(const schedule::Schedule& /*schedule*/) {}

std::vector<runtime::EntryCheck> entry_checks(const air::Graph& graph, index::Pool& pool) {
  std::vector<runtime::EntryCheck> out;
  for (const air::SizeCheck& check : graph.checks) {
    const index::ExprId left = pool.from_dim(check.left);
    const index::ExprId right = pool.from_dim(check.right);
    if (left != right) {  // the pool knows more of bounds than a Dim
      out.push_back({size_expr(pool, left), size_expr(pool, right), check.message, check.span});
    }
  }
  return out;
}

}  // namespace

std::vector<PassRow> list_passes() {
  std::vector<PassRow> rows;
  list("air", kAirPasses, rows);
  list("schedule", kSchedulePasses, rows);
  list("loops", kLoopPasses, rows);
  return rows;
}

Compilation compile(const air::Graph& graph, std::string_view name, PassContext& context) {
  Compilation out;
  const air::Graph* input = &graph;
  air::Graph rewritten;
  if (!context.user_rules.empty()) {
    rewritten = timed(
        "user_rules", context, [&] { return air::simplify_with(graph, context.user_rules); },
        [&] { return air::print(graph); });
    input = &rewritten;
  }
  out.simplified = run_passes(*input, kAirPasses, context, air::print, air::verify);

  schedule::Schedule schedule = run_passes(schedule::Schedule(out.simplified), kSchedulePasses,
                                           context, schedule::print, nothing_to_verify);
  if (context.keep_texts) {
    out.schedule_text = schedule::print(schedule);
    out.fusion_text = schedule::explain(schedule);
  }

  loops::Module module = timed(
      "build_loops", context, [&] { return loops::build(std::move(schedule)); },
      [&] { return air::print(out.simplified); });
  module = run_passes(std::move(module), kLoopPasses, context, loops::print, loops::verify);
  if (context.keep_texts) {
    out.loops_text = loops::print(module);
  }

  out.program = timed(
      "emit_program", context,
      [&] {
        runtime::Program program;
        program.name = name;
        program.symbols = out.simplified.symbols;
        program.checks = entry_checks(out.simplified, module.pool);
        c::ProgramText text = c::emit_program(module, name);
        program.source = std::move(text.source);
        program.kernels = std::move(text.kernels);
        program.calls = std::move(text.calls);
        plan_memory(module, program);
        return program;
      },
      [&] { return loops::print(module); });
  out.kernel_count = static_cast<int>(module.kernels.size());
  out.index_steps = module.pool.steps();
  out.module = std::make_shared<const LoweredModule>(LoweredModule{std::move(module)});
  return out;
}

}  // namespace caten::codegen
