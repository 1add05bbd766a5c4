;;;; What tests/emitted/products.sh compiles: parameters, symbolic sizes, several dtypes, state. As a
;;;; script it writes inputs and parameters as .npy files into the directory that *args* names, and
;;;; prints what the functions return for them.

(defparameter *layer* (with-manual-seed (7) (Linear 3 2)))
(defparameter *total* (make-tensor '(2) :initial-element 10.0))

(defentry dense ((x (batch 3)))
  (!relu (forward *layer* x)))

(defentry pick ((ids (n) :dtype :int64) (table (5 2) :dtype :float64))
  (let ((rows (!gather table ids :axis 0)))
    (values rows (!cast (!> rows 2.0) :int32) (!> rows 2.0))))

(defentry add-to-total ((d (2)))
  (!assign *total* (!add *total* d)))

(defun flat (tensor)
  (format t "~{~a~%~}" (coerce (change-facet (!flatten (proceed tensor)) :list) 'list)))

(when (boundp '*args*)
  (let ((x (proceed (!reshape (ax+b '(12) 1.0 -5.0) '(4 3))))
        (ids (change-facet '(4 0 -2) :tensor))
        (table (proceed (!reshape (!cast (ax+b '(10) 0.5 0.25) :float64) '(5 2)))))
    (flet ((path (name) (format nil "~a/~a.npy" (first *args*) name)))
      (save-npy x (path "x"))
      (save-npy ids (path "ids"))
      (save-npy table (path "table"))
      (save-npy (proceed (ax+b '(2) 1.0 0.5)) (path "d"))
      (save-npy (change-facet '(1 5) :tensor) (path "outside"))
      (save-npy (make-tensor '(2 2)) (path "square"))
      (save-npy (slot-value *layer* 'weight) (path "weight"))
      (save-npy (slot-value *layer* 'bias) (path "bias")))
    (let ((rows (!gather table ids :axis 0)))
      (mapc #'flat (list (!relu (forward *layer* x)) rows (!cast (!> rows 2.0) :int32) (!> rows 2.0)
                         (!add *total* (ax+b '(2) 1.0 0.5)))))))
