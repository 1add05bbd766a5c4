;;;; State dictionaries of nested models, and their way through a safetensors file.

(defmodel (Attender (dim))
    ((norm (LayerNorm (list dim)))
     (c-attn (Linear dim dim))))
(defmodel (Net (dim))
    ((wte (Embedding 5 dim))
     (h (loop repeat 2 collect (Attender dim)))
     (bn (BatchNorm dim))
     (rnn (GRU dim 2))))

(defmethod call ((model Attender) &rest inputs)
  (with-slots (norm c-attn) model
    (!add (first inputs) (forward c-attn (forward norm (first inputs))))))
(defmethod call ((model Net) &rest inputs)
  (with-slots (wte h bn rnn) model
    (let ((x (forward wte (first inputs))))
      (dolist (block h)
        (setf x (forward block x)))
      (forward rnn (!transpose (forward bn (!transpose x 1 2)) 1 2)))))

(defun keys (model)
  (state-dict-keys (get-state-dict model)))

(deftest names
  (ok (equal (keys (Net 4))
             '("wte.weight"
               "h.0.norm.affine" "h.0.norm.bias" "h.0.c_attn.weight" "h.0.c_attn.bias"
               "h.1.norm.affine" "h.1.norm.bias" "h.1.c_attn.weight" "h.1.c_attn.bias"
               "bn.weight" "bn.bias" "bn.running_mean" "bn.running_var" "bn.num_batches_tracked"
               "rnn.weight_ih_l0" "rnn.weight_hh_l0" "rnn.bias_ih_l0" "rnn.bias_hh_l0")))
  (ok (= (length (model-parameters (Net 4))) 15)))

(deftest round-trip
  (let* ((path (format nil "/tmp/catenc_state_dict_~a.safetensors" (random 1000000000)))
         (ids (make-tensor '(2 3) :dtype :int64 :from '((0 1 4) (2 3 1))))
         (model (Net 4))
         (other (Net 4)))
    (proceed (forward model ids))       ; moves the running statistics
    (unwind-protect
         (progn
           (save-safetensors path (get-state-dict model))
           (load-state-dict other (load-safetensors path)))
      (when (probe-file path)
        (delete-file path)))
    (eval-mode model)
    (eval-mode other)
    (ok (every #'(lambda (key)
                   (allclose (gethash key (state-dict-entry (get-state-dict model)))
                             (gethash key (state-dict-entry (get-state-dict other)))
                             :rtol 0 :atol 0))
               (keys model)))
    (ok (allclose (proceed (forward model ids)) (proceed (forward other ids)) :rtol 0 :atol 0))
    (ok (= 15 (length (model-parameters other))) "what is loaded into a parameter is one")))

(deftest modes
  (let ((model (Net 4)))
    (ok (training-p model))
    (eval-mode model)
    (ok (notany #'model-training (list model (slot-value model 'bn) (first (slot-value model 'h)))))
    (train-mode model)
    (ok (model-training (slot-value model 'bn)))
    (with-inference-mode ()
      (ng (training-p model)))))

(deftest mistakes
  (let ((table (make-hash-table :test #'equal)))
    (setf (gethash "weight" table) (make-tensor '(2 2)))
    (ok (signals (load-state-dict (Linear 3 4) table :silent t) 'error))))

(deftest dropout
  (with-manual-seed (1)
    (let* ((layer (Dropout :p 0.25))
           (x (make-tensor '(1000) :initial-element 3.0))
           (dropped (computed-elements (forward layer x))))
      (ok (every #'(lambda (v) (or (zerop v) (= v 4.0))) dropped))
      (ok (< 180 (count 0.0 dropped) 320))
      (testing "every run of a program draws anew, and its gradient is that of the same draw"
        (let* ((w (make-tensor '(1000) :initial-element 1.0 :requires-grad t))
               (program (caten (forward layer w)))
               (first (computed-elements (forward program))))
          (backward program)
          (ok (equal first (computed-elements (grad w))))
          (ng (equal first (computed-elements (forward program))))))
      (eval-mode layer)
      (ok (every #'(lambda (v) (= v 3.0)) (computed-elements (forward layer x)))))))

(deftest clipping
  (let* ((a (make-tensor '(2) :from '(3.0 0.0) :requires-grad t))
         (b (make-tensor '(1) :from '(4.0) :requires-grad t))
         (program (caten (!add (!mul 0.5 (!sum (!square a) :squeeze t))
                               (!mul 0.5 (!sum (!square b) :squeeze t))))))
    (flet ((run ()
             (mapc #'zero-grad (list a b))
             (forward program)
             (backward program)))
      (run)
      (ok (< (abs (- (clip-grad-norm (list a b) 1.0) 5.0)) 1e-5) "the norm before")
      (check-tensor (grad a) :float32 '(2) '(0.6 0.0) 1e-5)
      (check-tensor (grad b) :float32 '(1) '(0.8) 1e-5)
      (run)
      (clip-grad-norm (list a b) 100.0)
      (check-tensor (grad a) :float32 '(2) '(3 0))
      (ok (< (abs (- (clip-grad-norm (list a b) 100.0 :norm-type (inf)) 4.0)) 1e-5))
      (clip-grad-value (list a b) 0.5)
      (check-tensor (grad a) :float32 '(2) '(0.5 0.0))
      (check-tensor (grad b) :float32 '(1) '(0.5)))))
