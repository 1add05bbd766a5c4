;;;; What the tests against PyTorch share. Inputs and parameters are patterns that both sides
;;;; compute; the gradient of a result is that of its sum weighted by 1 + sin(i)/4.

(defun pattern (shape seed kind)
  "Multiples of 1/16 that tell elements apart."
  (let ((array (make-array shape)))
    (dotimes (i (array-total-size array))
      (let ((k (mod (+ (* i 37) (* 11 seed) 5) 61)))
        (setf (row-major-aref array i)
              (ecase kind
                (:any (/ (- k 30) 16.0))
                (:positive (/ (+ k 2) 16.0))
                (:unit (/ (+ k 1) 64.0))))))
    (make-tensor shape :requires-grad t :from array)))

(defun close-p (a b absolute relative)
  (case b
    (:nan (/= a a))
    (:inf (= a (inf)))
    (:-inf (= a (-inf)))
    (t (<= (abs (- a b)) (+ absolute (* relative (abs b)))))))

(defun first-difference (elements expected absolute relative)
  (if (/= (length elements) (length expected))
      (list (length elements) 'elements-instead-of (length expected))
      (loop for a in elements
            for b in expected
            for i from 0
            unless (close-p a b absolute relative)
              return (list 'element i 'is a 'expected b))))

(defun compare (name elements expected absolute relative)
  (let ((difference (first-difference elements expected absolute relative)))
    (ok (null difference) (format nil "~a ~@[~a~]" name difference))))

(defun weighted (x)
  (!sum (!mul (!cast x :float64)
              (!add 1.0 (!mul 0.25d0 (!sin (!cast (!index-components (shape x)) :float64)))))
        :squeeze t))

(defun run-both-ways (results)
  "The computed results; the gradients of their weighted sum are stored."
  (let* ((runtime (caten (cons (reduce #'!add (mapcar #'weighted results))
                               (mapcar #'detach results))))
         (values (rest (multiple-value-list (forward runtime)))))
    (backward runtime)
    (loop for x in values append (computed-elements x))))

(defun gradient-elements (x)
  (if (grad x)
      (computed-elements (grad x))
      (make-list (reduce #'* (shape x)) :initial-element 0.0)))

(defun check-function (name function inputs outputs &rest gradients)
  "`inputs` are (kind . shape), one gradient each."
  (let ((tensors (loop for (kind . shape) in inputs
                       for seed from 0
                       collect (pattern shape seed kind))))
    (compare name (run-both-ways (multiple-value-list (apply function tensors))) outputs 1e-6 1e-5)
    (loop for x in tensors
          for expected in gradients
          for i from 0
          do (compare (format nil "~a: gradient ~a" name i) (gradient-elements x) expected
                      1e-5 1e-4))))

(defun set-patterns (model)
  "Gives the model's parameters patterns, in the order of their names; returns these in order."
  (let* ((old (get-state-dict model))
         (names (sort (remove-if-not #'(lambda (name)
                                         (requires-grad (gethash name (state-dict-entry old))))
                                     (state-dict-keys old))
                      #'string<))
         (new (make-state-dict)))
    (loop for name in (state-dict-keys old)
          for tensor = (gethash name (state-dict-entry old))
          for seed = (position name names :test #'string=)
          do (setf (gethash name (state-dict-entry new))
                   (if seed
                       (proceed (!mul (pattern (shape tensor) (+ seed 10) :any) 0.25))
                       tensor)))
    (load-state-dict model new)
    names))

(defun check-layer (name model arguments outputs names &rest gradients)
  "`arguments` are shapes or tensors. `names` are the names of PyTorch's parameters; the gradients
are those of the shapes, then those of the parameters."
  (ok (equal (set-patterns model) names) (format nil "~a: names of the parameters" name))
  (let* ((inputs (loop for x in arguments
                       for seed from 0
                       collect (if (listp x) (pattern x seed :any) x)))
         (entries (state-dict-entry (get-state-dict model)))
         (wanted (append (remove-if-not #'requires-grad inputs)
                         (loop for key in names collect (gethash key entries)))))
    (compare name (run-both-ways (multiple-value-list (apply #'forward model inputs))) outputs
             1e-6 1e-5)
    (loop for x in wanted
          for expected in gradients
          for i from 0
          do (compare (format nil "~a: gradient ~a" name i) (gradient-elements x) expected
                      1e-5 1e-4))
    model))

(defun check-state (model key expected)
  "An entry of the state dictionary after a run in training mode."
  (compare key (computed-elements (gethash key (state-dict-entry (get-state-dict model)))) expected
           1e-6 1e-5))

(defun check-steps (name maker expected)
  "Five steps from (1 -2 0.5) along the gradient of sum((p - (0.25 1 -1))^2) / 2."
  (let* ((p (make-tensor '(3) :from '(1d0 -2d0 0.5d0) :dtype :float64 :requires-grad t))
         (target (make-tensor '(3) :from '(0.25d0 1d0 -1d0) :dtype :float64))
         (program (caten (!mul 0.5 (!sum (!square (!sub p target))))))
         (optimizer (funcall maker p)))
    (dotimes (i 5)
      (forward program)
      (backward program)
      (step-optimizer optimizer)
      (zero-grad optimizer))
    (compare name (computed-elements p) expected 1d-9 1d-9)))

(defun check-rates (name schedule-maker expected &optional metrics)
  "The rates of an optimiser of rate 1/2 before and after steps of its schedule."
  (let* ((optimizer (funcall (SGD :lr 0.5d0) (make-tensor '(1) :requires-grad t)))
         (schedule (funcall schedule-maker optimizer)))
    (compare name
             (loop for i below (length expected)
                   collect (optimizer-rate optimizer)
                   do (step-schedule schedule (if metrics (nth i metrics) nil)))
             expected 1d-9 1d-9)))

(defun check-training (name model loss maker names expected)
  "The losses of training steps; `loss` is a function of the model."
  (ok (equal (set-patterns model) names) (format nil "~a: names of the parameters" name))
  (let* ((program (caten (funcall loss model)))
         (optimizers (hook-optimizers program maker)))
    (compare name
             (loop repeat (length expected)
                   collect (item (forward program))
                   do (backward program)
                      (mapc #'step-optimizer optimizers)
                      (mapc #'zero-grad optimizers))
             expected 0.0 1e-4)))
