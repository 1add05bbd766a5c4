;;;; Reductions. Reduced axes stay with size 1 whatever :keepdims says; `:squeeze t` drops them.
(in-package :caten)

(defclass Reduction (Func)
  ((axes :initarg :axes :accessor reduced-axes))
  (:documentation "An op that combines the elements along some axes, which stay with size 1."))

(defun reduced-shape (shape axes)
  (loop for dim in shape
        for i from 0
        collect (if (member i axes) 1 dim)))

(defmethod forward ((op Reduction) &rest inputs)
  (let ((x (first inputs)))
    (result-like x (reduced-shape (shape x) (reduced-axes op)))))

(defmacro define-reduction (class operation documentation backward)
  "A reduction by one AIR operation; `backward` is a form over `x`, `axes` and `dout`."
  `(progn
     (defclass ,class (Reduction) () (:documentation ,documentation))
     (defmethod lower ((op ,class) &rest inputs)
       (%reduce ,operation (first inputs) (reduced-axes op)))
     ,@(when backward
         `((defmethod backward ((op ,class) &rest douts)
             (let ((x (first (func-variables op)))
                   (axes (reduced-axes op))
                   (dout (first douts)))
               (declare (ignorable x axes))
               ,backward))))))

(define-reduction sum-op :add "The sum." (expand dout (shape x)))
(define-reduction product-op :mul "The product."
  (!mul dout (if *no-grad* (product-of-others x axes) (product-of-others-by-pairs x axes))))
(define-reduction maximum-reduction :max "The maximum."
  (spread-over-ties dout x (max-axes x axes) axes))
(define-reduction minimum-reduction :min "The minimum."
  (spread-over-ties dout x (min-axes x axes) axes))
(define-reduction any-op :or "Whether any element is true." nil)
(define-reduction all-op :and "Whether all elements are true." nil)

(defun reduce-axes (class x axes)
  (if axes
      (forward (make-instance class :axes axes) x)
      x))
(defun sum-axes (x axes) (reduce-axes 'sum-op x axes))
(defun product-axes (x axes) (reduce-axes 'product-op x axes))
(defun max-axes (x axes) (reduce-axes 'maximum-reduction x axes))
(defun min-axes (x axes) (reduce-axes 'minimum-reduction x axes))

(defun spread-over-ties (dout x extreme axes)
  "The gradient of an extreme, shared evenly by the elements that equal it."
  (let ((hits (!eq x extreme)))
    (!where hits (!div dout (sum-axes (!cast hits (dtype-of x)) axes)) 0.0)))

(defun product-of-others-by-pairs (x axes)
  "As `product-of-others`, in quadratic time and with the right derivatives also at zeros."
  (let* ((kept (remove-if #'(lambda (i) (member i axes)) (loop for i below (ndim x) collect i)))
         (order (append kept axes))
         (moved (!permute x order))
         (count (dim-product (last (shape moved) (length axes))))
         (before (butlast (shape moved) (length axes)))
         (rows (expand (reshape moved (append before (list 1 count)))
                       (append before (list count count))))
         (own (!eq (!gid-of-shape (list count 1) 0) (!gid-of-shape (list 1 count) 1)))
         (products (product-axes (!where own 1.0 rows) (list (1- (ndim rows))))))
    (!permute (reshape products (shape moved))
              (loop for i below (ndim x) collect (position i order)))))

(defun product-of-others (x axes)
  "For each element the product of the others along the axes, exact when some are 0."
  (let* ((zeros (!eq x 0.0))
         (count (sum-axes (!cast zeros (dtype-of x)) axes))
         (nonzero (!where zeros 1.0 x))
         (product (product-axes nonzero axes)))
    (!where zeros
            (!where (!eq count 1.0) product 0.0)
            (!where (!eq count 0.0) (!div product nonzero) 0.0))))

;;; User-level functions -------------------------------------------------------------------------

(defun squeeze-axes (x axes squeeze)
  (if squeeze
      (reshape x (loop for dim in (shape x)
                       for i from 0
                       unless (member i axes) collect dim))
      x))

(defun widen (x)
  "What `!sum` and `!prod` compute in: integers narrower than 64 bits and bools become int64."
  (if (or (float-dtype-p (dtype-of x)) (member (dtype-of x) '(:int64 :uint64)))
      x
      (!cast x :int64)))

(defun require-elements (result name x axes)
  "`result`, an extreme of `x`, which needs at least one element along its axes."
  (loop for dim in (shape x)
        for i from 0
        when (and (member i axes) (eql dim 0))
          do (%fail :empty-reduction "`~a` of a tensor of shape ~a: axis ~a is empty" name (shape x) i)
        when (member i axes)
          do (setf result (checked result dim (dim-max dim 1)
                                   "`~a` of a tensor of shape ~a: axis ~a is empty" name (shape x)
                                   i)))
  result)

(defun !sum (x &key (axis t) keepdims squeeze)
  "The sum over the axes; narrow integers and bools sum to int64."
  (declare (ignore keepdims))
  (let ((axes (normalize-axes x axis)))
    (squeeze-axes (sum-axes (widen x) axes) axes squeeze)))

(defun !prod (x &key (axis t) keepdims squeeze)
  "The product over the axes; narrow integers and bools give int64."
  (declare (ignore keepdims))
  (let ((axes (normalize-axes x axis)))
    (squeeze-axes (product-axes (widen x) axes) axes squeeze)))

(defun !max (x &key (axis t) keepdims squeeze)
  "The maximum over the axes; NaN stays. Ties share the gradient evenly."
  (declare (ignore keepdims))
  (let ((axes (normalize-axes x axis)))
    (squeeze-axes (require-elements (max-axes x axes) "!max" x axes) axes squeeze)))

(defun !min (x &key (axis t) keepdims squeeze)
  "The minimum over the axes; NaN stays. Ties share the gradient evenly."
  (declare (ignore keepdims))
  (let ((axes (normalize-axes x axis)))
    (squeeze-axes (require-elements (min-axes x axes) "!min" x axes) axes squeeze)))

(defun !any (x &key (axis t) keepdims squeeze)
  "Whether any element over the axes is true (!= 0)."
  (declare (ignore keepdims))
  (let ((axes (normalize-axes x axis)))
    (squeeze-axes (reduce-axes 'any-op (!cast x :bool) axes) axes squeeze)))

(defun !all (x &key (axis t) keepdims squeeze)
  "Whether all elements over the axes are true (!= 0)."
  (declare (ignore keepdims))
  (let ((axes (normalize-axes x axis)))
    (squeeze-axes (reduce-axes 'all-op (!cast x :bool) axes) axes squeeze)))

(defun element-count (x axes dtype)
  "The number of elements that a reduction over the axes combines."
  (at-dtype (dim-product (loop for i in axes collect (nth i (shape x)))) dtype))

(defun mean-axes (x axes)
  "The mean in the dtype of `x`, whose 16-bit floats are summed and divided in float32."
  (let* ((dtype (dtype-of x))
         (wide (accumulation-dtype dtype)))
    (!cast (!div (sum-axes (!cast x wide) axes) (element-count x axes wide)) dtype)))

(defun as-float (x)
  (let ((x (as-tensor x)))
    (!cast x (default-float-of (dtype-of x)))))

(defun !mean (x &key (axis t) keepdims squeeze)
  "The mean over the axes, NaN where they are empty; integers give the default float."
  (declare (ignore keepdims))
  (let ((axes (normalize-axes x axis)))
    (squeeze-axes (mean-axes (as-float x) axes) axes squeeze)))

(defun variance-axes (x axes correction)
  (with-wide (x)
    (let* ((deviation (!sub x (mean-axes x axes)))
           (count (element-count x axes (dtype-of x))))
      (!div (sum-axes (!square deviation) axes) (!maximum (!sub count correction) 0.0)))))

(defun !variance (x &key (axis -1) keepdims squeeze (correction 1))
  "The variance over the axes, divided by the count minus `correction`."
  (declare (ignore keepdims))
  (let ((axes (normalize-axes x axis)))
    (squeeze-axes (variance-axes (as-float x) axes correction) axes squeeze)))

(defun !std (x &key (axis -1) keepdims squeeze (correction 1))
  "The standard deviation over the axes: the square root of `!variance`."
  (declare (ignore keepdims))
  (let ((axes (normalize-axes x axis)))
    (squeeze-axes (let ((x (as-float x)))
                    (with-wide (x) (root (variance-axes x axes correction))))
                  axes squeeze)))

(defun root (x)
  "The square root, with gradient 0 at 0."
  (let ((zero (!eq x 0.0)))
    (!where zero 0.0 (!sqrt (!where zero 1.0 x)))))

(defun !norm (x &key (axis t) keepdims squeeze (ord 2))
  "The vector norm over the axes: (sum |x|^ord)^(1/ord). With `ord` inf or -inf the greatest or least
absolute value, with 0 the number of elements other than 0."
  (declare (ignore keepdims))
  (let* ((axes (normalize-axes x axis))
         (x (as-float x)))
    (squeeze-axes
     (with-wide (x)
       (cond ((= ord 1) (sum-axes (!abs x) axes))
             ((= ord 2) (root (sum-axes (!square x) axes)))
             ((= ord (inf)) (require-elements (max-axes (!abs x) axes) "!norm" x axes))
             ((= ord (-inf)) (require-elements (min-axes (!abs x) axes) "!norm" x axes))
             ((zerop ord) (sum-axes (!cast (!neq x 0.0) (dtype-of x)) axes))
             (t (!expt (sum-axes (!expt (!abs x) ord) axes) (/ 1d0 ord)))))
     axes squeeze)))

(defun logsumexp-axes (x axes)
  ;; The maximum is only a shift: where it is infinite it must not make inf - inf.
  (let* ((peak (with-no-grad (max-axes x axes)))
         (shift (!where (!or (!isinf peak) (!isnan peak)) 0.0 peak)))
    (!add (!log (sum-axes (!exp (!sub x shift)) axes)) shift)))

(defun !logsumexp (x &key (axis -1) keepdims squeeze)
  "log(sum(exp x)) over the axes without overflow."
  (declare (ignore keepdims))
  (let ((axes (normalize-axes x axis)))
    (squeeze-axes (let ((x (as-float x)))
                    (with-wide (x) (logsumexp-axes x axes)))
                  axes squeeze)))

;;; Places of extremes ---------------------------------------------------------------------------

(defclass argreduce-op (Func)
  ((extreme :initarg :extreme :accessor extreme)
   (axis :initarg :axis :accessor reduced-axis))
  (:documentation "The index of the first extreme along an axis; a NaN counts as extreme."))
(defmethod forward ((op argreduce-op) &rest inputs)
  (%make-tensor-node (reduced-shape (shape (first inputs)) (list (reduced-axis op))) :int64))
(defmethod lower ((op argreduce-op) &rest inputs)
  (%argreduce (extreme op) (first inputs) (reduced-axis op)))

(defun argreduce (name extreme x axis squeeze)
  (cond ((eq axis t)
         ;; The index in row-major order; the result keeps the rank of `x`.
         (let ((rank (ndim x)))
           (reshape (argreduce name extreme (reshape x (list (dim-product (shape x)))) 0 nil)
                    (if squeeze nil (make-list rank :initial-element 1)))))
        ((zerop (ndim x))
         (normalize-axis axis 0)
         (reshape (argreduce name extreme (reshape x '(1)) 0 nil) nil))
        (t
         (let* ((axis (normalize-axis axis (ndim x)))
                (op (make-instance 'argreduce-op :extreme extreme :axis axis)))
           (squeeze-axes (require-elements (forward op x) name x (list axis))
                         (list axis) squeeze)))))

(defun !argmax (x &key (axis -1) keepdims squeeze)
  "The index of the first maximum along an axis (t: of all elements), int64; NaN counts as extreme."
  (declare (ignore keepdims))
  (argreduce "!argmax" :max x axis squeeze))

(defun !argmin (x &key (axis -1) keepdims squeeze)
  "The index of the first minimum along an axis (t: of all elements), int64; NaN counts as extreme."
  (declare (ignore keepdims))
  (argreduce "!argmin" :min x axis squeeze))
