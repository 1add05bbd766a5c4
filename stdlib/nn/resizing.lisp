;;;; Resizing of spatial axes: interpolation with PyTorch's modes and coordinates, and the shuffles that
;;;; exchange channels for pixels.
(in-package :caten)

;;; Interpolation ----------------------------------------------------------------------------------
;;; Every mode is a weighted sum of a few samples per axis, one axis after the other. Coordinates are
;;; float32 (float64 for float64 tensors), as in PyTorch: nearest neighbours depend on their rounding.

(defun as-double (number)
  "The double nearest to what was written."
  (float (rationalize number) 1d0))

(defun scaled-size (size factor)
  "floor(size * factor)."
  (if (integerp size)
      (values (floor (* size (as-double factor))))
      (let ((factor (rationalize factor)))
        (dim-floor-div (dim* size (numerator factor)) (denominator factor)))))

(defun ratio-tensor (a b dtype)
  "The quotient of two sizes."
  (!div (!cast (size-tensor a) dtype) (!cast (size-tensor b) dtype)))

(defun coordinate-step (size count factor align-corners dtype)
  "The distance of neighbouring samples on the axis, in elements of it."
  (cond (align-corners
         (let ((gaps (dim- count 1)))
           (!where (!> (size-tensor gaps) 0)
                   (ratio-tensor (dim- size 1) (dim-max 1 gaps) dtype)
                   0.0)))
        (factor (!cast (constant (/ (as-double factor)) :float64) dtype))
        (t (ratio-tensor size count dtype))))

(defun sample-places (mode size count factor align-corners dtype)
  "Where on an axis of `size` elements the `count` samples lie."
  (let ((i (!cast (!gid-of-shape (list count) 0) dtype))
        (step (coordinate-step size count factor align-corners dtype)))
    (cond ((or (eq mode :nearest) align-corners) (!mul i step))
          ((eq mode :nearest-exact) (!mul (!add i 0.5) step))
          (t (!sub (!mul (!add i 0.5) step) 0.5)))))

(defun cubic-weights (share)
  "Of the elements -1 … 2 around a sample that lies `share` behind element 0 (Keys, a = -3/4)."
  (flet ((near (d) (!add (!mul (!mul (!sub (!mul 1.25 d) 2.25) d) d) 1.0))
         (far (d) (!sub (!mul (!add (!mul (!sub (!mul -0.75 d) -3.75) d) -6.0) d) -3.0)))
    (list (far (!add share 1.0)) (near share) (near (!sub 1.0 share)) (far (!sub 2.0 share)))))

(defun samples (mode place size)
  "Alist from indices to weights (t for 1) whose weighted sum are the samples."
  (let ((end (!sub (size-tensor size) 1)))
    (flet ((inside (index) (!maximum 0 (!minimum index end))))
      (if (member mode '(:nearest :nearest-exact))
          (list (cons (inside (!cast (!floor place) :int64)) t))
          (let* ((place (if (eq mode :linear) (!maximum place 0.0) place))
                 (low (!cast (!floor place) :int64))
                 (share (!sub place (!floor place))))
            (if (eq mode :linear)
                (list (cons (inside low) (!sub 1.0 share))
                      (cons (inside (!add low 1)) share))
                (loop for weight in (cubic-weights share)
                      for offset from -1
                      collect (cons (inside (!add low offset)) weight))))))))

(defun resized-axis (x axis count mode factor align-corners)
  (let* ((size (nth axis (shape x)))
         (nearest (member mode '(:nearest :nearest-exact)))
         (dtype (if (and (eq (dtype-of x) :float64) (not nearest)) :float64 :float32))
         (column (cons count (make-list (- (ndim x) 1 axis) :initial-element 1))))
    (reduce #'!add
            (loop for (index . weight)
                    in (samples mode (sample-places mode size count factor align-corners dtype) size)
                  for part = (!gather x index :axis axis)
                  collect (if (eq weight t) part (!mul part (reshape weight column)))))))

(defun !interpolate (x output-size &key scale-factor (mode :nearest) align-corners)
  "x (N C spatial…) resized to `output-size` (a number or one per axis), or by `scale-factor` if that is
nil. Modes: :nearest, :nearest-exact, :linear and :cubic along every axis, :area."
  (setf mode (case mode
               ((:bilinear :trilinear) :linear)
               (:bicubic :cubic)
               (t mode)))
  (unless (member mode '(:nearest :nearest-exact :linear :cubic :area))
    (%fail :bad-option "`!interpolate` has the modes :nearest, :nearest-exact, :linear, :cubic and :area, ~
                    not ~s" mode))
  (when (eq (null output-size) (null scale-factor))
    (%fail :bad-size "`!interpolate` needs either an output size or a scale factor"))
  (when (and align-corners (not (member mode '(:linear :cubic))))
    (%fail :bad-option "`!interpolate` aligns corners in the modes :linear and :cubic, not ~s" mode))
  (let* ((given (or output-size scale-factor))
         (n (if (listp given) (length given) (- (ndim x) 2)))
         (first (if (<= 0 n (ndim x))
                    (- (ndim x) n)
                    (%fail :bad-axis "`!interpolate` of ~a axes of a tensor of rank ~a" (max n 0)
                           (ndim x))))
         (factors (and scale-factor (per-axis scale-factor n ":scale-factor")))
         (counts (if factors
                     (loop for factor in factors
                           for size in (last (shape x) n)
                           collect (scaled-size size factor))
                     (adaptive-sizes x (dims-of-some output-size) n))))
    (cond ((eq mode :area) (!adaptive-avgpool x counts))
          ((member mode '(:nearest :nearest-exact))
           (loop for count in counts
                 for axis from first
                 for rest = factors then (rest rest)
                 do (setf x (resized-axis x axis count mode (first rest) nil)))
           x)
          (t
           ;; 16-bit floats are rounded once, at the end.
           (let* ((float (as-float x))
                  (x (!cast float (accumulation-dtype (dtype-of float)))))
             (loop for count in counts
                   for axis from first
                   for rest = factors then (rest rest)
                   do (setf x (resized-axis x axis count mode (first rest) align-corners)))
             (!cast x (dtype-of float)))))))

(defun dims-of-some (sizes)
  "Sizes, nil staying nil."
  (if (listp sizes)
      (loop for size in sizes collect (and size (dim-of size)))
      (dim-of sizes)))

(defmodel (Upsample (&key size scale-factor (mode :nearest) align-corners)
           :documentation "Resizes the spatial axes of (N C spatial…); see `!interpolate`.")
    ((settings (list :scale-factor scale-factor :mode mode :align-corners align-corners))
     (size size)))

(defmethod call ((model Upsample) &rest inputs)
  (with-slots (settings size) model
    (apply #'!interpolate (first inputs) size settings)))

;;; Shuffles ---------------------------------------------------------------------------------------

(defun !pixel-shuffle (x factor)
  "(N C*factor^2 H W) to (N C H*factor W*factor)."
  (destructuring-bind (batch channels height width) (shape x)
    (require-multiple channels (* factor factor) "`!pixel-shuffle` by ~a: the channels" factor)
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
