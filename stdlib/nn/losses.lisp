;;;; Losses.
(in-package :caten)

(defun reduce-loss (loss reduction)
  "`reduction` of a loss per element: :mean, :sum or :none."
  (ecase reduction
    (:mean (!mean loss :squeeze t))
    (:sum (!sum loss :squeeze t))
    (:none loss)))

(defun !mse (x label &key (reduction :mean))
  "The squared difference."
  (reduce-loss (!square (!sub x label)) reduction))

(defun !l1norm (x label &key (reduction :mean))
  "The absolute difference."
  (reduce-loss (!abs (!sub x label)) reduction))

(defun !huber (x label &key (reduction :mean) (delta 1d0))
  "Quadratic up to `delta`, linear beyond."
  (let* ((d (!sub x label))
         (size (!abs d)))
    (reduce-loss (!where (!<= size delta)
                         (!mul (!square d) 0.5)
                         (!mul (!sub size (* 0.5d0 delta)) delta))
                 reduction)))

(defun !bce-with-logits (x label &key (reduction :mean))
  "The binary cross-entropy of sigmoid(x) against labels in 0..1, without overflow."
  (reduce-loss (!add (!sub (!relu x) (!mul x label)) (!log1p (!exp (!neg (!abs x))))) reduction))

(defun !cross-entropy (x label &key (reduction :mean) (delta 1d-5))
  "-label * log(x + delta) of probabilities and one-hot labels, per element."
  (reduce-loss (!neg (!mul label (!log (!add x delta)))) reduction))

(defun class-weights (labels classes smoothing dtype)
  "Class ids as smoothed one-hot rows on a new last axis."
  (let ((hits (!one-hot labels classes :dtype dtype)))
    (if (zerop smoothing)
        hits
        (!add (!mul hits (- 1 smoothing)) (!div (float smoothing) (at-dtype classes dtype))))))

(defun !cross-entropy-with-logits (logits label &key (axis -1) (reduction :mean) (ignore-index -100)
                                                 (label-smoothing 0.0))
  "The cross-entropy of softmax(logits) along `axis` against class ids (integers, without that axis)
or probabilities. The mean is over the ids that are not `ignore-index`."
  (let* ((axis (normalize-axis axis (ndim logits)))
         (last (1- (ndim logits)))
         (order (append (remove axis (loop for i below (ndim logits) collect i)) (list axis)))
         (log-p (!log-softmax (!permute logits order)))
         (dtype (dtype-of log-p))
         (classes (nth axis (shape logits))))
    (if (float-dtype-p (dtype-of label))
        (let* ((p (!permute label order))
               (p (if (zerop label-smoothing)
                      p
                      (!add (!mul p (- 1 label-smoothing))
                            (!div (float label-smoothing) (at-dtype classes dtype)))))
               (loss (!neg (!sum (!mul p log-p) :axis -1 :squeeze t))))
          (reduce-loss loss reduction))
        (let* ((kept (!neq label ignore-index))
               (ids (!where kept label 0))
               (rows (!neg (!sum (!mul log-p (class-weights ids classes label-smoothing dtype))
                                 :axis last :squeeze t)))
               (loss (!where kept rows 0.0)))
          (if (eq reduction :mean)
              (!div (!sum loss :squeeze t) (!sum (!cast kept dtype) :squeeze t))
              (reduce-loss loss reduction))))))

(defun !nll (log-p label &key (reduction :mean))
  "Minus the log-probability (last axis) of each class id."
  (reduce-loss (!neg (!sum (!mul log-p (!one-hot label (car (last (shape log-p)))
                                                 :dtype (dtype-of log-p)))
                           :axis -1 :squeeze t))
               reduction))

(defun !kl-div (log-p label &key (reduction :mean))
  "label * (log(label) - log-p), 0 where the label is 0."
  (reduce-loss (!where (!> label 0.0) (!mul label (!sub (!log label) log-p)) (!mul label 0.0))
               reduction))
