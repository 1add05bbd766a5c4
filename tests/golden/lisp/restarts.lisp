;;; Chapter: conditions, handlers, restarts.
(handler-case (error "boom ~a" 1) (error (c) (princ-to-string c)))
;=> "boom 1"
(handler-case (error 'simple-error :format-control "x ~a" :format-arguments '(2)) (simple-error (c) (list (simple-condition-format-control c) (simple-condition-format-arguments c))))
;=> ("x ~a" (2))
(handler-case (signal "nothing") (condition () :caught))
;=> :CAUGHT
(signal "nothing")
;=> NIL
(handler-case (warn "careful") (warning (c) (princ-to-string c)))
;=> "careful"
(handler-case (values 1 2) (error () 3))
;=> 1
;=> 2
(handler-case (values 1 2) (:no-error (a b) (list b a)))
;=> (2 1)
(handler-case (error "x") (:no-error () 1) (error () 2))
;=> 2
(handler-case (error "x") (warning () 1) (error () 2))
;=> 2
(handler-case (handler-case (error "x") (warning () 1)) (error () :outer))
;=> :OUTER
(handler-case (error "x") (error () (values 1 2)))
;=> 1
;=> 2
(handler-bind ((error (lambda (c) (declare (ignore c)) nil))) (handler-case (error "x") (error () :ok)))
;=> :OK
(let ((log nil)) (handler-case (handler-bind ((error (lambda (c) (declare (ignore c)) (push :bind log)))) (error "x")) (error () (push :case log))) log)
;=> (:CASE :BIND)
(let ((log nil)) (handler-case (handler-bind ((error (lambda (c) (declare (ignore c)) (push 1 log))) (simple-error (lambda (c) (declare (ignore c)) (push 2 log)))) (error "x")) (error () (push 3 log))) log)
;=> (3 2 1)
(restart-case (invoke-restart 'foo 5) (foo (x) (* x 2)))
;=> 10
(restart-case (invoke-restart 'bar) (foo () 1) (bar () 2))
;=> 2
(restart-case (values 1 2) (foo () 3))
;=> 1
;=> 2
(restart-case (error "x") (foo () 3))
;!> ERROR
(handler-bind ((error (lambda (c) (declare (ignore c)) (invoke-restart 'use 7)))) (restart-case (+ 1 (error "x")) (use (v) (list :used v))))
;=> (:USED 7)
(handler-bind ((error (lambda (c) (invoke-restart (find-restart 'skip c))))) (loop for x in '(1 2 3) collect (restart-case (if (= x 2) (error "two") x) (skip () :skipped))))
;=> (1 :SKIPPED 3)
(with-simple-restart (skip "Skip it") (invoke-restart 'skip))
;=> NIL
;=> T
(with-simple-restart (skip "Skip it") 5)
;=> 5
(multiple-value-list (with-simple-restart (skip "Skip it") (error "x") 5))
;!> ERROR
(handler-bind ((warning #'muffle-warning)) (warn "x") :done)
;=> :DONE
(handler-bind ((error #'continue)) (cerror "go on" "bad") :continued)
;=> :CONTINUED
(handler-case (cerror "go on" "bad ~a" 1) (error (c) (princ-to-string c)))
;=> "bad 1"
(handler-bind ((error (lambda (c) (use-value 42 c)))) (restart-case (error "x") (use-value (v) v)))
;=> 42
(handler-bind ((error (lambda (c) (store-value 42 c)))) (restart-case (error "x") (store-value (v) (list :stored v))))
;=> (:STORED 42)
(handler-bind ((error (lambda (c) (abort c)))) (restart-case (error "x") (abort () :aborted)))
;=> :ABORTED
(find-restart 'nonexistent)
;=> NIL
(invoke-restart 'nonexistent)
;!> CONTROL-ERROR
(restart-case (mapcar #'restart-name (remove-if-not (lambda (r) (member (restart-name r) '(a b))) (compute-restarts))) (a () 1) (b () 2))
;=> (A B)
(restart-case (princ-to-string (find-restart 'a)) (a () :report "Do A" 1))
;=> "Do A"
(restart-case (princ-to-string (find-restart 'a)) (a () :report (lambda (s) (format s "Do ~a" 'it)) 1))
;=> "Do IT"
(restart-case (invoke-restart-interactively 'a) (a (x) :interactive (lambda () (list 9)) x))
;=> 9
(restart-bind ((r (lambda (x) (* x 3)))) (invoke-restart 'r 4))
;=> 12
(let ((n 0)) (restart-bind ((r (lambda () (incf n)))) (invoke-restart 'r) (invoke-restart 'r)) n)
;=> 2
(restart-case (restart-case (invoke-restart 'x) (x () :inner)) (x () :outer))
;=> :INNER
(ignore-errors 1 2)
;=> 2
(multiple-value-bind (v c) (ignore-errors (error "hey")) (list v (princ-to-string c)))
;=> (NIL "hey")
(progn (define-condition my-err (error) ((code :initarg :code :reader my-code))) (handler-case (error 'my-err :code 5) (my-err (c) (my-code c))))
;=> 5
(progn (define-condition my-rep (error) ((x :initarg :x)) (:report (lambda (c s) (format s "x is ~a" (slot-value c 'x))))) (princ-to-string (make-condition 'my-rep :x 3)))
;=> "x is 3"
(progn (define-condition my-str (error) () (:report "a string report")) (princ-to-string (make-condition 'my-str)))
;=> "a string report"
(progn (define-condition my-sub (my-err) ((extra :initform :dflt :accessor my-extra))) (handler-case (error 'my-sub :code 7) (my-err (c) (list (my-code c) (my-extra c) (type-of c)))))
;=> (7 :DFLT MY-SUB)
(progn (define-condition my-def (error) ((a :initarg :a :reader my-a)) (:default-initargs :a 11)) (my-a (make-condition 'my-def)))
;=> 11
(typep (make-condition 'my-sub) 'my-err)
;=> T
(typep (make-condition 'my-sub) 'error)
;=> T
(error (make-condition 'my-err :code 1))
;!> ERROR
;departs: condition of a missing class
(error 'no-such-condition)
;!> CELL-ERROR
(error 5)
;!> TYPE-ERROR
(error 'my-err :bad-initarg 1)
;!> ERROR
(signal 'my-err :code 1)
;!> ERROR
(handler-case (signal 'my-err :code 1) (my-err () :sig))
;=> :SIG
(handler-case (car 5) (type-error (c) (list (type-error-datum c) (type-error-expected-type c))))
;=> (5 LIST)
(handler-case (+ 1 "a") (type-error (c) (type-error-datum c)))
;=> "a"
(handler-case (undefined-fn-xyz) (undefined-function (c) (cell-error-name c)))
;=> UNDEFINED-FN-XYZ
(handler-case undefined-var-xyz (unbound-variable (c) (cell-error-name c)))
;=> UNDEFINED-VAR-XYZ
(handler-case (/ 1 0) (division-by-zero (c) (list (arithmetic-error-operation c) (arithmetic-error-operands c))))
;=> (/ (1 0))
(handler-case (/ 1 0) (arithmetic-error () :arith))
;=> :ARITH
(handler-case (symbol-value 'undef-xyz) (cell-error (c) (cell-error-name c)))
;=> UNDEF-XYZ
(handler-case (aref #(1 2) 5) (error () :err))
;=> :ERR
(handler-case (nth -1 '(1)) (type-error () :te))
;=> :TE
(handler-case (elt '(1 2) 5) (error () :err))
;=> :ERR
(handler-case (parse-integer "abc") (parse-error () :pe))
;=> :PE
(handler-case (read-from-string "(1 2") (end-of-file () :eof))
;=> :EOF
(handler-case (read-from-string ")") (reader-error () :re))
;=> :RE
(handler-case (with-open-file (s "/no/such/file") s) (file-error (c) (file-error-pathname c) :fe))
;=> :FE
(handler-case (find-class 'no-such-class-x) (error () :err))
;=> :ERR
(handler-case (make-instance 'no-such-class-x) (error () :err))
;=> :ERR
(handler-case (throw 'nope 1) (control-error () :ce))
;=> :CE
(handler-case (funcall (lambda (x) x)) (program-error () :pe))
;=> :PE
(handler-case (funcall (lambda (x) x) 1 2) (program-error () :pe))
;=> :PE
(handler-case (funcall (lambda (&key a) a) :b 1) (program-error () :pe))
;=> :PE
(handler-case (intern 5) (type-error () :te))
;=> :TE
(handler-case (coerce 'a 'list) (error () :err))
;=> :ERR
(handler-case (char "abc" 10) (error () :err))
;=> :ERR
(handler-case (subseq "abc" 2 1) (error () :err))
;=> :ERR
(handler-case (make-array -1) (error () :err))
;=> :ERR
(handler-case (gethash 1 2) (type-error () :te))
;=> :TE
(handler-case (symbol-name "a") (type-error () :te))
;=> :TE
(handler-case (funcall 'no-fn-xyz) (undefined-function () :uf))
;=> :UF
(handler-case (apply #'car '(1 2)) (program-error () :pe))
;=> :PE
(handler-case (concatenate 'string "a" 5) (type-error () :te))
;=> :TE
(handler-case (check-type (car (list 1)) string) (type-error () :te))
;=> :TE
(handler-case (assert nil) (error () :ae))
;=> :AE
(handler-case (assert (= 1 2) (1) 'my-err :code 3) (my-err (c) (my-code c)))
;=> 3
(let ((x "a")) (handler-bind ((type-error (lambda (c) (store-value 5 c)))) (check-type x integer) x))
;=> 5
(handler-case (ecase 5 (1 2)) (type-error () :te))
;=> :TE
(handler-case (etypecase 5 (string 2)) (type-error () :te))
;=> :TE
(handler-case (sqrt 'x) (type-error () :te))
;=> :TE
(handler-case (let ((*print-readably* t)) (prin1-to-string (lambda () 1))) (print-not-readable () :pnr))
;=> :PNR
(handler-case (exp 1000.0) (floating-point-overflow () :ovf) (arithmetic-error () :arith))
;=> :OVF
(handler-case (handler-bind ((error (lambda (c) (error "second: ~a" c)))) (error "first")) (error (c) (princ-to-string c)))
;=> "second: first"
(block b (handler-bind ((error (lambda (c) (declare (ignore c)) (return-from b :left)))) (error "x")))
;=> :LEFT
(let ((r nil)) (ignore-errors (unwind-protect (error "x") (push :clean r))) r)
;=> (:CLEAN)
(handler-case (let ((x 5)) (handler-bind ((error (lambda (c) (declare (ignore c)) (setq x 6)))) (ignore-errors (error "a"))) x) (error () :no))
;=> 5
(let ((c (make-condition 'simple-condition :format-control "~a!" :format-arguments '(5)))) (format nil "~a" c))
;=> "5!"
(handler-case (error "~a and ~s" "s" "s") (error (c) (format nil "~a" c)))
;=> "s and \"s\""
(handler-case (error "no args ~~") (error (c) (format nil "~a" c)))
;=> "no args ~"
(handler-case (warn 'my-err) (error () :err))
;=> :ERR
(let ((*error-output* (make-string-output-stream))) (warn "hello") :ok)
;=> :OK
(subtypep 'my-sub 'my-err)
;=> T
;=> T
(subtypep 'division-by-zero 'arithmetic-error)
;=> T
;=> T
(subtypep 'unbound-slot 'cell-error)
;=> T
;=> T
(subtypep 'end-of-file 'stream-error)
;=> T
;=> T
(subtypep 'simple-error 'simple-condition)
;=> T
;=> T
(subtypep 'simple-type-error 'type-error)
;=> T
;=> T
(subtypep 'style-warning 'warning)
;=> T
;=> T
(subtypep 'warning 'error)
;=> NIL
;=> T
(subtypep 'storage-condition 'serious-condition)
;=> T
;=> T
(handler-case (define-condition bad-c (integer) ()) (error () :err))
;=> :ERR
(with-condition-restarts (make-condition 'my-err :code 1) nil 5)
;=> 5
(handler-bind ((my-err (lambda (c) (declare (ignore c)) (throw 'tag :thrown)))) (catch 'tag (error 'my-err :code 1)))
;=> :THROWN
(restart-case (handler-bind ((error (lambda (c) (declare (ignore c)) (invoke-restart 'retry)))) (error "x")) (retry (&optional (n 3)) (list :retry n)))
;=> (:RETRY 3)
(restart-case (invoke-restart 'a 1 2) (a (&rest args &key) args))
;!> PROGRAM-ERROR
(handler-case (restart-case (error "inner") (a () 1)) (error () (find-restart 'a)))
;=> NIL
