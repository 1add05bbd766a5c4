;;;; GGUF files: tests/data/quantized.gguf and what its blocks encode, from tests/oracle/gguf_files.py.

(defun bits (x)
  "The bits of float32 elements."
  (computed-elements (!bitcast x :int32)))

(deftest every-block-format
  (let ((tensors (load-gguf "tests/data/quantized.gguf"))
        (expected (load-npy "tests/data/quantized_values.npy")))
    (loop for format in '(:q4_0 :q4_1 :q5_0 :q5_1 :q8_0 :q4_k :q5_k :q6_k)
          for i from 0
          for x = (gethash (format nil "blk.0.~(~a~).weight" format) tensors)
          do (ok (equal (list (shape x) (dtype-of x) (quantization-of x))
                        (list '(2 256) :float32 format))
                 format)
             (ok (equal (bits x) (bits (!reshape (!view expected i t t) 2 256))) "to the bit"))))

(deftest plain-tensors
  (let ((tensors (load-gguf "tests/data/quantized.gguf")))
    (loop for (name dtype) in '(("f4" :float32) ("f2" :float16) ("bf16" :bfloat16) ("f8" :float64)
                                ("i1" :int8) ("i2" :int16) ("i4" :int32) ("i8" :int64))
          for x = (gethash (format nil "plain.~a" name) tensors)
          do (check-tensor x dtype '(2 3) '(-2 -1 0 1 2 3))
             (ok (null (quantization-of x)) name))
    (check-tensor (gethash "plain.scalar" tensors) :float32 nil '(2.5))))

(deftest metadata
  (let ((metadata (nth-value 1 (load-gguf "tests/data/quantized.gguf"))))
    (loop for (key value) in '(("general.architecture" "test") ("general.alignment" 64)
                               ("a.uint8" 200) ("a.int8" -100) ("a.uint16" 60000)
                               ("a.int16" -30000) ("a.uint32" 4000000000) ("a.int32" -2000000000)
                               ("a.float32" 0.25) ("a.bool" t) ("a.uint64" 18446744073709551616d0)
                               ("a.int64" -4611686018427387904) ("a.float64" 0.1d0)
                               ("tokenizer.tokens" #("a" "Ġthe" "")) ("tokenizer.scores" #(0.5 -1.0))
                               ("tokenizer.empty" #()))
          do (ok (equalp (gethash key metadata :none) value) key))
    (ok (= (hash-table-count metadata) 16))))

(deftest a-layer-with-quantized-weights
  (let ((weights (make-hash-table :test #'equal))
        (layer (Linear 256 2 :bias nil))
        (x (make-tensor '(3 256) :from (loop for i below 3
                                             collect (loop for j below 256
                                                           collect (/ (mod (* 7 (+ i j)) 32) 16.0)))
                                 :requires-grad t)))
    (setf (gethash "weight" weights)
          (gethash "blk.0.q4_k.weight" (load-gguf "tests/data/quantized.gguf")))
    (load-state-dict layer weights)
    (let* ((values (proceed (slot-value layer 'weight)))
           (program (caten (forward layer x)))
           (y (forward program)))
      (ok (allclose y (!matmul x (!t values)) :rtol 1e-5 :atol 1e-5))
      (backward program)
      (ok (allclose (grad x) (!expand (!sum values :axis 0) 3 256) :rtol 1e-5 :atol 1e-5)))))

(deftest what-is-no-gguf-file
  (ok (signals (load-gguf "tests/data/three.safetensors")))
  (ok (signals (load-gguf "tests/data/none.gguf"))))
