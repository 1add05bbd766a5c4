;;;; Optimisers: `(SGD :lr 1e-3)` is a function that makes the optimiser of one parameter,
;;;; `(hook-optimizers runtime fn)` makes one per parameter of a runtime, `step-optimizer` updates
;;;; the parameter in place from its gradient. Formulas and defaults are PyTorch's.
(in-package :caten)

(defclass Optimizer ()
  ((parameter :initarg :parameter :reader optimizer-parameter)
   (rate :initarg :rate :accessor optimizer-rate)
   (base-rate :initform nil :accessor optimizer-base-rate)
   (steps :initform 0 :accessor optimizer-steps)
   (rule :initarg :rule :reader optimizer-rule)
   (states :initarg :states :reader optimizer-states)
   (scalars :initarg :scalars :reader optimizer-scalars)
   (program :initform nil :accessor optimizer-program))
  (:documentation "The optimiser of one parameter. `scalars` gives, for the number of a step (from
1), a list of numbers; `rule` maps the parameter, its gradient, the rate, the scalars and the states
(tensors) to the parameter's new value followed by those of the states."))

(defun scalar-names (optimizer)
  (loop for nil in (funcall (optimizer-scalars optimizer) 1)
        for i from 0
        collect (intern (format nil "SCALAR~a" i) :caten)))

(defun build-step (optimizer)
  "The compiled update: inputs GRADIENT, RATE and the scalars; parameter and states are its state."
  (with-no-grad
    (let* ((parameter (optimizer-parameter optimizer))
           (dtype (dtype-of parameter))
           (states (optimizer-states optimizer))
           (values (multiple-value-list
                    (apply (optimizer-rule optimizer)
                           parameter
                           (make-input 'gradient (shape parameter) :dtype dtype)
                           (make-input 'rate '() :dtype dtype)
                           (loop for name in (scalar-names optimizer)
                                 collect (make-input name '() :dtype dtype))
                           states))))
      (caten (loop for place in (cons parameter states)
                   for value in values
                   collect (!assign place value))))))

(defun step-optimizer (optimizer)
  "Updates the parameter from its gradient; nothing happens while it has none."
  (let* ((parameter (optimizer-parameter optimizer))
         (gradient (grad parameter))
         (dtype (dtype-of parameter)))
    (when gradient
      (unless (optimizer-program optimizer)
        (setf (optimizer-program optimizer) (build-step optimizer)))
      (let ((step (incf (optimizer-steps optimizer))))
        (flet ((scalar (name value)
                 (cons name (make-scalar value :dtype dtype))))
          (apply #'forward (optimizer-program optimizer)
                 (cons 'gradient gradient)
                 ;; A rule need not use the rate and every scalar.
                 (remove-if-not
                  #'(lambda (argument) (%runtime-takes-p (optimizer-program optimizer)
                                                         (car argument)))
                  (cons (scalar 'rate (optimizer-rate optimizer))
                        (mapcar #'scalar
                                (scalar-names optimizer)
                                (funcall (optimizer-scalars optimizer) step)))))))
      optimizer)))

;;; Saving -----------------------------------------------------------------------------------------

(defun optimizer-state-dict (optimizers)
  "What a list of optimisers remembers, by name: `0.steps`, `0.states.0`, …; it can be saved as
safetensors."
  (let* ((result (make-state-dict))
         (entries (state-dict-entry result)))
    (loop for optimizer in optimizers
          for i from 0
          do (setf (gethash (format nil "~a.steps" i) entries)
                   (make-tensor '() :dtype :int64 :initial-element (optimizer-steps optimizer)))
             (loop for state in (optimizer-states optimizer)
                   for j from 0
                   do (setf (gethash (format nil "~a.states.~a" i j) entries) state)))
    result))

(defun load-optimizer-state-dict (optimizers state-dict)
  "Gives optimisers of the same kinds what others remembered: a state dictionary or a hash table."
  (let ((entries (if (hash-table-p state-dict) state-dict (state-dict-entry state-dict))))
    (flet ((entry (format &rest arguments)
             (let ((key (apply #'format nil format arguments)))
               (or (gethash key entries)
                   (error "load-optimizer-state-dict: there is no entry `~a`" key)))))
      (loop for optimizer in optimizers
            for i from 0
            do (setf (optimizer-steps optimizer) (item (entry "~a.steps" i)))
               (loop for state in (optimizer-states optimizer)
                     for j from 0
                     do (proceed (!assign state (entry "~a.states.~a" i j)))))
      optimizers)))

(defun hook-optimizers (runtime function)
  "One optimiser, made by `function`, for every parameter of the runtime."
  (mapcar function (runtime-parameters runtime)))

(defgeneric zero-grad (object)
  (:documentation "Zeroes the gradient of a parameter, of an optimiser's parameter, or of all
parameters of a model."))
(defmethod zero-grad ((object tensor))
  (%zero-grad object))
(defmethod zero-grad ((object Model))
  (mapc #'%zero-grad (model-parameters object)))
(defmethod zero-grad ((object Optimizer))
  (%zero-grad (optimizer-parameter object)))

(defun optimizer-maker (rate states rule &optional (scalars (constantly nil)))
  "A function from a parameter to an optimiser. `states` is the number of zeroed tensors of the
parameter's shape that the rule keeps, or a list of what they are filled with."
  (let ((fills (if (integerp states) (make-list states :initial-element 0.0) states)))
    #'(lambda (parameter)
        (make-instance 'Optimizer
                       :parameter parameter :rate rate :rule rule :scalars scalars
                       :states (loop for fill in fills
                                     collect (make-tensor (shape parameter)
                                                          :dtype (dtype-of parameter)
                                                          :initial-element fill))))))

(defun decayed (gradient parameter weight-decay maximize)
  "The gradient to descend along: with weight decay, turned round when the aim is a maximum."
  (let ((gradient (if maximize (!neg gradient) gradient)))
    (if (zerop weight-decay)
        gradient
        (!add gradient (!mul parameter weight-decay)))))

(defun mix (old new weight)
  "weight * old + (1 - weight) * new."
  (!add (!mul old weight) (!mul new (- 1 weight))))

(defun SGD (&key (lr 1d-3) (momentum 0d0) (weight-decay 0d0) (dampening 0d0) nesterov maximize)
  "Stochastic gradient descent, with momentum, Nesterov's or not."
  (if (zerop momentum)
      (optimizer-maker lr 0
                       #'(lambda (p g rate scalars)
                           (declare (ignore scalars))
                           (!sub p (!mul (decayed g p weight-decay maximize) rate))))
      (optimizer-maker lr 1
                       #'(lambda (p g rate scalars buffer)
                           (let* ((g (decayed g p weight-decay maximize))
                                  (buffer (!add (!mul buffer momentum)
                                                (!mul g (first scalars))))
                                  (update (if nesterov (!add g (!mul buffer momentum)) buffer)))
                             (values (!sub p (!mul update rate)) buffer)))
                       ;; The first step takes the gradient as it is.
                       #'(lambda (step) (list (if (= step 1) 1 (- 1 dampening)))))))

(defun adam-rule (beta1 beta2 eps amsgrad prepare)
  #'(lambda (p g rate scalars m v &optional peak)
      (multiple-value-bind (p g) (funcall prepare p g rate)
        (let* ((m (mix m g beta1))
               (v (mix v (!square g) beta2))
               (peak (if amsgrad (!maximum peak v) nil)))
          (destructuring-bind (correction1 correction2) scalars
            (let ((new (!sub p (!div (!mul m (!div rate correction1))
                                     (!add (!div (!sqrt (or peak v)) correction2) eps)))))
              (if amsgrad
                  (values new m v peak)
                  (values new m v))))))))

(defun adam-scalars (beta1 beta2)
  #'(lambda (step)
      (list (- 1 (expt beta1 step)) (sqrt (- 1 (expt beta2 step))))))

(defun Adam (&key (lr 1d-3) (beta1 0.9d0) (beta2 0.999d0) (eps 1d-8) (weight-decay 0d0) amsgrad
               maximize)
  "Adam; the weight decay is added to the gradient."
  (optimizer-maker lr (if amsgrad 3 2)
                   (adam-rule beta1 beta2 eps amsgrad
                              #'(lambda (p g rate)
                                  (declare (ignore rate))
                                  (values p (decayed g p weight-decay maximize))))
                   (adam-scalars beta1 beta2)))

(defun shrunk (p rate weight-decay)
  "Decoupled weight decay: p * (1 - rate * weight-decay)."
  (!mul p (!sub 1.0 (!mul rate weight-decay))))

(defun AdamW (&key (lr 1d-3) (beta1 0.9d0) (beta2 0.999d0) (eps 1d-8) (weight-decay 1d-2) amsgrad
                maximize)
  "Adam with decoupled weight decay."
  (optimizer-maker lr (if amsgrad 3 2)
                   (adam-rule beta1 beta2 eps amsgrad
                              #'(lambda (p g rate)
                                  (values (shrunk p rate weight-decay) (if maximize (!neg g) g))))
                   (adam-scalars beta1 beta2)))

(defun RMSprop (&key (lr 1d-2) (alpha 0.99d0) (eps 1d-8) (weight-decay 0d0) (momentum 0d0) centered
                  maximize)
  "The gradient divided by a running root mean square (`centered`: by the standard deviation)."
  (let ((moving (plusp momentum)))
    (optimizer-maker
     lr (+ 1 (if centered 1 0) (if moving 1 0))
     #'(lambda (p g rate scalars v &rest more)
         (declare (ignore scalars))
         (let* ((g (decayed g p weight-decay maximize))
                (v (mix v (!square g) alpha))
                (average (if centered (mix (pop more) g alpha) nil))
                (spread (if centered (!sub v (!square average)) v))
                (update (!div g (!add (!sqrt spread) eps)))
                (buffer (if moving (!add (!mul (pop more) momentum) update) nil)))
           (values-list (append (list (!sub p (!mul (or buffer update) rate)) v)
                                (if centered (list average) nil)
                                (if moving (list buffer) nil))))))))

(defun Adagrad (&key (lr 1d-2) (eps 1d-10) (weight-decay 0d0) (lr-decay 0d0)
                  (initial-accumulator-value 0d0) maximize)
  "The gradient divided by the root of the sum of its squares."
  (optimizer-maker lr (list initial-accumulator-value)
                   #'(lambda (p g rate scalars sum)
                       (let* ((g (decayed g p weight-decay maximize))
                              (sum (!add sum (!square g))))
                         (values (!sub p (!mul (!div g (!add (!sqrt sum) eps))
                                               (!div rate (first scalars))))
                                 sum)))
                   #'(lambda (step) (list (+ 1 (* (1- step) lr-decay))))))

(defun Lion (&key (lr 1d-4) (beta1 0.9d0) (beta2 0.99d0) (weight-decay 0d0) maximize)
  "The sign of an interpolated momentum, with decoupled weight decay."
  (optimizer-maker lr 1
                   #'(lambda (p g rate scalars m)
                       (declare (ignore scalars))
                       (let ((g (if maximize (!neg g) g)))
                         (values (!sub (shrunk p rate weight-decay)
                                       (!mul (!signum (mix m g beta1)) rate))
                                 (mix m g beta2))))))
