;;;; Every case of the table of ops (stdlib/op_table.lisp) over dtypes, strides and symbolic sizes.

(load "stdlib/op_table.lisp")
(load "tests/lisp/support/op_cases.lisp")

(defparameter *floats* '(:float64 :float32 :float16 :bfloat16))
(defparameter *integers* '(:int64 :int32 :int16 :int8 :uint64 :uint32 :uint16 :uint8))

(defun row-dtypes (row)
  "The dtypes that an op works on. The evaluator, which has one template for all and whose dtypes the
numpy_grid tests compare with NumPy, is tried on half of them."
  (let ((all (ecase (second row)
               (:float (append *floats* '(:int32 :uint8 :bool)))
               (:float-only *floats*)
               (:number (append *floats* *integers*))
               (:all (append *floats* *integers* '(:bool)))
               (:integer (append *integers* '(:bool)))
               (:bool '(:bool)))))
    (if (eq *backend* :interp)
        (intersection all '(:float64 :float32 :bfloat16 :int64 :int8 :uint8 :bool))
        all)))

(defun tolerance-of (dtype)
  (ecase dtype (:float64 0) (:float32 2e-5) (:float16 2e-2) (:bfloat16 0.15)))

(deftest ops-without-a-gradient
  (do-cases (name row case)
    (when (and (case-operands case) (eq (third row) :no) (member :float32 (row-dtypes row)))
      (ok (notany #'caten::%needs-grad-p
                  (multiple-value-list
                   (apply (case-function name case)
                          (mapcar #'caten::tracked (operands (case-operands case) :float32)))))
          (case-label name case)))))

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
  ;; Elementwise ops are compared with PyTorch in every dtype (torch_table_*.lisp).
  (do-cases (name row case)
    (unless (map-case-p case)
      (let* ((function (case-function name case))
             (operands (case-operands case))
             (dtypes (row-dtypes row))
             (integers (set-difference dtypes *floats*))
             (computed (remove-duplicates (append dtypes (and integers '(:int64)))))
             (results (pairlis computed
                               (results-of-each (loop for dtype in computed
                                                      collect (cons function
                                                                    (operands operands dtype))))))
             (exact (cdr (assoc :int64 results)))
             (wide (cdr (assoc :float64 results))))
        (dolist (dtype dtypes)
          (let ((label (format nil "~a of ~(~a~)" (case-label name case) dtype))
                (result (cdr (assoc dtype results))))
            (cond ((member dtype *floats*)
                   (ok (same-results result wide (tolerance-of dtype)) label))
                  ((member dtype '(:int64 :int32 :int16 :int8))
                   (ok (same-results result exact 1e-5) label))
                  ;; Bools and unsigned integers have values of their own: the shapes are compared.
                  (t
                   (ok (equal (mapcar #'second result) (mapcar #'second exact)) label)))))))))

(deftest every-stride
  (do-cases (name row case)
    (when (and (case-operands case)
               (not (eq name '!view-from-base)))  ; which looks past the view
      (let* ((function (case-function name case))
             (dtype (if (eq (second row) :integer) :int32 :float32))
             (tensors (operands (case-operands case) dtype)))
        (destructuring-bind (expected reversed transposed)
            (results-of-each (list (cons function tensors)
                                   (cons function (mapcar #'reversed-view tensors))
                                   (cons function (mapcar #'transposed-view tensors))))
          (ok (same-results reversed expected 1e-6)
              (format nil "~a, reversed" (case-label name case)))
          (ok (same-results transposed expected 1e-6)
              (format nil "~a, transposed" (case-label name case))))))))

(defparameter *needs-sizes* '(!split !convnd !conv-transposend !ctc-loss)
  "Ops one of whose operands must have known sizes, to count results or to unroll steps.")

(defun symbolic-call (function tensors prefix)
  "Lazy results of the function on inputs with a symbol for every size but 1 (equal sizes get equal
ones); the arguments that give the symbols and inputs their values."
  (let* ((sizes (remove 1 (remove-duplicates (loop for x in tensors append (shape x)))))
         (symbols (loop for nil in sizes for i from 0 collect (intern (format nil "~a-N~a" prefix i))))
         (names (loop for nil in tensors for i from 0 collect (intern (format nil "~a-X~a" prefix i)))))
    (values (multiple-value-list
             (apply function
                    (loop for x in tensors
                          for name in names
                          collect (make-input name
                                              (sublis (pairlis sizes symbols) (shape x))
                                              :dtype (dtype-of x)))))
            (append (pairlis symbols sizes) (pairlis names tensors)))))

(defun check-symbolic-sizes (cases)
  "Each case is (label function . tensors). One program computes them all."
  (let* ((arguments nil)
         (results (loop for (nil function . tensors) in cases
                        for i from 0
                        collect (multiple-value-bind (results own)
                                    (symbolic-call function tensors (format nil "C~a" i))
                                  (setf arguments (append own arguments))
                                  results)))
         (program (caten (apply #'append results)))
         (computed (multiple-value-list
                    (apply #'forward program
                           (remove-if-not #'(lambda (x) (caten::%runtime-takes-p program (car x)))
                                          arguments)))))
    (loop for (label . nil) in cases
          for own in results
          for expected in (results-of-each (mapcar #'rest cases))
          do (ok (same-results (loop for nil in own collect (described (pop computed))) expected 1e-6)
                 label))))

(deftest every-symbolic-size
  (let ((cases nil))
    (do-cases (name row case)
      (when (and (case-operands case) (not (member name *needs-sizes*)))
        (push (list* (case-label name case)
                     (case-function name case)
                     (operands (case-operands case) (if (eq (second row) :integer) :int32 :float32)))
              cases)))
    (loop while cases
          do (check-symbolic-sizes (loop repeat 8 while cases collect (pop cases))))))

(deftest windows-of-symbolic-sizes
  (let* ((w (make-tensor '(4 3 2 3) :from (operand-data :any '(4 3 2 3) 1 :float32)))
         (back (make-tensor '(3 2 2 3) :from (operand-data :any '(3 2 2 3) 2 :float32)))
         (x (first (operands '((x :distinct 2 3 5 7)) :float32))))
    (check-symbolic-sizes
     (loop for (label . function)
             in (list (cons "convolution" #'(lambda (x) (!convnd x w :padding 1 :stride 2)))
                      (cons "of the same size" #'(lambda (x) (!convnd x w :padding :same)))
                      (cons "transposed" #'(lambda (x) (!conv-transposend x back :stride 2 :padding 1)))
                      (cons "maxpool" #'(lambda (x) (!maxpool x '(2 3) :padding '(1 1) :ceiling t)))
                      (cons "avgpool" #'(lambda (x) (!avgpool x 2 :padding 1 :count-include-pad nil)))
                      (cons "adaptive" #'(lambda (x) (!adaptive-avgpool x '(3 2))))
                      (cons "twice as large" #'(lambda (x) (!interpolate x nil :scale-factor 2)))
                      (cons "bilinear" #'(lambda (x) (!interpolate x nil :scale-factor 1.5
                                                                         :mode :bilinear)))
                      (cons "chunks" #'(lambda (x) (!chunk x 3 :dim -1)))
                      (cons "unfold" #'(lambda (x) (!unfold x '(2 2) :dilation 2))))
           collect (list label function x)))))
