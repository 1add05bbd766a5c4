;;;; Gradients as tensors: what `backward` of a runtime stores, but lazy and, unless told otherwise,
;;;; differentiable again.
(in-package :caten)

(defun gradients (outputs inputs &key seeds (create-graph t))
  "The gradients of the sum of `outputs` (a tensor or a list; weighted by `seeds`, one per output)
with respect to each of `inputs`, as a list of lazy tensors; nil where no gradient flows. Inputs are
tensors that require a gradient or depend on one that does. With `create-graph` the gradients can be
differentiated again."
  (let ((outputs (if (listp outputs) outputs (list outputs)))
        (seeds (if (listp seeds) seeds (list seeds)))
        (inputs (if (listp inputs) inputs (list inputs))))
    (loop for seed in seeds
          for output in outputs
          do (unless (same-shape-p (shape seed) (shape output))
               (error "gradients: a seed of shape ~a for an output of shape ~a" (shape seed)
                      (shape output))))
    (dolist (x inputs)
      (unless (%needs-grad-p x)
        (error "gradients: no gradient flows to a tensor of shape ~a; make it with :requires-grad t"
               (shape x))))
    (%gradients outputs seeds inputs create-graph)))

(define-op variable-op (Elementwise) (x) "Its input, as something to differentiate by."
  :lower x
  :backward dout)

(defun float-tensor-p (x)
  (and (tensor-p x) (float-dtype-p (dtype-of x))))

(defun tracked (x)
  "A float tensor as one that gradients flow to; anything else as it is."
  (if (float-tensor-p x)
      (%track-gradients (apply-op 'variable-op x))
      x))

(defun gradient-function (function)
  "A function of the same arguments whose values are the gradients of the sum of `function`'s
results: one per tensor of floats among the arguments, zeros where none flows. `(grad function)`."
  #'(lambda (&rest arguments)
      (let* ((arguments (mapcar #'tracked arguments))
             (wanted (remove-if-not #'float-tensor-p arguments))
             (results (remove-if-not #'float-tensor-p
                                     (multiple-value-list (apply function arguments)))))
        (values-list (loop for gradient in (gradients results wanted)
                           for x in wanted
                           collect (or gradient (!full (shape x) 0 :dtype (dtype-of x))))))))
