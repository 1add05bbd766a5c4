;;;; Pooling to a given size, and resizing: each output element is a weighted sum (or a maximum) over a
;;;; stretch of an axis.
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
an axis)."
  (let* ((x (as-float x))
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
  "The maxima of even stretches of the last axes, one per element of `output-size`."
  (loop for count in (adaptive-sizes x output-size (length output-size))
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

;;; Resizing ---------------------------------------------------------------------------------------

(defun interpolated (x axis size count align-corners)
  "The axis resized from `size` to `count` samples with linear weights."
  (let* ((dtype (dtype-of x))
         (i (!cast (!gid-of-shape (list count) 0) dtype))
         (place (if align-corners
                    (!mul i (if (= count 1) 0d0 (/ (1- size) (float (1- count) 1d0))))
                    (!maximum (!sub (!mul (!add i 0.5) (/ size (float count 1d0))) 0.5) 0.0)))
         (low (!minimum (!cast (!floor place) :int64) (1- size)))
         (high (!minimum (!add low 1) (1- size)))
         (share (reshape (!sub place (!cast low dtype))
                         (cons count (make-list (- (ndim x) 1 axis) :initial-element 1)))))
    (!add (!mul (!gather x low :axis axis) (!sub 1.0 share))
          (!mul (!gather x high :axis axis) share))))

(defun !interpolate (x output-size &key (mode :nearest) align-corners)
  "x (N C spatial…) resized to `output-size`: :nearest, or :linear along every axis."
  (let ((n (length output-size)))
    (loop for count in (adaptive-sizes x output-size n)
          for axis from (- (ndim x) n)
          for size = (constant-size (nth axis (shape x)) "!interpolate")
          do (ecase mode
               (:nearest
                (setf x (!gather x (!idiv (!mul (!gid-of-shape (list count) 0) size) count)
                                 :axis axis)))
               (:linear
                (setf x (interpolated (as-float x) axis size count align-corners)))))
    x))

(defun !pixel-shuffle (x factor)
  "(N C*factor^2 H W) to (N C H*factor W*factor)."
  (destructuring-bind (batch channels height width) (shape x)
    (let ((outputs (dim-floor-div channels (* factor factor))))
      (!reshape (!permute (!reshape x (list batch outputs factor factor height width))
                          0 1 4 2 5 3)
                (list batch outputs (dim* height factor) (dim* width factor))))))

(defun !pixel-unshuffle (x factor)
  "(N C H*factor W*factor) to (N C*factor^2 H W)."
  (destructuring-bind (batch channels height width) (shape x)
    (require-multiple height factor "`!pixel-unshuffle` by ~a: the height" factor)
    (require-multiple width factor "`!pixel-unshuffle` by ~a: the width" factor)
    (let ((height (dim-floor-div height factor))
          (width (dim-floor-div width factor)))
      (!reshape (!permute (!reshape x (list batch channels height factor width factor))
                          0 1 3 5 2 4)
                (list batch (dim* channels (* factor factor)) height width)))))

(defun !channel-shuffle (x groups)
  "The channels (axis 1) of `groups` groups taken in turn."
  (destructuring-bind (batch channels &rest spatial) (shape x)
    (require-multiple channels groups "`!channel-shuffle` of ~a groups" groups)
    (!reshape (!transpose (!reshape x (list* batch groups (dim-floor-div channels groups) spatial))
                          1 2)
              (shape x))))
