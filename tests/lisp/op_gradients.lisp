;;;; The first and second derivatives of every case of the table of ops (stdlib/op_table.lisp) against
;;;; central differences.

(load "stdlib/op_table.lisp")
(load "tests/lisp/support/op_cases.lisp")

(defun gradient-data (operands)
  (loop for operand in operands
        for seed from 0
        collect (multiple-value-bind (name domain sizes) (operand-parts operand)
                  (declare (ignore name))
                  (operand-data domain sizes seed :float64))))

(defun constant-ids (function operands)
  "A call of the function with the operands that are not ids: the function of these, and their data."
  (let* ((data (gradient-data operands))
         (fixed (loop for operand in operands
                      collect (eq (second operand) :ids))))
    (cons #'(lambda (&rest tensors)
              (apply function
                     (loop for x in data
                           for id in fixed
                           collect (if id
                                       (make-tensor (array-dimensions x) :from x :dtype :float64)
                                       (pop tensors)))))
          (loop for x in data for id in fixed unless id collect x))))

(defun calls-with-gradient (kind)
  "Labels and calls of the cases of a kind of gradient."
  (let ((calls nil))
    (do-cases (name row case)
      (when (and (case-operands case) (eq (third row) kind))
        (push (cons (case-label name case)
                    (constant-ids (case-function name case) (case-operands case)))
              calls)))
    (nreverse calls)))

(defun check-derivatives (calls)
  "Some calls at a time: a program of many takes less time than many programs."
  (loop while calls
        do (let ((some (loop repeat 8 while calls collect (pop calls))))
             (loop for (label . nil) in some
                   for text in (caten::grad-check-each (mapcar #'rest some))
                   do (ok (null text) (format nil "~a~@[: ~a~]" label text))))))

(deftest every-gradient
  (check-derivatives (calls-with-gradient :yes)))

(deftest every-second-derivative
  (check-derivatives (loop for (label function . data) in (calls-with-gradient :yes)
                           collect (list* label (grad function) data))))

(deftest gradients-of-zero
  (loop for (label function . data) in (calls-with-gradient :zero)
        do (ok (every #'(lambda (x) (every #'zerop (computed-elements x)))
                      (multiple-value-list
                       (apply (grad function)
                              (loop for x in data
                                    collect (make-tensor (array-dimensions x) :from x
                                                         :dtype :float64)))))
               label)))
