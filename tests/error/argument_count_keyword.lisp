(defun scale (x &key (factor 1))
  (* x factor))
(defun half (x)
  (scale x :facter 1/2)) ;; warning: `scale` takes no keyword argument `facter`
