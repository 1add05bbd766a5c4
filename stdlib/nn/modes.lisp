;;;; Training and inference mode of models, and results that come with changes of state.
(in-package :caten)

(defun training-p (model)
  "Whether a layer is applied as in training: `*training*` is true and the model is in training
mode."
  (and *training* (model-training model)))

(defun submodels (value)
  "The models in slots of `value` and in lists of them."
  (cond ((typep value 'Model) (list value))
        ((consp value) (loop for x in value append (submodels x)))))

(defun train-mode (model &optional (on t))
  "Puts the model and its submodels in training mode (nil: in inference mode); returns the model.
The mode counts when the model is applied."
  (setf (model-training model) on)
  (dolist (slot (%slot-names model) model)
    (unless (member slot '(variables attrs training))
      (dolist (submodel (submodels (slot-value model slot)))
        (train-mode submodel on)))))

(defun eval-mode (model)
  "Puts the model and its submodels in inference mode; returns the model."
  (train-mode model nil))

(defclass effects-op (Func) ()
  (:documentation "The first input. The others are assignments, which take effect whenever it is
computed."))
(defmethod forward ((op effects-op) &rest inputs)
  (result-like (first inputs) (shape (first inputs))))
(defmethod lower ((op effects-op) &rest inputs)
  (first inputs))
(defmethod backward ((op effects-op) &rest douts)
  (first douts))

(defun with-effects (x assignments)
  "`x`, whose computation executes the assignments."
  (if assignments
      (apply #'forward (make-instance 'effects-op) x assignments)
      x))
