;;;; Optimisers against NumPy's step-by-step results, and a model that learns.

(defun steps (maker count)
  "The parameter after steps with the gradient of sum((p - target)^2 / 2)."
  (let* ((p (make-tensor '(3) :from '(1.0d0 -2.0d0 0.5d0) :dtype :float64 :requires-grad t))
         (target (make-tensor '(3) :from '(0.25d0 1.0d0 -1.0d0) :dtype :float64))
         (program (caten (!mul 0.5 (!sum (!square (!sub p target))))))
         (optimizers (hook-optimizers program maker)))
    (dotimes (i count)
      (forward program)
      (backward program)
      (mapc #'step-optimizer optimizers)
      (mapc #'zero-grad optimizers))
    (computed-elements p)))

(defun near (a b)
  (every #'(lambda (x y) (< (abs (- x y)) 1d-12)) a b))

(deftest optimizers
  (ok (near (steps (SGD :lr 0.1d0 :weight-decay 0.01d0) 5) '(0.6893908457895239d0 -0.7657373082688979d0 -0.11508786458785047d0)))
  (ok (near (steps (SGD :lr 0.1d0 :momentum 0.9d0) 5) '(0.22813d0 1.0874800000000002d0 -1.0437400000000001d0)))
  (ok (near (steps (SGD :lr 0.1d0 :momentum 0.9d0 :nesterov t) 5) '(0.171563737075d0 1.3137450517000002d0 -1.1568725258499999d0)))
  (ok (near (steps (Adam :lr 0.1d0 :weight-decay 0.01d0) 5) '(0.5127945881233491d0 -1.501786564224144d0 0.004398796875270047d0)))
  (ok (near (steps (AdamW :lr 0.1d0 :weight-decay 0.01d0) 5) '(0.5090729460675953d0 -1.4928376845688875d0 0.00288267507371201d0)))
  (ok (near (steps (RMSprop :lr 0.1d0) 5) '(0.2485395640964785d0 0.3974866933636483d0 -0.9912808562543522d0)))
  (ok (near (steps (Adagrad :lr 0.1d0) 5) '(0.70559480328822d0 -1.6833400927270943d0 0.19029725420115817d0)))
  (ok (near (steps (Lion :lr 0.1d0) 5) '(0.5000000000000001d0 -1.4999999999999996d0 2.7755575615628914d-17))))

(defsequence Xor (hidden)
  (Linear 2 hidden)
  (asnode #'!tanh)
  (Linear hidden 1)
  (asnode #'!sigmoid))

(deftest learning-xor
  (with-manual-seed (3)
    (let* ((x (make-tensor '(4 2) :from '((0.0 0.0) (0.0 1.0) (1.0 0.0) (1.0 1.0))))
           (y (make-tensor '(4 1) :from '((0.0) (1.0) (1.0) (0.0))))
           (model (Xor 8))
           (program (caten (!mse (forward model x) y)))
           (optimizers (hook-optimizers program (Adam :lr 0.05d0)))
           (loss nil))
      (dotimes (i 300)
        (setf loss (item (forward program)))
        (backward program)
        (mapc #'step-optimizer optimizers)
        (mapc #'zero-grad optimizers))
      (ok (< loss 0.01))
      (ok (equal (mapcar #'round (computed-elements (forward model x))) '(0 1 1 0))))))

(deftest assignments
  (let* ((base (make-tensor '(2 3) :from '((0.0 1.0 2.0) (3.0 4.0 5.0)))))
    (proceed (!assign (!view base t '(1 3)) (make-tensor '(2 2) :initial-element 9.0)))
    (check-tensor base :float32 '(2 3) '(0 9 9 3 9 9)))
  (testing "ten fused steps of a running mean"
    (let ((m (make-tensor '() :initial-element 0.0d0 :dtype :float64))
          (p (make-tensor '() :initial-element 1.0d0 :dtype :float64))
          (b (make-tensor '() :initial-element 0.5d0 :dtype :float64)))
      (let* ((m2 (!add (!mul m 0.9d0) 0.1d0))
             (p2 (!sub p (!div m2 (!sub 1.0 b))))
             (program (caten (list (!assign m m2) (!assign p p2) (!assign b (!mul b 0.9d0))))))
        (dotimes (i 10) (forward program))
        (ok (< (abs (- (item p) -4.863787d0)) 1d-6))))))
