// Checks a module: definitions before uses, open ranges, declared arrays.
#include <algorithm>
#include <set>

#include "codegen/loops/loops.h"
#include "ir/support/check.h"
#include "ir/support/overloaded.h"

namespace caten::loops {
namespace {

class Verifier {
 public:
  Verifier(const index::Pool& pool, const Kernel& kernel)
      : pool_(pool), kernel_(kernel), defined_(kernel.values.size(), 0) {}

  void run() {
    for (uint32_t i = 0; i < kernel_.arrays.size(); ++i) {
      if (kernel_.arrays[i].space == ArraySpace::Buffer) {
        declared_.insert(i);
      }
    }
    block(kernel_.body);
  }

 private:
  void define(ValueId value) {
    CATEN_CHECK(value.index < defined_.size(), "kernel `{}`: value {} of {}", kernel_.name,
                value.index, defined_.size());
    CATEN_CHECK(defined_[value.index] == 0, "kernel `{}`: value {} is defined twice", kernel_.name,
                value.index);
    defined_[value.index] = 1;
    opened_.back().push_back(value);
  }
  void use(ValueId value) const {
    CATEN_CHECK(value.index < defined_.size() && defined_[value.index] == 1,
                "kernel `{}`: value {} is used where it is not defined", kernel_.name, value.index);
  }
  void use(ExprId expr) const {
    CATEN_CHECK(expr.valid(), "kernel `{}`: an index expression is missing", kernel_.name);
    for (RangeId range : pool_.ranges_of(expr)) {
      CATEN_CHECK(ranges_.contains(range.index), "kernel `{}`: r{} is used outside its loop",
                  kernel_.name, range.index);
    }
  }
  void use(const Guard& guard) const {
    for (ExprId expr : guard) {
      use(expr);
    }
  }
  void use(ArrayId array, ExprId index) const {
    CATEN_CHECK(declared_.contains(array.index), "kernel `{}`: array {} is not declared here",
                kernel_.name, array.index);
    use(index);
    CATEN_CHECK(!kernel_.array(array).is_scalar || pool_.is(index, 0),
                "kernel `{}`: scalar {} is indexed", kernel_.name, array.index);
  }

  void block(const Block& statements) {
    opened_.emplace_back();
    std::vector<uint32_t> arrays;
    std::vector<uint32_t> ranges;
    for (const Stmt& stmt : statements) {
      std::visit(Overloaded{
                     [&](const Let& s) {
                       for (ValueId arg : s.args) {
                         use(arg);
                       }
                       define(s.value);
                     },
                     [&](const Constant& s) { define(s.value); },
                     [&](const IndexValue& s) {
                       use(s.index);
                       use(s.guard);
                       define(s.value);
                     },
                     [&](const Load& s) {
                       use(s.array, s.index);
                       use(s.guard);
                       define(s.value);
                     },
                     [&](const Select& s) {
                       CATEN_CHECK(s.args.size() == s.cases.size() + 1,
                                   "kernel `{}`: select has no last value", kernel_.name);
                       for (const Guard& guard : s.cases) {
                         use(guard);
                       }
                       for (ValueId arg : s.args) {
                         use(arg);
                       }
                       define(s.value);
                     },
                     [&](const Store& s) {
                       use(s.array, s.index);
                       use(s.value);
                       CATEN_CHECK(kernel_.array(s.array).written,
                                   "kernel `{}`: store into a constant array", kernel_.name);
                     },
                     [&](const Accumulate& s) {
                       use(s.array, s.index);
                       use(s.value);
                     },
                     [&](const Bind& s) {
                       use(s.value);
                       use(s.offset);
                       use(s.guard);
                       ranges_.insert(s.range.index);
                       ranges.push_back(s.range.index);
                     },
                     [&](const SortLine& s) {
                       use(s.order, s.order_index);
                       use(s.keys, s.keys_index);
                       use(s.work, s.count);
                       use(s.order_stride);
                       use(s.keys_stride);
                       use(s.wanted);
                       CATEN_CHECK(kernel_.array(s.order).written,
                                   "kernel `{}`: sorts into a constant array", kernel_.name);
                     },
                     [&](const Call& s) {
                       for (const Call::Pointer& pointer : s.pointers) {
                         use(pointer.array, pointer.index);
                         CATEN_CHECK(!pointer.written || kernel_.array(pointer.array).written,
                                     "kernel `{}`: a call writes a constant array", kernel_.name);
                       }
                       use(s.numbers);
                     },
                     [&](const Scratch& s) {
                       declared_.insert(s.array.index);
                       arrays.push_back(s.array.index);
                     },
                     [&](const For& s) {
                       use(s.lo);
                       use(s.hi);
                       ranges_.insert(s.range.index);
                       block(s.body);
                       ranges_.erase(s.range.index);
                     },
                     [&](const If& s) {
                       use(s.condition);
                       block(s.body);
                     },
                     [](const Comment&) {},
                 },
                 stmt.node);
    }
    for (ValueId value : opened_.back()) {
      defined_[value.index] = 2;  // out of scope
    }
    opened_.pop_back();
    for (uint32_t array : arrays) {
      declared_.erase(array);
    }
    for (uint32_t range : ranges) {
      ranges_.erase(range);
    }
  }

  const index::Pool& pool_;
  const Kernel& kernel_;
  std::vector<char> defined_;
  std::vector<std::vector<ValueId>> opened_;
  std::set<uint32_t> declared_;
  std::set<uint32_t> ranges_;
};

}  // namespace

void verify(const Module& module) {
  for (const Kernel& kernel : module.kernels) {
    Verifier(module.pool, kernel).run();
  }
}

}  // namespace caten::loops
