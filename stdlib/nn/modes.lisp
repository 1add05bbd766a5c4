;;;; Training and inference mode of models.
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
