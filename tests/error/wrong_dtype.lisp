(let ((a (make-tensor '(2) :dtype :uint64))
      (b (make-tensor '(2) :dtype :int8)))
  (!add a b)) ;; error: uint64
;;; note: int8
