;;;; Activations. Those with a kernel of their own are ops; the others are compositions.
(in-package :caten)

(define-unary !sigmoid sigmoid-op "1 / (1 + exp(-x))."
  :lower (%recip (%add 1 (%exp (%neg x))))
  :backward (let ((s (!sigmoid x)))
              (!mul dout (!mul s (!sub 1.0 s)))))

(define-numeric !relu relu-op "max(x, 0); NaN stays. Its gradient at 0 is 0."
  :lower (%max x 0)
  :backward (!where (!<= x 0.0) 0.0 dout))

(defmacro define-activation (name module (x &rest options) documentation form)
  "A module of one input and keyword options, and a function that applies it."
  (let ((keys (mapcar #'first options)))
    `(progn
       (defmodule (,module ((,@(when keys '(&key)) ,@keys)
                            ,@(loop for key in keys
                                    append `(,(intern (symbol-name key) :keyword) ,key)))
                   :where "A[~] -> A[~]")
           ()
         :documentation ,documentation
         :impl ((op ,x)
                (with-attrs ,(loop for key in keys
                                   collect `(,key ,(intern (symbol-name key) :keyword)))
                    op
                  ,form)))
       (defun ,name (,x ,@(when keys '(&key)) ,@options)
         ,documentation
         (forward (,module ,@(loop for key in keys
                                   append `(,(intern (symbol-name key) :keyword) ,key)))
                  (as-float ,x))))))

(define-op limit-op (clip-op) (x low high) "min(max(x, low), high), with gradient 0 at the bounds."
  :lower (%min (%max x low) high)
  :backward (!where (!and (!> x low) (!< x high)) dout 0.0))

(defun limited (x low high)
  (apply #'apply-op 'limit-op (broadcast-operands x low high)))

(define-activation !relu6 ReLU6 (x) "min(max(x, 0), 6)."
  (limited x 0.0 6.0))
(define-activation !leaky-relu LeakyReLU (x (neg-slope 1d-3)) "x, or neg-slope * x below 0."
  (!where (!> x 0.0) x (!mul x neg-slope)))
(defun below-zero (x)
  "min(x, 0), with gradient 1 at 0."
  (!where (!> x 0.0) 0.0 x))

(define-activation !elu ELU (x (alpha 1d0)) "x, or alpha * (exp(x) - 1) below 0."
  (!where (!> x 0.0) x (!mul (!expm1 (below-zero x)) alpha)))
(define-activation !celu CELU (x (alpha 1d0)) "x, or alpha * (exp(x / alpha) - 1) below 0."
  (!where (!> x 0.0) x (!mul (!expm1 (!div (below-zero x) alpha)) alpha)))
(define-activation !selu SELU (x) "The scaled exponential linear unit."
  (!mul (!elu x :alpha 1.6732632423543772848170429916717d0) 1.0507009873554804934193349852946d0))
(define-op soft-ramp-op (Elementwise) (x) "log(1 + exp(x)), without overflow."
  :lower (%add (%max x 0.0) (%log1p (%exp (%neg (%max x (%neg x))))))
  :backward (!mul dout (!sigmoid x)))
(defun soft-ramp (x)
  (apply-op 'soft-ramp-op x))

(define-activation !softplus Softplus (x (beta 1d0)) "log(1 + exp(beta * x)) / beta, without overflow."
  (let ((z (!mul x beta)))
    (!div (soft-ramp z) beta)))
(define-activation !logsigmoid LogSigmoid (x) "log(sigmoid(x)), without overflow."
  (!neg (!softplus (!neg x))))
(define-activation !silu SiLU (x) "x * sigmoid(x)."
  (!mul x (!sigmoid x)))
(define-activation !mish Mish (x) "x * tanh(softplus(x))."
  (!mul x (!tanh (!softplus x))))
(define-activation !softsign Softsign (x) "x / (1 + |x|)."
  (!div x (!add 1.0 (!abs x))))
(define-activation !softshrink Softshrink (x (lmd 0.5d0)) "x moved towards 0 by lmd, 0 within lmd."
  (!where (!> x lmd) (!sub x lmd) (!where (!< x (- lmd)) (!add x lmd) (!mul x 0.0))))
(define-activation !hard-sigmoid HardSigmoid (x (alpha 0.2d0) (beta 0.5d0))
  "alpha * x + beta limited to 0..1."
  (limited (!add (!mul x alpha) beta) 0.0 1.0))
(define-activation !hardswish HardSwish (x) "x * min(max(x + 3, 0), 6) / 6."
  (!mul x (!div (!clip (!add x 3.0) 0.0 6.0) 6.0)))
(define-activation !hardtanh HardTanh (x (min_val -1d0) (max_val 1d0)) "x limited to min_val..max_val."
  (limited x min_val max_val))
(define-activation !gelu GELU (x (approx :tanh))
  "x * Phi(x); `approx` is :tanh, :sigmoid or :none (exact)."
  (ecase approx
    (:none (!mul (!mul x 0.5) (!erfc (!mul x (- (sqrt 0.5d0))))))
    (:sigmoid (!mul x (!sigmoid (!mul x 1.702d0))))
    (:tanh (!mul (!mul x 0.5)
                 (!add 1.0 (!tanh (!mul (!mul x (sqrt (/ 2 pi)))
                                        (!add 1.0 (!mul (!square x) 0.044715d0)))))))))

(define-activation !hardshrink HardShrink (x (lmd 0.5d0)) "x, or 0 within lmd."
  (!where (!and (!>= x (- lmd)) (!<= x lmd)) 0.0 x))
(define-activation !tanhshrink TanhShrink (x) "x - tanh(x)."
  (!sub x (!tanh x)))
(define-activation !threshold Threshold (x (threshold 0d0) (value 0d0))
  "x above the threshold, `value` elsewhere."
  (!where (!> x threshold) x value))

(defun !prelu (x weight)
  "x, or weight * x below 0; the weight is one number or one per channel (axis 1)."
  (let* ((channels (first (shape weight)))
         (weight (if (or (null (shape weight)) (eql channels 1) (< (ndim x) 2))
                     weight
                     (reshape weight
                              (cons channels (make-list (- (ndim x) 2) :initial-element 1))))))
    (!where (!> x 0.0) x (!mul x weight))))

(defun !glu (x &key (axis -1))
  "The first half of an axis times the sigmoid of the second."
  (let* ((axis (normalize-axis axis (ndim x)))
         (half (dim-floor-div (nth axis (shape x)) 2)))
    (require-multiple (nth axis (shape x)) 2 "`!glu` of a tensor of shape ~a" (shape x))
    (!mul (slice-axis x axis 0 half) (!sigmoid (slice-axis x axis half half)))))

;;; Softmax ------------------------------------------------------------------------------------

(defun shifted (x axis)
  "`x` minus its maximum along the axis; the maximum is only a shift and has no gradient."
  (!sub x (with-no-grad (max-axes x (list axis)))))

(defmodule (Softmax ((&key axis) :axis axis) :where "A[~] -> A[~]") ()
  :documentation "exp(x) / sum(exp(x)) along an axis."
  :impl ((op x)
         (let* ((axis (module-attr op :axis))
                (e (!exp (shifted x axis))))
           ;; One division per row.
           (!mul e (!recip (sum-axes e (list axis)))))))

(defmodule (LogSoftmax ((&key axis) :axis axis) :where "A[~] -> A[~]") ()
  :documentation "log(softmax(x)) along an axis."
  :impl ((op x)
         (let* ((axis (module-attr op :axis))
                (z (shifted x axis)))
           (!sub z (!log (sum-axes (!exp z) (list axis)))))))

(defun along-axis (module x axis)
  "Applies a module of an axis; a scalar counts as one element. 16-bit floats compute in float32."
  (let* ((x (as-float x))
         (dtype (dtype-of x))
         (wide (!cast x (accumulation-dtype dtype)))
         (axis (normalize-axis axis (ndim x))))
    (!cast (if (zerop (ndim x))
               (reshape (forward (funcall module :axis 0) (reshape wide '(1))) nil)
               (forward (funcall module :axis axis) wide))
           dtype)))

(defun !softmax (x &key (axis -1))
  "exp(x) / sum(exp(x)) along an axis."
  (along-axis #'Softmax x axis))

(defun !log-softmax (x &key (axis -1))
  "log(softmax(x)) along an axis."
  (along-axis #'LogSoftmax x axis))

(defun !softmin (x &key (axis -1))
  "softmax(-x)."
  (!softmax (!neg (as-float x)) :axis axis))
