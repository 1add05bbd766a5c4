;;;; Views with NumPy's subscripts, and what is built from slices.
(in-package :caten)

(defun clamp-dim (dim low high)
  (dim-max low (dim-min dim high)))

(defun slice-bound (bound size low high)
  "A bound of a range: negative numbers count from the end, then it is clamped to low..high."
  (let ((bound (dim-of bound)))
    (clamp-dim (if (and (integerp bound) (minusp bound)) (dim+ bound size) bound) low high)))

(defun forward-slice (start stop step size)
  (let ((stop (if stop (slice-bound stop size 0 size) size))
        (start (if start (slice-bound start size 0 size) 0)))
    (list start (dim-max 0 (dim-ceil-div (dim- stop start) step)) step)))

(defun backward-slice (start stop step size)
  (let ((stop (if stop (slice-bound stop size -1 (dim- size 1)) -1))
        (start (if start (slice-bound start size -1 (dim- size 1)) (dim- size 1))))
    (list start (dim-max 0 (dim-ceil-div (dim- start stop) (- step))) step)))

(defun element-slice (index size)
  "The slice of one element; negative indices count from the end."
  (let* ((dim (dim-of index))
         (start (if (and (integerp dim) (minusp dim)) (dim+ dim size) dim)))
    (when (and (integerp start) (integerp size) (not (< -1 start size)))
      (%fail :bad-index "index ~a is out of range for an axis of size ~a" dim size))
    (list start 1 1)))

(defun size-expression-p (form)
  "Whether a list is a size such as (+ n 1) and not a range."
  (member (first form) '(+ - * floor-div ceil-div mod max min)))

(defun broadcast-subscript-p (subscript)
  (and (consp subscript) (eq (first subscript) :~)))

(defun element-subscript-p (subscript)
  (not (or (eq subscript t)
           (and (consp subscript) (not (size-expression-p subscript))))))

;;; Bounds known at run time. A start may be; the size of the view must not.

(defun linear-form (x)
  "A bound as a size plus run-time tensors: the size, and an alist from tensors to coefficients."
  (cond ((not (tensor-p x)) (values (dim-of x) nil))
        ((%entry-size x) (values (%entry-size x) nil))
        ((and (typep (tensor-op x) '(or add-op sub-op)) (eql (ndim x) 0))
         (destructuring-bind (a b) (tensor-variables x)
           (let ((sign (if (typep (tensor-op x) 'sub-op) -1 1)))
             (multiple-value-bind (size-a terms-a) (linear-form a)
               (multiple-value-bind (size-b terms-b) (linear-form b)
                 (values (dim+ size-a (dim* sign size-b))
                         (add-terms terms-a (loop for (term . n) in terms-b
                                                  collect (cons term (* sign n))))))))))
        ((and (typep (tensor-op x) 'Cast) (integer-dtype-p (dtype-of (first (tensor-variables x)))))
         (linear-form (first (tensor-variables x))))
        (t (values 0 (list (cons x 1))))))

(defun add-terms (a b)
  (loop for (term . n) in b
        do (let ((known (assoc term a)))
             (setf a (acons term (+ n (if known (cdr known) 0)) (remove known a)))))
  (remove 0 a :key #'cdr))

(defun run-time-p (bound)
  "Whether a bound depends on a tensor that is known at run time only."
  (and (tensor-p bound) (nth-value 1 (linear-form bound)) t))

(defun entry-bound (bound)
  "A bound without run-time parts as a size."
  (if (tensor-p bound) (values (linear-form bound)) bound))

(defun checked-start (start size length step)
  "A run-time start, counted from the end when negative, as an index. A run-time error names the first
index of the view that is outside the axis."
  (unless (and (zerop (ndim start)) (integer-dtype-p (dtype-of start)))
    (%fail :bad-axis "a bound of `!view` must be an integer or a scalar integer tensor, not ~(~a~) ~a"
           (dtype-of start) (shape start)))
  (let* ((reach (dim* (dim- length 1) step))
         (end (size-tensor size))
         (start (!cast start :int64)))
    (when (and (integerp length) (integerp size) (plusp length) (>= (abs reach) size))
      (%fail :bad-size "a view of ~a elements does not fit into an axis of size ~a" length size))
    (flet ((known (index) (!gather (!gid-of-shape (list size) 0) index)))
      (case length
        (0 (constant 0 :int64))
        (1 (known start))
        (t
         (let* ((index (!where (!< start 0) (!add start end) start))
                (last (!add index (size-tensor reach)))
                (checked (!where (!or (!< index 0) (!>= index end))
                                 start
                                 (if (minusp step)
                                     ;; Negative indices would count from the end.
                                     (!where (!< last 0) (!sub last end) index)
                                     (!where (!>= last end) last index)))))
           ;; What is empty may start anywhere.
           (known (if (integerp length)
                      checked
                      (!where (!eq (size-tensor length) 0) 0 checked)))))))))

(defun run-time-slice (start stop step size)
  "The slice of a range whose start is known at run time."
  (unless (and start stop)
    (%fail :bad-size
           "a range of `!view` with a run-time bound needs both: its size must be known at entry"))
  (multiple-value-bind (size-a terms-a) (linear-form start)
    (multiple-value-bind (size-b terms-b) (linear-form stop)
      (when (add-terms terms-a (loop for (term . n) in terms-b collect (cons term (- n))))
        (%fail :bad-size "the size of a range of `!view` depends on a run-time tensor: only its start
may, as in (start (!+ start length))"))
      (let ((length (dim-max 0 (if (plusp step)
                                   (dim-ceil-div (dim- size-b size-a) step)
                                   (dim-ceil-div (dim- size-a size-b) (- step))))))
        (list (checked-start start size length step) length step)))))

(defun subscript-slice (subscript size)
  "The slice `(start size step)` of an axis that a subscript names."
  (cond ((eq subscript t) (list 0 size 1))
        ((and (element-subscript-p subscript) (run-time-p subscript))
         (list (checked-start subscript size 1 1) 1 1))
        ((element-subscript-p subscript) (element-slice (entry-bound subscript) size))
        ((broadcast-subscript-p subscript) (list 0 size 1))
        (t
         (destructuring-bind (start stop &optional (step 1)) subscript
           (cond ((not (integerp step))
                  (%fail :bad-index "the step ~a of a range must be an integer" step))
                 ((and (/= step 0) (or (run-time-p start) (run-time-p stop)))
                  (run-time-slice start stop step size))
                 ((plusp step)
                  (forward-slice (entry-bound start) (entry-bound stop) step size))
                 ((minusp step)
                  (backward-slice (entry-bound start) (entry-bound stop) step size))
                 (t (%fail :bad-index "the step of a range must not be 0")))))))

(defun check-subscript (part subscript slice size)
  "`part` with the checks that a subscript with symbols needs at entry."
  (cond ((broadcast-subscript-p subscript)
         (checked part size 1 "`(:~~ n)` of `!view` on an axis that is not 1"))
        ((and (element-subscript-p subscript)
              (not (tensor-p (first slice)))
              (not (and (integerp (first slice)) (integerp size))))
         (checked part (first slice) (clamp-dim (first slice) 0 (dim- size 1))
                  "index ~a of `!view` out of range" subscript))
        (t part)))

(defun !view (x &rest subscripts)
  "A part of `x`, one subscript per axis: t all; i one element (the axis stays, with size 1);
(a b) and (a b step) half-open ranges, nil for an open end; (:~ n) repeats an axis of size 1."
  (when (> (length subscripts) (ndim x))
    (%fail :bad-axis "`!view` has ~a subscripts for a tensor of rank ~a" (length subscripts) (ndim x)))
  (let* ((subscripts (append subscripts
                             (make-list (- (ndim x) (length subscripts)) :initial-element t)))
         (slices (mapcar #'subscript-slice subscripts (shape x)))
         (part (slice x slices))
         (result (expand part
                         (loop for subscript in subscripts
                               for dim in (shape part)
                               collect (if (broadcast-subscript-p subscript)
                                           (dim-of (second subscript))
                                           dim)))))
    (loop for subscript in subscripts
          for slice in slices
          for size in (shape x)
          do (setf result (check-subscript result subscript slice size)))
    result))

(defun view-base (x)
  "The tensor that `x` is a view of."
  (loop while (typep (tensor-op x) 'view-op)
        do (setf x (first (tensor-variables x))))
  x)

(defun !view-from-base (x &rest subscripts)
  "As `!view`, of the tensor that `x` is a view of."
  (apply #'!view (view-base x) subscripts))

;;; Split --------------------------------------------------------------------------------------

(defun !split (x sizes &key (dim 0))
  "The parts of `x` along `dim` as several values: of the sizes in a list, or of one size, of which
the last part may fall short."
  (unless (or (listp sizes) (and (integerp sizes) (plusp sizes)))
    (%fail :bad-size "`!split` needs a positive size or a list of sizes, not ~a" sizes))
  (let* ((axis (normalize-axis dim (ndim x)))
         (total (nth axis (shape x)))
         (sizes (if (listp sizes)
                    (dims-of sizes)
                    (loop for start from 0 below (max 1 (constant-size total "!split")) by sizes
                          collect (min sizes (- total start)))))
         (start 0))
    (values-list (loop with all = (reduce #'dim+ sizes :initial-value 0)
                       for size in sizes
                       collect (checked (slice-axis x axis start size) all total
                                        "`!split` of an axis into ~a" sizes)
                       do (setf start (dim+ start size))))))

(defun constant-size (size name)
  (unless (integerp size)
    (%fail :bad-size "`~a` needs an axis of known size, not ~a" name size))
  size)

(defun !chunk (x n &key (dim 0))
  "`x` in `n` parts along `dim`. As in PyTorch the last may be shorter, and there may be fewer; an axis
of unknown size always has `n`, of which the last may be empty."
  (unless (and (integerp n) (plusp n))
    (%fail :bad-size "`!chunk` needs a positive number of parts, not ~a" n))
  (let* ((axis (normalize-axis dim (ndim x)))
         (total (nth axis (shape x)))
         (size (dim-ceil-div total n)))
    (cond ((eql total 0) (!split x (make-list n :initial-element 0) :dim axis))
          ((integerp total) (!split x size :dim axis))
          ((dim= (dim* n size) total) (!split x (make-list n :initial-element size) :dim axis))
          (t (values-list
              (loop for i below n
                    for start = (dim-min (dim* i size) total)
                    collect (slice-axis x axis start (dim-min size (dim- total start)))))))))

;;; Padding ------------------------------------------------------------------------------------

(defun reflected (x axis low high)
  (let ((size (nth axis (shape x))))
    (!concatenate axis
                  (slice-axis x axis low low -1)
                  x
                  (slice-axis x axis (dim- size 2) high -1))))

(defun replicated (x axis low high)
  (let* ((size (nth axis (shape x)))
         (first (slice-axis x axis 0 1))
         (last (slice-axis x axis (dim- size 1) 1)))
    (!concatenate axis
                  (expand first (replace-nth axis low (shape x)))
                  x
                  (expand last (replace-nth axis high (shape x))))))

(defun circular (x axis low high)
  (let ((size (nth axis (shape x))))
    (!concatenate axis (slice-axis x axis (dim- size low) low) x (slice-axis x axis 0 high))))

(defun padding-value (value dtype)
  "The number as an element of the dtype."
  (cond ((eq dtype :bool) (if (and value (not (eql value 0)) (not (eql value 0.0))) 1 0))
        ((not (realp value)) (%fail :bad-constant "a padding value must be a number, not ~a" value))
        ((float-dtype-p dtype) value)
        ((= value (truncate value)) (truncate value))
        (t (%fail :bad-constant "the padding value ~a is no ~(~a~)" value dtype))))

(defun require-padding-fits (x axis widths mode)
  "What reflected and circular padding repeats must be there."
  (let ((size (nth axis (shape x)))
        (spare (if (eq mode :reflect) 1 0)))
    (dolist (width widths)
      (when (and (integerp size) (integerp width)
                 (> width (if (eq mode :replicate) (* size width) (- size spare))))
        (%fail :bad-size "`!pad` by ~a in the mode ~(~s~) does not work on an axis of size ~a" width
               mode size)))))

(defun !pad (x widths &key (mode :constant) (value 0.0))
  "`x` with `(low high)` elements added around each axis; negative numbers crop. Modes: :constant
(`value`), :reflect, :replicate, :circular."
  (unless (= (length widths) (ndim x))
    (%fail :bad-axis "`!pad` needs one (low high) per axis of a tensor of rank ~a, not ~a" (ndim x)
           widths))
  (let* ((widths (loop for pair in widths
                       collect (if (eq pair t) '(0 0) (dims-of pair))))
         (added (loop for (low high) in widths collect (list (dim-max low 0) (dim-max high 0))))
         (x (slice x (loop for (low high) in widths
                           for dim in (shape x)
                           for cut = (dim-max 0 (dim- 0 low))
                           collect (list cut (dim- (dim- dim cut) (dim-max 0 (dim- 0 high))) 1)))))
    (if (eq mode :constant)
        (pad x added (padding-value value (dtype-of x)))
        (loop for (low high) in added
              for axis from 0
              do (unless (and (eql low 0) (eql high 0))
                   (require-padding-fits x axis (list low high) mode)
                   (setf x (funcall (ecase mode
                                      (:reflect #'reflected)
                                      (:replicate #'replicated)
                                      (:circular #'circular))
                                    x axis low high)))
              finally (return x)))))

(defun !padding (x widths &key (value 0.0))
  "`x` with `(low high)` elements of `value` around each axis; t leaves an axis alone."
  (!pad x widths :value value))

(defun !padding2d (x widths &key (value 0.0))
  "`x` with `(left right top bottom)` elements of `value` around its last two axes."
  (destructuring-bind (left right top bottom) widths
    (!pad x (append (make-list (- (ndim x) 2) :initial-element t)
                    (list (list top bottom) (list left right)))
          :value value)))

;;; Copies, triangles --------------------------------------------------------------------------

(defclass copy-op (Movement) ()
  (:documentation "A value of its own: never an alias of what it was made from."))
(defmethod forward ((op copy-op) &rest inputs)
  (st "A[~] -> A[~]" (inputs)))
(defmethod lower ((op copy-op) &rest inputs)
  (first inputs))
(defmethod backward ((op copy-op) &rest douts)
  (first douts))

(defun !copy (x)
  "A copy of `x`."
  (apply-op 'copy-op x))

(defun !contiguous (x)
  "`x` as a value of its own, not a view."
  (!copy x))

(defun triangle-offsets (x)
  "Column minus row of every element of the last two axes, broadcastable to `x`."
  (when (< (ndim x) 2)
    (%fail :bad-axis "a triangle needs a tensor of rank 2 or more, not ~a" (ndim x)))
  (destructuring-bind (rows columns) (last (shape x) 2)
    (!sub (!gid-of-shape (list 1 columns) 1) (!gid-of-shape (list rows 1) 0))))

(defun zero-for (x)
  "The zero that leaves `x` its dtype: a number would make integers of bools."
  (if (eq (dtype-of x) :bool) nil 0))

(defun !tril (x &key (diagonal 0))
  "`x` with zeros above the given diagonal."
  (!where (!<= (triangle-offsets x) diagonal) x (zero-for x)))

(defun !triu (x &key (diagonal 0))
  "`x` with zeros below the given diagonal."
  (!where (!>= (triangle-offsets x) diagonal) x (zero-for x)))

(defun !roll (x shift &key axis)
  "`x` moved by `shift` places along `axis`, around the end; without an axis, in row-major order."
  (if axis
      (let* ((axis (normalize-axis axis (ndim x)))
             (size (nth axis (shape x)))
             (start (dim-mod (dim- 0 shift) (dim-max size 1))))
        (!concatenate axis
                      (slice-axis x axis start (dim- size start))
                      (slice-axis x axis 0 start)))
      (reshape (!roll (!flatten-all x) shift :axis 0) (shape x))))

(defun !diagonal (x &key (offset 0))
  "The diagonal of the last two axes, `offset` places above (below when negative)."
  (when (< (ndim x) 2)
    (%fail :bad-axis "`!diagonal` needs a tensor of rank 2 or more, not ~a" (ndim x)))
  (destructuring-bind (rows columns) (last (shape x) 2)
    (let* ((row (dim-max 0 (dim- 0 offset)))
           (column (dim-max 0 offset))
           (length (dim-max 0 (dim-min (dim- rows row) (dim- columns column))))
           (batch (butlast (shape x) 2))
           (flat (reshape x (append batch (list (dim* rows columns))))))
      (if (integerp columns)
          (slice-axis flat (length batch) (dim+ (dim* row columns) column) length (1+ columns))
          (!gather flat (!add (!mul (!gid-of-shape (list length) 0) (size-tensor (dim+ columns 1)))
                              (size-tensor (dim+ (dim* row columns) column)))
                   :axis (length batch))))))
