;;;; Layers with parameters.
(in-package :caten)

(defun parameter (shape value)
  "A trainable tensor filled with `value`."
  (make-tensor shape :initial-element value :requires-grad t))

(defmodel (Linear (in-features out-features &key (bias t))
           :documentation "y = x·Wᵀ + b with a weight of shape (out in).")
    ((weight (xavier-uniform (list out-features in-features) :requires-grad t))
     (bias (if bias (parameter (list out-features) 0.0) nil))))

(defmethod call ((model Linear) &rest inputs)
  (destructuring-bind (x) inputs
    (with-slots (weight bias) model
      (let ((y (!matmul x (!t weight))))
        (if bias (!add y bias) y)))))

(defmodel (Embedding (vocab-size dim &key padding-idx)
           :documentation "The rows of a table of shape (vocab-size dim) at integer ids. The row
padding-idx starts as zeros and stays as it is in training.")
    ((padding-idx padding-idx)
     (weight (xavier-uniform (list vocab-size dim) :requires-grad t)))
  (when padding-idx
    (proceed (!assign (!view weight padding-idx) 0))))

(defmethod call ((model Embedding) &rest inputs)
  (destructuring-bind (ids) inputs
    (with-slots (weight padding-idx) model
      (!embedding ids weight :padding-idx padding-idx))))

(defmodel (PReLU (&key (channels 1) (init 0.25))
           :documentation "x, or weight * x below 0, with a trainable weight (one per channel).")
    ((weight (parameter (list channels) init))))

(defmethod call ((model PReLU) &rest inputs)
  (!prelu (first inputs) (slot-value model 'weight)))

;;; Normalisation ------------------------------------------------------------------------------

(defun last-axes (count rank)
  (loop for i from (- rank count) below rank collect i))

(defun normalized-tensor (name x dims)
  "`x` as floats, whose last axes must have the sizes `dims`."
  (let ((own (last (shape x) (length dims)))
        (result (as-float x)))
    (unless (= (length own) (length dims))
      (%fail :shape-mismatch "`~a` over ~a needs a tensor of rank ~a or more, not ~a" name dims
             (length dims) (ndim x)))
    (loop for a in own
          for b in dims
          do (unless (dim= a b)
               (setf result (checked (!copy result) a b "`~a` over ~a of a tensor of shape ~a" name
                                     dims (shape x)))))
    result))

(defun scale-and-shift (x weight bias)
  (let ((x (if weight (!mul x weight) x)))
    (if bias (!add x bias) x)))

(defmodule (LayerNormalization ((&key rank eps) :rank rank :eps eps) :where "A[~] -> A[~]") ()
  :documentation "(x - mean) / sqrt(variance + eps) over the last axes."
  :impl ((op x)
         (with-attrs ((rank :rank) (eps :eps)) op
           (let* ((axes (last-axes rank (ndim x)))
                  (d (!sub x (mean-axes x axes))))
             (!mul d (!rsqrt (!add (mean-axes (!square d) axes) eps)))))))

(defun axis-sizes (dims)
  "The sizes of the last axes, from a list or the number of one."
  (dims-of (if (listp dims) dims (list dims))))

(defun normalized (module x)
  (with-wide (x) (forward module x)))

(defun !layer-norm (x dims &key weight bias (eps 1d-5))
  "Normalises over the last `(length dims)` axes (one for a number), then scales and shifts."
  (let ((dims (axis-sizes dims)))
    (scale-and-shift (normalized (LayerNormalization :rank (length dims) :eps eps)
                                 (normalized-tensor "!layer-norm" x dims))
                     weight bias)))

(defmodel (LayerNorm (dims &key (eps 1d-5) (affine t) (bias t))
           :documentation "Normalisation over the last axes with trainable scale and shift.")
    ((dims (axis-sizes dims))
     (eps eps)
     (affine (if (eq affine t) (parameter dims 1.0) affine))
     (bias (if (eq bias t) (parameter dims 0.0) bias))))

(defmethod call ((model LayerNorm) &rest inputs)
  (destructuring-bind (x) inputs
    (with-slots (dims eps affine bias) model
      (!layer-norm x dims :weight affine :bias bias :eps eps))))

(defmodule (RMSNormalization ((&key rank eps) :rank rank :eps eps) :where "A[~] -> A[~]") ()
  :documentation "x / sqrt(mean(x^2) + eps) over the last axes."
  :impl ((op x)
         (with-attrs ((rank :rank) (eps :eps)) op
           (let ((axes (last-axes rank (ndim x))))
             (!mul x (!rsqrt (!add (mean-axes (!square x) axes) eps)))))))

(defun !rms-norm (x dims &key weight (eps 1d-5))
  "x / sqrt(mean(x^2) + eps) over the last `(length dims)` axes, then scaled."
  (let ((dims (axis-sizes dims)))
    (scale-and-shift (normalized (RMSNormalization :rank (length dims) :eps eps)
                                 (normalized-tensor "!rms-norm" x dims))
                     weight nil)))

(defmodel (RMSNorm (dims &key (eps 1d-5) (weight t))
           :documentation "Root-mean-square normalisation with a trainable scale.")
    ((dims (axis-sizes dims))
     (eps eps)
     (weight (if (eq weight t) (parameter dims 1.0) weight))))

(defmethod call ((model RMSNorm) &rest inputs)
  (destructuring-bind (x) inputs
    (with-slots (dims eps weight) model
      (!rms-norm x dims :weight weight :eps eps))))

(defun !batch-norm (x &optional weight bias mean invstd (axis 1) (eps 1d-5))
  "Normalises along all axes but `axis`, with the given mean and 1 / std or those of the batch."
  (let* ((x (as-float x))
         (axis (normalize-axis axis (ndim x)))
         (others (remove axis (loop for i below (ndim x) collect i)))
         (wide (reduced-shape (shape x) others)))
    (flet ((along (v) (and v (reshape v wide))))
      (with-wide (x)
        (let* ((mean (or (along mean) (mean-axes x others)))
               (d (!sub x mean))
               (invstd (or (along invstd)
                           (!rsqrt (!add (mean-axes (!square d) others) eps)))))
          (scale-and-shift (!mul d invstd) (along weight) (along bias)))))))
