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
