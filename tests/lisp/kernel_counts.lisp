;;;; How many kernels the graphs that matter become: forward, the gradients alone (of given output
;;;; gradients), and both in one program. ARCHITECTURE's bounds where it has one; the others are what
;;;; the compiler reaches, so that nothing is lost unnoticed. `catenc --explain-fusion` says of every
;;;; store why it is one. Also: the arena against what is alive at once.

(load "samples/llama.lisp")

(defun var (&rest shape)
  (make-tensor shape :requires-grad t :initial-element 0.5))
(defun ids (&rest shape)
  (make-tensor shape :dtype :int64 :initial-element 3))
(defun seeds (outputs)
  (loop for x in outputs collect (make-tensor (shape x) :initial-element 1.0)))

(defun count-of (name what tensors bound)
  "The kernels of a program; its arena is at most 1.15 times what is alive at once."
  (let* ((program (caten tensors))
         (kernels (caten::runtime-kernel-count program)))
    (ok (<= kernels bound) (format nil "~a, ~(~a~): ~a kernels, at most ~a" name what kernels bound))
    (destructuring-bind (arena least) (caten::%runtime-memory program)
      (ok (<= least arena (* 1.15 least))
          (format nil "~a, ~(~a~): ~a bytes, ~a alive at once" name what arena least)))))

(defun check-counts (name outputs inputs bounds)
  (destructuring-bind (forward gradient both) bounds
    (let ((gradients (remove nil (gradients outputs inputs :seeds (seeds outputs)))))
      (count-of name :forward outputs forward)
      (count-of name :gradient gradients gradient)
      (count-of name :both (append outputs gradients) both))))

(defmacro kernels-of (name bounds (&rest inputs) form)
  "The results of a form of inputs: `(x 2 3)` is one of this shape."
  `(let ,(loop for (x . shape) in inputs collect `(,x (var ,@shape)))
     (check-counts ,name (multiple-value-list ,form) (list ,@(mapcar #'first inputs)) ',bounds)))

(defun model-kernels (name bounds model &rest inputs)
  (check-counts name (multiple-value-list (apply #'forward model inputs))
                (append inputs (model-parameters model))
                bounds))

(deftest elementwise-and-normalisation
  (kernels-of "elementwise" (1 1 1) ((x 8 16)) (!sin (!exp (!add (!t (!t x)) 1.0))))
  (kernels-of "softmax" (1 1 1) ((x 8 16)) (!softmax x))
  (kernels-of "log-softmax" (1 1 1) ((x 8 16)) (!log-softmax x))
  (kernels-of "layer-norm" (1 1 1) ((x 8 16) (w 16) (b 16)) (!layer-norm x '(16) :weight w :bias b))
  (kernels-of "rms-norm" (1 1 1) ((x 8 16) (w 16)) (!rms-norm x '(16) :weight w))
  (kernels-of "batch-norm of a batch" (1 1 1) ((x 8 3 4 4) (w 3) (b 3)) (!batch-norm x w b))
  (kernels-of "batch-norm, inference" (1 1 1) ((x 8 3 4 4) (w 3) (b 3) (mean 3) (invstd 3))
              (!batch-norm x w b mean invstd))
  (kernels-of "cross-entropy" (1 2 1) ((x 8 10))
              (!cross-entropy-with-logits x (ids 8)))
  (kernels-of "cross-entropy per row" (1 1 1) ((x 8 10))
              (!cross-entropy-with-logits x (ids 8) :reduction :none)))

(deftest operands
  "Results that only their reader has in common are computed in its kernel."
  (kernels-of "two sums over rows" (1 2 1) ((x 8 16) (y 8 12))
              (!mul (!sum x :axis 1) (!sum y :axis 1)))
  (kernels-of "recurrent cell" (1 5 5) ((x 8 16) (h 8 12) (w 16 12) (u 12 12))
              (!tanh (!add (!matmul x w) (!matmul h u))))
  (kernels-of "average of what is there" (1 1 1) ((x 2 3 6 6))
              (!avgpool x '(3 3) :padding 1 :count-include-pad nil)))

(deftest one-head
  "Scores of one head may be as many as its positions squared: only a row of them is kept."
  (let* ((q (make-input 'q '(n 16)))
         (k (make-input 'k '(n 16)))
         (v (make-input 'v '(n 16)))
         (program (caten (scaled-dot-product-attention q k v (causal-mask 'n 'n)))))
    (ok (= 1 (caten::runtime-kernel-count program)))))

(deftest contractions
  (kernels-of "matmul" (1 2 3) ((x 8 16) (w 16 12)) (!matmul x w))
  (kernels-of "matmul, bias, gelu" (1 3 3) ((x 8 16) (w 16 12) (b 12)) (!gelu (!add (!matmul x w) b)))
  (kernels-of "padded convolution, bias, relu" (1 3 3) ((x 2 3 8 8) (w 4 3 3 3) (b 4))
              (!relu (!convnd x w :bias b :padding 1)))
  (kernels-of "maximum pooling" (1 1 1) ((x 2 3 8 8)) (!maxpool x '(2 2)))
  (kernels-of "average pooling" (1 1 2) ((x 2 3 8 8)) (!avgpool x '(2 2)))
  (kernels-of "embedding" (1 1 2) ((table 8 8)) (!embedding (ids 4 3) table))
  (kernels-of "two embeddings" (1 2 3) ((a 8 8) (b 8 8))
              (!add (!embedding (ids 4 3) a) (!embedding (ids 4 3) b)))
  (kernels-of "attention" (1 3 3) ((q 2 3 8 4) (k 2 3 8 4) (v 2 3 8 4))
              (scaled-dot-product-attention q k v))
  (kernels-of "causal attention" (1 3 3) ((q 2 3 8 4) (k 2 3 8 4) (v 2 3 8 4))
              (causal-attention q k v)))

(defsequence LeNet ()
  (ConvND 1 6 '(5 5) :padding 2)
  (asnode #'!relu)
  (MaxPool '(2 2))
  (ConvND 6 16 '(5 5))
  (asnode #'!relu)
  (MaxPool '(2 2))
  (asnode #'!flatten :axis 1)
  (Linear 400 120)
  (asnode #'!relu)
  (Linear 120 84)
  (asnode #'!relu)
  (Linear 84 10))

(defmodel (BasicBlock (channels))
    ((conv1 (ConvND channels channels '(3 3) :padding 1 :bias nil))
     (bn1 (BatchNorm channels))
     (conv2 (ConvND channels channels '(3 3) :padding 1 :bias nil))
     (bn2 (BatchNorm channels))))
(defmethod call ((model BasicBlock) &rest inputs)
  (with-slots (conv1 bn1 conv2 bn2) model
    (let ((x (first inputs)))
      (!relu (!add x (forward bn2 (forward conv2 (!relu (forward bn1 (forward conv1 x))))))))))

(defmodel (InvertedResidual (channels hidden))
    ((expand (ConvND channels hidden '(1 1) :bias nil))
     (bn1 (BatchNorm hidden))
     (depthwise (ConvND hidden hidden '(3 3) :padding 1 :groups hidden :bias nil))
     (bn2 (BatchNorm hidden))
     (project (ConvND hidden channels '(1 1) :bias nil))
     (bn3 (BatchNorm channels))))
(defmethod call ((model InvertedResidual) &rest inputs)
  (with-slots (expand bn1 depthwise bn2 project bn3) model
    (let* ((x (first inputs))
           (wide (!relu6 (forward bn1 (forward expand x))))
           (mixed (!relu6 (forward bn2 (forward depthwise wide)))))
      (!add x (forward bn3 (forward project mixed))))))

(deftest networks
  (model-kernels "LeNet" '(5 15 16) (LeNet) (var 2 1 28 28))
  (model-kernels "ResNet basic block, training" '(4 6 6) (BasicBlock 4) (var 2 4 8 8))
  (model-kernels "ResNet basic block, inference" '(2 6 6) (eval-mode (BasicBlock 4)) (var 2 4 8 8))
  (model-kernels "MobileNet inverted residual, training" '(6 8 8) (InvertedResidual 4 16)
                 (var 2 4 8 8))
  (model-kernels "MobileNet inverted residual, inference" '(3 9 4)
                 (eval-mode (InvertedResidual 4 16)) (var 2 4 8 8))
  (model-kernels "LSTM cell" '(1 5 5) (LSTMCell 8 16) (var 2 8) (var 2 16) (var 2 16)))

(deftest blocks
  (model-kernels "GPT block" '(5 12 13) (TransformerBlock 32 4) (var 2 8 32))
  (model-kernels "Llama block" '(5 16 17) (LlamaLayer 32 64 4 1e-6) (var 2 8 32)))

(defsequence Perceptron ()
  (Linear 16 32)
  (asnode #'!relu)
  (Linear 32 24)
  (asnode #'!relu)
  (Linear 24 10))

(defun training-step (model loss rate)
  "One program: the loss, and every parameter moved along its gradient."
  (let ((parameters (model-parameters model)))
    (cons loss
          (loop for p in parameters
                for g in (gradients loss parameters)
                collect (!assign p (!sub p (!mul g rate)))))))

(deftest training
  (let ((model (Perceptron)))
    (count-of "MLP of three layers, a step of SGD" :both
              (training-step model
                             (!cross-entropy-with-logits
                              (forward model (make-input 'x '(8 16)))
                              (make-input 'y '(8) :dtype :int64))
                             0.01)
              9))
  (testing "an optimiser is one kernel per parameter"
    (dolist (maker (list (SGD :lr 0.1 :momentum 0.9) (Adam) (AdamW)))
      (let* ((program (caten (!sum (!square (var 4 6)))))
             (optimizer (first (hook-optimizers program maker))))
        (forward program)
        (backward program)
        (step-optimizer optimizer)
        (ok (= 1 (caten::runtime-kernel-count (caten::optimizer-program optimizer))))))))

(deftest equal-layers
  (flet ((kernels (layers)
           (caten::%runtime-kernels
            (caten (let ((x (make-input 'x '(2 8 32))))
                     (loop repeat layers do (setf x (forward (TransformerBlock 32 4) x)))
                     x)))))
    (ok (<= (kernels 8) (+ (kernels 2) 2)) "equal layers are compiled once")))
