;;; Chapter: conditions, handlers, restarts.

(handler-case (error "x ~a" 1) (error (e) (princ-to-string e)))
;=> "x 1"
(handler-case (error 'simple-error :format-control "a ~a b" :format-arguments '(1)) (error (e) (princ-to-string e)))
;=> "a 1 b"
(handler-case (+ 1 2) (error () 'no))
;=> 3
(handler-case (values 1 2) (:no-error (a b) (list :ok a b)))
;=> (:OK 1 2)
(handler-case (error "x") (error () 1) (:no-error (x) x))
;=> 1
(handler-case 7 (error () 1) (:no-error (x) (+ x 1)))
;=> 8
(handler-case (/ 1 0) (division-by-zero () 'dz))
;=> DZ
(handler-case (/ 1 0) (arithmetic-error () 'ae))
;=> AE
(handler-case (car 5) (type-error (e) (list (type-error-datum e) (type-error-expected-type e))))
;=> (5 LIST)
(handler-case (undefined-fn-x 1) (undefined-function (e) (cell-error-name e)))
;=> UNDEFINED-FN-X
(handler-case (symbol-value 'undefined-var-x) (unbound-variable (e) (cell-error-name e)))
;=> UNDEFINED-VAR-X
(handler-case (funcall (lambda (x) x)) (program-error () 'pe))
;=> PE
(handler-case (signal "hm") (condition () 'signalled))
;=> SIGNALLED
(signal "nobody")
;=> NIL
(define-condition my-error (error) ((code :initarg :code :reader my-code)) (:report (lambda (c s) (format s "code ~a" (my-code c)))))
;=> MY-ERROR
(handler-case (error 'my-error :code 5) (my-error (e) (list (my-code e) (princ-to-string e))))
;=> (5 "code 5")
(define-condition my-sub (my-error) ((extra :initform 7 :reader my-extra)))
;=> MY-SUB
(handler-case (error 'my-sub :code 1) (my-error (e) (list (type-of e) (my-extra e) (princ-to-string e))))
;=> (MY-SUB 7 "code 1")
(define-condition str-report (error) () (:report "a fixed text"))
;=> STR-REPORT
(handler-case (error 'str-report) (error (e) (princ-to-string e)))
;=> "a fixed text"
(handler-case (error (make-condition 'my-error :code 9)) (my-error (e) (my-code e)))
;=> 9
(handler-case (handler-case (error 'my-error :code 1) (type-error () 'wrong)) (my-error () 'right))
;=> RIGHT
(let ((log nil)) (handler-case (handler-bind ((error (lambda (e) (declare (ignore e)) (push :seen log)))) (error "x")) (error () (push :caught log))) (reverse log))
;=> (:SEEN :CAUGHT)
(let ((log nil)) (handler-bind ((warning (lambda (w) (push (princ-to-string w) log) (muffle-warning w)))) (warn "w ~a" 1) (push :after log)) (reverse log))
;=> ("w 1" :AFTER)
(handler-case (warn "careful") (warning (w) (type-of w)))
;=> SIMPLE-WARNING
(handler-case (warn 'style-warning) (style-warning () :style))
;=> :STYLE
(handler-bind ((simple-warning #'muffle-warning)) (warn "hello"))
;=> NIL
(null (second (multiple-value-list (ignore-errors (error "x")))))
;=> NIL
(ignore-errors (values 1 2))
;=> 1
;=> 2
(multiple-value-list (ignore-errors 1 2))
;=> (2)
(restart-case (invoke-restart 'my-restart 1 2) (my-restart (a b) (list :restarted a b)))
;=> (:RESTARTED 1 2)
(restart-case 5 (foo () 6))
;=> 5
(restart-case (values 1 2) (foo () 6))
;=> 1
;=> 2
(handler-bind ((error (lambda (e) (declare (ignore e)) (invoke-restart 'use-it 42)))) (restart-case (error "x") (use-it (v) (* v 2))))
;=> 84
(handler-bind ((error (lambda (e) (declare (ignore e)) (use-value 3)))) (restart-case (error "x") (use-value (v) (list v))))
;=> (3)
(handler-bind ((error #'continue)) (cerror "go on" "bad ~a" 1) :continued)
;=> :CONTINUED
(handler-bind ((error (lambda (e) (declare (ignore e)) (continue)))) (list (cerror "go on" "bad") 1))
;=> (NIL 1)
(with-simple-restart (skip "skip it") (invoke-restart 'skip))
;=> NIL
;=> T
(multiple-value-list (with-simple-restart (skip "skip it") (invoke-restart 'skip)))
;=> (NIL T)
(with-simple-restart (skip "skip it") 1 2)
;=> 2
(restart-case (find-restart 'absent) (present () 1))
;=> NIL
(restart-case (restart-name (find-restart 'present)) (present () 1))
;=> PRESENT
(restart-case (mapcar #'restart-name (remove-if-not (lambda (r) (member (restart-name r) '(a b))) (compute-restarts))) (a () 1) (b () 2))
;=> (A B)
(restart-case (invoke-restart (find-restart 'r) 4) (r (x) :report "do r" (* x x)))
;=> 16
(restart-case (princ-to-string (find-restart 'r)) (r (x) :report "do r" (* x x)))
;=> "do r"
(invoke-restart 'no-such-restart)
;!> CONTROL-ERROR
(let ((x 0)) (restart-case (progn (incf x) (invoke-restart 'again)) (again () (incf x 10))) x)
;=> 11
(let ((n 0)) (loop (restart-case (progn (incf n) (if (< n 3) (invoke-restart 'retry) (return n))) (retry () nil))))
;=> 3
(restart-case (restart-case (invoke-restart 'r 1) (r (x) (list :inner x))) (r (x) (list :outer x)))
;=> (:INNER 1)
(let ((log nil)) (handler-case (unwind-protect (error "x") (push :cleanup log)) (error () (push :handler log))) (reverse log))
;=> (:CLEANUP :HANDLER)
(handler-case (assert (= 1 2)) (error () 'assert-failed))
;=> ASSERT-FAILED
(handler-case (assert (= 1 2) () "msg ~a" 3) (error (e) (princ-to-string e)))
;=> "msg 3"
(let ((x 1)) (handler-bind ((error (lambda (e) (declare (ignore e)) (setf x 2) (continue)))) (assert (= x 2)) x))
;=> 2
(assert t)
;=> NIL
(handler-case (assert (= 1 2) () 'my-error :code 4) (my-error (e) (my-code e)))
;=> 4
(block nil (handler-bind ((error (lambda (e) (return (list :from-handler (princ-to-string e)))))) (error "deep")))
;=> (:FROM-HANDLER "deep")
(handler-case (handler-case (error "inner") (error (e) (error "outer ~a" e))) (error (e) (princ-to-string e)))
;=> "outer inner"
(handler-bind ((error (lambda (e) (declare (ignore e)) nil))) (handler-case (error "x") (error () :declined-then-caught)))
;=> :DECLINED-THEN-CAUGHT
(let ((r nil)) (handler-case (handler-bind ((error (lambda (c) (declare (ignore c)) (push 1 r)))) (handler-bind ((error (lambda (c) (declare (ignore c)) (push 2 r)))) (error "x"))) (error () (push 3 r))) (reverse r))
;=> (2 1 3)
(let ((r nil)) (handler-case (handler-bind ((error (lambda (c) (declare (ignore c)) (push 1 r))) (simple-error (lambda (c) (declare (ignore c)) (push 2 r)))) (error "x")) (error () (push 3 r))) (reverse r))
;=> (1 2 3)
(handler-bind ((error (lambda (c) (declare (ignore c)) (invoke-restart 'a)))) (restart-case (handler-bind ((error (lambda (c) (declare (ignore c)) (signal "nested")))) (error "x")) (a () :a)))
;=> :A
(typep (make-condition 'simple-error :format-control "x") 'error)
;=> T
(list (subtypep 'division-by-zero 'arithmetic-error) (subtypep 'simple-type-error 'type-error) (subtypep 'style-warning 'warning) (subtypep 'error 'serious-condition) (subtypep 'file-error 'error) (subtypep 'end-of-file 'stream-error) (subtypep 'unbound-slot 'cell-error) (subtypep 'control-error 'error) (subtypep 'parse-error 'error) (subtypep 'storage-condition 'serious-condition))
;=> (T T T T T T T T T T)
(simple-condition-format-control (make-condition 'simple-error :format-control "x ~a" :format-arguments '(1)))
;=> "x ~a"
(simple-condition-format-arguments (make-condition 'simple-error :format-control "x ~a" :format-arguments '(1)))
;=> (1)
(handler-case (error 'type-error :datum 1 :expected-type 'string) (type-error (e) (list (type-error-datum e) (type-error-expected-type e))))
;=> (1 STRING)
(handler-case (ecase 5 (1 2)) (type-error () :te))
;=> :TE
(handler-case (aref (vector 1 2) 5) (type-error () :index) (error () :error))
;=> :INDEX
(handler-case (error 'no-such-condition-class) (error () :err))
;=> :ERR
(handler-case (throw 'nowhere 1) (control-error () :ce))
;=> :CE
(handler-case (parse-integer "x") (parse-error () :pe))
;=> :PE
(handler-case (eval '(let ((x 1) . 2) x)) (error () :err))
;=> :ERR
(handler-case (signal 'my-error :code 1) (my-error () :sig))
;=> :SIG
(handler-case (funcall 5) (type-error () :te) (undefined-function () :uf))
;=> :TE
(handler-case (make-condition 'my-error :code 1) (:no-error (x) (type-of x)))
;=> MY-ERROR
(catch 'k (handler-bind ((error (lambda (e) (declare (ignore e)) (throw 'k :thrown)))) (error "x")))
;=> :THROWN
(let ((x (list 1))) (handler-case (progn (push 2 x) (error "e") (push 3 x)) (error () x)))
;=> (2 1)
(handler-case (restart-case (error "x") (foo () :foo)) (error () :unwound))
;=> :UNWOUND
(let ((*dyn-c* 1)) (declare (special *dyn-c*)) (handler-bind ((error (lambda (e) (declare (ignore e)) (invoke-restart 'r)))) (restart-case (let ((*dyn-c* 2)) (declare (special *dyn-c*)) (error "x")) (r () *dyn-c*))))
;=> 1
(let ((*dyn-c* 1)) (declare (special *dyn-c*)) (handler-case (let ((*dyn-c* 2)) (declare (special *dyn-c*)) (error "x")) (error () *dyn-c*)))
;=> 1
(let ((*dyn-c* 1) (seen nil)) (declare (special *dyn-c*)) (handler-case (handler-bind ((error (lambda (e) (declare (ignore e)) (setf seen *dyn-c*)))) (let ((*dyn-c* 2)) (declare (special *dyn-c*)) (error "x"))) (error () seen)))
;=> 2
(handler-bind ((my-error (lambda (c) (invoke-restart 'value-is (my-code c))))) (restart-case (error 'my-error :code 77) (value-is (v) v)))
;=> 77
(with-output-to-string (s) (handler-case (error "q~a" 1) (error (e) (format s "<~a>" e))))
;=> "<q1>"
(error "uncaught")
;!> ERROR
(error 'my-error :code 1)
;!> ERROR
(restart-bind ((foo (lambda (x) (* x 3)))) (invoke-restart 'foo 4))
;=> 12
(handler-case (error 'program-error) (program-error () 1))
;=> 1
(handler-case (let ((v (vector 1 2))) (svref v 2)) (error () :range))
;=> :RANGE
(handler-case (+ 1 "a") (type-error (e) (type-error-datum e)))
;=> "a"
(handler-case (destructuring-bind (a b) '(1) (list a b)) (error () :destr))
;=> :DESTR
(handler-case (error "~a and ~s" "x" "y") (simple-error (e) (format nil "~a" e)))
;=> "x and \"y\""
(handler-case (progn (check-type (car (list 1)) string)) (type-error () :t))
;=> :T
(let ((count 0)) (handler-bind ((condition (lambda (c) (declare (ignore c)) (incf count)))) (signal "a") (signal "b")) count)
;=> 2
(handler-case (error 'simple-type-error :datum 1 :expected-type 'string :format-control "no") (type-error (e) (princ-to-string e)))
;=> "no"
(handler-case (invoke-restart 'absent-restart) (control-error () :ce))
;=> :CE
(let ((n 0)) (handler-bind ((error (lambda (e) (declare (ignore e)) (incf n) (invoke-restart 'use-value n)))) (list (restart-case (error "a") (use-value (v) v)) (restart-case (error "b") (use-value (v) v)))))
;=> (1 2)
(restart-case (handler-case (error "x") (error () (invoke-restart 'outer 5))) (outer (v) (list :outer v)))
;=> (:OUTER 5)
(let ((e (handler-case (error "kept ~a" 1) (error (e) e)))) (princ-to-string e))
;=> "kept 1"
(handler-case (let ((e (make-condition 'simple-error :format-control "again"))) (error e)) (simple-error (e) (princ-to-string e)))
;=> "again"
(handler-case (handler-bind ((error (lambda (e) (error "from handler: ~a" e)))) (error "first")) (error (e) (princ-to-string e)))
;=> "from handler: first"
(flet ((f () (restart-case (error "x") (retry-with (v) (list :retried v))))) (handler-bind ((error (lambda (e) (declare (ignore e)) (invoke-restart 'retry-with 1)))) (f)))
;=> (:RETRIED 1)
(handler-case (loop for i from 0 do (when (= i 3) (error "at ~a" i))) (error (e) (princ-to-string e)))
;=> "at 3"
(restart-case (with-simple-restart (inner "inner") (invoke-restart 'outer)) (outer () :outer))
;=> :OUTER
(define-condition with-default (error) ((a :initarg :a :reader wd-a)) (:default-initargs :a 5))
;=> WITH-DEFAULT
(handler-case (error 'with-default) (with-default (c) (wd-a c)))
;=> 5
(define-condition my-warning (warning) ((n :initarg :n :reader warn-n)))
;=> MY-WARNING
(handler-bind ((my-warning (lambda (w) (when (= (warn-n w) 1) (muffle-warning))))) (warn 'my-warning :n 1))
;=> NIL
(slot-value (make-condition 'my-error :code 3) 'code)
;=> 3
