// The differential fuzz driver: random AIR programs through the reference evaluator and every
// backend, all of which have to give the same numbers.
//   fuzz_programs [--seed N] [--count N] [--backends
//   simplify,interp,tcc,threads,gcc,gnu,clang,tinycc]
//                 [--batch N] [--nodes N] [--decisions] [--shrink] [--print]
// `threads` is tcc with three threads, however little the loops have to do.
// --decisions draws what is fused, loop orders and tile sizes at random.
// `gcc`, `clang` and `tinycc` compile the emitted C99 library with that command, a batch of
// programs at a time. Exit status 1 when a program failed; each failure is printed with its seed.
#include <fmt/core.h>

#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <string_view>

#include "ir/passes/passes.h"
#include "runtime/workers.h"
#include "tests/fuzz/child.h"
#include "tests/fuzz/emitted.h"
#include "tests/fuzz/run_program.h"
#include "tests/fuzz/shrink.h"

namespace caten::fuzz {
namespace {

struct Options {
  uint64_t seed = 1;
  int64_t count = 300;
  int64_t batch = 200;
  std::set<std::string, std::less<>> backends = {"simplify", "interp", "tcc", "gcc"};
  testing::RandomGraphOptions graph{};
  bool decisions = false;
  bool shrink = false;
  bool print = false;
};

Options parse(int argc, char** argv) {
  Options options;
  auto fail = [](std::string_view what) {
    fmt::print(stderr, "fuzz_programs: bad argument {}\n", what);
    std::exit(2);
  };
  for (int i = 1; i < argc; ++i) {
    std::string_view flag = argv[i];
    if (flag == "--shrink") {
      options.shrink = true;
      continue;
    }
    if (flag == "--decisions") {
      options.decisions = true;
      continue;
    }
    if (flag == "--print") {
      options.print = true;
      continue;
    }
    if (i + 1 == argc) {
      fail(flag);
    }
    std::string value = argv[++i];
    if (flag == "--seed") {
      options.seed = std::strtoull(value.c_str(), nullptr, 10);
    } else if (flag == "--count") {
      options.count = std::atoll(value.c_str());
    } else if (flag == "--batch") {
      options.batch = std::atoll(value.c_str());
    } else if (flag == "--nodes") {
      options.graph.nodes = std::atoi(value.c_str());
    } else if (flag == "--backends") {
      options.backends.clear();
      for (size_t at = 0; at <= value.size();) {
        size_t comma = std::min(value.find(',', at), value.size());
        options.backends.insert(value.substr(at, comma - at));
        at = comma + 1;
      }
    } else {
      fail(flag);
    }
  }
  return options;
}

struct Failure {
  std::string backend;
  std::string what;
};

class Fuzzer {
 public:
  explicit Fuzzer(Options options) : options_(std::move(options)) {}

  int run() {
    uint64_t seed = options_.seed;
    for (int64_t left = options_.count; left > 0; left -= options_.batch) {
      int64_t size = std::min(left, options_.batch);
      run_batch(seed, size);
      seed += static_cast<uint64_t>(size);
    }
    fmt::print("{} programs, {} failed; elements: {} exact, {} near, {} not judged\n",
               options_.count, failures_, tally_.exact, tally_.near, tally_.not_judged);
    return failures_ == 0 ? 0 : 1;
  }

 private:
  bool uses(std::string_view backend) const { return options_.backends.contains(backend); }
  std::vector<std::string> compilers() const {
    std::vector<std::string> result;
    for (const char* compiler : {"gcc", "gnu", "clang", "tinycc"}) {
      if (uses(compiler)) {
        result.emplace_back(compiler);
      }
    }
    return result;
  }

  void run_batch(uint64_t first, int64_t size) {
    std::vector<testing::RandomProgram> programs;
    std::vector<Reference> references;
    std::vector<codegen::Compilation> compilations;
    for (int64_t i = 0; i < size; ++i) {
      uint64_t seed = first + static_cast<uint64_t>(i);
      note_program(seed);
      testing::RandomProgram program = testing::random_program(seed, options_.graph);
      if (options_.print) {
        fmt::print("{}\n", testing::describe(program));
      }
      Reference expected = reference(program);
      codegen::Compilation compilation;
      std::optional<Failure> failure = check(program, expected, compilation);
      if (failure) {
        report(program, *failure);
        continue;
      }
      programs.push_back(std::move(program));
      references.push_back(std::move(expected));
      compilations.push_back(std::move(compilation));
    }
    note_program(0);
    for (const std::string& compiler : compilers()) {
      std::vector<Outcome> outcomes = run_emitted(compiler, programs, compilations);
      for (size_t i = 0; i < outcomes.size(); ++i) {
        if (auto wrong = difference(references[i], outcomes[i], tally_)) {
          report(programs[i], {compiler, *wrong});
        }
      }
    }
  }

  /// Everything but the emitted C.
  std::optional<Failure> check(const testing::RandomProgram& program, const Reference& expected,
                               codegen::Compilation& compilation) {
    const char* backend = "simplify";
    try {
      if (uses("simplify")) {
        testing::RandomProgram simplified = program;
        simplified.graph = air::simplify(air::canonicalize(program.graph));
        air::verify(simplified.graph);
        Outcome outcome = evaluate_outcome(simplified.graph, program.environment);
        if (auto wrong = difference(expected, outcome, tally_)) {
          return Failure{backend, *wrong};
        }
      }
      if (!uses("interp") && !uses("tcc") && !uses("threads") && compilers().empty()) {
        return std::nullopt;
      }
      backend = "compile";
      compilation = compile(program, options_.decisions);
      if (uses("interp")) {
        backend = "interp";
        Outcome outcome = fuzz::run(compilation, codegen::load_interp(compilation), program);
        if (auto wrong = difference(expected, outcome, tally_)) {
          return Failure{backend, *wrong};
        }
      }
      if (uses("tcc")) {
        backend = "tcc";
        Outcome outcome = fuzz::run(compilation, runtime::load_tcc(compilation.program), program);
        if (auto wrong = difference(expected, outcome, tally_)) {
          return Failure{backend, *wrong};
        }
      }
      if (uses("threads")) {
        backend = "threads";
        Outcome outcome =
            fuzz::run(compilation, runtime::load_tcc(compilation.program, workers_), program);
        if (auto wrong = difference(expected, outcome, tally_)) {
          return Failure{backend, *wrong};
        }
      }
    } catch (const std::exception& error) {
      return Failure{backend, error.what()};
    }
    return std::nullopt;
  }

  /// One program alone through everything, the emitted C too.
  std::optional<Failure> check_alone(const testing::RandomProgram& program) {
    Reference expected = reference(program);
    codegen::Compilation compilation;
    if (std::optional<Failure> failure = check(program, expected, compilation)) {
      return failure;
    }
    for (const std::string& compiler : compilers()) {
      std::vector<Outcome> outcomes = run_emitted(compiler, {&program, 1}, {&compilation, 1});
      if (auto wrong = difference(expected, outcomes[0], tally_)) {
        return Failure{compiler, *wrong};
      }
    }
    return std::nullopt;
  }

  void report(const testing::RandomProgram& program, const Failure& failure) {
    ++failures_;
    fmt::print("seed {}: {}: {}\n", program.seed, failure.backend, failure.what);
    if (options_.shrink) {
      auto small = shrink(program, [&](const testing::RandomProgram& candidate) {
        return in_child([&] { return check_alone(candidate) ? 1 : 0; }) != 0;
      });
      fmt::print("{}", testing::describe(small));
      std::fflush(stdout);
      in_child([&] {
        std::optional<Failure> left = check_alone(small);
        fmt::print("; {}\n\n", left ? left->backend + ": " + left->what : "crashes");
        return 0;
      });
    }
    std::fflush(stdout);
  }

  Options options_;
  std::shared_ptr<runtime::Workers> workers_ = std::make_shared<runtime::Workers>(3, 0.0);
  Tally tally_;
  int64_t failures_ = 0;
};

}  // namespace
}  // namespace caten::fuzz

int main(int argc, char** argv) {
  caten::fuzz::name_program_on_crash();
  return caten::fuzz::Fuzzer(caten::fuzz::parse(argc, argv)).run();
}
