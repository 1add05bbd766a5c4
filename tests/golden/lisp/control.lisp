;;; Chapter: control flow: blocks, tags, catch, unwind-protect, values, conditionals, iteration.

(block nil (return 1) 2)
;=> 1
(block a (block b (return-from a 1)) 2)
;=> 1
(block a (+ 1 (block b (return-from b 5))))
;=> 6
(block nil)
;=> NIL
(block a (return-from a (values 1 2 3)))
;=> 1
;=> 2
;=> 3
(let ((i 0)) (tagbody top (incf i) (when (< i 5) (go top))) i)
;=> 5
(let ((l nil)) (tagbody (push 1 l) (go b) a (push 2 l) (go c) b (push 3 l) (go a) c) l)
;=> (2 3 1)
(tagbody 1 (go 2) 2)
;=> NIL
(let ((r nil)) (dolist (x '(1 2 3)) (when (= x 2) (return)) (push x r)) r)
;=> (1)
(catch 'a (throw 'a 1) 2)
;=> 1
(catch 'a (catch 'b (throw 'a 1)) 2)
;=> 1
(catch 'a (catch 'a (throw 'a 1)) 2)
;=> 2
(catch 'a (throw 'a (values 1 2)))
;=> 1
;=> 2
(throw 'no-such-tag 1)
;!> CONTROL-ERROR
(let ((log nil)) (catch 'x (unwind-protect (throw 'x 1) (push :cleanup log))) log)
;=> (:CLEANUP)
(let ((log nil)) (block b (unwind-protect (return-from b 1) (push :a log) (push :b log))) log)
;=> (:B :A)
(block b (unwind-protect (return-from b 1) (return-from b 2)))
;=> 2
(unwind-protect (values 1 2) 3 4)
;=> 1
;=> 2
(let ((n 0)) (ignore-errors (unwind-protect (error "x") (setq n 5))) n)
;=> 5
(let ((x 0)) (unwind-protect (incf x) (incf x 10)) x)
;=> 11
(catch 'out (unwind-protect (throw 'out :inner) (throw 'out :cleanup)))
;=> :CLEANUP
(let ((f (block b (lambda () (return-from b 1))))) (if (functionp f) (handler-case (funcall f) (control-error () :dead)) f))
;=> :DEAD
(multiple-value-list (values))
;=> NIL
(multiple-value-list (values 1 2 3))
;=> (1 2 3)
(multiple-value-bind (a b c) (values 1 2) (list a b c))
;=> (1 2 NIL)
(multiple-value-bind (a) (values 1 2) a)
;=> 1
(multiple-value-bind () (values 1 2) :none)
;=> :NONE
(multiple-value-call #'list (values 1 2) 3 (values) (values 4 5))
;=> (1 2 3 4 5)
(multiple-value-prog1 (values 1 2) (values 3 4))
;=> 1
;=> 2
(let (a b) (multiple-value-setq (a b) (values 1 2)) (list a b))
;=> (1 2)
(let (a b) (list (multiple-value-setq (a b) (values 1 2)) a b))
;=> (1 1 2)
(nth-value 1 (values 1 2 3))
;=> 2
(nth-value 5 (values 1 2 3))
;=> NIL
(values-list '(1 2 3))
;=> 1
;=> 2
;=> 3
(list (values 1 2) (values))
;=> (1 NIL)
(let ((x (values 1 2))) x)
;=> 1
(if (values nil t) 1 2)
;=> 2
(progn (values 1 2))
;=> 1
;=> 2
(let () (values 1 2))
;=> 1
;=> 2
(cond ((values 1 2)))
;=> 1
(cond (nil 1))
;=> NIL
(cond ((= 1 2) :a) ((+ 1 1)) (t :c))
;=> 2
(cond (t (values 1 2)))
;=> 1
;=> 2
(and 1 2 (values 3 4))
;=> 3
;=> 4
(or nil (values 1 2))
;=> 1
;=> 2
(or (values nil 2) (values 3 4))
;=> 3
;=> 4
(or (values 1 2) 3)
;=> 1
(and)
;=> T
(or)
;=> NIL
(case 3 (1 :a) ((2 3) :b) (t :c))
;=> :B
(case 'x ((x y) 1) (otherwise 2))
;=> 1
(case nil (nil 1) (t 2))
;=> 2
(case nil ((nil) 1) (t 2))
;=> 1
(case 't ((t) 1) (t 2))
;=> 1
(case 5 (1 2))
;=> NIL
(case #\a (#\a :char))
;=> :CHAR
(case 1.0 (1 :int) (1.0 :float))
;=> :FLOAT
(case "a" ("a" 1) (t 2))
;=> 2
(case 1)
;=> NIL
(case 2 (1 :a) (2))
;=> NIL
(ecase 3 (1 :a) (2 :b))
;!> TYPE-ERROR
(ecase 2 (1 :a) (2 :b))
;=> :B
(ccase 1 (1 :a))
;=> :A
(typecase 1 (string :s) (integer :i) (t :t))
;=> :I
(typecase "x" ((or integer string) :is))
;=> :IS
(etypecase 1.0 (integer :i) (string :s))
;!> TYPE-ERROR
(ctypecase 1 (integer :i))
;=> :I
(when nil 1)
;=> NIL
(when t)
;=> NIL
(unless nil 1 2)
;=> 2
(unless t 1)
;=> NIL
(if nil 1)
;=> NIL
(prog1 1 2 3)
;=> 1
(prog2 1 2 3)
;=> 2
(let ((x 1)) (prog1 x (setq x 2)))
;=> 1
(prog ((i 0) (s 0)) top (when (> i 4) (return s)) (incf s i) (incf i) (go top))
;=> 10
(prog* ((a 1) (b (+ a 1))) (return (list a b)))
;=> (1 2)
(do ((i 0 (1+ i)) (acc nil (cons i acc))) ((= i 3) acc))
;=> (2 1 0)
(do ((i 0 (1+ i)) (j 0 i)) ((= i 3) (list i j)))
;=> (3 2)
(do* ((i 0 (1+ i)) (j 0 i)) ((= i 3) (list i j)))
;=> (3 3)
(do ((x 1)) ((> x 10) x) (setq x (* x 2)))
;=> 16
(do ((i 0 (1+ i))) ((> i 3)))
;=> NIL
(do ((i 0 (1+ i))) ((> i 3) (values 1 2)))
;=> 1
;=> 2
(dolist (x '(1 2 3) x))
;=> NIL
(let ((s 0)) (dolist (x '(1 2 3) s) (incf s x)))
;=> 6
(dotimes (i 3 i))
;=> 3
(dotimes (i 0 :done))
;=> :DONE
(let ((l nil)) (dotimes (i 3 (nreverse l)) (push i l)))
;=> (0 1 2)
(dotimes (i -3 i))
;=> 0
(let ((fs nil)) (dotimes (i 3) (let ((j i)) (push (lambda () j) fs))) (mapcar #'funcall fs))
;=> (2 1 0)
(let ((fs nil)) (dolist (x '(1 2 3)) (let ((x x)) (push (lambda () (incf x)) fs))) (mapcar #'funcall fs))
;=> (4 3 2)
(let ((fs (loop for i below 3 collect (let ((i i)) (lambda () i))))) (mapcar #'funcall fs))
;=> (0 1 2)
(let ((i 5)) (dotimes (i 2)) i)
;=> 5
(dotimes (i 10) (when (= i 4) (return (* i 10))))
;=> 40
(loop (return 5))
;=> 5
(let ((n 0)) (loop (incf n) (when (> n 4) (return n))))
;=> 5
(progn)
;=> NIL
(progv '(*pv1* *pv2*) '(1 2) (list (symbol-value '*pv1*) (symbol-value '*pv2*)))
;=> (1 2)
(progn (defvar *dv* 1) (list (progv '(*dv*) '(2) *dv*) *dv*))
;=> (2 1)
(progv '(*dv*) nil (boundp '*dv*))
;=> NIL
(locally 1 2)
;=> 2
(the integer 5)
;=> 5
(eval-when (:compile-toplevel :load-toplevel :execute) 5)
;=> 5
(eval-when (:compile-toplevel) 5)
;=> NIL
(let ((x 1) (y x-undefined)) x)
;!> UNBOUND-VARIABLE
(let* ((x 1) (y (+ x 1))) (list x y))
;=> (1 2)
(let (x) x)
;=> NIL
(let ((x)) x)
;=> NIL
(let ((x 1)) (let ((x 2) (y x)) (list x y)))
;=> (2 1)
(setq)
;=> NIL
(let ((a 1) (b 2)) (psetq a b b a) (list a b))
;=> (2 1)
(let ((a 1)) (setq a 2 a (+ a 1)))
;=> 3
(let (a) (list (setq a 1) a))
;=> (1 1)
(flet ((f (x) (+ x 1)) (g (x) (* x 2))) (list (f 1) (g 2)))
;=> (2 4)
(flet ((f () 1)) (flet ((f () (+ 1 (f)))) (f)))
;=> 2
(labels ((fact (n) (if (< n 2) 1 (* n (fact (1- n)))))) (fact 10))
;=> 3628800
(flet ((f (&optional (x 1) &key (y x)) (list x y))) (list (f) (f 2) (f 2 :y 3)))
;=> ((1 1) (2 2) (2 3))
(funcall (let ((n 0)) (lambda () (incf n))))
;=> 1
(let ((c (let ((n 0)) (lambda () (incf n))))) (funcall c) (funcall c) (funcall c))
;=> 3
(let ((fns (let ((n 0)) (list (lambda () (incf n)) (lambda () n))))) (funcall (first fns)) (funcall (first fns)) (funcall (second fns)))
;=> 2
((lambda (x &optional (y 2)) (list x y)) 1)
;=> (1 2)
(apply #'+ 1 2 '(3 4))
;=> 10
(apply #'list nil)
;=> NIL
(apply '+ '(1 2))
;=> 3
(apply (lambda (&rest r) r) 1 2 '(3))
;=> (1 2 3)
(apply #'+ 1)
;!> TYPE-ERROR
(funcall 'list 1 2)
;=> (1 2)
(funcall "x")
;!> TYPE-ERROR
(funcall #'(lambda (x) (* x x)) 5)
;=> 25
(let ((f #'car)) (funcall f '(1)))
;=> 1
(mapcar (lambda (f) (funcall f 4)) (list #'sqrt #'1+ '1-))
;=> (2.0 5 3)
(progn (defvar *dyn* 1) (defun get-dyn () *dyn*) (list (get-dyn) (let ((*dyn* 2)) (get-dyn)) (get-dyn)))
;=> (1 2 1)
(progn (defparameter *dp* 5) (defparameter *dp* 6) (defvar *dp* 7) *dp*)
;=> 6
(let ((*dyn* 10)) (setq *dyn* 11) (get-dyn))
;=> 11
(let ((x 1)) (declare (special x)) (let ((x 2)) (declare (ignorable x)) (locally (declare (special x)) x)))
;=> 1
(let ((*dyn* 5)) (let ((f (lambda () *dyn*))) (let ((*dyn* 6)) (funcall f))))
;=> 6
(block nil (let ((*dyn* 7)) (return *dyn*)))
;=> 7
(list (catch 'tag (let ((*dyn* 8)) (throw 'tag *dyn*))) *dyn*)
;=> (8 1)
(handler-case (let ((*dyn* 9)) (error "x")) (error () *dyn*))
;=> 1
(progn (defconstant +c+ 5) +c+)
;=> 5
(setq +c+ 6)
;!> ERROR
;departs: an error of another kind
(let ((+c+ 1)) +c+)
;!> ERROR
(setq nil 1)
;!> ERROR
(setq t 1)
;!> ERROR
(setq :a 1)
;!> ERROR
;departs: an error of another kind
(let ((nil 1)) nil)
;!> ERROR
(progn unbound-variable-x)
;!> UNBOUND-VARIABLE
(list unbound-variable-y)
;!> UNBOUND-VARIABLE
(symbol-value 'unbound-z)
;!> UNBOUND-VARIABLE
;departs: an error of another kind
(return 5)
;!> ERROR
;departs: an error of another kind
(return-from nowhere 1)
;!> ERROR
;departs: an error of another kind
(go nowhere)
;!> ERROR
;departs: an error here
(let ((a 1) (a 2)) a)
;!> ERROR
(if)
;!> PROGRAM-ERROR
(if 1 2 3 4)
;!> PROGRAM-ERROR
;departs: an error here
(let ((x 1 2)) x)
;!> ERROR
(quote)
;!> PROGRAM-ERROR
(quote 1 2)
;!> PROGRAM-ERROR
(lambda)
;!> ERROR
;departs: an error here
(funcall (lambda (x x) x) 1 2)
;!> ERROR
(the string 5 6)
;!> PROGRAM-ERROR
(let ((x 5)) (declare (type integer x)) x)
;=> 5
(let ((x 5)) (declare (optimize (speed 3) (safety 0)) (inline foo) (ignore x)) 1)
;=> 1
(let ((l (list 1 2 3))) (loop while l do (pop l)) l)
;=> NIL
(let ((count 0)) (flet ((f () (incf count) nil)) (or (f) (f) t) count))
;=> 2
(let ((order nil)) (flet ((n (x) (push x order) x)) (list (n 1) (n 2) (+ (n 3) (n 4)))) (reverse order))
;=> (1 2 3 4)
(let ((x 1)) (setf x 2 x (* x 5)) x)
;=> 10
(let ((x (list 1 2 3))) (setf (car x) 10 (cadr x) (+ (car x) 1)) x)
;=> (10 11 3)
(loop for x in '(1 2 3) do (case x (2 (return :two))))
;=> :TWO
(assert (= 1 1))
;=> NIL
(assert (= 1 2))
;!> ERROR
(assert (= 1 2) () "message ~a" 5)
;!> ERROR
(let ((x 1)) (check-type x integer) x)
;=> 1
(let ((x 1)) (check-type x string) x)
;!> TYPE-ERROR
(let ((x "a")) (check-type x string "a string") x)
;=> "a"
