// Unification of shape notations with tensors: results, checks for the entry, and messages.
#include "frontend/tensor/unify.h"

#include <gtest/gtest.h>

#include "ir/support/diagnostics.h"

namespace caten::notation {
namespace {

using tensor::Order;

Dim sym(std::string_view name) {
  return Dim::symbol(name);
}

Operand operand(Shape shape, DType dtype = DType::Float32, Order order = Order::Row) {
  return {std::move(shape), dtype, order, "", {}};
}

Unified st(std::string_view text, const std::vector<Operand>& operands,
           const Clauses& clauses = {}) {
  return unify(parse(text, {}), operands, clauses, {}, DType::Float32);
}
Unified bc(std::string_view text, const std::vector<Operand>& operands) {
  return broadcast(parse(text, {}), operands, {}, {}, DType::Float32);
}

std::string shape_of(std::string_view text, const std::vector<Operand>& operands,
                     const Clauses& clauses = {}) {
  return to_string(st(text, operands, clauses).results.at(0).shape);
}

template <typename F>
std::string error_of(Diag kind, F&& f) {
  try {
    f();
  } catch (const CompileError& error) {
    EXPECT_EQ(diag_name(error.kind), diag_name(kind));
    return error.message;
  }
  return "no error";
}
std::string st_error(Diag kind, std::string_view text, const std::vector<Operand>& operands,
                     const Clauses& clauses = {}) {
  return error_of(kind, [&] { st(text, operands, clauses); });
}

Clauses clause(std::string name, Shape dims, bool list = false) {
  Clauses clauses;
  clauses.bindings.push_back({std::move(name), list, std::move(dims), {}});
  return clauses;
}

TEST(Unify, Elementwise) {
  EXPECT_EQ(shape_of("A[~] -> A[~]", {operand({3, 3})}), "(3 3)");
  EXPECT_EQ(shape_of("A[~] -> A[~]", {operand({})}), "()");
  EXPECT_EQ(shape_of("A[~] B[~] -> A[~]", {operand({3, 0}), operand({3, 0})}), "(3 0)");
}

TEST(Unify, Matmul) {
  EXPECT_EQ(shape_of("A[~ i j] B[~ j k] -> A[~ i k]", {operand({7, 2, 3}), operand({7, 3, 5})}),
            "(7 2 5)");
  EXPECT_EQ(shape_of("A[~ i j] B[~ J k] -> A[~ I k]", {operand({2, 3}), operand({3, 5})}), "(2 5)");
}

TEST(Unify, IntegersInTerms) {
  EXPECT_EQ(shape_of("A[n 3] -> A[3 n 1]", {operand({2, 3})}), "(3 2 1)");
  EXPECT_EQ(
      st_error(Diag::ShapeMismatch, "A[n 3] -> A[n]", {operand({2, 4})}),
      "`st` does not fit on axis 1 of `A`: `3` in the notation is 3, axis 1 of `A` (2 4) is 4");
}

TEST(Unify, WhereClauses) {
  EXPECT_EQ(shape_of("X[N C ~HW] -> X[N C_out ~HW]", {operand({1, 2, 5, 6})}, clause("c_out", {8})),
            "(1 8 5 6)");
  Clauses both = clause("c_out", {8});
  both.bindings.push_back({"hw", true, {4, 4}, {}});
  EXPECT_EQ(shape_of("X[N C ~HW] -> X[N C_out ~HW]", {operand({1, 2, 4, 4})}, both), "(1 8 4 4)");
  EXPECT_EQ(shape_of("X[N] -> X[N ~HW]", {operand({1})}, clause("hw", {}, true)), "(1)");
}

TEST(Unify, BoundListMustFit) {
  EXPECT_EQ(st_error(Diag::ShapeMismatch, "X[N ~HW] -> X[N]", {operand({1, 4, 5})},
                     clause("hw", {4, 4}, true)),
            "`st` does not fit on `~hw`: axis 1 of `~hw` in the where clause of `~hw` is 4, axis 2 "
            "of `X` (1 4 5) is 5");
  EXPECT_EQ(st_error(Diag::ShapeMismatch, "X[N ~HW] -> X[N]", {operand({1, 4})},
                     clause("hw", {4, 4}, true)),
            "`X[n ~hw]` of `st` needs a tensor of rank 3, but `X` (1 4) has rank 2");
}

TEST(Unify, SizesDisagree) {
  EXPECT_EQ(
      st_error(Diag::ShapeMismatch, "A[i j] B[j k] -> A[i k]", {operand({3, 4}), operand({5, 6})}),
      "`st` does not fit on `j`: axis 1 of `A` (3 4) is 4, axis 0 of `B` (5 6) is 5");
  EXPECT_EQ(st_error(Diag::ShapeMismatch, "A[~] B[~] -> A[~]", {operand({3, 1}), operand({3, 4})}),
            "`st` does not fit on `~`: axis 1 of `~` in `A` (3 1) is 1, axis 1 of `B` (3 4) is 4");
}

TEST(Unify, NamesOfTensorsShow) {
  Operand weight = operand({5});
  weight.name = "w";
  EXPECT_EQ(
      st_error(Diag::ShapeMismatch, "A[i] B[i] -> A[i]", {operand({4}), weight}),
      "`st` does not fit on `i`: axis 0 of `A` (4) is 4, axis 0 of `B` (5) (tensor `w`) is 5");
}

TEST(Unify, RankMismatch) {
  EXPECT_EQ(st_error(Diag::ShapeMismatch, "A[i j] -> A[i]", {operand({3})}),
            "`A[i j]` of `st` needs a tensor of rank 2, but `A` (3) has rank 1");
  EXPECT_EQ(st_error(Diag::ShapeMismatch, "A[~ i j] -> A[i]", {operand({3})}),
            "`A[~ i j]` of `st` needs a tensor of rank 2 or more, but `A` (3) has rank 1");
  EXPECT_EQ(st_error(Diag::ShapeMismatch, "A[] -> A[]", {operand({3})}),
            "`A[]` of `st` needs a tensor of rank 0, but `A` (3) has rank 1");
  EXPECT_EQ(st_error(Diag::ShapeMismatch, "A[~] B[~] -> A[~]", {operand({3}), operand({2, 3})}),
            "`B[~]` of `st` needs a tensor of rank 1, but `B` (2 3) has rank 2");
}

TEST(Unify, CountMismatch) {
  EXPECT_EQ(st_error(Diag::WrongArgumentCount, "A[i] B[i] -> A[i]", {operand({3})}),
            "`st` describes 2 inputs but 1 tensor is given");
  EXPECT_EQ(st_error(Diag::WrongArgumentCount, "A[i] -> A[i]", {}),
            "`st` describes 1 input but 0 tensors are given");
}

TEST(Unify, UnboundOutput) {
  EXPECT_EQ(st_error(Diag::ShapeNotation, "A[i] -> A[j]", {operand({3})}),
            "`j` of the output `A` is bound by no input and no where clause of `st`");
  EXPECT_EQ(st_error(Diag::ShapeNotation, "A[i] -> A[~hw]", {operand({3})}),
            "`~hw` of the output `A` is bound by no input and no where clause of `st`");
  EXPECT_EQ(st_error(Diag::ShapeNotation, "A[i] -> A[~]", {operand({3})}),
            "`~` of the output `A` is bound by no input and no where clause of `st`");
}

TEST(Unify, ClauseErrors) {
  EXPECT_EQ(st_error(Diag::ShapeNotation, "A[i] -> A[i]", {operand({3})}, clause("k", {3})),
            "the where clause of `k` in `st` names no axis of the notation");
  Clauses twice = clause("k", {3});
  twice.bindings.push_back({"k", false, {4}, {}});
  EXPECT_EQ(st_error(Diag::ShapeNotation, "A[i] -> A[k]", {operand({3})}, twice),
            "two where clauses of `st` bind `k`");
}

TEST(Unify, TwoOpenLists) {
  EXPECT_EQ(st_error(Diag::ShapeNotation, "A[~a ~b] -> A[~a]", {operand({3})}),
            "`~a` and `~b` of `A` both stand for an unknown number of axes");
  EXPECT_EQ(shape_of("B[~b] A[~a ~b] -> A[~a]", {operand({3}), operand({1, 2, 3})}), "(1 2)");
}

TEST(Unify, DtypeAndOrder) {
  const std::vector<Operand> operands = {operand({3}, DType::Int8, Order::Column),
                                         operand({3}, DType::Float64)};
  const Unified second = st("A[i] B[i] -> B[i]", operands);
  EXPECT_EQ(second.results[0].dtype, DType::Float64);
  EXPECT_EQ(second.results[0].order, Order::Row);
  EXPECT_EQ(second.results[0].source, 1);
  const Unified first = st("A[i] B[i] -> C[i]", operands);
  EXPECT_EQ(first.results[0].dtype, DType::Int8);
  EXPECT_EQ(first.results[0].order, Order::Column);
  Clauses as_bool;
  as_bool.dtype = DType::Bool;
  EXPECT_EQ(st("A[i] B[i] -> C[i]", operands, as_bool).results[0].dtype, DType::Bool);
  EXPECT_EQ(st("-> C[4]", {}).results[0].dtype, DType::Float32);
}

TEST(Unify, SeveralOutputs) {
  const Unified u = st("A[~ i] -> V[~ i] W[i]", {operand({3, 4})});
  ASSERT_EQ(u.results.size(), 2U);
  EXPECT_EQ(to_string(u.results[0].shape), "(3 4)");
  EXPECT_EQ(to_string(u.results[1].shape), "(4)");
}

TEST(Unify, SymbolsBecomeChecks) {
  const Unified u =
      st("A[i j] B[j k] -> A[i j k]", {operand({sym("n"), sym("m")}), operand({4, 5})});
  EXPECT_EQ(to_string(u.results[0].shape), "(n 4 5)");
  ASSERT_EQ(u.checks.size(), 1U);
  EXPECT_EQ(u.checks[0].left, sym("m"));
  EXPECT_EQ(u.checks[0].right, Dim(4));
  EXPECT_EQ(u.checks[0].message,
            "`st` needs equal sizes for `j`: axis 1 of `A` (n m) is {left}, axis 0 of `B` (4 5) is "
            "{right}");
}

TEST(Unify, EqualPolynomialsNeedNoCheck) {
  const Unified u = st("A[i] B[i] -> A[i]",
                       {operand({sym("n") * Dim(2) + Dim(1)}), operand({sym("n") + sym("n") + 1})});
  EXPECT_TRUE(u.checks.empty());
}

TEST(Unify, ProvablyDifferentPolynomials) {
  EXPECT_EQ(st_error(Diag::ShapeMismatch, "A[i] B[i] -> A[i]",
                     {operand({sym("n")}), operand({sym("n") + 1})}),
            "`st` does not fit on `i`: axis 0 of `A` (n) is n, axis 0 of `B` ((+ n 1)) is (+ n 1)");
}

TEST(Unify, OneCheckPerPair) {
  const Unified u =
      st("A[i] B[i] C[i] -> A[i]", {operand({sym("n")}), operand({sym("m")}), operand({sym("m")})});
  EXPECT_EQ(u.checks.size(), 1U);
}

TEST(Broadcast, NumpyRule) {
  const Unified u = bc("A[~] B[~] -> A[~] B[~]", {operand({3, 1}), operand({2, 1, 4})});
  EXPECT_EQ(to_string(u.results[0].shape), "(2 3 4)");
  EXPECT_EQ(to_string(u.results[1].shape), "(2 3 4)");
  EXPECT_EQ(u.results[1].source, 1);
  EXPECT_EQ(to_string(bc("A[~] B[~] -> B[~]", {operand({3}), operand({})}).results[0].shape),
            "(3)");
  EXPECT_EQ(to_string(bc("A[~] B[~] -> B[~]", {operand({0}), operand({1})}).results[0].shape),
            "(0)");
}

TEST(Broadcast, NamedAxesUnifyExactly) {
  const Unified u =
      bc("A[~ i j] B[~ j k] -> A[~ i j] B[~ j k]", {operand({2, 3}), operand({5, 1, 3, 4})});
  EXPECT_EQ(to_string(u.results[0].shape), "(5 1 2 3)");
  EXPECT_EQ(to_string(u.results[1].shape), "(5 1 3 4)");
  EXPECT_EQ(error_of(Diag::ShapeMismatch,
                     [] {
                       bc("A[~ i j] B[~ j k] -> A[~ i j]", {operand({2, 3}), operand({1, 4})});
                     }),
            "`bc` does not fit on `j`: axis 1 of `A` (2 3) is 3, axis 0 of `B` (1 4) is 1");
}

TEST(Broadcast, Errors) {
  EXPECT_EQ(error_of(Diag::BadBroadcast,
                     [] {
                       bc("A[~] B[~] -> A[~]", {operand({3}), operand({4})});
                     }),
            "`A` (3) and `B` (4) do not broadcast on axis -1: 3 against 4");
  EXPECT_EQ(error_of(Diag::ShapeNotation,
                     [] {
                       bc("A[~] B[~] -> C[~]", {operand({3}), operand({3})});
                     }),
            "`bc` returns its inputs, and `C` is not one of them");
  EXPECT_EQ(error_of(Diag::BadBroadcast,
                     [] {
                       bc("A[i j] -> A[i]", {operand({3, 4})});
                     }),
            "`A` (3 4) and its output (3) do not broadcast on axis -1: 4 against 3");
}

TEST(Broadcast, SymbolsBecomeChecks) {
  const Unified u = bc("A[~] B[~] -> A[~] B[~]", {operand({sym("n"), 1}), operand({4, sym("m")})});
  EXPECT_EQ(to_string(u.results[0].shape), "(4 m)");
  ASSERT_EQ(u.checks.size(), 1U);
  EXPECT_EQ(u.checks[0].left, sym("n"));
}

TEST(Bind, DefcallParameters) {
  const std::vector<Operand> operands = {operand({2, 7}), operand({})};
  const Unified u = bind(parse_terms("Tokens[Batch Seq] Start[]", {}), operands, {});
  EXPECT_EQ(u.sizes.at("batch"), Dim(2));
  EXPECT_EQ(u.sizes.at("seq"), Dim(7));
  EXPECT_EQ(to_string(bind(parse_terms("X[N ~HW]", {}), {{operand({2, 7, 8})}}, {}).lists.at("hw")),
            "(7 8)");
}

}  // namespace
}  // namespace caten::notation
