;;;; Indices as data: iota, gather and scatter, one-hot.
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
  (destructuring-bind (x indices) (func-variables op)
    (values (scatter-sum x indices (first douts) (gather-axis op) nil) nil)))

(defclass take-along-op (gather-op) ()
  (:documentation "NumPy's take_along_axis: an index of its own for every element."))
(defmethod forward ((op take-along-op) &rest inputs)
  (destructuring-bind (x indices) inputs
    (result-like x (shape indices))))
(defmethod lower ((op take-along-op) &rest inputs)
  (%take-along (first inputs) (second inputs) (gather-axis op)))
(defmethod backward ((op take-along-op) &rest douts)
  (destructuring-bind (x indices) (func-variables op)
    (let ((axis (gather-axis op))
          (dout (first douts)))
      (values (if (eql (nth axis (shape indices)) 1)
                  (!where (!eq (from-the-front indices x axis) (!gid x axis)) dout 0)
                  (scatter-sum x indices dout axis t))
              nil))))

(defun from-the-front (indices x axis)
  "Indices along an axis of x, of which negative ones count from the end, without these."
  (!where (!< indices 0) (!add indices (size-tensor (nth axis (shape x)))) indices))

(defclass scatter-op (Func)
  ((mode :initarg :mode :accessor scatter-mode)
   (axis :initarg :axis :accessor scatter-axis)
   (along :initarg :along :accessor scatter-along-p))
  (:documentation "The first input with the third put at (or combined into) the indices of the
second, in row-major order: the inverse of gather-op, or of take-along-op with `along`."))
(defmethod forward ((op scatter-op) &rest inputs)
  (let ((x (first inputs)))
    (result-like x (shape x))))
(defmethod lower ((op scatter-op) &rest inputs)
  (destructuring-bind (x indices updates) inputs
    (%scatter (scatter-mode op) x indices updates (scatter-axis op) (scatter-along-p op))))

(defun scatter (mode x indices updates axis along)
  (forward (make-instance 'scatter-op :mode mode :axis axis :along along) x indices updates))

(defun scatter-sum (x indices updates axis along)
  "Zeros like `x` with the updates added at the indices; 16-bit floats are summed in float32."
  (let ((wide (accumulation-dtype (dtype-of x))))
    (!cast (scatter :add (!full (shape x) 0 :dtype wide) indices (!cast updates wide) axis along)
           (dtype-of x))))

(defun take (x indices axis along)
  (forward (make-instance (if along 'take-along-op 'gather-op) :axis axis) x indices))

(defmethod backward ((op scatter-op) &rest douts)
  (destructuring-bind (x indices updates) (func-variables op)
    (let ((dout (first douts))
          (axis (scatter-axis op))
          (along (scatter-along-p op)))
      (flet ((taken (y) (take y indices axis along))
             (scattered (mode base values)
               (scatter mode base indices (broadcast-to values (shape updates)) axis along)))
        (ecase (scatter-mode op)
          (:add (values dout nil (taken dout)))
          (:set
           ;; Only the update that was written last gets a gradient.
           (let* ((numbers (!index-components updates))
                  (last (scattered :set (!full (shape x) -1 :dtype :int64) numbers)))
             (values (scattered :set dout (!full nil 0 :dtype (dtype-of dout)))
                     nil
                     (!where (!eq (taken last) numbers) (taken dout) 0.0))))
          (:mul
           (let* ((zero (!eq updates 0.0))
                  (product (scattered :mul x (!where zero 1.0 updates)))
                  (count (taken (scattered :add (!full (shape x) 0 :dtype :int64)
                                           (!cast zero :int64))))
                  (share (taken (!mul dout product))))
             (values (!mul dout (scattered :mul (!full (shape x) 1 :dtype (dtype-of x)) updates))
                     nil
                     (!where zero
                             (!where (!eq count 1) share 0.0)
                             (!where (!eq count 0) (!div share updates) 0.0)))))
          ((:max :min)
           ;; Ties share evenly.
           (let* ((result (scattered (scatter-mode op) x updates))
                  (kept (!eq x result))
                  (hits (!eq updates (taken result)))
                  (count (scattered :add (!cast kept (dtype-of x)) (!cast hits (dtype-of x))))
                  (share (!div dout count)))
             (values (!where kept share 0.0) nil (!where hits (taken share) 0.0)))))))))

(defun index-tensor (indices)
  "Indices as int64: a tensor, a number or size, or (nested) lists of numbers."
  (let ((indices (if (and (consp indices) (not (size-expression-p indices)))
                     (change-facet indices :tensor)
                     (as-tensor indices))))
    (unless (integer-dtype-p (dtype-of indices))
      (%fail :bad-index "indices must be integers, not ~(~a~)" (dtype-of indices)))
    (!cast indices :int64)))

(defun !gather (x indices &key (axis 0))
  "The elements of `x` at `indices` along `axis`; the axis is replaced by the shape of the indices.
Negative indices count from the end; others out of range are a run-time error."
  (forward (make-instance 'gather-op :axis (normalize-axis axis (ndim x))) x (index-tensor indices)))

(defun !take-along-axis (x indices &key (axis -1))
  "NumPy's take_along_axis: element i along `axis` is the element of `x` at index i of the same line.
The other axes broadcast."
  (let* ((indices (index-tensor indices))
         (axis (normalize-axis axis (ndim x))))
    (unless (= (ndim x) (ndim indices))
      (%fail :shape-mismatch "`!take-along-axis` needs tensors of one rank, not shapes ~a and ~a"
             (shape x) (shape indices)))
    (if (zerop (ndim x))
        (!gather (reshape x '(1)) indices)
        (let ((joint (%broadcast-shapes (replace-nth axis 1 (shape x))
                                        (replace-nth axis 1 (shape indices)))))
          (take (expand x (replace-nth axis (nth axis (shape x)) joint))
                (expand indices (replace-nth axis (nth axis (shape indices)) joint))
                axis t)))))

(defun check-scatter-mode (name mode)
  (unless (member mode '(:set :add :mul :max :min))
    (%fail :bad-axis "the mode of `~a` is :set, :add, :mul, :max or :min, not ~s" name mode)))

(defun !scatter (x indices values &key (axis 0) (mode :set))
  "`x` with `values`, which broadcast, put where `(!gather x indices :axis axis)` would take them
from. Of several at one index the last stays; with :add, :mul, :max, :min they combine with `x`."
  (check-scatter-mode "!scatter" mode)
  (if (zerop (ndim x))
      (reshape (!scatter (reshape x '(1)) indices values :mode mode) nil)
      (let* ((indices (index-tensor indices))
             (axis (normalize-axis axis (ndim x)))
             (dims (shape x))
             (wanted (append (subseq dims 0 axis) (shape indices) (subseq dims (1+ axis)))))
        (scatter-as-wide mode x indices
                         (broadcast-values "!scatter" (at-dtype values (dtype-of x)) wanted)
                         axis nil))))

(defun !put-along-axis (x indices values &key (axis -1) (mode :set))
  "`x` with `values`, which broadcast to the shape of the indices, put where `!take-along-axis`
would take them from. Modes as of `!scatter`."
  (check-scatter-mode "!put-along-axis" mode)
  (if (zerop (ndim x))
      (reshape (!scatter (reshape x '(1)) (reshape (index-tensor indices) '(1)) values :mode mode)
               nil)
      (let* ((indices (index-tensor indices))
             (axis (normalize-axis axis (ndim x))))
        (unless (= (ndim x) (ndim indices))
          (%fail :shape-mismatch "`!put-along-axis` needs tensors of one rank, not shapes ~a and ~a"
                 (shape x) (shape indices)))
        (let ((wanted (replace-nth axis (nth axis (shape indices)) (shape x))))
          (scatter-as-wide mode x (broadcast-values "!put-along-axis" indices wanted)
                           (broadcast-values "!put-along-axis" (at-dtype values (dtype-of x)) wanted)
                           axis t)))))

(defun broadcast-values (name values shape)
  (unless (and (<= (ndim values) (length shape))
               (loop for a in (%broadcast-shapes (shape values) shape)
                     for b in shape
                     always (or (not (integerp a)) (not (integerp b)) (= a b))))
    (%fail :bad-broadcast "`~a`: a tensor of shape ~a does not broadcast to ~a" name (shape values)
           shape))
  (broadcast-to values shape))

(defun scatter-as-wide (mode x indices values axis along)
  "16-bit floats combine in float32 and are rounded once."
  (let ((wide (if (eq mode :set) (dtype-of x) (accumulation-dtype (dtype-of x)))))
    (!cast (scatter mode (!cast x wide) indices (!cast values wide) axis along) (dtype-of x))))

(defun !index-select (x axis indices)
  "As `!gather` with the axis first."
  (!gather x indices :axis axis))

(defun !embedding (ids weight &key padding-idx)
  "The rows of `weight` at `ids`. Ids that are floats are accepted, as Caten's models have them. The row
`padding-idx` gets no gradient."
  (let* ((ids (!cast (as-tensor ids) :int64))
         (rows (!gather weight ids :axis 0)))
    (if padding-idx
        (let ((count (first (shape weight))))
          (!where (!eq (!unsqueeze ids -1)
                       (if (minusp padding-idx) (size-tensor (dim+ count padding-idx)) padding-idx))
                  (detach rows)
                  rows))
        rows)))

(defun !one-hot (ids classes &key (dtype *default-float*))
  "A new last axis of size `classes` with 1 at the id and 0 elsewhere; ids out of range are a run-time
error."
  (let ((ids (checked-ids (index-tensor ids) classes)))
    (!cast (!eq (!unsqueeze ids -1) (!gid-of-shape (list classes) 0)) dtype)))

(defun ids-from-the-front (ids count)
  "The ids as indices among `count`, where a negative one is out of range instead of counting from the end."
  (!where (!< ids 0) (!sub ids (size-tensor count)) ids))

(defun checked-ids (ids count)
  "The ids, looked up among 0 … count - 1 so that they are checked."
  (!gather (!gid-of-shape (list count) 0) (ids-from-the-front ids count)))
