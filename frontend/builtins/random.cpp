// RANDOM and its states.
#include <bit>
#include <cmath>
#include <random>

#include "frontend/builtins/builtins.h"
#include "frontend/builtins/sequence.h"
#include "frontend/builtins/tables.h"
#include "frontend/lisp/random_state.h"

namespace caten::lisp {

const ObjectType RandomState::kType{"random-state", nullptr, nullptr, 0};

RandomState::RandomState(uint64_t seed) {
  for (uint64_t& word : words) {  // splitmix64 spreads any seed over the state
    seed += 0x9E3779B97F4A7C15;
    uint64_t z = seed;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    word = z ^ (z >> 31);
  }
}

uint64_t RandomState::next() {
  const uint64_t result = std::rotl(words[1] * 5, 7) * 9;
  const uint64_t t = words[1] << 17;
  words[2] ^= words[0];
  words[3] ^= words[1];
  words[1] ^= words[2];
  words[0] ^= words[3];
  words[2] ^= t;
  words[3] = std::rotl(words[3], 45);
  return result;
}

uint64_t RandomState::below(uint64_t bound) {
  const uint64_t unfair = (uint64_t{0} - bound) % bound;  // 2^64 mod bound
  uint64_t word = next();
  while (word < unfair) {
    word = next();
  }
  return word % bound;
}

RandomState& random_state(Interpreter& interp, Value designator) {
  const Value state =
      designator.is_nil() ? interp.cl("*RANDOM-STATE*").as<Symbol>()->value : designator;
  return expect_object<RandomState>(interp, state, "random state");
}

namespace {

using Args = std::span<Value>;

Value random_random(Interpreter& interp, Args args) {
  RandomState& state = random_state(interp, arg_or(args, 1));
  const Value limit = args[0];
  if (is_integer(limit) && integer_value(limit) > 0) {
    return interp.integer(
        static_cast<int64_t>(state.below(static_cast<uint64_t>(integer_value(limit)))));
  }
  if (limit.is_single() && limit.single_value() > 0 && std::isfinite(limit.single_value())) {
    const float bound = limit.single_value();
    const float value = static_cast<float>(state.unit(24)) * bound;
    return Value::single(value < bound ? value : 0.0F);
  }
  const Double* real = limit.try_as<Double>();
  if (real != nullptr && real->value > 0 && std::isfinite(real->value)) {
    const double value = state.unit(53) * real->value;
    return interp.real(value < real->value ? value : 0.0);
  }
  wrong_type(interp, limit, "limit", "a positive integer or float");
}

/// (make-random-state [state]): a copy; T or an integer makes a fresh one (T: unpredictable).
Value random_make_state(Interpreter& interp, Args args) {
  const Value from = arg_or(args, 0);
  if (from == Value::t()) {
    std::random_device device;
    return Value::object(interp.heap().make<RandomState>((uint64_t{device()} << 32) | device()));
  }
  if (is_integer(from)) {
    return Value::object(
        interp.heap().make<RandomState>(static_cast<uint64_t>(integer_value(from))));
  }
  RandomState* const made = interp.heap().make<RandomState>(0);
  made->words = random_state(interp, from).words;
  return Value::object(made);
}

Value random_state_p(Interpreter&, Args args) {
  return Value::boolean(args[0].is<RandomState>());
}

// clang-format off
constexpr Builtin kRandomBuiltins[] = {
    // name               package min max  doc                                                        function
    {"RANDOM",            "CL",   1,  2,   "a uniform number from 0 to below the limit",              random_random},
    {"MAKE-RANDOM-STATE", "CL",   0,  1,   "a copy of a random state, or a fresh one for T or a seed", random_make_state},
    {"RANDOM-STATE-P",    "CL",   1,  1,   "true for random states",                                  random_state_p},
};
// clang-format on

}  // namespace

std::span<const Builtin> random_builtins() {
  return kRandomBuiltins;
}

}  // namespace caten::lisp
