;;; Chapter: programs in the style of users: classes, structures, conditions.

;; shape hierarchy, print-object, generic dispatch, method combination
(progn (defclass shape () ((name :initarg :name :reader name :initform "anon") (id :allocation :class :initform 0 :accessor shape-id))) nil)
;=> NIL
(progn (defclass circle (shape) ((r :initarg :r :accessor r :type real))) nil)
;=> NIL
(progn (defclass rect (shape) ((w :initarg :w :accessor w) (h :initarg :h :accessor h))) nil)
;=> NIL
(progn (defclass square (rect) ()) nil)
;=> NIL
(progn (defgeneric area (shape) (:documentation "area of a shape")) nil)
;=> NIL
(progn (defmethod area ((s circle)) (* 3 (r s) (r s))) nil)
;=> NIL
(progn (defmethod area ((s rect)) (* (w s) (h s))) nil)
;=> NIL
(progn (defmethod initialize-instance :after ((s square) &key side) (when side (setf (w s) side (h s) side))) nil)
;=> NIL
(progn (defmethod print-object ((s shape) stream) (print-unreadable-object (s stream :type t) (format stream "~a area=~a" (name s) (area s)))) nil)
;=> NIL
(progn (defgeneric describe-it (x) (:method-combination list)) nil)
;=> NIL
(progn (defmethod describe-it list ((x shape)) :shape) nil)
;=> NIL
(progn (defmethod describe-it list ((x rect)) :rect) nil)
;=> NIL
(progn (defmethod describe-it list ((x square)) :square) nil)
;=> NIL
(let ((all (list (make-instance 'circle :r 2 :name "c") (make-instance 'rect :w 2 :h 3) (make-instance 'square :side 4 :name "sq"))))
  (dolist (s all) (incf (shape-id s)) (print s))
  (print (mapcar #'area all))
  (print (describe-it (third all)))
  (print (shape-id (first all)))
  (print (documentation 'area 'function))
  (print (sort (copy-list all) #'> :key #'area))
  (print (class-name (class-of (second all))))
  (print (handler-case (area 5) (error (e) (declare (ignorable e)) :no-method)))
  (print (slot-boundp (make-instance 'circle) 'r))
  (with-slots (w (hh h)) (second all) (setf w 10) (print (list w hh)))
  (with-accessors ((rad r)) (first all) (incf rad) (print rad)))
;>> \n#<CIRCLE c area=12> \n#<RECT anon area=6> \n#<SQUARE sq area=16> \n(12 6 16) \n(:SQUARE :RECT :SHAPE) \n3 \n"area of a shape" \n(#<SQUARE sq area=16> #<CIRCLE c area=12> #<RECT anon area=6>) \nRECT \n:NO-METHOD \nNIL \n(10 3) \n3 
;=> 3

;; conditions: retries, restarts, cleanup order, nested handlers
(progn (define-condition transient (error) ((attempt :initarg :attempt :reader attempt)) (:report (lambda (c s) (format s "attempt ~d failed" (attempt c))))) nil)
;=> NIL
(defun flaky (n) (if (< n 3) (error 'transient :attempt n) (list :ok n)))
;=> FLAKY
(defun retrying (fn &key (max 5)) (loop for i from 1 to max do (handler-case (return (funcall fn i)) (transient (c) (format t "~a; retrying~%" c)))))
;=> RETRYING
(retrying #'flaky)
;>> attempt 1 failed; retrying\nattempt 2 failed; retrying\n
;=> (:OK 3)
(defvar *log* '())
;=> *LOG*
(defun note (x) (push x *log*))
;=> NOTE
(catch 'done (unwind-protect (unwind-protect (throw 'done :thrown) (note :inner)) (note :outer)))
;=> :THROWN
(reverse *log*)
;=> (:INNER :OUTER)
(block outer (handler-bind ((error (lambda (c) (return-from outer (list :caught (princ-to-string c)))))) (error "bad ~a" 42)))
;=> (:CAUGHT "bad 42")
(handler-case (handler-bind ((warning #'muffle-warning)) (warn "w") :survived) (warning () :leaked))
;=> :SURVIVED
(defun careful (x) (restart-case (if (minusp x) (error "negative: ~d" x) (sqrt x)) (use-zero () :report "Use zero" 0) (use-value (v) v)))
;=> CAREFUL
(handler-bind ((error (lambda (c) (declare (ignore c)) (invoke-restart 'use-zero)))) (careful -4))
;=> 0
(handler-bind ((error (lambda (c) (declare (ignore c)) (use-value 7)))) (careful -4))
;=> 7
(multiple-value-bind (v c) (ignore-errors (error "oops ~a" 1)) (list v (princ-to-string c)))
;=> (NIL "oops 1")
(handler-case (assert (= 1 2) () "custom ~a" :msg) (error (e) (princ-to-string e)))
;=> "custom MSG"
(let ((x 5)) (handler-case (check-type x string "a string") (type-error (e) (list (type-error-datum e) (type-error-expected-type e)))))
;=> (5 STRING)
(with-simple-restart (skip "Skip it") (invoke-restart 'skip))
;=> NIL
;=> T
(handler-case (signal 'transient :attempt 0) (transient () :signalled))
;=> :SIGNALLED
(signal 'transient :attempt 0)
;!> ERROR
(let ((r '())) (handler-bind ((error (lambda (c) (declare (ignore c)) (push :first r))) (error (lambda (c) (declare (ignore c)) (push :second r)))) (ignore-errors (error "x"))) r)
;=> NIL
(handler-case (error 'simple-error :format-control "~a-~a" :format-arguments '(1 2)) (simple-error (e) (list (simple-condition-format-control e) (simple-condition-format-arguments e) (format nil "~a" e))))
;=> ("~a-~a" (1 2) "1-2")
(mapcar (lambda (form) (handler-case (eval form) (division-by-zero () :div0) (type-error () :type) (unbound-variable (e) (cell-error-name e)) (undefined-function (e) (cell-error-name e)) (error () :other)))
  '((/ 1 0) (+ 'a 1) nope (nofun 1) (car 5) (error "x") (aref #(1) 5)))
;=> (:DIV0 :TYPE NOPE NOFUN :TYPE :OTHER :TYPE)

;; CLOS protocol: around/before/after, call-next-method args, eql, redefinition, slot options, shared-initialize
(defvar *trace* '())
;=> *TRACE*
(progn (defclass base () ((a :initarg :a :initform 1 :accessor base-a))) nil)
;=> NIL
(progn (defclass mid1 (base) ((b :initform 2 :reader mid-b))) nil)
;=> NIL
(progn (defclass mid2 (base) ((c :initform 3 :writer set-c))) nil)
;=> NIL
(progn (defclass leaf (mid1 mid2) ((a :initform 10)) (:default-initargs :a 42) (:documentation "leaf class")) nil)
;=> NIL
(progn (defmethod run ((x base)) (push :base *trace*) (base-a x)) nil)
;=> NIL
(progn (defmethod run :before ((x base)) (push :before-base *trace*)) nil)
;=> NIL
(progn (defmethod run :after ((x mid1)) (push :after-mid1 *trace*)) nil)
;=> NIL
(progn (defmethod run :around ((x leaf)) (push :around *trace*) (list :wrapped (call-next-method))) nil)
;=> NIL
(progn (defmethod run ((x mid1)) (push :mid1 *trace*) (call-next-method)) nil)
;=> NIL
(progn (defmethod run ((x mid2)) (push :mid2 *trace*) (if (next-method-p) (call-next-method) :none)) nil)
;=> NIL
(run (make-instance 'leaf))
;=> (:WRAPPED 42)
(reverse *trace*)
;=> (:AROUND :BEFORE-BASE :MID1 :MID2 :BASE :AFTER-MID1)
(progn (defgeneric combine (a b)) nil)
;=> NIL
(progn (defmethod combine ((a integer) (b integer)) (list :int-int)) nil)
;=> NIL
(progn (defmethod combine ((a number) (b integer)) (cons :num-int (and (next-method-p) (call-next-method)))) nil)
;=> NIL
(progn (defmethod combine ((a integer) b) (cons :int-t (and (next-method-p) (call-next-method)))) nil)
;=> NIL
(progn (defmethod combine (a b) (list :t-t)) nil)
;=> NIL
(progn (defmethod combine ((a (eql 5)) b) (cons :five (call-next-method))) nil)
;=> NIL
(list (combine 1 2) (combine 1.0 2) (combine 1 "x") (combine 5 5) (combine nil nil))
;=> ((:INT-INT) (:NUM-INT :T-T) (:INT-T :T-T) (:FIVE :INT-INT) (:T-T))
(progn (defmethod with-args ((x number)) (list :num x)) nil)
;=> NIL
(progn (defmethod with-args ((x integer)) (call-next-method (+ x 0.5))) nil)
;=> NIL
(with-args 3)
;=> (:NUM 3.5)
(progn (defmethod shared-initialize :after ((x mid2) slots &key extra) (declare (ignore slots)) (when extra (set-c extra x))) nil)
;=> NIL
(slot-value (make-instance 'mid2 :extra 99) 'c)
;=> 99
(handler-case (make-instance 'base :bogus 1) (error () :bad-initarg))
;=> :BAD-INITARG
(handler-case (slot-value (make-instance 'base) 'zip) (error () :missing))
;=> :MISSING
(progn (defmethod slot-missing (class (x mid1) slot op &optional new) (declare (ignore class new)) (list :missing slot op)) nil)
;=> NIL
(slot-value (make-instance 'mid1) 'zip)
;=> (:MISSING ZIP SLOT-VALUE)
(progn (defclass counter () ((n :initform 0 :accessor n))) nil)
;=> NIL
(progn (defmethod (setf total) (v (c counter)) (setf (n c) (* 2 v))) nil)
;=> NIL
(let ((c (make-instance 'counter))) (setf (total c) 21) (print (n c)) (incf (n c) 8) (print (n c)))
;>> \n42 \n50 
;=> 50
(progn (defmethod n :around ((c counter)) (list :n (call-next-method))) nil)
;=> NIL
(n (make-instance 'counter))
;=> (:N 0)
(let ((o (make-instance 'base :a 5))) (reinitialize-instance o :a 6) (print (base-a o)))
;>> \n6 
;=> 6
(progn (defclass base () ((a :initarg :a :initform 1 :accessor base-a) (new :initform :fresh :accessor base-new))) nil)
;=> NIL
(base-new (make-instance 'base))
;=> :FRESH
(typep (make-instance 'leaf) 'mid2)
;=> T
(subtypep 'leaf 'base)
;=> T
;=> T
(find-class 'nonexistent nil)
;=> NIL
(progn (defgeneric opt (x &optional y &key z)) nil)
;=> NIL
(progn (defmethod opt ((x symbol) &optional (y 1) &key (z 2)) (list x y z)) nil)
;=> NIL
(list (opt 'a) (opt 'a 5 :z 6))
;=> ((A 1 2) (A 5 6))
(progn (defgeneric sum-all (x) (:method-combination +)) nil)
;=> NIL
(progn (defmethod sum-all + ((x integer)) x) nil)
;=> NIL
(progn (defmethod sum-all + ((x number)) 100) nil)
;=> NIL
(sum-all 5)
;=> 105
(progn (defmethod no-applicable-method ((gf (eql #'combine)) &rest args) (list :none args)) nil)
;=> NIL

;; bank account simulation with closures & conditions
(progn (define-condition insufficient-funds (error) ((need :initarg :need :reader need) (have :initarg :have :reader have)) (:report (lambda (c s) (format s "need ~$ but have ~$" (need c) (have c))))) nil)
;=> NIL
(progn (defclass account () ((owner :initarg :owner :reader owner) (balance :initarg :balance :initform 0 :accessor balance) (history :initform nil :accessor history))) nil)
;=> NIL
(progn (defclass savings (account) ((rate :initarg :rate :initform 1/20 :reader rate))) nil)
;=> NIL
(progn (defgeneric withdraw (account amount)) nil)
;=> NIL
(progn (defgeneric deposit (account amount)) nil)
;=> NIL
(progn (defmethod deposit ((a account) (n real)) (push (list :in n) (history a)) (incf (balance a) n)) nil)
;=> NIL
(progn (defmethod withdraw ((a account) n) (when (> n (balance a)) (restart-case (error 'insufficient-funds :need n :have (balance a)) (overdraw () :report "Overdraw") (take (m) :report "Take less" (return-from withdraw (withdraw a m))))) (push (list :out n) (history a)) (decf (balance a) n)) nil)
;=> NIL
(progn (defmethod withdraw :after ((a savings) n) (declare (ignore n)) (push :fee (history a))) nil)
;=> NIL
(let ((a (make-instance 'savings :owner "Ann" :balance 100)))
  (deposit a 50) (withdraw a 30) (print (balance a))
  (print (handler-case (withdraw a 1000) (insufficient-funds (c) (princ-to-string c))))
  (print (handler-bind ((insufficient-funds (lambda (c) (invoke-restart 'take (have c))))) (withdraw a 1000)))
  (print (handler-bind ((insufficient-funds (lambda (c) (declare (ignore c)) (invoke-restart 'overdraw)))) (withdraw a 5)))
  (print (history a)) (print (* (rate a) 100))
)
;>> \n120 \n"need 1000.00 but have 120.00" \n0 \n-5 \n(:FEE (:OUT 5) :FEE :FEE (:OUT 120) :FEE (:OUT 30) (:IN 50)) \n5 
;=> 5

;; LRU cache, ring buffer, linked deque with CLOS
(progn (defclass lru () ((capacity :initarg :capacity :reader capacity) (table :initform (make-hash-table :test #'equal) :reader table) (order :initform '() :accessor order))) nil)
;=> NIL
(progn (defmethod fetch ((c lru) key &optional default) (multiple-value-bind (v ok) (gethash key (table c)) (if ok (progn (setf (order c) (cons key (remove key (order c) :test #'equal))) (values v t)) (values default nil)))) nil)
;=> NIL
(progn (defmethod (setf fetch) (value (c lru) key &optional default) (declare (ignore default)) (setf (order c) (cons key (remove key (order c) :test #'equal)) (gethash key (table c)) value) (when (> (length (order c)) (capacity c)) (let ((old (car (last (order c))))) (remhash old (table c)) (setf (order c) (butlast (order c))))) value) nil)
;=> NIL
(let ((c (make-instance 'lru :capacity 2))) (setf (fetch c "a") 1 (fetch c "b") 2) (fetch c "a") (setf (fetch c "c") 3) (print (list (multiple-value-list (fetch c "a")) (multiple-value-list (fetch c "b" :gone)) (order c))))
;>> \n((1 T) (:GONE NIL) ("a" "c")) 
;=> ((1 T) (:GONE NIL) ("a" "c"))
(progn (defstruct (ring (:constructor make-ring (size &aux (data (make-array size :initial-element nil))))) size data (head 0) (count 0)) nil)
;=> NIL
(defun ring-push (r x) (setf (aref (ring-data r) (mod (+ (ring-head r) (ring-count r)) (ring-size r))) x) (if (< (ring-count r) (ring-size r)) (incf (ring-count r)) (setf (ring-head r) (mod (1+ (ring-head r)) (ring-size r)))) r)
;=> RING-PUSH
(defun ring-list (r) (loop for i below (ring-count r) collect (aref (ring-data r) (mod (+ (ring-head r) i) (ring-size r)))))
;=> RING-LIST
(let ((r (make-ring 3))) (dotimes (i 5) (ring-push r i)) (print (ring-list r)) (print r))
;>> \n(2 3 4) \n#S(RING :SIZE 3 :DATA #(3 4 2) :HEAD 2 :COUNT 3) 
;=> #S(RING :SIZE 3 :DATA #(3 4 2) :HEAD 2 :COUNT 3)
(progn (defclass node () ((value :initarg :value :accessor value) (next :initform nil :accessor next))) nil)
;=> NIL
(progn (defclass linked () ((head :initform nil :accessor head) (tail :initform nil :accessor tail) (size :initform 0 :accessor size))) nil)
;=> NIL
(progn (defmethod add-last ((l linked) v) (let ((n (make-instance 'node :value v))) (if (tail l) (setf (next (tail l)) n) (setf (head l) n)) (setf (tail l) n) (incf (size l)) l)) nil)
;=> NIL
(progn (defmethod map-list (fn (l linked)) (loop for n = (head l) then (next n) while n collect (funcall fn (value n)))) nil)
;=> NIL
(progn (defmethod print-object ((l linked) s) (format s "<~{~a~^->~}>" (map-list #'identity l))) nil)
;=> NIL
(let ((l (make-instance 'linked))) (dolist (x '(1 2 3)) (add-last l x)) (print l) (print (size l)) (print (map-list #'1+ l)) (print (list l l)) (format t "~%~a ~s ~d~%" l l 3))
;>> \n<1->2->3> \n3 \n(2 3 4) \n(<1->2->3> <1->2->3>) \n<1->2->3> <1->2->3> 3\n
;=> NIL

;; matrix class with operator-like generics, print-object, equality, iteration protocol
(progn (defclass matrix () ((rows :initarg :rows :reader rows) (cols :initarg :cols :reader cols) (data :initarg :data :reader data))) nil)
;=> NIL
(defun make-matrix (rows cols &key (initial 0) contents) (make-instance 'matrix :rows rows :cols cols :data (if contents (make-array (* rows cols) :initial-contents (apply #'append contents)) (make-array (* rows cols) :initial-element initial))))
;=> MAKE-MATRIX
(progn (defgeneric ref (m i j)) nil)
;=> NIL
(progn (defgeneric (setf ref) (v m i j)) nil)
;=> NIL
(progn (defmethod ref ((m matrix) i j) (aref (data m) (+ (* i (cols m)) j))) nil)
;=> NIL
(progn (defmethod (setf ref) (v (m matrix) i j) (setf (aref (data m) (+ (* i (cols m)) j)) v)) nil)
;=> NIL
(progn (defmacro do-matrix ((i j m) &body body) `(dotimes (,i (rows ,m)) (dotimes (,j (cols ,m)) ,@body))) nil)
;=> NIL
(progn (defgeneric add (a b) (:documentation "sum")) nil)
;=> NIL
(progn (defmethod add ((a number) (b number)) (+ a b)) nil)
;=> NIL
(progn (defmethod add ((a matrix) (b matrix)) (let ((r (make-matrix (rows a) (cols a)))) (do-matrix (i j r) (setf (ref r i j) (add (ref a i j) (ref b i j)))) r)) nil)
;=> NIL
(progn (defmethod add ((a matrix) (b number)) (let ((r (make-matrix (rows a) (cols a)))) (do-matrix (i j r) (setf (ref r i j) (add (ref a i j) b))) r)) nil)
;=> NIL
(progn (defmethod add ((a number) (b matrix)) (add b a)) nil)
;=> NIL
(progn (defmethod mul ((a matrix) (b matrix)) (let ((r (make-matrix (rows a) (cols b)))) (do-matrix (i j r) (setf (ref r i j) (loop for k below (cols a) sum (* (ref a i k) (ref b k j))))) r)) nil)
;=> NIL
(progn (defmethod print-object ((m matrix) stream) (print-unreadable-object (m stream :type t) (dotimes (i (rows m)) (format stream "~:[; ~;~]~{~a~^ ~}" (zerop i) (loop for j below (cols m) collect (ref m i j)))))) nil)
;=> NIL
(let ((a (make-matrix 2 2 :contents '((1 2) (3 4)))) (b (make-matrix 2 2 :initial 1))) (print (add a b)) (print (add a 10)) (print (add 1/2 a)) (print (mul a b)) (setf (ref a 0 0) 9) (print a) (incf (ref a 1 1)) (print (ref a 1 1)))
;>> \n#<MATRIX 2 3; 4 5> \n#<MATRIX 11 12; 13 14> \n#<MATRIX 3/2 5/2; 7/2 9/2> \n#<MATRIX 3 3; 7 7> \n#<MATRIX 9 2; 3 4> \n5 
;=> 5
(handler-case (add "x" 1) (error () :no-method))
;=> :NO-METHOD
(progn (defmethod same ((a matrix) (b matrix)) (and (= (rows a) (rows b)) (equalp (data a) (data b)))) nil)
;=> NIL
(progn (defmethod same (a b) (equal a b)) nil)
;=> NIL
(list (same (make-matrix 1 1) (make-matrix 1 1)) (same 1 1) (same "a" 1))
;=> (T T NIL)
(progn (defmethod identity-like ((m matrix)) (let ((r (make-matrix (rows m) (cols m)))) (dotimes (i (rows m) r) (setf (ref r i i) 1)))) nil)
;=> NIL
(defun power (m n) (cond ((zerop n) (identity-like m)) ((evenp n) (power (mul m m) (/ n 2))) (t (mul m (power m (1- n))))))
;=> POWER
(power (make-matrix 2 2 :contents '((1 1) (1 0))) 30)
;=> #<MATRIX 1346269 832040; 832040 514229>

;; visitors over an AST defined by structures with include
(progn (defstruct expr) nil)
;=> NIL
(progn (defstruct (num (:include expr)) (value 0 :type number)) nil)
;=> NIL
(progn (defstruct (bin (:include expr)) op left right) nil)
;=> NIL
(progn (defstruct (call (:include expr)) name args) nil)
;=> NIL
(progn (defstruct (vbl (:include expr)) name) nil)
;=> NIL
(progn (defgeneric visit (visitor node)) nil)
;=> NIL
(progn (defclass printer () ((depth :initform 0 :accessor depth))) nil)
;=> NIL
(progn (defclass evaluator () ((env :initarg :env :initform nil :accessor env))) nil)
;=> NIL
(progn (defmethod visit ((v evaluator) (n num)) (num-value n)) nil)
;=> NIL
(progn (defmethod visit ((v evaluator) (n vbl)) (let ((c (assoc (vbl-name n) (env v)))) (if c (cdr c) (error "unbound ~a" (vbl-name n))))) nil)
;=> NIL
(progn (defmethod visit ((v evaluator) (n bin)) (funcall (bin-op n) (visit v (bin-left n)) (visit v (bin-right n)))) nil)
;=> NIL
(progn (defmethod visit ((v evaluator) (n call)) (apply (call-name n) (mapcar (lambda (a) (visit v a)) (call-args n)))) nil)
;=> NIL
(progn (defmethod visit :around ((v printer) node) (incf (depth v)) (unwind-protect (call-next-method) (decf (depth v)))) nil)
;=> NIL
(progn (defmethod visit ((v printer) (n expr)) (format t "~v@t~a~%" (* 2 (depth v)) (type-of n))) nil)
;=> NIL
(progn (defmethod visit ((v printer) (n bin)) (call-next-method) (visit v (bin-left n)) (visit v (bin-right n))) nil)
;=> NIL
(let ((tree (make-bin :op '+ :left (make-num :value 2) :right (make-bin :op '* :left (make-vbl :name 'x) :right (make-call :name 'max :args (list (make-num :value 3) (make-num :value 7))))))) (print (visit (make-instance 'evaluator :env '((x . 5))) tree)) (terpri) (visit (make-instance 'printer) tree) (print (handler-case (visit (make-instance 'evaluator) tree) (error (e) (princ-to-string e)))) (print tree) (print (expr-p tree)) (print (equalp (copy-bin tree) tree)))
;>> \n37 \n  BIN\n    NUM\n    BIN\n      VBL\n      CALL\n\n"unbound X" \n#S(BIN :OP + :LEFT #S(NUM :VALUE 2) :RIGHT #S(BIN :OP * :LEFT #S(VBL :NAME X) :RIGHT #S(CALL :NAME MAX :ARGS (#S(NUM :VALUE 3) #S(NUM :VALUE 7))))) \nT \nT 
;=> T
(defun tree-map (fn tree) (cond ((null tree) nil) ((atom tree) (funcall fn tree)) (t (cons (tree-map fn (car tree)) (tree-map fn (cdr tree))))))
;=> TREE-MAP
(tree-map #'1+ '(1 (2 (3)) 4))
;=> (2 (3 (4)) 5)
(defun leaves (tree) (if (atom tree) (list tree) (mapcan #'leaves tree)))
;=> LEAVES
(leaves '(1 (2 (3 4)) 5))
;=> (1 2 3 4 5)
(handler-case (make-num :value "x") (type-error () :type-error))
;=> :TYPE-ERROR
(handler-case (num-value (make-vbl :name 'q)) (type-error () :wrong-struct))
;=> :WRONG-STRUCT
(let ((n (make-num))) (setf (num-value n) 10) (print n) (print (slot-value n 'value)) (print (with-slots (value) n (incf value))))
;>> \n#S(NUM :VALUE 10) \n10 \n11 
;=> 11

(progn (defgeneric surface (s &key scale) (:method ((s integer) &key (scale 1)) (* s scale)) (:method ((s list) &key scale) (list :list s scale)) (:documentation "d")) nil)
;=> NIL
(list (surface 3 :scale 2) (surface (list 1)) (handler-case (surface 3 :bogus 1) (error () :bad-key)))
;=> (6 (:LIST (1) NIL) :BAD-KEY)
(progn (define-method-combination my-or :identity-with-one-argument t :operator or) nil)
;=> NIL
(progn (defgeneric try-it (x) (:method-combination my-or)) nil)
;=> NIL
(progn (defmethod try-it my-or ((x integer)) (when (> x 10) :big)) nil)
;=> NIL
(progn (defmethod try-it my-or ((x number)) :num) nil)
;=> NIL
(list (try-it 5) (try-it 50))
;=> (:NUM :BIG)
(progn (defclass a () ((x :initarg :x :initform (error "x is required") :accessor x))) nil)
;=> NIL
(progn (defclass b (a) ((y :initform 2 :accessor y)) (:default-initargs :x 5)) nil)
;=> NIL
(handler-case (make-instance 'a) (error (e) (princ-to-string e)))
;=> "x is required"
(x (make-instance 'b))
;=> 5
(progn (defclass meter () ((count :initform 0 :accessor meter-count :allocation :class))) nil)
;=> NIL
(let ((m1 (make-instance 'meter)) (m2 (make-instance 'meter))) (incf (meter-count m1) 5) (print (meter-count m2)))
;>> \n5 
;=> 5
(handler-case (slot-value (make-instance 'meter) 'nope) (error () :no-slot))
;=> :NO-SLOT
(let ((b (make-instance 'b))) (slot-makunbound b 'y) (print (slot-boundp b 'y)) (print (handler-case (y b) (unbound-slot (e) (list (cell-error-name e) (eq b (unbound-slot-instance e)))))) (setf (y b) 9) (print (slot-exists-p b 'y)) (print (slot-value b 'y)))
;>> \nNIL \n(Y T) \nT \n9 
;=> 9
(progn (defclass person () ((name :initarg :name :reader name) (age :initarg :age :accessor age))) nil)
;=> NIL
(progn (defmethod initialize-instance :around ((p person) &rest args &key name) (declare (ignore args)) (call-next-method p :name (string-capitalize name) :age 1)) nil)
;=> NIL
(let ((p (make-instance 'person :name "bob" :age 50))) (list (name p) (age p)))
;=> ("Bob" 1)
(progn (defmethod print-object ((p person) s) (print-unreadable-object (p s :type t) (format s "~a" (name p)))) nil)
;=> NIL
(make-instance 'person :name "eve")
;=> #<PERSON Eve>
(format t "~%~a ~s" (make-instance 'person :name "x") (list (make-instance 'person :name "y")))
;>> \n#<PERSON X> (#<PERSON Y>)
;=> NIL
(progn (defmethod describe-thing ((x (eql :special))) :special) nil)
;=> NIL
(progn (defmethod describe-thing ((x symbol)) :symbol) nil)
;=> NIL
(progn (defmethod describe-thing ((x null)) :null) nil)
;=> NIL
(progn (defmethod describe-thing ((x list)) :list) nil)
;=> NIL
(progn (defmethod describe-thing ((x string)) :string) nil)
;=> NIL
(progn (defmethod describe-thing ((x vector)) :vector) nil)
;=> NIL
(progn (defmethod describe-thing ((x float)) :float) nil)
;=> NIL
(progn (defmethod describe-thing ((x integer)) :int) nil)
;=> NIL
(progn (defmethod describe-thing ((x function)) :fn) nil)
;=> NIL
(progn (defmethod describe-thing ((x character)) :char) nil)
;=> NIL
(progn (defmethod describe-thing ((x hash-table)) :hash) nil)
;=> NIL
(progn (defmethod describe-thing (x) :other) nil)
;=> NIL
(mapcar #'describe-thing (list :special 'a nil '(1) "s" #(1) 1.0 1 #'car #\a (make-hash-table) 1/2))
;=> (:SPECIAL :SYMBOL :NULL :LIST :STRING :VECTOR :FLOAT :INT :FN :CHAR :HASH :OTHER)
(progn (defmethod multi ((a integer) (b string)) :is) nil)
;=> NIL
(progn (defmethod multi ((a number) (b string)) :ns) nil)
;=> NIL
(progn (defmethod multi ((a integer) b) :it) nil)
;=> NIL
(progn (defmethod multi (a (b string)) :ts) nil)
;=> NIL
(list (multi 1 "a") (multi 1.0 "a") (multi 1 2) (multi 'x "a") (handler-case (multi 'x 'y) (error () :none)))
;=> (:IS :NS :IT :TS :NONE)
(progn (defclass p1 () ()) nil)
;=> NIL
(progn (defclass p2 () ()) nil)
;=> NIL
(progn (defclass c1 (p1 p2) ()) nil)
;=> NIL
(progn (defclass c2 (p2 p1) ()) nil)
;=> NIL
(progn (defmethod who ((x p1)) :p1) nil)
;=> NIL
(progn (defmethod who ((x p2)) :p2) nil)
;=> NIL
(list (who (make-instance 'c1)) (who (make-instance 'c2)))
;=> (:P1 :P2)
(handler-case (eval '(progn (defclass bad (c1 c2) ()) (make-instance 'bad))) (error () :inconsistent))
;=> :INCONSISTENT
(let ((gf #'who)) (list (functionp gf) (typep gf 'generic-function) (typep gf 'standard-generic-function)))
;=> (T T T)
(null (remove-method #'who (find-method #'who '() (list (find-class 'p1)))))
;=> NIL
(who (make-instance 'c1))
;=> :P2
(handler-case (who (make-instance 'p1)) (error () :gone))
;=> :GONE
(slot-value (let ((i (make-instance 'person :name "z"))) (setf (slot-value i 'age) 3) i) 'age)
;=> 3
(typep (make-instance 'c1) 'p2)
;=> T
(class-name (find-class 'c1))
;=> C1
(with-slots (name (a age)) (make-instance 'person :name "q") (list name a))
;=> ("Q" 1)
(funcall #'name (make-instance 'person :name "w"))
;=> "W"
(mapcar #'name (list (make-instance 'person :name "a") (make-instance 'person :name "b")))
;=> ("A" "B")

;; Caten-like op graph in plain CL
(progn (defclass node () ((op :initarg :op :reader node-op) (inputs :initarg :inputs :initform nil :reader node-inputs) (shape :initarg :shape :accessor node-shape) (attrs :initarg :attrs :initform nil :accessor node-attrs) (id :initform (gensym "N") :reader node-id))) nil)
;=> NIL
(defun shape-error (op a b) (error "~a: shapes ~a and ~a differ" op a b))
;=> SHAPE-ERROR
(progn (defgeneric infer (op &rest shapes)) nil)
;=> NIL
(progn (defmethod infer ((op (eql :add)) &rest shapes) (destructuring-bind (a b) shapes (if (equal a b) a (shape-error op a b)))) nil)
;=> NIL
(progn (defmethod infer ((op (eql :matmul)) &rest shapes) (destructuring-bind ((n k) (k2 m)) shapes (unless (= k k2) (shape-error op (list n k) (list k2 m))) (list n m))) nil)
;=> NIL
(progn (defmethod infer ((op (eql :relu)) &rest shapes) (first shapes)) nil)
;=> NIL
(defun op (name &rest inputs) (make-instance 'node :op name :inputs inputs :shape (apply #'infer name (mapcar #'node-shape inputs))))
;=> OP
(defun input (shape) (make-instance 'node :op :input :shape shape))
;=> INPUT
(defun topo (node) (let ((seen '()) (out '())) (labels ((walk (n) (unless (member n seen) (push n seen) (mapc #'walk (node-inputs n)) (push n out)))) (walk node)) (nreverse out)))
;=> TOPO
(let* ((x (input '(2 3))) (w (input '(3 4))) (b (input '(2 4))) (y (op :relu (op :add (op :matmul x w) b)))) (print (mapcar #'node-op (topo y))) (print (node-shape y)) (format t "~%~{~a~%~}" (loop for n in (topo y) for i from 0 collect (format nil "%~d = ~(~a~)~@[ ~{%~d~^, ~}~] : ~{~d~^x~}" i (node-op n) (mapcar (lambda (m) (position m (topo y))) (node-inputs n)) (node-shape n)))))
;>> \n(:INPUT :INPUT :MATMUL :INPUT :ADD :RELU) \n(2 4) \n%0 = input : 2x3\n%1 = input : 3x4\n%2 = matmul %0, %1 : 2x4\n%3 = input : 2x4\n%4 = add %2, %3 : 2x4\n%5 = relu %4 : 2x4\n
;=> NIL
(handler-case (op :add (input '(2)) (input '(3))) (error (e) (princ-to-string e)))
;=> "ADD: shapes (2) and (3) differ"
(progn (defmacro defpattern (name pattern (&rest vars) replacement) `(defun ,name (form) (let ((b (unify* ',pattern form '(())))) (if b (let ,(mapcar (lambda (v) `(,v (cdr (assoc ',v b)))) vars) ,replacement) form)))) nil)
;=> NIL
(defun unify* (p f b) (cond ((null b) nil) ((and (symbolp p) (char= #\? (char (symbol-name p) 0))) (let ((c (assoc p b))) (if c (and (equal (cdr c) f) b) (acons p f b)))) ((and (consp p) (consp f)) (unify* (cdr p) (cdr f) (unify* (car p) (car f) b))) ((equal p f) b)))
;=> UNIFY*
(defpattern mul-one (* ?x 1) (?x) ?x)
;=> MUL-ONE
(defpattern add-same (+ ?x ?x) (?x) `(* 2 ,?x))
;=> ADD-SAME
(list (mul-one '(* (f y) 1)) (add-same '(+ a a)) (add-same '(+ a b)))
;=> ((F Y) (* 2 A) (+ A B))
(defun rewrite (form rules) (let ((f (if (consp form) (cons (car form) (mapcar (lambda (x) (rewrite x rules)) (cdr form))) form))) (dolist (r rules f) (let ((new (funcall r f))) (unless (equal new f) (return (rewrite new rules)))))))
;=> REWRITE
(rewrite '(+ (* a 1) (* a 1)) '(mul-one add-same))
;=> (* 2 A)

(progn (defclass animal () ((sound :initform "..." :reader sound :initarg :sound) (legs :initform 4 :accessor legs))) nil)
;=> NIL
(progn (defclass dog (animal) ((sound :initform "woof"))) nil)
;=> NIL
(progn (defclass puppy (dog) () (:default-initargs :sound "yip")) nil)
;=> NIL
(progn (defmethod speak ((a animal) &optional (n 1)) (format nil "~v@{~a~:*~}" n (sound a))) nil)
;=> NIL
(mapcar (lambda (c) (sound (make-instance c))) '(animal dog puppy))
;=> ("..." "woof" "yip")
(speak (make-instance 'puppy))
;=> "yip"
(progn (defgeneric stats (x) (:method-combination append)) nil)
;=> NIL
(progn (defmethod stats append ((a animal)) (list :legs (legs a))) nil)
;=> NIL
(progn (defmethod stats append ((d dog)) (list :kind :dog)) nil)
;=> NIL
(stats (make-instance 'puppy))
;=> (:KIND :DOG :LEGS 4)
(progn (defgeneric total (x) (:method-combination + :most-specific-last)) nil)
;=> NIL
(progn (defmethod total + ((a animal)) 1) nil)
;=> NIL
(progn (defmethod total + ((d dog)) 10) nil)
;=> NIL
(progn (defmethod total + ((d puppy)) 100) nil)
;=> NIL
(total (make-instance 'puppy))
;=> 111
(progn (defgeneric m (x) (:method-combination max)) nil)
;=> NIL
(progn (defmethod m max ((x integer)) x) nil)
;=> NIL
(progn (defmethod m max ((x number)) 5) nil)
;=> NIL
(list (m 3) (m 9))
;=> (5 9)
(progn (defgeneric allp (x) (:method-combination and)) nil)
;=> NIL
(progn (defmethod allp and ((x integer)) (plusp x)) nil)
;=> NIL
(progn (defmethod allp and ((x number)) (list x)) nil)
;=> NIL
(list (allp 5) (allp -5))
;=> ((5) NIL)
(progn (defgeneric pr (x) (:method-combination progn)) nil)
;=> NIL
(progn (defmethod pr progn ((x animal)) (princ "animal ")) nil)
;=> NIL
(progn (defmethod pr progn ((x dog)) (princ "dog ")) nil)
;=> NIL
(pr (make-instance 'dog))
;>> dog animal 
;=> "animal "
(progn (defmethod greet ((d dog)) "dog") nil)
;=> NIL
(progn (defmethod greet :around ((d dog)) (concatenate 'string "<" (call-next-method) ">")) nil)
;=> NIL
(progn (defmethod greet ((p puppy)) (concatenate 'string "puppy/" (call-next-method))) nil)
;=> NIL
(progn (defmethod greet :around ((p puppy)) (concatenate 'string "[" (call-next-method) "]")) nil)
;=> NIL
(greet (make-instance 'puppy))
;=> "[<puppy/dog>]"
(let ((order '())) (defmethod seq ((a animal)) (push :p order)) (defmethod seq :before ((a animal)) (push :ba order)) (defmethod seq :before ((a dog)) (push :bd order)) (defmethod seq :after ((a animal)) (push :aa order)) (defmethod seq :after ((a dog)) (push :ad order)) (seq (make-instance 'dog)) (print (reverse order)))
;>> \n(:BD :BA :P :AA :AD) 
;=> (:BD :BA :P :AA :AD)
(progn (defmethod copy-thing ((a animal)) (let ((c (make-instance (class-of a)))) (setf (legs c) (legs a)) c)) nil)
;=> NIL
(let ((d (make-instance 'dog))) (setf (legs d) 3) (legs (copy-thing d)))
;=> 3
(let ((i (make-instance 'animal))) (setf (slot-value i 'legs) 7) (slot-value i 'legs))
;=> 7
(progn (defclass with-doc () ((a :documentation "slot a" :type integer :initform 0)) (:documentation "The class.")) nil)
;=> NIL
(documentation 'with-doc 'type)
;=> "The class."
(class-name (class-of (make-instance 'with-doc)))
;=> WITH-DOC
(progn (defmethod add2 ((a string) (b string)) (concatenate 'string a b)) nil)
;=> NIL
(progn (defmethod add2 ((a list) (b list)) (append a b)) nil)
;=> NIL
(progn (defmethod add2 ((a vector) (b vector)) (concatenate 'vector a b)) nil)
;=> NIL
(list (add2 "a" "b") (add2 '(1) '(2)) (add2 #(1) #(2)))
;=> ("ab" (1 2) #(1 2))
(handler-case (add2 "a" '(1)) (error () :mixed))
;=> :MIXED
(progn (defmethod rec ((n (eql 0))) 1) nil)
;=> NIL
(progn (defmethod rec ((n integer)) (* n (rec (1- n)))) nil)
;=> NIL
(rec 10)
;=> 3628800
(progn (defmethod opt-args ((x t) &rest r &key (k 5)) (list x r k)) nil)
;=> NIL
(list (opt-args 1) (opt-args 1 :k 2))
;=> ((1 NIL 5) (1 (:K 2) 2))

