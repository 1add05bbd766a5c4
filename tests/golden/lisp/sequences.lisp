;;; Chapter: sequences (lists, vectors, strings).

;; length, element, parts
(list (length nil) (length '(1 2)) (length #(1 2 3)) (length "abcd"))
;=> (0 2 3 4)
(length 5)
;!> TYPE-ERROR
(length 'a)
;!> TYPE-ERROR
(list (elt '(1 2 3) 1) (elt #(1 2 3) 2) (elt "abc" 0))
;=> (2 3 #\a)
(elt '(1 2) 5)
;!> TYPE-ERROR
(elt #(1 2) 2)
;!> TYPE-ERROR
(elt "ab" -1)
;!> TYPE-ERROR
(let ((v (vector 1 2 3)) (l (list 1 2 3)) (s (copy-seq "abc"))) (setf (elt v 0) 'x (elt l 1) 'y (elt s 2) #\z) (list v l s))
;=> (#(X 2 3) (1 Y 3) "abz")
(subseq '(1 2 3 4) 1)
;=> (2 3 4)
(subseq '(1 2 3 4) 1 3)
;=> (2 3)
(subseq "hello" 1 3)
;=> "el"
(subseq #(1 2 3) 3)
;=> #()
(subseq "hello" 2 9)
;!> TYPE-ERROR
(subseq "hello" 3 2)
;!> TYPE-ERROR
(subseq "hello" -1)
;!> TYPE-ERROR
(subseq '(1 2) 3)
;!> TYPE-ERROR
(let ((s (copy-seq "hello"))) (setf (subseq s 1 3) "XYZ") s)
;=> "hXYlo"
(copy-seq '(1 2))
;=> (1 2)
(copy-seq #(1 2))
;=> #(1 2)
(copy-seq "ab")
;=> "ab"
(reverse #(1 2 3))
;=> #(3 2 1)
(reverse "abc")
;=> "cba"
(reverse nil)
;=> NIL
(nreverse (vector 1 2 3))
;=> #(3 2 1)
(nreverse (copy-seq "abc"))
;=> "cba"
(reverse 5)
;!> TYPE-ERROR
(make-sequence 'list 2 :initial-element 0)
;=> (0 0)
(make-sequence 'vector 2 :initial-element 'a)
;=> #(A A)
(make-sequence 'string 3 :initial-element #\x)
;=> "xxx"
(concatenate 'list '(1) #(2 3) "ab")
;=> (1 2 3 #\a #\b)
(concatenate 'vector '(1) #(2))
;=> #(1 2)
(concatenate 'string "ab" '(#\c) #(#\d))
;=> "abcd"
(concatenate 'string)
;=> ""
(concatenate 'string "a" '(1))
;!> TYPE-ERROR
(concatenate 'list)
;=> NIL
(concatenate 'list 5)
;!> TYPE-ERROR
(map 'list #'+ '(1 2) #(10 20))
;=> (11 22)
(map 'vector #'1+ '(1 2))
;=> #(2 3)
(map 'string #'char-upcase "abc")
;=> "ABC"
(map nil #'princ "abc")
;>> abc
;=> NIL
(map 'list (lambda (a b) (cons a b)) "ab" '(1 2 3))
;=> ((#\a . 1) (#\b . 2))
(map-into (list 1 2 3) #'+ '(1 1 1) '(1 2 3))
;=> (2 3 4)
(map-into (vector 0 0 0) #'1+ '(1 2))
;=> #(2 3 0)
(map-into (list 1 2) (let ((i 0)) (lambda () (incf i))))
;=> (1 2)
(coerce '(1 2 3) 'vector)
;=> #(1 2 3)
(coerce #(1 2) 'list)
;=> (1 2)
(coerce "ab" 'list)
;=> (#\a #\b)
(coerce '(#\a #\b) 'string)
;=> "ab"

;; reduce
(reduce #'+ '(1 2 3 4))
;=> 10
(reduce #'+ nil)
;=> 0
(reduce #'+ '(5))
;=> 5
(reduce #'list '(1 2 3 4))
;=> (((1 2) 3) 4)
(reduce #'list '(1 2 3 4) :from-end t)
;=> (1 (2 (3 4)))
(reduce #'list '(1 2 3) :initial-value 0)
;=> (((0 1) 2) 3)
(reduce #'list '(1 2 3) :initial-value 0 :from-end t)
;=> (1 (2 (3 0)))
(reduce #'+ #(1 2 3 4) :start 1 :end 3)
;=> 5
(reduce #'+ '((1) (2) (3)) :key #'car)
;=> 6
(reduce #'max "adcb" :key #'char-code)
;=> 100
(reduce #'cons nil :initial-value 'z)
;=> Z
(reduce #'list '(1))
;=> 1
(reduce #'+ '(1 2) :start 5)
;!> TYPE-ERROR
(reduce #'+ 7)
;!> TYPE-ERROR

;; find, position, count
(find 3 '(1 2 3))
;=> 3
(find 9 '(1 2 3))
;=> NIL
(find #\b "abc")
;=> #\b
(find 2 #((1 a) (2 b)) :key #'car)
;=> (2 B)
(find "b" '("a" "b") :test #'string=)
;=> "b"
(find 3 '(1 2 3 4) :test #'<)
;=> 4
(find 3 '(3 3 4) :test-not #'eql)
;=> 4
(find-if #'evenp '(1 2 3 4))
;=> 2
(find-if #'evenp '(1 2 3 4) :from-end t)
;=> 4
(find-if #'evenp '(1 2 3 4) :start 2)
;=> 4
(find-if-not #'evenp #(2 3 4))
;=> 3
(find-if #'minusp '(1 2) :key #'-)
;=> 1
(position 3 '(1 2 3))
;=> 2
(position 9 '(1 2 3))
;=> NIL
(position #\l "hello")
;=> 2
(position #\l "hello" :from-end t)
;=> 3
(position #\l "hello" :start 3)
;=> 3
(position #\l "hello" :start 4)
;=> NIL
(position 1 '((2) (1)) :key #'first)
;=> 1
(position-if #'evenp #(1 3 4 6))
;=> 2
(position-if #'evenp #(1 3 4 6) :from-end t)
;=> 3
(position-if-not #'evenp '(2 4 5))
;=> 2
(count 1 '(1 2 1 1))
;=> 3
(count #\a "banana")
;=> 3
(count #\a "banana" :start 2)
;=> 2
(count 1 '(1 2 1 1) :end 2)
;=> 1
(count-if #'evenp '(1 2 4))
;=> 2
(count-if-not #'evenp '(1 2 4))
;=> 1
(count 2 '(1 2 3) :test #'<)
;=> 1
(count-if #'oddp #(1 2 3) :key #'1+)
;=> 1
(find 1 5)
;!> TYPE-ERROR
(find-if 5 '(1 2))
;!> TYPE-ERROR
(position 1 '(1 2 . 3) :start 1)
;!> TYPE-ERROR

;; remove, substitute
(remove 1 '(1 2 1 3))
;=> (2 3)
(remove 1 #(1 2 1 3))
;=> #(2 3)
(remove #\a "banana")
;=> "bnn"
(remove 1 '(1 2 1 3 1) :count 2)
;=> (2 3 1)
(remove 1 '(1 2 1 3 1) :count 2 :from-end t)
;=> (1 2 3)
(remove 1 '(1 2 1 3 1) :start 1 :end 3)
;=> (1 2 3 1)
(remove 2 '(1 2 3) :test #'<)
;=> (1 2)
(remove 1 '((1 a) (2 b)) :key #'car)
;=> ((2 B))
(remove 1 '(1 2 1) :count 0)
;=> (1 2 1)
(remove 1 '(1 2 1) :count -3)
;=> (1 2 1)
(remove-if #'evenp '(1 2 3 4))
;=> (1 3)
(remove-if #'evenp #(1 2 3 4) :count 1)
;=> #(1 3 4)
(remove-if-not #'evenp '(1 2 3 4))
;=> (2 4)
(remove-if-not #'alpha-char-p "a1b2")
;=> "ab"
(remove-if #'evenp '(1 2 3 4) :key #'1+)
;=> (2 4)
(delete 1 (list 1 2 1 3))
;=> (2 3)
(delete-if #'evenp (list 1 2 3 4))
;=> (1 3)
(delete-if-not #'evenp (vector 1 2 3 4))
;=> #(2 4)
(delete #\a (copy-seq "banana"))
;=> "bnn"
(remove-duplicates '(1 2 1 3 2))
;=> (1 3 2)
(remove-duplicates '(1 2 1 3 2) :from-end t)
;=> (1 2 3)
(remove-duplicates "banana")
;=> "bna"
(remove-duplicates #(1 2 1))
;=> #(2 1)
(remove-duplicates '("a" "A" "b") :test #'string-equal)
;=> ("A" "b")
(remove-duplicates '((1 a) (1 b) (2 c)) :key #'car)
;=> ((1 B) (2 C))
(remove-duplicates '(1 2 1 3 2) :start 1)
;=> (1 1 3 2)
(delete-duplicates (list 1 1 2))
;=> (1 2)
(substitute 'x 1 '(1 2 1))
;=> (X 2 X)
(substitute 'x 1 '(1 2 1 1) :count 1)
;=> (X 2 1 1)
(substitute 'x 1 '(1 2 1 1) :count 1 :from-end t)
;=> (1 2 1 X)
(substitute #\o #\a "banana")
;=> "bonono"
(substitute 0 3 '(1 2 3 4) :test #'<)
;=> (1 2 3 0)
(substitute-if 0 #'evenp #(1 2 3 4))
;=> #(1 0 3 0)
(substitute-if-not 0 #'evenp '(1 2 3 4) :start 1)
;=> (1 2 0 4)
(nsubstitute 'x 1 (list 1 2 1))
;=> (X 2 X)
(nsubstitute-if 'x #'evenp (list 1 2 4))
;=> (1 X X)
(remove 1 'a)
;!> TYPE-ERROR
(remove 1 '(1 . 2))
;!> TYPE-ERROR

;; sorting, merging
(sort (list 3 1 2) #'<)
;=> (1 2 3)
(sort (vector 3 1 2) #'>)
;=> #(3 2 1)
(sort (copy-seq "hello") #'char<)
;=> "ehllo"
(sort (list '(b 2) '(a 1) '(c 0)) #'< :key #'second)
;=> ((C 0) (A 1) (B 2))
(stable-sort (list '(1 a) '(0 b) '(1 c) '(0 d)) #'< :key #'car)
;=> ((0 B) (0 D) (1 A) (1 C))
(stable-sort (vector "bb" "a" "cc" "d") #'< :key #'length)
;=> #("a" "d" "bb" "cc")
(sort nil #'<)
;=> NIL
(sort (list 1) #'<)
;=> (1)
(sort (list 2 'a) #'<)
;!> TYPE-ERROR
(sort (list "b" "a") #'string<)
;=> ("a" "b")
(merge 'list (list 1 3 5) (list 2 4 6) #'<)
;=> (1 2 3 4 5 6)
(merge 'list (list 1 3) (list 1 2) #'<)
;=> (1 1 2 3)
(merge 'vector (vector 1 4) (list 2 3) #'<)
;=> #(1 2 3 4)
(merge 'list (list '(1 a)) (list '(1 b)) #'< :key #'car)
;=> ((1 A) (1 B))

;; search, mismatch, comparison
(search "lo" "hello")
;=> 3
(search "xx" "hello")
;=> NIL
(search "" "abc")
;=> 0
(search '(2 3) '(1 2 3 2 3))
;=> 1
(search '(2 3) '(1 2 3 2 3) :from-end t)
;=> 3
(search "LO" "hello" :test #'char-equal)
;=> 3
(search #(1 2) '(0 1 2))
;=> 1
(search "abc" "xxabc" :start1 1)
;=> 3
(search "b" "abcb" :start2 2)
;=> 3
(mismatch "abc" "abd")
;=> 2
(mismatch "abc" "abc")
;=> NIL
(mismatch '(1 2 3) #(1 2))
;=> 2
(mismatch "abcd" "xbcd" :from-end t)
;=> 1
(mismatch "ABC" "abc" :test #'char-equal)
;=> NIL
(mismatch '(1 2) '(1 2 3) :start2 1)
;=> 0
(every #'evenp '(2 4))
;=> T
(every #'evenp nil)
;=> T
(every #'< '(1 2) '(2 3))
;=> T
(some #'evenp '(1 3))
;=> NIL
(some (lambda (x) (and (evenp x) (* x 10))) '(1 2 3))
;=> 20
(some #'eql "abc" "xbz")
;=> T
(notany #'evenp '(1 3))
;=> T
(notevery #'evenp '(2 3))
;=> T
(every #'identity #(1 nil 2))
;=> NIL
(some #'null 5)
;!> TYPE-ERROR

;; filling and replacing
(fill (list 1 2 3) 0)
;=> (0 0 0)
(fill (vector 1 2 3 4) 'x :start 1 :end 3)
;=> #(1 X X 4)
(fill (copy-seq "abc") #\z)
;=> "zzz"
(replace (vector 1 2 3 4) '(a b))
;=> #(A B 3 4)
(replace (list 1 2 3 4) '(a b c) :start1 1 :start2 1)
;=> (1 B C 4)
(replace (copy-seq "hello") "HEY" :end2 2)
;=> "HEllo"
(replace (vector 1 2 3) #(a b c d e))
;=> #(A B C)
(let ((v (vector 1 2 3 4 5))) (replace v v :start1 1 :start2 0 :end2 4))
;=> #(1 1 2 3 4)
(fill (vector 1 2) 0 :start 3)
;!> TYPE-ERROR

;; keyword errors
(find 1 '(1) :from 3)
;!> PROGRAM-ERROR
(remove-if #'evenp '(1 2) :start)
;!> PROGRAM-ERROR
