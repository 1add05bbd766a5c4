;;;; Random numbers: threefry-2x32 with 20 rounds. The key is the seed's low and high word; a draw
;;;; takes the next blocks of a 64-bit counter. Uniform element i is word i mod 2 of block i / 2,
;;;; normal element i comes from block i, so that every backend gives the same stream.
(in-package :caten)

(defvar *seed* 0 "The seed of the random stream.")
(defvar *block* 0 "The next block of the random stream.")

(defun set-manual-seed (&key (seed 0))
  "Starts the random stream of `seed` from its beginning."
  (setf *seed* seed
        *block* 0))

(defmacro with-manual-seed ((seed) &body body)
  "Evaluates `body` with the stream of `seed`; the outer stream goes on afterwards."
  `(let ((*seed* ,seed)
         (*block* 0))
     ,@body))

(defun take-blocks (count run)
  "The first of the next `count` blocks, which are used up; 2^32 of them where the count is symbolic.
`run` (a tensor or 0) behind it."
  (let ((start *block*))
    (incf *block* (if (integerp count) count (ash 1 32)))
    (if (eql run 0) start (!add run start))))

(defclass threefry-op (Func) ()
  (:documentation "Two words of random bits per block number: inputs are the key's words and the
block numbers (uint64)."))

(defmethod forward ((op threefry-op) &rest inputs)
  (let ((dims (shape (third inputs))))
    (values (%make-tensor-node dims :uint32) (%make-tensor-node dims :uint32))))

(defun rotate-left (x count)
  (%or (%shl x count) (%shr x (- 32 count))))

(defmethod lower ((op threefry-op) &rest inputs)
  (destructuring-bind (low high block) inputs
    (let ((keys (list low high (%xor (%xor low high) #x1BD11BDA)))
          (a (%add (%cast block :uint32) low))
          (b (%add (%cast (%shr block 32) :uint32) high)))
      (loop for group from 1 to 5
            for rotations = (if (oddp group) '(13 15 26 6) '(17 29 16 24))
            do (dolist (count rotations)
                 (setf a (%add a b)
                       b (%xor (rotate-left b count) a)))
               (setf a (%add a (nth (mod group 3) keys))
                     b (%add (%add b (nth (mod (1+ group) 3) keys)) group)))
      (values a b))))

(defvar *one-run* nil "Whether what is drawn is computed once, so that no run follows.")

(defun drawn-per-run (function)
  "What `function` makes of the distance between this run of a program and its first one, in blocks:
runs are 2^40 blocks of the stream apart, so that they do not meet other draws."
  (if *one-run*
      (funcall function 0)
      (let ((runs (make-tensor '() :dtype :uint64)))
        (with-effects (funcall function (!mul runs (expt 2 40)))
          (list (!assign runs (!add runs 1)))))))

(defun random-words (blocks start)
  "The two words of `blocks` blocks from block `start` on, as tensors of uint32."
  (forward (make-instance 'threefry-op)
           (constant (logand *seed* #xFFFFFFFF) :uint32)
           (constant (logand (ash *seed* -32) #xFFFFFFFF) :uint32)
           (!add (!cast (!gid-of-shape (list blocks) 0) :uint64) start)))

(defun unit-interval (words)
  "Words as float32 numbers in [0, 1)."
  (!mul (!cast (!shr words 8) :float32) (expt 2d0 -24)))

(defun check-float-dtype (name dtype)
  (unless (float-dtype-p dtype)
    (%fail :wrong-dtype "`~a` draws floats, not ~(~a~); `!randint` draws integers" name dtype)))

(defun uniform-elements (shape run)
  "Uniform numbers from the next blocks, or in a later run from those `run` behind them."
  (let* ((count (dim-product shape))
         (blocks (dim-ceil-div count 2)))
    (multiple-value-bind (even odd) (random-words blocks (take-blocks blocks run))
      (reshape (slice (reshape (!stack -1 (unit-interval even) (unit-interval odd))
                               (list (dim* 2 blocks)))
                      (list (list 0 count 1)))
               shape))))

(defun normal-elements (shape run)
  (let ((count (dim-product shape)))
    (multiple-value-bind (first second) (random-words count (take-blocks count run))
      (reshape (!mul (!sqrt (!mul -2.0 (!log (!sub 1.0 (unit-interval first)))))
                     (!cos (!mul (unit-interval second) (* 2 pi))))
               shape))))

;;; Lazy: every run of a compiled program draws anew ------------------------------------------------

(defmacro define-draw (name (shape &rest arguments) documentation &body body)
  "A lazy draw. The body, which gives the numbers, sees `shape` as sizes and the distance `run`."
  `(defun ,name (,shape ,@arguments)
     ,documentation
     (let ((,shape (dims-of ,shape)))
       (drawn-per-run #'(lambda (run) ,@body)))))

(defun in-unit-interval (u dtype)
  "Numbers in [0, 1) in a float type; the 16-bit ones drop what would round up to 1."
  (let ((steps (case dtype (:float16 2048) (:bfloat16 256))))
    (!cast (if steps (!mul (!floor (!mul u steps)) (/ 1d0 steps)) u) dtype)))

(define-draw !uniform (shape &key (low 0.0) (high 1.0) (dtype *default-float*))
  "Uniform numbers in [low, high)."
  (check-float-dtype "!uniform" dtype)
  (let ((u (in-unit-interval (uniform-elements shape run) dtype)))
    (if (and (eql low 0.0) (eql high 1.0))
        u
        (!add (!mul u (!sub high low)) low))))

(defun !rand (shape &key (dtype *default-float*))
  "Uniform numbers in [0, 1)."
  (!uniform shape :dtype dtype))

(define-draw !randn (shape &key (dtype *default-float*))
  "Standard normal numbers."
  (check-float-dtype "!randn" dtype)
  (!cast (normal-elements shape run) dtype))

(defun !normal (shape &key (mean 0.0) (std 1.0) (dtype *default-float*))
  "Normal numbers with the given mean and standard deviation."
  (!add (!mul (!randn shape :dtype dtype) std) mean))

(defun scaled-words (shape range run)
  "Integers in [0, range): the first word of a block per element, times the range, without its last
32 bits; ranges beyond 2^32 take both words, modulo the range."
  (let ((count (dim-product shape)))
    (multiple-value-bind (a b) (random-words count (take-blocks count run))
      (let ((a (!cast a :uint64)))
        (reshape (if (<= range (ash 1 32))
                     (!shr (!mul a range) 32)
                     (!mod (!or (!shl a 32) (!cast b :uint64)) range))
                 shape)))))

(define-draw !randint (shape low high &key (dtype *default-int*))
  "Integers in [low, high)."
  (unless (and (integerp low) (integerp high) (< low high))
    (%fail :bad-size "`!randint` needs integers low < high, not ~a and ~a" low high))
  (!cast (!add (!cast (scaled-words shape (- high low) run) :int64) low) dtype))

;;; From probabilities ------------------------------------------------------------------------------

(defun !bernoulli (p &key (dtype (float-type-of p)))
  "1 with the probability that each element of `p` is, else 0."
  (!cast (!< (!rand (shape p) :dtype :float32) p) dtype))

(defun !randperm (n)
  "The numbers below `n` in random order, int64."
  (!argsort (!randint (list n) 0 (ash 1 62) :dtype :int64)))

(defun !multinomial (weights count &key replacement)
  "`count` indices of the last axis, drawn with probabilities in proportion to the weights; without
`replacement` they differ."
  (let* ((weights (!cast weights :float32))
         (batch (butlast (shape weights)))
         (size (car (last (shape weights)))))
    (if replacement
        (let* ((sums (!cumsum weights))
               (u (!mul (!rand (append batch (list count))) (!view-last sums -1))))
          (!minimum (!sum (!cast (!<= (!unsqueeze sums -2) (!unsqueeze u -1)) :int64)
                          :axis -1 :squeeze t)
                    (!sub (size-tensor size) 1)))
        ;; The greatest of log(weight) plus Gumbel noise: exponential races.
        (let ((noise (!neg (!log (!neg (!log (!sub 1.0 (!rand (shape weights)))))))))
          (nth-value 1 (!topk (!add (!log weights) noise) count))))))

(defun !view-last (x subscript)
  (apply #'!view x (append (make-list (1- (ndim x)) :initial-element t) (list subscript))))

;;; Now ------------------------------------------------------------------------------------------

(defmacro draw (form requires-grad)
  "The tensor that the lazy draw `form` gives, computed."
  `(let ((result (proceed (let ((*one-run* t)) ,form))))
     (setf (requires-grad result) ,requires-grad)
     result))

(defun rand (shape &key (dtype *default-float*) requires-grad)
  "A tensor of uniform numbers in [0, 1)."
  (draw (!rand shape :dtype dtype) requires-grad))

(defun randn (shape &key (dtype *default-float*) requires-grad)
  "A tensor of standard normal numbers."
  (draw (!randn shape :dtype dtype) requires-grad))

(defun uniform (shape &key (low 0.0) (high 1.0) (dtype *default-float*) requires-grad)
  "A tensor of uniform numbers in [low, high)."
  (draw (!uniform shape :low low :high high :dtype dtype) requires-grad))

(defun normal (shape &key (mean 0.0) (std 1.0) (dtype *default-float*) requires-grad)
  "A tensor of normal numbers."
  (draw (!normal shape :mean mean :std std :dtype dtype) requires-grad))

(defun randint (shape low high &key (dtype *default-int*))
  "A tensor of integers in [low, high)."
  (draw (!randint shape low high :dtype dtype) nil))

(defun fans (shape)
  "How many inputs and outputs a weight of shape (out in kernel…) connects."
  (let ((kernel (reduce #'* (cddr shape))))
    (values (* kernel (or (second shape) (first shape))) (* kernel (first shape)))))

(defun xavier-uniform (shape &key (dtype *default-float*) requires-grad)
  "Uniform numbers within sqrt(6 / (in + out))."
  (multiple-value-bind (in out) (fans shape)
    (let ((bound (sqrt (/ 6d0 (+ in out)))))
      (uniform shape :low (- bound) :high bound :dtype dtype :requires-grad requires-grad))))

(defun xavier-gaussian (shape &key (dtype *default-float*) requires-grad)
  "Normal numbers with the deviation sqrt(2 / (in + out))."
  (multiple-value-bind (in out) (fans shape)
    (normal shape :std (sqrt (/ 2d0 (+ in out))) :dtype dtype :requires-grad requires-grad)))

(defun kaiming-gaussian (shape &key (dtype *default-float*) requires-grad)
  "Normal numbers with the deviation sqrt(2 / in)."
  (normal shape :std (sqrt (/ 2d0 (fans shape))) :dtype dtype :requires-grad requires-grad))

(defun kaiming-uniform (shape &key (dtype *default-float*) requires-grad)
  "Uniform numbers within sqrt(6 / in)."
  (let ((bound (sqrt (/ 6d0 (fans shape)))))
    (uniform shape :low (- bound) :high bound :dtype dtype :requires-grad requires-grad)))
