;;; Chapter: FORMAT.

;; ~a ~s ~w
(format nil "~a" 5)
;=> "5"
(format nil "~a ~s ~a ~s" "x" "x" #\a #\a)
;=> "x \"x\" a #\\a"
(format nil "~10a|~10@a|~-1a" 'ab 'ab 'ab)
;!> ERROR
(format nil "~10,3a|~5,,2a|~5,,2,'*a|~6,,,'.@a" "ab" "abcd" "abcd" "ab")
;=> "ab         |abcd  |abcd**|....ab"
(format nil "~:a ~a ~:s" nil nil nil)
;=> "() NIL ()"
(format nil "~w ~w" "a" 'b)
;=> "\"a\" B"
(format nil "~a" '(1 "two" #\3))
;=> "(1 two 3)"
(format nil "~s" '(1 "two" #\3))
;=> "(1 \"two\" #\\3)"
(format nil "~va|~v@a" 5 'a 5 'b)
;=> "A    |    B"
(format nil "~#a|" 'a)
;=> "A|"
(format nil "~a")
;!> ERROR
(format nil "~a" 1 2 3)
;=> "1"
(format nil "plain")
;=> "plain"
(format nil "")
;=> ""
(format t "to stdout ~a" 1)
;>> to stdout 1
;=> NIL
(format nil "~5s|~5@s" 'a 'b)
;=> "A    |    B"

;; integers
(format nil "~d ~d ~d" 5 -5 0)
;=> "5 -5 0"
(format nil "~5d|~5,'0d|~,,,d|~:d|~@d|~:@d" 42 42 42 1234567 5 1234)
;=> "   42|00042|42|1,234,567|+5|+1,234"
(format nil "~10:d|~15,'.,'_,4:d" 1234567 123456789)
;=> " 1,234,567|....1_2345_6789"
(format nil "~,,'.:d|~,,,2:d" 1234567 1234567)
;=> "1.234.567|1,23,45,67"
(format nil "~b ~o ~x" 10 10 255)
;=> "1010 12 FF"
(format nil "~8,'0b|~4,'0x|~:x|~@x" 5 255 65535 255)
;=> "00000101|00FF|F,FFF|+FF"
(format nil "~d" 1.5)
;=> "1.5"
(format nil "~d" 'foo)
;=> "FOO"
(format nil "~5d|" "a")
;=> "a|"
(format nil "~x" 1/2)
;=> "1/2"
(format nil "~vd|~v,vd" 5 1 6 #\0 2)
;=> "    1|000002"
(format nil "~:d ~:d ~:d" 1 12 123)
;=> "1 12 123"
(format nil "~:d ~:d" -1 -1234)
;=> "-1 -1,234"

;; ~r
(format nil "~r ~r ~r ~r ~r" 0 1 13 21 100)
;=> "zero one thirteen twenty-one one hundred"
(format nil "~r" 1234567)
;=> "one million two hundred thirty-four thousand five hundred sixty-seven"
(format nil "~r" -42)
;=> "negative forty-two"
(format nil "~r ~r" 1000000 1000000000)
;=> "one million one billion"
(format nil "~:r ~:r ~:r ~:r ~:r ~:r" 1 2 3 12 20 21)
;=> "first second third twelfth twentieth twenty-first"
(format nil "~:r ~:r ~:r ~:r" 0 100 101 1000)
;=> "zeroth one hundredth one hundred first one thousandth"
(format nil "~:r" 123)
;=> "one hundred twenty-third"
(format nil "~:r" -5)
;=> "negative fifth"
(format nil "~@r ~@r ~@r ~@r ~@r" 1 4 9 1990 2024)
;=> "I IV IX MCMXC MMXXIV"
(format nil "~:@r ~:@r" 4 1999)
;=> "IIII MDCCCCLXXXXVIIII"
(format nil "~2r ~8r ~16r ~36r" 10 64 255 35)
;=> "1010 100 FF Z"
(format nil "~3,10,'0r" 5)
;=> "0000000012"
(format nil "~16,8,'0:@r" 65535)
;=> "00+F,FFF"
(format nil "~@r" 4000)
;!> ERROR
(format nil "~@r" 0)
;!> ERROR
(format nil "~r" 'a)
;!> ERROR

;; ~f
(format nil "~f ~f ~f ~f" 1.5 0.1 100.0 -2.25)
;=> "1.5 0.1 100.0 -2.25"
(format nil "~,2f ~,0f ~,3f" 3.14159 2.5 1)
;=> "3.14 3. 1.000"
(format nil "~8,2f|~8f|~8,2,,,'0f" 3.14159 1.5 3.14159)
;=> "    3.14|     1.5|00003.14"
(format nil "~,2f ~,2f ~,2f ~,2f" 0.005 0.015 1.005 2.675)
;=> "0.00 0.01 1.00 2.67"
(format nil "~,1f ~,1f ~,1f" 0.25 0.35 0.45)
;=> "0.3 0.3 0.4"
(format nil "~,2f" 1/3)
;=> "0.33"
(format nil "~f ~f" 5 1/4)
;=> "5.0 0.25"
(format nil "~f" 1d10)
;=> "10000000000.0"
(format nil "~,2f" 1d-10)
;=> "0.00"
(format nil "~5,2,,'*f|~3,1,,'*f" 1.5 1234.5)
;=> " 1.50|***"
(format nil "~,,2f|~,2,2f|~,,-2f" 1.5 1.5 150.0)
;=> "150.0|150.00|1.5"
(format nil "~@f ~@f" 1.5 -1.5)
;=> "+1.5 -1.5"
(format nil "~6,3f|~6,3f|~6,3f" 0.5 12.3456 100.5)
;=> " 0.500|12.346|100.500"
(format nil "~4,1f|~4,1f" 0.05 9.96)
;=> " 0.1|10.0"
(format nil "~0,2f ~1,2f" 0.5 0.5)
;=> ".50 .50"
(format nil "~,5f" 1e-3)
;=> "0.00100"
(format nil "~,10f" 0.1)
;=> "0.1000000000"
(format nil "~,10f" 0.1d0)
;=> "0.1000000000"
(format nil "~f" 'foo)
;=> "FOO"
(format nil "~10f|" "abc")
;=> "abc       |"
(format nil "~f ~f" 1e20 1e-7)
;=> "100000000000000000000.0 0.0000001"
(format nil "~,2f ~,2f" 1e20 123456789.0)
;=> "100000000000000000000.00 123456790.00"
(format nil "~9,2f|~9,2f" -1.5 -100.256)
;=> "    -1.50|  -100.26"
(format nil "~,3f ~,3f ~,3f" 0.9995 0.99949 9.9996)
;=> "0.999 0.999 10.000"
(format nil "~f ~f" 0.0 -0.0)
;=> "0.0 -0.0"
(format nil "~,2f ~5,1f" 0 0.0)
;=> "0.00   0.0"

;; ~e ~g ~$
(format nil "~e ~e ~e" 1.5 0.0 -2.25)
;=> "1.5e+0 0.0e+0 -2.25e+0"
(format nil "~e ~e ~e" 1d100 1.0 10.0)
;=> "1.0d+100 1.0e+0 1.0e+1"
(format nil "~,2e ~,3e ~10,2e|" 1.5 123.456 0.00123)
;=> "1.50e+0 1.235e+2    1.23e-3|"
(format nil "~12,3e|~12,3,,,,'*e|~@e" 1.5 1.5 1.5)
;=> "    1.500e+0|****1.500e+0|+1.5e+0"
(format nil "~,2,2e ~,,3e" 1.5 1.5)
;=> "1.50e+00 1.5e+000"
(format nil "~,,,2e ~,,,0e ~,,,-1e" 123.456 123.456 123.456)
;=> "12.3456e+1 0.123456e+3 0.0123456e+4"
(format nil "~,,,,,,'Ee" 1.5)
;=> "1.5E+0"
(format nil "~5,2,,,'*e" 1.5)
;=> "*****"
(format nil "~e" 5)
;=> "5.0e+0"
(format nil "~g ~g ~g" 1.5 100.0 12345.678)
;=> "1.5     100.     12345.678    "
(format nil "~10g|~10,3g|~,2g" 1.5 1234.5 1.5)
;=> "   1.5    |  1.235e+3|1.5    "
(format nil "~g|~g" 0.0 0.5)
;=> "0.    |0.5    "
(format nil "~12,4g|~12,4g|~12,4g" 1.5 1500.0 1.5e10)
;=> "   1.500    |   1500.    |  1.5000e+10"
(format nil "~$ ~$ ~$" 1.5 2 3.14159)
;=> "1.50 2.00 3.14"
(format nil "~3$ ~2,3$ ~2,3,8$|~@$ ~:@$" 3.14159 3.14 3.14 2.5 2.5)
;=> "3.142 003.14   003.14|+2.50 +2.50"
(format nil "~2,1,10:$|~2,1,10$" -2.5 -2.5)
;=> "-     2.50|     -2.50"
(format nil "~$" 1d10)
;=> "10000000000.00"
(format nil "~10$" 'a)
;=> "A"

;; characters, newlines, tabs
(format nil "~c ~c" #\a #\Space)
;=> "a  "
(format nil "~:c ~:c ~@c ~@c" #\Space #\a #\a #\Newline)
;=> "Space a #\\a #\\Newline"
(format nil "a~%b~2%c")
;=> "a\nb\n\nc"
(format nil "a~&b~&~&c")
;=> "a\nb\nc"
(format nil "~&a")
;=> "a"
(format nil "a~%~&b")
;=> "a\nb"
(format nil "~3&a")
;=> "\n\na"
(format nil "~~ ~3~")
;=> "~ ~~~"
(format nil "a~5tb~10tc")
;=> "a    b    c"
(format nil "abcdef~3tb")
;=> "abcdef b"
(format nil "a~1,4tb")
;=> "a    b"
(format nil "a~3@tb")
;=> "a   b"
(format nil "a~2,4@tb")
;=> "a   b"
(format nil "ab~0,4tc")
;=> "ab  c"
(format nil "~a~8t~a~%~a~8t~a" 'x 'y 'xxxx 'yy)
;=> "X       Y\nXXXX    YY"
(format nil "a~
   b")
;=> "ab"
(format nil "a~:
   b")
;=> "a   b"
(format nil "a~@
   b")
;=> "a\nb"
(format nil "~c" 'a)
;!> ERROR

;; plurals, jumps, indirection
(format nil "~d cat~:p, ~d dog~:p" 1 2)
;=> "1 cat, 2 dogs"
(format nil "~d pupp~:@p, ~d fl~:@p" 1 2)
;=> "1 puppy, 2 flies"
(format nil "~p ~p ~@p" 1 2 1)
;=> " s y"
(format nil "~a ~*~a" 1 2 3)
;=> "1 3"
(format nil "~a ~:*~a" 1 2)
;=> "1 1"
(format nil "~a ~a ~@*~a" 1 2)
;=> "1 2 1"
(format nil "~a ~2*~a" 1 2 3 4)
;=> "1 4"
(format nil "~1@*~a" 1 2 3)
;=> "2"
(format nil "~2:*~a" 1)
;!> ERROR
(format nil "~? ~a" "~a-~a" '(1 2) 3)
;=> "1-2 3"
(format nil "~@? ~a" "~a-~a" 1 2 3)
;=> "1-2 3"
(format nil "~a ~5@*~a" 1 2)
;!> ERROR

;; case conversion
(format nil "~(HELLO World~)" )
;=> "hello world"
(format nil "~:(hello wORLD~) ~@(hello WORLD~) ~:@(hello~)")
;=> "Hello World Hello world HELLO"
(format nil "~(~a~)" 'foo)
;=> "foo"
(format nil "~:(~a-~a~)" "foo" "bar")
;=> "Foo-Bar"

;; conditionals
(format nil "~[zero~;one~;two~]" 1)
;=> "one"
(format nil "~[zero~;one~:;other~]" 5)
;=> "other"
(format nil "~[zero~;one~]" 5)
;=> ""
(format nil "~[zero~;one~]" -1)
;=> ""
(format nil "~:[no~;yes~] ~:[no~;yes~]" nil t)
;=> "no yes"
(format nil "~@[value ~a~]~@[ and ~a~]" 5 nil)
;=> "value 5"
(format nil "~2[a~;b~;c~]")
;=> "c"
(format nil "~#[none~;~a~;~a and ~a~:;~a, ...~]" 1 2)
;=> "1 and 2"
(format nil "~#[none~;~a~;~a and ~a~:;~a, ...~]")
;=> "none"
(format nil "~[a~]" 'x)
;!> ERROR
(format nil "~:[a~;b~;c~]" t)
;!> ERROR

;; iteration
(format nil "~{~a ~}" '(1 2 3))
;=> "1 2 3 "
(format nil "~{~a~^, ~}" '(1 2 3))
;=> "1, 2, 3"
(format nil "~{~a~^, ~}" nil)
;=> ""
(format nil "~{<~a ~a>~}" '(1 2 3 4))
;=> "<1 2><3 4>"
(format nil "~2{~a~}" '(1 2 3))
;=> "12"
(format nil "~:{<~a ~a>~}" '((1 2) (3 4)))
;=> "<1 2><3 4>"
(format nil "~:{~a~^-~a~:^, ~}" '((1 2) (3) (4 5)))
;=> "1-2, 34-5"
(format nil "~@{~a~^ ~}" 1 2 3)
;=> "1 2 3"
(format nil "~:@{<~a ~a>~}" '(1 2) '(3 4))
;=> "<1 2><3 4>"
(format nil "~{~a~:}" nil)
;!> ERROR
(format nil "x~{y~:}z" nil)
;=> "xyz"
(format nil "~{~}" "~a " '(1 2))
;=> "1 2 "
(format nil "~{~{~a~^,~}~^;~}" '((1 2) (3)))
;=> "1,2;3"
(format nil "~{~a=~a~^ ~}" '(:a 1 :b 2))
;=> "A=1 B=2"
(format nil "~{~#[~;~a~;~a and ~a~:;~@{~a~^, ~}~]~}" '(1 2 3))
;=> "1, 2, 3"
(format nil "~@{~a~#[~:;, ~]~}" 1 2 3)
;=> "1, 2, 3"
(format nil "~{~a~^~%~}" '(a b))
;=> "A\nB"
(format nil "~{~5a|~}" '(1 22))
;=> "1    |22   |"
(format nil "~{~a~}" 5)
;!> TYPE-ERROR
(format nil "~{~a ~a~}" '(1))
;!> ERROR
(format nil "~0{~a~}" '(1))
;=> ""
(format nil "~{~3,1^~a ~}" '(1 2))
;=> "1 2 "
(format nil "done~^ more" )
;=> "done"
(format nil "~a~^ more ~a" 1)
;=> "1"
(format nil "~:{~a~0^x~}" '((1) (2)))
;=> "12"

;; justification
(format nil "~10<foo~>|")
;=> "       foo|"
(format nil "~10:<foo~>|")
;=> "       foo|"
(format nil "~10@<foo~>|")
;=> "foo       |"
(format nil "~10:@<foo~>|")
;=> "   foo    |"
(format nil "~20<a~;b~;c~>|")
;=> "a        b         c|"
(format nil "~20:<a~;b~>|")
;=> "         a         b|"
(format nil "~10,,,'*<ab~;cd~>|")
;=> "ab******cd|"
(format nil "~2<abcdef~>|")
;=> "abcdef|"
(format nil "~5,5<abcdef~>|")
;=> "    abcdef|"
(format nil "~10<~a~;~a~>|" 1 2)
;=> "1        2|"
(format nil "~<(~;~a ~a~;)~:>" '(1 2))
;=> "(1 2)"
(format nil "~:<~a ~a~:>" '(1 2))
;=> "(1 2)"
(format nil "~@<~a ~a~:>" 1 2)
;=> "1 2"

;; destinations and mistakes
(let ((s (make-array 0 :element-type 'character :fill-pointer 0 :adjustable t))) (format s "ab~a" 1) s)
;=> "ab1"
(with-output-to-string (s) (format s "~a" 'x))
;=> "X"
(format nil "~q" 1)
;!> ERROR
(format nil "~(abc")
;!> ERROR
(format nil "~{abc")
;!> ERROR
(format nil "~)")
;!> ERROR
(format nil "~:)")
;!> ERROR
(format nil "~1,2,3,4,5,6,7,8d" 1)
;!> ERROR
(format nil "~")
;!> ERROR
(format 5 "a")
;!> TYPE-ERROR
(format nil 5)
;!> TYPE-ERROR
(format nil (formatter "~a-~a") 1 2)
;=> "1-2"
(let ((i 3)) (format nil "~v@{~a ~:*~}" i 'x))
;=> "X X X "
(format nil "~'xa" 1)
;!> TYPE-ERROR
(format nil "~:@d" 5)
;=> "+5"
