;;;; The cases of the table of ops (stdlib/op_table.lisp) as functions and operands.


;;; Operands -----------------------------------------------------------------------------------------

(defun float-value (domain k)
  "Number k of a domain: sixteenths, exact in every float type. Only :any and :ids have values at
which ops have kinks (integers and halves) and values that two operands share."
  (ecase domain
    (:any (/ (- (mod k 33) 16) 8.0))
    (:distinct (/ (- (* 2 (mod (* 7 k) 31)) 31) 16.0))
    (:positive (/ (1+ (mod k 16)) 8.0))
    (:nonzero (/ (- (* 2 (mod k 16)) 15) 8.0))
    (:unit (/ (- (* 2 (mod k 15)) 15) 16.0))
    (:fraction (/ (1+ (mod k 15)) 16.0))
    (:ids (float (mod k 3)))))

(defun integer-value (domain k unsigned)
  (let ((value (ecase domain
                 (:any (- (mod k 5) 2))
                 (:distinct (- (mod (* 3 k) 7) 3))
                 (:positive (1+ (mod k 4)))
                 (:nonzero (* (if (oddp k) 1 -1) (1+ (mod k 4))))
                 (:unit (mod k 2))
                 (:ids (mod k 3)))))
    (if unsigned (abs value) value)))

(defun value-of-dtype (domain k dtype)
  (case dtype
    (:bool (evenp k))
    ((:float64 :float32 :float16 :bfloat16) (float-value domain k))
    (t (integer-value domain k (member dtype '(:uint8 :uint16 :uint32 :uint64))))))

(defun operand-data (domain sizes seed dtype)
  "An array of the values; neighbours differ, operands start at different ones."
  (let ((array (make-array sizes)))
    (dotimes (i (array-total-size array) array)
      (setf (row-major-aref array i)
            (value-of-dtype domain (+ (* 5 i) (* 11 seed) 2) dtype)))))

(defun operand-parts (operand)
  "Name, domain and sizes of an operand of a case."
  (if (keywordp (second operand))
      (values (first operand) (second operand) (cddr operand))
      (values (first operand) :any (rest operand))))

(defun operands (operands dtype)
  (loop for operand in operands
        for seed from 0
        collect (multiple-value-bind (name domain sizes) (operand-parts operand)
                  (declare (ignore name))
                  (make-tensor sizes :dtype dtype :from (operand-data domain sizes seed dtype)))))

;;; Cases --------------------------------------------------------------------------------------------

(defun row-cases (row)
  (let ((rest (cdddr row)))
    (if (eq (first rest) :since) (cddr rest) rest)))

(defun map-case-p (case)
  (eq (first case) :map))

(defun case-operands (case &optional (sizes '(2 3)))
  "The operands of a case; those of a :map case have the given sizes."
  (if (map-case-p case)
      (loop for name in '(a b c)
            for i below (second case)
            for domain = (or (nth i (cddr case)) :any)
            collect (list* name domain sizes))
      (first case)))

(defun case-function (name case)
  (if (map-case-p case)
      (symbol-function name)
      (eval `#'(lambda ,(mapcar #'first (first case)) ,(second case)))))

(defun described (x)
  "As (dtype shape elements); without elements where they may be beyond Lisp's integers."
  (list (dtype-of x) (shape x) (if (eq (dtype-of x) :uint64) :any (computed-elements x))))

(defun results-of-each (calls)
  "The results of calls (function . tensors), as lists of (dtype shape elements). One program computes
them all: compiling takes the time of these tests."
  (let* ((results (loop for (function . tensors) in calls
                        collect (multiple-value-list (apply function tensors))))
         (computed (multiple-value-list (forward (caten (apply #'append results))))))
    (loop for list in results
          collect (loop for nil in list collect (described (pop computed))))))

(defun results-of (function tensors)
  (first (results-of-each (list (cons function tensors)))))

(defun as-number (x)
  (case x ((t) 1) ((nil) 0) (t x)))

(defun same-elements (as bs tolerance)
  (and (= (length as) (length bs))
       (every #'(lambda (a b)
                  (let ((a (as-number a))
                        (b (as-number b)))
                    (or (= a b)
                        (and (/= a a) (/= b b))
                        (<= (abs (- a b)) (* tolerance (max 1 (abs b)))))))
              as bs)))

(defun same-results (as bs tolerance)
  (and (= (length as) (length bs))
       (every #'(lambda (a b)
                  (and (equal (second a) (second b))
                       (same-elements (third a) (third b) tolerance)))
              as bs)))

(defmacro do-cases ((name row case) &body body)
  `(dolist (,row *op-table*)
     (let ((,name (first ,row)))
       (dolist (,case (row-cases ,row))
         ,@body))))

(defun case-label (name case)
  (format nil "~(~a~)" (if (map-case-p case) name (second case))))

(defun reversed-view (x)
  "The same elements as a view with negative steps."
  (apply #'!view (proceed (!flip x)) (make-list (ndim x) :initial-element '(nil nil -1))))

(defun transposed-view (x)
  (if (< (ndim x) 2) x (!t (proceed (!t x)))))
