;;; Chapter: conses and lists.

;; access
(list (car '(1 2)) (cdr '(1 2)) (car nil) (cdr nil))
;=> (1 (2) NIL NIL)
(cadr '(1 2 3))
;=> 2
(cddr '(1 2 3))
;=> (3)
(caar '((1) 2))
;=> 1
(cdar '((1 5) 2))
;=> (5)
(caddr '(1 2 3 4))
;=> 3
(cdddr '(1 2 3 4))
;=> (4)
(cadddr '(1 2 3 4))
;=> 4
(cddddr '(1 2 3 4 5))
;=> (5)
(list (caadr '(1 (2 3))) (cadar '((1 2) 3)) (cdadr '(1 (2 3))) (cddar '((1 2 3) 3)) (caaar '(((7)))) (cdaar '(((7 8)))))
;=> (2 2 (3) (3) 7 (8))
(car 5)
;!> TYPE-ERROR
(cdr "x")
;!> TYPE-ERROR
(cadr '(1 . 2))
;!> TYPE-ERROR
(list (first '(1 2 3 4 5 6 7 8 9 10)) (second '(1 2 3)) (third '(1 2 3)) (fourth '(1 2 3 4)) (fifth '(1 2 3 4 5)))
;=> (1 2 3 4 5)
(list (sixth '(1 2 3 4 5 6 7 8 9 10)) (seventh '(1 2 3 4 5 6 7)) (eighth '(1 2 3 4 5 6 7 8)) (ninth '(1 2 3 4 5 6 7 8 9 10)) (tenth '(1 2 3 4 5 6 7 8 9 10)))
;=> (6 7 8 9 10)
(tenth '(1 2 3))
;=> NIL
(rest '(1 2 3))
;=> (2 3)
(nth 2 '(a b c d))
;=> C
(nth 9 '(a b))
;=> NIL
(nth -1 '(a b))
;!> TYPE-ERROR
(nthcdr 2 '(a b c d))
;=> (C D)
(nthcdr 0 '(a b))
;=> (A B)
(nthcdr 5 '(a b))
;=> NIL
(last '(1 2 3))
;=> (3)
(last '(1 2 3) 2)
;=> (2 3)
(last '(1 2 3) 0)
;=> NIL
(last '(1 2 . 3))
;=> (2 . 3)
(last '(1 2 . 3) 0)
;=> 3
(last nil)
;=> NIL
(butlast '(1 2 3))
;=> (1 2)
(butlast '(1 2 3) 2)
;=> (1)
(butlast '(1 2 3) 5)
;=> NIL
(butlast nil)
;=> NIL
(nbutlast (list 1 2 3))
;=> (1 2)
(list-length '(1 2 3))
;=> 3
(list-length nil)
;=> 0
(length '(1 2 . 3))
;!> TYPE-ERROR
(endp nil)
;=> T
(endp '(1))
;=> NIL
(endp 5)
;!> TYPE-ERROR
(list (listp nil) (listp '(1)) (listp 5) (consp nil) (consp '(1)) (atom nil) (atom '(1)) (null nil) (null 1))
;=> (T T NIL NIL T T NIL T NIL)

;; construction
(cons 1 2)
;=> (1 . 2)
(cons 1 '(2))
;=> (1 2)
(list 1 2 3)
;=> (1 2 3)
(list)
;=> NIL
(list* 1 2 '(3 4))
;=> (1 2 3 4)
(list* 1)
;=> 1
(list* 1 2)
;=> (1 . 2)
(make-list 3)
;=> (NIL NIL NIL)
(make-list 2 :initial-element 'x)
;=> (X X)
(make-list 0)
;=> NIL
(make-list -1)
;!> TYPE-ERROR
(append '(1 2) '(3) nil '(4 5))
;=> (1 2 3 4 5)
(append)
;=> NIL
(append nil nil)
;=> NIL
(append '(1) 2)
;=> (1 . 2)
(append '(1 2) '(3 . 4))
;=> (1 2 3 . 4)
(append 1)
;=> 1
(append 1 2)
;!> TYPE-ERROR
(append '(1 . 2) '(3))
;!> TYPE-ERROR
(nconc (list 1 2) (list 3) nil (list 4))
;=> (1 2 3 4)
(nconc)
;=> NIL
(nconc nil nil)
;=> NIL
(nconc (list 1) 2)
;=> (1 . 2)
(revappend '(1 2 3) '(4 5))
;=> (3 2 1 4 5)
(nreconc (list 1 2 3) '(4 5))
;=> (3 2 1 4 5)
(reverse '(1 2 3))
;=> (3 2 1)
(nreverse (list 1 2 3))
;=> (3 2 1)
(copy-list '(1 2 . 3))
;=> (1 2 . 3)
(copy-list nil)
;=> NIL
(copy-tree '(1 (2 (3)) . 4))
;=> (1 (2 (3)) . 4)
(copy-alist '((a . 1) (b . 2)))
;=> ((A . 1) (B . 2))
(let* ((x '(1 2)) (y (copy-list x))) (list (eq x y) (equal x y)))
;=> (NIL T)

;; association lists
(assoc 'b '((a . 1) (b . 2)))
;=> (B . 2)
(assoc 'z '((a . 1) (b . 2)))
;=> NIL
(assoc 2 '((1 . a) nil (2 . b)))
;=> (2 . B)
(assoc "b" '(("a" . 1) ("b" . 2)))
;=> NIL
(assoc "b" '(("a" . 1) ("b" . 2)) :test #'equal)
;=> ("b" . 2)
(assoc "B" '(("a" . 1) ("b" . 2)) :test 'string-equal)
;=> ("b" . 2)
(assoc 3 '((1 . a) (2 . b) (4 . c)) :test #'<)
;=> (4 . C)
(assoc 1 '((1 . a) (2 . b)) :test-not #'eql)
;=> (2 . B)
(assoc 2 '((-1 . a) (-2 . b)) :key #'abs)
;=> (-2 . B)
(assoc-if #'evenp '((1 . a) (2 . b)))
;=> (2 . B)
(assoc-if-not #'oddp '((1 . a) (2 . b)))
;=> (2 . B)
(assoc-if #'plusp '((-1 . a) (2 . b)) :key #'-)
;=> (-1 . A)
(assoc 'a '(b))
;!> TYPE-ERROR
(rassoc 2 '((a . 1) (b . 2)))
;=> (B . 2)
(rassoc "x" '((a . "x")) :test #'string=)
;=> (A . "x")
(rassoc-if #'evenp '((a . 1) (b . 2)))
;=> (B . 2)
(rassoc-if-not #'evenp '((a . 1) (b . 2)))
;=> (A . 1)
(acons 'k 'v '((a . 1)))
;=> ((K . V) (A . 1))
(pairlis '(a b) '(1 2))
;=> ((B . 2) (A . 1))
(pairlis '(a b) '(1 2) '((c . 3)))
;=> ((B . 2) (A . 1) (C . 3))
(pairlis '(a b) '(1))
;!> ERROR

;; membership and sets
(member 2 '(1 2 3))
;=> (2 3)
(member 9 '(1 2 3))
;=> NIL
(member "b" '("a" "b") :test #'string=)
;=> ("b")
(member 2 '((1) (2) (3)) :key #'car)
;=> ((2) (3))
(member 1 '(1 1 2) :test-not #'eql)
;=> (2)
(member-if #'evenp '(1 3 4 5))
;=> (4 5)
(member-if-not #'evenp '(2 3 4))
;=> (3 4)
(member-if #'evenp '((1) (2)) :key #'first)
;=> ((2))
(member 1 5)
;!> TYPE-ERROR
(member 1 '(2 . 3))
;!> TYPE-ERROR
(member 'a '(a b) :test #'eq :test-not #'eq)
;!> ERROR
(adjoin 1 '(1 2))
;=> (1 2)
(adjoin 3 '(1 2))
;=> (3 1 2)
(adjoin "a" '("a") :test #'equal)
;=> ("a")
(adjoin '(1 x) '((1 y)) :key #'car)
;=> ((1 Y))
(sort (union '(1 2 3) '(2 3 4)) #'<)
;=> (1 2 3 4)
(sort (nunion (list 1 2 3) (list 2 3 4)) #'<)
;=> (1 2 3 4)
(sort (intersection '(1 2 3) '(2 3 4)) #'<)
;=> (2 3)
(sort (set-difference '(1 2 3 4) '(2 3)) #'<)
;=> (1 4)
(sort (set-exclusive-or '(1 2 3) '(2 3 4)) #'<)
;=> (1 4)
(intersection '((1 a) (2 b)) '((2 z)) :key #'car)
;=> ((2 B))
(set-difference '("a" "b") '("b") :test #'string=)
;=> ("a")
(subsetp '(1 2) '(1 2 3))
;=> T
(subsetp '(1 4) '(1 2 3))
;=> NIL
(subsetp nil '(1))
;=> T
(subsetp '((1)) '((1 2)) :key #'car)
;=> T

;; property lists and trees
(getf '(:a 1 :b 2) :b)
;=> 2
(getf '(:a 1) :z)
;=> NIL
(getf '(:a 1) :z 'none)
;=> NONE
(getf '(:a) :b)
;!> TYPE-ERROR
(multiple-value-list (get-properties '(:a 1 :b 2 :c 3) '(:c :b)))
;=> (:B 2 (:B 2 :C 3))
(multiple-value-list (get-properties '(:a 1) '(:z)))
;=> (NIL NIL NIL)
(tree-equal '(1 (2 3)) '(1 (2 3)))
;=> T
(tree-equal '(1 (2 3)) '(1 (2 4)))
;=> NIL
(tree-equal '("a" ("b")) '("A" ("B")) :test #'string-equal)
;=> T
(subst 'x 'b '(a b (b c) . b))
;=> (A X (X C) . X)
(subst 0 5 '(1 6 (7)) :test #'<)
;!> TYPE-ERROR
(subst 'n 'a '((a 1) (b 2)) :key (lambda (n) (if (consp n) (car n) n)))
;=> (N (B 2))
(subst-if 0 #'numberp '(1 a (2 b)))
;=> (0 A (0 B))
(subst-if-not 0 #'listp '(1 (2)))
;=> (0 (0))
(nsubst 'x 'b (list 'a 'b (list 'b)))
;=> (A X (X))
(sublis '((a . 1) (b . 2)) '(a b (c a) . b))
;=> (1 2 (C 1) . 2)
(sublis '(("a" . 1)) '("a" "b") :test #'equal)
;=> (1 "b")
(nsublis '((a . 1)) (list 'a 'b))
;=> (1 B)
(let* ((l '(1 2 3 4)) (tail (cddr l))) (list (ldiff l tail) (tailp tail l) (tailp '(3 4) l) (ldiff l nil)))
;=> ((1 2) T NIL (1 2 3 4))
(ldiff '(1 2 . 3) 3)
;=> (1 2)
(tailp 3 '(1 2 . 3))
;=> T

;; mapping
(mapcar #'+ '(1 2 3) '(10 20 30))
;=> (11 22 33)
(mapcar #'+ '(1 2 3) '(10 20))
;=> (11 22)
(mapcar #'1+ nil)
;=> NIL
(mapcar (lambda (x) (* x x)) '(1 2 3))
;=> (1 4 9)
(mapcar 'car '((1) (2)))
;=> (1 2)
(mapcar #'list '(1 2) '(a b) '("x" "y"))
;=> ((1 A "x") (2 B "y"))
(mapc #'print '(1 2))
;>> \n1 \n2 
;=> (1 2)
(mapcan (lambda (x) (if (evenp x) (list x x) nil)) '(1 2 3 4))
;=> (2 2 4 4)
(mapcan #'identity (list (list 1) nil (list 2) 3))
;=> (1 2 . 3)
(mapcon #'copy-list '(1 2 3))
;=> (1 2 3 2 3 3)
(maplist #'identity '(1 2 3))
;=> ((1 2 3) (2 3) (3))
(maplist (lambda (a b) (list (length a) (length b))) '(1 2 3) '(1 2))
;=> ((3 2) (2 1))
(mapl (lambda (x) (princ (length x))) '(a b c))
;>> 321
;=> (A B C)
(mapcar #'car 5)
;!> TYPE-ERROR
(mapcar 5 '(1))
;!> TYPE-ERROR
(mapcar #'1+ '(1 . 2))
;!> TYPE-ERROR

;; destructive updates through places
(let ((x (list 1 2 3))) (rplaca x 'a) (rplacd (cdr x) nil) x)
;=> (A 2)
(let ((x (list 1 2 3))) (setf (car x) 9 (cadr x) 8 (nth 2 x) 7) x)
;=> (9 8 7)
(let ((x (list 1 2 3))) (setf (first x) 'p (rest (cdr x)) '(q r)) x)
;=> (P 2 Q R)
(rplaca nil 1)
;!> TYPE-ERROR
(let ((p (list :a 1))) (setf (getf p :b) 2) (sort (copy-list (remove-if-not #'numberp p)) #'<))
;=> (1 2)
(let ((stack nil)) (push 1 stack) (push 2 stack) (pushnew 2 stack) (list (pop stack) stack))
;=> (2 (1))

;; functions on functions
(apply #'+ 1 2 '(3 4))
;=> 10
(apply #'max '(3 1 2))
;=> 3
(apply #'list nil)
;=> NIL
(apply #'+ 1)
;!> TYPE-ERROR
(funcall (constantly 7) 1 2 3)
;=> 7
(funcall (complement #'evenp) 3)
;=> T
(identity 5)
;=> 5
(multiple-value-list (values 1 2 3))
;=> (1 2 3)
(multiple-value-list (values))
;=> NIL
(multiple-value-list (values-list '(1 2)))
;=> (1 2)
