(setf *backend* :cuda)
(proceed ;; error: CUDA
  (!add (make-tensor '(2)) 1))
