;;;; What tests of ops need: comparison of computed elements with expected ones under the rules for
;;;; equal numbers, and gradients against finite differences.
(in-package :caten)

(defun computed-elements (x)
  "The elements of a tensor, computed if need be, as a flat list in row-major order."
  (let ((list (change-facet (proceed x) :list)))
    (labels ((walk (item)
               (if (listp item)
                   (mapcan #'walk item)
                   (list item))))
      (cond ((member 0 (shape x)) nil)
            ((eq (dtype-of x) :bool) (flatten-bools list (ndim x)))
            (t (walk list))))))

(defun flatten-bools (item rank)
  "Elements of nested lists in which nil is also an element (false)."
  (if (zerop rank)
      (list (and item (not (eql item 0))))
      (mapcan #'(lambda (x) (flatten-bools x (1- rank))) item)))

(defun same-number-p (a b tolerance)
  "Whether `a` is the expected `b`: a number, :nan, :inf, :-inf, t or nil."
  (case b
    ((t nil) (eq a b))
    (:nan (/= a a))
    (:inf (= a (inf)))
    (:-inf (= a (-inf)))
    (t (and (numberp a)
            (or (= a b)
                (and (< -1d300 a 1d300)
                     (<= (abs (- a b)) (* tolerance (max 1 (abs b))))))))))

(defun mismatch-text (x dtype dims expected tolerance)
  "nil when the tensor has the dtype, the shape and the elements; otherwise what differs."
  (let ((elements (computed-elements x)))
    (cond ((not (eq (dtype-of x) dtype))
           (format nil "dtype ~(~a~), expected ~(~a~)" (dtype-of x) dtype))
          ((not (equal (shape x) dims)) (format nil "shape ~a, expected ~a" (shape x) dims))
          ((/= (length elements) (length expected))
           (format nil "~a elements, expected ~a" (length elements) (length expected)))
          (t (loop for a in elements
                   for b in expected
                   for i from 0
                   unless (same-number-p a b tolerance)
                     do (return (format nil "element ~a is ~a, expected ~a" i a b)))))))

(defmacro check-tensor (form dtype dims elements &optional (tolerance 0))
  "A check of a test: `form` computes a tensor with this dtype, shape and elements (a flat list of
numbers, :nan, :inf, :-inf, t, nil), within a relative tolerance."
  `(let ((text (mismatch-text ,form ,dtype ,dims ,elements ,tolerance)))
     (if text
         (rove:fail (format nil "~a: ~a" (prin1-to-string ',form) text))
         (rove:pass))))

;;; Gradients ----------------------------------------------------------------------------------

(defun test-weights (dims)
  "Fixed factors that tell the elements of a result apart."
  (!add 1.0 (!mul 0.25d0 (!sin (!cast (!index-components dims) :float64)))))

(defun weighted-sum (results)
  "The sum of the float tensors in the list, each element with its own factor."
  (reduce #'!add
          (loop for x in results
                when (float-tensor-p x)
                  collect (!sum (!mul (!cast x :float64) (test-weights (shape x))) :squeeze t))
          :initial-value (constant 0 :float64)))

(defun apply-to-tensors (function tensors)
  (weighted-sum (multiple-value-list (apply function tensors))))

(defun numeric-gradients (function arrays step)
  "Central differences of the weighted sum of `function` for each element of each argument, as flat
lists."
  (let* ((names (loop for i below (length arrays) collect (intern (format nil "X~a" i) :caten)))
         (program (caten (apply-to-tensors function
                                           (loop for name in names
                                                 for array in arrays
                                                 collect (make-input name (array-dimensions array)
                                                                     :dtype :float64))))))
    (labels ((arguments ()
               (loop for name in names
                     for array in arrays
                     when (%runtime-takes-p program name)
                       collect (cons name (double-tensor array))))
             (value-at (array i x)
               (setf (row-major-aref array i) x)
               (item (apply #'forward program (arguments)))))
      (loop for array in arrays
            collect (loop for i below (array-total-size array)
                          for old = (row-major-aref array i)
                          for above = (value-at array i (+ old step))
                          for below = (value-at array i (- old step))
                          do (setf (row-major-aref array i) old)
                          collect (/ (- above below) (* 2 step)))))))

(defun double-tensor (array &optional requires-grad)
  (make-tensor (array-dimensions array) :dtype :float64 :from array :requires-grad requires-grad))

(defun analytic-gradients (function arrays)
  "The gradients of the weighted sum of `function` by its `backward` methods, as flat lists."
  (let* ((tensors (loop for array in arrays
                        collect (double-tensor array t)))
         (program (caten (apply-to-tensors function tensors))))
    (forward program)
    (backward program)
    (loop for x in tensors
          collect (if (grad x)
                      (computed-elements (grad x))
                      (make-list (reduce #'* (shape x)) :initial-element 0d0)))))

(defun double-array (x)
  "A number, nested lists, an array or a tensor as an array of doubles."
  (let* ((data (if (tensor-p x) (change-facet x :list) x))
         (tensor (make-tensor (data-dimensions data) :dtype :float64 :from data)))
    (change-facet tensor :array)))

(defun data-dimensions (data)
  (if (arrayp data)
      (array-dimensions data)
      (loop for x = data then (first x) while (consp x) collect (length x))))

(defun gradient-mismatch (analytic numeric tolerance)
  "Text about the first element where two lists of gradients differ, or nil."
  (loop for gradient in analytic
        for expected in numeric
        for n from 0
        do (loop for a in gradient
                 for b in expected
                 for i from 0
                 unless (<= (abs (- a b)) (* tolerance (max 1 (abs b))))
                   do (return-from gradient-mismatch
                        (format nil "the gradient of argument ~a, element ~a, is ~a; differences give ~a"
                                n i a b)))))

(defun grad-check (function &rest inputs)
  "Whether the gradients of `function` at the inputs (numbers, nested lists, arrays, tensors, or one
list of tensors; computed in float64) agree with central differences. Results that are not floats do
not count. The second value says where they differ. `(grad-check (grad function) …)` checks the
second derivatives."
  (let* ((inputs (if (and (consp (first inputs)) (tensor-p (first (first inputs))))
                     (first inputs)
                     inputs))
         (arrays (mapcar #'double-array inputs))
         (text (gradient-mismatch (analytic-gradients function arrays)
                                  (numeric-gradients function arrays 1d-5)
                                  1d-6)))
    (values (null text) text)))
