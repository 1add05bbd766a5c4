;;;; Functions of one operand. Those of floats turn integers into the default float first.
(in-package :caten)

(define-unary !sin sin-op "sin x." :lower (%sin x) :backward (!mul dout (!cos x)))
(define-unary !cos cos-op "cos x." :lower (%cos x) :backward (!neg (!mul dout (!sin x))))
(define-unary !tan tan-op "tan x."
  :lower (%tan x) :backward (!div dout (!square (!cos x))))
(define-unary !asin asin-op "The arc sine."
  :lower (%asin x) :backward (!div dout (!sqrt (!sub 1.0 (!square x)))))
(define-unary !acos acos-op "The arc cosine."
  :lower (%acos x) :backward (!neg (!div dout (!sqrt (!sub 1.0 (!square x))))))
(define-unary !atan atan-op "The arc tangent."
  :lower (%atan x) :backward (!div dout (!add 1.0 (!square x))))
(define-unary !sinh sinh-op "The hyperbolic sine." :lower (%sinh x) :backward (!mul dout (!cosh x)))
(define-unary !cosh cosh-op "The hyperbolic cosine." :lower (%cosh x) :backward (!mul dout (!sinh x)))
(define-unary !tanh tanh-op "The hyperbolic tangent."
  :lower (%tanh x) :backward (!mul dout (!sub 1.0 (!square (!tanh x)))))

;; In float64, where float32 results come out correctly rounded; log and log1p keep large and small
;; arguments exact.
(defmacro in-float64 ((x) &body body)
  `(let ((dtype (%dtype ,x))
         (,x (%cast ,x :float64)))
     (%cast (progn ,@body) dtype)))

(defun with-sign-of (x magnitude)
  (%where (%< x 0) (%neg magnitude) (%where (%> x 0) magnitude x)))

(define-unary !asinh asinh-op "The inverse hyperbolic sine."
  :lower (in-float64 (x)
           (let* ((a (%max x (%neg x)))
                  (s (%mul a a)))
             (with-sign-of x (%where (%> a 1d9)
                                     (%add (%log a) (log 2d0))
                                     (%log1p (%add a (%div s (%add 1 (%sqrt (%add 1 s))))))))))
  :backward (!mul dout (!rsqrt (!add 1.0 (!square x)))))
(define-unary !acosh acosh-op "The inverse hyperbolic cosine, NaN below 1."
  :lower (in-float64 (x)
           (let ((a (%sub x 1)))
             (%where (%> x 1d9)
                     (%add (%log x) (log 2d0))
                     (%log1p (%add a (%sqrt (%where (%< x 1) -1 (%mul a (%add x 1)))))))))
  :backward (!mul dout (!rsqrt (!mul (!sub x 1.0) (!add x 1.0)))))
(define-unary !atanh atanh-op "The inverse hyperbolic tangent, NaN beyond -1 and 1."
  :lower (in-float64 (x)
           (let ((a (%max x (%neg x))))
             (with-sign-of x (%mul 0.5d0 (%log1p (%div (%mul 2 a) (%sub 1 a)))))))
  :backward (!div dout (!sub 1.0 (!square x))))

(define-unary !exp exp-op "e to the power x." :lower (%exp x) :backward (!mul dout (!exp x)))
(define-unary !exp2 exp2-op "2 to the power x."
  :lower (%exp2 x) :backward (!mul dout (!mul (!exp2 x) (log 2d0))))
(define-unary !expm1 expm1-op "e^x - 1, exact near 0." :lower (%expm1 x) :backward (!mul dout (!exp x)))
(define-unary !log log-op "The natural logarithm." :lower (%log x) :backward (!div dout x))
(define-unary !log2 log2-op "The logarithm to base 2."
  :lower (%log2 x) :backward (!div dout (!mul x (log 2d0))))
(define-unary !log1p log1p-op "log(1 + x), exact near 0."
  :lower (%log1p x) :backward (!div dout (!add x 1.0)))
(define-unary !sqrt sqrt-op "The square root."
  :lower (%sqrt x) :backward (!div dout (!mul 2.0 (!sqrt x))))
(define-unary !rsqrt rsqrt-op "1 / sqrt x."
  :lower (%recip (%sqrt x)) :backward (!mul (!div (!mul dout -0.5) x) (!rsqrt x)))
(define-unary !recip recip-op "1 / x."
  :lower (%recip x) :backward (!neg (!mul dout (!square (!recip x)))))
(define-unary !erf erf-op "The error function."
  :lower (%erf x)
  :backward (!mul dout (!mul (/ 2d0 (sqrt pi)) (!exp (!neg (!square x))))))
(define-unary !erfc erfc-op "1 - erf x, exact for large x."
  :lower (%erfc x)
  :backward (!mul dout (!mul (/ -2d0 (sqrt pi)) (!exp (!neg (!square x))))))

;;; Functions that keep the dtype of integers -----------------------------------------------------

(defmacro define-numeric (name class documentation &rest definition)
  "An elementwise function that keeps the dtype of integers; bools become the default int."
  `(progn
     (define-op ,class (Elementwise) (x) ,documentation ,@definition)
     (defun ,name (x)
       ,documentation
       (let ((x (as-tensor x)))
         (apply-op ',class (if (eq (dtype-of x) :bool) (!cast x *default-int*) x))))))

(define-op neg-op (Elementwise) (x) "-x." :lower (%neg x) :backward (!neg dout))
(defun !neg (x)
  "-x; unsigned integers wrap; an error for bools."
  (let ((x (as-tensor x)))
    (when (eq (dtype-of x) :bool)
      (%fail :wrong-dtype "`!neg` of a bool tensor; use `!not` or cast it"))
    (apply-op 'neg-op x)))
(define-numeric !square square-op "x * x."
  :lower (%mul x x) :backward (!mul dout (!mul 2.0 x)))
;; 0 - x instead of -x: the absolute value of -0.0 is +0.0.
(define-numeric !abs abs-op "The absolute value; its gradient at 0 is 0."
  :lower (if (unsigned-dtype-p (%dtype x)) x (%where (%<= x 0) (%sub 0 x) x))
  :backward (!mul dout (!signum x)))
(define-numeric !signum signum-op "-1, 0 or 1; NaN stays. Its gradient is 0."
  :lower (if (unsigned-dtype-p (%dtype x))
             (%where (%> x 0) 1 x)
             (%where (%> x 0) 1 (%where (%< x 0) -1 x))))

(defmacro define-rounding (name class documentation lower)
  "A rounding of floats to floats; integers stay as they are. The gradient is 0."
  `(progn
     (define-op ,class (Elementwise) (x) ,documentation :lower ,lower)
     (defun ,name (x)
       ,documentation
       (let ((x (as-tensor x)))
         (if (float-dtype-p (dtype-of x)) (apply-op ',class x) x)))))

(define-rounding !floor floor-op "Rounds down." (%floor x))
(define-rounding !ceiling ceiling-op "Rounds up." (%ceil x))
(define-rounding !truncate truncate-op "Rounds towards 0." (%trunc x))
(define-rounding !round round-op "Rounds to the nearest integer, halves to even." (%round x))

(defun !lerp (a b weight)
  "a + weight * (b - a)."
  (!add a (!mul weight (!sub b a))))
