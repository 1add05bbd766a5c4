;;; Chapter: method combination, generic functions as objects, redefinition.

(progn (defclass mc-a () ()) (defclass mc-b (mc-a) ()) :ok)
;=> :OK
(progn (defgeneric mc-plus (x) (:method-combination +)) (defmethod mc-plus + ((x mc-a)) 1) (defmethod mc-plus + ((x mc-b)) 10) (list (mc-plus (make-instance 'mc-a)) (mc-plus (make-instance 'mc-b))))
;=> (1 11)
(progn (defgeneric mc-list (x) (:method-combination list)) (defmethod mc-list list ((x mc-a)) :a) (defmethod mc-list list ((x mc-b)) :b) (mc-list (make-instance 'mc-b)))
;=> (:B :A)
(progn (defgeneric mc-listr (x) (:method-combination list :most-specific-last)) (defmethod mc-listr list ((x mc-a)) :a) (defmethod mc-listr list ((x mc-b)) :b) (mc-listr (make-instance 'mc-b)))
;=> (:A :B)
(progn (defgeneric mc-append (x) (:method-combination append)) (defmethod mc-append append ((x mc-a)) (list 1 2)) (defmethod mc-append append ((x mc-b)) (list 3)) (mc-append (make-instance 'mc-b)))
;=> (3 1 2)
(progn (defgeneric mc-nconc (x) (:method-combination nconc)) (defmethod mc-nconc nconc ((x mc-a)) (list 1 2)) (defmethod mc-nconc nconc ((x mc-b)) (list 3)) (mc-nconc (make-instance 'mc-b)))
;=> (3 1 2)
(progn (defgeneric mc-and (x) (:method-combination and)) (defmethod mc-and and ((x mc-a)) :a) (defmethod mc-and and ((x mc-b)) nil) (list (mc-and (make-instance 'mc-a)) (mc-and (make-instance 'mc-b))))
;=> (:A NIL)
(progn (defgeneric mc-or (x) (:method-combination or)) (defmethod mc-or or ((x mc-a)) :a) (defmethod mc-or or ((x mc-b)) nil) (list (mc-or (make-instance 'mc-a)) (mc-or (make-instance 'mc-b))))
;=> (:A :A)
(progn (defgeneric mc-progn (x) (:method-combination progn)) (defmethod mc-progn progn ((x mc-a)) (princ "a") :a) (defmethod mc-progn progn ((x mc-b)) (princ "b") :b) (mc-progn (make-instance 'mc-b)))
;>> ba
;=> :A
(progn (defgeneric mc-max (x) (:method-combination max)) (defmethod mc-max max ((x mc-a)) 5) (defmethod mc-max max ((x mc-b)) 3) (mc-max (make-instance 'mc-b)))
;=> 5
(progn (defgeneric mc-min (x) (:method-combination min)) (defmethod mc-min min ((x mc-a)) 5) (defmethod mc-min min ((x mc-b)) 3) (mc-min (make-instance 'mc-b)))
;=> 3
(progn (defmethod mc-plus :around ((x mc-b)) (list :around (call-next-method))) (mc-plus (make-instance 'mc-b)))
;=> (:AROUND 11)
(progn (defmethod mc-plus ((x mc-a)) 1) (mc-plus (make-instance 'mc-a)))
;!> ERROR
(progn (defmethod mc-max :before ((x mc-a)) 1) (mc-max (make-instance 'mc-a)))
;!> ERROR
(progn (define-method-combination mc-times :operator * :identity-with-one-argument t :documentation "product") :ok)
;=> :OK
(progn (defgeneric mc-mul (x) (:method-combination mc-times)) (defmethod mc-mul mc-times ((x mc-a)) 3) (defmethod mc-mul mc-times ((x mc-b)) 5) (list (mc-mul (make-instance 'mc-a)) (mc-mul (make-instance 'mc-b))))
;=> (3 15)
(progn (define-method-combination mc-short) (defun mc-short (&rest args) (cons :short args)) (defgeneric mc-sh (x) (:method-combination mc-short)) (defmethod mc-sh mc-short ((x mc-a)) 1) (defmethod mc-sh mc-short ((x mc-b)) 2) (mc-sh (make-instance 'mc-b)))
;=> (:SHORT 2 1)
(progn (define-method-combination mc-long () ((primary () :order :most-specific-last :required t) (around (:around))) (let ((form `(list ,@(mapcar (lambda (m) `(call-method ,m)) primary)))) (if around `(call-method ,(first around) (,@(rest around) (make-method ,form))) form))) :ok)
;=> :OK
(progn (defgeneric mc-lg (x) (:method-combination mc-long)) (defmethod mc-lg ((x mc-a)) :a) (defmethod mc-lg ((x mc-b)) :b) (mc-lg (make-instance 'mc-b)))
;=> (:A :B)
(progn (defmethod mc-lg :around ((x mc-b)) (cons :around (call-next-method))) (mc-lg (make-instance 'mc-b)))
;=> (:AROUND :A :B)
(progn (define-method-combination mc-std () ((around (:around)) (before (:before)) (primary () :required t) (after (:after))) (flet ((calls (ms) (mapcar (lambda (m) `(call-method ,m)) ms))) (let ((form (if (or before after (rest primary)) `(multiple-value-prog1 (progn ,@(calls before) (call-method ,(first primary) ,(rest primary))) ,@(calls (reverse after))) `(call-method ,(first primary))))) (if around `(call-method ,(first around) (,@(rest around) (make-method ,form))) form)))) :ok)
;=> :OK
(progn (defgeneric mc-s (x) (:method-combination mc-std)) (defmethod mc-s ((x mc-a)) (princ "A") :a) (defmethod mc-s ((x mc-b)) (princ "B") (list :b (call-next-method))) (defmethod mc-s :before ((x mc-a)) (princ "before")) (defmethod mc-s :after ((x mc-a)) (princ "after")) (mc-s (make-instance 'mc-b)))
;>> beforeBAafter
;=> (:B :A)
(progn (define-method-combination mc-arg (&optional (order ':most-specific-first)) ((m * :order order)) `(list ,@(mapcar (lambda (m) `(call-method ,m)) m))) (defgeneric mc-ar (x) (:method-combination mc-arg :most-specific-last)) (defmethod mc-ar ((x mc-a)) :a) (defmethod mc-ar ((x mc-b)) :b) (mc-ar (make-instance 'mc-b)))
;=> (:A :B)
(progn (defgeneric mc-unknown (x) (:method-combination no-such-combination)) :made)
;!> ERROR
(progn (defgeneric mc-none (x) (:method-combination +)) (mc-none 1))
;!> ERROR
(progn (defgeneric nam (x)) (defmethod no-applicable-method ((g (eql #'nam)) &rest args) (list :none args)) (nam 5))
;=> (:NONE (5))
(progn (defgeneric nnm (x)) (defmethod nnm ((x integer)) (call-next-method)) (nnm 5))
;!> ERROR
(progn (defgeneric nnm2 (x)) (defmethod nnm2 ((x integer)) (call-next-method)) (defmethod no-next-method ((g (eql #'nnm2)) m &rest args) (list :no-next args)) (nnm2 5))
;=> (:NO-NEXT (5))
(progn (ensure-generic-function 'egf :lambda-list '(x)) (defmethod egf ((x integer)) :int) (egf 5))
;=> :INT
(typep #'egf 'generic-function)
;=> T
(typep #'egf 'function)
;=> T
(length (compute-applicable-methods #'egf '(5)))
;=> 1
(find-method #'egf nil '(string) nil)
;=> NIL
(let ((m (find-method #'egf nil (list (find-class 'integer))))) (remove-method #'egf m) (egf 5))
;!> ERROR
(progn (defgeneric pre (a b) (:argument-precedence-order b a)) (defmethod pre ((a integer) b) :a-int) (defmethod pre (a (b integer)) :b-int) (pre 1 2))
;=> :B-INT
(progn (defgeneric kw (x &key a) (:method ((x integer) &key a (b 2)) (list x a b)) (:method ((x string) &key a c) (list x a c))) (list (kw 1 :a 5 :b 6) (kw "s" :c 3)))
;=> ((1 5 6) ("s" NIL 3))
(kw 1 :c 3)
;!> PROGRAM-ERROR
(kw 1 :zz 3 :allow-other-keys t)
;=> (1 NIL 2)
(progn (defgeneric opt (x &optional y)) (defmethod opt ((x integer) &optional (y 7)) (list x y)) (list (opt 1) (opt 1 2)))
;=> ((1 7) (1 2))
(opt 1 2 3)
;!> PROGRAM-ERROR
(opt)
;!> PROGRAM-ERROR
;departs: an error of another kind
(progn (defmethod opt ((x string)) x) :ok)
;!> ERROR
(progn (defgeneric acc-w (x)) (defgeneric (setf acc-w) (v x)) (defmethod (setf acc-w) (v (x cons)) (setf (car x) v)) (defmethod acc-w ((x cons)) (car x)) (let ((c (list 1 2))) (setf (acc-w c) 9) (incf (acc-w c)) (list c (acc-w c))))
;=> ((10 2) 10)
(progn (defclass re-a () ((x :initform 1 :initarg :x))) (defvar *re* (make-instance 're-a)) (defclass re-a () ((x :initform 1) (y :initform 2))) (list (slot-value *re* 'x) (slot-value *re* 'y)))
;=> (1 2)
(progn (setf (slot-value *re* 'x) 10) (defclass re-a () ((y :initform 3) (z :initform (+ 1 1)))) (list (slot-value *re* 'y) (slot-value *re* 'z) (slot-exists-p *re* 'x)))
;=> (2 2 NIL)
(progn (defclass re-b () ((q :initform :q))) (defclass re-a (re-b) ((y :initform 3))) (list (slot-value *re* 'q) (typep *re* 're-b)))
;=> (:Q T)
(progn (defclass re-acc () ((a :accessor re-acc-a :initform 1))) (defvar *ra* (make-instance 're-acc)) (defclass re-acc () ((a :accessor re-acc-a2 :initform 1))) (list (re-acc-a2 *ra*) (handler-case (re-acc-a *ra*) (error () :gone))))
;=> (1 :GONE)
(progn (defgeneric rm (x) (:method ((x integer)) 1)) (defmethod rm ((x integer)) 2) (rm 5))
;=> 2
(progn (defclass uic () ((a :initform 1 :initarg :a))) (defmethod update-instance-for-redefined-class :after ((x uic) added discarded plist &key) (setf (slot-value x 'b) (list added discarded plist))) (defvar *uic* (make-instance 'uic :a 5)) (defclass uic () ((b :initform 2))) (slot-value *uic* 'b))
;=> ((B) (A) (A 5))
(progn (defclass cc-a () ((x :initarg :x) (y :initform 2))) (defclass cc-b () ((x :initarg :x) (z :initform 3 :initarg :z))) (let ((i (make-instance 'cc-a :x 1))) (change-class i 'cc-b) (list (type-of i) (slot-value i 'x) (slot-value i 'z) (slot-exists-p i 'y))))
;=> (CC-B 1 3 NIL)
(let ((i (make-instance 'cc-a :x 1))) (change-class i 'cc-b :z 9) (slot-value i 'z))
;=> 9
(progn (defmethod update-instance-for-different-class :before ((old cc-a) (new cc-b) &key) (setf (slot-value new 'z) (list :from (slot-value old 'y)))) (let ((i (make-instance 'cc-a :x 1))) (change-class i (find-class 'cc-b)) (slot-value i 'z)))
;=> (:FROM 2)
(change-class 5 'cc-a)
;!> ERROR
(progn (defmethod slot-missing ((c t) (o cc-a) name op &optional v) (list :missing name op v)) (list (slot-value (make-instance 'cc-a) 'nope) (slot-boundp (make-instance 'cc-a) 'nope)))
;=> ((:MISSING NOPE SLOT-VALUE NIL) T)
(let ((i (make-instance 'cc-a))) (setf (slot-value i 'nope) 5))
;=> 5
(progn (defmethod slot-unbound (c (o cc-b) name) (list :unbound name)) (slot-value (make-instance 'cc-b) 'x))
;=> (:UNBOUND X)
(slot-value (make-instance 'cc-b) 'other)
;!> CELL-ERROR
(slot-makunbound (make-instance 're-b) 'nope)
;!> CELL-ERROR
(progn (defclass ii () ((a :initarg :a :reader ii-a) (b :reader ii-b))) (defmethod initialize-instance :after ((x ii) &key (extra 5) &allow-other-keys) (setf (slot-value x 'b) (list (ii-a x) extra))) (ii-b (make-instance 'ii :a 1 :extra 2)))
;=> (1 2)
(ii-b (make-instance 'ii :a 1 :what 2))
;=> (1 5)
(progn (defclass ik () ((a :initarg :a))) (make-instance 'ik :b 1))
;!> PROGRAM-ERROR
(make-instance 'no-such-class)
;!> CELL-ERROR
(make-instance 'ik :a)
;!> PROGRAM-ERROR
(progn (defclass si () ((a :initarg :a :initform 1) (b :initform 2))) (defmethod shared-initialize :after ((x si) slots &key) (setf (slot-value x 'b) (list slots))) (slot-value (make-instance 'si) 'b))
;=> (T)
(let ((i (make-instance 'si))) (reinitialize-instance i :a 7) (list (slot-value i 'a) (slot-value i 'b)))
;=> (7 (NIL))
(progn (defclass di (ik) () (:default-initargs :a (list 1 2))) (slot-value (make-instance 'di) 'a))
;=> (1 2)
(progn (defclass cl-sl () ((n :initform 0 :allocation :class :accessor cl-n))) (let ((a (make-instance 'cl-sl)) (b (make-instance 'cl-sl))) (incf (cl-n a)) (incf (cl-n b)) (list (cl-n a) (cl-n b))))
;=> (2 2)
(progn (defclass di-1 () ()) (defclass di-2 (di-1) ()) (defclass di-3 (di-1) ()) (defclass di-4 (di-2 di-3) ()) (defmethod who ((x di-1)) '(1)) (defmethod who ((x di-2)) (cons 2 (call-next-method))) (defmethod who ((x di-3)) (cons 3 (call-next-method))) (defmethod who ((x di-4)) (cons 4 (call-next-method))) (who (make-instance 'di-4)))
;=> (4 2 3 1)
(progn (defclass bad-order (di-1 di-2) ()) (make-instance 'bad-order))
;!> ERROR
(progn (defclass fwd (not-yet) ()) (make-instance 'fwd))
;!> ERROR
(progn (defclass not-yet () ((ny :initform 5))) (slot-value (make-instance 'fwd) 'ny))
;=> 5
(progn (defmethod cnm ((x integer)) (list :int x)) (defmethod cnm ((x (eql 5))) (call-next-method 6)) (cnm 5))
;=> (:INT 6)
(progn (defmethod cnm2 ((x number) &rest r) (list :n x r)) (defmethod cnm2 ((x integer) &rest r) (setq x 0) (list r (call-next-method))) (cnm2 5 6 7))
;=> ((6 7) (:N 5 (6 7)))
(progn (defmethod np ((x t)) (next-method-p)) (defmethod np ((x integer)) (list (next-method-p) (call-next-method))) (np 3))
;=> (T NIL)
(progn (defmethod eqs ((x (eql :a))) 1) (defmethod eqs ((x symbol)) 2) (list (eqs :a) (eqs :b)))
;=> (1 2)
(progn (defmethod bi ((x integer)) :integer) (defmethod bi ((x float)) :float) (defmethod bi ((x list)) :list) (defmethod bi ((x null)) :null) (defmethod bi ((x string)) :string) (defmethod bi ((x symbol)) :symbol) (defmethod bi ((x vector)) :vector) (defmethod bi ((x function)) :function) (defmethod bi ((x hash-table)) :hash) (defmethod bi ((x character)) :char) (defmethod bi ((x ratio)) :ratio) (defmethod bi ((x array)) :array) (mapcar #'bi (list 1 1.0 '(1) nil "s" 's #(1) #'car (make-hash-table) #\a 1/2 (make-array '(2 2)))))
;=> (:INTEGER :FLOAT :LIST :NULL :STRING :SYMBOL :VECTOR :FUNCTION :HASH :CHAR :RATIO :ARRAY)
(progn (defmethod sq ((x sequence)) :seq) (list (sq '(1)) (sq "s") (sq #(1)) (sq nil)))
;=> (:SEQ :SEQ :SEQ :SEQ)
(progn (defmethod nu ((x number)) :n) (defmethod nu ((x real)) (list :r (call-next-method))) (defmethod nu ((x rational)) (list :q (call-next-method))) (nu 1))
;=> (:Q (:R :N))
(progn (defstruct mst a) (defstruct (mst2 (:include mst)) b) (defmethod mst-kind ((x mst)) :mst) (defmethod mst-kind ((x mst2)) (list :mst2 (call-next-method))) (mst-kind (make-mst2)))
;=> (:MST2 :MST)
(progn (define-condition mcnd (error) ()) (defmethod cn ((c error)) :error) (defmethod cn ((c mcnd)) (list :mcnd (call-next-method))) (cn (make-condition 'mcnd)))
;=> (:MCND :ERROR)
(progn (defclass po () ((n :initarg :n))) (defmethod print-object ((x po) stream) (print-unreadable-object (x stream :type t) (format stream "n=~a" (slot-value x 'n)))) (princ (make-instance 'po :n 3)) nil)
;>> #<PO n=3>
;=> NIL
(progn (defclass po2 () ()) (defmethod print-object ((x po2) s) (write-string "PO2!" s)) (format nil "~a ~s ~a" (make-instance 'po2) (make-instance 'po2) (list (make-instance 'po2))))
;=> "PO2! PO2! (PO2!)"
(with-slots (x (why y)) (make-instance 'cc-a :x 3) (setf x (+ x 1)) (list x why))
;=> (4 2)
(progn (defclass wa () ((a :accessor wa-a :initform 1))) (with-accessors ((v wa-a)) (make-instance 'wa) (incf v 5) v))
;=> 6
(list (class-name (class-of 1)) (class-name (class-of nil)) (class-name (class-of 'a)) (class-name (class-of #\a)))
;=> (FIXNUM NULL SYMBOL CHARACTER)
(list (class-name (class-of '(1))) (class-name (class-of 1.0)) (class-name (class-of 1d0)) (class-name (class-of #'car)))
;=> (CONS SINGLE-FLOAT DOUBLE-FLOAT FUNCTION)
(find-class 'nonexistent nil)
;=> NIL
(find-class 'nonexistent)
;!> CELL-ERROR
(eq (find-class 'wa) (class-of (make-instance 'wa)))
;=> T
(let ((g (make-instance 'wa))) (list (typep g 'wa) (typep g 'standard-object) (typep g t) (typep g 'po)))
;=> (T T T NIL)
(subtypep 'di-4 'di-1)
;=> T
;=> T
(subtypep 'di-1 'di-4)
;=> NIL
;=> T
;departs: an error of another kind
(progn (defclass dup () ((a) (a))) :ok)
;!> ERROR
;departs: an error of another kind
(progn (defclass dup2 () ((a :initform 1 :initform 2))) :ok)
;=> :OK
;departs: an error of another kind
(progn (defclass badopt () () (:no-such-option 1)) :ok)
;!> ERROR
;departs: an error of another kind
(progn (defclass badslot () ((a :frob 1))) :ok)
;!> ERROR
(progn (defclass typed () ((a :type integer :initarg :a))) (slot-value (make-instance 'typed :a 1) 'a))
;=> 1
(progn (defclass two-args () ((a :initarg :a :initarg :aa))) (list (slot-value (make-instance 'two-args :aa 1) 'a) (slot-value (make-instance 'two-args :a 2 :aa 1) 'a)))
;=> (1 2)
(progn (defmethod described ((x integer)) "doc string" x) (documentation (find-method #'described nil (list (find-class 'integer))) t))
;=> "doc string"
(let ((l nil)) (defmethod ord :before ((x integer)) (push 1 l)) (defmethod ord :before ((x number)) (push 2 l)) (defmethod ord ((x number)) (push 3 l)) (defmethod ord :after ((x integer)) (push 4 l)) (defmethod ord :after ((x number)) (push 5 l)) (ord 1) (reverse l))
;=> (1 2 3 5 4)
(progn (defmethod only-before :before ((x integer)) 1) (only-before 1))
;!> ERROR
(progn (defmethod badq :frob ((x integer)) 1) (badq 1))
;!> ERROR
;departs: an error of another kind
(progn (defun plain-fn (x) x) (defmethod plain-fn ((x integer)) x))
;!> ERROR
(multiple-value-list (let ((x (make-instance 'wa))) (values (slot-boundp x 'a) (progn (slot-makunbound x 'a) (slot-boundp x 'a)))))
;=> (T NIL)
(progn (defmethod mv ((x integer)) (values x (1+ x))) (defmethod mv :before ((x integer)) (values)) (mv 1))
;=> 1
;=> 2
(progn (defmethod setm ((x list) (y integer)) :li) (defmethod setm ((x null) (y number)) :nn) (setm nil 1))
;=> :NN
(let ((gf #'setm)) (funcall gf '(1) 2))
;=> :LI
(mapcar #'bi '(1 a "x"))
;=> (:INTEGER :SYMBOL :STRING)
(apply #'setm '(nil 2))
;=> :NN
(setm 1 2)
;!> ERROR
