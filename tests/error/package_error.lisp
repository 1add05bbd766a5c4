(defpackage :tools ;; error: EXPORTS
  (:use :cl)
  (:exports :hammer))
;;; note: did you mean `:export`?
