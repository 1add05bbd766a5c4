(make-tensor '(2) ;; error: gradient
  :dtype :int32 :requires-grad t)
