;;;; Ops that go along an axis in order: cumulative sums and the like, and sorting.
(in-package :caten)

;;; Scans --------------------------------------------------------------------------------------

(defclass scan-op (Func)
  ((operation :initarg :operation :accessor operation)
   (axis :initarg :axis :accessor scan-axis))
  (:documentation "Element i along the axis combines the elements 0 to i."))
(defmethod forward ((op scan-op) &rest inputs)
  (result-like (first inputs) (shape (first inputs))))
(defmethod lower ((op scan-op) &rest inputs)
  (%scan (operation op) (first inputs) (scan-axis op)))

(defun scan (operation x axis)
  (if (zerop (ndim x))
      x
      (forward (make-instance 'scan-op :operation operation :axis axis) x)))

(defun scan-from-end (operation x axis)
  (!flip (scan operation (!flip x :axis axis) axis) :axis axis))

(defmethod backward ((op scan-op) &rest douts)
  (let ((x (first (func-variables op)))
        (dout (first douts))
        (axis (scan-axis op)))
    (ecase (operation op)
      (:add (scan-from-end :add dout axis))
      (:mul (if *no-grad*
                (cumulative-product-gradient dout x axis)
                (cumulative-product-gradient-by-pairs dout x axis)))
      ((:max :min) (scatter-sum x (extreme-places (operation op) x axis) dout axis t)))))

(defun cumulative-product-gradient-by-pairs (dout x axis)
  "As `cumulative-product-gradient`, in quadratic time and with the right derivatives also at zeros."
  (let* ((x (!transpose x axis -1))
         (rank (ndim x))
         (size (car (last (shape x))))
         (i (!gid-of-shape (list size 1) 0))
         (k (!gid-of-shape (list 1 size) 1))
         ;; Row i: the products without element i.
         (products (scan :mul (!where (!eq i k) 1.0 (!unsqueeze x -2)) rank))
         (shares (!where (!>= k i) (!mul (!unsqueeze (!transpose dout axis -1) -2) products) 0.0)))
    (!transpose (squeeze-axes (sum-axes shares (list rank)) (list rank) t) axis -1)))

(defun cumulative-product-gradient (dout x axis)
  "Up to the first 0 of a line, element i shares in the products from i on; at the first 0 these are
the products without it; behind it all are 0."
  (let* ((zero (!eq x 0.0))
         (count (scan :add (!cast zero :int64) axis))
         (first (!and zero (!eq count 1))))
    (flet ((shares (factors)
             (scan-from-end :add (!mul dout (scan :mul factors axis)) axis)))
      (!where first
              (shares (!where first 1.0 x))
              (!where (!eq count 0) (!div (shares x) x) 0.0)))))

(defun extreme-places (operation x axis)
  "Where each element of a cumulative extreme comes from: the last place that attains it."
  (let* ((result (scan operation x axis))
         (hits (!or (!eq x result) (!isnan x))))
    (scan :max (!where hits (!gid x axis) 0) axis)))

(defmacro define-scan (name operation (variable) prepare documentation)
  "A cumulative function of an axis; `prepare` gives what is scanned."
  `(defun ,name (,variable &key (axis -1))
     ,documentation
     (let* ((,variable (as-tensor ,variable))
            (axis (normalize-axis axis (ndim ,variable))))
       (scan ,operation ,prepare axis))))

(define-scan !cumsum :add (x) (widen x)
  "The sums of the elements up to each one along an axis; narrow integers and bools give int64.")
(define-scan !cumprod :mul (x) (widen x)
  "The products of the elements up to each one along an axis; narrow integers and bools give int64.")

(defun cumulative-extreme (operation x axis)
  (let* ((x (as-tensor x))
         (axis (normalize-axis axis (ndim x))))
    (values (scan operation x axis)
            (if (zerop (ndim x))
                (constant 0 :int64)
                (extreme-places operation x axis)))))

(defun !cummax (x &key (axis -1))
  "The maxima of the elements up to each one along an axis, and their (last) indices; NaN stays."
  (cumulative-extreme :max x axis))

(defun !cummin (x &key (axis -1))
  "The minima of the elements up to each one along an axis, and their (last) indices; NaN stays."
  (cumulative-extreme :min x axis))

;;; Sorting ------------------------------------------------------------------------------------

(defclass sort-op (Func)
  ((axis :initarg :axis :accessor sort-axis)
   (descending :initarg :descending :accessor descending-p))
  (:documentation "The positions of the elements along an axis in stable order, NaN last."))
(defmethod forward ((op sort-op) &rest inputs)
  (%make-tensor-node (shape (first inputs)) :int64))
(defmethod lower ((op sort-op) &rest inputs)
  (%sort (first inputs) (sort-axis op) (descending-p op)))

(defun !argsort (x &key (axis -1) descending)
  "The indices that sort `x` along an axis, int64. Equal elements keep their order; NaN come last."
  (let* ((x (as-tensor x))
         (axis (normalize-axis axis (ndim x))))
    (if (zerop (ndim x))
        (constant 0 :int64)
        (forward (make-instance 'sort-op :axis axis :descending descending) x))))

(defun !sort (x &key (axis -1) descending)
  "The elements of `x` in order along an axis, and their indices. Stable; NaN come last."
  (let* ((x (as-tensor x))
         (indices (!argsort x :axis axis :descending descending)))
    (values (!take-along-axis x indices :axis axis) indices)))

(defun !topk (x k &key (axis -1) (largest t))
  "The `k` greatest (smallest) elements along an axis in order, and their indices; NaN come last."
  (let* ((x (as-tensor x))
         (axis (normalize-axis axis (ndim x)))
         (size (if (zerop (ndim x)) 1 (nth axis (shape x)))))
    (when (and (integerp k) (or (minusp k) (and (integerp size) (> k size))))
      (%fail :bad-size "`!topk` of ~a elements along an axis of size ~a" k size))
    (let* ((order (!argsort x :axis axis :descending largest))
           (indices (if (zerop (ndim x)) order (slice-axis order axis 0 (dim-of k)))))
      (values (!take-along-axis x indices :axis axis) indices))))
