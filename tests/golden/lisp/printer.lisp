;;; Chapter: the printer.

;; atoms
(list 1 -5 1/2 1.5 2d0 "str" #\a 'sym :key nil t)
;=> (1 -5 1/2 1.5 2.0d0 "str" #\a SYM :KEY NIL T)
(princ-to-string '(1 "str" #\a |Foo| :key))
;=> "(1 str a Foo KEY)"
(prin1-to-string '(1 "str" #\a |Foo| :key))
;=> "(1 \"str\" #\\a |Foo| :KEY)"
(list '|foo| '|Foo Bar| '|a\|b| '|1| '|1.5| '|1+| '+ '- '|...| '|.| '|a.b| '|(|)
;=> (|foo| |Foo Bar| |a\|b| |1| |1.5| 1+ + - |...| |.| |a.b| |(|)
(list '|| '|a;b| '|a,b| '|#a| '|a#| '|a:b| '|1/2| '|1e5| '|+1| '-a '|-1|)
;=> (|| |a;b| |a,b| |#a| |a#| |a:b| |1/2| |1e5| |+1| -A |-1|)
(prin1 "a\"b\\c")
;>> "a\"b\\c"
;=> "a\"b\\c"
(princ "a\"b\\c")
;>> a"b\c
;=> "a\"b\\c"
(print 'foo)
;>> \nFOO 
;=> FOO
(list #\Space #\Newline #\a #\A #\0 #\Tab)
;=> (#\  #\Newline #\a #\A #\0 #\Tab)
(princ #\a)
;>> a
;=> #\a
(princ '(#\a #\Newline))
;>> (a \n)
;=> (#\a #\Newline)
(prin1-to-string (make-symbol "FOO"))
;=> "#:FOO"
(princ-to-string (make-symbol "FOO"))
;=> "FOO"
(list 'car :car)
;=> (CAR :CAR)
(prin1 (list "x" 'y))
;>> ("x" Y)
;=> ("x" Y)

;; lists and vectors
(list '(1 . 2) '(1 2 . 3) '(nil) '(()) '((1) (2 (3))) '(1 . (2 . (3 . nil))))
;=> ((1 . 2) (1 2 . 3) (NIL) (NIL) ((1) (2 (3))) (1 2 3))
(list ''a '#'car ''(1 2) '(quote) '(quote a b) '(function) '(quote . a))
;=> ('A #'CAR '(1 2) (QUOTE) (QUOTE A B) (FUNCTION) (QUOTE . A))
(vector 1 'a "s" #\c)
;=> #(1 A "s" #\c)
(vector)
;=> #()
(list #2A((1 2) (3 4)) #0A5 #3A(((1) (2))))
;=> (#2A((1 2) (3 4)) #0A5 #3A(((1) (2))))
(vector (vector 1) '(2 #(3)))
;=> #(#(1) (2 #(3)))
(make-array '(2 0))
;=> #2A(() ())
(make-array 3 :element-type 'bit :initial-element 1)
;=> #*111

;; control variables
(let ((*print-length* 3)) (prin1-to-string '(1 2 3 4 5)))
;=> "(1 2 3 ...)"
(let ((*print-length* 3)) (prin1-to-string #(1 2 3 4 5)))
;=> "#(1 2 3 ...)"
(let ((*print-length* 0)) (prin1-to-string '(1)))
;=> "(...)"
(let ((*print-length* 2)) (prin1-to-string '(1 2)))
;=> "(1 2)"
(let ((*print-length* 2)) (prin1-to-string '(1 2 . 3)))
;=> "(1 2 . 3)"
(let ((*print-length* 2)) (prin1-to-string #2A((1 2 3) (4 5 6) (7 8 9))))
;=> "#2A((1 2 ...) (4 5 ...) ...)"
(let ((*print-level* 1)) (prin1-to-string '(1 (2 (3)) #(4))))
;=> "(1 # #)"
(let ((*print-level* 2)) (prin1-to-string '(1 (2 (3)))))
;=> "(1 (2 #))"
(let ((*print-level* 0)) (prin1-to-string '(1)))
;=> "#"
(let ((*print-level* 0)) (prin1-to-string "abc"))
;=> "\"abc\""
(let ((*print-level* 1)) (prin1-to-string #2A((1 2) (3 4))))
;=> "#2A(# #)"
(let ((*print-case* :downcase)) (prin1-to-string '(foo :bar |Baz| "Str")))
;=> "(foo :bar |Baz| \"Str\")"
(let ((*print-case* :capitalize)) (prin1-to-string '(foo-bar :baz foo2bar)))
;=> "(Foo-Bar :Baz Foo2bar)"
(let ((*print-case* :downcase)) (princ-to-string 'foo))
;=> "foo"
(let ((*print-base* 2)) (prin1-to-string '(5 -3 1/2 1.5)))
;=> "(101 -11 1/10 1.5)"
(let ((*print-base* 16)) (prin1-to-string '(255 10)))
;=> "(FF A)"
(let ((*print-base* 16) (*print-radix* t)) (prin1-to-string '(255 1/3)))
;=> "(#xFF #x1/3)"
(let ((*print-radix* t)) (prin1-to-string '(255 1/3)))
;=> "(255. #10r1/3)"
(let ((*print-base* 2) (*print-radix* t)) (prin1-to-string 5))
;=> "#b101"
(let ((*print-base* 7) (*print-radix* t)) (prin1-to-string 10))
;=> "#7r13"
(let ((*print-escape* nil)) (write-to-string "a"))
;=> "a"
(write-to-string '("a" #\b) :escape nil)
;=> "(a b)"
(write-to-string 10 :base 2 :radix t)
;=> "#b1010"
(write-to-string '(1 2 3 4) :length 2)
;=> "(1 2 ...)"
(write-to-string '(1 (2 (3))) :level 2)
;=> "(1 (2 #))"
(write-to-string 'foo :case :downcase)
;=> "foo"
(let ((*print-circle* t)) (let ((x (list 1 2))) (prin1-to-string (list x x))))
;=> "(#1=(1 2) #1#)"
(let ((*print-circle* t)) (let ((x (list 1 2))) (setf (cddr x) x) (prin1-to-string x)))
;=> "#1=(1 2 . #1#)"
(let ((*print-circle* t)) (let ((x (vector 1 nil))) (setf (aref x 1) x) (prin1-to-string x)))
;=> "#1=#(1 #1#)"
(let ((*print-circle* t)) (let ((x (list 'a))) (prin1-to-string (list* 1 x x))))
;=> "(1 #1=(A) . #1#)"
(let ((*print-circle* t)) (let ((x (list 'a 'b))) (prin1-to-string (cons x (cdr x)))))
;=> "((A . #1=(B)) . #1#)"
(let ((*print-pretty* nil)) (prin1-to-string '(quote a)))
;=> "(QUOTE A)"
(let ((*print-array* nil)) (stringp (prin1-to-string #(1 2))))
;=> T
(let ((*print-readably* t)) (prin1-to-string '(1 "a" foo)))
;=> "(1 \"a\" FOO)"
(let ((*print-gensym* nil)) (prin1-to-string (make-symbol "FOO")))
;=> "FOO"
(let ((*read-default-float-format* 'double-float)) (prin1-to-string '(1.0 1d0 1e10 1d10)))
;=> "(1.0f0 1.0 1.0f10 1.0e10)"

;; floats
(list 1.0 10.0 100.0 123.456 0.1 0.01 0.001 1e-3 9.999e-4 1e-5)
;=> (1.0 10.0 100.0 123.456 0.1 0.01 0.001 0.001 9.999e-4 1.0e-5)
(list 1e6 9999999.0 1e7 1.5e7 123456789.0 1e38 1e-37)
;=> (1000000.0 9999999.0 1.0e7 1.5e7 1.2345679e8 1.0e38 1.0e-37)
(list 1d0 1.5d0 1d6 1d7 1d-3 9.999d-4 1d300 1.2345678901234567d0)
;=> (1.0d0 1.5d0 1000000.0d0 1.0d7 0.001d0 9.999d-4 1.0d300 1.2345678901234567d0)
(list 0.1d0 0.2d0 (+ 0.1d0 0.2d0) (/ 1d0 3) (/ 1.0 3) 1.0e0 -1.5e-7)
;=> (0.1d0 0.2d0 0.30000000000000004d0 0.3333333333333333d0 0.33333334 1.0 -1.5e-7)
(list 0.0 -0.0 0d0 -0d0)
;=> (0.0 -0.0 0.0d0 -0.0d0)
(list 3.1415927 2.7182817 1.4142135 1.7320508 16777216.0 8388608.0)
;=> (3.1415927 2.7182817 1.4142135 1.7320508 1.6777216e7 8388608.0)
(list 1.17549435e-38 3.4028235e38 2.2250738585072014d-308 1.7976931348623157d308)
;=> (1.1754944e-38 3.4028235e38 2.2250738585072014d-308 1.7976931348623157d308)

;; where output goes
(progn (print 1) (print 2) nil)
;>> \n1 \n2 
;=> NIL
(progn (princ "a") (terpri) (princ "b") nil)
;>> a\nb
;=> NIL
(progn (princ "a") (fresh-line) (fresh-line) (princ "b") nil)
;>> a\nb
;=> NIL
(fresh-line)
;=> NIL
(progn (write-string "hello" *standard-output* :start 1 :end 3) nil)
;>> el
;=> NIL
(write-string "abc")
;>> abc
;=> "abc"
(write-line "abc")
;>> abc\n
;=> "abc"
(write-char #\x)
;>> x
;=> #\x
(multiple-value-list (pprint '(1 2)))
;>> \n(1 2)
;=> NIL
(with-output-to-string (s) (print 'a s) (prin1 "b" s) (princ "c" s))
;=> "\nA \"b\"c"
(with-output-to-string (*standard-output*) (princ "inside"))
;=> "inside"
(prin1 'a nil)
;>> A
;=> A
(let ((s (make-string-output-stream))) (write-string "ab" s) (list (get-output-stream-string s) (get-output-stream-string s)))
;=> ("ab" "")
(print 'a 5)
;!> TYPE-ERROR
(write 'a :foo 1)
;!> PROGRAM-ERROR
(princ)
;!> PROGRAM-ERROR
(pprint '(let ((x 1)) (print x)))
;>> \n(LET ((X 1))\n  (PRINT X))


;;; Structures in circles.
(progn (defstruct ring-node value next) nil)
;=> NIL
(let ((*print-circle* t) (n (make-ring-node :value 1))) (setf (ring-node-next n) n) (prin1-to-string n))
;=> "#1=#S(RING-NODE :VALUE 1 :NEXT #1#)"
(let ((*print-circle* t) (l (list 1 2))) (prin1-to-string (make-ring-node :value l :next l)))
;=> "#S(RING-NODE :VALUE #1=(1 2) :NEXT #1#)"
(let* ((*print-circle* t) (a (make-ring-node :value 'a)) (b (make-ring-node :value 'b :next a))) (setf (ring-node-next a) b) (prin1-to-string (list a b)))
;=> "(#1=#S(RING-NODE :VALUE A :NEXT #2=#S(RING-NODE :VALUE B :NEXT #1#)) #2#)"
(let ((*print-level* 2)) (prin1-to-string (make-ring-node :value 1 :next (make-ring-node :value 2 :next (make-ring-node :value 3)))))
;=> "#S(RING-NODE :VALUE 1 :NEXT #S(RING-NODE :VALUE 2 :NEXT #))"
(let ((*print-length* 1)) (prin1-to-string (make-ring-node :value 1)))
;=> "#S(RING-NODE :VALUE 1 ...)"
(let ((n (let ((*print-circle* t)) (read-from-string "#1=#S(ring-node :value 5 :next #1#)")))) (list (ring-node-value n) (eq n (ring-node-next n))))
;=> (5 T)
(let ((*print-pretty* t) (*print-right-margin* 80)) (with-output-to-string (*standard-output*) (pprint '(defun f (x) (let ((y 1)) (if (= x y) (+ x y) x)))))) 
;=> "\n(DEFUN F (X)\n  (LET ((Y 1))\n    (IF (= X Y)\n        (+ X Y)\n        X)))"
(format nil "~:c|~:@c|~c" #\Space #\Space #\Space)
;=> "Space|Space| "
