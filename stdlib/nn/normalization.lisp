;;;; Normalisation that keeps running statistics, and over single instances.
(in-package :caten)

(defun other-axes (rank axis)
  (remove axis (loop for i below rank collect i)))

(defun batch-statistics (x axes)
  "The mean and the biased variance over the axes, which stay with size 1."
  (let ((mean (mean-axes x axes)))
    (values mean (mean-axes (!square (!sub x mean)) axes))))

(defmodel (BatchNorm (channels &key (eps 1d-5) (momentum 0.1d0) (affine t) (track-running-stats t))
           :documentation "Normalisation per channel (axis 1) over the batch and the spatial axes. In
training the statistics are those of the batch and the running ones follow them: old * (1 - momentum)
+ new * momentum, or the mean of all batches when momentum is nil. In inference the running statistics
are used.")
    ((channels channels)
     (eps eps)
     (momentum momentum)
     (weight (if affine (parameter (list channels) 1.0) nil))
     (bias (if affine (parameter (list channels) 0.0) nil))
     (running-mean (if track-running-stats (make-tensor (list channels)) nil))
     (running-var (if track-running-stats
                      (make-tensor (list channels) :initial-element 1.0)
                      nil))
     (num-batches-tracked (if track-running-stats (make-tensor '() :dtype :int64) nil))))

(defun require-channels (x channels name)
  (when (< (ndim x) 2)
    (%fail :shape-mismatch "`~a` needs a tensor of rank 2 or more, not of shape ~a" name (shape x)))
  (require-equal-dims (second (shape x)) channels "`~a` of a tensor of shape ~a" name (shape x)))

(defun require-several (count x)
  "A variance over one element is none."
  (when (eql count 1)
    (%fail :bad-size "`BatchNorm` in training needs more than one element per channel, not ~a"
           (shape x))))

(defun follow-statistics (model mean variance count)
  "The assignments that bring the running statistics up to date."
  (with-slots (momentum running-mean running-var num-batches-tracked) model
    (with-no-grad
      (let* ((dtype (dtype-of running-mean))
             (batches (!add num-batches-tracked 1))
             (new (or momentum (!div 1.0 (!cast batches dtype))))
             (unbiased (!mul variance (!div count (!sub count 1.0)))))
        (flet ((follow (running value)
                 (let ((value (!cast (reshape value (shape running)) dtype)))
                   (!assign running
                            (!add (!mul running (if momentum (- 1 momentum) (!sub 1.0 new)))
                                  (!mul value new))))))
          (list (follow running-mean mean)
                (follow running-var unbiased)
                (!assign num-batches-tracked batches)))))))

(defmethod call ((model BatchNorm) &rest inputs)
  (with-slots (channels eps weight bias running-mean running-var) model
    (require-channels (first inputs) channels "BatchNorm")
    (let* ((x (as-float (first inputs)))
           (axes (other-axes (ndim x) 1)))
      (with-wide (x)
        (cond ((and running-mean (not (training-p model)))
               (!batch-norm x weight bias running-mean (!rsqrt (!add running-var eps))))
              (t
               (require-several (dim-product (loop for axis in axes collect (nth axis (shape x)))) x)
               (multiple-value-bind (mean variance) (batch-statistics x axes)
                 (let ((result (!batch-norm x weight bias mean (!rsqrt (!add variance eps)))))
                   (if (and running-mean (training-p model))
                       (with-effects result
                         (follow-statistics model mean variance
                                            (element-count x axes (dtype-of x))))
                       result)))))))))

(defun !instance-norm (x &key weight bias (eps 1d-5))
  "Normalises every channel of every instance of x (N C spatial…) over its spatial axes."
  (let* ((channels (second (shape x)))
         (rank (- (ndim x) 2))
         (wide (cons channels (make-list rank :initial-element 1))))
    (scale-and-shift (normalized (LayerNormalization :rank rank :eps eps) (as-float x))
                     (and weight (reshape weight wide))
                     (and bias (reshape bias wide)))))

(defmodel (InstanceNorm (channels &key (eps 1d-5) affine)
           :documentation "Normalisation of every channel of every instance over its spatial axes.")
    ((channels channels)
     (eps eps)
     (weight (if affine (parameter (list channels) 1.0) nil))
     (bias (if affine (parameter (list channels) 0.0) nil))))

(defmethod call ((model InstanceNorm) &rest inputs)
  (with-slots (channels eps weight bias) model
    (require-channels (first inputs) channels "InstanceNorm")
    (!instance-norm (first inputs) :weight weight :bias bias :eps eps)))
