;;;; Small inputs with known answers: kinds of faults that tensor compilers have had.

(defun f32 (&rest numbers)
  (make-tensor (list (length numbers)) :from numbers))
(defun i64 (&rest numbers)
  (make-tensor (list (length numbers)) :dtype :int64 :from numbers))

(deftest nan-and-inf
  (check-tensor (!max (f32 1.0 (nan))) :float32 '(1) '(:nan))
  (check-tensor (!max (f32 (nan) 1.0)) :float32 '(1) '(:nan))
  (check-tensor (!maximum (f32 2.0 1.0 (nan) (nan)) (f32 (nan) 5.0 3.0 (nan)))
                :float32 '(4) '(:nan 5 :nan :nan))
  (check-tensor (!relu (f32 (nan) 1.0 (nan) -2.0)) :float32 '(4) '(:nan 1 :nan 0))
  (check-tensor (!signum (f32 (nan))) :float32 '(1) '(:nan))
  (check-tensor (!argmax (f32 2.0 (nan) 7.0 4.0 1.0)) :int64 '(1) '(1))
  (check-tensor (!argmax (f32 (nan) 2.0 7.0 4.0 1.0)) :int64 '(1) '(0))
  (check-tensor (!argmax (f32 2.0 4.0 7.0 1.0 (nan))) :int64 '(1) '(4))
  (check-tensor (!argmax (f32 (nan) 4.6151)) :int64 '(1) '(0))
  (check-tensor (!log (!exp (f32 89.0))) :float32 '(1) '(:inf))
  (check-tensor (!sqrt (let ((x (f32 1e20))) (!mul x x))) :float32 '(1) '(:inf))
  (check-tensor (!mul (f32 (inf) (nan) 1.0) 0.0) :float32 '(3) '(:nan :nan 0))
  (check-tensor (let ((x (f32 (inf) (nan) 1.0))) (!sub x x)) :float32 '(3) '(:nan :nan 0))
  (check-tensor (!cast (!sqrt (f32 -1.0)) :bool) :bool '(1) '(t))
  (check-tensor (!cast (fconst (nan)) :bool) :bool '() '(t))
  (check-tensor (!cast (f32 -0.0) :bool) :bool '(1) '(nil))
  (check-tensor (!gather (f32 1.0 (inf) 3.0) (i64 0)) :float32 '(1) '(1))
  (check-tensor (!recip (f32 -0.0)) :float32 '(1) '(:-inf)))

(deftest constants-survive
  (check-tensor (!bitcast (!expand (fconst -0.0) '(1)) :uint32) :uint32 '(1) '(#x80000000))
  (check-tensor (!mul (f32 1.0) (inf)) :float32 '(1) '(:inf))
  (check-tensor (!mul (f32 1.0) (-inf)) :float32 '(1) '(:-inf))
  (check-tensor (!mul (f32 1.0) (nan)) :float32 '(1) '(:nan))
  (check-tensor (!bitcast (!expand (fconst 1d-40) '(1)) :uint32) :uint32 '(1) '(71362))
  (check-tensor (!bitcast (!expand (fconst 1.4d-45) '(1)) :uint32) :uint32 '(1) '(1))
  (check-tensor (!bitcast (!expand (fconst 6d-39) '(1)) :uint32) :uint32 '(1) '(4281743))
  (check-tensor (fconst 1d-18 :dtype :float64) :float64 '() '(1d-18))
  (check-tensor (fconst 1d-7 :dtype :float64) :float64 '() '(1d-7))
  (check-tensor (fconst 3.141592653589793d0 :dtype :float64) :float64 '() '(3.141592653589793d0))
  (check-tensor (fconst 0.1) :float32 '() '(0.1))
  (check-tensor (fconst 16777217) :float32 '() '(16777216)))

(deftest no-contraction
  (check-tensor (!add (!mul (f32 1e10) (f32 1e20)) (!mul (f32 1e10) (f32 -1e20)))
                :float32 '(1) '(0)))

(deftest ties-casts-widths
  (check-tensor (!argmax (!exp (f32 4.0 3.0 2.0 1.0))) :int64 '(1) '(0))
  (check-tensor (!argmax (f32 5.0 5.0 5.0)) :int64 '(1) '(0))
  (check-tensor (!argmin (f32 5.0 5.0 5.0)) :int64 '(1) '(0))
  (check-tensor (!cast (!cast (i64 -1) :bool) :int32) :int32 '(1) '(1))
  (check-tensor (!cast (!cast (i64 256) :bool) :int8) :int8 '(1) '(1))
  (let ((x (make-tensor '(1) :dtype :uint8 :initial-element 128)))
    (check-tensor (!cast (!add x x) :int16) :int16 '(1) '(0)))
  (let ((x (make-tensor '(1) :dtype :uint8 :initial-element 6)))
    (check-tensor (!neg x) :uint8 '(1) '(250))
    (check-tensor (!< (!neg x) 4) :bool '(1) '(nil)))
  (let ((x (f32 -1.5 300.0 (nan) (inf))))
    (check-tensor (!cast x :uint8) :uint8 '(4) '(0 255 0 255))
    (check-tensor (!cast x :int32) :int32 '(4) '(-1 300 0 2147483647)))
  (check-tensor (!abs (i64 -3000000000)) :int64 '(1) '(3000000000)))

(deftest division
  (check-tensor (!idiv (i64 110) 55) :int64 '(1) '(2))
  (check-tensor (!mod (i64 110) 55) :int64 '(1) '(0))
  (let ((x (!sub (!index-components '(15)) 7)))
    (check-tensor (!idiv x 2) :int64 '(15) '(-4 -3 -3 -2 -2 -1 -1 0 0 1 1 2 2 3 3))
    (check-tensor (!mod x 2) :int64 '(15) '(1 0 1 0 1 0 1 0 1 0 1 0 1 0 1))
    (check-tensor (!idiv x -3) :int64 '(15) '(2 2 1 1 1 0 0 0 -1 -1 -1 -2 -2 -2 -3))
    (check-tensor (!mod x -3) :int64 '(15) '(-1 0 -2 -1 0 -2 -1 0 -2 -1 0 -2 -1 0 -2)))
  (check-tensor (!idiv (i64 1 2 3) 0) :int64 '(3) '(0 0 0))
  (check-tensor (!mod (i64 1 2 3) 0) :int64 '(3) '(0 0 0))
  (let ((least (make-tensor '(1) :dtype :int32 :initial-element -2147483648)))
    (check-tensor (!idiv least -1) :int32 '(1) '(-2147483648))))

(deftest index-algebra
  (let ((i (!index-components '(40))))
    (check-tensor (!mod (!mul (!idiv (!mod i 20) 2) 2) 4) :int64 '(40)
                  (loop for k below 40 collect (mod (* 2 (floor (mod k 20) 2)) 4))))
  (check-tensor (!reshape (!reshape (!index-components '(160)) 2 5 2 2 4) 2 10 2 2 2)
                :int64 '(2 10 2 2 2) (loop for k below 160 collect k)))

(deftest large-index
  ;; The reference evaluator would build the expanded array of 8 GiB.
  (unless (eq *backend* :interp)
    (check-tensor (!gather (!expand (!reshape (fconst 1.0) 1) (list (+ 3 (expt 2 31))))
                           (i64 0 (+ 2 (expt 2 31))))
                  :float32 '(2) '(1 1))))

(deftest shapes
  (check-tensor (!sum (fconst 5.0)) :float32 '() '(5))
  (ok (signals (!reshape (f32 1.0 2.0) -1 -1)))
  (let ((a (!reshape (!cast (!index-components '(273)) :float32) 13 7 3)))
    (check-tensor (!where (make-tensor '(1 1) :dtype :bool :initial-element t) a
                          (make-tensor '(1 1)))
                  :float32 '(13 7 3) (loop for k below 273 collect k)))
  (let ((p (!sub (!reshape (!cast (!index-components '(195)) :float32) 15 13 1 1) 97.0))
        (n (!reshape (!cast (!index-components '(32955)) :float32) 15 13 13 13)))
    (check-tensor (!where (!> p 0.0) p n) :float32 '(15 13 13 13)
                  (loop for k below 195
                        append (loop for j below 169
                                     collect (if (> k 97) (- k 97) (+ (* k 169) j)))))))

(deftest several-outputs
  (let* ((p (make-tensor '(1 2) :from '((4.9334 5.5571))))
         (v (!concatenate 0 p p)))
    (multiple-value-bind (first second) (proceed v (!mul v v))
      (check-tensor first :float32 '(2 2) '(4.9334 5.5571 4.9334 5.5571))
      (check-tensor second :float32 '(2 2) '(24.33843 30.88136 24.33843 30.88136) 1e-6))))

(deftest broadcast-and-reduce
  (let* ((x (make-tensor '(5 1 32 32) :initial-element 1.0))
         (l (make-tensor '(5 1 1 1) :initial-element 1.0))
         (e (!exp (!neg (!mul x l)))))
    (check-tensor (!div e (!sum e :axis '(1 2 3))) :float32 '(5 1 32 32)
                  (make-list 5120 :initial-element (/ 1.0 1024)) 1e-6)))

(deftest vector-tails
  (dolist (n '(16385 32769))
    (let* ((rows (!expand (!reshape (!cast (!index-components (list n)) :float32) n 1) n 3))
           (rows (!where (!eq (!gid rows 1) 0) rows 0.0))
           (identity (let ((z (make-tensor '(3 3))))
                       (!cast (!eq (!gid z 0) (!gid z 1)) :float32)))
           (norms (!sum (!square (!matmul rows identity)) :axis 1)))
      (check-tensor (!view norms -1) :float32 '(1 1)
                    (list (if (= n 16385) 268435456 1073741824))))))

(deftest fused-views
  (let ((x (f32 0.0 1.0 2.0 3.0)))
    (check-tensor (!sub (!max (!view x '(1 4))) (!min (!view x '(1 3)))) :float32 '(1) '(2)))
  (check-tensor (!matmul (!reshape (make-tensor '(12) :initial-element 1.0) 12 1 1)
                         (!reshape (make-tensor '(1 12 4 4) :initial-element 2.0) 12 1 16))
                :float32 '(12 1 16) (make-list 192 :initial-element 2))
  (let ((y (f32 1.0 2.0)))
    (dotimes (i 20)
      (setf y (!add y y)))
    (check-tensor y :float32 '(2) '(1048576 2097152)))
  (let ((x (!reshape (!index-components '(6)) 2 3)))
    (check-tensor (!reshape (!permute x 1 0) 1 3 2 1) :int64 '(1 3 2 1) '(0 3 1 4 2 5)))
  (check-tensor (!view (!pad (!index-components '(5)) '((2 1)) :value -1) '(6 nil -2))
                :int64 '(4) '(4 2 0 -1)))

(deftest powers
  (check-tensor (!expt (f32 -28.0) 3.0) :float32 '(1) '(-21952))
  (check-tensor (!expt (f32 -28.0) 0.2) :float32 '(1) '(:nan))
  (check-tensor (!expt (f32 0.0) 1.1) :float32 '(1) '(0)))

(deftest deep-expressions
  (let ((x (f32 1.0)))
    (dotimes (i 60)
      (setf x (!add (f32 1.0) x)))
    (check-tensor x :float32 '(1) '(61)))
  (let ((x (make-tensor '(1) :dtype :int32 :initial-element 5)))
    (check-tensor (!sub x -1) :int32 '(1) '(6))
    (check-tensor (!sub x (!neg x)) :int32 '(1) '(10))
    (check-tensor (!add (!mul x 0) -2147483648) :int32 '(1) '(-2147483648))))

(deftest symbolic-shapes
  (let* ((x (make-input 'x '(i 3)))
         (program (caten (!reshape (!t (!add x 1.0)) -1))))
    (loop for i from 1 to 4
          do (let ((result (forward program (cons 'i i)
                                    (cons 'x (make-tensor (list i 3) :initial-element 1.0)))))
               (check-tensor result :float32 (list (* 3 i))
                             (make-list (* 3 i) :initial-element 2))))))

(deftest empty-and-scalar-softmax
  (check-tensor (!log-softmax (make-tensor '(10 0)) :axis 1) :float32 '(10 0) nil)
  (check-tensor (!softmax (fconst 5.0) :axis -1) :float32 '() '(1))
  (check-tensor (!softmax (fconst 5.0) :axis 0) :float32 '() '(1))
  (ok (signals (!softmax (fconst 5.0) :axis 1))))

(deftest impossible-shapes
  (let ((x (make-tensor '(1 1 2 2)))
        (wide (make-tensor '(1 1 6 7)))
        (kernel (make-tensor '(1 1 3 3))))
    (ok (signals (!convnd x kernel)))
    (ok (signals (!convnd wide kernel :dilation 3)))
    (ok (signals (!padding2d x '(1 2 3))))
    (ok (signals (!pad x '((1 1) (0 0) (0 0)))))))

(defun gradient-of (function &rest numbers)
  "The gradient of the sum of `function` at a vector."
  (let* ((x (make-tensor (list (length numbers)) :from numbers :requires-grad t))
         (program (caten (!sum (funcall function x)))))
    (forward program)
    (backward program)
    (grad x)))

(deftest gradients-at-special-places
  (let ((y (f32 1.0 1.0)))
    (check-tensor (gradient-of #'(lambda (x) (!mul (!minimum x y) x)) 1.0 1.0)
                  :float32 '(2) '(1.5 1.5)))
  (check-tensor (gradient-of #'(lambda (x) (!expt x 1.0)) 0.0) :float32 '(1) '(1))
  (check-tensor (gradient-of #'(lambda (x) (!expt x 1.1)) 0.0) :float32 '(1) '(0))
  (check-tensor (apply #'gradient-of #'!cumsum (make-list 1022 :initial-element 1.0))
                :float32 '(1022) (loop for k from 1022 downto 1 collect k))
  (check-tensor (gradient-of #'!relu 0.0) :float32 '(1) '(0))
  (check-tensor (gradient-of #'!abs 0.0) :float32 '(1) '(0))
  (check-tensor (gradient-of #'(lambda (x) (!clip x 0.0 1.0)) 0.0 1.0) :float32 '(2) '(1 1)))

(deftest published-threefry
  ;; The three test vectors of the Random123 distribution (kat_vectors, threefry2x32 20).
  (flet ((words (key counter)
           (let ((x (!cast (i64 counter) :uint64)))
             (multiple-value-bind (a b)
                 (let ((caten::*seed* key))
                   (caten::random-words 1 x))
               (append (computed-elements a) (computed-elements b))))))
    (ok (equal (words 0 0) '(#x6b200159 #x99ba4efe)))
    (ok (equal (words -1 -1) '(#x1cb996fc #xbb002be7)))
    (ok (equal (words #x0370734413198a2e #x-7a5cf72cdbc09578) '(#xc4923a9c #x483df7a0)))))

(deftest reductions-of-nothing
  (let ((x (make-tensor '(2 0 3))))
    (check-tensor (!mean x :axis 1) :float32 '(2 1 3) '(:nan :nan :nan :nan :nan :nan))
    (check-tensor (!sum x :axis 1) :float32 '(2 1 3) '(0 0 0 0 0 0))
    (check-tensor (!prod x :axis 1) :float32 '(2 1 3) '(1 1 1 1 1 1))
    (ok (signals (!max x :axis 1)))
    (check-tensor (!sum x :axis 0) :float32 '(1 0 3) nil)))

(deftest assignment-through-a-transposed-view
  (let ((x (make-tensor '(2 3) :from '((0 1 2) (3 4 5)))))
    (proceed (!assign (!t x) (make-tensor '(3 2) :from '((5 6) (7 8) (9 10)))))
    (check-tensor x :float32 '(2 3) '(5 7 9 6 8 10))))

(deftest sums-start-at-zero
  ;; Neither a sum nor a running sum of negative zeros is one.
  (dolist (dtype '(:float32 :float64 :float16 :bfloat16))
    (let ((zeros (make-tensor '(3 2) :initial-element -0.0 :dtype dtype)))
      (check-tensor (!div 1.0 (!cast (!cumsum zeros :axis 0) :float32))
                    :float32 '(3 2) '(:inf :inf :inf :inf :inf :inf))
      (check-tensor (!div 1.0 (!cast (!sum zeros :axis 1) :float32)) :float32 '(3 1) '(:inf :inf :inf)))))
