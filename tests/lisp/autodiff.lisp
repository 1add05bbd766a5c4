;;;; Gradients as graphs: of gradients, through modules with and without a backward of their own, ops
;;;; with several outputs, views, state, symbolic sizes; what is tracked and what is not.

(defun tensor (list) (make-tensor (list (length list)) :dtype :float64 :from list :requires-grad t))
(defun near (x expected)
  (every #'(lambda (a b) (< (abs (- a b)) 1d-9)) (computed-elements x) expected))

(deftest gradients-as-tensors
  (let* ((x (tensor '(1d0 2d0 -3d0)))
         (y (!sum (!mul x (!square x))))
         (g (first (gradients y x)))
         (h (first (gradients g x)))
         (third (first (gradients h (list x)))))
    (ok (near g '(3d0 12d0 27d0)))
    (ok (near h '(6d0 12d0 -18d0)))
    (ok (near third '(6d0 6d0 6d0)))
    (testing "seeds weigh the outputs"
      (ok (near (first (gradients (!square x) x :seeds (make-tensor '(3) :dtype :float64
                                                                         :initial-element 10d0)))
                '(20d0 40d0 -60d0))))
    (ok (signals (gradients (!square x) x :seeds (make-tensor '(2) :dtype :float64)) 'error))
    (ok (signals (gradients (!square x) x :seeds (list x x)) 'error))
    (testing "several outputs and inputs"
      (let ((w (tensor '(2d0 2d0 2d0))))
        (destructuring-bind (dx dw) (gradients (list (!mul x w) (!add x w)) (list x w))
          (ok (near dx '(3d0 3d0 3d0)))
          (ok (near dw '(2d0 3d0 -2d0))))))
    (testing "nil where none flows"
      (ok (equal (gradients (!square x) (tensor '(1d0))) '(nil))))
    (testing "without a graph they are constants"
      (let ((g (first (gradients y x :create-graph nil))))
        (ng (caten::%needs-grad-p g))
        (ok (near g '(3d0 12d0 27d0)))))
    (testing "what is no variable is refused"
      (ok (signals (gradients y (make-tensor '(3) :dtype :float64)) 'error)))))

(deftest gradient-penalty
  ;; d/dw of the squared norm of dy/dx, y = sum(tanh(w x)).
  (let* ((w (tensor '(0.5d0 -1d0)))
         (x (tensor '(1d0 2d0)))
         (y (!sum (!tanh (!mul w x))))
         (penalty (!sum (!square (first (gradients y x)))))
         (program (caten penalty)))
    (forward program)
    (backward program)
    (ok (grad-check #'(lambda (w)
                        (!sum (!square (funcall (grad #'(lambda (x) (!sum (!tanh (!mul w x)))))
                                                (make-tensor '(2) :dtype :float64
                                                                  :from '(1d0 2d0))))))
                    '(0.5d0 -1d0)))
    (ok (grad w))))

(deftest functions
  (ok (near (funcall (grad (grad (grad #'!sin))) (tensor '(0d0))) '(-1d0)))
  (testing "one value per argument"
    (multiple-value-bind (da db) (funcall (grad #'!mul) (tensor '(2d0)) (tensor '(5d0)))
      (ok (near da '(5d0)))
      (ok (near db '(2d0)))))
  (testing "zeros where none flows"
    (ok (near (nth-value 1 (funcall (grad #'(lambda (a b) (!add a (!floor b))))
                                    (tensor '(2d0)) (tensor '(5d0))))
              '(0d0))))
  (testing "Hessian of a quadratic form, row by row"
    (let* ((a (make-tensor '(2 2) :dtype :float64 :from '((1d0 2d0) (4d0 3d0))))
           (gradient (grad #'(lambda (x) (!mul 0.5d0 (!matmul x (!matmul a x)))))))
      (loop for i below 2
            for row in '((1d0 3d0) (3d0 3d0))
            do (ok (near (funcall (grad #'(lambda (x) (!view (funcall gradient x) i)))
                                  (tensor '(0.3d0 0.7d0)))
                         row))))))

;;; Ops and modules of the user's ---------------------------------------------------------------------

(defclass Cube (Func) nil)
(defmethod forward ((op Cube) &rest tensors)
  (st "A[~] -> A[~]" (tensors)))
(defmethod lower ((op Cube) &rest inputs)
  (let ((x (car inputs)))
    (%mul x (%mul x x))))
(defmethod backward ((op Cube) &optional dout)
  (let ((x (first (func-variables op))))
    (!mul dout (!mul 3.0 (!square x)))))

(defclass SumAndDifference (Func) nil)
(defmethod forward ((op SumAndDifference) &rest tensors)
  (st "A[~] B[~] -> A[~] B[~]" (tensors)))
(defmethod lower ((op SumAndDifference) &rest inputs)
  (destructuring-bind (a b) inputs
    (values (%add a b) (%sub a b))))
(defmethod backward ((op SumAndDifference) &rest douts)
  (destructuring-bind (dsum ddifference) douts
    (values (!add dsum ddifference) (!sub dsum ddifference))))

(defmodule (Own (()) :where "A[~] -> A[~]") ()
  :impl ((op x) (!mul x (!exp x)))
  :backward ((op dout)
             (let ((x (first (func-variables op))))
               (!mul dout (!mul (!exp x) (!add x 1.0))))))
(defmodule (Derived (()) :where "A[~] -> A[~]") ()
  :impl ((op x) (!mul (!sin x) (!square x))))

(defun cube (x) (forward (make-instance 'Cube) x))
(defun both (a b) (forward (make-instance 'SumAndDifference) a b))

(deftest user-ops
  (ok (grad-check #'cube '(1.0 -2.0 0.5)))
  (ok (grad-check (grad #'cube) '(1.0 -2.0 0.5)))
  (ok (grad-check #'both '(1.0 2.0) '(0.5 -1.0)))
  (ok (grad-check (grad #'(lambda (a b) (multiple-value-bind (s d) (both a b)
                                          (!mul s (!square d)))))
                  '(1.0 2.0) '(0.5 -1.0)))
  (testing "an output that nobody uses"
    (ok (grad-check #'(lambda (a b) (!square (nth-value 1 (both a b)))) '(1.0 2.0) '(0.5 -1.0)))))

(deftest modules
  (flet ((own (x) (forward (Own) x))
         (derived (x) (forward (Derived) x)))
    (dolist (function (list #'own #'derived))
      (ok (grad-check function '(1.0 -2.0 0.5)))
      (ok (grad-check (grad function) '(1.0 -2.0 0.5)))
      (ok (grad-check (grad (grad function)) '(1.0 -2.0 0.5))))
    (ok (grad-check (grad #'(lambda (x) (own (derived (own x))))) '(0.4 -0.3)))))

;;; Places where a shortcut would do for first derivatives only -----------------------------------------

(deftest products-with-zeros
  (dolist (data '((2.0 0.0 3.0) (0.0 0.0 3.0) (1.5 -2.0 0.5)))
    (flet ((product (x) (!prod x))
           (products (x) (!cumprod x)))
      (dolist (function (list #'product #'products))
        (ok (grad-check function data))
        (ok (grad-check (grad function) data))
        (ok (grad-check (grad (grad function)) data)))))
  (ok (grad-check (grad #'(lambda (x) (!prod x :axis '(0 2))))
                  '(((1.0 2.0) (0.0 0.5)) ((3.0 -1.0) (0.0 2.0)))))
  (ok (grad-check (grad #'(lambda (x) (!cumprod x :axis 0))) '((1.0 0.0) (0.0 2.0) (3.0 -1.0)))))

(deftest roots-at-zero
  ;; As in PyTorch: 0, not NaN.
  (let ((x (tensor '(0d0 0d0))))
    (ok (near (first (gradients (!norm x) x)) '(0d0 0d0)))
    (ok (near (first (gradients (!std x) x)) '(0d0 0d0)))))

;;; Graphs --------------------------------------------------------------------------------------------

(deftest movement
  (ok (grad-check (grad #'(lambda (x)
                            (let ((part (!view x '(nil nil -2) '(1 3))))
                              (!matmul part (!square (!t part))))))
                  '((1.0 2.0 3.0) (0.5 -1.0 2.0) (1.5 0.25 -0.75))))
  (ok (grad-check (grad #'(lambda (x w) (!mul (!expand w 2 3) (!square (!reshape x 2 3)))))
                  '(1.0 2.0 3.0 0.5 -1.0 2.0) '(0.5 1.0 2.0)))
  (testing "a view that is flipped, padded and reduced"
    (ok (grad-check (grad #'(lambda (x) (!square (!sum (!pad (!flip (!view x '(0 2))) '((1 1)))))))
                    '(1.0 2.0 3.0)))))

(deftest parameters-used-many-times
  (let* ((w (tensor '(2d0)))
         (y w))
    (dotimes (i 10)
      (setf y (!add (!mul y w) w)))
    (ok (grad-check #'(lambda (w) (let ((y w))
                                    (dotimes (i 10 y)
                                      (setf y (!add (!mul y w) w)))))
                    '(1.1)))
    (testing "2^40 paths in a graph of 40 additions"
      (let ((z w))
        (dotimes (i 40)
          (setf z (!add z z)))
        (ok (near (first (gradients z w)) (list (expt 2d0 40))))))))

(deftest symbolic-sizes
  (let* ((x (make-input 'x '(n 3) :dtype :float64))
         (w (tensor '(1d0 2d0 3d0)))
         (y (!sum (!square (!mul x w))))
         (g (first (gradients y w)))
         (program (caten g)))
    (dolist (n '(1 4))
      (let ((data (make-tensor (list n 3) :dtype :float64 :initial-element 2d0)))
        (ok (near (forward program 'n n 'x data) (list (* 8d0 n) (* 16d0 n) (* 24d0 n))))))))

(deftest what-is-tracked
  (let ((x (tensor '(1d0 2d0))))
    (ok (near (first (gradients (!mul x (with-no-grad (!square x))) x)) '(1d0 4d0)))
    (ok (near (first (gradients (!mul x (detach (!square x))) x)) '(1d0 4d0)))
    (ng (caten::%needs-grad-p (with-no-grad (!square x))))
    (ng (caten::%needs-grad-p (!cast x :int32)))
    (testing "gradients add up over runs and outputs until they are zeroed"
      (let ((program (caten (list (!sum (!square x)) (!sum x)))))
        (dotimes (i 2)
          (forward program)
          (backward program))
        (ok (near (grad x) '(6d0 10d0)))
        (zero-grad x)
        (ok (near (grad x) '(0d0 0d0)))))))

(deftest state-in-order
  (testing "a gradient is that of the values the forward pass read"
    (let* ((w (tensor '(3d0)))
           (scale (make-tensor '(1) :dtype :float64 :initial-element 2d0))
           (y (!mul (!square w) scale))
           (next (!assign scale (!mul scale 10d0)))
           (program (caten (list (!sum y) next))))
      (forward program)
      (backward program)
      (ok (near (grad w) '(12d0)))
      (zero-grad w)
      (forward program)
      (backward program)
      (ok (near (grad w) '(120d0)))
      (ok (near scale '(200d0))))))

(deftest grad-check-says-where
  (let ((wrong (make-instance 'WrongGradient)))
    (multiple-value-bind (passed text) (grad-check #'(lambda (x) (forward wrong x)) '(1.0 2.0))
      (ng passed)
      (ok (search "argument 0, element 0" text)))))

(defclass WrongGradient (Func) nil)
(defmethod forward ((op WrongGradient) &rest tensors)
  (st "A[~] -> A[~]" (tensors)))
(defmethod lower ((op WrongGradient) &rest inputs)
  (%sin (first inputs)))
(defmethod backward ((op WrongGradient) &optional dout)
  dout)
