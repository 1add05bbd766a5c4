;;;; Long loops are flat: trains a small model and makes conses, looking at the resident memory.
;;;;   catenc run memory.lisp [STEPS [CONSES]]     exit code 1 if it grew to more than 1.5x
;;;; The level to compare with is that after the first thousand steps.

(defun resident-pages ()
  (with-open-file (in "/proc/self/statm")
    (read in)
    (read in)))

(defparameter *steps* (parse-integer (or (first *args*) "20000")))
(defparameter *conses* (parse-integer (or (second *args*) "10000000")))

(defsequence Net (hidden)
  (Linear 4 hidden)
  (asnode #'!relu)
  (Linear hidden 1))

(let* ((x (rand '(16 4)))
       (y (rand '(16 1)))
       (model (Net 8))
       (program (caten (!mse (forward model x) y)))
       (optimizers (hook-optimizers program (Adam :lr 0.01)))
       (level nil)
       (peak 0)
       (kept nil)
       (per-step (ceiling *conses* *steps*)))
  (dotimes (step *steps*)
    (forward program)
    (backward program)
    (mapc #'step-optimizer optimizers)
    (mapc #'zero-grad optimizers)
    ;; A result that nobody keeps, and conses of which only the last few stay reachable.
    (proceed (!sum (!mul x 2.0)))
    (dotimes (i per-step)
      (push i kept))
    (setf kept nil)
    (when (= step 1000)
      (setf level (resident-pages)))
    (when (and level (zerop (mod step 100)))
      (setf peak (max peak (resident-pages)))))
  (format t "steps ~:d, conses ~:d: ~,1f MiB after the first thousand steps, at most ~,1f MiB later (x~,2f)~%"
          *steps* *conses* (/ level 256.0) (/ peak 256.0) (/ peak level))
  (when (> peak (* 1.5 level))
    (format t "resident memory grew to more than 1.5x~%")
    (exit 1)))
