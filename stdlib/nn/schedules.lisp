;;;; Learning-rate schedules: `(StepLR optimizers 30)` sets the rates of a list of optimisers now and
;;;; at every `step-schedule`. Formulas and defaults are PyTorch's.
(in-package :caten)

(defclass Schedule ()
  ((optimizers :initarg :optimizers :reader schedule-optimizers)
   (base-rates :initarg :base-rates :reader schedule-base-rates)
   (rule :initarg :rule :reader schedule-rule)
   (steps :initform 0 :accessor schedule-steps))
  (:documentation "`rule` maps the base rate of an optimiser and the number of steps to its rate."))

(defun apply-schedule (schedule)
  (loop for optimizer in (schedule-optimizers schedule)
        for base in (schedule-base-rates schedule)
        do (setf (optimizer-rate optimizer)
                 (funcall (schedule-rule schedule) base (schedule-steps schedule))))
  schedule)

(defun base-rate (optimizer)
  "The rate that an optimiser had when its first schedule was made."
  (or (optimizer-base-rate optimizer)
      (setf (optimizer-base-rate optimizer) (optimizer-rate optimizer))))

(defun schedule (optimizers rule)
  "A schedule of optimisers (one or a list): `rule` maps a base rate and a number of steps to a rate."
  (let ((optimizers (if (listp optimizers) optimizers (list optimizers))))
    (apply-schedule (make-instance 'Schedule :optimizers optimizers :rule rule
                                             :base-rates (mapcar #'base-rate optimizers)))))

(defgeneric step-schedule (schedule &optional metric)
  (:documentation "Goes to the next step (usually an epoch) and sets the rates."))
(defmethod step-schedule ((schedule Schedule) &optional metric)
  (declare (ignore metric))
  (incf (schedule-steps schedule))
  (apply-schedule schedule))

(defun LambdaLR (optimizers function)
  "The base rate times `(function step)`."
  (schedule optimizers #'(lambda (base step) (* base (funcall function step)))))

(defun StepLR (optimizers step-size &key (gamma 0.1d0))
  "The rate times gamma every `step-size` steps."
  (LambdaLR optimizers #'(lambda (step) (expt gamma (floor step step-size)))))

(defun MultiStepLR (optimizers milestones &key (gamma 0.1d0))
  "The rate times gamma at every milestone."
  (LambdaLR optimizers
            #'(lambda (step) (expt gamma (count-if #'(lambda (m) (<= m step)) milestones)))))

(defun ExponentialLR (optimizers gamma)
  "The rate times gamma every step."
  (LambdaLR optimizers #'(lambda (step) (expt gamma step))))

(defun ConstantLR (optimizers &key (factor (/ 1d0 3)) (total-iters 5))
  "The rate times `factor` for the first steps."
  (LambdaLR optimizers #'(lambda (step) (if (< step total-iters) factor 1))))

(defun LinearLR (optimizers &key (start-factor (/ 1d0 3)) (end-factor 1d0) (total-iters 5))
  "A factor that goes linearly from one number to another; a warm-up."
  (LambdaLR optimizers
            #'(lambda (step)
                (+ start-factor
                   (* (- end-factor start-factor) (/ (min step total-iters) total-iters))))))

(defun PolynomialLR (optimizers &key (total-iters 5) (power 1d0))
  "The rate times (1 - step / total-iters)^power."
  (LambdaLR optimizers
            #'(lambda (step)
                (expt (- 1d0 (/ (min step total-iters) total-iters)) power))))

(defun cosine-between (low high fraction)
  "From `high` at 0 to `low` at 1 along half a cosine."
  (+ low (* (- high low) 0.5d0 (+ 1 (cos (* pi fraction))))))

(defun CosineAnnealingLR (optimizers t-max &key (eta-min 0))
  "Along a cosine from the base rate to `eta-min` after `t-max` steps, and back."
  (schedule optimizers #'(lambda (base step) (cosine-between eta-min base (/ step t-max)))))

(defun CosineAnnealingWarmRestarts (optimizers t-0 &key (t-mult 1) (eta-min 0))
  "Along a cosine to `eta-min`, starting anew after t-0 steps, then after t-mult times as many."
  (schedule optimizers
            #'(lambda (base step)
                (let ((length t-0))
                  (loop while (>= step length)
                        do (decf step length)
                           (setf length (* length t-mult)))
                  (cosine-between eta-min base (/ step length))))))

(defun OneCycleLR (optimizers max-lr total-steps &key (pct-start 0.3d0) (div-factor 25d0)
                                                    (final-div-factor 1d4))
  "Up to `max-lr` along a cosine, then down to far below the start."
  (let* ((start (/ max-lr div-factor))
         (end (/ start final-div-factor))
         (peak (- (* pct-start total-steps) 1)))
    (schedule optimizers
              #'(lambda (base step)
                  (declare (ignore base))
                  (if (<= step peak)
                      (cosine-between max-lr start (/ step peak))
                      (cosine-between end max-lr
                                      (/ (- step peak) (- total-steps 1 peak))))))))

(defun WarmupLR (optimizers warmup-steps)
  "The base rate reached linearly over `warmup-steps` steps, then the transformer's 1 / sqrt(step)."
  (LambdaLR optimizers
            #'(lambda (step)
                (let ((step (1+ step)))
                  (min (/ step (float warmup-steps 1d0)) (sqrt (/ warmup-steps (float step 1d0))))))))

;;; Schedules of schedules, and by a metric --------------------------------------------------------

(defclass Sequential-Schedule (Schedule)
  ((parts :initarg :parts :reader schedule-parts)
   (milestones :initarg :milestones :reader schedule-milestones)))

(defun SequentialLR (schedules milestones)
  "One schedule after the other: the next one begins at each milestone."
  (let ((result (make-instance 'Sequential-Schedule :parts schedules :milestones milestones)))
    (apply-schedule (first schedules))
    result))

(defmethod step-schedule ((schedule Sequential-Schedule) &optional metric)
  (incf (schedule-steps schedule))
  (with-slots (parts milestones steps) schedule
    (let ((part (nth (count-if #'(lambda (m) (<= m steps)) milestones) parts)))
      (if (member steps milestones)
          (apply-schedule part)
          (step-schedule part metric)))
    schedule))

(defclass Plateau-Schedule (Schedule)
  ((better-p :initarg :better-p :reader plateau-better-p)
   (factor :initarg :factor :reader plateau-factor)
   (patience :initarg :patience :reader plateau-patience)
   (cooldown :initarg :cooldown :reader plateau-cooldown)
   (min-lr :initarg :min-lr :reader plateau-min-lr)
   (best :initform nil :accessor plateau-best)
   (bad-steps :initform 0 :accessor plateau-bad-steps)
   (resting :initform 0 :accessor plateau-resting)))

(defun ReduceLROnPlateau (optimizers &key (mode :min) (factor 0.1d0) (patience 10) (threshold 1d-4)
                                       (cooldown 0) (min-lr 0))
  "The rate times `factor` when the metric given to `step-schedule` has not improved for more than
`patience` steps."
  (let ((optimizers (if (listp optimizers) optimizers (list optimizers))))
    (make-instance 'Plateau-Schedule
                   :optimizers optimizers :base-rates (mapcar #'base-rate optimizers)
                   :factor factor :patience patience :cooldown cooldown :min-lr min-lr
                   :better-p (ecase mode
                               (:min #'(lambda (a best) (< a (* best (- 1 threshold)))))
                               (:max #'(lambda (a best) (> a (* best (+ 1 threshold)))))))))

(defmethod step-schedule ((schedule Plateau-Schedule) &optional metric)
  (unless (realp metric)
    (error "step-schedule: this schedule needs the metric of the step, not ~a" metric))
  (incf (schedule-steps schedule))
  (with-slots (better-p best bad-steps resting patience cooldown factor min-lr) schedule
    (if (or (null best) (funcall better-p metric best))
        (setf best metric
              bad-steps 0)
        (incf bad-steps))
    (when (plusp resting)
      (decf resting)
      (setf bad-steps 0))
    (when (> bad-steps patience)
      (dolist (optimizer (schedule-optimizers schedule))
        (setf (optimizer-rate optimizer) (max min-lr (* factor (optimizer-rate optimizer)))))
      (setf resting cooldown
            bad-steps 0))
    schedule))

;;; Clipping ---------------------------------------------------------------------------------------

(defun trained-tensors (parameters)
  "The tensors with a gradient among parameters (tensors, optimisers, or a model)."
  (let ((items (cond ((typep parameters 'Model) (model-parameters parameters))
                     ((listp parameters) parameters)
                     (t (list parameters)))))
    (loop for item in items
          for tensor = (if (typep item 'Optimizer) (optimizer-parameter item) item)
          when (grad tensor) collect tensor)))

(defun clip-grad-norm (parameters max-norm &key (norm-type 2))
  "Scales the gradients of the parameters (tensors, optimisers, or a model) so that the norm of all of
them together is at most `max-norm`; returns what it was."
  (let ((tensors (trained-tensors parameters)))
    (if (null tensors)
        0.0
        (with-no-grad
          (let* ((norms (loop for x in tensors
                              collect (!norm (grad x) :ord norm-type :squeeze t)))
                 (total (item (!norm (if (rest norms) (apply #'!stack 0 norms) (first norms))
                                     :ord norm-type)))
                 (factor (/ max-norm (+ total 1d-6))))
            (when (< factor 1)
              (dolist (x tensors)
                ;; A stored factor, not a constant: one program serves every step.
                (setf (grad x)
                      (proceed (!mul (grad x) (make-scalar factor :dtype (dtype-of x)))))))
            total)))))

(defun clip-grad-value (parameters limit)
  "Limits every element of the gradients of the parameters to -limit..limit."
  (with-no-grad
    (dolist (x (trained-tensors parameters))
      (setf (grad x) (proceed (!clip (grad x) (- limit) limit))))))
