;;;; What the tests over the goldens of tests/oracle/torch_table.py share: operands in every layout, and
;;;; the comparison of values and gradients.

(load "op_cases.lisp")

(defun every-second (data dtype)
  "The elements of an array as a view of every second element of the last axis of a tensor."
  (let* ((sizes (array-dimensions data))
         (count (array-total-size data))
         (wide (make-array (append (butlast sizes) (list (* 2 (first (last sizes))))))))
    (dotimes (i count)
      (setf (row-major-aref wide (* 2 i)) (row-major-aref data (- count i 1))
            (row-major-aref wide (1+ (* 2 i))) (row-major-aref data i)))
    (apply #'!view (make-tensor (array-dimensions wide) :dtype dtype :from wide)
           (append (make-list (1- (length sizes)) :initial-element t) '((1 nil 2))))))

(defun laid-out (layout data dtype)
  "A tensor with the elements of an array: contiguous, a reversed, transposed or strided view, or in
column-major order."
  (let ((tensor (make-tensor (array-dimensions data) :dtype dtype :from data)))
    (ecase layout
      (:c tensor)
      (:r (reversed-view tensor))
      (:t (transposed-view tensor))
      (:s (if (zerop (ndim tensor)) tensor (every-second data dtype)))
      (:m (make-tensor (array-dimensions data) :dtype dtype :order :column :from data)))))

(defun golden-operands (domains layout dtype shapes)
  (loop for domain in domains
        for sizes in shapes
        for seed from 0
        for own = (if (eq domain :ids) :int64 dtype)
        collect (laid-out layout (operand-data domain sizes seed own) own)))

(defun tolerances (dtype)
  "Absolute and relative. 16-bit floats round after every op."
  (case dtype
    (:float64 (values 1d-10 1d-10))
    (:float32 (values 1e-6 1e-5))
    (:float16 (values 3e-3 3e-3))
    (:bfloat16 (values 2e-2 2e-2))
    (t (values 0 0))))

(defun close-to-p (a b absolute relative)
  (case b
    ((t nil) (eq a b))
    (:nan (and (numberp a) (/= a a)))
    (:inf (and (numberp a) (= a (inf))))
    (:-inf (and (numberp a) (= a (-inf))))
    (t (and (numberp a)
            (or (= a b) (<= (abs (- a b)) (+ absolute (* relative (abs b)))))))))

(defun elements-difference (elements expected absolute relative)
  "Text about the first difference, or nil."
  (if (/= (length elements) (length expected))
      (format nil "~a elements, expected ~a" (length elements) (length expected))
      (loop for a in elements
            for b in expected
            for i from 0
            unless (close-to-p a b absolute relative)
              return (format nil "element ~a is ~a, expected ~a" i a b))))

(defun result-difference (tensor expected)
  "`expected` is (dtype sizes element…)."
  (destructuring-bind (dtype sizes . elements) expected
    (multiple-value-bind (absolute relative) (tolerances dtype)
      (cond ((not (eq (dtype-of tensor) dtype))
             (format nil "dtype ~(~a~), expected ~(~a~)" (dtype-of tensor) dtype))
            ((not (equal (shape tensor) sizes))
             (format nil "shape ~a, expected ~a" (shape tensor) sizes))
            (t (elements-difference
                (if (eq dtype :uint64)  ; Lisp integers are signed
                    (computed-elements (!bitcast tensor :int64))
                    (computed-elements tensor))
                elements absolute relative))))))

(defun row-results (function domains row)
  "The lazy results of a row, and the lazy gradients that it asks for (nil where none flows)."
  (destructuring-bind (layout dtype shapes . rest) row
    (let* ((wanted (member :gradients rest))
           (operands (golden-operands domains layout dtype shapes))
           (operands (if wanted (mapcar #'caten::tracked operands) operands))
           (results (multiple-value-list (apply function operands))))
      (values results
              (and wanted
                   (gradients (caten::weighted-sum results)
                              (remove-if-not #'caten::float-tensor-p operands)
                              :create-graph nil))))))

(defun check-goldens (name function domains rows)
  "One program computes all rows: (layout dtype shapes result… [:gradients elements…])."
  (let* ((lazy (loop for row in rows
                     collect (multiple-value-list (row-results function domains row))))
         (computed (multiple-value-list
                    (forward (caten (loop for (results gradients) in lazy
                                          append results
                                          append (remove nil gradients)))))))
    (loop for row in rows
          for (results gradients) in lazy
          for expected = (remove :gradients (ldiff (cdddr row) (member :gradients row)))
          for label = (format nil "~a of ~(~a ~a~) ~a" name (first row) (second row) (third row))
          do (loop for want in expected
                   for text = (result-difference (pop computed) want)
                   do (ok (null text) (format nil "~a~@[: ~a~]" label text)))
             (ok (= (length results) (length expected))
                 (format nil "~a: ~a results" label (length results)))
             (loop for gradient in gradients
                   for want in (rest (member :gradients row))
                   for i from 0
                   for text = (if gradient
                                  (elements-difference (computed-elements (pop computed)) want
                                                       1e-5 1e-4)
                                  (and (some #'(lambda (x) (not (eql 0 x))) want)
                                       "no gradient flows"))
                   do (ok (null text) (format nil "~a: gradient ~a~@[: ~a~]" label i text))))))

(defmacro goldens (name operands form &body rows)
  "Operands are (name domain)."
  `(deftest ,(intern (substitute #\- #\space (string-upcase name)))
     (check-goldens ,name
                    #'(lambda ,(mapcar #'first operands) ,form)
                    ',(mapcar #'second operands)
                    ',rows)))
