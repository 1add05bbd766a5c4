;;; Chapter: hash tables.
(let ((h (make-hash-table))) (setf (gethash 'a h) 1) (list (gethash 'a h) (gethash 'b h) (gethash 'b h 'none) (hash-table-count h)))
;=> (1 NIL NONE 1)
(let ((h (make-hash-table))) (setf (gethash 'a h) nil) (multiple-value-list (gethash 'a h)))
;=> (NIL T)
(multiple-value-list (gethash 'a (make-hash-table) 7))
;=> (7 NIL)
(let ((h (make-hash-table :test 'equal))) (setf (gethash "k" h) 1 (gethash '(1 2) h) 2) (list (gethash "k" h) (gethash (list 1 2) h) (gethash "K" h)))
;=> (1 2 NIL)
(let ((h (make-hash-table :test #'equalp))) (setf (gethash "k" h) 1 (gethash 1 h) 2) (list (gethash "K" h) (gethash 1.0 h)))
;=> (1 2)
(let ((h (make-hash-table :test 'eq))) (setf (gethash "k" h) 1) (gethash "k" h))
;=> NIL
;=> NIL
(let ((h (make-hash-table :test 'eql))) (setf (gethash 1.5 h) 1 (gethash 1/2 h) 2 (gethash #\a h) 3) (list (gethash 1.5 h) (gethash 1/2 h) (gethash #\a h) (gethash 1.5d0 h)))
;=> (1 2 3 NIL)
(let ((h (make-hash-table))) (setf (gethash 1 h) 'a) (list (remhash 1 h) (remhash 1 h) (hash-table-count h)))
;=> (T NIL 0)
(let ((h (make-hash-table))) (dotimes (i 100) (setf (gethash i h) (* i i))) (list (hash-table-count h) (gethash 50 h) (hash-table-count (clrhash h))))
;=> (100 2500 0)
(let ((h (make-hash-table)) (sum 0)) (dotimes (i 10) (setf (gethash i h) i)) (maphash (lambda (k v) (incf sum (+ k v))) h) sum)
;=> 90
(let ((h (make-hash-table)) (l nil)) (dolist (k '(c a b)) (setf (gethash k h) t)) (maphash (lambda (k v) (declare (ignore v)) (push k l)) h) (nreverse l))
;=> (C A B)
(let ((h (make-hash-table))) (dotimes (i 6) (setf (gethash i h) i)) (maphash (lambda (k v) (declare (ignore v)) (when (oddp k) (remhash k h))) h) (hash-table-count h))
;=> 3
(let ((h (make-hash-table))) (incf (gethash 'x h 0)) (incf (gethash 'x h 0) 5) (push 1 (gethash 'l h)) (list (gethash 'x h) (gethash 'l h)))
;=> (6 (1))
(let ((h (make-hash-table :size 10 :rehash-size 2 :rehash-threshold 0.8))) (list (hash-table-p h) (hash-table-p 5) (hash-table-test h)))
;=> (T NIL EQL)
(hash-table-test (make-hash-table :test #'equal))
;=> EQUAL
(gethash 1 5)
;!> TYPE-ERROR
(hash-table-count 'a)
;!> TYPE-ERROR
(make-hash-table :test 'foo)
;!> ERROR
(maphash #'list 5)
;!> TYPE-ERROR
(= (sxhash "abc") (sxhash (copy-seq "abc")))
;=> T
(= (sxhash 'a) (sxhash 'a))
;=> T
(= (sxhash '(1 "x")) (sxhash (list 1 "x")))
;=> T
(let ((h (make-hash-table :test 'equal))) (setf (gethash '(1 (2 "x") #\a 1.5) h) 'yes) (gethash (list 1 (list 2 "x") #\a 1.5) h))
;=> YES
;=> T
(let ((h (make-hash-table :test 'equalp))) (setf (gethash #(1 2) h) 'v (gethash '("A" b) h) 'l) (list (gethash (vector 1.0 2) h) (gethash '("a" b) h)))
;=> (V L)
(loop for k being the hash-keys of (let ((h (make-hash-table))) (setf (gethash 1 h) 2) h) using (hash-value v) collect (list k v))
;=> ((1 2))
