;;;; Causal scaled-dot-product attention, for any batch, number of heads and length.
;;;;
;;;;   catenc samples/attention.lisp -o kernels.c

(defun attention (query key value)
  "softmax(q·kᵀ/√d + mask)·v over tensors of shape (batch heads length dim)."
  (let* ((length (nth 2 (shape query)))
         (dim (nth 3 (shape query)))
         (scores (!mul (!matmul query (!t key)) (/ 1 (sqrt (float dim)))))
         (mask (!triu (!expand (fconst (-inf)) (list length length)) :diagonal 1)))
    (!matmul (!softmax (!add scores mask) :axis -1) value)))

(defentry attention ((q (batch heads length 16)) (k (batch heads length 16))
                     (v (batch heads length 16)))
  (attention q k v))

;; Equal keys: every position averages the values up to itself. Only under `catenc run`, which binds
;; the script's arguments.
(when (boundp '*args*)
  (let* ((ones (make-tensor '(1 1 4 16) :initial-element 1.0))
         (value (!cast (!expand (!reshape (!index-components '(4)) 1 1 4 1) 1 1 4 16) :float32)))
    (print (change-facet (!view (attention ones ones value) 0 0 t 0) :list))
    (terpri)))
