;;;; What the ops share: constants and their weak dtypes, sizes as tensors, promotion,
;;;; broadcasting, axes, and the macros that define elementwise ops.
(in-package :caten)

;;; Dtypes -------------------------------------------------------------------------------------

(defun lowest-of (dtype)
  "The number that every element of the dtype is at least."
  (case dtype
    (:int64 (- -9223372036854775807 1))
    ((:int32 :int16 :int8) (- (ash 1 (ecase dtype (:int32 31) (:int16 15) (:int8 7)))))
    ((:bool :uint64 :uint32 :uint16 :uint8) 0)
    (t (-inf))))

(defun float-dtype-p (dtype)
  "Whether the dtype is a float type."
  (member dtype '(:float32 :float64 :float16 :bfloat16)))

(defun half-dtype-p (dtype)
  (member dtype '(:float16 :bfloat16)))

(defun unsigned-dtype-p (dtype)
  (member dtype '(:uint8 :uint16 :uint32 :uint64)))

(defun integer-dtype-p (dtype)
  "Whether the dtype is an integer type (bool is not)."
  (not (or (eq dtype :bool) (float-dtype-p dtype))))

(defun accumulation-dtype (dtype)
  "What sums of products of this dtype are kept in until they are rounded once."
  (if (half-dtype-p dtype) :float32 dtype))

(defmacro with-wide ((&rest variables) &body body)
  "The tensor that `body` computes from the variables, which hold tensors of floats. 16-bit ones are
float32 inside; the result has the dtype of the first variable. Squares and sums of what fits 16 bits
need not fit, and differences of them are inexact."
  (let ((dtype (gensym "DTYPE")))
    `(let ((,dtype (dtype-of ,(first variables)))
           ,@(loop for v in variables
                   collect `(,v (!cast ,v (accumulation-dtype (dtype-of ,v))))))
       (!cast (progn ,@body) ,dtype))))

;;; Constants and sizes ------------------------------------------------------------------------

(defun constant (value dtype &key shape weak)
  "A tensor with `value` in every element. A weak constant takes the dtype of its partner."
  (%constant value dtype shape weak))

(defun size-tensor (dim)
  "The size expression `dim` as a weak rank-0 tensor of the default int."
  (if (integerp dim)
      (constant dim *default-int* :weak t)
      (%size-tensor dim)))

(defun scalar-dtype (value)
  "The dtype of a Lisp number, truth value or size without a partner."
  (cond ((integerp value) *default-int*)
        ((realp value) *default-float*)
        ((member value '(t nil)) :bool)
        (t *default-int*)))

(defun named-p (value)
  (and (symbolp value) (not (member value '(t nil)))))

(defun fconst (value &key (dtype *default-float*))
  "A float constant of rank 0; a symbol names a scalar input."
  (if (named-p value)
      (make-scalar value :dtype dtype)
      (constant value dtype)))

(defun iconst (value &key (dtype *default-int*))
  "An integer constant of rank 0; a symbol or size expression gives that size."
  (if (integerp value)
      (constant value dtype)
      (size-tensor value)))

(defun uconst (value &key (dtype *default-uint*))
  "An unsigned constant of rank 0; a symbol names a scalar input."
  (if (named-p value)
      (make-scalar value :dtype dtype)
      (constant value dtype)))

(defun !const (tensor value)
  "The constant `value`, of rank 0, in the dtype of `tensor`."
  (constant value (dtype-of tensor) :weak t))

(defun dim-of (x)
  "A shape entry from an integer, a symbol, a size expression, or a rank-0 tensor of sizes."
  (dim+ x))

(defun dims-of (shape)
  (mapcar #'dim-of shape))

(defun dim-product (dims)
  (reduce #'dim* dims :initial-value 1))

(defun require-equal-dims (a b format &rest arguments)
  "An error when two sizes are known to differ."
  (when (and (integerp a) (integerp b) (/= a b))
    (%fail :shape-mismatch "~a: ~a against ~a" (apply #'format nil format arguments) a b)))

(defun require-multiple (size divisor format &rest arguments)
  "An error when a size is known not to be a multiple of a number."
  (when (and (integerp size) (integerp divisor) (or (< divisor 1) (/= 0 (mod size divisor))))
    (%fail :bad-size "~a: ~a is no multiple of ~a" (apply #'format nil format arguments) size
           divisor)))

(defun require-rank (x rank name)
  (unless (= (ndim x) rank)
    (%fail :shape-mismatch "~a needs a tensor of rank ~a, not of shape ~a" name rank (shape x))))

(defun checked (tensor a b format &rest arguments)
  "`tensor`, whose computation requires two sizes to be equal: an error now or at entry."
  (let ((text (apply #'format nil format arguments)))
    (require-equal-dims a b "~a" text)
    (if (dim= a b)
        tensor
        (%add-check tensor a b (concatenate 'string text ": {left} against {right}")))))

;;; Operands -----------------------------------------------------------------------------------

(defun default-float-of (dtype)
  "The float type that computes on values of `dtype`."
  (if (float-dtype-p dtype) dtype *default-float*))

(defun weak-dtype (value dtype)
  "The dtype at which the Lisp number `value` meets a tensor of `dtype`."
  (cond ((float-dtype-p dtype) dtype)
        ((not (or (integerp value) (symbolp value) (consp value))) *default-float*)
        ((and (eq dtype :bool) (not (member value '(t nil)))) *default-int*)
        (t dtype)))

(defun weak-value (x)
  "The number or size behind a Lisp operand or a weak constant, and t; nil for other tensors."
  (if (tensor-p x)
      (%weak-value x)
      (values x t)))

(defun weak-operand-p (x)
  (nth-value 1 (weak-value x)))

(defun at-dtype (x dtype)
  "The operand `x` as a tensor of `dtype`; numbers become weak constants."
  (let ((value (weak-value x)))
    (cond ((not (weak-operand-p x)) (!cast x dtype))
          ((or (numberp value) (member value '(t nil)))
           (constant value dtype :weak t :shape (if (tensor-p x) (shape x) nil)))
          (t (!cast (size-tensor value) dtype)))))

(defun as-tensor (x)
  "A Lisp number or size as a weak rank-0 tensor; a tensor as itself."
  (if (tensor-p x) x (at-dtype x (scalar-dtype x))))

(defun common-dtype (operands)
  "The dtype to which tensors and weak operands promote together."
  (let ((strong (remove-if #'weak-operand-p operands))
        (weak (remove-if-not #'weak-operand-p operands)))
    (if strong
        (let ((dtype (reduce #'promote-dtypes (mapcar #'dtype-of strong))))
          (dolist (x weak dtype)
            (setf dtype (weak-dtype (weak-value x) dtype))))
        (reduce #'promote-dtypes
                (loop for x in weak
                      collect (if (tensor-p x) (dtype-of x) (scalar-dtype x)))))))

(defun promote (operands &optional (dtype (common-dtype operands)))
  "The operands as tensors of one dtype."
  (loop for x in operands collect (at-dtype x dtype)))

(defun broadcast (tensors)
  "The tensors expanded to their common shape."
  (let ((shape (reduce #'%broadcast-shapes (mapcar #'shape tensors))))
    (loop for x in tensors collect (broadcast-to x shape))))

(defun broadcast-to (x shape)
  "`x` with axes of size 1 added in front and expanded to `shape`."
  (let* ((old (shape x))
         (new (- (length shape) (length old))))
    (cond ((same-shape-p old shape) x)
          ((%expand-constant x shape))
          (t (expand (if (plusp new)
                         (reshape x (append (make-list new :initial-element 1) old))
                         x)
                     shape)))))

(defun broadcast-operands (&rest xs)
  "The operands of an elementwise op: promoted and broadcast, as a list."
  (broadcast (promote xs)))

(defun apply-op (class &rest inputs)
  (apply #'forward (make-instance class) inputs))

;;; Axes ---------------------------------------------------------------------------------------

(defun normalize-axis (axis rank)
  "The axis as a number from 0; the axes of a scalar are 0 and -1."
  (unless (integerp axis)
    (%fail :bad-axis "an axis must be an integer, not ~a" axis))
  (let ((bound (max rank 1)))
    (unless (< (- -1 bound) axis bound)
      (%fail :bad-axis "axis ~a is out of range for a tensor of rank ~a" axis rank))
    (if (minusp axis) (+ axis bound) axis)))

(defun normalize-axes (x axis)
  "The axes that `axis` (t for all, an integer, a list) names in the tensor `x`, sorted."
  (let* ((rank (ndim x))
         (axes (cond ((eq axis t) (loop for i below rank collect i))
                     ((listp axis) (loop for a in axis collect (normalize-axis a rank)))
                     (t (list (normalize-axis axis rank))))))
    (unless (= (length axes) (length (remove-duplicates axes)))
      (%fail :bad-axis "the axes ~a name one axis twice" axis))
    (sort (if (zerop rank) nil axes) #'<)))

(defun replace-nth (n value list)
  (loop for x in list
        for i from 0
        collect (if (= i n) value x)))

;;; Definitions --------------------------------------------------------------------------------

(defclass Elementwise (Func) ()
  (:documentation "An op on tensors of one shape whose result has the dtype of the first."))
(defclass Comparison (Func) ()
  (:documentation "An elementwise op whose result is bool."))

(defmethod forward ((op Elementwise) &rest inputs)
  (if (rest inputs)
      (st "A[~] B[~] -> A[~]" (inputs))
      (st "A[~] -> A[~]" (inputs))))

(defmethod forward ((op Comparison) &rest inputs)
  (st "A[~] B[~] -> A[~]" (inputs) (:dtype . :bool)))

(defmacro define-op (class (superclass) (&rest inputs) documentation &key lower (backward nil backward-p))
  "A class of ops with fixed inputs; `lower` and `backward` are forms over them (and `op`, `dout`)."
  `(progn
     (defclass ,class (,superclass) () (:documentation ,documentation))
     (defmethod lower ((op ,class) &rest inputs)
       (destructuring-bind ,inputs inputs ,lower))
     ,@(when backward-p
         `((defmethod backward ((op ,class) &rest douts)
             (destructuring-bind (dout) douts
               (declare (ignorable dout))
               (destructuring-bind ,inputs (func-variables op)
                 (declare (ignorable ,@inputs))
                 ,backward)))))))

(defmacro define-unary (name class documentation &rest definition)
  "An elementwise function of floats; integers and bools become the default float first."
  `(progn
     (define-op ,class (Elementwise) (x) ,documentation ,@definition)
     (defun ,name (x)
       ,documentation
       (let ((x (as-tensor x)))
         (apply-op ',class (!cast x (default-float-of (dtype-of x))))))))

(defmacro define-binary (name class superclass documentation &rest definition)
  "An elementwise function of two operands, which promote and broadcast."
  `(progn
     (define-op ,class (,superclass) (a b) ,documentation ,@definition)
     (defun ,name (a b)
       ,documentation
       (apply #'apply-op ',class (broadcast-operands a b)))))
