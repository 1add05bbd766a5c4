;;; Chapter: structures.

(defstruct point x y)
;=> POINT
(make-point :x 1 :y 2)
;=> #S(POINT :X 1 :Y 2)
(point-x (make-point :x 1 :y 2))
;=> 1
(make-point)
;=> #S(POINT :X NIL :Y NIL)
(let ((p (make-point :x 1))) (setf (point-y p) 5) (incf (point-x p)) p)
;=> #S(POINT :X 2 :Y 5)
(list (point-p (make-point)) (point-p 3))
;=> (T NIL)
(let* ((p (make-point :x 1)) (q (copy-point p))) (setf (point-x q) 2) (list (point-x p) (point-x q)))
;=> (1 2)
(equalp (make-point :x 1 :y 2) (make-point :x 1 :y 2))
;=> T
(equal (make-point :x 1 :y 2) (make-point :x 1 :y 2))
;=> NIL
(defstruct (p3 (:include point)) (z 10))
;=> P3
(make-p3 :x 1 :y 2)
;=> #S(P3 :X 1 :Y 2 :Z 10)
(list (point-p (make-p3)) (p3-x (make-p3 :x 4)) (point-x (make-p3 :x 4)) (p3-z (make-p3)))
;=> (T 4 4 10)
(defstruct (p4 (:include point (x 7)) (:conc-name q-)) w)
;=> P4
(list (q-x (make-p4)) (q-w (make-p4 :w 1)))
;=> (7 1)
(defstruct (boa (:constructor new-boa (a &optional (b 2) &key (c 3) &aux (d (+ a 1))))) a b c d)
;=> BOA
(new-boa 1)
;=> #S(BOA :A 1 :B 2 :C 3 :D 2)
(new-boa 1 5 :c 6)
;=> #S(BOA :A 1 :B 5 :C 6 :D 2)
(defstruct (two (:constructor make-two) (:constructor two-of (a &rest b))) a b)
;=> TWO
(list (make-two :a 1) (two-of 1 2 3))
;=> (#S(TWO :A 1 :B NIL) #S(TWO :A 1 :B (2 3)))
(defstruct (noconc (:conc-name nil)) nc-a)
;=> NOCONC
(nc-a (make-noconc :nc-a 3))
;=> 3
(defstruct (nocons (:constructor nil) (:copier nil) (:predicate is-nocons)) a)
;=> NOCONS
(list (is-nocons 1) (fboundp 'make-nocons) (fboundp 'copy-nocons) (fboundp 'nocons-p))
;=> (NIL NIL NIL NIL)
(defstruct typed "a docstring" (n 0 :type fixnum) (s "x" :type string :read-only t))
;=> TYPED
(let ((x (make-typed :n 4))) (incf (typed-n x)) x)
;=> #S(TYPED :N 5 :S "x")
(make-typed :n "no")
;!> TYPE-ERROR
(let ((x (make-typed))) (setf (typed-n x) 'a))
;!> TYPE-ERROR
(make-point :bad 1)
;!> PROGRAM-ERROR
(point-x 3)
;!> TYPE-ERROR
(typep (make-p3) 'point)
;=> T
(typep (make-point) 'p3)
;=> NIL
(type-of (make-point))
;=> POINT
(defstruct counter (n (incf *struct-counter*)))
;=> COUNTER
(progn (defvar *struct-counter* 0) (list (counter-n (make-counter)) (counter-n (make-counter))))
;=> (1 2)
(defstruct (printed (:print-function (lambda (p s d) (declare (ignore d)) (format s "<P ~a>" (printed-v p))))) v)
;=> PRINTED
(prin1-to-string (make-printed :v 3))
;=> "<P 3>"
(defstruct (printed2 (:print-object (lambda (p s) (format s "<Q ~a>" (printed2-v p))))) v)
;=> PRINTED2
(format nil "~a" (make-printed2 :v 3))
;=> "<Q 3>"
(defstruct node value (children nil))
;=> NODE
(make-node :value 1 :children (list (make-node :value 2)))
;=> #S(NODE :VALUE 1 :CHILDREN (#S(NODE :VALUE 2 :CHILDREN NIL)))
(progn (defmethod struct-area ((p point)) (* (point-x p) (point-y p))) :ok)
;=> :OK
(struct-area (make-p3 :x 3 :y 4))
;=> 12
(mapcar #'point-x (list (make-point :x 1) (make-point :x 2)))
;=> (1 2)
(defstruct (lst (:type list)) a b)
;=> LST
(list (make-lst :a 1 :b 2) (lst-b (make-lst :b 3)))
;=> ((1 2) 3)
(defstruct (vct (:type vector) :named) a b)
;=> VCT
(list (make-vct :a 1 :b 2) (vct-b (make-vct :b 3)) (vct-p (make-vct)))
;=> (#(VCT 1 2) 3 T)
(defstruct (empty))
;=> EMPTY
(make-empty)
;=> #S(EMPTY)
(slot-value (make-point :x 8) 'x)
;=> 8
(with-slots (x y) (make-point :x 1 :y 2) (+ x y))
;=> 3
(let ((p (make-point :x 1 :y 2))) (with-accessors ((px point-x)) p (setf px 9)) p)
;=> #S(POINT :X 9 :Y 2)
