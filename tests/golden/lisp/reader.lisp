;;; Chapter: the reader, and printing that reads back.
(read-from-string "foo")
;=> FOO
;=> 3
(read-from-string "|Foo Bar|")
;=> |Foo Bar|
;=> 9
(read-from-string "fo\\o")
;=> |FOo|
;=> 4
(read-from-string ":key")
;=> :KEY
;=> 4
(read-from-string "#:g")
;=> #:G
;=> 3
(read-from-string "12")
;=> 12
;=> 2
(read-from-string "+5")
;=> 5
;=> 2
(read-from-string "-0")
;=> 0
;=> 2
(read-from-string "1.")
;=> 1
;=> 2
(read-from-string "1.5")
;=> 1.5
;=> 3
(read-from-string ".5")
;=> 0.5
;=> 2
(read-from-string "-1.5e3")
;=> -1500.0
;=> 6
(read-from-string "1d0")
;=> 1.0d0
;=> 3
(read-from-string "1f0")
;=> 1.0
;=> 3
(read-from-string "1s0")
;=> 1.0
;=> 3
(read-from-string "1l0")
;=> 1.0d0
;=> 3
(read-from-string "1/2")
;=> 1/2
;=> 3
(read-from-string "4/8")
;=> 1/2
;=> 3
(read-from-string "1+")
;=> 1+
;=> 2
(read-from-string "+")
;=> +
;=> 1
(read-from-string "1e")
;=> |1E|
;=> 2
(read-from-string "...a")
;=> ...A
;=> 4
(read-from-string "a.b")
;=> A.B
;=> 3
(read-from-string "\"a\\\"b\\\\c\"")
;=> "a\"b\\c"
;=> 9
(read-from-string "#\\a")
;=> #\a
;=> 3
(read-from-string "#\\Space")
;=> #\ 
;=> 7
(read-from-string "#\\newline")
;=> #\Newline
;=> 9
(read-from-string "#\\(")
;=> #\(
;=> 3
(read-from-string "#\\x")
;=> #\x
;=> 3
(read-from-string "(a . b)")
;=> (A . B)
;=> 7
(read-from-string "(a b . c)")
;=> (A B . C)
;=> 9
(read-from-string "(a . (b . (c . nil)))")
;=> (A B C)
;=> 21
(read-from-string "()")
;=> NIL
;=> 2
(read-from-string "'a")
;=> 'A
;=> 2
(read-from-string "#'car")
;=> #'CAR
;=> 5
(read-from-string "`(a ,b ,@c)")
;=> `(A ,B ,@C)
;=> 11
(read-from-string "#(1 2 3)")
;=> #(1 2 3)
;=> 8
(read-from-string "#()")
;=> #()
;=> 3
(read-from-string "#2A((1 2) (3 4))")
;=> #2A((1 2) (3 4))
;=> 16
(read-from-string "#0A5")
;=> #0A5
;=> 4
(read-from-string "#*1011")
;=> #*1011
;=> 6
(read-from-string "#b101")
;=> 5
;=> 5
(read-from-string "#o17")
;=> 15
;=> 4
(read-from-string "#xFF")
;=> 255
;=> 4
(read-from-string "#x-ff")
;=> -255
;=> 5
(read-from-string "#3r102")
;=> 11
;=> 6
(read-from-string "#b1/10")
;=> 1/2
;=> 6
(read-from-string "#+sbcl-no-such a b")
;=> B
;=> 18
(read-from-string "#-sbcl-no-such a b")
;=> A
;=> 17
(read-from-string "#+(and) a b")
;=> A
;=> 10
(read-from-string "#+(or) a b")
;=> B
;=> 10
(read-from-string "#+(not (or)) a b")
;=> A
;=> 15
(read-from-string "#-(and) (very (nested #|x|# form)) b")
;=> B
;=> 36
(read-from-string "#| block #| nested |# |# x")
;=> X
;=> 26
(read-from-string "; comment
 x")
;=> X
;=> 12
(read-from-string "a;b")
;=> A
;=> 1
(read-from-string "a b" t nil :start 1)
;=> B
;=> 3
(read-from-string "(a b) c")
;=> (A B)
;=> 6
(read-from-string "" nil :eof)
;=> :EOF
;=> 0
(read-from-string "   " nil :eof)
;=> :EOF
;=> 3
(read-from-string "")
;!> END-OF-FILE
(read-from-string "(a")
;!> END-OF-FILE
(read-from-string ")")
;!> READER-ERROR
(read-from-string "( . a)")
;!> READER-ERROR
(read-from-string "(a . )")
;!> READER-ERROR
(read-from-string "(a . b c)")
;!> READER-ERROR
(read-from-string "#<foo>")
;!> READER-ERROR
(read-from-string "no-such-package-x:foo")
;!> READER-ERROR
(read-from-string "cl:no-such-symbol-x")
;!> READER-ERROR
(read-from-string "keyword:foo")
;=> :FOO
;=> 11
(read-from-string "cl:car")
;=> CAR
;=> 6
(read-from-string "cl::car")
;=> CAR
;=> 7
(read-from-string "|a|b|c|")
;=> |aBc|
;=> 7
(read-from-string "\\a")
;=> |a|
;=> 2
(read-from-string "||")
;=> ||
;=> 2
(read-from-string "#S(nope :a 1)")
;!> READER-ERROR
(progn (defstruct rds a (b 2)) (read-from-string "#S(rds :a 1)"))
;=> #S(RDS :A 1 :B 2)
;=> 12
(rds-b (read-from-string "#S(rds :a 1)"))
;=> 2
(rds-a (read-from-string "#S(rds :a 1 :b 3)"))
;=> 1
(read-from-string (prin1-to-string (make-rds :a '(1 "x") :b #\c)))
;=> #S(RDS :A (1 "x") :B #\c)
;=> 25
(equalp (read-from-string (prin1-to-string (make-rds :a 5))) (make-rds :a 5))
;=> T
(list (symbol-name 'foo) (symbol-name '|foo|) (symbol-name 'fOO) (symbol-name '\foo))
'(a 'b `c #'d)
'(quote a b)
'(quote)
;=> ("FOO" "foo" "FOO" "fOO")
(list 'quote 'a)
''()
'#(a "b" #\c)
'|hello world|
'|a|
'A\b
'|A:b|
:|key word|
;=> 'A
(prin1-to-string '|foo|)
;=> "|foo|"
(prin1-to-string 'foo\ bar)
;=> "|FOO BAR|"
(prin1-to-string (intern "1"))
;=> "|1|"
(prin1-to-string (intern "1.5"))
;=> "|1.5|"
(prin1-to-string (intern "+"))
;=> "+"
(prin1-to-string (intern "1+"))
;=> "1+"
(prin1-to-string (intern "A.B"))
;=> "A.B"
(prin1-to-string (intern "."))
;=> "|.|"
(prin1-to-string (intern ""))
;=> "||"
(prin1-to-string (intern "a;b"))
;=> "|a;b|"
(prin1-to-string (intern "É"))
;=> "É"
(prin1-to-string (make-symbol "FOO"))
;=> "#:FOO"
(prin1-to-string "a\"b\\c")
;=> "\"a\\\"b\\\\c\""
(prin1-to-string "tab	newline
")
;=> "\"tab	newline\n\""
(list #\a #\Space #\Newline #\Tab #\Nul #\Rubout #\Backspace #\Return #\Page)
;=> (#\a #\  #\Newline #\Tab #\Nul #\Rubout #\Backspace #\Return #\Page)
(list 1.0 -1.5 1e10 1e-10 1d0 1d100 123456.789 0.1 -0.0)
;=> (1.0 -1.5 1.0e10 1.0e-10 1.0d0 1.0d100 123456.79 0.1 -0.0)
(list 1/2 -3/4 6/3)
;=> (1/2 -3/4 2)
(list 100000000.0 12345678.0 1234567.0 0.001 0.0001)
;=> (1.0e8 1.2345678e7 1234567.0 0.001 1.0e-4)
(list 1d7 1d6 123456789d0 1d-3 1d-4)
;=> (1.0d7 1000000.0d0 1.23456789d8 0.001d0 1.0d-4)
;departs: shortest digits
(list most-positive-single-float least-positive-single-float)
;=> (3.4028235e38 1.0e-45)
(let ((*print-base* 2)) (prin1-to-string 10))
;=> "1010"
(let ((*print-base* 16) (*print-radix* t)) (prin1-to-string 255))
;=> "#xFF"
(let ((*print-radix* t)) (prin1-to-string 10))
;=> "10."
(let ((*print-case* :downcase)) (prin1-to-string '(foo :bar "Baz")))
;=> "(foo :bar \"Baz\")"
(let ((*print-case* :capitalize)) (prin1-to-string 'foo-bar))
;=> "Foo-Bar"
(let ((*print-length* 2)) (prin1-to-string '(1 2 3 4)))
;=> "(1 2 ...)"
(let ((*print-level* 1)) (prin1-to-string '(1 (2 (3)))))
;=> "(1 #)"
(let ((*print-length* 2)) (prin1-to-string #(1 2 3 4)))
;=> "#(1 2 ...)"
(let ((*print-escape* nil)) (prin1-to-string "a"))
;=> "\"a\""
(let ((*print-gensym* nil)) (prin1-to-string (make-symbol "X")))
;=> "X"
(let ((*print-array* nil)) (search "#<" (prin1-to-string #(1 2))))
;=> 0
(let ((*print-circle* t) (l (list 1 2))) (setf (cddr l) l) (prin1-to-string l))
;=> "#1=(1 2 . #1#)"
(let ((*print-circle* t) (x (list 1))) (prin1-to-string (list x x)))
;=> "(#1=(1) #1#)"
(let ((l (read-from-string "(#1=(a) #1#)"))) (eq (first l) (second l)))
;=> T
(let ((l (read-from-string "#1=(a . #1#)"))) (eq l (cdr l)))
;=> T
(write-to-string '(a b) :case :downcase)
;=> "(a b)"
(write-to-string 255 :base 16 :radix t)
;=> "#xFF"
(write-to-string "x" :escape nil)
;=> "x"
(write-to-string '(1 2 3) :length 1)
;=> "(1 ...)"
(princ-to-string '(a "b" #\c :d))
;=> "(A b c D)"
(prin1-to-string '(a "b" #\c :d))
;=> "(A \"b\" #\\c :D)"
(loop for x in '(1 -7 3/4 1.5 2d0 "str" #\c sym :key (a . b) #(1 2) |w X|) always (equalp x (read-from-string (prin1-to-string x))))
;=> T
(let ((x '(1.1 3.14159 1e-7 123456789.0 1d-10 2.5d300))) (equal x (read-from-string (prin1-to-string x))))
;=> T
(let ((a (make-array '(2 3) :initial-element 'x))) (equalp a (read-from-string (prin1-to-string a))))
;=> T
(read-from-string "#1A(1 2)")
;=> #(1 2)
;=> 8
(read-from-string "#2A((1 2) (3))")
;!> ERROR
;departs: vectors of a given length are refused
(read-from-string "#3(1)")
;!> READER-ERROR
;departs: vectors of a given length are refused
(read-from-string "#5*101")
;!> READER-ERROR
;departs: complex numbers are refused
(read-from-string "#C(1 2)" nil)
;!> ERROR
