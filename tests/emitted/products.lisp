;;;; What tests/emitted/products.sh compiles: parameters, symbolic sizes, several dtypes, state. As a
;;;; script it writes the inputs as .npy files into the directory *args* names, and prints what the
;;;; functions return, row by row.

(with-manual-seed (7)
  (defparameter *layer* (Linear 3 2))
  (defparameter *steps* (make-tensor '(2) :initial-element 10.0)))

(defentry dense ((x (batch 3)))
  (!relu (forward *layer* x)))

(defentry pick ((ids (n) :dtype :int64) (table (5 2) :dtype :float64))
  (let ((rows (!gather table ids :axis 0)))
    (values rows (!> rows 2.0))))

(defentry step-by ((d (2)))
  (!assign *steps* (!add *steps* d)))

(defun show (name tensor)
  (format t "~a ~a~%" name (change-facet tensor :list)))

(when (boundp '*args*)
  (let ((folder (first *args*))
        (x (!reshape (ax+b '(12) 1.0 -5.0) '(4 3)))
        (ids (change-facet '(4 0 2) :tensor :dtype :int64))
        (table (!reshape (ax+b '(10) 0.5 0.0 :dtype :float64) '(5 2))))
    (save-npy (proceed x) (format nil "~a/x.npy" folder))))
