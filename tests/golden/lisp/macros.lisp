;;; Chapter: macros: lambda lists, backquote, expansion, symbol macros.

(progn (defmacro m-body (x &body body) `(list ,x (progn ,@body))) (m-body 1 2 3))
;=> (1 3)
(progn (defmacro m-whole (&whole form a &rest r) (list 'quote (list form a r))) (m-whole 1 2 3))
;=> ((M-WHOLE 1 2 3) 1 (2 3))
(progn (defmacro m-env (x &environment env) (list 'quote (list x (macroexpand-1 '(m-body 1 2) env)))) (m-env 5))
;=> (5 (LIST 1 (PROGN 2)))
(progn (defmacro m-des ((a b) (c &optional (d 4)) &key (e 5 e-p)) `(list ,a ,b ,c ,d ,e ,e-p)) (list (m-des (1 2) (3)) (m-des (1 2) (3 7) :e 8)))
;=> ((1 2 3 4 5 NIL) (1 2 3 7 8 T))
(progn (defmacro m-nested ((a (b &rest c)) . d) `(list ',a ',b ',c ',d)) (m-nested (1 (2 3 4)) 5 6))
;=> (1 2 (3 4) (5 6))
(progn (defmacro m-dot (a . b) `'(,a ,b)) (list (m-dot 1) (m-dot 1 2) (m-dot 1 2 3)))
;=> ((1 NIL) (1 (2)) (1 (2 3)))
(progn (defmacro m-aux (a &aux (b (* a 2))) `(list ,a ,b)) (m-aux 4))
;=> (4 8)
(progn (defmacro m-whole-in ((&whole all a b) c) `'(,all ,a ,b ,c)) (m-whole-in (1 2) 3))
;=> ((1 2) 1 2 3)
(m-des (1) (3))
;!> ERROR
(m-des (1 2) (3) :f 1)
;!> ERROR
(m-body)
;!> ERROR
(macroexpand-1 '(m-body 1 2))
;=> (LIST 1 (PROGN 2))
;=> T
(macroexpand '(m-dot 1 2))
;=> '(1 (2))
;=> T
(macroexpand-1 'x)
;=> X
;=> NIL
(macroexpand-1 '(car x))
;=> (CAR X)
;=> NIL
(macroexpand-1 '(m-dot))
;!> ERROR
(let ((x 1) (y '(2 3))) `(x ,x ,@y ,(car y) . z))
;=> (X 1 2 3 2 . Z)
(let ((x '(1 2))) `#(a ,@x ,(car x)))
;=> #(A 1 2 1)
(let ((x '(1 2))) `(a `(b ,(c ,(car x)))))
;=> (A `(B ,(C 1)))
(let ((x '(1 2))) `(a `(b ,@(c ,@x))))
;=> (A `(B ,@(C 1 2)))
(let ((x 5)) `(,@nil ,x ,@'(a b) ,@nil))
;=> (5 A B)
(let ((x '(1 2))) `(,x ,@x . ,x))
`(1 . ,(+ 1 1))
`(a (b (c ,(+ 1 2))))
`,@'(1)
;=> ((1 2) 1 2 1 2)
(let ((a 1)) `((,a . ,a) ,@`(,a b)))
'(quote a)
''a
'`(a ,b ,@c)
'(function car)
'#'(lambda (x) x)
;=> ((1 . 1) 1 B)
(macrolet ((twice (x) `(* 2 ,x))) (list (twice 3) (twice (twice 2))))
;=> (6 8)
(macrolet ((a (x) `(b ,x)) (b (x) `(list ,x))) (a 3))
;=> (3)
(macrolet ((a (x) `(list ,x 1))) (macrolet ((b (x) `(a (a ,x)))) (b 2)))
;=> ((2 1) 1)
(flet ((f (x) (* x 2))) (macrolet ((g (x) `(f ,x))) (flet ((f (x) (* x 3))) (g 1))))
;=> 3
(let ((l (list 1 2 3))) (symbol-macrolet ((a (car l)) (b (cadr l))) (setf a 10) (incf b 5) (list a b l)))
;=> (10 7 (10 7 3))
(symbol-macrolet ((x (list 1 2))) (let ((x 3)) x))
;=> 3
(symbol-macrolet ((x 'outer)) (list x (symbol-macrolet ((x 'inner)) x)))
;=> (OUTER INNER)
(let ((v (vector 1 2))) (symbol-macrolet ((e (aref v 0))) (setq e 7) (multiple-value-setq (e) (values 9)) v))
;=> #(9 2)
(symbol-macrolet ((x y) (y 5)) x)
;=> 5
(progn (define-symbol-macro *sm* (car *sm-list*)) (defvar *sm-list* (list 1 2)) (setf *sm* 5) (list *sm* *sm-list*))
;=> (5 (5 2))
(progn (define-symbol-macro sm-const 42) (list sm-const (let ((sm-const 1)) sm-const)))
;=> (42 1)
(macroexpand-1 'sm-const)
;=> 42
;=> T
(macroexpand 'sm-const)
;=> 42
;=> T
(progn (defmacro with-thing ((var value &key (times 1)) &body body) `(let ((,var (* ,times ,value))) ,@body)) (with-thing (v 5 :times 3) (+ v 1)))
;=> 16
(progn (defmacro my-or (&rest forms) (if (null (cdr forms)) (car forms) (let ((g (gensym))) `(let ((,g ,(car forms))) (if ,g ,g (my-or ,@(cdr forms))))))) (let ((g 5)) (my-or nil nil g)))
;=> 5
(progn (defmacro while* (c &body b) `(loop (unless ,c (return)) ,@b)) (let ((i 0)) (while* (< i 3) (incf i)) i))
;=> 3
(let ((n 0)) (macrolet ((inc () `(incf n))) (inc) (inc) n))
;=> 2
(funcall (macro-function 'm-body) '(m-body 1 2) nil)
;=> (LIST 1 (PROGN 2))
(macro-function 'car)
;=> NIL
(null (macro-function 'when))
;=> NIL
(progn (defmacro doc-mac (x) "documented" x) (documentation 'doc-mac 'function))
;=> "documented"
(progn (defun uses-later () (later-macro 1)) (defmacro later-macro (x) x) :ok)
;=> :OK
(special-operator-p 'if)
;=> T
(special-operator-p 'm-body)
;=> NIL
(progn (defmacro gen (n) `(list ,@(loop for i below n collect i))) (gen 5))
;=> (0 1 2 3 4)
(let ((form (macroexpand-1 '(m-body a b c)))) (equal form '(list a (progn b c))))
;=> T
(destructuring-bind (a &optional (b 2 b-p) &rest r &key k &allow-other-keys) '(1 3 :k 5 :z 6) (list a b b-p r k))
;=> (1 3 T (:K 5 :Z 6) 5)
(destructuring-bind (a (b c) . d) '(1 (2 3) 4 5) (list a b c d))
;=> (1 2 3 (4 5))
(destructuring-bind (&whole w a &key b) '(1 :b 2) (list w a b))
;=> ((1 :B 2) 1 2)
(destructuring-bind (a b) '(1) (list a b))
;!> ERROR
(destructuring-bind (a b) '(1 2 3) (list a b))
;!> ERROR
(destructuring-bind ((a &optional b) &rest c) '((1) 2) (list a b c))
;=> (1 NIL (2))
(destructuring-bind (&key ((:foo bar) 3) (baz bar)) '(:foo 5) (list bar baz))
;=> (5 5)
(destructuring-bind (a . b) '(1 . 2) (list a b))
;=> (1 2)
(destructuring-bind (a &rest b) '(1 . 2) (list a b))
;=> (1 2)
(destructuring-bind () nil :empty)
;=> :EMPTY
(destructuring-bind () '(1) :empty)
;!> ERROR
(destructuring-bind (&key a) '(:b 1) a)
;!> ERROR
(destructuring-bind (&key a) '(:b 1 :allow-other-keys t) a)
;=> NIL
(destructuring-bind (&key a) '(:a) a)
;!> ERROR
(destructuring-bind (a &aux (b (+ a 1))) '(1) (list a b))
;=> (1 2)
(progn (define-compiler-macro cm-fn (x) `(list :compiled ,x)) (defun cm-fn (x) (list :called x)) (cm-fn 1) :ok)
;=> :OK
(progn (defmacro capt (&key (x 1) ((:y why) 2 why-p)) `'(,x ,why ,why-p)) (list (capt) (capt :y 3) (capt :x 5 :y 6)))
;=> ((1 2 NIL) (1 3 T) (5 6 T))
(eval '(macrolet ((f (x) `(quote ,x))) (f (a b))))
;=> (A B)
(let ((x 10)) (macrolet ((getx () 'x)) (let ((x 20)) (getx))))
;=> 20
(labels ((ev (n) (if (= n 0) t (od (1- n)))) (od (n) (if (= n 0) nil (ev (1- n))))) (list (ev 10) (od 7)))
;=> (T T)
(progn (defmacro rec (n) (if (= n 0) ''done `(rec ,(1- n)))) (rec 50))
;=> DONE
(progn (defmacro with-gensyms* (names &body body) `(let ,(mapcar (lambda (n) `(,n (gensym))) names) ,@body)) (defmacro swap* (a b) (with-gensyms* (tmp) `(let ((,tmp ,a)) (setf ,a ,b ,b ,tmp)))) (let ((tmp 1) (o 2)) (swap* tmp o) (list tmp o)))
;=> (2 1)
(undefined-macro-or-function 1 2)
;!> UNDEFINED-FUNCTION
