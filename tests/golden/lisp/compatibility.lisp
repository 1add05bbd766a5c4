;;; Chapter: Quicklisp, CTX and Caten's packages.
;;; The results are written by hand: a bare SBCL does not have them.
(ql:quickload :alexandria)
;=> (:ALEXANDRIA)
(ql:quickload '(:cl-ppcre "uiop") :silent t)
;=> (:CL-PPCRE "uiop")
(ql:quickload :no-such-system)
;!> ERROR
(ql:quickload :caten)
;=> (:CATEN)
(ctx:getenv :no_such_variable_x)
;=> NIL
(ctx:getenv :no_such_variable_x 5)
;=> 5
(ctx:with-contextvar (:jit 0 :debug 2) (list (ctx:getenv :jit) (ctx:getenv :debug)))
;=> (0 2)
(ctx:with-contextvar (:jit 0) (ctx:with-contextvar (:jit 1) (ctx:getenv :jit)))
;=> 1
(mapcar #'find-package '(:caten/api :caten/nn :caten/air :caten/aasm :caten/gguf :caten/runtime :caten/codegen :no-such-package-x))
;=> (#<PACKAGE "CATEN"> #<PACKAGE "CATEN"> #<PACKAGE "CATEN"> #<PACKAGE "CATEN"> #<PACKAGE "CATEN"> #<PACKAGE "CATEN"> #<PACKAGE "CATEN"> NIL)
