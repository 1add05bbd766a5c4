// The tensor graph and reverse mode over it, with ops and rules made here instead of in Lisp.
#include <gtest/gtest.h>

#include "ir/support/check.h"
#include "ir/tensor/autodiff.h"
#include "ir/tensor/tensor.h"

namespace caten::tensor {
namespace {

struct FakeOp : HeapObject {
  explicit FakeOp(std::string k) : kind(std::move(k)) {}
  std::string kind;
  static const ObjectType kType;
};
const ObjectType FakeOp::kType = {"fake op", nullptr,
                                  [](HeapObject* op) { static_cast<FakeOp*>(op)->~FakeOp(); }};

class Graph : public ::testing::Test {
 protected:
  Tensor* leaf(std::string name, bool requires_grad = true) {
    auto* tensor = heap_.make<Tensor>();
    tensor->name = std::move(name);
    tensor->source = Input{};
    tensor->requires_grad = tensor->needs_grad = requires_grad;
    return tensor;
  }

  std::vector<Tensor*> apply(std::string kind, std::vector<Tensor*> inputs, size_t outputs = 1,
                             bool track = true) {
    std::vector<Tensor*> results;
    for (size_t i = 0; i < outputs; ++i) {
      results.push_back(heap_.make<Tensor>());
      results.back()->name = kind + std::to_string(i);
    }
    attach_op(heap_, heap_.make<FakeOp>(std::move(kind)), inputs, results,
              {.kind = kind_, .tracks_gradients = track});
    return results;
  }
  Tensor* apply1(std::string kind, std::vector<Tensor*> inputs, bool track = true) {
    return apply(std::move(kind), std::move(inputs), 1, track)[0];
  }

  Tensor* stored(std::string name) {
    Tensor* tensor = leaf(std::move(name), false);
    tensor->source = Stored{};
    return tensor;
  }
  Tensor* view(Tensor* of) {
    kind_ = OpKind::View;
    Tensor* result = apply1("view", {of});
    kind_ = OpKind::Plain;
    return result;
  }
  Tensor* assign(Tensor* place, Tensor* value) {
    kind_ = OpKind::Assign;
    Tensor* result = apply1("assign", {place, value});
    kind_ = OpKind::Plain;
    return result;
  }
  Tensor* read(Tensor* of) { return apply1("read", {of}); }

  Heap heap_;
  OpKind kind_ = OpKind::Plain;
};

/// Gradients as text: input i of an op gets "kind/i(gradients of the outputs)".
class TextRules final : public GradientRules {
 public:
  explicit TextRules(Heap& heap) : heap_(heap) {}
  void backward(std::span<Tensor* const> outputs, std::span<Tensor* const> grads,
                RootedVector<Tensor*>& input_grads) override {
    ++calls;
    const std::string& kind = static_cast<FakeOp*>(outputs[0]->op)->kind;
    std::string args;
    for (const Tensor* grad : grads) {
      args += (args.empty() ? "" : ",") + grad->name;
    }
    for (size_t i = 0; i < outputs[0]->inputs.size(); ++i) {
      input_grads.push_back(
          kind == "stop" ? nullptr : text(kind + "/" + std::to_string(i) + "(" + args + ")"));
    }
  }
  Tensor* add(Tensor* a, Tensor* b) override { return text(a->name + "+" + b->name); }
  Tensor* zeros_like(Tensor*) override { return text("0"); }

  Tensor* text(std::string name) {
    auto* tensor = heap_.make<Tensor>();
    tensor->name = name.substr(0, 60);  // sums of sums would grow without bound
    return tensor;
  }
  int calls = 0;

 private:
  Heap& heap_;
};

class Autodiff : public Graph {
 protected:
  std::string gradient(std::vector<Tensor*> outputs, Tensor* wanted) {
    std::vector<Tensor*> seeds;
    for (size_t i = 0; i < outputs.size(); ++i) {
      seeds.push_back(rules_.text("1"));
    }
    RootedVector<Tensor*> gradients(heap_);
    Tensor* const leaves[] = {wanted};
    differentiate(heap_, outputs, seeds, leaves, rules_, gradients);
    return gradients[0] == nullptr ? "none" : gradients[0]->name;
  }
  TextRules rules_{heap_};
};

TEST_F(Graph, OrderPutsInputsFirst) {
  Tensor* x = leaf("x");
  Tensor* a = apply1("a", {x});
  Tensor* b = apply1("b", {a, x});
  Tensor* const roots[] = {b, a};
  EXPECT_EQ(topological_order(roots), (std::vector<Tensor*>{x, a, b}));
}

TEST_F(Graph, DeepGraphsNeedNoStack) {
  Tensor* t = leaf("x");
  for (int i = 0; i < 200000; ++i) {
    t = apply1("f", {t});
  }
  Tensor* const roots[] = {t};
  EXPECT_EQ(topological_order(roots).size(), 200001U);
}

TEST_F(Graph, AttachKeepsSiblings) {
  const auto outputs = apply("split", {leaf("x")}, 2);
  EXPECT_EQ(outputs[1]->output_index(), 1);
  EXPECT_EQ(outputs[0]->siblings, outputs);
  EXPECT_EQ(outputs[0]->op, outputs[1]->op);
}

TEST_F(Graph, AttachTwiceIsABug) {
  Tensor* const outputs[] = {apply1("f", {leaf("x")})};
  EXPECT_THROW(attach_op(heap_, heap_.make<FakeOp>("g"), {}, outputs, {}), InternalError);
}

TEST_F(Graph, GradientsFlowThroughFloatsOnly) {
  Tensor* x = leaf("x");
  EXPECT_TRUE(apply1("f", {x})->needs_grad);
  EXPECT_FALSE(apply1("f", {x}, false)->needs_grad);
  EXPECT_FALSE(apply1("f", {leaf("y", false)})->needs_grad);
  auto* ints = heap_.make<Tensor>();
  ints->dtype = DType::Int64;
  Tensor* const outputs[] = {ints};
  Tensor* const inputs[] = {x};
  attach_op(heap_, heap_.make<FakeOp>("argmax"), inputs, outputs, {});
  EXPECT_FALSE(ints->needs_grad);
}

TEST_F(Graph, CollectorKeepsWhatTheGraphNeeds) {
  RootedVector<Tensor*> roots(heap_);
  roots.push_back(apply1("f", {apply1("g", {leaf("x")})}));
  heap_.collect();
  EXPECT_EQ(roots[0]->inputs[0]->inputs[0]->name, "x");
  EXPECT_EQ(static_cast<FakeOp*>(roots[0]->op)->kind, "f");
}

TEST_F(Graph, ReadersTakeTheVersionOfTheirTime) {
  Tensor* p = stored("p");
  Tensor* before = read(p);
  Tensor* first = assign(p, leaf("v"));
  Tensor* between = read(p);
  Tensor* second = assign(p, leaf("w"));
  EXPECT_EQ(before->inputs[0], p);
  EXPECT_EQ(between->inputs[0], first);
  EXPECT_EQ(second->inputs[0], first);
  EXPECT_EQ(read(p)->inputs[0], second);
  EXPECT_EQ(read(first)->inputs[0], second);
}

TEST_F(Graph, ViewsAreParts) {
  Tensor* p = stored("p");
  Tensor* part = view(view(p));
  EXPECT_EQ(read(part)->inputs[0], part);
  Tensor* written = assign(p, leaf("v"));
  Tensor* seen = read(part)->inputs[0];
  EXPECT_NE(seen, part);
  EXPECT_EQ(seen->inputs[0]->inputs[0], written);
  EXPECT_EQ(seen->op, part->op);
  EXPECT_EQ(part->inputs[0]->inputs[0], p);
}

TEST_F(Graph, ViewsOfComputedTensorsAreNoPlaces) {
  Tensor* computed = read(stored("p"));
  EXPECT_EQ(view(computed)->place, nullptr);
}

TEST_F(Graph, AppliedAssignmentsAreReadFromThePlace) {
  Tensor* p = stored("p");
  Tensor* v = leaf("v");
  Tensor* written = assign(p, v);
  Tensor* after = read(p);
  mark_applied(*written);
  EXPECT_EQ(read(p)->inputs[0], p);
  EXPECT_EQ(read(written)->inputs[0], p);
  Tensor* const roots[] = {after};
  EXPECT_EQ(topological_order(roots), (std::vector<Tensor*>{written, after}));
  // Asked for by itself it is executed again.
  Tensor* const again[] = {written};
  EXPECT_EQ(topological_order(again), (std::vector<Tensor*>{p, v, written}));
}

TEST_F(Graph, LaterAssignmentStaysWhenAnEarlierOneIsApplied) {
  Tensor* p = stored("p");
  Tensor* first = assign(p, leaf("v"));
  Tensor* second = assign(p, leaf("w"));
  mark_applied(*first);
  EXPECT_EQ(read(p)->inputs[0], second);
}

TEST_F(Autodiff, OneOpAppliedTwiceIsTwoApplications) {
  Tensor* x = leaf("x");
  auto* op = heap_.make<FakeOp>("f");
  Tensor* first[] = {heap_.make<Tensor>()};
  Tensor* const inputs[] = {x};
  attach_op(heap_, op, inputs, first, {});
  Tensor* second[] = {heap_.make<Tensor>()};
  attach_op(heap_, op, first, second, {});
  EXPECT_EQ(gradient({second[0]}, x), "f/0(f/0(1))");
}

TEST_F(Autodiff, Chain) {
  Tensor* x = leaf("x");
  EXPECT_EQ(gradient({apply1("f", {apply1("g", {x})})}, x), "g/0(f/0(1))");
}

TEST_F(Autodiff, UsesAccumulate) {
  Tensor* x = leaf("x");
  Tensor* a = apply1("a", {x});
  Tensor* b = apply1("b", {x});
  EXPECT_EQ(gradient({apply1("mul", {a, b})}, x), "b/0(mul/1(1))+a/0(mul/0(1))");
  EXPECT_EQ(gradient({apply1("mul", {x, x})}, x), "mul/0(1)+mul/1(1)");
}

TEST_F(Autodiff, SharedNodeIsDifferentiatedOnce) {
  Tensor* x = leaf("x");
  Tensor* t = x;
  for (int i = 0; i < 40; ++i) {
    t = apply1("double", {t, t});
  }
  gradient({t}, x);
  EXPECT_EQ(rules_.calls, 40);
}

TEST_F(Autodiff, SeveralOutputsWithZerosForUnused) {
  Tensor* x = leaf("x");
  const auto parts = apply("split", {x}, 2);
  EXPECT_EQ(gradient({apply1("f", {parts[1]})}, x), "split/0(0,f/0(1))");
  EXPECT_EQ(gradient({parts[0], parts[1]}, x), "split/0(1,1)");
}

TEST_F(Autodiff, OutputThatIsAlsoAnInput) {
  Tensor* x = leaf("x");
  Tensor* y = apply1("f", {x});
  EXPECT_EQ(gradient({y, apply1("g", {y})}, x), "f/0(1+g/0(1))");
  EXPECT_EQ(gradient({x}, x), "1");
}

TEST_F(Autodiff, NoneStopsTheFlow) {
  Tensor* x = leaf("x");
  EXPECT_EQ(gradient({apply1("stop", {apply1("f", {x})})}, x), "none");
  EXPECT_EQ(rules_.calls, 1);
  EXPECT_EQ(gradient({apply1("f", {leaf("y")})}, x), "none");
}

TEST_F(Autodiff, OnlyNeededInputsGetGradients) {
  Tensor* x = leaf("x");
  Tensor* constant = leaf("c", false);
  EXPECT_EQ(gradient({apply1("mul", {x, constant})}, constant), "none");
}

}  // namespace
}  // namespace caten::tensor
