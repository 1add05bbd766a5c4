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

(defun double-tensor (array &optional requires-grad)
  (make-tensor (array-dimensions array) :dtype :float64 :from array :requires-grad requires-grad))

(defun difference-program (calls names)
  "A program that gives the weighted sum of each call (function . arrays), whose arguments it takes by
name."
  (caten (loop for (function . arrays) in calls
               for own in names
               collect (apply-to-tensors function
                                         (loop for name in own
                                               for array in arrays
                                               collect (make-input name (array-dimensions array)
                                                                   :dtype :float64))))))

(defun call-elements (arrays)
  "Where the elements of a call's arguments are: a vector of (array . index)."
  (coerce (loop for array in arrays
                append (loop for i below (array-total-size array) collect (cons array i)))
          'vector))

(defun add-to-elements (calls k step)
  "Adds `step` to the elements number k of the calls."
  (dolist (elements calls)
    (when (< k (length elements))
      (destructuring-bind (array . i) (aref elements k)
        (incf (row-major-aref array i) step)))))

(defun numeric-gradients (calls step)
  "Central differences of the weighted sum of each call (function . arrays) by each element of its
arguments, a flat list per call. One program computes all calls, which step together."
  (let* ((names (loop for (nil . arrays) in calls
                      for n from 0
                      collect (loop for nil in arrays
                                    for i from 0
                                    collect (intern (format nil "X~a-~a" n i) :caten))))
         (program (difference-program calls names))
         (elements (loop for (nil . arrays) in calls collect (call-elements arrays)))
         (originals (loop for own in elements
                          collect (loop for (array . i) across own
                                        collect (row-major-aref array i))))
         (gradients (loop for nil in calls collect nil)))
    (flet ((sums ()
             (mapcar #'item
                     (multiple-value-list
                      (apply #'forward program
                             (loop for own in names
                                   for (nil . arrays) in calls
                                   append (loop for name in own
                                                for array in arrays
                                                when (%runtime-takes-p program name)
                                                  collect (cons name (double-tensor array)))))))))
      (dotimes (k (reduce #'max (mapcar #'length elements) :initial-value 0))
        (add-to-elements elements k step)
        (let ((above (sums)))
          (add-to-elements elements k (* -2 step))
          (let ((below (sums)))
            (loop for own in elements
                  for original in originals
                  do (when (< k (length own))
                       (destructuring-bind (array . i) (aref own k)
                         (setf (row-major-aref array i) (nth k original)))))
            (setf gradients (loop for list in gradients
                                  for own in elements
                                  for a in above
                                  for b in below
                                  collect (if (< k (length own))
                                              (cons (/ (- a b) (* 2 step)) list)
                                              list)))))))
    (mapcar #'reverse gradients)))

(defun analytic-gradients (calls)
  "The gradients of the weighted sum of each call (function . arrays) by the `backward` methods, a
flat list per call."
  (let* ((tensors (loop for (nil . arrays) in calls
                        collect (loop for array in arrays collect (double-tensor array t))))
         (sums (loop for (function . nil) in calls
                     for own in tensors
                     collect (apply-to-tensors function own)))
         (lazy (gradients sums (apply #'append tensors) :create-graph nil))
         (flowing (remove nil lazy))
         (computed (and flowing (multiple-value-list (forward (caten flowing))))))
    (loop for own in tensors
          collect (loop for x in own
                        append (if (pop lazy)
                                   (computed-elements (pop computed))
                                   (make-list (reduce #'* (shape x)) :initial-element 0d0))))))

(defun double-array (x)
  "A number, nested lists, an array or a tensor as an array of doubles."
  (let* ((data (if (tensor-p x) (change-facet x :list) x))
         (tensor (make-tensor (data-dimensions data) :dtype :float64 :from data)))
    (change-facet tensor :array)))

(defun data-dimensions (data)
  (if (arrayp data)
      (array-dimensions data)
      (loop for x = data then (first x) while (consp x) collect (length x))))

(defun gradient-mismatch (arrays analytic numeric tolerance)
  "Text about the first element where two flat lists of the gradients of a call differ, or nil."
  (loop for array in arrays
        for n from 0
        do (dotimes (i (array-total-size array))
             (let ((a (pop analytic))
                   (b (pop numeric)))
               (unless (<= (abs (- a b)) (* tolerance (max 1 (abs b))))
                 (return-from gradient-mismatch
                   (format nil "the gradient of argument ~a, element ~a, is ~a; differences give ~a"
                           n i a b)))))))

(defun grad-check-each (calls)
  "For each call (function input…) nil, or text about where its gradients and central differences
differ; see `grad-check`."
  (let ((calls (loop for (function . inputs) in calls
                     collect (cons function (mapcar #'double-array inputs)))))
    (loop for (nil . arrays) in calls
          for analytic in (analytic-gradients calls)
          for numeric in (numeric-gradients calls 1d-5)
          collect (gradient-mismatch arrays analytic numeric 1d-6))))

(defun grad-check (function &rest inputs)
  "Whether the gradients of `function` at the inputs (numbers, nested lists, arrays, tensors, or one
list of tensors; computed in float64) agree with central differences. Results that are not floats do
not count. The second value says where they differ. `(grad-check (grad function) …)` checks the
second derivatives."
  (let* ((inputs (if (and (consp (first inputs)) (tensor-p (first (first inputs))))
                     (first inputs)
                     inputs))
         (text (first (grad-check-each (list (cons function inputs))))))
    (values (null text) text)))
