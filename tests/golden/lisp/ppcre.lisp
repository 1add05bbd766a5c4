;;; Chapter: CL-PPCRE.
;;; Needs: cl-ppcre
(cl-ppcre:scan "b+" "aabbbc")
;=> 2
;=> 5
;=> #()
;=> #()
(cl-ppcre:scan "(b)(c)?" "abx")
;=> 1
;=> 2
;=> #(1 NIL)
;=> #(2 NIL)
(cl-ppcre:scan "x" "abc")
;=> NIL
(cl-ppcre:scan "^a" "ba" :start 1)
;=> 1
;=> 2
;=> #()
;=> #()
(cl-ppcre:scan "a$" "aab" :end 2)
;=> 1
;=> 2
;=> #()
;=> #()
(cl-ppcre:scan "" "abc")
;=> 0
;=> 0
;=> #()
;=> #()
(cl-ppcre:scan "(a|b)*" "abab")
;=> 0
;=> 4
;=> #(3)
;=> #(4)
(cl-ppcre:scan "(?i)ABC" "xabc")
;=> 1
;=> 4
;=> #()
;=> #()
(cl-ppcre:scan "日" "今日")
;=> 1
;=> 2
;=> #()
;=> #()
(cl-ppcre:scan "\\d+" "ab123" :start 3)
;=> 3
;=> 5
;=> #()
;=> #()
(cl-ppcre:scan (cl-ppcre:create-scanner "ABC" :case-insensitive-mode t) "xabcx")
;=> 1
;=> 4
;=> #()
;=> #()
(cl-ppcre:scan (cl-ppcre:create-scanner "a.b" :single-line-mode t) "a
b")
;=> 0
;=> 3
;=> #()
;=> #()
(cl-ppcre:scan (cl-ppcre:create-scanner "^b" :multi-line-mode t) "a
b")
;=> 2
;=> 3
;=> #()
;=> #()
(cl-ppcre:scan (cl-ppcre:create-scanner "a b" :extended-mode t) "ab")
;=> 0
;=> 2
;=> #()
;=> #()
(cl-ppcre:scan-to-strings "[^b]*b" "aaabd")
;=> "aaab"
;=> #()
(cl-ppcre:scan-to-strings "([^b])*b" "aaabd")
;=> "aaab"
;=> #("a")
(cl-ppcre:scan-to-strings "(([^b])*)b" "aaabd")
;=> "aaab"
;=> #("aaa" "a")
(cl-ppcre:scan-to-strings "(a)|(b)" "b")
;=> "b"
;=> #(NIL "b")
(cl-ppcre:scan-to-strings "x" "b")
;=> NIL
(cl-ppcre:all-matches "a" "foo bar baz")
;=> (5 6 9 10)
(cl-ppcre:all-matches "\\w*" "foo bar baz")
;=> (0 3 3 3 4 7 7 7 8 11 11 11)
(cl-ppcre:all-matches "" "abc")
;=> (0 0 1 1 2 2 3 3)
(cl-ppcre:all-matches "x" "abc")
;=> NIL
(cl-ppcre:all-matches-as-strings "a" "foo bar baz")
;=> ("a" "a")
(cl-ppcre:all-matches-as-strings "\\w*" "foo bar baz")
;=> ("foo" "" "bar" "" "baz" "")
(cl-ppcre:all-matches-as-strings "\\w+" "foo bar baz" :start 4)
;=> ("bar" "baz")
(cl-ppcre:all-matches-as-strings "^\\w" "foo bar")
;=> ("f")
(cl-ppcre:count-matches "a" "banana")
;=> 3
(cl-ppcre:split "\\s+" "foo   bar baz
frob")
;=> ("foo" "bar" "baz" "frob")
(cl-ppcre:split "\\s*" "foo bar   baz")
;=> ("f" "o" "o" "b" "a" "r" "b" "a" "z")
(cl-ppcre:split "(\\s+)" "foo bar   baz")
;=> ("foo" "bar" "baz")
(cl-ppcre:split "(\\s+)" "foo bar   baz" :with-registers-p t)
;=> ("foo" " " "bar" "   " "baz")
(cl-ppcre:split "(\\s)(\\s*)" "foo bar   baz" :with-registers-p t)
;=> ("foo" " " "" "bar" " " "  " "baz")
(cl-ppcre:split "(,)|(;)" "foo,bar;baz" :with-registers-p t)
;=> ("foo" "," NIL "bar" NIL ";" "baz")
(cl-ppcre:split "(,)|(;)" "foo,bar;baz" :with-registers-p t :omit-unmatched-p t)
;=> ("foo" "," "bar" ";" "baz")
(cl-ppcre:split ":" "a:b:c:d:e:f:g::")
;=> ("a" "b" "c" "d" "e" "f" "g")
(cl-ppcre:split ":" "a:b:c:d:e:f:g::" :limit 1)
;=> ("a:b:c:d:e:f:g::")
(cl-ppcre:split ":" "a:b:c:d:e:f:g::" :limit 2)
;=> ("a" "b:c:d:e:f:g::")
(cl-ppcre:split ":" "a:b:c:d:e:f:g::" :limit 3)
;=> ("a" "b" "c:d:e:f:g::")
(cl-ppcre:split ":" "a:b:c:d:e:f:g::" :limit 1000)
;=> ("a" "b" "c" "d" "e" "f" "g" "" "")
(cl-ppcre:split ":" "a:b:c:d:e:f:g::" :limit 0)
;=> ("a" "b" "c" "d" "e" "f" "g")
(cl-ppcre:split "," ",a,b")
;=> ("" "a" "b")
(cl-ppcre:split "" "abc")
;=> ("a" "b" "c")
(cl-ppcre:split "," "")
;=> NIL
(cl-ppcre:split "," "abc")
;=> ("abc")
(cl-ppcre:split "," ",,,")
;=> NIL
(cl-ppcre:split "," "a,b,c,d" :start 2 :end 5)
;=> ("b" "c")
(cl-ppcre:regex-replace "fo+" "foo bar" "frob")
;=> "frob bar"
;=> T
(cl-ppcre:regex-replace "fo+" "FOO bar" "frob")
;=> "FOO bar"
;=> NIL
(cl-ppcre:regex-replace "(?i)fo+" "FOO bar" "frob")
;=> "frob bar"
;=> T
(cl-ppcre:regex-replace "bar" "foo bar baz" "[frob (was '\\&' between '\\`' and '\\'')]")
;=> "foo [frob (was 'bar' between 'foo ' and ' baz')] baz"
;=> T
(cl-ppcre:regex-replace "(be)(nev)(o)(lent)" "benevolent: adj. generous, kind" (lambda (match &rest registers) (format nil "~A [~{~A~^.~}]" match registers)) :simple-calls t)
;=> "benevolent [be.nev.o.lent]: adj. generous, kind"
;=> T
(cl-ppcre:regex-replace "(\\w+) (\\w+)" "hello world" "\\2 \\1")
;=> "world hello"
;=> T
(cl-ppcre:regex-replace "(\\w+) (\\w+)" "hello world" "\\{2}0 \\{1}1")
;=> "world0 hello1"
;=> T
(cl-ppcre:regex-replace "(\\w+) (\\w+)" "hello world" (list :match "-" 1 "-" 0))
;=> "hello world-world-hello"
;=> T
(cl-ppcre:regex-replace "a(b)?c" "xacx" "<\\1>")
;=> "x<>x"
;=> T
(cl-ppcre:regex-replace-all "(?i)fo+" "foo Fooo FOOOO bar" "frob")
;=> "frob frob frob bar"
;=> T
(cl-ppcre:regex-replace-all "a" "banana" "o")
;=> "bonono"
;=> T
(cl-ppcre:regex-replace-all "x" "banana" "o")
;=> "banana"
;=> NIL
(cl-ppcre:regex-replace-all "" "abc" "-")
;=> "-a-b-c-"
;=> T
(cl-ppcre:regex-replace-all "\\." "1.2.3" "\\\\.")
;=> "1\\.2\\.3"
;=> T
(cl-ppcre:regex-replace-all "[aeiou]" "hello world" (lambda (target start end ms me rs re) (declare (ignore start end rs re)) (string-upcase (subseq target ms me))))
;=> "hEllO wOrld"
;=> T
(cl-ppcre:regex-replace-all "(\\d+)" "1 22 333" (lambda (m d) (declare (ignore m)) (format nil "~d" (1+ (parse-integer d)))) :simple-calls t)
;=> "2 23 334"
;=> T
(cl-ppcre:regex-replace-all "a" "aaa" "b" :start 1)
;=> "bb"
;=> T
(cl-ppcre:regex-replace-all "a" "aaa" "b" :end 2)
;=> "bb"
;=> T
(cl-ppcre:regex-replace-all "\\s+" "a  b   c" " ")
;=> "a b c"
;=> T
(cl-ppcre:register-groups-bind (first second third fourth) ("((a)|(b)|(c))+" "abababc" :sharedp t) (list first second third fourth))
;=> ("c" "a" "b" "c")
(cl-ppcre:register-groups-bind (nil second third fourth) ("((a)|(b)|(c))()+" "abababc" :start 6) (list second third fourth))
;=> (NIL NIL "c")
(cl-ppcre:register-groups-bind (first) ("(a+)" "bbbb") (list first))
;=> NIL
(cl-ppcre:register-groups-bind (fname lname (#'parse-integer date month year)) ("(\\w+)\\s+(\\w+)\\s+(\\d{1,2})\\.(\\d{1,2})\\.(\\d{4})" "Frank Zappa 21.12.1940") (list fname lname date month year))
;=> ("Frank" "Zappa" 21 12 1940)
(let ((l nil)) (cl-ppcre:do-matches (s e "a" "banana") (push (list s e) l)) (nreverse l))
;=> ((1 2) (3 4) (5 6))
(let ((l nil)) (cl-ppcre:do-matches (s e "a" "banana" (nreverse l) :start 2) (push s l)))
;=> (3 5)
(let ((l nil)) (cl-ppcre:do-matches-as-strings (m "\\d" "a1b2") (push m l)) l)
;=> ("2" "1")
(cl-ppcre:do-matches-as-strings (m "\\d" "a1b2") (return m))
;=> "1"
(let ((l nil)) (cl-ppcre:do-register-groups (k v) ("(\\w)=(\\d)" "a=1,b=2") (push (list k v) l)) (nreverse l))
;=> (("a" "1") ("b" "2"))
(let ((l nil)) (cl-ppcre:do-register-groups (k (#'parse-integer v)) ("(\\w)=(\\d)" "a=1,b=2" (nreverse l)) (push (cons k v) l)))
;=> (("a" . 1) ("b" . 2))
(let ((l nil)) (cl-ppcre:do-scans (s e rs re "(b)" "abcb" (nreverse l)) (push (list s e rs re) l)))
;=> ((1 2 #(1) #(2)) (3 4 #(3) #(4)))
(values (cl-ppcre:quote-meta-chars "[a-z]*"))
;=> "\\[a\\-z\\]\\*"
(values (cl-ppcre:quote-meta-chars "abc 1"))
;=> "abc\\ 1"
(cl-ppcre:all-matches-as-strings "(?<=a)b" "ab bb")
;=> ("b")
(cl-ppcre:all-matches-as-strings "a(?=b)" "ab ac")
;=> ("a")
(cl-ppcre:scan-to-strings "(\\w)\\1" "hello")
;=> "ll"
;=> #("l")
(cl-ppcre:scan-to-strings "<.+?>" "<a><b>")
;=> "<a>"
;=> #()
(cl-ppcre:scan-to-strings "'s|'t|'re| ?\\w+| ?\\d+| ?[^\\s\\w\\d]+" "it's")
;=> "it"
;=> #()
(cl-ppcre:all-matches-as-strings "'s|'t|'re|'ve|'m|'ll|'d| ?\\w+| ?[^\\s\\w]+|\\s+(?!\\S)|\\s+" "It's a test,  don't you think?")
;=> ("It" "'s" " a" " test" "," " " " don" "'t" " you" " think" "?")
(cl-ppcre:scan "[" "a")
;!> ERROR
(cl-ppcre:scan "(" "a")
;!> ERROR
(cl-ppcre:scan 5 "a")
;!> ERROR
(cl-ppcre:scan "a" 5)
;!> TYPE-ERROR
(ppcre:scan "a" "ba")
;=> 1
;=> 2
;=> #()
;=> #()
(ppcre:split "-" "a-b")
;=> ("a" "b")
