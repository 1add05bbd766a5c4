;;; Chapter: ALEXANDRIA, as far as it is here.
;;; Needs: alexandria
(alexandria:flatten '(1 (2 (3 nil)) ((4)) nil 5))
;=> (1 2 3 4 5)
(alexandria:iota 5)
;=> (0 1 2 3 4)
(alexandria:iota 3 :start 1 :step 2)
;=> (1 3 5)
(alexandria:iota 3 :start 1 :step 0.5)
;=> (1.0 1.5 2.0)
(funcall (alexandria:compose #'1+ #'abs) -5)
;=> 6
(funcall (alexandria:curry #'- 10) 3)
;=> 7
(funcall (alexandria:rcurry #'- 10) 3)
;=> -7
(list (funcall (alexandria:conjoin #'integerp #'evenp) 4) (funcall (alexandria:disjoin #'stringp #'evenp) 3))
;=> (T NIL)
(list (alexandria:ensure-list 1) (alexandria:ensure-list '(1)) (alexandria:ensure-cons 1) (alexandria:ensure-car '(1 2)))
;=> ((1) (1) (1) 1)
(alexandria:mappend #'list '(1 2) '(a b))
;=> (1 A 2 B)
(list (alexandria:lastcar '(1 2 3)) (alexandria:first-elt #(1 2)) (alexandria:last-elt "abc"))
;=> (3 1 #\c)
(alexandria:first-elt nil)
;!> TYPE-ERROR
(sort (alexandria:shuffle (list 3 1 2)) #'<)
;=> (1 2 3)
(not (null (member (alexandria:random-elt '(1 2 3)) '(1 2 3))))
;=> T
(list (alexandria:rotate '(1 2 3)) (alexandria:rotate '(1 2 3) -1) (alexandria:rotate "abcd" 2))
;=> ((3 1 2) (2 3 1) "cdab")
(list (alexandria:starts-with-subseq "ab" "abc") (alexandria:ends-with-subseq "bc" "abc") (alexandria:starts-with 1 '(1 2)) (alexandria:ends-with 1 '(1 2)))
;=> (T T T NIL)
(list (alexandria:emptyp "") (alexandria:emptyp '(1)) (alexandria:length= '(1 2) "ab" 2) (alexandria:setp '(1 2 1)) (alexandria:set-equal '(1 2) '(2 1)))
;=> (T NIL T NIL T)
(alexandria:map-product #'list '(1 2) '(a b))
;=> ((1 A) (1 B) (2 A) (2 B))
(list (alexandria:alist-plist '((a . 1) (b . 2))) (alexandria:plist-alist '(a 1 b 2)))
;=> ((A 1 B 2) ((A . 1) (B . 2)))
(alexandria:assoc-value '((a . 1)) 'a)
;=> 1
;=> (A . 1)
;departs: keys in order of insertion
(let ((h (alexandria:alist-hash-table '((a . 1) (b . 2))))) (list (alexandria:hash-table-keys h) (alexandria:hash-table-values h) (alexandria:hash-table-alist h) (alexandria:hash-table-plist h)))
;=> ((A B) (1 2) ((A . 1) (B . 2)) (A 1 B 2))
(gethash "k" (alexandria:plist-hash-table '("k" 1) :test 'equal))
;=> 1
;=> T
(let* ((h (alexandria:plist-hash-table '(a 1))) (c (alexandria:copy-hash-table h))) (setf (gethash 'a c) 2) (list (gethash 'a h) (gethash 'a c)))
;=> (1 2)
(let (l) (alexandria:maphash-keys (lambda (k) (push k l)) (alexandria:plist-hash-table '(a 1 b 2))) l)
;=> (B A)
(let ((h (make-hash-table))) (list (alexandria:ensure-gethash 'a h 5) (alexandria:ensure-gethash 'a h 6)))
;=> (5 5)
(list (alexandria:clamp 15 0 10) (alexandria:lerp 0.5 0 10) (alexandria:mean '(1 2 3 4)) (alexandria:median '(3 1 2)) (alexandria:variance '(1 2 3)) (alexandria:factorial 5))
;=> (10 5.0 5/2 2 2/3 120)
(list (alexandria:make-keyword "FOO") (alexandria:symbolicate 'a "B" 'c) (alexandria:format-symbol :keyword "~a-~a" 'x 1))
;=> (:FOO ABC :X-1)
(alexandria:if-let ((x 5)) (1+ x) 'none)
;=> 6
(alexandria:if-let (x nil) (1+ x) 'none)
;=> NONE
(alexandria:when-let ((a 1) (b 2)) (+ a b))
;=> 3
(alexandria:when-let* ((a 1) (b (1+ a))) (+ a b))
;=> 3
(let ((l (list 1))) (alexandria:appendf l (list 2) (list 3)) l)
;=> (1 2 3)
(let ((x 1)) (alexandria:maxf x 5 3) (alexandria:minf x 4) x)
;=> 4
(let ((l (list 1 2 1))) (alexandria:removef l 1) l)
;=> (2)
(let (l) (alexandria:doplist (k v '(:a 1 :b 2)) (push (list k v) l)) l)
;=> ((:B 2) (:A 1))
(alexandria:switch ("b" :test #'string=) ("a" 1) ("b" 2) (t 3))
;=> 2
(alexandria:eswitch (5) (1 'one))
;!> ERROR
(list (alexandria:xor nil 1 nil) (alexandria:xor 1 2))
;=> (1 NIL)
(funcall (alexandria:named-lambda f (n) (if (zerop n) 1 (* n (f (1- n))))) 5)
;=> 120
(progn (defmacro corpus-swap (a b) (alexandria:with-gensyms (tmp) `(let ((,tmp ,a)) (setf ,a ,b ,b ,tmp)))) (let ((x 1) (y 2)) (corpus-swap x y) (list x y)))
;=> (2 1)
(progn (defmacro corpus-twice (x) (alexandria:once-only (x) `(+ ,x ,x))) (let ((n 0)) (list (corpus-twice (incf n)) n)))
;=> (2 1)
