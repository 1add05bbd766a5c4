;;;; Every case of the table of ops (stdlib/op_table.lisp) over dtypes, shapes, strides and symbolic
;;;; sizes, and its first and second derivatives against central differences.

(load "stdlib/op_table.lisp")
(load "tests/lisp/support/op_cases.lisp")

(defparameter *floats* '(:float64 :float32 :float16 :bfloat16))
(defparameter *integers* '(:int64 :int32 :int16 :int8 :uint64 :uint32 :uint16 :uint8))

(defun row-dtypes (row)
  (ecase (second row)
    (:float (append *floats* '(:int32 :uint8 :bool)))
    (:float-only *floats*)
    (:number (append *floats* *integers*))
    (:all (append *floats* *integers* '(:bool)))
    (:integer (append *integers* '(:bool)))
    (:bool '(:bool))))

(defun tolerance-of (dtype)
  (ecase dtype (:float64 0) (:float32 2e-5) (:float16 2e-2) (:bfloat16 0.15)))

(deftest the-table-is-complete
  (let ((names nil))
    (with-open-file (stream "stdlib/exports.lisp")
      (loop for form = (read stream nil)
            while form
            do (when (eq (first form) 'export)
                 (setf names (append names (second (second form)))))))
    (let ((ops (remove-if-not #'(lambda (name)
                                  (and (char= (char (symbol-name name) 0) #\!)
                                       (> (length (symbol-name name)) 1)))
                              names)))
      (ok (null (set-difference ops (mapcar #'first *op-table*))) "every exported op has a row")
      (ok (null (set-difference (mapcar #'first *op-table*) ops)) "every row is an exported op")
      (ok (= (length *op-table*) (length (remove-duplicates (mapcar #'first *op-table*))))
          "one row per op"))))

(deftest every-dtype
  (do-cases (name row case)
    (let* ((function (case-function name case))
           (operands (case-operands case))
           (exact (and (set-difference (row-dtypes row) *floats*)
                       (results-of function (operands operands :int64))))
           (wide (and (member :float64 (row-dtypes row))
                      (results-of function (operands operands :float64)))))
      (dolist (dtype (row-dtypes row))
        (let ((label (format nil "~a of ~(~a~)" (case-label name case) dtype))
              (tensors (operands operands dtype)))
          (cond ((member dtype *floats*)
                 (ok (same-results (results-of function tensors) wide (tolerance-of dtype)) label))
                ((member dtype '(:int64 :int32 :int16 :int8))
                 (ok (same-results (results-of function tensors) exact 1e-5) label))
                ;; Bools and unsigned integers have values of their own: the shapes are compared.
                (t
                 (ok (equal (shapes-of function tensors) (mapcar #'second exact)) label))))))))

(deftest every-shape
  (do-cases (name row case)
    (when (map-case-p case)
      (let ((function (case-function name case))
            (dtype (if (eq (second row) :integer) :int32 :float32)))
        (loop for sizes in '(() (1) (0 3) (7) (2 1 3))
              for count = (reduce #'* sizes)
              do (let ((flat (results-of function
                                         (operands (case-operands case (list count)) dtype)))
                       (shaped (results-of function
                                           (operands (case-operands case sizes) dtype))))
                   (ok (and (equal (second (first shaped)) sizes)
                            (same-elements (third (first shaped)) (third (first flat)) 0))
                       (format nil "~a of shape ~a" name sizes))))))))

(deftest every-stride
  (do-cases (name row case)
    (when (and (case-operands case)
               (not (eq name '!view-from-base)))  ; which looks past the view
      (let* ((function (case-function name case))
             (dtype (if (eq (second row) :integer) :int32 :float32))
             (tensors (operands (case-operands case) dtype))
             (expected (results-of function tensors)))
        (ok (same-results (results-of function (mapcar #'reversed-view tensors)) expected 1e-6)
            (format nil "~a, reversed" (case-label name case)))
        (ok (same-results (results-of function (mapcar #'transposed-view tensors)) expected 1e-6)
            (format nil "~a, transposed" (case-label name case)))))))

(deftest every-symbolic-size
  (do-cases (name row case)
    (when (map-case-p case)
      (let* ((function (case-function name case))
             (dtype (if (eq (second row) :integer) :int32 :float32))
             (tensors (operands (case-operands case '(2 3)) dtype))
             (names '(a b c))
             (program (caten (apply function
                                    (loop for nil in tensors
                                          for input in names
                                          collect (make-input input '(n m) :dtype dtype)))))
             (result (apply #'forward program '(n . 2) '(m . 3)
                            (loop for x in tensors for input in names collect (cons input x)))))
        (ok (same-elements (computed-elements result)
                           (third (first (results-of function tensors)))
                           0)
            (case-label name case))))))

(defun gradient-data (operands)
  (loop for operand in operands
        for seed from 0
        collect (multiple-value-bind (name domain sizes) (operand-parts operand)
                  (declare (ignore name))
                  (operand-data domain sizes seed :float64))))

(defun constant-ids (function operands)
  "The function of the operands that are not ids, and their data."
  (let* ((data (gradient-data operands))
         (fixed (loop for operand in operands
                      collect (eq (second operand) :ids))))
    (values #'(lambda (&rest tensors)
                (apply function
                       (loop for x in data
                             for id in fixed
                             collect (if id
                                         (make-tensor (array-dimensions x) :from x :dtype :float64)
                                         (pop tensors)))))
            (loop for x in data for id in fixed unless id collect x))))

(defun check-derivative (label function data)
  (multiple-value-bind (passed text) (apply #'grad-check function data)
    (ok passed (format nil "~a~@[: ~a~]" label text))))

(deftest every-gradient
  (do-cases (name row case)
    (when (and (case-operands case) (not (eq (third row) :no)))
      (multiple-value-bind (function data)
          (constant-ids (case-function name case) (case-operands case))
        (ecase (third row)
          (:yes
           (check-derivative (case-label name case) function data))
          (:zero
           (ok (every #'(lambda (x) (every #'zerop (computed-elements x)))
                      (multiple-value-list
                       (apply (grad function)
                              (loop for x in data
                                    collect (make-tensor (array-dimensions x) :from x
                                                         :dtype :float64)))))
               (case-label name case))))))))

(deftest every-second-derivative
  (do-cases (name row case)
    (when (and (case-operands case) (eq (third row) :yes))
      (multiple-value-bind (function data)
          (constant-ids (case-function name case) (case-operands case))
        (check-derivative (case-label name case) (grad function) data)))))

(deftest ops-without-a-gradient
  (do-cases (name row case)
    (when (and (case-operands case) (eq (third row) :no) (member :float32 (row-dtypes row)))
      (ok (notany #'caten::%needs-grad-p
                  (multiple-value-list
                   (apply (case-function name case)
                          (mapcar #'caten::tracked (operands (case-operands case) :float32)))))
          (case-label name case)))))
