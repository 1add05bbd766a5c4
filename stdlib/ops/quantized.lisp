;;;; Tensors of GGUF files. Numbers quantised in blocks stay bytes in memory: a tensor of them is an
;;;; op over the stored blocks that gives float32, and decodes them inside of whatever kernel reads
;;;; it. The formats are ggml's (ggml-common.h, dequantize_row_* in ggml-quants.c), to the bit.
(in-package :caten)

(defclass dequantize-op (Func)
  ((quantization :initarg :quantization :accessor quantization))
  (:documentation "The numbers that blocks of bytes (… blocks bytes) encode, as float32 (… numbers)."))

(defgeneric block-size (quantization)
  (:documentation "How many numbers a block holds."))
(defmethod block-size (quantization)
  (if (member quantization '(:q4_k :q5_k :q6_k)) 256 32))

(defgeneric decode-blocks (quantization blocks)
  (:documentation "The AIR of the numbers of the blocks (… bytes): an axis per block, possibly split."))

(defmethod forward ((op dequantize-op) &rest inputs)
  (let ((dims (butlast (shape (first inputs)))))
    (%make-tensor-node (append (butlast dims)
                               (list (dim* (car (last dims)) (block-size (quantization op)))))
                       :float32)))

(defmethod lower ((op dequantize-op) &rest inputs)
  (let ((dims (butlast (%shape (first inputs))))
        (numbers (decode-blocks (quantization op) (first inputs))))
    (%reshape numbers (append (butlast dims)
                              (list (dim* (car (last dims)) (block-size (quantization op))))))))

;;; Parts of blocks --------------------------------------------------------------------------------

(defun split-last-axis (x &rest sizes)
  (%reshape x (append (butlast (%shape x)) sizes)))

(defun join-last-axes (x count)
  (let ((dims (%shape x)))
    (%reshape x (append (butlast dims count) (list (dim-product (last dims count)))))))

(defun block-part (blocks start count)
  "`count` bytes of each block."
  (%slice blocks (append (loop for dim in (butlast (%shape blocks)) collect (list 0 dim 1))
                         (list (list start count 1)))))

(defun block-scale (blocks start)
  "The float16 at byte `start` of each block, as float32 on an axis of size 1."
  (let ((low (%cast (block-part blocks start 1) :uint16))
        (high (%cast (block-part blocks (1+ start) 1) :uint16)))
    (%cast (%bitcast (%or low (%shl high 8)) :float16) :float32)))

(defun bit-fields (bytes width count)
  "The first `count` fields of `width` bits of every byte: (… n) becomes (… count n), the lowest bits
first."
  (let ((n (car (last (%shape bytes)))))
    (%and (%shr (split-last-axis bytes 1 n)
                (%cast (%mul (%iota (list count 1) 0) width) :uint8))
          (1- (ash 1 width)))))

(defun nibbles (bytes)
  "The low halves of the bytes, then the high ones. Two pieces, in which every byte is shifted alike,
make two short loops without divisions of the index."
  (%concat (1- (%rank bytes)) (%and bytes 15) (%shr bytes 4)))

(defun single-bits (bytes)
  "The bits of four bytes in turn: (… 4) becomes (… 32), out of one word per block."
  (let ((word nil))
    (dotimes (i 4)
      (let ((byte (%shl (%cast (block-part bytes i 1) :uint32) (* 8 i))))
        (setf word (if word (%or word byte) byte))))
    (%cast (%and (%shr word (%cast (%iota '(32) 0) :uint32)) 1) :uint8)))

(defun signed-bytes (bytes)
  (%bitcast bytes :int8))

(defun centered (x offset)
  "Unsigned numbers of a few bits, less `offset`, as float32."
  (%cast (%sub (signed-bytes x) offset) :float32))

;;; Blocks of 32 -----------------------------------------------------------------------------------

(defmethod decode-blocks ((quantization (eql :q8_0)) blocks)
  (%mul (%cast (signed-bytes (block-part blocks 2 32)) :float32) (block-scale blocks 0)))

(defmethod decode-blocks ((quantization (eql :q4_0)) blocks)
  (%mul (centered (nibbles (block-part blocks 2 16)) 8) (block-scale blocks 0)))

(defmethod decode-blocks ((quantization (eql :q4_1)) blocks)
  (%add (%mul (%cast (nibbles (block-part blocks 4 16)) :float32) (block-scale blocks 0))
        (block-scale blocks 2)))

(defun five-bits (low high)
  "Numbers of 4 bits with the fifth ones."
  (%or low (%shl high 4)))

(defmethod decode-blocks ((quantization (eql :q5_0)) blocks)
  (%mul (centered (five-bits (nibbles (block-part blocks 6 16)) (single-bits (block-part blocks 2 4)))
                  16)
        (block-scale blocks 0)))

(defmethod decode-blocks ((quantization (eql :q5_1)) blocks)
  (%add (%mul (%cast (five-bits (nibbles (block-part blocks 8 16))
                                (single-bits (block-part blocks 4 4)))
                     :float32)
              (block-scale blocks 0))
        (block-scale blocks 2)))

;;; Super-blocks of 256: eight sub-blocks of 32 with scales of 6 bits, or sixteen of 16 ------------

(defun scales-and-minima (blocks)
  "The scale and the minimum of each of the eight sub-blocks, (… 8 1) each. The first four have their
6 bits in a byte; the others have four bits in the last bytes and two on top of the first ones'."
  (let ((a (block-part blocks 4 4))
        (b (block-part blocks 8 4))
        (c (block-part blocks 12 4))
        (axis (1- (%rank blocks))))
    (flet ((numbers (first rest scale)
             (split-last-axis (%mul (%cast (%concat axis (%and first 63)
                                                    (%or rest (%shl (%shr first 6) 4)))
                                           :float32)
                                    scale)
                              8 1)))
      (values (numbers a (%and c 15) (block-scale blocks 0))
              (numbers b (%shr c 4) (block-scale blocks 2))))))

(defun sub-block-nibbles (bytes)
  "Two sub-blocks in 32 bytes: the low halves, then the high ones; (… 128) becomes (… 8 32)."
  (%reshape (bit-fields (split-last-axis bytes 4 32) 4 2)
            (append (butlast (%shape bytes)) '(8 32))))

(defun scaled-and-shifted (numbers blocks)
  (multiple-value-bind (scales minima) (scales-and-minima blocks)
    (%sub (%mul scales (%cast numbers :float32)) minima)))

(defmethod decode-blocks ((quantization (eql :q4_k)) blocks)
  (scaled-and-shifted (sub-block-nibbles (block-part blocks 16 128)) blocks))

(defmethod decode-blocks ((quantization (eql :q5_k)) blocks)
  (scaled-and-shifted (five-bits (sub-block-nibbles (block-part blocks 48 128))
                                 (bit-fields (block-part blocks 16 32) 1 8))
                      blocks))

(defmethod decode-blocks ((quantization (eql :q6_k)) blocks)
  (let* ((lead (butlast (%shape blocks)))
         ;; Two halves of 128 numbers, each of four runs of 32.
         (low (%reshape (bit-fields (split-last-axis (block-part blocks 0 128) 2 64) 4 2)
                        (append lead '(2 4 32))))
         (high (bit-fields (split-last-axis (block-part blocks 128 64) 2 32) 2 4))
         (scales (%mul (block-scale blocks 208)
                       (%cast (signed-bytes (block-part blocks 192 16)) :float32))))
    (%mul (split-last-axis scales 16 1)
          (%reshape (centered (%or low (%shl high 4)) 32) (append lead '(16 16))))))

;;; Files ------------------------------------------------------------------------------------------

(defun dequantized (blocks quantization)
  "The numbers in a tensor of blocks of bytes, as a lazy tensor."
  (forward (make-instance 'dequantize-op :quantization quantization) blocks))

(defun quantization-of (tensor)
  "How the blocks behind a tensor of a GGUF file encode its numbers: a keyword such as :q4_0; nil for
other tensors."
  (let ((op (tensor-op tensor)))
    (and (typep op 'dequantize-op) (quantization op))))

(defun load-gguf (path)
  "The tensors of a .gguf file, a hash table by name, and its metadata, another one. Numbers quantised
in blocks (q8_0 q4_0 q4_1 q5_0 q5_1 q4_k q5_k q6_k) stay so in memory: their tensors are float32,
without gradient, and are decoded inside the kernels that read them."
  (destructuring-bind (tensors metadata) (%load-gguf path)
    (let ((by-name (make-hash-table :test #'equal))
          (by-key (make-hash-table :test #'equal)))
      (loop for (name data quantization) in tensors
            do (setf (gethash name by-name)
                     (if quantization (dequantized data quantization) data)))
      (loop for (key . value) in metadata
            do (setf (gethash key by-key) value))
      (values by-name by-key))))
