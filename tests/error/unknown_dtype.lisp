(make-tensor '(2) ;; error: did you mean `:float32`
  :dtype :flaot32)
