// The functions of a file: defentry, caten/defun, and the default per op class.
#include "frontend/tensor/entries.h"

#include <fmt/core.h>

#include "tests/unit/tensor/world.h"

namespace caten {
namespace {

class Entries : public testing::World {
 protected:
  /// One line per entry: "name suffix (sizes) inputs -> outputs [params]".
  std::string entries(const std::string& text) {
    interp_.load_text("entries.lisp", text);
    std::string lines;
    for (const tensor::Entry& entry : tensor::collect_entries(interp_, "entries.lisp")) {
      lines += entry.lisp_name + entry.suffix + (entry.is_backward ? " backward" : "") + " (";
      for (const std::string& symbol : entry.graph.symbols) {
        lines += (lines.back() == '(' ? "" : " ") + symbol;
      }
      lines += ")";
      for (const air::NodeId id : entry.graph.inputs) {
        const air::Node& node = entry.graph[id];
        lines += fmt::format(" {}:{}{}", node.get<air::InputAttr>().name, name(node.dtype),
                             to_string(node.shape));
      }
      lines += " ->";
      for (const air::Output& output : entry.graph.outputs) {
        lines += fmt::format(" {}{}", output.name, to_string(entry.graph[output.node].shape));
      }
      for (uint32_t i = 0; i < entry.graph.size(); ++i) {
        if (entry.graph[{i}].op == air::Op::Param) {
          lines += " [" + entry.graph[{i}].get<air::ParamAttr>().name + "]";
        }
      }
      EXPECT_EQ(interp_.sources().name(entry.span.file), "entries.lisp");
      lines += "\n";
    }
    return lines;
  }

  std::string entries_error(const std::string& text) {
    try {
      entries(text);
    } catch (const CompileError& e) {
      return e.message;
    }
    return "no error";
  }
};

constexpr const char* kSinCos = R"lisp(
(defclass SinCos (Func) nil (:documentation "sin(cos(x))"))
(defmethod forward ((op SinCos) &rest tensors)
  (st "A[~] -> A[~]" (tensors)))
(defmethod lower ((op SinCos) &rest inputs) (%sin (%cos (car inputs))))
)lisp";

TEST_F(Entries, ClassDefault) {
  EXPECT_EQ(entries(std::string(kSinCos) +
                    "(defmethod backward ((op SinCos) &optional g) (declare (ignore g)) nil)"),
            "SinCos (n) a:float32(n) -> out(n)\n");
}

TEST_F(Entries, ClassDefaultWithBackward) {
  EXPECT_EQ(entries(std::string(kSinCos) +
                    "(defmethod backward ((op SinCos) &optional g)"
                    "  (let ((x (first (func-variables op)))) (!mul g (!sin x))))"),
            "SinCos (n) a:float32(n) -> out(n)\n"
            "SinCos backward (n) a:float32(n) d_out:float32(n) -> d_a(n)\n");
}

TEST_F(Entries, ClassDefaultNames) {
  EXPECT_EQ(entries("(defclass Mm (Func) nil)\n"
                    "(defmethod forward ((op Mm) &rest xs)\n"
                    "  \"documented\" (declare (ignorable op))\n"
                    "  (st \"N[~ i j] I[~ j k] N[3 k] -> N[~ i k] Z[i]\" (xs)))\n"
                    "(defmethod lower ((op Mm) &rest xs) (declare (ignore xs))\n"
                    "  (values (%broadcast-to (%fconst 0.0) (list 'n_ 'i 'k))\n"
                    "          (%broadcast-to (%fconst 0.0) (list 'i))))\n"),
            "Mm (n_ i j k) n:float32(n_ i j) i_:float32(n_ j k) n__:float32(3 k) -> "
            "out0(n_ i k) out1(i)\n");
}

TEST_F(Entries, OnlySingleStClassesCount) {
  EXPECT_EQ(entries("(defclass Two (Func) nil)\n"
                    "(defmethod forward ((op Two) &rest xs) (print 1) (st \"A[~] -> A[~]\" (xs)))\n"
                    "(defclass NotAFunc () nil)\n"),
            "");
}

TEST_F(Entries, ModulesByTheirWhere) {
  EXPECT_EQ(entries("(defmodule (Twice (()) :where \"A[~] -> A[~]\") ()\n"
                    "  :documentation \"2x\" :impl ((op x) (!add x x)))\n"),
            "Twice (n) a:float32(n) -> out(n)\n"
            "Twice backward (n) a:float32(n) d_out:float32(n) -> d_a(n)\n");
}

TEST_F(Entries, ErrorsOfClassesSayWhy) {
  const std::string text =
      "(defclass Broken (Func) nil)\n"
      "(defmethod forward ((op Broken) &rest xs) (st \"A[~] -> A[~]\" (xs)))\n"
      "(defmethod lower ((op Broken) &rest xs) (%mul (first xs) nil))\n";
  interp_.load_text("entries.lisp", text);
  try {
    tensor::collect_entries(interp_, "entries.lisp");
    FAIL() << "no error";
  } catch (const CompileError& e) {
    ASSERT_FALSE(e.notes.empty());
    EXPECT_EQ(e.notes.back().message,
              "`Broken` becomes a function because the file has no `defentry`");
    EXPECT_EQ(interp_.sources().snippet(e.notes.back().span), "(defclass Broken (Func) nil)");
  }
}

TEST_F(Entries, Defentry) {
  EXPECT_EQ(entries("(defentry relu-sum ((x (b 784)) (y (784)) (k () :dtype :int64))\n"
                    "  (values (!relu (!add x y)) k))"),
            "relu-sum (b) x:float32(b 784) y:float32(784) k:int64() -> out0(b 784) out1()\n");
}

TEST_F(Entries, DefentryKeepsUnusedInputs) {
  EXPECT_EQ(entries("(defentry f ((x (n)) (unused (m 2))) (!neg x))"),
            "f (n m) x:float32(n) unused:float32(m 2) -> out(n)\n");
}

TEST_F(Entries, ParametersOfModules) {
  EXPECT_EQ(entries("(defparameter *w* (make-tensor '(3) :initial-element 2.0 :id 'weight))\n"
                    "(defentry f ((x (n 3))) (!mul x *w*))"),
            "f (n) x:float32(n 3) -> out(n 3) [weight]\n");
}

TEST_F(Entries, Backward) {
  EXPECT_EQ(entries("(defparameter *w* (make-tensor '(3) :requires-grad t :id 'weight))\n"
                    "(defentry (f :grad t) ((x (n 3)) (i (n) :dtype :int64)) (!mul x *w*))"),
            "f (n) x:float32(n 3) i:int64(n) -> out(n 3) [weight]\n"
            "f backward (n) x:float32(n 3) i:int64(n) d_out:float32(n 3) -> d_x(n 3) d_weight(3) "
            "[weight]\n");
}

TEST_F(Entries, RedefinitionReplaces) {
  EXPECT_EQ(entries("(defentry f ((x (n))) (!neg x))\n(defentry f ((y (n))) (!neg y))"),
            "f (n) y:float32(n) -> out(n)\n");
}

TEST_F(Entries, Families) {
  EXPECT_EQ(
      entries("(caten/defun[float] (axpy \"axpy\") (n x y a)\n"
              "  (!add (!mul (make-tensor `(,n) :from x) (fconst a)) (make-tensor `(,n) :from "
              "y)))"),
      "axpy_float64 (n) x:float64(n) y:float64(n) a:float64() -> out(n)\n"
      "axpy_float32 (n) x:float32(n) y:float32(n) a:float32() -> out(n)\n"
      "axpy_float16 (n) x:float16(n) y:float16(n) a:float16() -> out(n)\n"
      "axpy_bfloat16 (n) x:bfloat16(n) y:bfloat16(n) a:bfloat16() -> out(n)\n");
  EXPECT_EQ(eval("(change-facet (axpy :float32 2 '(1 2) '(10 20) 3.0) :list)"), "(13.0 26.0)");
  EXPECT_EQ(eval("(change-facet (axpy :float64 2 '(1 2) '(10 20) 3.0) :list)"), "(13.0d0 26.0d0)");
  const std::string refusal = error("(axpy :int8 2 '(1 2) '(10 20) 3)");
  EXPECT_TRUE(refusal.starts_with(
      "wrong_dtype: `axpy` is defined for :float64 :float32 :float16 :bfloat16, not for :int8 @ "))
      << refusal;
}

TEST_F(Entries, AnAssignmentBelongsToItsEntry) {
  EXPECT_EQ(entries("(defparameter cache (make-tensor '(4 2)))"
                    "(defentry put ((k (2 2))) (!assign (!view cache '(1 3)) k))"
                    "(defentry total () (!sum cache :squeeze t))"),
            "put () k:float32(2 2) -> out(2 2) [param0]\n"
            "total () -> out() [param0]\n");
}

TEST_F(Entries, Mistakes) {
  EXPECT_EQ(entries_error("(defentry f ((x (n))) 3)"), "the entry `f` 0 is 3; expected tensor");
  EXPECT_EQ(entries_error("(defentry f ((x)) x)"),
            "a parameter of `f` is (X); expected (name (size …) :dtype dtype)");
  EXPECT_EQ(entries_error("(defentry (f :grad t) ((x (n) :dtype :int8)) (!neg x))"),
            "`f` has no backward function: none of its inputs and parameters is a float");
}

}  // namespace
}  // namespace caten
