// Arithmetic, comparisons and bit operations on strips, by the numeric rules: integers wrap,
// division is total, NaN wins in max and min.
#include "ir/support/elementary.h"
#include "runtime/intrinsics/strips/loops.h"

namespace caten::runtime::strips {
namespace {

template <typename T>
constexpr bool kIsFloat = T(0.5) != T(0);
template <typename T>
constexpr bool kIsSigned = T(-1) < T(0);

/// The unsigned type that arithmetic of T is done in.
template <typename T, bool wide = (sizeof(T) == 8)>
struct Unsigned {
  using Type = uint32_t;
};
template <typename T>
struct Unsigned<T, true> {
  using Type = uint64_t;
};
template <typename T>
using U = typename Unsigned<T>::Type;

#define CATEN_WRAPPING(Name, op)      \
  struct Name {                       \
    template <typename T>             \
    static T of(T a, T b) {           \
      if constexpr (kIsFloat<T>) {    \
        return a op b;                \
      } else {                        \
        return T(U<T>(a) op U<T>(b)); \
      }                               \
    }                                 \
  };
CATEN_WRAPPING(Add, +)
CATEN_WRAPPING(Sub, -)
CATEN_WRAPPING(Mul, *)
#undef CATEN_WRAPPING

struct Div {
  template <typename T>
  static T of(T a, T b) {
    return a / b;
  }
};
struct Max {
  template <typename T>
  static T of(T a, T b) {
    if constexpr (kIsFloat<T>) {
      return a > b ? a : a != a ? a : b;
    } else {
      return a > b ? a : b;
    }
  }
};
struct Min {
  template <typename T>
  static T of(T a, T b) {
    if constexpr (kIsFloat<T>) {
      return a < b ? a : a != a ? a : b;
    } else {
      return a < b ? a : b;
    }
  }
};
inline float floor_of(float x) {
  return __builtin_floorf(x);
}
inline double floor_of(double x) {
  return __builtin_floor(x);
}
struct Idiv {
  template <typename T>
  static T of(T a, T b) {
    if constexpr (kIsFloat<T>) {
      return floor_of(a / b);
    } else {
      if (b == 0) {
        return 0;
      }
      if constexpr (kIsSigned<T>) {
        if (b == T(-1)) {
          return T(0 - U<T>(a));
        }
        const T q = T(a / b);
        return (a % b != 0 && (a < 0) != (b < 0)) ? T(q - 1) : q;
      } else {
        return T(a / b);
      }
    }
  }
};
struct Rem {
  template <typename T>
  static T of(T a, T b) {
    if constexpr (kIsFloat<T>) {
      return elementary::fmod(a, b);
    } else {
      if (b == 0) {
        return 0;
      }
      if constexpr (kIsSigned<T>) {
        if (b == T(-1)) {
          return 0;
        }
      }
      return T(a % b);
    }
  }
};
struct Mod {
  template <typename T>
  static T of(T a, T b) {
    const T r = Rem::of(a, b);
    if constexpr (kIsFloat<T> || kIsSigned<T>) {
      return (r != 0 && (r < 0) != (b < 0)) ? T(r + b) : r;
    } else {
      return r;
    }
  }
};
struct Pow {
  template <typename T>
  static T of(T a, T b) {
    return elementary::pow(a, b);
  }
};

#define CATEN_BITWISE(Name, op) \
  struct Name {                 \
    template <typename T>       \
    static T of(T a, T b) {     \
      return T(a op b);         \
    }                           \
  };
CATEN_BITWISE(And, &)
CATEN_BITWISE(Or, |)
CATEN_BITWISE(Xor, ^)
#undef CATEN_BITWISE

/// Shift counts are taken modulo the width.
struct Shl {
  template <typename T>
  static T of(T a, T b) {
    return T(U<T>(a) << (U<T>(b) & (sizeof(T) * 8 - 1)));
  }
};
struct Shr {
  template <typename T>
  static T of(T a, T b) {
    return T(a >> (U<T>(b) & (sizeof(T) * 8 - 1)));
  }
};

#define CATEN_COMPARISON(Name, op) \
  struct Name {                    \
    template <typename T>          \
    static uint8_t of(T a, T b) {  \
      return a op b;               \
    }                              \
  };
CATEN_COMPARISON(Lt, <)
CATEN_COMPARISON(Le, <=)
CATEN_COMPARISON(Eq, ==)
CATEN_COMPARISON(Ne, !=)
#undef CATEN_COMPARISON

struct Neg {
  template <typename T>
  static T of(T a) {
    if constexpr (kIsFloat<T>) {
      return -a;
    } else {
      return T(0 - U<T>(a));
    }
  }
};
struct Not {
  template <typename T>
  static T of(T a) {
    return T(~a);
  }
};
struct LogicalNot {
  static uint8_t of(uint8_t a) { return a == 0; }
};
struct Recip {
  template <typename T>
  static T of(T a) {
    return T(1) / a;
  }
};

#define ROW1(op, Op, s, T) {"ct_" #op "_" #s, address(&unary<Op, T, T>)},
#define ROW2(op, Op, s, T) {"ct_" #op "_" #s, address(&binary<Op, T, T>)},
#define ROWC(op, Op, s, T) {"ct_" #op "_" #s, address(&binary<Op, uint8_t, T>)},
// clang-format off
#define ANY_ROWS(s, T)                                                                        \
  ROW2(add, Add, s, T) ROW2(sub, Sub, s, T) ROW2(mul, Mul, s, T) ROW2(max, Max, s, T)         \
  ROW2(min, Min, s, T) ROW2(idiv, Idiv, s, T) ROW2(mod, Mod, s, T) ROW2(rem, Rem, s, T)       \
  ROWC(lt, Lt, s, T) ROWC(le, Le, s, T) ROWC(eq, Eq, s, T) ROWC(ne, Ne, s, T)                 \
  ROW1(neg, Neg, s, T)
#define FLOAT_ROWS(s, T) \
  ANY_ROWS(s, T) ROW2(div, Div, s, T) ROW2(pow, Pow, s, T) ROW1(recip, Recip, s, T)
#define INT_ROWS(s, T)                                                                        \
  ANY_ROWS(s, T)                                                                              \
  ROW2(and, And, s, T) ROW2(or, Or, s, T) ROW2(xor, Xor, s, T) ROW2(shl, Shl, s, T)           \
  ROW2(shr, Shr, s, T) ROW1(not, Not, s, T)

const Entry kEntries[] = {
    FLOAT_ROWS(f32, float) FLOAT_ROWS(f64, double)
    INT_ROWS(i8, int8_t) INT_ROWS(i16, int16_t) INT_ROWS(i32, int32_t) INT_ROWS(i64, int64_t)
    INT_ROWS(u8, uint8_t) INT_ROWS(u16, uint16_t) INT_ROWS(u32, uint32_t) INT_ROWS(u64, uint64_t)
    {"ct_not_bool", address(&unary<LogicalNot, uint8_t, uint8_t>)},
    // clang-format on
};

}  // namespace

Table CATEN_TABLE(arithmetic)() {
  return {kEntries, sizeof kEntries / sizeof *kEntries};
}

}  // namespace caten::runtime::strips
