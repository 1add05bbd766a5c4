;;;; Layer normalisation with scale and shift over rows of 64: one kernel that reads each row once
;;;; from memory.
;;;;
;;;;   catenc samples/layernorm.lisp -o kernels.c

(defentry layer-norm ((x (rows 64)) (scale (64)) (shift (64)))
  (!layer-norm x '(64) :weight scale :bias shift))

;; Only under `catenc run`, which binds the script's arguments.
(when (boundp '*args*)
  (let ((x (make-tensor '(2 4) :from '((1.0 2.0 3.0 4.0) (-1.0 0.0 0.0 1.0)))))
    (print (change-facet (!layer-norm x '(4)) :list))
    (terpri)))
