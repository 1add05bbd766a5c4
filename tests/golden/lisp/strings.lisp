;;; Chapter: strings and characters.

;; comparison
(list (string= "abc" "abc") (string= "abc" "abd") (string= 'abc "ABC") (string= #\a "a"))
;=> (T NIL T T)
(string= "xabc" "abcy" :start1 1 :end2 3)
;=> T
(string/= "abc" "abd")
;=> 2
(string/= "abc" "abc")
;=> NIL
(string< "abc" "abd")
;=> 2
(string< "abc" "ab")
;=> NIL
(string< "ab" "abc")
;=> 2
(string> "b" "a")
;=> 0
(string<= "a" "a")
;=> 1
(string>= "a" "b")
;=> NIL
(string-equal "ABC" "abc")
;=> T
(string-not-equal "ABC" "abd")
;=> 2
(string-lessp "ABC" "abd")
;=> 2
(string-greaterp "B" "a")
;=> 0
(string-not-greaterp "A" "a")
;=> 1
(string-not-lessp "a" "B")
;=> NIL
(string= 5 "5")
;!> TYPE-ERROR
(string< "abc" "abd" :end1 2)
;=> 2

;; conversion
(list (string "a") (string 'sym) (string #\c))
;=> ("a" "SYM" "c")
(string 5)
;!> TYPE-ERROR
(string-upcase "hello World 1")
;=> "HELLO WORLD 1"
(string-downcase "Hello")
;=> "hello"
(string-capitalize "hello wORLD foo-bar it's 3rd")
;=> "Hello World Foo-Bar It'S 3rd"
(string-upcase "hello" :start 1 :end 3)
;=> "hELlo"
(string-downcase 'FOO)
;=> "foo"
(string-capitalize "abc def" :start 2)
;=> "abC Def"
(nstring-upcase (copy-seq "abc"))
;=> "ABC"
(nstring-downcase (copy-seq "ABC"))
;=> "abc"
(nstring-capitalize (copy-seq "abc def"))
;=> "Abc Def"
(string-trim " " "  ab c  ")
;=> "ab c"
(string-left-trim "xy" "yxab")
;=> "ab"
(string-right-trim '(#\a #\b) "cabab")
;=> "c"
(string-trim #(#\Space #\Newline) "
 a ")
;=> "a"
(string-trim "" " a ")
;=> " a "
(string-trim " " 'foo)
;=> "FOO"
(string-trim "a" "aaa")
;=> ""
(make-string 3 :initial-element #\z)
;=> "zzz"
(length (make-string 4))
;=> 4
(char "abc" 1)
;=> #\b
(schar "abc" 2)
;=> #\c
(char "abc" 3)
;!> TYPE-ERROR
(let ((s (copy-seq "abc"))) (setf (char s 0) #\X) s)
;=> "Xbc"
(let ((s (make-string 2 :initial-element #\a))) (setf (char s 0) 5))
;!> TYPE-ERROR
(stringp "a")
;=> T
(stringp 'a)
;=> NIL
(list (simple-string-p "a") (string= "" ""))
;=> (T T)
(length "häß→😀")
;=> 5
(char-code (char "häß→😀" 4))
;=> 128512
(string-upcase "häß")
;=> "HÄß"
(reverse "aé😀")
;=> "😀éa"
(char-code #\😀)
;=> 128512
(concatenate 'string "a" "é" "b")
;=> "aéb"

;; numbers out of strings
(parse-integer "42")
;=> 42
;=> 2
(parse-integer "  42  ")
;=> 42
;=> 6
(parse-integer "-17")
;=> -17
;=> 3
(parse-integer "+5")
;=> 5
;=> 2
(parse-integer "ff" :radix 16)
;=> 255
;=> 2
(parse-integer "12x" :junk-allowed t)
;=> 12
;=> 2
(parse-integer "x" :junk-allowed t)
;=> NIL
;=> 0
(parse-integer "12x")
;!> PARSE-ERROR
(parse-integer "")
;!> PARSE-ERROR
(parse-integer "" :junk-allowed t)
;=> NIL
;=> 0
(parse-integer "abc123" :start 3)
;=> 123
;=> 6
(parse-integer "123abc" :end 3)
;=> 123
;=> 3
(parse-integer "1 2")
;!> PARSE-ERROR
(parse-integer 'a)
;!> TYPE-ERROR
(parse-integer "101" :radix 2)
;=> 5
;=> 3
(parse-integer "12" :start 5)
;!> TYPE-ERROR

;; characters
(list (char-code #\A) (code-char 97) (char-int #\a) (char-name #\Space) (char-name #\Newline))
;=> (65 #\a 97 "Space" "Newline")
(list (name-char "Space") (name-char "newline") (name-char "Tab") (name-char "nosuch"))
;=> (#\  #\Newline #\Tab NIL)
(list (char-upcase #\a) (char-downcase #\A) (char-upcase #\1) (char= (char-upcase #\é) #\É))
;=> (#\A #\a #\1 T)
(list (alpha-char-p #\a) (alpha-char-p #\1) (alpha-char-p #\é) (digit-char-p #\7) (digit-char-p #\a) (digit-char-p #\f 16) (alphanumericp #\_))
;=> (T NIL T 7 NIL 15 NIL)
(list (upper-case-p #\A) (lower-case-p #\A) (both-case-p #\1) (both-case-p #\z) (graphic-char-p #\Newline) (graphic-char-p #\a) (standard-char-p #\a))
;=> (T NIL NIL T NIL T T)
(list (digit-char 7) (digit-char 11 16) (digit-char 11) (digit-char 35 36))
;=> (#\7 #\B NIL #\Z)
(list (char= #\a #\a) (char= #\a #\b) (char= #\a #\a #\a) (char/= #\a #\b #\a) (char< #\a #\b #\c) (char< #\a #\c #\b))
;=> (T NIL T NIL T NIL)
(list (char> #\c #\b) (char<= #\a #\a #\b) (char>= #\b #\a #\a) (char-equal #\a #\A) (char-not-equal #\a #\A) (char-lessp #\A #\b))
;=> (T T T T NIL T)
(list (char-greaterp #\B #\a) (char-not-greaterp #\a #\A) (char-not-lessp #\a #\B))
;=> (T T NIL)
(char-code "a")
;!> TYPE-ERROR
(char-upcase "a")
;!> TYPE-ERROR
(code-char -1)
;!> TYPE-ERROR
(char< #\a)
;=> T
(char=)
;!> PROGRAM-ERROR
(character "a")
;=> #\a
(character 'a)
;=> #\A
(character "ab")
;!> TYPE-ERROR
(list (characterp #\a) (characterp "a"))
;=> (T NIL)
(list #\a #\Space #\Newline #\Tab #\( #\; #\" #\\)
;=> (#\a #\  #\Newline #\Tab #\( #\; #\" #\\)
(list #\Rubout #\Backspace #\Return #\Page #\Nul #\Linefeed)
;=> (#\Rubout #\Backspace #\Return #\Page #\Nul #\Newline)
(digit-char-p #\7 40)
;!> TYPE-ERROR
