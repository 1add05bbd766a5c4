;;; Chapter: streams, packages, types, numbers, setf: what the other chapters leave out.
(with-input-from-string (s "a b 12") (list (read s) (read s) (read s) (read s nil :eof)))
;=> (A B 12 :EOF)
(with-input-from-string (s "line1
line2") (list (read-line s) (read-line s) (read-line s nil :eof)))
;=> ("line1" "line2" :EOF)
(with-input-from-string (s "abc") (list (read-char s) (peek-char nil s) (read-char s) (unread-char #\b s) (read-char s) (read-char s) (read-char s nil :eof)))
;=> (#\a #\b #\b NIL #\b #\c :EOF)
(with-input-from-string (s "   x") (peek-char t s))
;=> #\x
(with-input-from-string (s "abcdef" :start 2 :end 4) (read-line s))
;=> "cd"
;=> T
(let (i) (with-input-from-string (s "abc def" :index i) (read s)) i)
;=> 4
(with-output-to-string (s) (write-string "abc" s) (write-char #\d s) (terpri s) (prin1 "x" s) (princ "y" s) (print 1 s))
;=> "abcd\n\"x\"y\n1 "
(with-output-to-string (s) (write-line "abc" s :start 1) (fresh-line s) (fresh-line s) (write 'foo :stream s))
;=> "bc\nFOO"
(let ((s (make-string-output-stream))) (write-string "ab" s) (list (get-output-stream-string s) (get-output-stream-string s)))
;=> ("ab" "")
(let ((s (make-string-input-stream "hi"))) (list (read-char s) (listen s) (read-char s) (listen s)))
;=> (#\h T #\i NIL)
(let ((str (make-array 0 :element-type 'character :fill-pointer 0 :adjustable t))) (with-output-to-string (s str) (princ "abc" s)) str)
;=> "abc"
(let ((b (make-broadcast-stream)))  (write-string "x" b) :ok)
;=> :OK
(let* ((a (make-string-output-stream)) (b (make-string-output-stream)) (c (make-broadcast-stream a b))) (write-string "xy" c) (list (get-output-stream-string a) (get-output-stream-string b)))
;=> ("xy" "xy")
(let ((c (make-concatenated-stream (make-string-input-stream "ab") (make-string-input-stream "cd")))) (list (read-char c) (read-line c) (read-line c nil :eof)))
;=> (#\a "bcd" :EOF)
(let* ((i (make-string-input-stream "in")) (o (make-string-output-stream)) (s (make-two-way-stream i o))) (write-string (read-line s) s) (get-output-stream-string o))
;=> "in"
(progn (defvar *syn* (make-string-output-stream)) (let ((s (make-synonym-stream '*syn*))) (write-string "via" s) (get-output-stream-string *syn*)))
;=> "via"
(let ((s (make-string-input-stream "x"))) (close s) (list (open-stream-p s) (handler-case (read-char s) (error () :closed))))
;=> (NIL :CLOSED)
(list (streamp *standard-output*) (input-stream-p (make-string-input-stream "")) (output-stream-p (make-string-input-stream "")))
;=> (T T NIL)
(let ((*standard-output* (make-string-output-stream))) (princ "captured") (get-output-stream-string *standard-output*))
;=> "captured"
(let ((*standard-input* (make-string-input-stream "from-stdin"))) (read))
;=> FROM-STDIN
(let ((s (make-string-input-stream "abcdef")) (buf (make-string 4))) (list (read-sequence buf s) buf (read-sequence buf s) buf))
;=> (4 "efcd" 2 "efcd")
(with-output-to-string (s) (write-sequence "hello" s :start 1 :end 3))
;=> "el"
(with-output-to-string (*standard-output*) (print 'a) (prin1 'b) (princ 'c) (terpri) (pprint '(d)))
;=> "\nA BC\n\n(D)"
(read-char (make-string-input-stream ""))
;!> END-OF-FILE
(read-line (make-string-input-stream ""))
;!> END-OF-FILE
(read-char (make-string-input-stream "") nil :end)
;=> :END
(progn (with-open-file (o "/tmp/catenc-corpus.txt" :direction :output :if-exists :supersede) (format o "one~%two~%") (write 3 :stream o)) (with-open-file (i "/tmp/catenc-corpus.txt") (list (read-line i) (read i) (read i) (read i nil :eof))))
;=> ("one" TWO 3 :EOF)
(with-open-file (o "/tmp/catenc-corpus.txt" :direction :output :if-exists :append) (write-line "more" o) :ok)
;=> :OK
(with-open-file (i "/tmp/catenc-corpus.txt") (loop for l = (read-line i nil) while l collect l))
;=> ("one" "two" "3more")
(with-open-file (i "/tmp/catenc-corpus.txt") (list (file-length i) (file-position i) (progn (read-char i) (file-position i)) (file-position i 4) (read-line i)))
;=> (14 0 1 T "two")
(progn (with-open-file (o "/tmp/catenc-corpus.bin" :direction :output :if-exists :supersede :element-type '(unsigned-byte 8)) (write-byte 65 o) (write-byte 255 o)) (with-open-file (i "/tmp/catenc-corpus.bin" :element-type '(unsigned-byte 8)) (list (read-byte i) (read-byte i) (read-byte i nil :eof))))
;=> (65 255 :EOF)
(open "/tmp/catenc-corpus.txt" :direction :output :if-exists nil)
;=> NIL
(open "/tmp/catenc-corpus.txt" :direction :output :if-exists :error)
;!> FILE-ERROR
(open "/tmp/no-such-file-here" :if-does-not-exist nil)
;=> NIL
(open "/tmp/no-such-file-here")
;!> FILE-ERROR
(let ((p (probe-file "/tmp/no-such-file-here"))) p)
;=> NIL
(progn (delete-file "/tmp/catenc-corpus.txt") (delete-file "/tmp/catenc-corpus.bin") (probe-file "/tmp/catenc-corpus.txt"))
;=> NIL
(delete-file "/tmp/no-such-file-here")
;!> FILE-ERROR
(progn (defpackage :pk-a (:use :cl) (:export #:one #:two) (:nicknames :pka)) (list (package-name (find-package :pka)) (package-nicknames :pk-a)))
;=> ("PK-A" ("PKA"))
(progn (defpackage :pk-b (:use :cl :pk-a) (:shadow #:two)) (list (eq (find-symbol "ONE" :pk-b) (find-symbol "ONE" :pk-a)) (eq (find-symbol "TWO" :pk-b) (find-symbol "TWO" :pk-a))))
;=> (T NIL)
(progn (defpackage :pk-c (:use :cl) (:import-from :pk-a #:one)) (multiple-value-list (find-symbol "ONE" :pk-c)))
;=> (PK-A:ONE :INTERNAL)
(progn (defpackage :pk-d (:use :cl) (:local-nicknames (:short :pk-a))) (let ((*package* (find-package :pk-d))) (eq (read-from-string "short:one") (find-symbol "ONE" :pk-a))))
;=> T
(find-package :short)
;=> NIL
(progn (defpackage :pk-e (:use) (:intern #:x #:y)) (multiple-value-list (find-symbol "X" :pk-e)))
;=> (PK-E::X :INTERNAL)
(defpackage :pk-f (:import-from :pk-a #:no-such))
;!> PACKAGE-ERROR
(defpackage :pk-g (:use :no-such-package))
;!> PACKAGE-ERROR
(progn (defpackage :pk-h (:use :cl) (:shadowing-import-from :pk-a #:one)) (mapcar #'symbol-name (package-shadowing-symbols :pk-h)))
;=> ("ONE")
(multiple-value-list (intern "FRESH" :pk-a))
;=> (PK-A::FRESH NIL)
(multiple-value-list (intern "FRESH" :pk-a))
;=> (PK-A::FRESH :INTERNAL)
(multiple-value-list (find-symbol "NOPE" :pk-a))
;=> (NIL NIL)
(multiple-value-list (find-symbol "CAR" :pk-a))
;=> (CAR :INHERITED)
(progn (export (intern "EXP" :pk-a) :pk-a) (multiple-value-list (find-symbol "EXP" :pk-a)))
;=> (EXP :EXTERNAL)
(progn (unexport (find-symbol "EXP" :pk-a) :pk-a) (nth-value 1 (find-symbol "EXP" :pk-a)))
;=> :INTERNAL
(unintern (intern "GONE" :pk-a) :pk-a)
;=> T
(find-symbol "GONE" :pk-a)
;=> NIL
;=> NIL
(progn (make-package :pk-m :use '(:cl)) (package-name (first (package-use-list :pk-m))))
;=> "COMMON-LISP"
(progn (rename-package :pk-m :pk-n '(:pk-nn)) (list (find-package :pk-m) (package-name (find-package :pk-nn))))
;=> (NIL "PK-N")
(progn (delete-package :pk-n) (find-package :pk-n))
;=> NIL
(symbol-package (make-symbol "X"))
;=> NIL
(package-name (symbol-package 'car))
;=> "COMMON-LISP"
(package-name (symbol-package :x))
;=> "KEYWORD"
(prin1-to-string (find-symbol "ONE" :pk-a))
;=> "PK-A:ONE"
(prin1-to-string (intern "HIDDEN" :pk-a))
;=> "PK-A::HIDDEN"
(let ((n 0)) (do-external-symbols (s :pk-a) (incf n)) n)
;=> 2
(let ((l nil)) (do-symbols (s :pk-e) (push (symbol-name s) l)) (sort l #'string<))
;=> ("X" "Y")
(with-package-iterator (next '(:pk-e) :internal) (loop for (more s) = (multiple-value-list (next)) while more collect (symbol-name s) into l finally (return (sort l #'string<))))
;=> ("X" "Y")
(intern "NEW-SYMBOL" :cl)
;!> PACKAGE-ERROR
(defun car (x) x)
;!> PACKAGE-ERROR
(defmacro when (x) x)
;!> PACKAGE-ERROR
(defvar car 5)
;!> PACKAGE-ERROR
(defun cl:no-such-thing () 1)
;!> READER-ERROR
;departs: a package error here
(flet ((car (x) x)) (car 5))
;!> PACKAGE-ERROR
(let ((list '(1 2))) (car list))
;=> 1
(defclass list () ())
;!> PACKAGE-ERROR
(deftype integer () t)
;!> PACKAGE-ERROR
(defstruct string a)
;!> PACKAGE-ERROR
(setf (symbol-function 'cdr) #'car)
;!> PACKAGE-ERROR
(fmakunbound 'car)
;!> PACKAGE-ERROR
(setf (find-class 'integer) nil)
;!> PACKAGE-ERROR
;departs: an error of another kind
(defconstant pi 3)
;!> ERROR
(setf (car 5) 1)
;!> TYPE-ERROR
(typep 5 '(integer 0 10))
;=> T
(typep 5 '(integer 0 (5)))
;=> NIL
(typep 5 '(or string integer))
;=> T
(typep 5 '(and integer (satisfies oddp)))
;=> T
(typep 5 '(not string))
;=> T
(typep 5 '(member 1 5))
;=> T
(typep 5 '(eql 5))
;=> T
(typep 5.0 '(float 0.0 10.0))
;=> T
(typep 5 '(mod 6))
;=> T
(typep 255 '(unsigned-byte 8))
;=> T
(typep 256 '(unsigned-byte 8))
;=> NIL
(typep -128 '(signed-byte 8))
;=> T
(typep '(1) '(cons integer null))
;=> T
(typep #(1 2) '(vector t 2))
;=> T
(typep #(1 2) '(simple-vector 3))
;=> NIL
(typep "ab" '(string 2))
;=> T
(typep (make-array '(2 3)) '(array t (2 *)))
;=> T
(typep (make-array '(2 3)) '(array * 2))
;=> T
(typep nil 'null)
;=> T
(typep nil 'list)
;=> T
(typep nil 'symbol)
;=> T
(typep 'a 'keyword)
;=> NIL
(typep :a 'keyword)
;=> T
(typep #'car 'function)
;=> T
(typep 1 'bit)
;=> T
(typep #\a 'character)
;=> T
(typep #\a 'standard-char)
;=> T
(typep 1/2 'ratio)
;=> T
(typep 1d0 'double-float)
;=> T
(typep t 'boolean)
;=> T
(typep 5 nil)
;=> NIL
(typep 5 t)
;=> T
(typep 5 'no-such-type)
;!> ERROR
(progn (deftype small () '(integer 0 9)) (list (typep 5 'small) (typep 10 'small)))
;=> (T NIL)
(progn (deftype pair-of (a &optional (b a)) `(cons ,a ,b)) (list (typep '(1 . 2) '(pair-of integer)) (typep '(1 . "x") '(pair-of integer string))))
;=> (T T)
(subtypep 'integer 'number)
;=> T
;=> T
(subtypep 'number 'integer)
;=> NIL
;=> T
(subtypep '(integer 0 5) '(integer 0 10))
;=> T
;=> T
(subtypep 'nil 'integer)
;=> T
;=> T
(subtypep 'integer t)
;=> T
;=> T
(subtypep '(or integer string) '(or string number))
;=> T
;=> T
;departs: small integers are of type FIXNUM
(type-of 5)
;=> FIXNUM
(type-of "abc")
;=> (SIMPLE-ARRAY CHARACTER (3))
(type-of nil)
;=> NULL
(type-of :a)
;=> KEYWORD
(type-of 'a)
;=> SYMBOL
(type-of 1.5)
;=> SINGLE-FLOAT
(type-of 1d0)
;=> DOUBLE-FLOAT
(type-of '(1))
;=> CONS
(type-of #\a)
;=> STANDARD-CHAR
(type-of #(1 2))
;=> (SIMPLE-VECTOR 2)
(floor 7 2)
;=> 3
;=> 1
(floor -7 2)
;=> -4
;=> 1
(ceiling 7 2)
;=> 4
;=> -1
(truncate -7 2)
;=> -3
;=> -1
(round 7 2)
;=> 4
;=> -1
(round 2.5)
;=> 2
;=> 0.5
(round -2.5)
;=> -2
;=> -0.5
(ffloor 7 2)
;=> 3.0
;=> 1
(floor 7.5)
;=> 7
;=> 0.5
(floor 1/2)
;=> 0
;=> 1/2
(mod -7 2)
;=> 1
(rem -7 2)
;=> -1
(mod 7 -2)
;=> -1
(mod 5.5 2)
;=> 1.5
(gcd 12 18)
;=> 6
(gcd)
;=> 0
(lcm 4 6)
;=> 12
(abs -5)
;=> 5
(signum -2.5)
;=> -1.0
(max 1 2.0)
;=> 2.0
(min 1 2 3)
;=> 1
(1+ 1/2)
;=> 3/2
(/ 6 4)
;=> 3/2
(/ 2)
;=> 1/2
(/ 1 3.0)
;=> 0.33333334
(expt 2 10)
;=> 1024
(expt 2 -2)
;=> 1/4
(expt 2.0 3)
;=> 8.0
(expt 4 1/2)
;=> 2.0
(expt 0 0)
;=> 1
(sqrt 16)
;=> 4.0
(sqrt 2)
;=> 1.4142135
(sqrt 2d0)
;=> 1.4142135623730951d0
(isqrt 17)
;=> 4
(exp 1)
;=> 2.7182817
(log 8 2)
;=> 3.0
(log 100 10)
;=> 2.0
(log 2.718281828)
;=> 0.99999994
(sin 0)
;=> 0.0
(atan 1 1)
;=> 0.7853982
(ash 1 10)
;=> 1024
(ash 1024 -3)
;=> 128
(logand 12 10)
;=> 8
(logior 12 10)
;=> 14
(logxor 12 10)
;=> 6
(lognot 5)
;=> -6
(logtest 1 3)
;=> T
(logbitp 2 5)
;=> T
(logcount 255)
;=> 8
(integer-length 255)
;=> 8
(ldb (byte 4 4) 255)
;=> 15
(dpb 0 (byte 4 0) 255)
;=> 240
(boole boole-and 12 10)
;=> 8
(boole boole-xor 12 10)
;=> 6
(evenp 4)
;=> T
(zerop 0.0)
;=> T
(plusp -1)
;=> NIL
(numerator 6/4)
;=> 3
(denominator 6/4)
;=> 2
(rational 0.5)
;=> 1/2
(rationalize 0.1)
;=> 1/10
(float 1/3)
;=> 0.33333334
(float 1 1d0)
;=> 1.0d0
(= 1 1.0 1)
;=> T
(eql 1 1.0)
;=> NIL
(equal 1.0 1.0)
;=> T
(< 1 2 3)
;=> T
(< 1 3 2)
;=> NIL
(/= 1 2 1)
;=> NIL
(numberp 1/2)
;=> T
(integerp 1.0)
;=> NIL
(rationalp 1/2)
;=> T
(realp 1.5)
;=> T
(random 1)
;=> 0
(<= 0 (random 1.0) 1)
;=> T
;departs: integers have 64 bits
(parse-integer "99999999999999999999")
;!> ARITHMETIC-ERROR
;departs: integers have 64 bits
(* 4611686018427387904 4)
;!> ARITHMETIC-ERROR
(+ 1 nil)
;!> TYPE-ERROR
;departs: complex numbers are refused
(sqrt -1)
;!> ARITHMETIC-ERROR
(* 1.5 2/3)
;=> 1.0
(+ 1/2 1/3)
;=> 5/6
(- 5)
;=> -5
(-)
;!> PROGRAM-ERROR
(decode-float 1.5)
;=> 0.75
;=> 1
;=> 1.0
(integer-decode-float 1.0)
;=> 8388608
;=> -23
;=> 1
(float-digits 1.0)
;=> 24
(scale-float 1.0 3)
;=> 8.0
(conjugate 5)
;=> 5
(truncate 5.7)
;=> 5
;=> 0.6999998
(let ((l (list 1 2 3))) (setf (nth 1 l) 9 (first l) 0) (rotatef (first l) (third l)) l)
;=> (3 9 0)
(let ((a 1) (b 2) (c 3)) (shiftf a b c 4) (list a b c))
;=> (2 3 4)
(let ((a 1) (b 2)) (rotatef a b) (list a b))
;=> (2 1)
(let ((pl (list :a 1))) (setf (getf pl :b) 2 (getf pl :a) 5) pl)
;=> (:B 2 :A 5)
(let ((pl (list :a 1 :b 2))) (list (remf pl :a) pl))
;=> (T (:B 2))
(let ((x 5)) (setf (ldb (byte 4 0) x) 15) x)
;=> 15
(let (a b) (setf (values a b) (values 1 2)) (list a b))
;=> (1 2)
(let ((l (list 1 2 3))) (setf (values (first l) (second l)) (floor 7 2)) l)
;=> (3 1 3)
(let ((v (vector 1 2 3))) (incf (aref v 1) 10) (decf (aref v 0)) v)
;=> #(0 12 3)
(let ((l nil)) (push 1 l) (pushnew 1 l) (pushnew 2 l) (list l (pop l) l))
;=> ((2 1) 2 (1))
(let ((l (list (list 1)))) (push 2 (car l)) (pushnew 2 (car l) :test #'=) l)
;=> ((2 1))
(let ((i 0) (v (vector 1 2 3))) (incf (aref v (incf i))) (list i v))
;=> (1 #(1 3 3))
(progn (defun (setf my-first) (v l) (setf (car l) v)) (defun my-first (l) (car l)) (let ((l (list 1 2))) (setf (my-first l) 5) (incf (my-first l)) l))
;=> (6 2)
(progn (defsetf my-second (l) (v) `(setf (cadr ,l) ,v)) (let ((l (list 1 2))) (setf (my-second l) 7) l))
;=> (1 7)
(progn (defun my-set-third (l v) (setf (caddr l) v)) (defsetf my-third my-set-third) (let ((l (list 1 2 3))) (setf (my-third l) 8) l))
;=> (1 2 8)
(progn (define-modify-macro appendf (&rest args) append) (let ((l (list 1))) (appendf l '(2) '(3)) l))
;=> (1 2 3)
(progn (define-setf-expander lastval (l) (let ((s (gensym))) (values nil nil (list s) `(progn (setf (car (last ,l)) ,s) ,s) `(car (last ,l))))) (let ((l (list 1 2 3))) (setf (lastval l) 9) (incf (lastval l)) l))
;=> (1 2 10)
(let ((x (list 1 2 3))) (setf (cdr (last x)) '(4)) x)
;=> (1 2 3 4)
(let ((s (make-symbol "S"))) (setf (symbol-value s) 5 (get s 'p) 6) (list (symbol-value s) (get s 'p) (symbol-plist s)))
;=> (5 6 (P 6))
(let ((a (list 1 2))) (psetf (car a) (cadr a) (cadr a) (car a)) a)
;=> (2 1)
(setf)
;=> NIL
(let ((x 1)) (setf x))
;!> ERROR
(setf (no-such-accessor-x 1) 2)
;!> UNDEFINED-FUNCTION
(let ((x '(1 2))) (setf (the list x) '(3)) x)
;=> (3)
(let ((x 1)) (incf x 2.5))
;=> 3.5
(let ((x 1)) (symbol-macrolet ((y x)) (incf y) x))
;=> 2
(macrolet ((m (x) `(car ,x))) (let ((l (list 1))) (setf (m l) 5) l))
;=> (5)
(let ((p (list :x 1))) (incf (getf p :x)) (push 2 (getf p :y)) p)
;=> (:Y (2) :X 2)
(apply #'max '(3 1 2))
;=> 3
(let ((a (make-array '(2 2) :initial-element 0))) (setf (apply #'aref a '(1 1)) 5) a)
;=> #2A((0 0) (0 5))
