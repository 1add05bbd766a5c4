;;;; Movement ops: reshape, permute, expand, slice, pad, concatenate. They compute nothing; compiled
;;;; kernels turn them into index expressions.
(in-package :caten)

(defclass Movement (Func) ()
  (:documentation "An op that only rearranges elements."))
(defclass view-op (Movement) ()
  (:documentation "An op whose result names elements of its first input: a view of a stored tensor is
a place."))

(defun result-like (x shape)
  (%make-tensor-node shape (dtype-of x)))

;;; Reshape ------------------------------------------------------------------------------------

(defclass reshape-op (view-op)
  ((shape :initarg :shape :accessor new-shape))
  (:documentation "The same elements in row-major order under another shape."))
(defmethod forward ((op reshape-op) &rest inputs)
  (result-like (first inputs) (new-shape op)))
(defmethod lower ((op reshape-op) &rest inputs)
  (%reshape (first inputs) (new-shape op)))
(defmethod backward ((op reshape-op) &rest douts)
  (reshape (first douts) (shape (first (func-variables op)))))

(defun reshape (x shape)
  (if (same-shape-p (shape x) shape)
      x
      (forward (make-instance 'reshape-op :shape shape) x)))

(defun list-argument (arguments)
  "The arguments of a function that takes a list or its elements."
  (if (and (null (rest arguments)) (listp (first arguments)))
      (first arguments)
      arguments))

(defun resolve-minus-one (x dims)
  "The dims with -1 replaced by what is left of the elements of `x`."
  (let ((total (dim-product (shape x)))
        (known (dim-product (remove -1 dims))))
    (case (count -1 dims)
      (0 dims)
      (1 (when (eql known 0)
           (%fail :bad-reshape "-1 in ~a has no value: the other sizes have the product 0" dims))
       (when (and (integerp total) (integerp known) (/= 0 (mod total known)))
         (%fail :bad-reshape "`!reshape` from ~a to ~a does not fit: ~a elements are no multiple of ~a"
                (shape x) dims total known))
       (substitute (dim-floor-div total known) -1 dims))
      (t (%fail :bad-reshape "`!reshape` to ~a: only one -1 is allowed" dims)))))

(defun !reshape (x &rest shape)
  "The elements of `x` under another shape of as many elements; one -1 stands for the rest."
  (let* ((dims (dims-of (list-argument shape)))
         (new (resolve-minus-one x dims))
         (old-size (dim-product (shape x)))
         (new-size (dim-product new)))
    (dolist (dim new)
      (when (and (integerp dim) (minusp dim))
        (%fail :bad-reshape "`!reshape` to ~a: a size is negative" dims)))
    (when (and (integerp old-size) (integerp new-size) (/= old-size new-size))
      (%fail :bad-reshape "`!reshape` from ~a to ~a does not fit: ~a elements against ~a"
             (shape x) dims old-size new-size))
    (reshape x new)))

(defun !flatten (x &key (axis 1))
  "A matrix whose rows are the axes of `x` before `axis` and whose columns are the others."
  (let ((dims (shape x))
        (axis (if (minusp axis) (+ axis (ndim x)) axis)))
    (unless (<= 0 axis (length dims))
      (%fail :bad-axis "axis ~a is out of range for a tensor of rank ~a" axis (ndim x)))
    (reshape x (list (dim-product (subseq dims 0 axis)) (dim-product (subseq dims axis))))))

(defun !uprank (x count)
  "`x` with `count` axes of size 1 added in front."
  (reshape x (append (make-list count :initial-element 1) (shape x))))

(defun !squeeze (x &key (axis t))
  "`x` without its axes of size 1 (those in `axis`)."
  (let ((axes (normalize-axes x axis)))
    (reshape x (loop for dim in (shape x)
                     for i from 0
                     unless (and (member i axes) (eql dim 1))
                       collect dim))))

(defun !unsqueeze (x axis)
  "`x` with an axis of size 1 at place `axis` of the result."
  (let ((axis (normalize-axis axis (1+ (ndim x)))))
    (reshape x (append (subseq (shape x) 0 axis) (list 1) (subseq (shape x) axis)))))

;;; Permute ------------------------------------------------------------------------------------

(defclass permute-op (view-op)
  ((axes :initarg :axes :accessor new-order))
  (:documentation "The axes in another order: axis i of the result is axis `(nth i order)`."))
(defmethod forward ((op permute-op) &rest inputs)
  (let ((dims (shape (first inputs))))
    (result-like (first inputs) (loop for i in (new-order op) collect (nth i dims)))))
(defmethod lower ((op permute-op) &rest inputs)
  (%permute (first inputs) (new-order op)))
(defmethod backward ((op permute-op) &rest douts)
  (let ((axes (new-order op)))
    (!permute (first douts) (loop for i below (length axes) collect (position i axes)))))

(defun !permute (x &rest axes)
  "The axes of `x` in the given order."
  (let ((axes (loop for axis in (list-argument axes) collect (normalize-axis axis (ndim x)))))
    (unless (and (= (length axes) (ndim x)) (= (length axes) (length (remove-duplicates axes))))
      (%fail :bad-axis "`!permute` needs each of the ~a axes once, not ~a" (ndim x) axes))
    (if (loop for axis in axes for i from 0 always (= axis i))
        x
        (forward (make-instance 'permute-op :axes axes) x))))

(defun !transpose (x &optional (axis1 -1) (axis2 -2))
  "`x` with two axes exchanged."
  (let* ((a (normalize-axis axis1 (ndim x)))
         (b (normalize-axis axis2 (ndim x))))
    (!permute x (loop for i below (ndim x)
                      collect (cond ((= i a) b) ((= i b) a) (t i))))))

(defun !t (x)
  "`x` with its last two axes exchanged."
  (!transpose x -1 -2))

;;; Expand -------------------------------------------------------------------------------------

(defclass expand-op (view-op)
  ((shape :initarg :shape :accessor new-shape))
  (:documentation "Axes of size 1 repeated."))
(defmethod forward ((op expand-op) &rest inputs)
  (result-like (first inputs) (new-shape op)))
(defmethod lower ((op expand-op) &rest inputs)
  (%expand (first inputs) (new-shape op)))
(defmethod backward ((op expand-op) &rest douts)
  ;; Only axes of size 1 were repeated: other sizes are equal, if need be by a check at entry.
  (let ((old (shape (first (func-variables op)))))
    (sum-axes (first douts)
              (loop for a in old
                    for b in (new-shape op)
                    for i from 0
                    when (and (eql a 1) (not (eql b 1))) collect i))))

(defun expand (x shape)
  (if (same-shape-p (shape x) shape)
      x
      (forward (make-instance 'expand-op :shape shape) x)))

(defun !expand (x &rest shape)
  "`x` broadcast to the shape: axes of size 1 are repeated, axes are added in front; -1 keeps a size."
  (let* ((new (dims-of (list-argument shape)))
         (added (- (length new) (ndim x)))
         (new (loop for dim in new
                    for i from (- added)
                    collect (if (and (eql dim -1) (<= 0 i)) (nth i (shape x)) dim)))
         (joint (%broadcast-shapes (shape x) new)))
    (unless (same-shape-p joint new)
      (%fail :bad-broadcast "`!expand` of a tensor of shape ~a to ~a does not fit" (shape x) new))
    (broadcast-to x new)))

(defun !repeat (x &rest repeats)
  "`x` laid out as many times along each axis as `repeats` says."
  (let* ((repeats (dims-of (list-argument repeats)))
         (x (!uprank x (max 0 (- (length repeats) (ndim x)))))
         (repeats (append (make-list (- (ndim x) (length repeats)) :initial-element 1) repeats))
         (dims (shape x)))
    (reshape (expand (reshape x (loop for dim in dims append (list 1 dim)))
                     (loop for dim in dims for count in repeats append (list count dim)))
             (mapcar #'dim* repeats dims))))

;;; Slice --------------------------------------------------------------------------------------

(defclass slice-op (view-op)
  ((slices :initarg :slices :accessor slices))
  (:documentation "Per axis `(start size step)`: elements start, start + step, … A start that is a
tensor is known at run time; these tensors are the inputs after the first."))
(defmethod forward ((op slice-op) &rest inputs)
  (result-like (first inputs) (mapcar #'second (slices op))))
(defmethod lower ((op slice-op) &rest inputs)
  (%slice (first inputs) (lowered-slices (slices op) (rest inputs))))
(defmethod backward ((op slice-op) &rest douts)
  (unslice (first douts) (slices op) (shape (first (func-variables op)))))

(defun run-time-starts (slices)
  (remove-if-not #'tensor-p (mapcar #'first slices)))

(defun lowered-slices (slices starts)
  "The slices with the AIR nodes `starts` in the places of run-time starts."
  (loop for (start . rest) in slices
        collect (cons (if (tensor-p start) (pop starts) start) rest)))

(defun slice (x slices)
  (if (loop for (start size step) in slices
            for dim in (shape x)
            always (and (eql start 0) (eql step 1) (dim= size dim)))
      x
      (apply #'forward (make-instance 'slice-op :slices slices) x (run-time-starts slices))))

(defun slice-axis (x axis start size &optional (step 1))
  "The elements start, start + step, … along one axis."
  (slice x (loop for dim in (shape x)
                 for i from 0
                 collect (if (= i axis) (list start size step) (list 0 dim 1)))))

(defun dilate (x axis step)
  "`x` with step - 1 zeros between neighbours along an axis (and after the last)."
  (let* ((dims (shape x))
         (before (subseq dims 0 axis))
         (after (subseq dims (1+ axis)))
         (size (nth axis dims)))
    (reshape (pad (reshape x (append before (list size 1) after))
                  (append (make-list (1+ axis) :initial-element '(0 0))
                          (list (list 0 (1- step)))
                          (make-list (length after) :initial-element '(0 0)))
                  0)
             (append before (list (dim* size step)) after))))

(defun unslice-at-run-time (x axis slice dim)
  "`x` along one axis of size `dim` in a slice whose start is known at run time, zeros elsewhere."
  (destructuring-bind (start size step) slice
    (let* ((offset (!sub (!gid-of-shape (list dim) 0) start))
           (place (!idiv offset step))
           (inside (!and (!eq (!mod offset step) 0)
                         (!and (!>= place 0) (!< place (size-tensor (dim-of size))))))
           (ones (make-list (- (ndim x) axis 1) :initial-element 1)))
      (!where (reshape inside (cons dim ones))
              (!gather x (!where inside place 0) :axis axis)
              0))))

(defun unslice (x slices dims)
  "The tensor of shape `dims` that holds `x` in the slice and zeros elsewhere."
  (loop for slice in slices
        for dim in dims
        for axis from 0
        when (tensor-p (first slice))
          do (setf x (unslice-at-run-time x axis slice dim)
                   slices (replace-nth axis (list 0 dim 1) slices)))
  (loop for (start size step) in slices
        for axis from 0
        do (when (minusp step)
             (setf x (!flip x :axis axis)
                   start (dim+ start (dim* (dim- size 1) step))
                   step (- step)))
           (when (> step 1)
             (setf x (slice-axis (dilate x axis step) axis
                                 0 (dim-max 0 (dim- (dim* size step) (1- step))))))
        collect start into starts
        finally (return (pad x
                             (loop for start in starts
                                   for size in (shape x)
                                   for dim in dims
                                   collect (list start (dim- (dim- dim start) size)))
                             0))))

(defun !flip (x &key (axis t))
  "`x` with the order of its elements along the axes reversed."
  (let ((axes (normalize-axes x axis)))
    (slice x (loop for dim in (shape x)
                   for i from 0
                   collect (if (member i axes)
                               (list (dim- dim 1) dim -1)
                               (list 0 dim 1))))))

;;; Pad ----------------------------------------------------------------------------------------

(defclass pad-op (Movement)
  ((widths :initarg :widths :accessor widths)
   (value :initarg :value :accessor pad-value))
  (:documentation "Per axis `(low high)` elements of a value around the tensor."))
(defmethod forward ((op pad-op) &rest inputs)
  (result-like (first inputs)
               (loop for (low high) in (widths op)
                     for dim in (shape (first inputs))
                     collect (dim+ dim (dim+ low high)))))
(defmethod lower ((op pad-op) &rest inputs)
  (%pad (first inputs) (widths op) (pad-value op)))
(defmethod backward ((op pad-op) &rest douts)
  (slice (first douts)
         (loop for (low nil) in (widths op)
               for dim in (shape (first (func-variables op)))
               collect (list low dim 1))))

(defun pad (x widths value)
  (if (loop for (low high) in widths always (and (eql low 0) (eql high 0)))
      x
      (forward (make-instance 'pad-op :widths widths :value value) x)))

;;; Concatenate --------------------------------------------------------------------------------

(defclass concatenate-op (Movement)
  ((axis :initarg :axis :accessor concatenate-axis))
  (:documentation "Tensors joined along an axis."))
(defmethod forward ((op concatenate-op) &rest inputs)
  (let* ((axis (concatenate-axis op))
         (dims (shape (first inputs))))
    (dolist (x (rest inputs))
      (unless (= (ndim x) (length dims))
        (%fail :shape-mismatch "`!concatenate` of tensors of shapes ~a and ~a: the ranks differ"
               dims (shape x)))
      (loop for a in dims
            for b in (shape x)
            for i from 0
            do (unless (= i axis)
                 (require-equal-dims a b "`!concatenate` of tensors of shapes ~a and ~a" dims
                                     (shape x)))))
    (result-like (first inputs)
                 (replace-nth axis
                              (reduce #'dim+ (loop for x in inputs collect (nth axis (shape x))))
                              dims))))
(defmethod lower ((op concatenate-op) &rest inputs)
  (apply #'%concat (concatenate-axis op) inputs))
(defmethod backward ((op concatenate-op) &rest douts)
  (let ((axis (concatenate-axis op))
        (start 0))
    (values-list
     (loop for x in (func-variables op)
           for size = (nth axis (shape x))
           collect (slice-axis (first douts) axis start size)
           do (setf start (dim+ start size))))))

(defun some-tensors (name xs)
  (or (flatten-tensors xs)
      (%fail :bad-size "`~a` needs at least one tensor" name)))

(defun !concatenate (axis &rest xs)
  "The tensors, whose other axes agree, joined along `axis`."
  (let* ((xs (promote (some-tensors "!concatenate" xs)))
         (axis (normalize-axis axis (ndim (first xs)))))
    (when (zerop (ndim (first xs)))
      (%fail :bad-axis "`!concatenate` needs tensors of rank 1 or more; `!stack` joins scalars"))
    (if (rest xs)
        (apply #'forward (make-instance 'concatenate-op :axis axis) xs)
        (first xs))))

(defun require-one-shape (name a b)
  (unless (= (ndim a) (ndim b))
    (%fail :shape-mismatch "`~a` of tensors of shapes ~a and ~a: the ranks differ" name (shape a)
           (shape b)))
  (loop for m in (shape a)
        for n in (shape b)
        do (require-equal-dims m n "`~a` of tensors of shapes ~a and ~a" name (shape a) (shape b))))

(defun !stack (axis &rest xs)
  "Tensors of one shape joined along a new axis at place `axis`."
  (apply #'!concatenate axis
         (let ((xs (mapcar #'as-tensor (some-tensors "!stack" xs))))
           (dolist (x (rest xs))
             (require-one-shape "!stack" (first xs) x))
           (loop for x in xs collect (!unsqueeze x axis)))))
