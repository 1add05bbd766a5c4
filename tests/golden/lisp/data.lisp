;;; Chapter: arrays, strings, characters, hash tables, structures: what the other chapters leave out.
(make-array 3 :initial-element 0)
;=> #(0 0 0)
(make-array '(2 2) :initial-contents '((1 2) (3 4)))
;=> #2A((1 2) (3 4))
(make-array nil :initial-element 5)
;=> #0A5
(aref (make-array nil :initial-element 5))
;=> 5
(make-array 3 :element-type 'bit :initial-element 1)
;=> #*111
(make-array 3 :element-type 'character :initial-element #\a)
;=> "aaa"
(make-array '(0 3))
;=> #2A()
(let ((a (make-array 3 :fill-pointer 0))) (vector-push 1 a) (vector-push 2 a) (list a (length a) (fill-pointer a) (array-dimension a 0)))
;=> (#(1 2) 2 2 3)
(let ((a (make-array 2 :fill-pointer 0 :adjustable t))) (dotimes (i 5) (vector-push-extend i a)) a)
;=> #(0 1 2 3 4)
(let ((a (make-array 2 :fill-pointer 2))) (vector-push 1 a))
;=> NIL
(let ((a (make-array 2 :fill-pointer 2 :initial-element 7))) (list (vector-pop a) (length a)))
;=> (7 1)
(let ((a (make-array 5 :fill-pointer 3 :initial-element 1))) (setf (fill-pointer a) 5) a)
;=> #(1 1 1 1 1)
(let ((a (make-array 5 :fill-pointer 3 :initial-element 1))) (list (aref a 4) (length a)))
;=> (1 3)
(let ((a (make-array 5 :fill-pointer 3 :initial-element 1))) (elt a 4))
;!> TYPE-ERROR
(let ((a (adjust-array (make-array '(2 2) :initial-contents '((1 2) (3 4)) :adjustable t) '(3 3) :initial-element 0))) a)
;=> #2A((1 2 0) (3 4 0) (0 0 0))
(let* ((a (make-array 3 :initial-contents '(1 2 3) :adjustable t)) (b (adjust-array a 5 :initial-element 9))) (list b (eq a b)))
;=> (#(1 2 3 9 9) T)
(let* ((a (make-array 3 :initial-contents '(1 2 3))) (b (adjust-array a 2))) (list b a))
;=> (#(1 2) #(1 2 3))
(let* ((a (make-array 6 :initial-contents '(1 2 3 4 5 6))) (b (make-array '(2 3) :displaced-to a))) (list b (aref b 1 2)))
;=> (#2A((1 2 3) (4 5 6)) 6)
(let* ((a (make-array 6 :initial-contents '(1 2 3 4 5 6))) (b (make-array 3 :displaced-to a :displaced-index-offset 2))) (setf (aref b 0) 99) (list a b))
;=> (#(1 2 99 4 5 6) #(99 4 5))
(let* ((a (make-array 6 :initial-contents '(1 2 3 4 5 6))) (b (make-array 3 :displaced-to a :displaced-index-offset 1))) (multiple-value-list (array-displacement b)))
;=> (#(1 2 3 4 5 6) 1)
(multiple-value-list (array-displacement (make-array 3)))
;=> (NIL 0)
(let* ((a (make-array '(2 2) :initial-contents '((1 2) (3 4)))) (b (make-array 4 :displaced-to a))) (reduce #'+ b))
;=> 10
(let* ((s "hello world") (d (make-array 5 :element-type 'character :displaced-to s :displaced-index-offset 6))) (list d (string-upcase d) (length d)))
;=> ("world" "WORLD" 5)
(make-array 5 :displaced-to (make-array 3))
;!> ERROR
(array-dimensions (make-array '(2 3 4)))
;=> (2 3 4)
(array-total-size (make-array '(2 3 4)))
;=> 24
(array-rank (make-array '(2 3 4)))
;=> 3
(array-row-major-index (make-array '(2 3)) 1 2)
;=> 5
(row-major-aref (make-array '(2 2) :initial-contents '((1 2) (3 4))) 2)
;=> 3
(array-in-bounds-p (make-array '(2 2)) 1 2)
;=> NIL
(array-element-type (make-array 3))
;=> T
(array-element-type (make-array 3 :element-type 'bit))
;=> BIT
(array-element-type "abc")
;=> CHARACTER
(adjustable-array-p (make-array 3 :adjustable t))
;=> T
(array-has-fill-pointer-p (make-array 3 :fill-pointer t))
;=> T
(aref #2A((1 2) (3 4)) 0)
;!> ERROR
(aref #(1 2 3) 3)
;!> TYPE-ERROR
(aref #(1 2 3) -1)
;!> TYPE-ERROR
(aref #(1 2 3) 1.0)
;!> TYPE-ERROR
(setf (aref (vector 1 2) 5) 1)
;!> TYPE-ERROR
(let ((a (make-array '(2 2) :initial-element 0))) (incf (aref a 0 1) 5) (setf (row-major-aref a 3) 7) a)
;=> #2A((0 5) (0 7))
(vector 1 "a" #\b)
;=> #(1 "a" #\b)
(vectorp "abc")
;=> T
(simple-vector-p (vector 1))
;=> T
(svref #(1 2 3) 1)
;=> 2
(let ((v (vector 1 2 3))) (setf (svref v 1) 5) v)
;=> #(1 5 3)
(bit #*101 1)
;=> 0
(list (bit-and #*1100 #*1010) (bit-ior #*1100 #*1010) (bit-xor #*1100 #*1010) (bit-not #*1100))
;=> (#*1000 #*1110 #*0110 #*0011)
(let ((b (make-array 4 :element-type 'bit))) (setf (bit b 2) 1) b)
;=> #*0010
(copy-seq #2A((1 2) (3 4)))
;!> TYPE-ERROR
(coerce '(1 2 3) 'vector)
;=> #(1 2 3)
(coerce #(1 2) 'list)
;=> (1 2)
(coerce "abc" 'list)
;=> (#\a #\b #\c)
(coerce '(#\a #\b) 'string)
;=> "ab"
(coerce 1 'float)
;=> 1.0
(coerce 1/2 'double-float)
;=> 0.5d0
(coerce 65 'character)
;!> TYPE-ERROR
(coerce "a" 'character)
;=> #\a
(coerce 'car 'function)
;=> #<FUNCTION CAR>
;departs: characters beyond ASCII print as themselves
(char-upcase #\é)
;=> #\É
;departs: characters beyond ASCII print as themselves
(char-downcase #\Ä)
;=> #\ä
(string-upcase "straße")
;=> "STRAßE"
(string-upcase "éàü")
;=> "ÉÀÜ"
(length "日本語")
;=> 3
;departs: characters beyond ASCII print as themselves
(char "日本語" 1)
;=> #\本
(reverse "日本")
;=> "本日"
(char-code #\λ)
;=> 955
;departs: characters beyond ASCII print as themselves
(code-char 955)
;=> #\λ
(char-name #\Space)
;=> "Space"
(name-char "Newline")
;=> #\Newline
(name-char "space")
;=> #\ 
(upper-case-p #\É)
;=> T
(alpha-char-p #\λ)
;=> T
(alphanumericp #\5)
;=> T
(digit-char-p #\7)
;=> 7
(digit-char-p #\a 16)
;=> 10
(digit-char-p #\g 16)
;=> NIL
(digit-char 11 16)
;=> #\B
(char< #\a #\b #\c)
;=> T
(char-equal #\a #\A)
;=> T
(both-case-p #\1)
;=> NIL
(graphic-char-p #\Newline)
;=> NIL
(string< "abc" "abd")
;=> 2
(string< "abc" "abc")
;=> NIL
(string<= "abc" "abc")
;=> 3
(string/= "abc" "abd")
;=> 2
(string-lessp "ABC" "abd")
;=> 2
(string= "abc" "xabcx" :start2 1 :end2 4)
;=> T
(string-equal "AbC" 'abc)
;=> T
(string-trim " x" "  xx ab x ")
;=> "ab"
(string-left-trim "ab" "abcab")
;=> "cab"
(string-right-trim '(#\b #\a) "abcab")
;=> "abc"
(string-capitalize "hello wORLD foo-bar 3rd")
;=> "Hello World Foo-Bar 3rd"
(string-upcase "hello" :start 1 :end 3)
;=> "hELlo"
(nstring-upcase (copy-seq "abc"))
;=> "ABC"
(make-string 3 :initial-element #\x)
;=> "xxx"
(string 'abc)
;=> "ABC"
(string #\a)
;=> "a"
(string 5)
;!> TYPE-ERROR
(concatenate 'string "a" '(#\b) #(#\c))
;=> "abc"
(concatenate 'list "ab" '(1))
;=> (#\a #\b 1)
(concatenate 'vector '(1) #(2))
;=> #(1 2)
(search "lo" "hello")
;=> 3
(search '(2 3) '(1 2 3 4))
;=> 1
(search "x" "hello")
;=> NIL
(search "l" "hello" :from-end t)
;=> 3
(mismatch "abcd" "abxd")
;=> 2
(position #\l "hello" :from-end t)
;=> 3
(count #\l "hello")
;=> 2
(remove #\l "hello")
;=> "heo"
(substitute #\L #\l "hello" :count 1)
;=> "heLlo"
(find-if #'upper-case-p "heLlo")
;=> #\L
(subseq "hello" 1 3)
;=> "el"
(let ((s (copy-seq "hello"))) (setf (subseq s 1 3) "XY") s)
;=> "hXYlo"
(let ((s (copy-seq "hello"))) (setf (char s 0) #\J) s)
;=> "Jello"
(parse-integer "42")
;=> 42
;=> 2
(parse-integer " 42 ")
;=> 42
;=> 4
(parse-integer "42abc" :junk-allowed t)
;=> 42
;=> 2
(parse-integer "ff" :radix 16)
;=> 255
;=> 2
(parse-integer "-17")
;=> -17
;=> 3
(parse-integer "x" :junk-allowed t)
;=> NIL
;=> 0
(parse-integer "")
;!> PARSE-ERROR
(let ((h (make-hash-table :test 'equal))) (setf (gethash "a" h) 1 (gethash '(1 2) h) 2) (list (gethash "a" h) (gethash (list 1 2) h) (gethash 'x h :none)))
;=> (1 2 :NONE)
(let ((h (make-hash-table :test #'equalp))) (setf (gethash "A" h) 1) (list (gethash "a" h) (hash-table-test h)))
;=> (1 EQUALP)
(let ((h (make-hash-table))) (setf (gethash 1.0 h) :f (gethash 1 h) :i) (list (gethash 1 h) (gethash 1.0 h) (gethash 2 h)))
;=> (:I :F NIL)
(multiple-value-list (gethash :a (make-hash-table)))
;=> (NIL NIL)
(let ((h (make-hash-table))) (setf (gethash :a h) nil) (multiple-value-list (gethash :a h)))
;=> (NIL T)
(let ((h (make-hash-table))) (incf (gethash :n h 10)) (push 1 (gethash :l h)) (list (gethash :n h) (gethash :l h)))
;=> (11 (1))
(let ((h (make-hash-table))) (setf (gethash 1 h) 2) (list (remhash 1 h) (remhash 1 h) (hash-table-count h)))
;=> (T NIL 0)
(let ((h (make-hash-table)) (l nil)) (dotimes (i 3) (setf (gethash i h) (* i i))) (maphash (lambda (k v) (push (cons k v) l)) h) (nreverse l))
;=> ((0 . 0) (1 . 1) (2 . 4))
(let ((h (make-hash-table))) (dotimes (i 100) (setf (gethash i h) i)) (clrhash h) (hash-table-count h))
;=> 0
(let ((h (make-hash-table :test 'eq))) (setf (gethash 'a h) 1) (hash-table-p h))
;=> T
(let ((h (make-hash-table))) (setf (gethash :x h) 1) (with-hash-table-iterator (next h) (multiple-value-list (next))))
;=> (T :X 1)
(let ((h (make-hash-table))) (setf (gethash :x h) 1 (gethash :y h) 2) (with-hash-table-iterator (next h) (loop (multiple-value-bind (more k v) (next) (unless more (return :end)) (princ (list k v))))))
;>> (X 1)(Y 2)
;=> :END
(let ((h (make-hash-table))) (dotimes (i 10) (setf (gethash i h) i)) (maphash (lambda (k v) (declare (ignore v)) (when (evenp k) (remhash k h))) h) (hash-table-count h))
;=> 5
(equalp (let ((h (make-hash-table))) (setf (gethash 1 h) 2) h) (let ((h (make-hash-table))) (setf (gethash 1 h) 2) h))
;=> T
(make-hash-table :test 'string=)
;!> ERROR
(gethash 1 '(1 2))
;!> TYPE-ERROR
(= (sxhash "abc") (sxhash (copy-seq "abc")))
;=> T
(progn (defstruct pt x y) (let ((p (make-pt :x 1 :y 2))) (list (pt-x p) (pt-y p) (pt-p p) (pt-p 5) p)))
;=> (1 2 T NIL #S(PT :X 1 :Y 2))
(let ((p (make-pt :x 1))) (setf (pt-y p) 5) (incf (pt-x p)) p)
;=> #S(PT :X 2 :Y 5)
(copy-pt (make-pt :x 1 :y '(2)))
;=> #S(PT :X 1 :Y (2))
(equalp (make-pt :x 1 :y 2) (make-pt :x 1.0 :y 2))
;=> T
(equal (make-pt :x 1 :y 2) (make-pt :x 1 :y 2))
;=> NIL
(progn (defstruct (boa (:constructor new-boa (a &optional (b 5) &key (c (+ a b)) &aux (d (list a b c))))) a b c d) (list (new-boa 1) (new-boa 1 2 :c 3)))
;=> (#S(BOA :A 1 :B 5 :C 6 :D (1 5 6)) #S(BOA :A 1 :B 2 :C 3 :D (1 2 3)))
(progn (defstruct (cn (:conc-name c/)) a) (c/a (make-cn :a 3)))
;=> 3
(progn (defstruct (cn2 (:conc-name nil)) only-slot-here) (only-slot-here (make-cn2 :only-slot-here 3)))
;=> 3
(progn (defstruct (inc (:include pt (x 10)) (:copier dup-inc) (:predicate is-inc)) z) (let ((i (make-inc :z 1 :y 2))) (list i (pt-x i) (inc-x i) (is-inc i) (pt-p i) (dup-inc i))))
;=> (#S(INC :X 10 :Y 2 :Z 1) 10 10 T T #S(INC :X 10 :Y 2 :Z 1))
(progn (defstruct (pf (:print-function (lambda (o s d) (declare (ignore d)) (format s "<pf ~a>" (pf-a o))))) a) (prin1-to-string (make-pf :a 1)))
;=> "<pf 1>"
(progn (defstruct (po (:print-object (lambda (o s) (format s "<po ~a>" (po-a o))))) a) (princ-to-string (list (make-po :a 1))))
;=> "(<po 1>)"
(progn (defstruct (noc (:constructor nil) (:copier nil) (:predicate nil)) a) (list (fboundp 'make-noc) (fboundp 'copy-noc) (fboundp 'noc-p)))
;=> (NIL NIL NIL)
(progn (defstruct (twoc (:constructor make-twoc) (:constructor twoc (a b))) a b) (list (make-twoc :a 1) (twoc 1 2)))
;=> (#S(TWOC :A 1 :B NIL) #S(TWOC :A 1 :B 2))
(progn (defstruct (lst (:type list)) a b) (list (make-lst :a 1 :b 2) (lst-b '(1 2))))
;=> ((1 2) 2)
(progn (defstruct (lstn (:type list) :named) a b) (list (make-lstn :a 1 :b 2) (lstn-p (make-lstn)) (lstn-b '(lstn 1 2))))
;=> ((LSTN 1 2) T 2)
(progn (defstruct (vc (:type vector)) a b) (make-vc :a 1))
;=> #(1 NIL)
(progn (defstruct ty (a 0 :type integer) (b "x" :type string :read-only t)) (make-ty))
;=> #S(TY :A 0 :B "x")
(make-ty :a "no")
;!> TYPE-ERROR
(setf (ty-a (make-ty)) 'no)
;!> TYPE-ERROR
(progn (defstruct defs (a (list 1 2)) (b (+ 1 1))) (eq (defs-a (make-defs)) (defs-a (make-defs))))
;=> NIL
(progn (defstruct docs "a doc string" a) (documentation 'docs 'structure))
;=> "a doc string"
(make-pt :z 1)
;!> PROGRAM-ERROR
(pt-x 5)
;!> TYPE-ERROR
(pt-x (make-noc2))
;!> UNDEFINED-FUNCTION
(typep (make-inc) 'pt)
;=> T
(type-of (make-pt))
;=> PT
(class-name (class-of (make-pt)))
;=> PT
(subtypep 'inc 'pt)
;=> T
;=> T
(slot-value (make-pt :x 7) 'x)
;=> 7
(with-slots (x y) (make-pt :x 1 :y 2) (setf x 5) (list x y))
;=> (5 2)
(progn (defstruct empty-st) (make-empty-st))
;=> #S(EMPTY-ST)
(progn (defstruct circ next) (let ((c (make-circ)) (*print-circle* t)) (setf (circ-next c) c) (prin1-to-string c)))
;=> "#1=#S(CIRC :NEXT #1#)"
