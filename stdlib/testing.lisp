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

(defun weighted-sum (x)
  (!sum (!mul x (test-weights (shape x))) :squeeze t))

(defun numeric-gradient (function arrays n step)
  "Central differences of the weighted sum of `function` for each element of its n-th argument."
  (let* ((names (loop for i below (length arrays) collect (intern (format nil "X~a" i) :caten)))
         (program (caten (weighted-sum
                          (apply function
                                 (loop for name in names
                                       for array in arrays
                                       collect (make-input name (array-dimensions array)
                                                           :dtype :float64))))))
         (target (nth n arrays)))
    (flet ((value ()
             (item (apply #'forward program
                          (loop for name in names
                                for array in arrays
                                collect (cons name (double-tensor array)))))))
      (loop for i below (array-total-size target)
            for old = (row-major-aref target i)
            collect (progn
                      (setf (row-major-aref target i) (+ old step))
                      (let ((above (value)))
                        (setf (row-major-aref target i) (- old step))
                        (let ((below (value)))
                          (setf (row-major-aref target i) old)
                          (/ (- above below) (* 2 step)))))))))

(defun double-tensor (array &optional requires-grad)
  (make-tensor (array-dimensions array) :dtype :float64 :from array :requires-grad requires-grad))

(defun analytic-gradients (function arrays)
  "The gradients of the weighted sum of `function` by its `backward` methods, as flat lists."
  (let* ((tensors (loop for array in arrays
                        collect (double-tensor array t)))
         (program (caten (weighted-sum (apply function tensors)))))
    (forward program)
    (backward program)
    (loop for x in tensors collect (computed-elements (grad x)))))

(defun double-array (nested)
  "Nested lists of numbers as an array of doubles."
  (let* ((dims (loop for x = nested then (first x) while (consp x) collect (length x)))
         (array (make-array dims)))
    (loop for i from 0
          for value in (flatten-tensors (list nested))
          do (setf (row-major-aref array i) (coerce value 'double-float)))
    array))

(defun grad-check (function &rest arguments)
  "Whether the gradients of `function` at the arguments (numbers or nested lists, as float64) agree
with finite differences."
  (let* ((arrays (mapcar #'double-array arguments))
         (analytic (analytic-gradients function arrays)))
    (loop for gradient in analytic
          for n from 0
          always (loop for a in gradient
                       for b in (numeric-gradient function arrays n 1d-5)
                       always (<= (abs (- a b)) (* 1d-6 (max 1 (abs b))))))))
