;;;; defsimplifier: rules over modules and over AIR, alone and together, on runtimes and gradients.

(defmodule (Twice (()) :where "A[~] -> A[~]") ()
  :impl ((op x) (!add x x)))
(defmodule (Power ((&key n) :n n) :where "A[~] -> A[~]") ()
  :impl ((op x) (!expt x (module-attr op :n))))
(defmodule (Marked (()) :where "A[~] -> A[~]") ()
  :documentation "Shows in the numbers that a rule was applied: adds 1000."
  :impl ((op x) (!add (!mul x 4) 1000)))

(defun x () (make-tensor '(2) :from '(1.0 2.0) :requires-grad t))

(defmacro with-rules ((name &rest rules) &body body)
  "The body with rules that are gone afterwards."
  `(progn
     (defsimplifier (,name) ,@rules)
     (unwind-protect (progn ,@body)
       (defsimplifier (,name)))))

(deftest modules
  (with-rules (fuse-twice ((Twice ((Twice (x)))) -> (forward (Marked) x)))
    (check-tensor (forward (Twice) (forward (Twice) (x))) :float32 '(2) '(1004 1008))
    (check-tensor (forward (Twice) (x)) :float32 '(2) '(2 4))
    (testing "inside of a graph"
      (check-tensor (!neg (forward (Twice) (forward (Twice) (!mul (x) 2.0)))) :float32 '(2)
                    '(-1008 -1016)))
    (testing "the largest pattern first, then what is left"
      (check-tensor (forward (Twice) (forward (Twice) (forward (Twice) (x)))) :float32 '(2)
                    '(1008 1016)))
    (testing "a graph built before"
      (let ((program (caten (forward (Twice) (forward (Twice) (make-input 'x '(n)))))))
        (check-tensor (forward program 'x '(1.0 2.0 3.0)) :float32 '(3) '(1004 1008 1012))))
    (testing "gradients are those of the replacement"
      (let* ((x (x))
             (program (caten (!sum (forward (Twice) (forward (Twice) x))))))
        (forward program)
        (backward program)
        (check-tensor (grad x) :float32 '(2) '(4 4)))))
  (testing "rules can be taken back"
    (check-tensor (forward (Twice) (forward (Twice) (x))) :float32 '(2) '(4 8))))

(defmodule (Halved (()) :where "A[~] -> A[~]") ()
  :impl ((op x) (!mul x 0.5))
  :backward ((op dout) (forward (Twice) (forward (Twice) dout))))

(deftest gradients-of-a-backward
  (with-rules (fuse-twice ((Twice ((Twice (x)))) -> (forward (Marked) x)))
    (let* ((x (x))
           (program (caten (!sum (forward (Halved) x)))))
      (forward program)
      (backward program)
      (check-tensor (grad x) :float32 '(2) '(1004 1004)))))

(deftest attributes
  (with-rules (powers ((Power (x) :n 1) -> x)
                      ((Power ((Power (x) :n a)) :n b) -> (forward (Power :n (* a b))  x)
                       :when (< (* a b) 10))
                      ((Power (x) :n n) -> (!add x n) :when (>= n 10)))
    (check-tensor (forward (Power :n 1) (x)) :float32 '(2) '(1 2))
    (check-tensor (forward (Power :n 2) (forward (Power :n 2) (x))) :float32 '(2) '(1 16))
    (check-tensor (forward (Power :n 12) (x)) :float32 '(2) '(13 14)))
  (with-rules (slots ((Linear (x) :bias nil :weight w) -> (!add (!matmul x (!t w)) 5.0)))
    (let ((layer (Linear 2 1 :bias nil)))
      (setf (slot-value layer 'weight) (make-tensor '(1 2) :initial-element 1.0))
      (check-tensor (forward layer (make-tensor '(1 2) :from '((1.0 2.0)))) :float32 '(1 1) '(8)))))

(deftest same-operand-twice
  (with-rules (twins ((caten::mul-op (x x)) -> (!add x 100.0)))
    (let ((a (!neg (x))))
      (check-tensor (!mul a a) :float32 '(2) '(99 98))
      (check-tensor (!mul a (!neg (x))) :float32 '(2) '(1 4)))))

(deftest air
  (with-rules (roots ((:mul ((:sqrt (x)) (:sqrt (x)))) -> x))
    (let ((root (!sqrt (x))))
      (check-tensor (!mul root root) :float32 '(2) '(1 2))))
  (with-rules (constants ((:add ((:mul (x (number a))) (number b))) -> (:mul (x (:const (+ a b))))
                          :when (< a b)))
    (check-tensor (!add (!mul (x) 2.0) 3.0) :float32 '(2) '(5 10))
    (check-tensor (!add (!mul (x) 3.0) 2.0) :float32 '(2) '(5 8)))
  (with-rules (numbers ((:sin (x)) -> (:where ((:< (x 1.5)) 7 (:neg (x))))))
    (check-tensor (!sin (x)) :float32 '(2) '(7 -2)))
  (testing "programs compiled before the rules are compiled anew after them"
    (flet ((result () (computed-elements (!cos (!mul (x) 0.0)))))
      (ok (equal (result) '(1.0 1.0)))
      (with-rules (cosines ((:cos (x)) -> (:add (x 3.0))))
        (ok (equal (result) '(3.0 3.0))))
      (ok (equal (result) '(1.0 1.0))))))

(deftest both
  (with-rules (levels ((Twice (x)) -> (!sin x))
                      ((:sin (x)) -> (:mul (x 10.0))))
    (check-tensor (forward (Twice) (x)) :float32 '(2) '(10 20))))

(deftest mistakes
  (testing "a replacement of another shape"
    (with-rules (shapes ((Twice (x)) -> (!sum x)))
      (ok (signals (proceed (forward (Twice) (x))) 'error))))
  (testing "modules without end"
    (with-rules (endless ((Twice (x)) -> (forward (Twice) (!neg x))))
      (ok (signals (proceed (forward (Twice) (x))) 'error))))
  (testing "AIR without end"
    (with-rules (endless-air ((:sin (x)) -> (:sin ((:neg (x))))))
      (ok (signals (proceed (!sin (x))) 'error))))
  (testing "another dtype"
    (with-rules (dtypes ((:sin (x)) -> (:< (x 1.0))))
      (ok (signals (proceed (!sin (x))) 'error))))
  (ok (signals (eval '(defsimplifier (unknown) ((NoSuchClass (x)) -> x))) 'error))
  (ok (signals (eval '(defsimplifier (unbound) ((:sin (x)) -> y))) 'error))
  (ok (signals (eval '(defsimplifier (operands) ((:sin (x y)) -> x))) 'error))
  (ok (signals (eval '(defsimplifier (no-arrow) ((:sin (x)) x))) 'error)))

(deftest state-is-read-as-built
  (with-rules (fuse-twice ((Twice ((Twice (x)))) -> (!mul x 4.0)))
    (let* ((place (make-tensor '(2) :from '(1.0 2.0)))
           (before (forward (Twice) (forward (Twice) place)))
           (after (!assign place (!add place 1.0))))
      (multiple-value-bind (a b) (proceed before after)
        (check-tensor a :float32 '(2) '(4 8))
        (check-tensor b :float32 '(2) '(2 3))))))
