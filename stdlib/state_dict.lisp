;;;; The parameters of a model by name: slot names and list indices joined with dots, as PyTorch
;;;; writes them (`h.0.attn.c_attn.weight`).
(in-package :caten)

(defstruct state-dict
  (entry (make-hash-table :test #'equal)))

(defun state-dict-keys (state-dict)
  "The names in a state dictionary."
  (loop for key being the hash-keys of (state-dict-entry state-dict) collect key))

(defun state-dict-values (state-dict)
  "The tensors of a state dictionary."
  (loop for key in (state-dict-keys state-dict)
        collect (gethash key (state-dict-entry state-dict))))

(defmethod print-object ((state-dict state-dict) stream)
  (format stream "#<STATE-DICT~{~%  ~a~}>"
          (loop for key in (state-dict-keys state-dict)
                for tensor = (gethash key (state-dict-entry state-dict))
                collect (format nil "~a: ~(~a~) ~a" key (dtype-of tensor) (shape tensor)))))

(defun pytorch-style-dict-key (path)
  "The path `(h 0 attn c-attn weight)` as `h.0.attn.c_attn.weight`."
  (substitute #\_ #\- (format nil "~{~(~a~)~^.~}" path)))

(defgeneric state-slots (module)
  (:documentation "Where a module keeps what its state dictionary holds: a list of `(name instance
slot)`."))

(defmethod state-slots ((module Module))
  (loop for slot in (%slot-names module)
        unless (member slot '(variables attrs))
          collect (list slot module slot)))

(defun collect-parameters (value path setter)
  "A list of `(path tensor setter)` for every tensor reachable from `value` through slots of
modules and through lists; calling a setter replaces the tensor in its place."
  (cond ((tensor-p value) (list (list (reverse path) value setter)))
        ((typep value 'Module)
         (loop for (name instance slot) in (state-slots value)
               append (let ((instance instance)
                            (slot slot))
                        (collect-parameters
                         (slot-value instance slot) (cons name path)
                         #'(lambda (new) (setf (slot-value instance slot) new))))))
        ((consp value)
         (loop for cell on value
               for i from 0
               while (consp cell)
               append (let ((cell cell))
                        (collect-parameters (car cell) (cons i path)
                                            #'(lambda (new) (setf (car cell) new))))))))

(defun name-parameters (model)
  "Names the parameters of a new model by their keys in its state dictionary."
  (loop for (path tensor) in (collect-parameters model nil nil)
        do (%name-tensor tensor (pytorch-style-dict-key path))))

(defun model-parameters (model)
  "The tensors of a model that require a gradient, in the order of its slots."
  (loop for (nil tensor) in (collect-parameters model nil nil)
        when (requires-grad tensor) collect tensor))

(defun get-state-dict (module &key (key-mapper #'pytorch-style-dict-key))
  "The parameters of a model by name; `key-mapper` turns a path into a name."
  (let ((result (make-state-dict)))
    (loop for (path tensor) in (collect-parameters module nil nil)
          do (setf (gethash (funcall key-mapper path) (state-dict-entry result)) tensor))
    result))

(defun load-state-dict (module state-dict &key silent (key-mapper #'pytorch-style-dict-key))
  "Puts the tensors of `state-dict` (or a hash table) in the places of the parameters of the same
name and returns the module. Shapes must agree; names on one side only are warned about unless
`silent`. Load before the model is applied: graphs built earlier keep the old parameters."
  (let ((entries (if (hash-table-p state-dict) state-dict (state-dict-entry state-dict)))
        (used nil))
    (loop for (path old setter) in (collect-parameters module nil nil)
          for key = (funcall key-mapper path)
          for new = (gethash key entries)
          do (cond (new
                    (push key used)
                    (unless (same-shape-p (shape old) (shape new))
                      (error "load-state-dict: `~a` has shape ~a, but the model needs ~a"
                             key (shape new) (shape old)))
                    ;; Computed entries (quantised weights) pass gradients on to what they are made of.
                    (unless (tensor-op new)
                      (setf (requires-grad new) (requires-grad old)))
                    (funcall setter new))
                   ((not silent)
                    (warn "load-state-dict: no entry for the parameter `~a`" key))))
    (unless silent
      (loop for key being the hash-keys of entries
            unless (member key used :test #'string=)
              do (warn "load-state-dict: the entry `~a` is not a parameter of the model" key)))
    module))
