;;;; The protocol every op follows: Func (forward, backward, lower), modules and models built from
;;;; ops, and the state dictionary that names a model's parameters.
(in-package :caten)

;;; Func ---------------------------------------------------------------------------------------

(defclass Func ()
  ((variables :initform nil :accessor func-variables))
  (:documentation "A primitive op: `forward` gives the shapes of its results, `backward` its
gradients, `lower` its AIR. `func-variables` are the tensors it was last applied to."))

(defgeneric forward (op &rest tensors)
  (:documentation "Applies an op, module, model or compiled runtime to tensors."))
(defgeneric backward (op &rest douts)
  (:documentation "One gradient per input of the op (nil: none), given those of its results."))
(defgeneric lower (op &rest inputs)
  (:documentation "The AIR of the op's results, given the AIR nodes of its inputs."))
(defgeneric attach (op inputs outputs)
  (:documentation "Makes `op` the producer of the fresh tensors `outputs`, which it returns."))

(defun flatten-tensors (tensors)
  "The arguments of a forward call with nested lists of tensors spliced in."
  (loop for x in tensors
        if (listp x) append (flatten-tensors x)
        else collect x))

(defmethod forward :around ((op Func) &rest tensors)
  (values-list (attach op tensors (multiple-value-list (call-next-method)))))

(defmethod attach ((op Func) inputs outputs)
  (let ((inputs (flatten-tensors inputs)))
    (setf (func-variables op) inputs)
    (%attach-op op inputs outputs)
    outputs))

(defmethod backward ((op Func) &rest douts)
  (declare (ignore douts))
  nil)

(defmethod print-object ((op Func) stream)
  (format stream "#<~a ~{~a~^ ~}>" (class-name (class-of op)) (mapcar #'shape (func-variables op))))

(defmethod print-object ((tensor tensor) stream)
  (write-string (%tensor-text tensor) stream))

;;; Notation for the bodies of `lower` ---------------------------------------------------------

(defmacro with-context (&rest bindings)
  "Binds `(name form)` one after the other and returns the value of the last."
  (let ((names (mapcar #'first bindings)))
    `(let* ,bindings
       (declare (ignorable ,@names))
       ,(car (last names)))))

(defmacro with-context-from-parents ((&rest parents) &rest bindings)
  "As with-context; `parents` are AIR nodes that the bindings start from."
  (declare (ignore parents))
  `(with-context ,@bindings))

;;; Modes --------------------------------------------------------------------------------------

(defvar *training* t "Whether layers such as BatchNorm and Dropout behave as in training.")

(defmacro with-no-grad (&body body)
  "Evaluates `body` without tracking gradients."
  `(let ((*no-grad* t)) ,@body))

(defmacro with-inference-mode (() &body body)
  "Evaluates `body` with layers in inference mode and without gradients."
  `(let ((*training* nil))
     (with-no-grad ,@body)))

;;; Modules ------------------------------------------------------------------------------------

(defclass Module (Func)
  ((attrs :initform nil :initarg :attrs :accessor module-attrs))
  (:documentation "An op composed of other ops: `impl` builds its results from its inputs."))

(defgeneric impl (module &rest inputs)
  (:documentation "The results of a module as a composition of ops on `inputs`."))
(defgeneric custom-backward-p (module)
  (:documentation "Whether the module has a `backward` of its own."))
(defmethod custom-backward-p ((module Module)) nil)

(defclass Application (Func)
  ((module :initarg :module :accessor application-module)
   (arguments :initarg :arguments :accessor application-arguments)
   (arity :initarg :arity :accessor application-arity))
  (:documentation "One use of a module: its inputs are the results of the module's `impl` (then,
if the module has its own `backward`, the module's arguments), its outputs equal those results.
It keeps the module visible in the graph as long as nothing needs to look inside."))

(defun attach-application (module inputs results outputs)
  "Makes the fresh tensors `outputs` the results of `module` on `inputs`."
  (check-module-results module outputs results)
  (let* ((inputs (remove-if-not #'tensor-p (flatten-tensors inputs)))
         (results (remove-if-not #'tensor-p results))
         (op (make-instance 'Application :module module
                                         :arguments (mapcar #'%newest-version inputs)
                                         :arity (length results))))
    (attach op
            (if (custom-backward-p module) (append results inputs) results)
            (remove-if-not #'tensor-p outputs))
    outputs))

(defmethod attach ((module Module) inputs outputs)
  (attach-application module inputs (multiple-value-list (apply #'impl module inputs)) outputs))

(defun same-shape-p (a b)
  (and (= (length a) (length b)) (every #'dim= a b)))

(defun check-module-results (module declared results)
  (unless (= (length declared) (length results))
    (error "the module ~a declares ~a results but its :impl returns ~a"
           (class-name (class-of module)) (length declared) (length results)))
  (loop for a in declared
        for b in results
        do (when (and (tensor-p a) (not (same-shape-p (shape a) (shape b))))
             (error "the module ~a declares a result of shape ~a but its :impl returns ~a"
                    (class-name (class-of module)) (shape a) (shape b)))))

(defmethod backward ((op Application) &rest douts)
  (let ((module (application-module op)))
    (if (custom-backward-p module)
        (progn
          (setf (func-variables module) (application-arguments op))
          (values-list
           (append (make-list (application-arity op))
                   (multiple-value-list (apply #'backward module douts)))))
        (values-list douts))))

(defmethod lower ((op Application) &rest inputs)
  (values-list (subseq inputs 0 (application-arity op))))

(defmethod print-object ((op Application) stream)
  (format stream "#<~a ~{~a~^ ~}>" (class-name (class-of (application-module op)))
          (mapcar #'shape (application-arguments op))))

(defun module-attr (module key)
  "The value of the attribute `key` that the module was made with."
  (getf (module-attrs module) key))

(defmacro with-attrs ((&rest bindings) module &body body)
  "Binds `(name :attribute)` to the attributes of a module."
  (let ((attrs (gensym "ATTRS")))
    `(let* ((,attrs (module-attrs ,module))
            ,@(loop for (name key) in bindings collect `(,name (getf ,attrs ,key))))
       ,@body)))

(defun method-definition (generic class form)
  "A method from one of the forms `((op x y) body…)`, `(lambda (op x y) body…)`, `function-name`."
  (let ((op (gensym "OP"))
        (inputs (gensym "INPUTS")))
    (cond ((symbolp form)
           `(defmethod ,generic ((,op ,class) &rest ,inputs) (apply #',form ,op ,inputs)))
          ((eq (first form) 'lambda)
           `(defmethod ,generic ((,op ,class) &rest ,inputs) (apply ,form ,op ,inputs)))
          (t
           (destructuring-bind ((self &rest parameters) &body body) form
             `(defmethod ,generic ((,self ,class) &rest ,inputs)
                (destructuring-bind ,parameters ,inputs ,@body)))))))

(defmacro defmodule ((name ((&rest arguments) &rest attrs) &key where direct-superclasses)
                     (&rest slots) &key (documentation "") impl forward backward)
  "Defines an op that is a composition of ops, and a constructor of the same name. `attrs` is a
property list over the constructor's arguments. `:where` (a shape notation) or `:forward` gives the
shapes of the results, `:impl` the composition; gradients flow through it unless `:backward` is
given."
  (unless (or where forward)
    (error "defmodule ~a: `:where` or `:forward` is missing" name))
  (unless impl
    (error "defmodule ~a: `:impl` is missing" name))
  `(progn
     (defclass ,name (,@direct-superclasses Module) ,slots (:documentation ,documentation))
     ,(if forward
          (method-definition 'forward name forward)
          `(defmethod forward ((op ,name) &rest inputs) (st ,where (inputs))))
     ,(method-definition 'impl name impl)
     ,@(when backward
         `(,(method-definition 'backward name backward)
           (defmethod custom-backward-p ((op ,name)) t)))
     (defun ,name ,arguments ,documentation (make-instance ',name :attrs (list ,@attrs)))))

;;; Models -------------------------------------------------------------------------------------

(defclass Model (Module)
  ((training :initform t :accessor model-training))
  (:documentation "A module with state: parameters, submodels and settings in slots."))

(defgeneric call (model &rest inputs)
  (:documentation "The results of a model as a composition of ops and other models."))

(defmethod impl ((model Model) &rest inputs)
  (apply #'call model inputs))

(defmethod forward ((model Model) &rest inputs)
  (apply #'call model inputs))

(defmethod attach ((model Model) inputs results)
  (attach-application model inputs results
                      (loop for result in results
                            collect (if (tensor-p result)
                                        (%make-tensor-node (shape result) (dtype-of result))
                                        result))))

(defun lambda-list-variables (lambda-list)
  "The variables that a constructor's lambda list binds, in order."
  (loop for item in lambda-list
        for name = (if (consp item) (if (consp (first item)) (second (first item)) (first item)) item)
        unless (member name lambda-list-keywords)
          collect name))

(defmacro defmodel ((name (&rest arguments) &key where (documentation "")) (&rest slots)
                    &body body)
  "Defines a class of models and a constructor of the same name. Every slot is `(name form
slot-options…)`; forms see the arguments and the slots before them. `body` runs at the end of the
construction with the slots bound."
  (let ((variables (lambda-list-variables arguments))
        (self (gensym "SELF")))
    `(progn
       (defclass ,name (Model)
         ,(loop for (slot nil . options) in slots collect `(,slot :initform nil ,@options))
         (:documentation ,documentation))
       ,@(when where
           `((defmethod attach ((op ,name) inputs outputs)
               (attach-application op inputs (multiple-value-list (apply #'call op inputs))
                                   outputs))
             (defmethod forward ((op ,name) &rest inputs) (st ,where (inputs)))))
       (defun ,name ,arguments
         ,documentation
         (let ((,self (make-instance
                       ',name
                       :attrs (list ,@(loop for v in variables
                                            append `(,(intern (symbol-name v) :keyword) ,v))))))
           (let* ((,name ,self)
                  ,@(loop for (slot form) in slots collect `(,slot ,form)))
             (declare (ignorable ,name))
             ,@(loop for (slot) in slots collect `(setf (slot-value ,self ',slot) ,slot))
             ,@body)
           (name-parameters ,self)
           ,self)))))

(defun parse-terms (text)
  "The terms of a shape notation: a list of `(name axis…)`, strings as they were written."
  (let ((terms nil)
        (position 0))
    (loop
      (let* ((open (position #\[ text :start position))
             (close (and open (position #\] text :start open))))
        (unless close
          (return (nreverse terms)))
        (push (cons (string-trim " " (subseq text position open))
                    (split-words (subseq text (1+ open) close)))
              terms)
        (setf position (1+ close))))))

(defun split-words (text)
  (loop with start = 0
        for end = (position #\Space text :start start)
        for word = (subseq text start end)
        unless (string= word "")
          collect word
        while end
        do (setf start (1+ end))))

(defmacro defcall ((self model) (&rest parameters) &body body)
  "Defines `call` for a model. The parameters are shape terms, `(Tokens[Batch Seq] Start[])`: they
are checked on every call, and tensors and sizes are bound to their names."
  (let* ((text (format nil "~{~a~^ ~}" parameters))
         (terms (parse-terms text))
         (names (loop for (name) in terms collect (intern name)))
         (axes (remove-duplicates
                (loop for (nil . axes) in terms
                      append (loop for axis in axes
                                   unless (or (string= axis "~") (digit-char-p (char axis 0)))
                                     collect axis))
                :test #'string=))
         (inputs (gensym "INPUTS"))
         (sizes (gensym "SIZES")))
    `(defmethod call ((,self ,model) &rest ,inputs)
       (let ((,sizes (%bind-terms ,text ,inputs)))
         (declare (ignorable ,sizes))
         (destructuring-bind ,names ,inputs
           (declare (ignorable ,@names))
           (let ,(loop for axis in axes
                       collect `(,(intern axis)
                                 (cdr (assoc ,(string-downcase axis) ,sizes :test #'string=))))
             (declare (ignorable ,@(mapcar #'intern axes)))
             ,@body))))))

(defmacro defsequence (name (&rest arguments) &rest nodes)
  "Defines a model of one input that passes it through `nodes` one after the other. A string before
the nodes documents it."
  (let* ((documentation (if (stringp (first nodes)) (pop nodes) ""))
         (slots (loop for i from 0 below (length nodes)
                      collect (intern (format nil "~a.~a" name i)))))
    `(progn
       (defmodel (,name (,@arguments) :documentation ,documentation)
           ,(mapcar #'list slots nodes))
       (defmethod call ((model ,name) &rest inputs)
         (destructuring-bind (x) inputs
           (dolist (slot ',slots x)
             (setf x (forward (slot-value model slot) x))))))))

(defmodel (Function-Node (function arguments)
           :documentation "A function of one tensor as a node of a sequence: see asnode.")
    ((function function)
     (arguments arguments)))

(defmethod call ((model Function-Node) &rest inputs)
  (destructuring-bind (x) inputs
    (apply (slot-value model 'function) x (slot-value model 'arguments))))

(defun asnode (function &rest arguments)
  "`function` (of a tensor and `arguments`) as a node of defsequence."
  (Function-Node function arguments))
