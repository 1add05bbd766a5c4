;;;; Arithmetic on two operands, which promote and broadcast.
(in-package :caten)

(defun size-value (x)
  "The size that an operand is known to be: an integer, a symbol, an expression; or nil."
  (cond ((tensor-p x) (%size-value x))
        ((or (realp x) (eq x t)) (and (integerp x) x))
        (t x)))

(defun fold-sizes (function a b)
  "The size `(function a b)` as a tensor when both operands are sizes and one has a symbol; nil
otherwise. So shapes may be computed with ops on `iconst`s."
  (let ((a (size-value a))
        (b (size-value b)))
    (and a b (not (and (integerp a) (integerp b)))
         (size-tensor (funcall function a b)))))

(define-binary add2 add-op Elementwise "a + b; OR of bools."
  :lower (%add a b)
  :backward (values dout dout))
(define-binary sub2 sub-op Elementwise "a - b."
  :lower (%sub a b)
  :backward (values dout (!neg dout)))
(define-binary mul2 mul-op Elementwise "a * b; AND of bools."
  :lower (%mul a b)
  :backward (values (!mul dout b) (!mul dout a)))

(define-op div-op (Elementwise) (a b) "a / b of floats."
  :lower (%div a b)
  :backward (values (!div dout b) (!neg (!div (!mul dout (!div a b)) b))))
(defun div2 (a b)
  (destructuring-bind (a b) (broadcast-operands a b)
    (let ((dtype (default-float-of (dtype-of a))))
      (apply-op 'div-op (!cast a dtype) (!cast b dtype)))))

(defun store-into (place value)
  "`:reduce t` of a binary op: writes the value into the first operand."
  (!assign place value))

(defun !add (a b &key reduce)
  "a + b; OR of bools."
  (let ((result (or (fold-sizes #'dim+ a b) (add2 a b))))
    (if reduce (store-into a result) result)))

(defun !sub (a b &key reduce)
  "a - b; an error for bools."
  (when (and (tensor-p a) (tensor-p b) (eq (dtype-of a) :bool) (eq (dtype-of b) :bool))
    (%fail :wrong-dtype "`!sub` of two bool tensors; use `!xor` or cast one"))
  (let ((result (or (fold-sizes #'dim- a b) (sub2 a b))))
    (if reduce (store-into a result) result)))

(defun !mul (a b &key reduce)
  "a * b; AND of bools."
  (let ((result (or (fold-sizes #'dim* a b) (mul2 a b))))
    (if reduce (store-into a result) result)))

(defun !div (a b &key reduce)
  "a / b; two integer tensors give the default float."
  (let ((result (div2 a b)))
    (if reduce (store-into a result) result)))

(defun !+ (x &rest xs) "The sum of the operands." (reduce #'!add xs :initial-value (as-tensor x)))
(defun !* (x &rest xs) "The product of the operands." (reduce #'!mul xs :initial-value (as-tensor x)))
(defun !- (x &rest xs)
  "The first operand minus the others, or the negative of a lone one."
  (if xs (reduce #'!sub xs :initial-value x) (!neg x)))
(defun !/ (x &rest xs)
  "The first operand divided by the others, or the reciprocal of a lone one."
  (if xs (reduce #'!div xs :initial-value x) (!recip x)))

(define-binary idiv2 idiv-op Elementwise "floor(a / b); integers divided by 0 give 0."
  :lower (%idiv a b))
(defun !idiv (a b)
  "floor(a / b); integers divided by 0 give 0."
  (or (fold-sizes #'dim-floor-div a b) (idiv2 a b)))
(define-binary !mod mod-op Elementwise "The remainder with the sign of b; integers mod 0 give 0."
  :lower (%mod a b)
  :backward (values dout (!neg (!mul dout (!idiv a b)))))
(define-binary !rem rem-op Elementwise "The remainder with the sign of a; integers rem 0 give 0."
  :lower (%rem a b)
  :backward (values dout (!neg (!mul dout (!truncate (!div a b))))))

(defun extreme-gradient (dout a b wins)
  "The gradient of max or min for the operand `a`: all where it wins, half at ties."
  (!where wins dout (!where (!eq a b) (!mul dout 0.5) 0.0)))

(define-binary !maximum maximum-op Elementwise "The larger element; NaN from either side stays."
  :lower (%max a b)
  :backward (values (extreme-gradient dout a b (!> a b)) (extreme-gradient dout b a (!> b a))))
(define-binary !minimum minimum-op Elementwise "The smaller element; NaN from either side stays."
  :lower (%min a b)
  :backward (values (extreme-gradient dout a b (!< a b)) (extreme-gradient dout b a (!< b a))))

;;; Powers -------------------------------------------------------------------------------------

(define-op power-op (Elementwise) (a b) "a to the power b, of floats."
  :lower (%pow a b)
  :backward (values (!where (!eq b 0.0) 0.0 (!mul dout (!mul b (!expt a (!sub b 1.0)))))
                    (!where (!and (!eq a 0.0) (!>= b 0.0))
                            0.0
                            (!mul dout (!mul (!expt a b) (!log a))))))

(defun integer-power (x n)
  "x^n for an integer n >= 0 by squaring; wraps."
  (let ((result nil))
    (loop
      (when (oddp n)
        (setf result (if result (!mul result x) x)))
      (setf n (ash n -1))
      (when (zerop n)
        (return (or result (!add (!mul x 0) 1))))
      (setf x (!mul x x)))))

(defun !expt (a b)
  "a to the power b. An integer tensor keeps its dtype under an integer number b >= 0; otherwise
the operands become floats."
  (if (and (tensor-p a) (integer-dtype-p (dtype-of a)) (integerp b) (>= b 0))
      (integer-power a b)
      (destructuring-bind (a b) (broadcast-operands a b)
        (let ((dtype (default-float-of (dtype-of a))))
          (apply-op 'power-op (!cast a dtype) (!cast b dtype))))))

;;; Bits and shifts ----------------------------------------------------------------------------

(defun bit-operands (name a b)
  (let ((operands (broadcast-operands a b)))
    (when (float-dtype-p (dtype-of (first operands)))
      (%fail :wrong-dtype "`~(~a~)` needs integers or bools, not ~(~a~)" name
             (dtype-of (first operands))))
    operands))

(define-op and-op (Elementwise) (a b) "Bitwise (bools: logical) and." :lower (%and a b))
(define-op or-op (Elementwise) (a b) "Bitwise (bools: logical) or." :lower (%or a b))
(define-op xor-op (Elementwise) (a b) "Bitwise (bools: logical) exclusive or." :lower (%xor a b))
(define-op shl-op (Elementwise) (a b) "Shift to the left; counts modulo the width." :lower (%shl a b))
(define-op shr-op (Elementwise) (a b) "Shift to the right, arithmetic for signed types."
  :lower (%shr a b))
(define-op not-op (Elementwise) (x) "Bitwise (bools: logical) not." :lower (%not x))

(defun !and (a b) "Bitwise (bools: logical) and." (apply #'apply-op 'and-op (bit-operands '!and a b)))
(defun !or (a b) "Bitwise (bools: logical) or." (apply #'apply-op 'or-op (bit-operands '!or a b)))
(defun !xor (a b)
  "Bitwise (bools: logical) exclusive or."
  (apply #'apply-op 'xor-op (bit-operands '!xor a b)))
(defun !shl (a b)
  "a shifted left by b bits, modulo the width of the dtype."
  (apply #'apply-op 'shl-op (bit-operands '!shl a b)))
(defun !shr (a b)
  "a shifted right by b bits, modulo the width of the dtype; arithmetic for signed types."
  (apply #'apply-op 'shr-op (bit-operands '!shr a b)))
(defun !not (x)
  "Bitwise (bools: logical) not."
  (let ((x (as-tensor x)))
    (when (float-dtype-p (dtype-of x))
      (%fail :wrong-dtype "`!not` needs integers or bools, not ~(~a~)" (dtype-of x)))
    (apply-op 'not-op x)))
