;;;; Pooling to a given size: each output element is the mean or the maximum of a stretch of an axis.
(in-package :caten)

(defun stretch-members (size count)
  "A bool matrix (count size): whether element j lies in the stretch i of `count` even stretches,
floor(i * size / count) to ceil((i + 1) * size / count)."
  (let* ((i (!gid-of-shape (list count size) 0))
         (j (!gid-of-shape (list count size) 1))
         (n (size-tensor size)))
    (!and (!>= j (!idiv (!mul i n) count))
          (!< (!mul j count) (!mul (!add i 1) n)))))

(defun over-stretches (x axis count outside)
  "`x` with the axis last twice: (… stretch element), `outside` where the element is in another
stretch."
  (let ((members (stretch-members (nth axis (shape x)) count)))
    (values (!where members (!unsqueeze (!transpose x axis -1) -2) outside)
            members)))

(defun from-stretches (x axis)
  "The last axis, of size 1, dropped and the one before it moved back to `axis`."
  (let ((last (1- (ndim x))))
    (!transpose (squeeze-axes x (list last) t) axis -1)))

(defun adaptive-sizes (x sizes n)
  "The output size of each of the last n axes; nil keeps the axis."
  (loop for size in (per-axis sizes n ":output-size")
        for own in (last (shape x) n)
        collect (or size own)))

(defun !adaptive-avgpool (x output-size)
  "The means of even stretches of the last axes, one per element of `output-size` (a list, nil keeps
an axis; or one number for all axes after the second)."
  (let* ((x (as-float x))
         (output-size (window-sizes x output-size))
         (n (length output-size)))
    (loop for count in (adaptive-sizes x output-size n)
          for axis from (- (ndim x) n)
          do (unless (dim= (nth axis (shape x)) count)
               (multiple-value-bind (parts members) (over-stretches x axis count 0.0)
                 (setf x (from-stretches
                          (!div (sum-axes parts (list (ndim x)))
                                (sum-axes (!cast members (dtype-of x)) '(1)))
                          axis)))))
    x))

(defun !adaptive-maxpool (x output-size)
  "The maxima of even stretches of the last axes, one per element of `output-size`; see
`!adaptive-avgpool`."
  (loop with output-size = (window-sizes x output-size)
        for count in (adaptive-sizes x output-size (length output-size))
        for axis from (- (ndim x) (length output-size))
        do (unless (dim= (nth axis (shape x)) count)
             (setf x (from-stretches (max-axes (over-stretches x axis count (-inf))
                                               (list (ndim x)))
                                     axis))))
  x)

(defmodel (AdaptiveAvgPool (output-size)
           :documentation "The means of even stretches of the last axes.")
    ((output-size output-size)))
(defmethod call ((model AdaptiveAvgPool) &rest inputs)
  (!adaptive-avgpool (first inputs) (slot-value model 'output-size)))

(defmodel (AdaptiveMaxPool (output-size)
           :documentation "The maxima of even stretches of the last axes.")
    ((output-size output-size)))
(defmethod call ((model AdaptiveMaxPool) &rest inputs)
  (!adaptive-maxpool (first inputs) (slot-value model 'output-size)))
