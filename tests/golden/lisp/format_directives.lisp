;;; Chapter: format, every directive.
(format nil "~{~a~^, ~}" '(1 2 3))
;=> "1, 2, 3"
(format nil "~{~a ~a~^; ~}" '(1 2 3 4))
;=> "1 2; 3 4"
(format nil "~{~a~^~a~}" '(1 2 3))
;=> "123"
(format nil "~:{(~a ~a)~}" '((1 2) (3 4)))
;=> "(1 2)(3 4)"
(format nil "~:{(~a~^ ~a)~}" '((1 2) (3)))
;=> "(1 2)(3"
(format nil "~@{~a~^-~}" 1 2 3)
;=> "1-2-3"
(format nil "~:@{<~a>~}" '(1) '(2))
;=> "<1><2>"
(format nil "~2{~a~}" '(1 2 3))
;=> "12"
(format nil "~v{~a~}" 2 '(1 2 3))
;=> "12"
(format nil "~{~}" "~a" '(1))
;=> "1"
(format nil "~{~:}" "x" nil)
;=> "x"
(format nil "~{x~:}" nil)
;=> "x"
(format nil "~{~{~a~}~^|~}" '((1 2) (3)))
;=> "12|3"
(format nil "~{~a~:[~;!~]~}" '(1 nil 2 t))
;=> "12!"
(format nil "~[zero~;one~;two~:;many~]" 1)
;=> "one"
(format nil "~[zero~;one~;two~:;many~]" 7)
;=> "many"
(format nil "~[a~;b~]" 5)
;=> ""
(format nil "~[a~;b~]" -1)
;=> ""
(format nil "~:[no~;yes~]" nil)
;=> "no"
(format nil "~:[no~;yes~]" 5)
;=> "yes"
(format nil "~@[x=~a~]" 5)
;=> "x=5"
(format nil "~@[x=~a~]" nil)
;=> ""
(format nil "~@[x=~a ~]~a" nil 3)
;=> "3"
(format nil "~#[none~;one ~a~;two ~a ~a~]" 1 2)
;=> "two 1 2"
(format nil "~#[none~;one ~a~:;many~]" 1 2 3)
;=> "many"
(format nil "~v[a~;b~]" 1)
;=> "b"
(format nil "~1[a~;b~]")
;=> "b"
(format nil "~(HeLLo~)")
;=> "hello"
(format nil "~:(hello wORLD~)")
;=> "Hello World"
(format nil "~@(hello wORLD~)")
;=> "Hello world"
(format nil "~:@(hello~)")
;=> "HELLO"
(format nil "~(~a ~:@(~a~)~)" 'ABC 'def)
;=> "abc def"
(format nil "~d ~:d ~@d ~:@d" 1234567 1234567 1234567 1234567)
;=> "1234567 1,234,567 +1234567 +1,234,567"
(format nil "~,,'.,4:d" 1234567)
;=> "123.4567"
(format nil "~5,'*d~5,'*d" 42 -42)
;=> "***42**-42"
(format nil "~d" 1.5)
;=> "1.5"
(format nil "~d" 'abc)
;=> "ABC"
(format nil "~x ~o ~b ~3r ~36r" 255 8 5 10 35)
;=> "FF 10 101 101 Z"
(format nil "~:x ~@x ~8,'0b" 65535 255 5)
;=> "F,FFF +FF 00000101"
(format nil "~r ~:r ~@r ~:@r" 4 4 4 4)
;=> "four fourth IV IIII"
(format nil "~r" 1234567)
;=> "one million two hundred thirty-four thousand five hundred sixty-seven"
(format nil "~:r" 21)
;=> "twenty-first"
(format nil "~@r" 1999)
;=> "MCMXCIX"
(format nil "~r ~r ~r ~r" 0 11 20 -5)
;=> "zero eleven twenty negative five"
(format nil "~:r ~:r ~:r ~:r" 1 2 3 12)
;=> "first second third twelfth"
(format nil "~:r ~:r ~:r" 100 1000 0)
;=> "one hundredth one thousandth zeroth"
(format nil "~@r ~@r" 4 3999)
;=> "IV MMMCMXCIX"
(format nil "~2r" -5)
;=> "-101"
(format nil "~p ~p ~:p" 1 2)
;=> " s s"
(format nil "~d cat~:p ~d dog~:p" 1 2)
;=> "1 cat 2 dogs"
(format nil "~d part~:@p ~d part~:@p" 1 2)
;=> "1 party 2 parties"
(format nil "pupp~@p pupp~@p" 1 2)
;=> "puppy puppies"
(format nil "~f" 3.14159)
;=> "3.14159"
(format nil "~,2f" 3.14159)
;=> "3.14"
(format nil "~8,2f|" 3.14159)
;=> "    3.14|"
(format nil "~8,2,,,'0f|" 3.14159)
;=> "00003.14|"
(format nil "~,2,2f" 3.14159)
;=> "314.16"
(format nil "~@f" 3.5)
;=> "+3.5"
(format nil "~5,1,,'*f" 123456.0)
;=> "*****"
(format nil "~f ~f" 1 1/3)
;=> "1.0 0.33333334"
(format nil "~f" 1d10)
;=> "10000000000.0"
(format nil "~f" 1e-5)
;=> "0.00001"
(format nil "~,0f" 2.5)
;=> "3."
(format nil "~,0f" 0.5)
;=> "1."
(format nil "~0,2f" 0.5)
;=> ".50"
(format nil "~3,2f" 0.567)
;=> ".57"
(format nil "~6f" 3.14159)
;=> "3.1416"
(format nil "~6f" -3.14159)
;=> "-3.142"
(format nil "~f" 123456789.0)
;=> "123456790.0"
(format nil "~,3f" 1e10)
;=> "10000000000.000"
(format nil "~f" "abc")
;=> "abc"
(format nil "~e" 3.14159)
;=> "3.14159e+0"
(format nil "~,2e" 31415.9)
;=> "3.14e+4"
(format nil "~12,3e|" 31415.9)
;=> "    3.142e+4|"
(format nil "~,3,2e" 0.00123)
;=> "1.230e-03"
(format nil "~,,3e" 1.5)
;=> "1.5e+000"
(format nil "~,2,,,,,'de" 1.5d0)
;=> "1.50d+0"
(format nil "~@e" 1.0)
;=> "+1.0e+0"
(format nil "~e" 0.0)
;=> "0.0e+0"
(format nil "~e" 1d100)
;=> "1.0d+100"
(format nil "~10,2e|~10,2,3e|" 0.001 123.45)
;=> "   1.00e-3| 1.23e+002|"
(format nil "~g" 3.14)
;=> "3.14    "
(format nil "~,3g|" 0.001)
;=> "1.000e-3|"
(format nil "~10,3g|" 123.456)
;=> "  123.    |"
(format nil "~$" 3.14159)
;=> "3.14"
(format nil "~3$" 2)
;=> "2.000"
(format nil "~10$|" 3.5)
;=> "3.5000000000|"
(format nil "~2,5,8$|" 3.5)
;=> "00003.50|"
(format nil "~@$" 3.5)
;=> "+3.50"
(format nil "~:@$" -3.5)
;=> "-3.50"
(format nil "~,2,10,'*$" 3.5)
;=> "*****03.50"
(format nil "~a|~10a|~10@a|" 'x 'x 'x)
;=> "X|X         |         X|"
(format nil "~10,,,'*a|~10,,,'*@a|" 'x 'x)
;=> "X*********|*********X|"
(format nil "~,,3a|" 'x)
;=> "X   |"
(format nil "~5,3a|" 'abcdef)
;=> "ABCDEF|"
(format nil "~:a ~:s" nil nil)
;=> "() ()"
(format nil "~s ~a" "q\"x" "q\"x")
;=> "\"q\\\"x\" q\"x"
(format nil "~s ~a" #\a #\a)
;=> "#\\a a"
(format nil "~c ~:c ~@c" #\a #\Space #\a)
;=> "a Space #\\a"
(format nil "~:c" #\Newline)
;=> "Newline"
(format nil "~w ~w" "a" '|b c|)
;=> "\"a\" |b c|"
(format nil "~%~2%~&x")
;=> "\n\n\nx"
(format nil "a~&b~&~&c")
;=> "a\nb\nc"
(format nil "~~~3~")
;=> "~~~~"
(format nil "~|" )
;=> ""
(format nil "a~
   b")
;=> "ab"
(format nil "a~:
   b")
;=> "a   b"
(format nil "a~@
   b")
;=> "a\nb"
(format nil "~10tx|~20tx")
;=> "          x|        x"
(format nil "abc~2,4tx")
;=> "abc   x"
(format nil "abc~3@tx")
;=> "abc   x"
(format nil "~a~*~a" 1 2 3)
;=> "13"
(format nil "~a~2*~a" 1 2 3 4)
;=> "14"
(format nil "~a ~a ~:*~a" 1 2)
;=> "1 2 2"
(format nil "~a ~a ~2:*~a ~a" 1 2)
;=> "1 2 1 2"
(format nil "~a ~a ~@*~a" 1 2)
;=> "1 2 1"
(format nil "~2@*~a" 1 2 3)
;=> "3"
(format nil "~?" "~a-~a" '(1 2))
;=> "1-2"
(format nil "~? ~a" "~a" '(1) 2)
;=> "1 2"
(format nil "~@? ~a" "~a-~a" 1 2 3)
;=> "1-2 3"
(format nil "~<~a~>" 1)
;=> "1"
(format nil "~10<a~;b~;c~>|")
;=> "a   b    c|"
(format nil "~10:<a~;b~>|")
;=> "    a    b|"
(format nil "~10@<a~;b~>|")
;=> "a    b    |"
(format nil "~10<abc~>|")
;=> "       abc|"
(format nil "~20<~a~;~a~>|" 'left 'right)
;=> "LEFT           RIGHT|"
(format nil "~va|~v,'0d" 5 'x 4 7)
;=> "X    |0007"
(format nil "~#a|" 'x 2)
;=> "X |"
(format nil "~'xd")
;!> ERROR
(format nil "~a")
;!> ERROR
(format nil "~a" 1 2 3)
;=> "1"
(format nil "~{~a" '(1))
;!> ERROR
(format nil "~[a")
;!> ERROR
(format nil "~z" 1)
;!> ERROR
(format nil "~^a")
;=> ""
(format nil "a~^b")
;=> "a"
(format nil "a~^b" 1)
;=> "ab"
(format nil "~{~a~1,1^~}" '(1 2))
;=> "1"
(format nil "~:{~a~:^,~}" '((1) (2)))
;=> "1,2"
(format nil "~{~a~#,1^, ~}" '(1 2 3))
;=> "1, 2"
(format nil "~/princ/" 1)
;!> PROGRAM-ERROR
(format t "out ~a" 1)
;>> out 1
;=> NIL
(format nil "~a ~s" :key 'sym)
;=> "KEY SYM"
(format nil "~a" '(quote x))
;=> "'X"
(format nil "~s" ''x)
;=> "'X"
(format nil "~a" '(a "b" #\c 1.5))
;=> "(A b c 1.5)"
(format nil "~s" '(a "b" #\c 1.5))
;=> "(A \"b\" #\\c 1.5)"
(format nil "~a ~a" 1d0 1.0)
;=> "1.0d0 1.0"
(format nil "~a" (make-array '(2 2) :initial-contents '((1 2) (3 4))))
;=> "#2A((1 2) (3 4))"
(format nil (formatter "~a-~a") 1 2)
;=> "1-2"
(funcall (formatter "~a.~a") *standard-output* 1 2)
;>> 1.2
;=> NIL
(let ((s (make-array 0 :element-type 'character :fill-pointer t :adjustable t))) (format s "x~a" 1) (format s "y") s)
;=> "x1y"
(with-output-to-string (s) (format s "~a" 5))
;=> "5"
(format nil "~1,1,1,'xa" 5)
;=> "5x"
(format nil "~,'a,d" 3)
;=> "3"
(format nil "~:[~:[a~;b~]~;~:[c~;d~]~]" nil t)
;=> "b"
(format nil "~{~[a~;b~;c~]~}" '(0 1 2))
;=> "abc"
(format nil "~@{~a~}" )
;=> ""
(format nil "Items:~#[ none~; ~s~; ~s and ~s~:;~@{~#[~; and~] ~s~^,~}~]." 'a 'b 'c)
;=> "Items: A, B, and C."
(format nil "Items:~#[ none~; ~s~; ~s and ~s~:;~@{~#[~; and~] ~s~^,~}~]." 'a 'b)
;=> "Items: A and B."
(format nil "~2,'0d:~2,'0d" 5 7)
;=> "05:07"
(format nil "~5@a|~5@s" "ab" "ab")
;=> "   ab| \"ab\""
(format nil "~:d ~:d" -1234 123)
;=> "-1,234 123"
(format nil "~b" 1/3)
;=> "1/11"
(format nil "~vd" nil 5)
;=> "5"
(format nil "~{~v,'0d ~}" '(3 1 4 2))
;=> "001 0002 "
