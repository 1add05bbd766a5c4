;;;; Indices as data: iota, gather, one-hot.
(in-package :caten)

(defclass iota-op (Func)
  ((shape :initarg :shape :accessor new-shape)
   (axis :initarg :axis :accessor iota-axis))
  (:documentation "Each element's index along an axis, int64."))
(defmethod forward ((op iota-op) &rest inputs)
  (declare (ignore inputs))
  (%make-tensor-node (new-shape op) :int64))
(defmethod lower ((op iota-op) &rest inputs)
  (declare (ignore inputs))
  (%iota (new-shape op) (iota-axis op)))

(defun !gid-of-shape (shape axis)
  (forward (make-instance 'iota-op :shape shape :axis axis)))

(defun !gid (x axis)
  "The index of each element of `x` along `axis`, int64."
  (!gid-of-shape (shape x) (normalize-axis axis (ndim x))))

(defun !index-components (shape)
  "The row-major number of each element of a tensor of that shape (or of a tensor), int64."
  (let ((dims (if (tensor-p shape) (shape shape) (dims-of shape))))
    (reshape (!gid-of-shape (list (dim-product dims)) 0) dims)))

(defclass gather-op (Func)
  ((axis :initarg :axis :accessor gather-axis))
  (:documentation "NumPy's take: the elements of the first input at the indices along an axis."))
(defmethod forward ((op gather-op) &rest inputs)
  (destructuring-bind (x indices) inputs
    (let ((dims (shape x))
          (axis (gather-axis op)))
      (result-like x (append (subseq dims 0 axis) (shape indices) (subseq dims (1+ axis)))))))
(defmethod lower ((op gather-op) &rest inputs)
  (%gather (first inputs) (second inputs) (gather-axis op)))
(defmethod backward ((op gather-op) &rest douts)
  ;; Element v of the axis received the sum over the places whose index is v.
  (destructuring-bind (x indices) (func-variables op)
    (let* ((axis (gather-axis op))
           (dims (shape x))
           (size (nth axis dims))
           (places (dim-product (shape indices)))
           (before (subseq dims 0 axis))
           (after (subseq dims (1+ axis)))
           (ones (make-list (length after) :initial-element 1))
           (flat (!cast (reshape indices (list places)) :int64))
           (hits (!eq (reshape (!where (!< flat 0) (!add flat size) flat) (list places 1))
                      (!gid-of-shape (list 1 size) 1))))
      (values
       (reshape
        (sum-axes (!where (reshape hits (append (list places size) ones))
                          (reshape (first douts) (append before (list places 1) after))
                          0.0)
                  (list axis))
        dims)
       nil))))

(defun index-tensor (indices)
  "Indices as integers; float ids are accepted."
  (let ((indices (as-tensor indices)))
    (if (eq (dtype-of indices) :int64) indices (!cast indices :int64))))

(defun !gather (x indices &key (axis 0))
  "The elements of `x` at `indices` along `axis`; the axis is replaced by the shape of the indices.
Negative indices count from the end; others out of range are a run-time error."
  (forward (make-instance 'gather-op :axis (normalize-axis axis (ndim x))) x (index-tensor indices)))

(defun !index-select (x axis indices)
  "As `!gather` with the axis first."
  (!gather x indices :axis axis))

(defun !embedding (ids weight)
  "The rows of `weight` at `ids`."
  (!gather weight ids :axis 0))

(defun !one-hot (ids classes &key (dtype *default-float*))
  "A new last axis of size `classes` with 1 at the id and 0 elsewhere."
  (let ((ids (index-tensor ids)))
    (!cast (!eq (!unsqueeze ids -1) (!gid-of-shape (list classes) 0)) dtype)))
