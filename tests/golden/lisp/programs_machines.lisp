;;; Chapter: programs in the style of users: windows on arrays, machines, matchers, restarts, reports.

;; windows on buffers: image rows, sliding windows, tokenizers on displaced strings
(defparameter *image* (make-array '(4 5) :initial-contents (loop for y below 4 collect (loop for x below 5 collect (+ (* 10 y) x)))))
;=> *IMAGE*
(defun row (m y) (make-array (array-dimension m 1) :displaced-to m :displaced-index-offset (* y (array-dimension m 1))))
;=> ROW
(row *image* 2)
;=> #(20 21 22 23 24)
(loop for y below 4 collect (reduce #'max (row *image* y)))
;=> (4 14 24 34)
(replace (row *image* 0) #(9 9))
;=> #(9 9 2 3 4)
(identity *image*)
;=> #2A((9 9 2 3 4) (10 11 12 13 14) (20 21 22 23 24) (30 31 32 33 34))
(sort (row *image* 1) #'>)
;=> #(14 13 12 11 10)
(row *image* 1)
;=> #(14 13 12 11 10)
(defun windows (v n) (loop for i from 0 to (- (length v) n) collect (make-array n :displaced-to v :displaced-index-offset i)))
;=> WINDOWS
(mapcar (lambda (w) (/ (reduce #'+ w) (length w))) (windows (vector 1 2 3 4 5) 3))
;=> (2 3 4)
(defun tokens (text) (loop with start = 0 for space = (position #\Space text :start start) for end = (or space (length text)) when (> end start) collect (make-array (- end start) :element-type 'character :displaced-to text :displaced-index-offset start) while space do (setf start (1+ space))))
;=> TOKENS
(let ((text (copy-seq "the quick  brown fox"))) (print (tokens text)) (let ((toks (tokens text))) (nstring-upcase (second toks)) (print text) (print (mapcar #'length toks)) (print (find "fox" toks :test #'string=)) (print (remove-duplicates (append toks (tokens "the fox")) :test #'string=))))
;>> \n("the" "quick" "brown" "fox") \n"the QUICK  brown fox" \n(3 5 5 3) \n"fox" \n("QUICK" "brown" "the" "fox") 
;=> ("QUICK" "brown" "the" "fox")
(let* ((buf (make-array 8 :initial-element 0)) (head (make-array 4 :displaced-to buf)) (tail (make-array 4 :displaced-to buf :displaced-index-offset 4))) (map-into head #'identity '(1 2 3 4)) (replace tail head) (print buf) (fill tail 7 :end 2) (print (concatenate 'vector tail head)) (print (equalp head (subseq buf 0 4))) (print (mismatch head tail)) (print (search (subseq tail 0 1) buf)))
;>> \n#(1 2 3 4 1 2 3 4) \n#(7 7 3 4 1 2 3 4) \nT \n0 \n4 
;=> 4
(let ((stack (make-array 2 :adjustable t :fill-pointer 0))) (dotimes (i 5) (vector-push-extend i stack)) (let ((view (make-array 3 :displaced-to stack :displaced-index-offset 1))) (print view) (setf (aref stack 2) :changed) (print view)))
;>> \n#(1 2 3) \n#(1 :CHANGED 3) 
;=> #(1 :CHANGED 3)
(let ((a (make-array '(2 2) :initial-element 1 :adjustable t))) (adjust-array a '(3 2) :initial-element 2) (list a (array-total-size a)))
;=> (#2A((1 1) (1 1) (2 2)) 6)
(type-of (row *image* 0))
;=> (VECTOR T 5)
(array-displacement #(1))
;=> NIL
;=> 0
(let ((s (make-array 3 :displaced-to (vector 1 2 3)))) (coerce s 'simple-vector))
;=> #(1 2 3)

;; a spreadsheet: cells with formulas, dependency recalculation, cycles
(progn (defclass sheet () ((cells :initform (make-hash-table :test #'equal) :reader cells))) nil)
;=> NIL
(defun cell (s name) (gethash (string-upcase name) (cells s)))
;=> CELL
(progn (defgeneric value-of (sheet thing &optional seen)) nil)
;=> NIL
(progn (defmethod value-of (sheet (n number) &optional seen) (declare (ignore sheet seen)) n) nil)
;=> NIL
(progn (defmethod value-of (sheet (s string) &optional seen) (declare (ignore sheet seen)) s) nil)
;=> NIL
(progn (defmethod value-of (sheet (name symbol) &optional seen) (when (member name seen) (error "circular reference: ~{~a~^ -> ~}" (reverse (cons name seen)))) (let ((f (cell sheet (symbol-name name)))) (if f (value-of sheet f (cons name seen)) 0))) nil)
;=> NIL
(progn (defmethod value-of (sheet (form cons) &optional seen) (case (first form) (sum (reduce #'+ (mapcar (lambda (x) (value-of sheet x seen)) (rest form)))) (if0 (if (zerop (value-of sheet (second form) seen)) (value-of sheet (third form) seen) (value-of sheet (fourth form) seen))) (t (apply (first form) (mapcar (lambda (x) (value-of sheet x seen)) (rest form)))))) nil)
;=> NIL
(defun set-cell (s name formula) (setf (gethash (string-upcase name) (cells s)) formula))
;=> SET-CELL
(let ((s (make-instance 'sheet))) (set-cell s "a1" 10) (set-cell s "a2" '(* a1 2)) (set-cell s "a3" '(sum a1 a2 missing)) (set-cell s "b1" '(if0 (- a1 10) "ten" a3)) (print (mapcar (lambda (n) (value-of s n)) '(a1 a2 a3 b1))) (set-cell s "a1" 5) (print (mapcar (lambda (n) (value-of s n)) '(a1 a2 a3 b1))) (set-cell s "c1" '(+ c2 1)) (set-cell s "c2" '(* c1 2)) (print (handler-case (value-of s 'c1) (error (e) (princ-to-string e)))) (print (sort (loop for k being the hash-keys of (cells s) collect k) #'string<)))
;>> \n(10 20 30 "ten") \n(5 10 15 15) \n"circular reference: C1 -> C2 -> C1" \n("A1" "A2" "A3" "B1" "C1" "C2") 
;=> ("A1" "A2" "A3" "B1" "C1" "C2")

;; regex-like matcher, glob, levenshtein automaton-like recursion, roman parser
(defun rx (pattern text &optional (i 0) (j 0)) (let ((n (length pattern)) (m (length text))) (labels ((ok (p) (and (< j m) (or (char= p #\.) (char= p (char text j)))))) (cond ((= i n) (= j m)) ((and (< (1+ i) n) (char= (char pattern (1+ i)) #\*)) (or (rx pattern text (+ i 2) j) (and (ok (char pattern i)) (rx pattern text i (1+ j))))) ((ok (char pattern i)) (rx pattern text (1+ i) (1+ j))) (t nil)))))
;=> RX
(list (rx "a*b" "aaab") (rx "a.c" "abc") (rx "a*" "") (rx ".*x" "abcx") (rx "ab" "abc"))
;=> (T T T T NIL)
(defun glob (p s) (cond ((string= p "") (string= s "")) ((char= (char p 0) #\*) (or (glob (subseq p 1) s) (and (plusp (length s)) (glob p (subseq s 1))))) ((string= s "") nil) ((or (char= (char p 0) #\?) (char= (char p 0) (char s 0))) (glob (subseq p 1) (subseq s 1)))))
;=> GLOB
(mapcar (lambda (s) (if (glob "*.l?sp" s) :yes :no)) '("a.lisp" "b.lasp" "c.txt"))
;=> (:YES :YES :NO)
(defparameter *roman* '((#\I . 1) (#\V . 5) (#\X . 10) (#\L . 50) (#\C . 100) (#\D . 500) (#\M . 1000)))
;=> *ROMAN*
(defun roman (s) (loop for (a b) on (map 'list (lambda (c) (cdr (assoc c *roman*))) s) sum (if (and b (< a b)) (- a) a)))
;=> ROMAN
(mapcar #'roman '("XIV" "MCMXC" "MMXXIV"))
;=> (14 1990 2024)
(loop for n in '(14 1990 2024) always (= n (roman (format nil "~@r" n))))
;=> T
(defun anagrams (words) (let ((h (make-hash-table :test #'equal))) (dolist (w words) (push w (gethash (sort (copy-seq w) #'char<) h))) (sort (loop for v being the hash-values of h when (cdr v) collect (sort (copy-list v) #'string<)) #'string< :key #'car)))
;=> ANAGRAMS
(anagrams '("listen" "silent" "enlist" "abc" "cab" "xyz"))
;=> (("abc" "cab") ("enlist" "listen" "silent"))
(defun title (s) (string-capitalize (substitute #\Space #\_ s)))
;=> TITLE
(title "hello_big_world")
;=> "Hello Big World"
(defun snake (s) (with-output-to-string (o) (loop for c across s for first = t then nil do (when (and (upper-case-p c) (not first)) (write-char #\_ o)) (write-char (char-downcase c) o))))
;=> SNAKE
(snake "HelloBigWorld")
;=> "hello_big_world"
(defun vowels (s) (loop for c across s when (find (char-downcase c) "aeiou") collect c into vs finally (return (coerce vs 'string))))
;=> VOWELS
(vowels "Programming In Lisp")
;=> "oaiIi"
(reduce (lambda (a c) (+ (* 31 a) (char-code c))) "hash" :initial-value 7)
;=> 9659797
(format nil "~{~:(~a~)~^ ~}" '("john" "smith"))
;=> "John Smith"
(list (string< "abc" "abd") (string> "b" "a") (string-not-equal "A" "b") (char-equal #\A #\a))
;=> (2 0 0 T)

;; finite automata, turing machine, cellular automaton, L-systems, knights tour count
(progn (defmacro define-machine (name &rest rules) `(defun ,name (tape &optional (limit 50)) (let ((state 'start) (pos 0) (tape (copy-seq tape))) (loop repeat limit until (eq state 'halt) do (let ((sym (aref tape pos))) (cond ,@(loop for (st sy -> ns nw dir) in rules do (assert (eq -> '->)) collect `((and (eq state ',st) (eql sym ,sy)) (setf (aref tape pos) ,nw state ',ns) (incf pos ,(ecase dir (r 1) (l -1) (n 0))))) (t (return (values :stuck tape))))) finally (return (values state tape)))))) nil)
;=> NIL
(define-machine flip (start 0 -> start 1 r) (start 1 -> start 0 r) (start 2 -> halt 2 n))
;=> FLIP
(multiple-value-list (flip (vector 0 1 1 0 2)))
;=> (HALT #(1 0 0 1 2))
(defun rule (n cells) (loop for (a b c) on (append '(0) cells '(0)) while c collect (if (logbitp (+ (* 4 a) (* 2 b) c) n) 1 0)))
;=> RULE
(let ((cells '(0 0 0 0 0 1 0 0 0 0 0))) (dotimes (i 5) (format t "~&~{~[.~;#~]~}" cells) (setf cells (rule 90 cells))))
;>> .....#.....\n....#.#....\n...#...#...\n..#.#.#.#..\n.#.......#.
;=> NIL
(defun lsystem (axiom rules n) (if (zerop n) axiom (lsystem (apply #'concatenate 'string (map 'list (lambda (c) (or (cdr (assoc c rules)) (string c))) axiom)) rules (1- n))))
;=> LSYSTEM
(lsystem "A" '((#\A . "AB") (#\B . "A")) 5)
;=> "ABAABABAABAAB"
(defun knight (n pos depth) (if (zerop depth) 1 (loop for (dx dy) in '((1 2) (2 1) (-1 2) (-2 1) (1 -2) (2 -1) (-1 -2) (-2 -1)) for x = (+ (first pos) dx) for y = (+ (second pos) dy) when (and (< -1 x n) (< -1 y n)) sum (knight n (list x y) (1- depth)))))
;=> KNIGHT
(knight 5 '(2 2) 3)
;=> 128
(defun dfa (transitions accepting start) (lambda (string) (let ((state start)) (loop for c across string do (setf state (cdr (assoc c (cdr (assoc state transitions)))))) (and (member state accepting) t))))
;=> DFA
(let ((even-as (dfa '((even (#\a . odd) (#\b . even)) (odd (#\a . even) (#\b . odd))) '(even) 'even))) (print (mapcar even-as '("aab" "ab" ""))))
;>> \n(T NIL T) 
;=> (T NIL T)
(defun subsets-sum (items target) (cond ((zerop target) '(())) ((or (minusp target) (null items)) nil) (t (append (mapcar (lambda (s) (cons (car items) s)) (subsets-sum (cdr items) (- target (car items)))) (subsets-sum (cdr items) target)))))
;=> SUBSETS-SUM
(subsets-sum '(1 2 3 4 5) 6)
;=> ((1 2 3) (1 5) (2 4))
(defun josephus (n k) (let ((ring (loop for i from 1 to n collect i)) (i 0)) (loop while (cdr ring) do (setf i (mod (+ i k -1) (length ring))) (setf ring (append (subseq ring 0 i) (nthcdr (1+ i) ring)))) (car ring)))
;=> JOSEPHUS
(josephus 7 3)
;=> 4
(loop for i from 1 to 15 collect (cond ((zerop (mod i 15)) 'fizzbuzz) ((zerop (mod i 3)) 'fizz) ((zerop (mod i 5)) 'buzz) (t i)))
;=> (1 2 FIZZ 4 BUZZ FIZZ 7 8 FIZZ BUZZ 11 FIZZ 13 14 FIZZBUZZ)

;; an assembler and a CPU with registers in structs, macro-defined instructions
(progn (defstruct cpu (regs (make-array 4 :initial-element 0)) (pc 0) (flags nil) (out '())) nil)
;=> NIL
(defvar *instructions* (make-hash-table))
;=> *INSTRUCTIONS*
(progn (defmacro definst (name (cpu &rest args) &body body) `(setf (gethash ',name *instructions*) (lambda (,cpu ,@args) (declare (ignorable ,cpu)) (symbol-macrolet ((pc (cpu-pc ,cpu))) ,@body)))) nil)
;=> NIL
(progn (defmacro reg (cpu r) `(aref (cpu-regs ,cpu) ,r)) nil)
;=> NIL
(progn (definst mov (c r v) (setf (reg c r) v)) nil)
;=> NIL
(progn (definst add (c a b) (incf (reg c a) (reg c b))) nil)
;=> NIL
(progn (definst dec (c r) (decf (reg c r)) (setf (cpu-flags c) (zerop (reg c r)))) nil)
;=> NIL
(progn (definst jnz (c target) (unless (cpu-flags c) (setf pc target))) nil)
;=> NIL
(progn (definst out (c r) (push (reg c r) (cpu-out c))) nil)
;=> NIL
(defun assemble (lines) (let ((labels '()) (code '())) (dolist (l lines) (if (symbolp l) (push (cons l (length code)) labels) (push l code))) (map 'vector (lambda (ins) (cons (car ins) (mapcar (lambda (a) (if (symbolp a) (or (cdr (assoc a labels)) (error "no label ~a" a)) a)) (cdr ins)))) (nreverse code))))
;=> ASSEMBLE
(defun run-cpu (program &key (cpu (make-cpu)) (limit 100)) (loop repeat limit while (< (cpu-pc cpu) (length program)) do (destructuring-bind (op . args) (aref program (cpu-pc cpu)) (incf (cpu-pc cpu)) (apply (or (gethash op *instructions*) (error "bad instruction ~s" op)) cpu args))) cpu)
;=> RUN-CPU
(let ((cpu (run-cpu (assemble '((mov 0 0) (mov 1 5) (mov 2 3) loop (add 0 2) (out 0) (dec 1) (jnz loop)))))) (print (reverse (cpu-out cpu))) (print cpu))
;>> \n(3 6 9 12 15) \n#S(CPU :REGS #(15 0 3 0) :PC 7 :FLAGS T :OUT (15 12 9 6 3)) 
;=> #S(CPU :REGS #(15 0 3 0) :PC 7 :FLAGS T :OUT (15 12 9 6 3))
(handler-case (assemble '((jnz nowhere))) (error (e) (princ-to-string e)))
;=> "no label NOWHERE"
(handler-case (run-cpu (assemble '((nop)))) (error (e) (princ-to-string e)))
;=> "bad instruction NOP"
(sort (loop for k being the hash-keys of *instructions* collect k) #'string< :key #'symbol-name)
;=> (ADD DEC JNZ MOV OUT)
(macroexpand-1 '(reg c 1))
;=> (AREF (CPU-REGS C) 1)
;=> T
(let ((c (make-cpu))) (setf (reg c 2) 9) (incf (reg c 2)) (print (cpu-regs c)) (print (cpu-regs (copy-cpu c))))
;>> \n#(0 0 10 0) \n#(0 0 10 0) 
;=> #(0 0 10 0)

;; sets of functions: higher-order API tests on many sequence functions with keys
(progn (defstruct emp name dept (pay 0)) nil)
;=> NIL
(defparameter *emps* (list (make-emp :name "ann" :dept :eng :pay 120) (make-emp :name "bob" :dept :ops :pay 80) (make-emp :name "cid" :dept :eng :pay 100) (make-emp :name "dee" :dept :hr :pay 90)))
;=> *EMPS*
(mapcar #'emp-name (sort (copy-list *emps*) #'> :key #'emp-pay))
;=> ("ann" "cid" "dee" "bob")
(reduce #'+ *emps* :key #'emp-pay)
;=> 390
(emp-name (find :ops *emps* :key #'emp-dept))
;=> "bob"
(count :eng *emps* :key #'emp-dept)
;=> 2
(position "cid" *emps* :key #'emp-name :test #'string=)
;=> 2
(mapcar #'emp-name (remove :eng *emps* :key #'emp-dept))
;=> ("bob" "dee")
(remove-duplicates (mapcar #'emp-dept *emps*))
;=> (:OPS :ENG :HR)
(let ((h (make-hash-table))) (dolist (e *emps*) (push (emp-name e) (gethash (emp-dept e) h))) (sort (loop for k being the hash-keys of h using (hash-value v) collect (list k (sort (copy-list v) #'string<))) #'string< :key #'car))
;=> ((:ENG ("ann" "cid")) (:HR ("dee")) (:OPS ("bob")))
(every (lambda (e) (> (emp-pay e) 50)) *emps*)
;=> T
(emp-name (reduce (lambda (a b) (if (> (emp-pay a) (emp-pay b)) a b)) *emps*))
;=> "ann"
(let ((copy (mapcar #'copy-emp *emps*))) (dolist (e copy) (incf (emp-pay e) 10)) (print (mapcar #'emp-pay copy)) (print (mapcar #'emp-pay *emps*)))
;>> \n(130 90 110 100) \n(120 80 100 90) 
;=> (120 80 100 90)
(loop for e in *emps* sum (emp-pay e) into total maximize (emp-pay e) into top finally (return (list total top (float (/ total (length *emps*))))))
;=> (390 120 97.5)
(format t "~%~:{~10a ~5d~%~}" (mapcar (lambda (e) (list (emp-name e) (emp-pay e))) *emps*))
;>> \nann          120\nbob           80\ncid          100\ndee           90\n
;=> NIL
(assoc :ops (pairlis (mapcar #'emp-dept *emps*) (mapcar #'emp-name *emps*)))
;=> (:OPS . "bob")
(member 100 *emps* :key #'emp-pay :test (lambda (a b) (and (numberp b) (= a b))))
;=> (#S(EMP :NAME "cid" :DEPT :ENG :PAY 100) #S(EMP :NAME "dee" :DEPT :HR :PAY 90))
(subsetp '(:eng) (mapcar #'emp-dept *emps*))
;=> T
(mapcar (lambda (e) (typecase (emp-pay e) ((integer 0 99) :low) (t :high))) *emps*)
;=> (:HIGH :LOW :HIGH :LOW)
(stable-sort (copy-list '((b 1) (a 2) (c 1))) #'< :key #'second)
;=> ((B 1) (C 1) (A 2))
(merge 'list (list 1 4 9) (list 2 3 10) #'<)
;=> (1 2 3 4 9 10)
(search "de" "abcdef")
;=> 3
(mismatch "abc" "abd")
;=> 2
(map 'list (lambda (a b) (* a b)) #(1 2 3) '(4 5 6))
;=> (4 10 18)
(find-if #'evenp '(1 3 5 6) :from-end t)
;=> 6
(nsubstitute-if 0 #'oddp (list 1 2 3))
;=> (0 2 0)
(delete-duplicates (list 1 1 2))
;=> (1 2)
(fill (make-array 3) 'x :start 1)
;=> #(0 X X)
(replace (list 1 2 3) '(a b) :start1 1)
;=> (1 A B)
(concatenate 'list "ab" #(1) '(x))
;=> (#\a #\b 1 X)

;; restarts protocol in depth
(defun process (items) (loop for x in items collect (restart-case (if (numberp x) (* x 2) (error "not a number: ~s" x)) (use-value (v) :report "supply" v) (skip-item () :report "skip" :skipped))))
;=> PROCESS
(handler-bind ((error (lambda (c) (declare (ignore c)) (invoke-restart 'skip-item)))) (process '(1 a 3)))
;=> (2 :SKIPPED 6)
(handler-bind ((error (lambda (c) (declare (ignore c)) (invoke-restart 'use-value 0)))) (process '(1 a 3)))
;=> (2 0 6)
(handler-case (process '(x)) (error (c) (format nil "~a" c)))
;=> "not a number: X"
(with-simple-restart (abandon "Give up ~a" 1) (invoke-restart 'abandon) 5)
;=> NIL
;=> T
(multiple-value-list (with-simple-restart (abandon "x") (invoke-restart 'abandon)))
;=> (NIL T)
(restart-case (invoke-restart 'r 1 2) (r (a b) (list a b)))
;=> (1 2)
(handler-bind ((error #'continue)) (cerror "go on" "problem") :continued)
;=> :CONTINUED
(block nil (handler-bind ((warning (lambda (w) (return (list :w (princ-to-string w)))))) (warn "careful ~a" 1)))
;=> (:W "careful 1")
(handler-bind ((warning (lambda (w) (declare (ignore w)) (muffle-warning)))) (warn "x") :after)
;=> :AFTER
(progn (define-condition my-c (condition) ((n :initarg :n :reader my-n))) nil)
;=> NIL
(let ((seen '())) (handler-bind ((my-c (lambda (c) (push (my-n c) seen)))) (signal 'my-c :n 1) (signal 'my-c :n 2) (nreverse seen)))
;=> (1 2)
(restart-case (handler-case (error "a") (error () (invoke-restart 'outer))) (outer () :outer))
;=> :OUTER
(find-restart 'no-such)
;=> NIL
(restart-case (restart-name (find-restart 'here)) (here () nil))
;=> HERE
(restart-case (mapcar #'restart-name (subseq (compute-restarts) 0 2)) (one () 1) (two () 2))
;=> (ONE TWO)
(progn (define-condition http-error (error) ((code :initarg :code :reader code :initform 500)) (:report (lambda (c s) (format s "HTTP ~d" (code c))))) nil)
;=> NIL
(progn (define-condition not-found (http-error) () (:default-initargs :code 404)) nil)
;=> NIL
(list (handler-case (error 'not-found) (http-error (e) (princ-to-string e))) (handler-case (error (make-condition 'http-error :code 503)) (http-error (e) (code e))))
;=> ("HTTP 404" 503)
(handler-case (handler-bind ((http-error (lambda (e) (error "wrapped: ~a" e)))) (error 'not-found)) (simple-error (e) (princ-to-string e)))
;=> "wrapped: HTTP 404"
(let ((depth 0)) (handler-bind ((error (lambda (c) (declare (ignore c)) (incf depth)))) (ignore-errors (handler-bind ((error (lambda (c) (declare (ignore c)) (incf depth 10)))) (error "x")))) depth)
;=> 10
(handler-case (unwind-protect (error "first") (error "second")) (error (e) (princ-to-string e)))
;=> "second"
(catch 'tag (handler-bind ((error (lambda (c) (throw 'tag (princ-to-string c))))) (error "thrown")))
;=> "thrown"
(typep (handler-case (error 'my-err) (error (e) e)) 'error)
;=> T
(handler-case (invoke-restart 'nonexistent) (control-error () :control))
;=> :CONTROL
(defun with-retry (f n) (loop (restart-case (return (funcall f)) (retry () (decf n) (when (minusp n) (return :gave-up))))))
;=> WITH-RETRY
(let ((k 0)) (handler-bind ((error (lambda (c) (declare (ignore c)) (invoke-restart 'retry)))) (list (with-retry (lambda () (if (< (incf k) 3) (error "no") k)) 5) (with-retry (lambda () (error "never")) 2))))
;=> (3 :GAVE-UP)

;; more loop
(loop for i from 0 to 10 by 2 for j downfrom 10 collect (cons i j))
;=> ((0 . 10) (2 . 9) (4 . 8) (6 . 7) (8 . 6) (10 . 5))
(loop for x in '(1 2 3 4 5 6) when (evenp x) sum x into e and count t into n else minimize x into m finally (return (list e n m)))
;=> (12 3 1)
(loop with (a b) = '(1 2) and c = 3 return (list a b c))
;=> (1 2 3)
(loop for (k . v) in '((a . 1) (b . 2)) collect k collect v)
;=> (A 1 B 2)
(loop for i upto 3 append (list i i))
;=> (0 0 1 1 2 2 3 3)
(loop for x = 0 then (1+ x) while (< x 3) collect x)
;=> (0 1 2)
(loop repeat 3 for x = 1 then (* x 2) collect x)
;=> (1 2 4)
(loop for x in '(a b c) for y = (list x) if (eq x 'b) do (return (list :found y)) end finally (return :none))
;=> (:FOUND (B))
(loop for c across "abc" as i = 0 then (1+ i) collect (list c i))
;=> ((#\a 0) (#\b 1) (#\c 2))
(loop for x in '(3 1 2) maximize x)
;=> 3
(loop for x in '() sum x)
;=> 0
(loop for x in '(1 2) collect x into l finally (return (nconc l (list :end))))
;=> (1 2 :END)
(loop for i from 1 to 3 do (when (= i 2) (loop-finish)) collect i)
;=> (1)
(loop named foo for i from 1 do (when (> i 3) (return-from foo i)))
;=> 4
(let ((l '())) (loop for i below 3 do (push i l) (push :x l)) l)
;=> (:X 2 :X 1 :X 0)
(loop for x in '(1 2 3) unless (= x 2) collect x end collect :sep)
;=> (1 :SEP :SEP 3 :SEP)
(loop for a in '(1 2 3) for b in '(x y) collect (list a b))
;=> ((1 X) (2 Y))
(loop for x in '(5 6) for i from 1 if (oddp x) collect i and collect x else collect :even)
;=> (1 5 :EVEN)
(loop for l on '(1 2 3) when (cdr l) collect (- (cadr l) (car l)))
;=> (1 1)
(loop for (a nil b) in '((1 2 3) (4 5 6)) collect (list a b))
;=> ((1 3) (4 6))
(loop with x = 5 while (plusp x) do (decf x) finally (return x))
;=> 0
(loop until t)
;=> NIL
(loop for x being the symbols of :keyword thereis (eq x :test))
;=> T

;; a tiny neural net in plain CL arrays: forward pass and gradient descent on XOR
(progn (defstruct (layer (:constructor %make-layer (w b act))) w b act) nil)
;=> NIL
(defun lcg (state) (mod (+ (* state 1103515245) 12345) 2147483648))
;=> LCG
(defvar *seed* 42)
;=> *SEED*
(defun rnd () (setf *seed* (lcg *seed*)) (- (/ *seed* 1073741824.0d0) 1d0))
;=> RND
(defun make-matrix (r c) (let ((m (make-array (list r c) :element-type 'double-float))) (dotimes (i r m) (dotimes (j c) (setf (aref m i j) (rnd))))))
;=> MAKE-MATRIX
(defun matvec (m v) (destructuring-bind (r c) (array-dimensions m) (let ((out (make-array r :element-type 'double-float :initial-element 0d0))) (dotimes (i r out) (dotimes (j c) (incf (aref out i) (* (aref m i j) (aref v j))))))))
;=> MATVEC
(defun sigmoid (x) (/ 1d0 (+ 1d0 (exp (- x)))))
;=> SIGMOID
(defun forward (layer x) (map '(vector double-float) (lambda (z b) (funcall (layer-act layer) (+ z b))) (matvec (layer-w layer) x) (layer-b layer)))
;=> FORWARD
(defvar *l1* (%make-layer (make-matrix 4 2) (make-array 4 :element-type 'double-float :initial-element 0d0) #'sigmoid))
;=> *L1*
(defvar *l2* (%make-layer (make-matrix 1 4) (make-array 1 :element-type 'double-float :initial-element 0d0) #'sigmoid))
;=> *L2*
(defparameter *data* '((#(0d0 0d0) 0d0) (#(0d0 1d0) 1d0) (#(1d0 0d0) 1d0) (#(1d0 1d0) 0d0)))
;=> *DATA*
(defun train-step (x target rate) (let* ((h (forward *l1* x)) (o (forward *l2* h)) (y (aref o 0)) (dy (* (- y target) y (- 1 y))) (dh (make-array 4))) (dotimes (j 4) (setf (aref dh j) (* dy (aref (layer-w *l2*) 0 j) (aref h j) (- 1 (aref h j))))) (dotimes (j 4) (decf (aref (layer-w *l2*) 0 j) (* rate dy (aref h j))) (dotimes (k 2) (decf (aref (layer-w *l1*) j k) (* rate (aref dh j) (aref x k)))) (decf (aref (layer-b *l1*) j) (* rate (aref dh j)))) (decf (aref (layer-b *l2*) 0) (* rate dy)) (expt (- y target) 2)))
;=> TRAIN-STEP
(loop for epoch from 1 to 600
      for loss = (loop for (x y) in *data* sum (train-step x y 0.5d0))
      when (zerop (mod epoch 200)) do (format t "epoch ~4d loss ~,6f~%" epoch loss))
;>> epoch  200 loss 1.034953\nepoch  400 loss 0.879548\nepoch  600 loss 0.670384\n
;=> NIL
(layer-b *l1*)
;=> #(-0.07611931483683128d0 -0.08482268682532296d0 0.5721063367416414d0 -0.40728939722362d0)
(layer-b *l2*)
;=> #(-0.16200562894725637d0)

