;;;; Tensors from formulas, and places: what is written with `!assign`.
(in-package :caten)

(defun !full (shape value &key (dtype (scalar-dtype value)))
  "A tensor with `value` (a number or a scalar tensor) in every element."
  (!expand (if (tensor-p value) value (constant value dtype)) shape))

(defun ax+b (shape a b &key (dtype *default-float*))
  "a * i + b for the row-major number i of each element."
  (!add (!mul (!cast (!index-components shape) dtype) a) b))

(defun linspace (shape a b &key (dtype *default-float*) requires-grad)
  "As ax+b, computed now."
  (let ((result (proceed (ax+b shape a b :dtype dtype))))
    (setf (requires-grad result) requires-grad)
    result))

(defun detach (x)
  "The values of `x` without a gradient."
  (with-no-grad (!copy x)))

;;; State ----------------------------------------------------------------------------------------

(defclass assign-op (Func)
  ((slices :initarg :slices :accessor slices))
  (:documentation "The first input with a slice overwritten by the second; run-time starts follow."))
(defmethod forward ((op assign-op) &rest inputs)
  (result-like (first inputs) (shape (first inputs))))
(defmethod lower ((op assign-op) &rest inputs)
  (destructuring-bind (place value &rest starts) inputs
    (%assign place value (lowered-slices (slices op) starts))))

(defun assign-slices (base value slices)
  (apply #'forward (make-instance 'assign-op :slices slices) base value (run-time-starts slices)))

(defun compose-slices (inner outer)
  "The slices that take `outer` of what `inner` takes."
  (flet ((offset (start step)
           (if (tensor-p start) (!mul start step) (dim* start step)))
         (sum (a b)
           (if (or (tensor-p a) (tensor-p b))
               (!add (if (tensor-p a) a (size-tensor a)) (if (tensor-p b) b (size-tensor b)))
               (dim+ a b))))
    (loop for (start-a nil step-a) in inner
          for (start-b size step-b) in outer
          collect (list (sum start-a (offset start-b step-a)) size (* step-a step-b)))))

(defun overwritten (x value slices)
  "`x` with its slice replaced by `value`, as a new tensor."
  (!where (unslice (broadcast-to (constant t :bool) (shape value)) slices (shape x))
          (unslice value slices (shape x))
          x))

(defun assign-through (op x value)
  "Writes `value` into the view that `op` takes of `x`; returns the new version of the base."
  (let* ((inner (tensor-op x))
         (below (first (tensor-variables x))))
    (typecase op
      (permute-op
       (let ((axes (new-order op)))
         (assign-into x (!permute value (loop for i below (length axes)
                                              collect (position i axes))))))
      (reshape-op (assign-into x (reshape value (shape x))))
      (expand-op (%fail :bad-axis "a broadcast view is no place: several of its elements are one"))
      (t
       (typecase inner
         (slice-op (assign-through (make-instance 'slice-op
                                                  :slices (compose-slices (slices inner) (slices op)))
                                   below value))
         (permute-op
          (let ((axes (new-order inner)))
            (flet ((back (list) (loop for i below (length axes) collect (nth (position i axes) list))))
              (assign-through (make-instance 'slice-op :slices (back (slices op)))
                              below
                              (!permute value (back (loop for i below (length axes) collect i)))))))
         (view-op (assign-into x (overwritten x value (slices op))))
         (t (assign-slices x value (slices op))))))))

(defun assign-into (place value)
  (let ((op (tensor-op place)))
    (if (typep op 'view-op)
        (assign-through op (first (tensor-variables place)) value)
        (assign-slices place value (loop for dim in (shape place) collect (list 0 dim 1))))))

(defun same-view (view base)
  "`base` seen through the views that `view` is made of."
  (let ((ops nil))
    (loop while (typep (tensor-op view) 'view-op)
          do (push (tensor-op view) ops)
             (setf view (first (tensor-variables view))))
    (dolist (op ops base)
      (setf base (typecase op
                   (slice-op (slice base (slices op)))
                   (permute-op (!permute base (new-order op)))
                   (t (reshape base (new-shape op))))))))

(defun !assign (place value)
  "Writes `value` into the stored tensor or the view of one that `place` is; returns the new place."
  (unless (%place-p place)
    (%fail :bad-assign "`!assign` needs a stored tensor or a view of one, not a computed tensor of ~
                        shape ~a" (shape place)))
  (let ((value (broadcast-values "!assign" (at-dtype value (dtype-of place)) (shape place))))
    (same-view place (assign-into place value))))

(defun !move (place value &key reduce)
  "As `!assign`."
  (declare (ignore reduce))
  (!assign place value))

(defclass effects-op (Func) ()
  (:documentation "The first input. The others are assignments, which take effect whenever it is
computed."))
(defmethod forward ((op effects-op) &rest inputs)
  (result-like (first inputs) (shape (first inputs))))
(defmethod lower ((op effects-op) &rest inputs)
  (first inputs))
(defmethod backward ((op effects-op) &rest douts)
  (first douts))

(defun with-effects (x assignments)
  "`x`, whose computation executes the assignments."
  (if assignments
      (apply #'forward (make-instance 'effects-op) x assignments)
      x))
