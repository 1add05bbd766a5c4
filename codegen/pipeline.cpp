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

// A pass takes what it changes by value; these make a new graph.
// NOLINTBEGIN(performance-unnecessary-value-param)
air::Graph canonicalize(air::Graph graph) {
  return air::canonicalize(graph);
}
air::Graph simplify(air::Graph graph) {
  return air::simplify(graph);
}
air::Graph dead_code(air::Graph graph) {
  return air::dead_code(graph);
}
// NOLINTEND(performance-unnecessary-value-param)

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
    {"reuse",            loops::reuse,           false, "results that replace what they are computed from need no memory of their own"},
};
constexpr Order kLoopOrder[] = {
    {"loop_dead_code", "collapse", "a dead store may be the access that is not contiguous"},
    {"loop_dead_code", "reuse", "a dead store may be the use that keeps a temporary"},
};

// What a target needs: code in memory calls vector routines, C files leave vectors to compilers.
constexpr Pass<loops::Module> kTccPasses[] = {
    {"share_kernels",    loops::share_kernels,    false, "equal kernels, as of equal layers, are lowered and compiled once"},
    {"parallel",         loops::parallel,        false, "outer loops with independent iterations may run on several threads"},
    {"contract",         loops::contract,        false, "sums of products run in the micro-kernel on packed panels"},
    {"unroll",           loops::unroll,          false, "windows of few terms: the loop around them runs in strips"},
    {"transpose",        loops::transpose,       false, "memory that is walked across is read once, in blocks"},
    {"split_guards",     loops::split_guards,    false, "guards leave the loops: what is left of these runs in strips"},
    {"dead_guards",      loops::dead_code,       true,  "pieces of a loop do not need what the guard kept apart"},
    {"hoist_indices",    loops::hoist_indices,   false, "rows that an index chooses are copied in strips"},
    {"first_extreme",    loops::first_extreme,   false, "positions of extremes are found in strips"},
    {"distribute",       loops::distribute,      false, "around elements that an index chooses, too, loops run in strips"},
    {"strip",            loops::strip,           false, "innermost loops call vector routines: TinyCC keeps nothing in registers"},
    {"partial_sums",     loops::partial_sums,    true,  "the other float sums need eight partial sums for precision"},
    {"hoist",            loops::hoist,           false, "invariants are computed once; TinyCC does not do it"},
    {"common_values",    loops::common_values,    false, "hoisting brings equal computations together"},
    {"spill_scratch",    loops::spill_scratch,   true,  "the stack holds little, and nothing of symbolic size"},
};
constexpr Pass<loops::Module> kC99Passes[] = {
    {"split_guards",     loops::split_guards,    false, "no reader and no compiler likes a condition in an inner loop"},
    {"dead_guards",      loops::dead_code,       true,  "pieces of a loop do not need what the guard kept apart"},
    {"partial_sums",     loops::partial_sums,    true,  "float sums need eight partial sums for precision; compilers vectorise them"},
    {"hoist",            loops::hoist,           false, "invariants are computed once; a reader sees what changes"},
    {"common_values",    loops::common_values,    false, "hoisting brings equal computations together"},
    {"spill_scratch",    loops::spill_scratch,   true,  "the stack holds little, and nothing of symbolic size"},
};
constexpr Pass<loops::Module> kGnuPasses[] = {
    {"parallel",         loops::parallel,        false, "outer loops with independent iterations get OpenMP pragmas"},
    {"contract",         loops::contract_shared, false, "sums of products run in a micro-kernel of GCC's vector types on packed panels"},
    {"split_guards",     loops::split_guards,    false, "no reader and no compiler likes a condition in an inner loop"},
    {"dead_guards",      loops::dead_code,       true,  "pieces of a loop do not need what the guard kept apart"},
    {"partial_sums",     loops::partial_sums,    true,  "float sums need eight partial sums for precision; compilers vectorise them"},
    {"hoist",            loops::hoist,           false, "invariants are computed once; a reader sees what changes"},
    {"common_values",    loops::common_values,    false, "hoisting brings equal computations together"},
    {"spill_scratch",    loops::spill_shared,    true,  "the stack holds little; a loop whose threads would share memory is not parallel"},
};
constexpr Order kTccOrder[] = {
    {"contract", "split_guards", "contractions are found in whole loops"},
    {"split_guards", "strip", "strips have no guards"},
    {"parallel", "contract", "independence shows in plain loops; blocks of rows are as independent as rows"},
    {"parallel", "spill_scratch", "large scratch of a parallel loop belongs to the thread"},
    {"contract", "strip", "contractions are found in plain loops; what is left around them runs in strips"},
    {"contract", "unroll", "contractions are found in whole loops"},
    {"unroll", "split_guards", "a window at the border has guards of its own"},
    {"unroll", "strip", "strips are straight-line code"},
    {"contract", "transpose", "packing turns operands itself"},
    {"hoist_indices", "strip", "strips bind no indices"},
    {"hoist_indices", "distribute", "indices that choose rows leave the loops over these"},
    {"first_extreme", "strip", "an extreme is a sum of its kind, a search carries over"},
    {"distribute", "strip", "what is apart from the binds runs in strips"},
    {"transpose", "strip", "turned blocks are read in steps of one"},
    {"strip", "partial_sums", "sums of strips have lanes of their own"},
};
constexpr Order kGnuOrder[] = {
    {"parallel", "contract", "independence shows in plain loops; blocks of rows are as independent as rows"},
    {"contract", "split_guards", "contractions are found in whole loops"},
};
constexpr Order kTargetOrder[] = {
    {"split_guards", "dead_guards", "guards that are known leave values behind"},
    {"split_guards", "partial_sums", "pieces of a sum have lanes of their own"},
    {"partial_sums", "hoist", "unrolled copies leave invariants behind"},
    {"hoist", "common_values", "what is equal has to be in one block, or in one around it"},
};
// clang-format on
static_assert(in_order(kAirPasses, kAirOrder));
static_assert(in_order(kSchedulePasses, kScheduleOrder));
static_assert(in_order(kLoopPasses, kLoopOrder));
static_assert(in_order(kTccPasses, kTccOrder));
static_assert(in_order(kTccPasses, kTargetOrder));
static_assert(in_order(kC99Passes, kTargetOrder));
static_assert(in_order(kGnuPasses, kGnuOrder));
static_assert(in_order(kGnuPasses, kTargetOrder));

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

/// What both targets have: buffers, calls and checks, with kernels in the tcc dialect.
runtime::Program make_program(loops::Module& module, const air::Graph& graph,
                              std::string_view name) {
  runtime::Program program;
  program.name = name;
  program.symbols = graph.symbols;
  program.checks = entry_checks(graph, module.pool);
  c::ProgramText text = c::emit_program(module, name);
  program.source = std::move(text.source);
  program.vector_functions = std::move(text.vector_functions);
  program.routines = std::move(text.routines);
  program.kernels = std::move(text.kernels);
  program.calls = std::move(text.calls);
  plan_memory(module, program);
  return program;
}

}  // namespace

std::vector<PassRow> list_passes() {
  std::vector<PassRow> rows;
  list("air", kAirPasses, rows);
  list("schedule", kSchedulePasses, rows);
  list("loops", kLoopPasses, rows);
  list("tcc", kTccPasses, rows);
  list("c99", kC99Passes, rows);
  list("gnu", kGnuPasses, rows);
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

  const Decisions decisions =
      context.decision_seed ? Decisions(*context.decision_seed) : Decisions();
  schedule::Schedule schedule =
      run_passes(schedule::Schedule(out.simplified, decisions), kSchedulePasses, context,
                 schedule::print, nothing_to_verify);
  if (context.keep_texts) {
    out.schedule_text = schedule::print(schedule);
    out.fusion_text = schedule::explain(schedule);
  }

  loops::Module module = timed(
      "build_loops", context, [&] { return loops::build(std::move(schedule)); },
      [&] { return air::print(out.simplified); });
  module = run_passes(std::move(module), kLoopPasses, context, loops::print, loops::verify);
  out.module = std::make_shared<const LoweredModule>(LoweredModule{module, context.disabled});
  module = run_passes(std::move(module), kTccPasses, context, loops::print, loops::verify);
  if (context.keep_texts) {
    out.loops_text = loops::print(module);
  }

  out.program = timed(
      "emit_program", context, [&] { return make_program(module, out.simplified, name); },
      [&] { return loops::print(module); });
  out.kernel_count = static_cast<int>(module.kernels.size());
  out.index_steps = module.pool.steps();
  return out;
}

runtime::NativeSource native_source(const LoweredModule& lowered, const runtime::Program& program) {
  PassContext context;
  context.disabled = lowered.disabled;
  loops::Module module =
      run_passes(lowered.module, kTccPasses, context, loops::print, loops::verify);
  c::NativeText text = c::emit_native(module, program);
  return {std::move(text.source), std::move(text.bound)};
}

C99Module lower_c99(const Compilation& compilation, Target target) {
  PassContext context;
  context.disabled = compilation.module->disabled;
  loops::Module plain = compilation.module->module;
  // The text is the same wherever it is emitted: for no machine's caches.
  plain.tiling.block_bytes = CacheSizes{}.second / 2;
  loops::Module module = target == Target::Gnu
                             ? run_passes(plain, kGnuPasses, context, loops::print, loops::verify)
                             : run_passes(plain, kC99Passes, context, loops::print, loops::verify);
  runtime::Program program = make_program(module, compilation.simplified, compilation.program.name);
  return {std::move(module), std::move(program)};
}

}  // namespace caten::codegen
