;;;; Losses of margins, distances and distributions.
(in-package :caten)

(defun !soft-margin (x label &key (reduction :mean))
  "log(1 + exp(-label * x)) for labels 1 and -1."
  (reduce-loss (!softplus (!neg (!mul label x))) reduction))

(defun !hinge-embedding (x label &key (margin 1.0) (reduction :mean))
  "x where the label is 1, max(0, margin - x) where it is -1."
  (reduce-loss (!where (!eq label 1) x (!relu (!sub margin x))) reduction))

(defun !margin-ranking (x1 x2 label &key (margin 0.0) (reduction :mean))
  "max(0, -label * (x1 - x2) + margin)."
  (reduce-loss (!relu (!add (!neg (!mul label (!sub x1 x2))) margin)) reduction))

(defun !multi-margin (x label &key (p 1) (margin 1.0) (reduction :mean))
  "The mean over the other classes (last axis) of max(0, margin - x[label] + x)^p."
  (let* ((ids (index-tensor label))
         (own (!unsqueeze (at-ids x ids) -1))
         (other (!neq (!unsqueeze ids -1) (!gid-of-shape (last (shape x)) 0)))
         (excess (!relu (!add (!sub margin own) x)))
         (terms (!where other (if (eql p 1) excess (!expt excess p)) 0.0)))
    (reduce-loss (!mean terms :axis -1 :squeeze t) reduction)))

(defun !cosine-similarity (a b &key (axis -1) (eps 1d-8))
  "a·b / (|a| |b|) along an axis; norms count as at least `eps`."
  (destructuring-bind (a b) (mapcar #'as-float (broadcast-operands a b))
    (flet ((squares (x) (!sum (!square x) :axis axis :squeeze t)))
      (with-wide (a b)
        (!div (!sum (!mul a b) :axis axis :squeeze t)
              (!mul (!sqrt (!maximum (squares a) (* eps eps)))
                    (!sqrt (!maximum (squares b) (* eps eps)))))))))

(defun !cosine-embedding (a b label &key (margin 0.0) (reduction :mean))
  "1 - the cosine similarity where the label is 1, max(0, similarity - margin) where it is -1."
  (let ((similarity (!cosine-similarity a b)))
    (reduce-loss (!where (!eq label 1) (!sub 1.0 similarity) (!relu (!sub similarity margin)))
                 reduction)))

(defun !pairwise-distance (a b &key (p 2) (eps 1d-6))
  "The p-norm of a - b + eps along the last axis."
  (destructuring-bind (a b) (mapcar #'as-float (broadcast-operands a b))
    (with-wide (a b) (!norm (!add (!sub a b) eps) :axis -1 :ord p :squeeze t))))

(defun !triplet-margin (anchor positive negative &key (margin 1.0) (p 2) (eps 1d-6) (reduction :mean))
  "max(0, |anchor - positive| - |anchor - negative| + margin)."
  (reduce-loss (!relu (!add (!sub (!pairwise-distance anchor positive :p p :eps eps)
                                  (!pairwise-distance anchor negative :p p :eps eps))
                            margin))
               reduction))

(defun !poisson-nll (x label &key (log-input t) (eps 1d-8) (reduction :mean))
  "exp(x) - label * x, or x - label * log(x + eps) when x is not a logarithm."
  (reduce-loss (if log-input
                   (!sub (!exp x) (!mul label x))
                   (!sub x (!mul label (!log (!add x eps)))))
               reduction))

(defun !gaussian-nll (x label variance &key (eps 1d-6) (reduction :mean))
  "(log(variance) + (x - label)^2 / variance) / 2; the variance counts as at least `eps`."
  (let ((variance (!add variance (detach (!sub (!maximum variance eps) variance)))))
    (reduce-loss (!mul 0.5 (!add (!log variance) (!div (!square (!sub x label)) variance)))
                 reduction)))

(defun !multilabel-soft-margin (x label &key (reduction :mean) weight)
  "The mean over the classes (last axis) of the binary cross-entropy of sigmoid(x) against 0 or 1."
  (reduce-loss (!mean (!bce-with-logits x label :reduction :none :weight weight) :axis -1 :squeeze t)
               reduction))

(defun !multilabel-margin (x label &key (reduction :mean))
  "For class ids in front, up to a -1, along the last axis of `label`: the sum over these and the
other classes of max(0, 1 - (x[id] - x[other])), divided by the number of classes."
  (let* ((classes (car (last (shape x))))
         (ids (index-tensor label))
         ;; What follows the first -1 does not count.
         (valid (!eq (!cumsum (!cast (!< ids 0) :int64)) 0))
         (ids (!where valid ids 0))
         (hits (!and (!unsqueeze valid -1)
                     (!eq (!unsqueeze ids -1) (!gid-of-shape (list classes) 0))))
         (other (!not (!any hits :axis -2 :squeeze t)))
         (own (!unsqueeze (!take-along-axis x ids) -1))
         (terms (!relu (!sub 1.0 (!sub own (!unsqueeze x -2)))))
         (counted (!where (!and (!unsqueeze valid -1) (!unsqueeze other -2)) terms 0.0)))
    (reduce-loss (!div (!sum counted :axis '(-1 -2) :squeeze t) (at-dtype classes (dtype-of x)))
                 reduction)))
