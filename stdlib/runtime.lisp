;;;; Compiled runtimes as something to `forward` and `backward` through, facets of tensors, and the
;;;; entries that `catenc FILE -o kernels.c` writes.
(in-package :caten)

(export '(with-facet with-facets defentry
          caten/defun[T] caten/defun[all] caten/defun[float] caten/defun[int] caten/defun[uint]))

(defmethod forward ((op Runtime) &rest inputs)
  (apply #'%runtime-forward op inputs))

(defmethod backward ((op Runtime) &rest douts)
  (declare (ignore douts))
  (%runtime-backward op))

;;; Facets -------------------------------------------------------------------------------------

(defmacro with-facet ((var (object &key (direction :array))) &body body)
  "Evaluates `body` with `var` bound to `(change-facet object direction)`. What the body writes into
that array is in the tensor afterwards."
  (let ((source (gensym "SOURCE")))
    `(let* ((,source ,object)
            (,var (change-facet ,source ,direction)))
       (multiple-value-prog1 (progn ,@body)
         (when (and (tensor-p ,source) (arrayp ,var))
           (%write-facet ,source ,var))))))

(defmacro with-facets ((&rest bindings) &body body)
  "Nested with-facet forms, the first binding outermost."
  (if bindings
      `(with-facet ,(first bindings) (with-facets ,(rest bindings) ,@body))
      `(progn ,@body)))

;;; Entries ------------------------------------------------------------------------------------

(defmacro defentry (name-and-options (&rest parameters) &body body)
  "Defines a function of the emitted library. A parameter is `(name (size …) :dtype dtype)`; the body
sees it as an input tensor and returns tensors. `(defentry (name :grad t) …)` emits the function of
gradients as well."
  (destructuring-bind (name &key grad) (if (consp name-and-options)
                                           name-and-options
                                           (list name-and-options))
    `(%define-entry ',name ',parameters
                    #'(lambda ,(mapcar #'(lambda (p) (if (consp p) (first p) p)) parameters)
                        ,@body)
                    :grad ,grad)))

(defmacro caten/defun[T] ((name c-name &key dtypes) (&rest parameters) &body body)
  "Defines one function of the emitted library per dtype, and the Lisp function `(name dtype …)`. The
body sees each parameter as the symbol of that name: a size in shapes, an input after `:from`, a
scalar in `fconst`, `iconst` and `uconst`."
  (let ((function (gensym "BODY"))
        (runtimes (gensym "RUNTIMES"))
        (names (lambda-list-variables parameters)))
    `(let ((,function #'(lambda ,names ,@body))
           (,runtimes (make-hash-table)))
       (%define-entry ',name ',names ,function :c-name ,c-name :dtypes ',dtypes)
       (defun ,name (dtype ,@parameters)
         (unless (member dtype ',dtypes)
           (%fail :wrong-dtype "`~(~a~)` is defined for ~{~(~s~)~^ ~}, not for ~(~s~)"
                  ',name ',dtypes dtype))
         (let ((runtime (or (gethash dtype ,runtimes)
                            (setf (gethash dtype ,runtimes)
                                  (compile-for-dtype ,function ',names dtype)))))
           (apply #'%runtime-forward runtime
                  (loop for parameter in ',names
                        for value in (list ,@names)
                        when (%runtime-takes-p runtime parameter)
                          collect (cons parameter value))))))))

(defun compile-for-dtype (function names dtype)
  "The runtime of a caten/defun body with `dtype` as the default of its kind."
  (let ((*default-float* (if (float-dtype-p dtype) dtype *default-float*))
        (*default-uint* (if (unsigned-dtype-p dtype) dtype *default-uint*))
        (*default-int* (if (or (float-dtype-p dtype) (unsigned-dtype-p dtype))
                           *default-int*
                           dtype)))
    (caten (multiple-value-list (apply function names)))))

(defmacro caten/defun[all] ((name c-name) (&rest parameters) &body body)
  "caten/defun[T] for every float and integer type."
  `(caten/defun[T] (,name ,c-name :dtypes (:float64 :float32 :float16 :bfloat16 :uint64 :int64
                                           :uint32 :int32 :uint16 :int16 :uint8 :int8))
       ,parameters ,@body))
(defmacro caten/defun[float] ((name c-name) (&rest parameters) &body body)
  "caten/defun[T] for the float types."
  `(caten/defun[T] (,name ,c-name :dtypes (:float64 :float32 :float16 :bfloat16)) ,parameters ,@body))
(defmacro caten/defun[int] ((name c-name) (&rest parameters) &body body)
  "caten/defun[T] for the signed integer types."
  `(caten/defun[T] (,name ,c-name :dtypes (:int64 :int32 :int16 :int8)) ,parameters ,@body))
(defmacro caten/defun[uint] ((name c-name) (&rest parameters) &body body)
  "caten/defun[T] for the unsigned integer types."
  `(caten/defun[T] (,name ,c-name :dtypes (:uint64 :uint32 :uint16 :uint8)) ,parameters ,@body))
