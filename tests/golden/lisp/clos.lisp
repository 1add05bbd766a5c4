;;; Chapter: classes, generic functions, methods.

(progn (defclass animal () ((name :initarg :name :accessor name :initform "anon") (legs :initarg :legs :reader legs :initform 4))) :ok)
;=> :OK
(name (make-instance 'animal))
;=> "anon"
(let ((a (make-instance 'animal :name "rex"))) (setf (name a) "max") (list (name a) (legs a)))
;=> ("max" 4)
(progn (defclass dog (animal) ((tricks :initform nil :accessor tricks)) (:documentation "a dog") (:default-initargs :name "dog")) :ok)
;=> :OK
(let ((d (make-instance 'dog))) (push :sit (tricks d)) (list (name d) (legs d) (tricks d)))
;=> ("dog" 4 (:SIT))
(name (make-instance 'dog :name "other"))
;=> "other"
(progn (defgeneric speak (x &optional loud) (:documentation "speaks")) :ok)
;=> :OK
(progn (defmethod speak ((x animal) &optional loud) (list :animal loud)) :ok)
;=> :OK
(progn (defmethod speak ((x dog) &optional loud) (list :dog loud (call-next-method))) :ok)
;=> :OK
(speak (make-instance 'dog) t)
;=> (:DOG T (:ANIMAL T))
(speak (make-instance 'animal))
;=> (:ANIMAL NIL)
(progn (defmethod speak :before ((x dog) &optional loud) (declare (ignore loud)) (push :before *log*)) :ok)
;=> :OK
(progn (defmethod speak :after ((x animal) &optional loud) (declare (ignore loud)) (push :after *log*)) :ok)
;=> :OK
(progn (defmethod speak :around ((x dog) &optional loud) (declare (ignore loud)) (push :around-in *log*) (prog1 (call-next-method) (push :around-out *log*))) :ok)
;=> :OK
(progn (defvar *log* nil) (let ((r (speak (make-instance 'dog)))) (list r (reverse *log*))))
;=> ((:DOG NIL (:ANIMAL NIL)) (:AROUND-IN :BEFORE :AFTER :AROUND-OUT))
(progn (defmethod kind ((x integer)) :integer) :ok)
;=> :OK
(progn (defmethod kind ((x number)) :number) :ok)
;=> :OK
(progn (defmethod kind ((x string)) :string) :ok)
;=> :OK
(progn (defmethod kind ((x symbol)) :symbol) :ok)
;=> :OK
(progn (defmethod kind ((x null)) (list :null (call-next-method))) :ok)
;=> :OK
(progn (defmethod kind ((x list)) (list :list (next-method-p))) :ok)
;=> :OK
(progn (defmethod kind ((x vector)) :vector) :ok)
;=> :OK
(progn (defmethod kind ((x function)) :function) :ok)
;=> :OK
(progn (defmethod kind ((x t)) :t) :ok)
;=> :OK
(progn (defmethod kind ((x (eql 42))) (list :answer (call-next-method))) :ok)
;=> :OK
(progn (defmethod kind ((x (eql 'foo))) :foo) :ok)
;=> :OK
(progn (defmethod kind ((x character)) :char) :ok)
;=> :OK
(list (kind 1) (kind 1.5) (kind "a") (kind 'a) (kind nil) (kind '(1)) (kind #(1)) (kind #'car) (kind 42) (kind 'foo) (kind #\a) (kind (make-hash-table)))
;=> (:INTEGER :NUMBER :STRING :SYMBOL (:NULL :SYMBOL) (:LIST T) :VECTOR :FUNCTION (:ANSWER :INTEGER) :FOO :CHAR :T)
(progn (defmethod combine ((a integer) (b integer)) :ii) :ok)
;=> :OK
(progn (defmethod combine ((a integer) (b t)) :it) :ok)
;=> :OK
(progn (defmethod combine ((a t) (b integer)) :ti) :ok)
;=> :OK
(list (combine 1 2) (combine 1 'a) (combine 'a 1))
;=> (:II :IT :TI)
(combine 'a 'b)
;!> ERROR
(progn (defclass a () ()) :ok)
;=> :OK
(progn (defclass b (a) ()) :ok)
;=> :OK
(progn (defclass c (a) ()) :ok)
;=> :OK
(progn (defclass d (b c) ()) :ok)
;=> :OK
(progn (defmethod who ((x a)) '(a)) :ok)
;=> :OK
(progn (defmethod who ((x b)) (cons 'b (call-next-method))) :ok)
;=> :OK
(progn (defmethod who ((x c)) (cons 'c (call-next-method))) :ok)
;=> :OK
(progn (defmethod who ((x d)) (cons 'd (call-next-method))) :ok)
;=> :OK
(who (make-instance 'd))
;=> (D B C A)
(progn (defmethod passing ((x a) y) (list :a y)) :ok)
;=> :OK
(progn (defmethod passing ((x b) y) (call-next-method x (* y 10))) :ok)
;=> :OK
(passing (make-instance 'b) 3)
;=> (:A 30)
(progn (defclass counted () ((count :allocation :class :initform 0 :accessor shared-count))) :ok)
;=> :OK
(progn (incf (shared-count (make-instance 'counted))) (incf (shared-count (make-instance 'counted))) (shared-count (make-instance 'counted)))
;=> 2
(progn (defclass unb () ((x :initarg :x))) :ok)
;=> :OK
(list (slot-boundp (make-instance 'unb) 'x) (slot-boundp (make-instance 'unb :x 1) 'x))
;=> (NIL T)
(slot-value (make-instance 'unb) 'x)
;!> UNBOUND-SLOT
(slot-value (make-instance 'unb) 'nope)
;!> CELL-ERROR
(list (slot-exists-p (make-instance 'unb) 'x) (slot-exists-p (make-instance 'unb) 'y))
;=> (T NIL)
(let ((u (make-instance 'unb :x 1))) (slot-makunbound u 'x) (slot-boundp u 'x))
;=> NIL
(let ((u (make-instance 'unb))) (setf (slot-value u 'x) 5) (incf (slot-value u 'x)) (slot-value u 'x))
;=> 6
(make-instance 'unb :y 1)
;!> PROGRAM-ERROR
(make-instance 'no-such-class)
;!> CELL-ERROR
(progn (defclass init () ((a :initarg :a :accessor init-a) (b :accessor init-b))) :ok)
;=> :OK
(progn (defmethod initialize-instance :after ((i init) &key (factor 2)) (setf (init-b i) (* factor (init-a i)))) :ok)
;=> :OK
(list (init-b (make-instance 'init :a 3)) (init-b (make-instance 'init :a 3 :factor 5)))
;=> (6 15)
(progn (defmethod initialize-instance ((i c) &rest args) (declare (ignorable args)) (push :c-init *log*) (call-next-method)) :ok)
;=> :OK
(progn (setf *log* nil) (make-instance 'd) *log*)
;=> (:C-INIT)
(let ((i (make-instance 'init :a 1))) (reinitialize-instance i :a 10) (init-a i))
;=> 10
(with-slots (a b) (make-instance 'init :a 4) (list a b))
;=> (4 8)
(let ((i (make-instance 'init :a 4))) (with-slots ((aa a) b) i (setf aa 7 b 8) (incf aa)) (list (init-a i) (init-b i)))
;=> (8 8)
(let ((i (make-instance 'init :a 4))) (with-accessors ((aa init-a)) i (incf aa)) (init-a i))
;=> 5
(class-name (class-of (make-instance 'd)))
;=> D
(list (class-name (find-class 'd)) (find-class 'absent nil))
;=> (D NIL)
(find-class 'absent)
;!> CELL-ERROR
(class-name (class-of 'a))
;=> SYMBOL
(eq (class-of (make-instance 'd)) (find-class 'd))
;=> T
(list (typep (make-instance 'd) 'a) (typep (make-instance 'a) 'd) (typep (make-instance 'd) (find-class 'b)) (typep 1 'a))
;=> (T NIL T NIL)
(list (subtypep 'd 'a) (subtypep 'a 'd) (subtypep 'd 'standard-object))
;=> (T NIL T)
(type-of (make-instance 'd))
;=> D
(progn (defmethod (setf half) (new (x cons)) (setf (car x) (/ new 2))) :ok)
;=> :OK
(let ((l (list 1))) (list (setf (half l) 10) l))
;=> (5 (5))
(progn (defgeneric area (shape) (:method ((s cons)) (* (car s) (cdr s))) (:method ((s number)) (* s s))) :ok)
;=> :OK
(list (area (cons 2 3)) (area 4))
;=> (6 16)
(area "nothing")
;!> ERROR
(progn (defmethod print-object ((x unb) stream) (format stream "#<unb ~a>" (slot-boundp x 'x))) :ok)
;=> :OK
(list (prin1-to-string (make-instance 'unb)) (format nil "~a" (list (make-instance 'unb :x 1))))
;=> ("#<unb NIL>" "(#<unb T>)")
(progn (defmethod opts ((x integer) &optional (y 2) &key (z 3)) (list x y z)) :ok)
;=> :OK
(list (opts 1) (opts 1 5) (opts 1 5 :z 9))
;=> ((1 2 3) (1 5 3) (1 5 9))
(progn (defmethod rests ((x integer) &rest r) (list x r)) :ok)
;=> :OK
(rests 1 2 3)
;=> (1 (2 3))
(progn (defmethod keys ((x integer) &key a) (list :int a)) :ok)
;=> :OK
(progn (defmethod keys ((x number) &key b) (list :num b)) :ok)
;=> :OK
(keys 1 :a 2 :b 3)
;=> (:INT 2)
(keys 1.0 :a 2)
;!> PROGRAM-ERROR
(keys 1 :c 2)
;!> PROGRAM-ERROR
(combine 1)
;!> PROGRAM-ERROR
(documentation 'dog 'type)
;=> "a dog"
(documentation 'speak 'function)
;=> "speaks"
(mapcar #'kind '(1 a))
;=> (:INTEGER :SYMBOL)
(funcall #'kind 5)
;=> :INTEGER
(apply #'combine '(1 2))
;=> :II
(progn (defclass base () ((v :initarg :v :initform 1))) :ok)
;=> :OK
(progn (defclass derived (base) ((v :initform 2))) :ok)
;=> :OK
(slot-value (make-instance 'derived) 'v)
;=> 2
(slot-value (make-instance 'derived :v 9) 'v)
;=> 9
(let ((old (make-instance 'base))) (defclass base () ((v :initarg :v :initform 1) (w :initform 7))) (list (slot-value old 'v) (slot-value old 'w) (slot-value (make-instance 'derived) 'w)))
;=> (1 7 7)
(progn (defmethod redefined ((x integer)) 1) :ok)
;=> :OK
(progn (defmethod redefined ((x integer)) 2) :ok)
;=> :OK
(redefined 0)
;=> 2
(let ((f #'redefined)) (defmethod redefined ((x integer)) 3) (funcall f 1))
;=> 3
(progn (defmethod eqlkw ((x (eql :a)) y) (list :a y)) :ok)
;=> :OK
(progn (defmethod eqlkw ((x (eql :b)) y) (list :b y)) :ok)
;=> :OK
(progn (defmethod eqlkw (x y) (list x y)) :ok)
;=> :OK
(list (eqlkw :a 1) (eqlkw :b 2) (eqlkw :c 3))
;=> ((:A 1) (:B 2) (:C 3))
(progn (defmethod dup ((x integer) (y (eql 0))) :zero) :ok)
;=> :OK
(progn (defmethod dup ((x (eql 0)) (y integer)) :zero-first) :ok)
;=> :OK
(list (dup 5 0) (dup 0 5) (dup 0 0))
;=> (:ZERO :ZERO-FIRST :ZERO-FIRST)
(progn (let ((n 10)) (defmethod closes ((x integer)) (+ x (incf n)))) :ok)
;=> :OK
(list (closes 1) (closes 1))
;=> (12 13)
(progn (defmethod no-next ((x integer)) (call-next-method)) :ok)
;=> :OK
(no-next 1)
;!> ERROR
(progn (defmethod multi-return ((x integer)) (values x (* 2 x))) :ok)
;=> :OK
(multi-return 4)
;=> 4
;=> 8
(progn (defmethod early ((x integer)) (when (> x 3) (return-from early :big)) :small) :ok)
;=> :OK
(list (early 1) (early 5))
;=> (:SMALL :BIG)
(progn (defmethod (setf early) (v (x cons)) (when v (return-from early (list v x))) nil) :ok)
;=> :OK
(setf (early '(1)) 5)
;=> (5 (1))
(progn (defclass withtype () ((n :initarg :n :type integer :accessor wt-n))) :ok)
;=> :OK
(wt-n (make-instance 'withtype :n 4))
;=> 4
(progn (defgeneric noapp (x)) :ok)
;=> :OK
(noapp 1)
;!> ERROR
(handler-case (noapp 1) (error (e) (typep e 'error)))
;=> T
(let ((m (find-method #'redefined nil (list (find-class 'integer))))) (remove-method #'redefined m) (handler-case (redefined 1) (error () :gone)))
;=> :GONE
(progn (defclass multi-init () ((a :initarg :a :initarg :alpha :reader mi-a))) :ok)
;=> :OK
(list (mi-a (make-instance 'multi-init :alpha 1)) (mi-a (make-instance 'multi-init :a 1 :alpha 2)))
;=> (1 1)
(let ((a (make-instance 'animal :name "x"))) (eq (change-class a 'dog) a))
;=> T
(let ((a (make-instance 'animal :name "x"))) (change-class a 'dog) (list (name a) (tricks a)))
;=> ("x" NIL)
(progn (defmethod slot-unbound (class (i withtype) slot) (declare (ignore class)) (list :unbound slot)) :ok)
;=> :OK
(slot-value (make-instance 'withtype) 'n)
;=> (:UNBOUND N)
(progn (defmethod around-only :around ((x integer)) (if (next-method-p) (call-next-method) :none)) :ok)
;=> :OK
(progn (defmethod around-only ((x number)) :prim) :ok)
;=> :OK
(around-only 1)
;=> :PRIM
(progn (defgeneric pairs (x) (:method-combination list)) :ok)
;=> :OK
(progn (defmethod pairs list ((x integer)) :int) :ok)
;=> :OK
(progn (defmethod pairs list ((x number)) :num) :ok)
;=> :OK
(pairs 1)
;=> (:INT :NUM)
(progn (defgeneric total (x) (:method-combination +)) :ok)
;=> :OK
(progn (defmethod total + ((x integer)) 1) :ok)
;=> :OK
(progn (defmethod total + ((x number)) 10) :ok)
;=> :OK
(total 1)
;=> 11
(progn (defgeneric allof (x) (:method-combination progn)) :ok)
;=> :OK
(progn (defmethod allof progn ((x integer)) (push :i *log*)) :ok)
;=> :OK
(progn (defmethod allof progn ((x number)) (push :n *log*)) :ok)
;=> :OK
(progn (setf *log* nil) (allof 1) *log*)
;=> (:N :I)
(progn (defmethod cnm-args ((x integer) &key (k 1)) (list x k)) :ok)
;=> :OK
(progn (defmethod cnm-args :around ((x integer) &key k) (declare (ignorable k)) (call-next-method x :k 5)) :ok)
;=> :OK
(cnm-args 1 :k 2)
;=> (1 5)
(let ((*log* nil)) (defmethod lexical ((x (eql (+ 1 2)))) :three) (lexical 3))
;=> :THREE
(progn (defclass m1 () ((s :initform 1 :accessor s))) :ok)
;=> :OK
(progn (defclass m2 () ((s :initform 2 :accessor s2))) :ok)
;=> :OK
(progn (defclass m3 (m1 m2) ()) :ok)
;=> :OK
(list (s (make-instance 'm3)) (s2 (make-instance 'm3)))
;=> (1 1)
(defclass bad-order (a b) ())
;!> ERROR
(progn (make-instance 'bad-order))
;!> CELL-ERROR
(list (slot-value (make-instance 'animal :legs 2) 'legs) (let ((x (make-instance 'animal))) (setf (slot-value x 'legs) 8) (legs x)))
;=> (2 8)
(mapcar (lambda (x) (class-name (class-of x))) (list 1.5 1d0 'a nil #\a '(1) 1/2))
;=> (SINGLE-FLOAT DOUBLE-FLOAT SYMBOL NULL CHARACTER CONS RATIO)
(let ((f (lambda (x) (defmethod gen-in-fn ((y integer)) (list x y))))) (funcall f 5) (gen-in-fn 6))
;=> (5 6)
(progn (fboundp 'speak) :ok)
;=> :OK
(progn (defmethod many ((a integer) (b string) (c symbol)) (list a b c)) :ok)
;=> :OK
(many 1 "x" 'y)
;=> (1 "x" Y)
(many 1 'x 'y)
;!> ERROR
(typep (allocate-instance (find-class (quote a))) (quote a))
;=> T
