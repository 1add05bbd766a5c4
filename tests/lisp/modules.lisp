;;;; The protocol of ops, modules and models; state dictionaries.

(defclass Twice (Func) ())
(defmethod forward ((op Twice) &rest tensors)
  (st "A[~] -> A[~]" (tensors)))
(defmethod lower ((op Twice) &rest inputs)
  (with-context
    (a (first inputs))
    (b (%add a a))))
(defmethod backward ((op Twice) &optional dout)
  (!mul dout 2.0))

(defun vec (&rest numbers)
  (make-tensor (list (length numbers)) :from numbers))

(deftest funcs
  (check-tensor (forward (make-instance 'Twice) (vec 1.0 2.0)) :float32 '(2) '(2 4))
  (ok (grad-check #'(lambda (x) (forward (make-instance 'Twice) x)) '(1.0 2.0)))
  (let ((op (make-instance 'Twice)))
    (check-tensor (forward op (forward op (vec 1.0))) :float32 '(1) '(4)))
  (testing "two results"
    (multiple-value-bind (a b) (forward (make-instance 'Both) (vec 1.0 2.0))
      (check-tensor a :float32 '(2) '(2 3))
      (check-tensor b :float32 '(2) '(0 1)))
    (ok (grad-check #'(lambda (x)
                        (multiple-value-bind (a b) (forward (make-instance 'Both) x)
                          (!mul a b)))
                    '(1.0 3.0)))))

(defclass Both (Func) ())
(defmethod forward ((op Both) &rest tensors)
  (st "A[~] -> A[~] A[~]" (tensors)))
(defmethod lower ((op Both) &rest inputs)
  (let ((x (first inputs)))
    (values (%add x 1) (%sub x 1))))
(defmethod backward ((op Both) &rest douts)
  (!add (first douts) (second douts)))

(defmodule (Power3 ((&key (scale 1.0)) :scale scale) :where "A[~] -> A[~]") ()
  :documentation "scale * x^3."
  :impl ((op x) (!mul (!mul x (!mul x x)) (module-attr op :scale))))

(defmodule (Power3b ((&key (scale 1.0)) :scale scale) :where "A[~] -> A[~]") ()
  :documentation "scale * x^3 with a gradient of its own."
  :impl ((op x) (with-attrs ((scale :scale)) op (!mul (!expt x 3.0) scale)))
  :backward ((op dout)
             (let ((x (first (func-variables op))))
               (!mul dout (!mul (!square x) (* 3 (module-attr op :scale)))))))

(deftest modules
  (check-tensor (forward (Power3 :scale 2.0) (vec 1.0 2.0)) :float32 '(2) '(2 16))
  (check-tensor (forward (Power3b :scale 2.0) (vec 1.0 2.0)) :float32 '(2) '(2 16) 1e-6)
  (ok (grad-check #'(lambda (x) (forward (Power3 :scale 2.0) x)) '(1.0 2.0)))
  (ok (grad-check #'(lambda (x) (forward (Power3b :scale 2.0) x)) '(1.0 2.0)))
  (ok (signals (forward (Power3) (vec 1.0) (vec 2.0))) "the shape notation counts inputs"))

(defmodel (FeedForward (dim &key (factor 2)))
    ((c-fc (Linear dim (* factor dim)))
     (c-proj (Linear (* factor dim) dim :bias nil) :reader projection)))
(defcall (model FeedForward) (X[Batch Dim])
  (with-slots (c-fc) model
    (!add (forward (projection model) (!relu (forward c-fc x))) batch)))

(defmodel (Stack (dim layers))
    ((h (loop repeat layers collect (FeedForward dim)))
     (ln-f (LayerNorm (list dim)))))
(defmethod call ((model Stack) &rest inputs)
  (let ((x (first inputs)))
    (dolist (layer (slot-value model 'h))
      (setf x (forward layer x)))
    (forward (slot-value model 'ln-f) x)))

(defsequence Chain (in hidden out &key (activation #'!relu))
  (Linear in hidden)
  (asnode activation)
  (Linear hidden out)
  (asnode #'!leaky-relu :neg-slope 0.5))

(deftest models
  (let ((x (make-tensor '(3 4) :initial-element 1.0)))
    (ok (equal (shape (forward (FeedForward 4) x)) '(3 4)))
    (ok (equal (shape (call (Chain 4 5 6) x)) '(3 6)))
    (let ((y (computed-elements (forward (Stack 4 2) x))))
      (ok (= (length y) 12))
      (ok (every #'(lambda (v) (< -10 v 10)) y)))
    (ok (signals (forward (FeedForward 4) (make-tensor '(3 4 5)))) "rank of a defcall term")))

(deftest state-dictionaries
  (let* ((model (Stack 4 2))
         (dict (get-state-dict model))
         (keys (state-dict-keys dict)))
    (ok (equal keys '("h.0.c_fc.weight" "h.0.c_fc.bias" "h.0.c_proj.weight"
                      "h.1.c_fc.weight" "h.1.c_fc.bias" "h.1.c_proj.weight"
                      "ln_f.affine" "ln_f.bias")))
    (ok (equal (shape (gethash "h.1.c_fc.weight" (state-dict-entry dict))) '(8 4)))
    (let ((other (Stack 4 2))
          (x (make-tensor '(2 4) :from '((1.0 2.0 3.0 4.0) (-1.0 0.5 0.25 2.0)))))
      (ng (equal (computed-elements (forward model x)) (computed-elements (forward other x))))
      (load-state-dict other dict)
      (ok (equal (computed-elements (forward model x)) (computed-elements (forward other x)))))
    (ok (signals (load-state-dict (Stack 5 2) dict)) "shapes must agree")))

(deftest gradients-reach-parameters
  (let* ((model (Linear 3 2))
         (x (make-tensor '(4 3) :initial-element 1.0))
         (program (caten (!sum (forward model x)))))
    (forward program)
    (backward program)
    (flet ((gradient (slot)
             (computed-elements (grad (slot-value model slot)))))
      (ok (every #'= (gradient 'bias) '(4.0 4.0)))
      (ok (every #'= (gradient 'weight) '(4.0 4.0 4.0 4.0 4.0 4.0))))))

(deftest random-streams
  (let ((a (with-manual-seed (7) (computed-elements (rand '(2 3)))))
        (b (with-manual-seed (7) (computed-elements (rand '(2 3)))))
        (c (with-manual-seed (8) (computed-elements (rand '(2 3))))))
    (ok (equal a b))
    (ng (equal a c))
    (ok (every #'(lambda (v) (and (<= 0 v) (< v 1))) a)))
  (testing "known answers of threefry-2x32 with 20 rounds"
    (with-manual-seed (0)
      (multiple-value-bind (first second) (caten::random-words 1 0)
        (check-tensor first :uint32 '(1) '(#x6b200159))
        (check-tensor second :uint32 '(1) '(#x99ba4efe)))))
  (with-manual-seed (1)
    (let ((draws (computed-elements (randn '(1000)))))
      (ok (< (abs (/ (reduce #'+ draws) 1000)) 0.1))
      (ok (< 0.9 (/ (reduce #'+ (mapcar #'(lambda (v) (* v v)) draws)) 1000) 1.1)))
    (ok (every #'(lambda (v) (<= 3 v 6)) (computed-elements (randint '(50) 3 7))))))
