;;; Chapter: arrays and vectors.
(make-array 3 :initial-element 0)
;=> #(0 0 0)
(make-array '(2 3) :initial-element 1)
;=> #2A((1 1 1) (1 1 1))
(make-array '(2 2) :initial-contents '((1 2) (3 4)))
;=> #2A((1 2) (3 4))
(make-array 3 :initial-contents '(a b c))
;=> #(A B C)
(make-array 3 :initial-contents "abc")
;=> #(#\a #\b #\c)
(make-array nil :initial-element 7)
;=> #0A7
(make-array '(0 3))
;=> #2A()
(make-array 0)
;=> #()
(make-array '(2 1 2) :initial-contents '(((1 2)) ((3 4))))
;=> #3A(((1 2)) ((3 4)))
(make-array 2 :initial-contents '(1 2 3))
;!> ERROR
(make-array -1)
;!> TYPE-ERROR
(make-array 'a)
;!> TYPE-ERROR
(make-array 3 :element-type 'character :initial-element #\x)
;=> "xxx"
(make-array 3 :element-type 'single-float :initial-element 1.0)
;=> #(1.0 1.0 1.0)
(make-array 4 :element-type 'bit :initial-element 1)
;=> #*1111
(let ((a (make-array '(2 3) :initial-element 0))) (setf (aref a 1 2) 'x (aref a 0 0) 'y) (list a (aref a 1 2)))
;=> (#2A((Y 0 0) (0 0 X)) X)
(let ((v (vector 1 2 3))) (setf (aref v 0) 9 (svref v 1) 8) v)
;=> #(9 8 3)
(aref (vector 1 2) 2)
;!> TYPE-ERROR
(aref (vector 1 2) -1)
;!> TYPE-ERROR
(aref (make-array '(2 2)) 1 2)
;!> TYPE-ERROR
(aref (make-array '(2 2) :initial-element 0) 1)
;!> ERROR
(aref '(1 2) 0)
;!> TYPE-ERROR
(aref "abc" 1)
;=> #\b
(svref (vector 1 2) 1)
;=> 2
(let ((a (make-array '(2 2) :initial-contents '((1 2) (3 4))))) (list (row-major-aref a 2) (array-row-major-index a 1 1) (setf (row-major-aref a 0) 'z) a))
;=> (3 3 Z #2A((Z 2) (3 4)))
(let ((a (make-array '(2 3)))) (list (array-dimensions a) (array-dimension a 1) (array-rank a) (array-total-size a) (array-in-bounds-p a 1 2) (array-in-bounds-p a 2 0)))
;=> ((2 3) 3 2 6 T NIL)
(array-dimension (vector 1) 1)
;!> ERROR
(list (array-dimensions "abc") (array-rank #(1 2)) (array-total-size #(1 2 3)))
;=> ((3) 1 3)
(list (arrayp #(1)) (arrayp "a") (arrayp '(1)) (vectorp #(1)) (vectorp "a") (vectorp (make-array '(1 1))) (simple-vector-p #(1)) (simple-vector-p "a"))
;=> (T T NIL T T NIL T NIL)
(vector 1 'a "s")
;=> #(1 A "s")
(vector)
;=> #()
(let ((v (make-array 4 :fill-pointer 0))) (list (vector-push 1 v) (vector-push 2 v) (length v) (fill-pointer v) v))
;=> (0 1 2 2 #(1 2))
(let ((v (make-array 2 :fill-pointer 0))) (vector-push 1 v) (vector-push 2 v) (list (vector-push 3 v) v))
;=> (NIL #(1 2))
(let ((v (make-array 1 :fill-pointer 0 :adjustable t))) (dotimes (i 5) (vector-push-extend i v)) (list v (length v)))
;=> (#(0 1 2 3 4) 5)
(let ((v (make-array 5 :fill-pointer 3 :initial-element 0))) (setf (fill-pointer v) 5) (length v))
;=> 5
(let ((v (make-array 3 :fill-pointer t :initial-contents '(1 2 3)))) (list (vector-pop v) (vector-pop v) v))
;=> (3 2 #(1))
(vector-pop (make-array 2 :fill-pointer 0))
;!> ERROR
(vector-push 1 (vector 1 2))
;!> TYPE-ERROR
(fill-pointer (vector 1))
;!> TYPE-ERROR
(let ((v (make-array 5 :fill-pointer 2 :initial-element 0))) (list (aref v 4) (length v) (array-total-size v) (array-dimensions v) (array-has-fill-pointer-p v)))
;=> (0 2 5 (5) T)
(elt (make-array 5 :fill-pointer 2 :initial-element 0) 3)
;!> TYPE-ERROR
(let ((v (make-array 5 :fill-pointer 2 :initial-element 0))) (setf (fill-pointer v) 9))
;!> TYPE-ERROR
(let ((s (make-array 0 :element-type 'character :fill-pointer 0 :adjustable t))) (vector-push-extend #\a s) (vector-push-extend #\b s) s)
;=> "ab"
(let ((v (adjust-array (make-array 2 :initial-contents '(1 2) :adjustable t) 4 :initial-element 0))) v)
;=> #(1 2 0 0)
(adjust-array (make-array '(2 2) :initial-contents '((1 2) (3 4)) :adjustable t) '(3 3) :initial-element 0)
;=> #2A((1 2 0) (3 4 0) (0 0 0))
(adjust-array (make-array '(2 2) :initial-contents '((1 2) (3 4)) :adjustable t) '(1 2))
;=> #2A((1 2))
(list (adjustable-array-p (make-array 1 :adjustable t)) (array-element-type "abc") (array-element-type #(1)))
;=> (T CHARACTER T)
(copy-seq (make-array 5 :fill-pointer 2 :initial-element 0))
;=> #(0 0)
(equalp (make-array '(2 2) :initial-element 1) (make-array '(2 2) :initial-element 1.0))
;=> T
(list (bit (make-array 3 :element-type 'bit :initial-element 1) 0))
;=> (1)
(array-element-type (make-array 2 :element-type 'double-float))
;=> DOUBLE-FLOAT
(make-array 2 :initial-element 0 :initial-contents '(1 2))
;!> ERROR
(map 'list #'identity (make-array 3 :initial-element 'q))
;=> (Q Q Q)
(let ((a (make-array '(2 2) :initial-element 0))) (dotimes (i 2) (dotimes (j 2) (setf (aref a i j) (+ (* 10 i) j)))) a)
;=> #2A((0 1) (10 11))
(let ((a (make-array '(2 2) :initial-element 0))) (incf (aref a 0 1) 5) (aref a 0 1))
;=> 5

;;; Displaced arrays: windows on the elements of others.
(defvar *base* (vector 0 1 2 3 4 5 6 7 8 9))
;=> *BASE*
(make-array '(2 3) :displaced-to *base*)
;=> #2A((0 1 2) (3 4 5))
(defvar *row* (make-array 4 :displaced-to *base* :displaced-index-offset 3))
;=> *ROW*
(progn *row*)
;=> #(3 4 5 6)
(progn (setf (aref *row* 0) :x) *base*)
;=> #(0 1 2 :X 4 5 6 7 8 9)
(progn (setf (svref *base* 6) :y) *row*)
;=> #(:X 4 5 :Y)
(multiple-value-bind (target offset) (array-displacement *row*) (list (eq target *base*) offset))
;=> (T 3)
(multiple-value-list (array-displacement *base*))
;=> (NIL 0)
(list (length *row*) (reverse *row*) (find 5 *row*) (subseq *row* 1 3) (position :y *row*))
;=> (4 #(:Y 5 4 :X) 5 #(4 5) 3)
(map 'list #'identity *row*)
;=> (:X 4 5 :Y)
(loop for x across *row* collect x)
;=> (:X 4 5 :Y)
(coerce *row* 'list)
;=> (:X 4 5 :Y)
(equalp *row* #(:x 4 5 :y))
;=> T
(progn (fill *row* 0 :start 1 :end 3) *base*)
;=> #(0 1 2 :X 0 0 :Y 7 8 9)
(progn (replace *row* '(a b)) *base*)
;=> #(0 1 2 A B 0 :Y 7 8 9)
(let* ((b (vector 9 8 7 6 5)) (w (make-array 3 :displaced-to b :displaced-index-offset 1))) (sort w #'<) b)
;=> #(9 6 7 8 5)
(let* ((b (vector 9 8 7 6 5)) (w (make-array 3 :displaced-to b :displaced-index-offset 1))) (nreverse w) (setf (elt w 1) 'e) b)
;=> #(9 6 E 8 5)
(let* ((b (vector 1 2 3 4)) (w (make-array 3 :displaced-to b))) (map-into w #'1+ w) b)
;=> #(2 3 4 4)
(let* ((b (vector 1 2 3 4)) (w (make-array 3 :displaced-to b)) (v (make-array 2 :displaced-to w :displaced-index-offset 1))) (setf (aref v 1) 'z) (list b w v))
;=> (#(1 2 Z 4) #(1 2 Z) #(2 Z))
(let* ((m (make-array '(2 3) :initial-contents '((1 2 3) (4 5 6)))) (w (make-array 6 :displaced-to m))) (setf (aref w 4) 'x) (list m w))
;=> (#2A((1 2 3) (4 X 6)) #(1 2 3 4 X 6))
(let* ((m (make-array '(2 3) :initial-contents '((1 2 3) (4 5 6)))) (row (make-array 3 :displaced-to m :displaced-index-offset 3))) (reduce #'+ row))
;=> 15
(make-array '(3 2) :displaced-to #2A((1 2 3) (4 5 6)))
;=> #2A((1 2) (3 4) (5 6))
(aref (make-array nil :displaced-to #(1 2 3) :displaced-index-offset 2))
;=> 3
(make-array 0 :displaced-to #(1 2 3) :displaced-index-offset 3)
;=> #()
(make-array 3 :element-type 'character :displaced-to "abcdef" :displaced-index-offset 2)
;=> "cde"
(let* ((s (copy-seq "hello world")) (w (make-array 5 :element-type 'character :displaced-to s :displaced-index-offset 6))) (setf (char w 0) #\W) (list s w (string-upcase w) (string= w "World") (search "or" w) (concatenate 'string w "!") (length w)))
;=> ("hello World" "World" "WORLD" T 1 "World!" 5)
(let* ((s (copy-seq "abcdef")) (w (make-array 3 :element-type 'character :displaced-to s :displaced-index-offset 1))) (nstring-upcase w) (list s (intern (string w) :keyword) (stringp w) (simple-string-p w)))
;=> ("aBCDef" :BCD T NIL)
(gethash (make-array 2 :element-type 'character :displaced-to "xab" :displaced-index-offset 1) (let ((h (make-hash-table :test 'equal))) (setf (gethash "ab" h) :found) h))
;=> :FOUND
;=> T
(make-array 4 :element-type 'bit :displaced-to #*01101001 :displaced-index-offset 2)
;=> #*1010
(bit-and (make-array 4 :element-type 'bit :displaced-to #*11110000 :displaced-index-offset 2) #*1010)
;=> #*1000
(list (type-of *row*) (typep *row* 'vector) (typep *row* 'simple-vector) (typep *row* '(vector t 4)) (simple-vector-p *row*) (vectorp *row*))
;=> ((VECTOR T 4) T NIL T NIL T)
(let ((w (make-array 3 :displaced-to (vector 1 2 3 4) :fill-pointer 1))) (list w (vector-push 'x w) w (array-displacement w)))
;=> (#(1 X) 1 #(1 X) #(1 X 3 4))
(let* ((b (vector 1 2 3 4)) (w (make-array 2 :displaced-to b :fill-pointer t :adjustable t))) (vector-push-extend 'x w) (list b w (multiple-value-list (array-displacement w))))
;=> (#(1 2 3 4) #(1 2 X) (NIL 0))
(make-array 3 :displaced-to *base* :displaced-index-offset 8)
;!> ERROR
(make-array 3 :displaced-to *base* :initial-element 1)
;!> ERROR
(make-array 3 :displaced-to *base* :element-type 'character)
;!> ERROR
(make-array 3 :displaced-to '(1 2 3))
;!> TYPE-ERROR
(make-array 3 :displaced-index-offset 1)
;!> ERROR
(make-array 3 :displaced-to *base* :displaced-index-offset -1)
;!> TYPE-ERROR
(aref *row* 4)
;!> TYPE-ERROR
(setf (aref *row* 4) 1)
;!> TYPE-ERROR

;;; adjust-array.
(adjust-array (make-array '(2 3) :initial-contents '((1 2 3) (4 5 6))) '(3 4) :initial-element 0)
;=> #2A((1 2 3 0) (4 5 6 0) (0 0 0 0))
(let ((a (make-array '(2 2) :initial-contents '((1 2) (3 4)) :adjustable t))) (list (eq a (adjust-array a '(1 3) :initial-element 'n)) a (array-dimensions a)))
;=> (T #2A((1 2 N)) (1 3))
(let ((a (vector 1 2 3))) (list (eq a (adjust-array a 4 :initial-element 'n)) a))
;=> (NIL #(1 2 3))
(let ((a (make-array 3 :adjustable t :initial-contents '(1 2 3)))) (adjust-array a 5 :initial-contents '(a b c d e)) a)
;=> #(A B C D E)
(let ((v (make-array 5 :fill-pointer 3 :adjustable t :initial-contents '(1 2 3 4 5)))) (adjust-array v 4 :fill-pointer 2) (list v (array-dimension v 0)))
;=> (#(1 2) 4)
(adjust-array (make-array 5 :fill-pointer 3 :adjustable t) 2)
;!> ERROR
(adjust-array (make-array 3) 4 :fill-pointer 2)
;!> TYPE-ERROR
(adjust-array (make-array 3) '(2 2))
;!> ERROR
(adjust-array (make-array 3) 4 :initial-contents '(1 2))
;!> ERROR
(adjust-array (make-array 3) 4 :element-type 'character)
;!> ERROR
(adjust-array (copy-seq "abc") 5 :initial-element #\z)
;=> "abczz"
(let ((a (make-array 3 :adjustable t :initial-element 0)) (b (vector 1 2 3 4 5))) (adjust-array a 2 :displaced-to b :displaced-index-offset 2) (setf (aref a 0) 'x) (list a b))
;=> (#(X 4) #(1 2 X 4 5))
(let* ((b (vector 1 2 3 4)) (w (make-array 2 :displaced-to b :displaced-index-offset 1 :adjustable t))) (adjust-array w 3 :initial-element 'n) (setf (aref w 0) 'own) (list w b (array-displacement w)))
;=> (#(OWN 3 N) #(1 2 3 4) NIL)
(let* ((a (make-array 4 :adjustable t :initial-contents '(a b c d))) (w (make-array 2 :displaced-to a))) (adjust-array a 6 :initial-element 'q) (setf (aref a 1) 'new) (list a w))
;=> (#(A NEW C D Q Q) #(A NEW))
(let* ((a (make-array 4 :adjustable t :initial-contents '(a b c d))) (w (make-array 2 :displaced-to a :displaced-index-offset 2))) (adjust-array a 2) (aref w 0))
;!> TYPE-ERROR
(make-array '(2 2) :element-type 'character :initial-contents '("ab" "cd"))
;=> #2A((#\a #\b) (#\c #\d))
(let ((m (make-array '(2 2) :element-type 'character :initial-element #\-))) (setf (aref m 1 0) #\x) (list m (array-element-type m) (stringp m)))
;=> (#2A((#\- #\-) (#\x #\-)) CHARACTER NIL)
(setf (aref (make-array '(1 1) :element-type 'character) 0 0) 5)
;!> TYPE-ERROR

;;; A window keeps what it is on, through collections.
(let ((w (make-array 3 :displaced-to (vector 'a 'b 'c 'd) :displaced-index-offset 1)) (s (make-array 2 :element-type 'character :displaced-to (copy-seq "xyz")))) (dotimes (i 300000) (list i i i)) (list w s))
;=> (#(B C D) "xy")
