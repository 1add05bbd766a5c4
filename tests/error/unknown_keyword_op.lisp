(!sum (make-tensor '(2 3)) ;; error: `:AXES`
      :axes 1)
;;; note: did you mean `:AXIS`?
