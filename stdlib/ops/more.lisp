;;;; Functions beyond the common ones, composed of those.
(in-package :caten)

;;; Elementwise ----------------------------------------------------------------------------------

(defun negative-p (x)
  "Whether the sign bit of an AIR node of float64 is set."
  (%< (%bitcast x :int64) 0))

(define-op atan2-op (Elementwise) (y x) "The angle of the point (x, y)."
  :lower (let ((dtype (%dtype y))
               (y (%cast y :float64))
               (x (%cast x :float64)))
           (let* ((a (%where (negative-p y) (%neg y) y))
                  (b (%where (negative-p x) (%neg x) x))
                  ;; 0 / 0 and inf / inf have angles, too.
                  (ratio (%where (%= a b) (%where (%= a 0) 0 1) (%div a b)))
                  (angle (%atan ratio))
                  (angle (%where (negative-p x) (%sub pi angle) angle))
                  (angle (%where (negative-p y) (%neg angle) angle)))
             (%cast (%where (%or (%/= x x) (%/= y y)) (%add x y) angle) dtype)))
  :backward (let ((squares (!add (!square x) (!square y))))
              (values (!mul dout (!div x squares)) (!neg (!mul dout (!div y squares))))))

(defun !atan2 (y x)
  "The angle of the point (x, y), from -pi to pi."
  (let ((operands (broadcast-operands y x)))
    (apply #'apply-op 'atan2-op
           (promote operands (default-float-of (dtype-of (first operands)))))))

(defun !hypot (a b)
  "sqrt(a^2 + b^2), without overflow on the way."
  (destructuring-bind (a b) (mapcar #'!abs (mapcar #'as-float (broadcast-operands a b)))
    (let* ((infinite (!or (!isinf a) (!isinf b)))
           (most (with-no-grad (!maximum a b)))
           (scale (!where (!or (!eq most 0.0) infinite) 1.0 most)))
      (!where infinite (inf)
              (!mul scale (root (!add (!square (!div a scale)) (!square (!div b scale)))))))))

(defun !logaddexp (a b)
  "log(exp a + exp b) without overflow."
  (log-sum (mapcar #'as-float (broadcast-operands a b))))

(defun log-sum (xs)
  "log(exp a + exp b + …) of tensors; -inf where all are, with gradient 0 there."
  (let* ((peak (with-no-grad (reduce #'!maximum xs)))
         (shift (!where (!isinf peak) 0.0 peak))
         (sum (reduce #'!add (loop for x in xs collect (!exp (!sub x shift)))))
         (none (!eq sum 0.0)))
    (!where none (-inf) (!add (!log (!where none 1.0 sum)) shift))))

(defun !log10 (x)
  "The logarithm to base 10."
  (let ((x (as-float x)))
    (!cast (!mul (!log (!cast x :float64)) (/ (log 10d0))) (dtype-of x))))

(defun !logit (x &key eps)
  "log(x / (1 - x)), the inverse of the sigmoid; `eps` keeps x between eps and 1 - eps."
  (let ((x (if eps (!clip (as-float x) eps (- 1 eps)) (as-float x))))
    (!log (!div x (!sub 1.0 x)))))

(defun !isfinite (x)
  "Whether each element is neither an infinity nor NaN."
  (!not (!or (!isinf x) (!isnan x))))

(defun greatest-of (dtype)
  "The greatest number of a float dtype."
  (ecase dtype
    (:float64 most-positive-double-float)
    (:float32 3.4028234663852886d38)
    (:bfloat16 3.3895313892515355d38)
    (:float16 65504d0)))

(defun !nan-to-num (x &key (nan 0.0) posinf neginf)
  "`x` with `nan` for NaN and, for the infinities, `posinf` and `neginf` or the greatest and least
numbers of the dtype."
  (let ((x (as-tensor x)))
    (if (float-dtype-p (dtype-of x))
        (let ((most (greatest-of (dtype-of x))))
          (!where (!isnan x) nan
                  (!where (!eq x (inf)) (or posinf most)
                          (!where (!eq x (-inf)) (or neginf (- most)) x))))
        x)))

(defun !masked-fill (x mask value)
  "`x` with `value` where the mask is true."
  (let ((x (as-tensor x)))
    (!where mask (at-dtype value (dtype-of x)) x)))

;;; Matrices -------------------------------------------------------------------------------------

(defun !eye (rows &optional (columns rows) &key (dtype *default-float*))
  "The identity matrix, or a rectangle with ones on the diagonal."
  (!cast (!eq (!gid-of-shape (list (dim-of rows) 1) 0) (!gid-of-shape (list 1 (dim-of columns)) 1))
         dtype))

(defun !trace (x)
  "The sum of the diagonal of the last two axes."
  (!sum (!diagonal x) :axis -1 :squeeze t))

(defun !tensordot (a b &key (axes 2))
  "The sum of the products over the last `axes` axes of a and the first of b, or over two lists of
axes, one for each."
  (multiple-value-bind (of-a of-b)
      (if (integerp axes)
          (values (last-axes axes (ndim a)) (loop for i below axes collect i))
          (values (loop for axis in (first axes) collect (normalize-axis axis (ndim a)))
                  (loop for axis in (second axes) collect (normalize-axis axis (ndim b)))))
    (flet ((sizes (x axes) (loop for i in axes collect (nth i (shape x))))
           (others (x axes) (set-difference-in-order (loop for i below (ndim x) collect i) axes)))
      (let ((free-a (others a of-a))
            (free-b (others b of-b)))
        (loop for m in (sizes a of-a)
              for n in (sizes b of-b)
              do (require-equal-dims m n "`!tensordot` of shapes ~a and ~a" (shape a) (shape b)))
        (flet ((matrix (x rows columns)
                 (reshape (!permute x (append rows columns))
                          (list (dim-product (sizes x rows)) (dim-product (sizes x columns))))))
          (reshape (!matmul (matrix a free-a of-a) (matrix b of-b free-b))
                   (append (sizes a free-a) (sizes b free-b))))))))

(defun set-difference-in-order (list others)
  (remove-if #'(lambda (x) (member x others)) list))

(defun !cdist (a b &key (p 2))
  "The p-norm of the difference of every row of a (… m d) and every row of b (… n d): (… m n)."
  (destructuring-bind (a b) (mapcar #'as-float (promote (list a b)))
    (with-wide (a b)
      (!norm (!sub (!unsqueeze a -2) (!unsqueeze b -3)) :axis -1 :ord p :squeeze t))))

(defun !meshgrid (&rest xs)
  "For each of some vectors (scalars count as one element) the tensor that has it along its own axis
and the others' sizes along theirs, as several values."
  (let ((dims (loop for x in xs
                    do (when (> (ndim x) 1)
                         (%fail :shape-mismatch "`!meshgrid` needs vectors, not a tensor of shape ~a"
                                (shape x)))
                    collect (dim-product (shape x)))))
    (values-list
     (loop for x in xs
           for i from 0
           collect (expand (reshape x (replace-nth i (nth i dims)
                                                   (make-list (length dims) :initial-element 1)))
                           dims)))))

;;; Along an axis --------------------------------------------------------------------------------

(defun !diff (x &key (axis -1) (n 1))
  "The differences of neighbours along an axis, `n` times."
  (let ((axis (normalize-axis axis (ndim x)))
        (x x))
    (dotimes (i n x)
      (when (eql (nth axis (shape x)) 0)
        (return x))
      (let ((size (dim- (nth axis (shape x)) 1)))
        (setf x (if (eq (dtype-of x) :bool)
                    (!xor (slice-axis x axis 1 size) (slice-axis x axis 0 size))
                    (!sub (slice-axis x axis 1 size) (slice-axis x axis 0 size))))))))

(defun !count-nonzero (x &key (axis t))
  "How many elements are not 0; the axes are dropped."
  (!sum (!neq x 0) :axis axis :squeeze t))

(defun !normalize (x &key (p 2) (axis 1) (eps 1d-12))
  "x divided by its p-norm along an axis, which counts as at least `eps`."
  (let ((x (as-float x)))
    (with-wide (x) (!div x (!maximum (!norm x :ord p :axis axis) eps)))))

(defun !kthvalue (x k &key (axis -1))
  "The `k`-th least element (from 1) along an axis, which stays with size 1, and its index."
  (unless (or (not (integerp k)) (plusp k))
    (%fail :bad-size "`!kthvalue` counts from 1, not ~a" k))
  (multiple-value-bind (values indices) (!topk x k :axis axis :largest nil)
    (let ((axis (normalize-axis axis (ndim x))))
      (if (zerop (ndim x))
          (values values indices)
          (let ((last (dim- (dim-of k) 1)))
            (values (slice-axis values axis last 1) (slice-axis indices axis last 1)))))))

(defun !median (x &key (axis -1))
  "The middle element along an axis (the lower one of two), which stays with size 1, and its index; a
NaN where there is one."
  (let* ((rank (ndim x))
         (axis (normalize-axis axis rank))
         (size (if (zerop rank) 1 (nth axis (shape x)))))
    (when (eql size 0)
      (%fail :empty-reduction "`!median` of a tensor of shape ~a: axis ~a is empty" (shape x) axis))
    (multiple-value-bind (values indices) (!kthvalue x (dim-ceil-div size 2) :axis axis)
      (if (or (zerop rank) (not (float-dtype-p (dtype-of x))))
          (values values indices)
          (let* ((nan (!isnan x))
                 (indices (!where (!any nan :axis axis)
                                  (!argmax (!cast nan :uint8) :axis axis)
                                  indices)))
            (values (!take-along-axis x indices :axis axis) indices))))))
