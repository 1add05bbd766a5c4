(let ((a (make-tensor '(2) :dtype :uint8)))
  (!add a 300)) ;; error: 300
;;; note: uint8
