(member 1 '(1 2) :test #'eql :test-not #'eql) ;; error: :test-not
