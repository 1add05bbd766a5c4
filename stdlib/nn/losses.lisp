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

(defun !smooth-l1 (x label &key (reduction :mean) (beta 1d0))
  "The squared difference / (2 * beta) up to `beta`, the absolute difference - beta / 2 beyond."
  (if (zerop beta)
      (!l1norm x label :reduction reduction)
      (let* ((d (!sub x label))
             (size (!abs d)))
        (reduce-loss (!where (!< size beta)
                             (!mul (!square d) (/ 0.5d0 beta))
                             (!sub size (* 0.5d0 beta)))
                     reduction))))

(defun !bce (x label &key (reduction :mean) weight)
  "The binary cross-entropy of probabilities against labels in 0..1; logarithms stop at -100."
  (flet ((limited-log (p) (!clip (!log p) -100.0 nil)))
    (let ((loss (!neg (!add (!mul label (limited-log x))
                            (!mul (!sub 1.0 label) (limited-log (!sub 1.0 x)))))))
      (reduce-loss (if weight (!mul loss weight) loss) reduction))))

(defun !bce-with-logits (x label &key (reduction :mean) weight pos-weight)
  "The binary cross-entropy of sigmoid(x) against labels in 0..1, without overflow; `pos-weight`
multiplies the share of the positive labels."
  (let ((loss (if pos-weight
                  (!add (!mul (!sub 1.0 label) x)
                        (!mul (!add 1.0 (!mul (!sub pos-weight 1.0) label))
                              (soft-ramp (!neg x))))
                  (!sub (soft-ramp x) (!mul x label)))))
    (reduce-loss (if weight (!mul loss weight) loss) reduction)))

(defun !cross-entropy (x label &key (reduction :mean) (delta 1d-5))
  "-label * log(x + delta) of probabilities and one-hot labels, per element."
  (reduce-loss (!neg (!mul label (!log (!add x delta)))) reduction))

(defun weighted-mean (loss weights reduction)
  "The reduction of a loss per element, whose mean is the one weighted by `weights`."
  (if (eq reduction :mean)
      (!div (!sum loss :squeeze t) (!sum weights :squeeze t))
      (reduce-loss loss reduction)))

(defun id-weights (ids kept weight dtype)
  "The weight of each element: that of its class, 0 where it is ignored."
  (if weight
      (!where kept (!gather weight ids) 0.0)
      (!cast kept dtype)))

(defun at-ids (rows ids)
  "The element of the last axis of `rows` at each id. An id out of range is a run-time error."
  (let ((ids (ids-from-the-front ids (car (last (shape rows))))))
    (!squeeze (!take-along-axis rows (!unsqueeze ids -1)) :axis -1)))

(defun axis-last (x axis)
  (let ((axis (normalize-axis axis (ndim x))))
    (!permute x (append (other-axes (ndim x) axis) (list axis)))))

(defun id-loss (log-p label reduction ignore-index weight label-smoothing)
  "Minus the log-probability (last axis) at the class ids."
  (let* ((dtype (dtype-of log-p))
         ;; The id to be ignored may be negative.
         (label (if (unsigned-dtype-p (dtype-of label)) (!cast label :int64) label))
         (kept (!neq label ignore-index))
         (ids (!where kept label 0))
         (weights (id-weights ids kept weight dtype))
         (loss (!where kept (!mul (!neg (at-ids log-p ids)) weights) 0.0)))
    (if (zerop label-smoothing)
        (weighted-mean loss weights reduction)
        (let* ((classes (car (last (shape log-p))))
               (all (!neg (!sum (if weight (!mul log-p weight) log-p) :axis -1 :squeeze t)))
               (smooth (!where kept (!div all (at-dtype classes dtype)) 0.0)))
          (weighted-mean (!add (!mul loss (- 1 label-smoothing)) (!mul smooth label-smoothing))
                         weights reduction)))))

(defun probability-loss (log-p label reduction weight label-smoothing)
  (let* ((classes (at-dtype (car (last (shape log-p))) (dtype-of log-p)))
         (p (if (zerop label-smoothing)
                label
                (!add (!mul label (- 1 label-smoothing)) (!div label-smoothing classes))))
         (terms (!mul p (if weight (!mul log-p weight) log-p))))
    (reduce-loss (!neg (!sum terms :axis -1 :squeeze t)) reduction)))

(defun !cross-entropy-with-logits (logits label &key (axis -1) (reduction :mean) (ignore-index -100)
                                                 (label-smoothing 0.0) weight)
  "The cross-entropy of softmax(logits) along `axis` against class ids (integers, without that axis)
or probabilities. The mean is over the ids that are not `ignore-index`, each counting as the `weight`
of its class."
  (let ((log-p (!log-softmax (axis-last logits axis))))
    (if (float-dtype-p (dtype-of label))
        (probability-loss log-p (axis-last label axis) reduction weight label-smoothing)
        (id-loss log-p label reduction ignore-index weight label-smoothing))))

(defun !nll (log-p label &key (axis -1) (reduction :mean) (ignore-index -100) weight)
  "Minus the log-probability (along `axis`) of each class id; the mean as in
`!cross-entropy-with-logits`."
  (id-loss (axis-last log-p axis) label reduction ignore-index weight 0.0))

(defun !kl-div (log-p label &key (reduction :mean) log-target)
  "label * (log(label) - log-p), 0 where the label is 0; with `log-target` the label is a logarithm.
The reduction :batchmean divides the sum by the size of the first axis."
  (let ((loss (if log-target
                  (!mul (!exp label) (!sub label log-p))
                  (!where (!> label 0.0)
                          (!mul label (!sub (!log (!where (!> label 0.0) label 1.0)) log-p))
                          (!mul label 0.0)))))
    (if (eq reduction :batchmean)
        (!div (!sum loss :squeeze t) (at-dtype (first (shape loss)) (dtype-of loss)))
        (reduce-loss loss reduction))))
