// Lambda lists of functions and macros, and backquote.
#include "tests/unit/lisp/lisp_test.h"

namespace caten::lisp {
namespace {

TEST(LambdaList, Functions) {
  Lisp lisp;
  lisp.eval("(defun f (a &optional (b (* a 10) b-p) &rest r) (list a b b-p r))");
  EXPECT_EQ(lisp.eval("(f 1)"), "(1 10 NIL NIL)");
  EXPECT_EQ(lisp.eval("(f 1 2)"), "(1 2 T NIL)");
  EXPECT_EQ(lisp.eval("(f 1 2 3 4)"), "(1 2 T (3 4))");
  lisp.eval("(defun k (&key (a 1) ((:other b) (+ a 1)) c) (list a b c))");
  EXPECT_EQ(lisp.eval("(k)"), "(1 2 NIL)");
  EXPECT_EQ(lisp.eval("(k :a 5)"), "(5 6 NIL)");
  EXPECT_EQ(lisp.eval("(k :c 1 :other 2)"), "(1 2 1)");
  EXPECT_EQ(lisp.eval("(k :a 1 :a 2)"), "(1 2 NIL)");
  EXPECT_EQ(lisp.eval("(k :unknown 1 :allow-other-keys t)"), "(1 2 NIL)");
  lisp.eval("(defun rk (a &optional b &rest r &key x &allow-other-keys) (list a b r x))");
  EXPECT_EQ(lisp.eval("(rk 1 2 :x 3 :y 4)"), "(1 2 (:X 3 :Y 4) 3)");
  EXPECT_EQ(lisp.eval("(rk 1)"), "(1 NIL NIL NIL)");
  lisp.eval("(defun ax (a &aux (b (+ a 1)) c) (list a b c))");
  EXPECT_EQ(lisp.eval("(ax 1)"), "(1 2 NIL)");
  EXPECT_EQ(lisp.eval("(funcall (lambda (&optional (x 1)) (lambda () (setq x (+ x 1)))))") != "",
            true);
  EXPECT_EQ(lisp.eval("(funcall (funcall (lambda (x &key (y x)) (lambda () (incf x) (list x y))) "
                      "1))"),
            "(2 1)");
}

TEST(LambdaList, CallErrors) {
  Lisp lisp;
  lisp.eval(
      "(defun two (a b) (list a b)) (defun opt (a &optional b) (list a b)) "
      "(defun key (a &key size) (list a size))");
  EXPECT_EQ(lisp.error("\n (two 1)"), "2:2: `two` takes 2 arguments; 1 given");
  EXPECT_EQ(lisp.error("(opt)"), "1:1: `opt` takes 1 to 2 arguments; 0 given");
  EXPECT_EQ(lisp.error("(key)"), "1:1: `key` takes at least 1 argument; 0 given");
  EXPECT_EQ(lisp.error("(key 1 :sise 2)"), "1:1: `key` takes no keyword argument `:SISE`");
  EXPECT_EQ(lisp.error_note("(key 1 :sise 2)"), "did you mean `:SIZE`?");
  EXPECT_EQ(lisp.error("(key 1 :size)"),
            "1:1: `key` has an odd number of keyword arguments; a value is missing");
  EXPECT_EQ(lisp.error("(list (funcall (lambda (x) x)))"),
            "1:7: an anonymous function takes 1 argument; 0 given");
}

TEST(LambdaList, Macros) {
  Lisp lisp;
  EXPECT_EQ(lisp.eval("(defmacro m1 (a &body b) `(list ',a ',b)) (m1 x y z)"), "(X (Y Z))");
  EXPECT_EQ(lisp.eval("(defmacro m2 ((a b) &optional (c 3) &key d) `'(,a ,b ,c ,d)) "
                      "(m2 (1 2) 4 :d 5)"),
            "(1 2 4 5)");
  EXPECT_EQ(lisp.eval("(m2 (1 2))"), "(1 2 3 NIL)");
  EXPECT_EQ(lisp.eval("(defmacro m3 (&whole w a . rest) `'(,w ,a ,rest)) (m3 1 2 3)"),
            "((M3 1 2 3) 1 (2 3))");
  EXPECT_EQ(lisp.eval("(defmacro m4 (x &environment e) (list 'quote (macroexpand-1 x e))) "
                      "(macrolet ((inner () 42)) (m4 (inner)))"),
            "42");
  EXPECT_EQ(lisp.eval("(defmacro m5 (&optional ((a b) '(1 2))) `(list ,a ,b)) (m5)"), "(1 2)");
  EXPECT_EQ(lisp.error("(m1)"), "1:1: macro `M1`: too few elements for its lambda list");
  EXPECT_EQ(lisp.error("(m2 (1 2 3))"), "1:1: macro `M2`: too many elements for its lambda list");
  EXPECT_EQ(lisp.eval("(defmacro early (x) (if (= x 0) (return-from early ''zero)) `,x) "
                      "(list (early 0) (early 1))"),
            "(ZERO 1)");
}

TEST(Backquote, Templates) {
  Lisp lisp;
  EXPECT_EQ(lisp.eval("(let ((x 1) (l '(2 3))) `(a ,x ,@l b))"), "(A 1 2 3 B)");
  EXPECT_EQ(lisp.eval("(let ((x 1)) `(a . ,x))"), "(A . 1)");
  EXPECT_EQ(lisp.eval("(let ((l '(1 2))) `(,@l . c))"), "(1 2 . C)");
  EXPECT_EQ(lisp.eval("(let ((x 1)) `#(a ,x))"), "#(A 1)");
  EXPECT_EQ(lisp.eval("`(1 (2 ,(+ 1 2)) \"s\" :k nil)"), "(1 (2 3) \"s\" :K NIL)");
  EXPECT_EQ(lisp.eval("(let ((x 'inner)) (eval `(let ((y 2)) `(,',x ,y))))"), "(INNER 2)");
  EXPECT_EQ(lisp.eval("(let ((a '(1)) (b '(2))) `(,@a ,@b))"), "(1 2)");
  EXPECT_EQ(lisp.error("(list ,x)"), "1:7: comma is not inside a backquote");
  EXPECT_EQ(lisp.error("`,@x"), "1:2: `,@` is only allowed inside a list");
}

}  // namespace
}  // namespace caten::lisp
