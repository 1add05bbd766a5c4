;;; Chapter: programs in the style of users: macros, text, sequences, configurations.

;; string processing: CSV, caesar, palindromes, roman numerals
(defun split-csv (line) (loop with out = '() with cur = (make-string-output-stream) with q = nil
  for c across line do (cond ((char= c #\") (setf q (not q))) ((and (char= c #\,) (not q)) (push (get-output-stream-string cur) out)) (t (write-char c cur)))
  finally (return (nreverse (cons (get-output-stream-string cur) out)))))
;=> SPLIT-CSV
(split-csv "a,\"b,c\",d,,e")
;=> ("a" "b,c" "d" "" "e")
(defun caesar (s k) (map 'string (lambda (c) (cond ((char<= #\a c #\z) (code-char (+ 97 (mod (+ k (- (char-code c) 97)) 26)))) ((upper-case-p c) (char-upcase (char (caesar (string (char-downcase c)) k) 0))) (t c))) s))
;=> CAESAR
(caesar "Hello, World!" 3)
;=> "Khoor, Zruog!"
(caesar (caesar "Hello, World!" 3) -3)
;=> "Hello, World!"
(defun palindrome-p (s) (let ((clean (remove-if-not #'alpha-char-p (string-downcase s)))) (string= clean (reverse clean))))
;=> PALINDROME-P
(mapcar #'palindrome-p '("A man, a plan, a canal: Panama" "hello"))
;=> (T NIL)
(loop for n in '(1 4 9 14 40 90 400 1999 2024) collect (format nil "~@r" n))
;=> ("I" "IV" "IX" "XIV" "XL" "XC" "CD" "MCMXCIX" "MMXXIV")
(format nil "~:@(~a~) ~(~a~) ~:(~a~)" "shout" "QUIET" "title case here")
;=> "SHOUT quiet Title Case Here"
(string-trim " -" "-- trimmed --")
;=> "trimmed"
(substitute #\_ #\Space "a b c")
;=> "a_b_c"
(list (search "lo" "hello") (mismatch "abcx" "abcy") (string< "apple" "banana") (string-equal "ABC" "abc"))
;=> (3 3 0 T)
(parse-integer "  42 " :junk-allowed nil)
;=> 42
;=> 5
(multiple-value-list (parse-integer "12abc" :junk-allowed t))
;=> (12 2)
(parse-integer "ff" :radix 16)
;=> 255
;=> 2
(concatenate 'string "foo" '(#\b #\a #\r) #(#\!))
;=> "foobar!"
(with-output-to-string (s) (dolist (x '(1 2 3)) (format s "<~d>" x)))
;=> "<1><2><3>"
(read-from-string "(a \"b\" #\\c 1.5 . d)")
;=> (A "b" #\c 1.5 . D)
;=> 19
(multiple-value-list (read-from-string "foo bar" t nil :start 3))
;=> (BAR 7)
(list (char-name #\Space) (name-char "Newline") (digit-char-p #\7) (digit-char 11 16) (char-int #\A))
;=> ("Space" #\Newline 7 #\B 65)

;; macros: anaphoric if, while, with-collect, once-only, state machine
(progn (defmacro aif (test then &optional else) `(let ((it ,test)) (if it ,then ,else))) nil)
;=> NIL
(progn (defmacro while (test &body body) `(loop (unless ,test (return)) ,@body)) nil)
;=> NIL
(progn (defmacro with-collector ((name) &body body) (let ((list (gensym)) ) `(let ((,list '())) (flet ((,name (x) (push x ,list) x)) ,@body) (nreverse ,list)))) nil)
;=> NIL
(progn (defmacro my-or (&rest args) (if (null args) nil (let ((g (gensym))) `(let ((,g ,(car args))) (if ,g ,g (my-or ,@(cdr args))))))) nil)
;=> NIL
(progn (defmacro defenum (name &rest items) `(progn ,@(loop for i in items for n from 0 collect `(defconstant ,i ,n)) (defparameter ,name ',items))) nil)
;=> NIL
(progn (defmacro for ((var from to &key (by 1)) &body body) (let ((end (gensym "END"))) `(do ((,var ,from (+ ,var ,by)) (,end ,to)) ((> ,var ,end)) ,@body))) nil)
;=> NIL
(aif (assoc 'b '((a . 1) (b . 2))) (cdr it) :none)
;=> 2
(let ((i 0)) (while (< i 3) (princ i) (incf i)))
;>> 012
;=> NIL
(with-collector (keep) (dotimes (i 10) (when (evenp i) (keep (* i i)))))
;=> (0 4 16 36 64)
(my-or nil nil 3 (error "no"))
;=> 3
(defenum *colors* +red+ +green+ +blue+)
;=> *COLORS*
(list +red+ +blue+ *colors*)
;=> (0 2 (+RED+ +GREEN+ +BLUE+))
(for (x 1 10 :by 3) (princ x) (princ #\Space))
;>> 1 4 7 10 
;=> NIL
;departs: lines are broken by pprint only
(macroexpand-1 '(aif a b c))
;=> (LET ((IT A)) (IF IT B C))
;=> T
(progn (defmacro defstate (name &body clauses) `(defun ,name (input) (case input ,@(mapcar (lambda (c) (destructuring-bind (from arrow to) c (declare (ignore arrow)) `(,from ',to))) clauses) (otherwise :stuck)))) nil)
;=> NIL
(defstate step1 (a -> b) (b -> c))
;=> STEP1
(mapcar #'step1 '(a b z))
;=> (B C :STUCK)
(progn (defmacro with-timing-stub ((&key (label "x")) &body body) `(progn (format t "~a:" ,label) (multiple-value-prog1 (progn ,@body) (terpri)))) nil)
;=> NIL
(multiple-value-list (with-timing-stub (:label "run") (floor 7 2)))
;>> run:\n
;=> (3 1)
(macrolet ((sq (x) `(* ,x ,x))) (sq (+ 1 2)))
;=> 9
(symbol-macrolet ((foo (car cell))) (let ((cell (list 1 2))) (setf foo 10) cell))
;=> (10 2)
(progn (defmacro nested (&whole w (a &optional (b 5)) &key c &environment env) (declare (ignore env)) `(list ',w ,a ,b ,c)) nil)
;=> NIL
(nested (1) :c 3)
;=> ((NESTED (1) :C 3) 1 5 3)
(nested (1 2))
;=> ((NESTED (1 2)) 1 2 NIL)

;; JSON printer and parser
(defun json-write (x stream)
  (typecase x
    (null (write-string "null" stream)) ((eql t) (write-string "true" stream)) (string (format stream "~s" x)) (integer (format stream "~d" x)) (float (format stream "~f" x))
    (vector (write-char #\[ stream) (loop for e across x for first = t then nil unless first do (write-char #\, stream) do (json-write e stream)) (write-char #\] stream))
    (cons (write-char #\{ stream) (loop for ((k . v) . more) on x do (format stream "~s:" (string-downcase k)) (json-write v stream) when more do (write-char #\, stream)) (write-char #\} stream))))
;=> JSON-WRITE
(defun json-string (x) (with-output-to-string (s) (json-write x s)))
;=> JSON-STRING
(json-string '((:name . "n\"x") (:list . #(1 2.5 nil t)) (:obj . ((:a . 1)))))
;=> "{\"name\":\"n\\\"x\",\"list\":[1,2.5,null,true],\"obj\":{\"a\":1}}"
(defun skip-ws (s) (loop for c = (peek-char nil s nil) while (and c (member c '(#\Space #\Tab #\Newline))) do (read-char s)))
;=> SKIP-WS
(defun parse (s)
  (skip-ws s)
  (let ((c (peek-char nil s)))
    (case c
      (#\{ (read-char s) (loop do (skip-ws s) until (eql (peek-char nil s) #\}) collect (let ((k (parse s))) (skip-ws s) (assert (eql (read-char s) #\:)) (cons k (parse s))) do (skip-ws s) (when (eql (peek-char nil s) #\,) (read-char s)) finally (read-char s)))
      (#\[ (read-char s) (coerce (loop do (skip-ws s) until (eql (peek-char nil s) #\]) collect (parse s) do (skip-ws s) (when (eql (peek-char nil s) #\,) (read-char s)) finally (read-char s)) 'vector))
      (#\" (read-char s) (with-output-to-string (o) (loop for ch = (read-char s) until (char= ch #\") do (write-char (if (char= ch #\\) (read-char s) ch) o))))
      (t (let ((tok (with-output-to-string (o) (loop for ch = (peek-char nil s nil) while (and ch (or (alphanumericp ch) (find ch "+-."))) do (write-char (read-char s) o)))))
        (cond ((string= tok "true") t) ((string= tok "false") :false) ((string= tok "null") nil) ((every #'digit-char-p tok) (parse-integer tok)) (t (let ((*read-default-float-format* 'double-float)) (read-from-string tok)))))))))
;=> PARSE
(with-input-from-string (s " {\"a\": [1, 2.5, \"x\\\"y\"], \"b\": {\"c\": null, \"d\": true}, \"e\": false}") (print (parse s)))
;>> \n(("a" . #(1 2.5d0 "x\"y")) ("b" ("c") ("d" . T)) ("e" . :FALSE)) 
;=> (("a" . #(1 2.5d0 "x\"y")) ("b" ("c") ("d" . T)) ("e" . :FALSE))
(with-input-from-string (s "[[],{},[1,[2,[3]]]]") (print (parse s)))
;>> \n#(#() NIL #(1 #(2 #(3)))) 
;=> #(#() NIL #(1 #(2 #(3))))

;; iteration & assignment corner cases
(let ((x 1) (y 2)) (psetq x y y x) (list x y))
;=> (2 1)
(let ((a 1) (b 2) (c 3)) (rotatef a b c) (list a b c))
;=> (2 3 1)
(let ((a 1) (b 2)) (list (shiftf a b 9) a b))
;=> (1 2 9)
(let ((l (list 1 2 3))) (incf (first l) 10) (decf (third l)) (pushnew 2 l) (pushnew 7 l) (list (pop l) l))
;=> (7 (11 2 2))
(let (a b) (multiple-value-setq (a b) (floor 7 2)) (list a b))
;=> (3 1)
(let (a b) (setf (values a b) (values 1 2)) (list a b))
;=> (1 2)
(let ((v (vector 1 2 3))) (setf (aref v 0) 'a (subseq v 1) #(x y)) v)
;=> #(A X Y)
(let ((s (copy-seq "hello"))) (setf (char s 0) #\J) s)
;=> "Jello"
(let ((al (list (cons 'a 1)))) (setf (cdr (assoc 'a al)) 5) al)
;=> ((A . 5))
(let ((x (list 1 2 3 4))) (setf (nth 2 x) 'c (car (last x)) 'end) x)
;=> (1 2 C END)
(let ((n 0)) (dolist (x '(1 2 3) n) (incf n x)))
;=> 6
(dotimes (i 3 (* i 10)))
;=> 30
(let ((r nil)) (dotimes (i 5) (when (= i 3) (return (nreverse r))) (push i r)))
;=> (0 1 2)
(let ((i 0)) (loop (when (>= i 3) (return i)) (incf i)))
;=> 3
(do ((l '(1 2 3) (cdr l)) (s 0 (+ s (car l)))) ((null l) s))
;=> 6
(prog1 1 2 3)
;=> 1
(prog2 1 2 3)
;=> 2
(progn)
;=> NIL
(and 1 2)
;=> 2
(or nil 3)
;=> 3
(when nil 1)
;=> NIL
(unless nil 1)
;=> 1
(cond ((= 1 2) :a) ((find 3 '(1 3))) (t :c))
;=> 3
(let* ((x 1) (y (1+ x))) (list x y))
;=> (1 2)
(flet ((f (x) (* x 2))) (labels ((g (n) (if (zerop n) 0 (+ (f n) (g (1- n)))))) (g 3)))
;=> 12
(destructuring-bind (a (b &optional (c 3)) &rest d &key e &allow-other-keys) '(1 (2) :e 5 :f 6) (list a b c d e))
;=> (1 2 3 (:E 5 :F 6) 5)
(handler-case (destructuring-bind (a b) '(1) (list a b)) (error () :mismatch))
;=> :MISMATCH
(defun f (&key (a 1) ((:bee b) 2 b-p) &aux (c (+ a b))) (list a b b-p c))
;=> F
(list (f) (f :bee 5) (f :a 3 :bee 4))
;=> ((1 2 NIL 3) (1 5 T 6) (3 4 T 7))
(defun g (x &optional (y x) &rest z) (list x y z))
;=> G
(list (g 1) (g 1 2) (g 1 2 3 4))
;=> ((1 1 NIL) (1 2 NIL) (1 2 (3 4)))
(apply #'g 1 '(2 3))
;=> (1 2 (3))
(funcall 'g 9)
;=> (9 9 NIL)
(handler-case (f :nope 1) (error () :bad-key))
;=> :BAD-KEY
(handler-case (eval '(g)) (error () :too-few))
;=> :TOO-FEW
(defun fact (n &optional (acc 1)) (if (<= n 1) acc (fact (1- n) (* n acc))))
;=> FACT
(fact 15)
;=> 1307674368000
(let ((f (lambda (x &key (y 2)) (* x y)))) (funcall f 3 :y 5))
;=> 15
(defparameter *count* 0)
;=> *COUNT*
(defun tick () (incf *count*))
;=> TICK
(list (tick) (tick) (let ((*count* 100)) (tick)) (tick))
;=> (1 2 101 3)
(eval (list '+ 1 2))
;=> 3
(funcall (compile nil '(lambda (x) (* x x))) 7)
;=> 49
(boundp '*count*)
;=> T
(functionp #'fact)
;=> T
(symbolp 'a)
;=> T
(defsetf my-first (l) (v) `(progn (rplaca ,l ,v) ,v))
;=> MY-FIRST
(defun my-first (l) (car l))
;=> MY-FIRST
(let ((l (list 1 2))) (setf (my-first l) 9) l)
;=> (9 2)
(define-modify-macro appendf (&rest args) append)
;=> APPENDF
(let ((l '(1))) (appendf l '(2) '(3)) l)
;=> (1 2 3)
(defun (setf second-thing) (v l) (setf (second l) v))
;=> (SETF SECOND-THING)
(let ((l (list 1 2))) (setf (second-thing l) :x) l)
;=> (1 :X)
(let ((x 5)) (symbol-macrolet ((y (+ x 1))) (list y (let ((x 10)) y))))
;=> (6 11)
(case 'b (a 1) ((b c) 2) (otherwise 3))
;=> 2

;; model-style: parameters as plists, layer configs, flatten nested params, config merging
(defun deep-merge (a b) (cond ((and (listp a) (listp b) (keywordp (first a)) (keywordp (first b))) (let ((out (copy-list a))) (loop for (k v) on b by #'cddr do (setf (getf out k) (if (getf out k) (deep-merge (getf out k) v) v))) out)) (t b)))
;=> DEEP-MERGE
(deep-merge '(:model (:dim 8 :layers 2) :lr 0.1) '(:model (:layers 4) :steps 10))
;=> (:STEPS 10 :MODEL (:DIM 8 :LAYERS 4) :LR 0.1)
(defun flatten-config (plist &optional (prefix "")) (loop for (k v) on plist by #'cddr for name = (format nil "~a~(~a~)" prefix k) if (and (consp v) (keywordp (car v))) append (flatten-config v (concatenate 'string name ".")) else collect (cons name v)))
;=> FLATTEN-CONFIG
(format t "~%~:{~20a ~s~%~}" (mapcar (lambda (p) (list (car p) (cdr p))) (flatten-config '(:gpt (:n-layer 12 :n-head 12 :attn (:bias t)) :vocab 50257))))
;>> \ngpt.n-layer          12\ngpt.n-head           12\ngpt.attn.bias        T\nvocab                50257\n
;=> NIL
(progn (defmacro with-config ((&rest vars) config &body body) `(let ,(loop for v in vars collect `(,v (getf ,config ,(intern (symbol-name v) :keyword)))) ,@body)) nil)
;=> NIL
(with-config (dim heads) '(:dim 64 :heads 4) (/ dim heads))
;=> 16
(defun shape-of (x) (if (listp x) (cons (length x) (and x (shape-of (first x)))) '()))
;=> SHAPE-OF
(shape-of '((1 2 3) (4 5 6)))
;=> (2 3)
(defun broadcast (a b) (let ((n (max (length a) (length b)))) (flet ((pad (s) (append (make-list (- n (length s)) :initial-element 1) s))) (mapcar (lambda (x y) (cond ((= x y) x) ((= x 1) y) ((= y 1) x) (t (error "cannot broadcast ~a and ~a" a b)))) (pad a) (pad b)))))
;=> BROADCAST
(broadcast '(3 1 5) '(4 1))
;=> (3 4 5)
(handler-case (broadcast '(2 3) '(4 3)) (error (c) (princ-to-string c)))
;=> "cannot broadcast (2 3) and (4 3)"
(defun strides (shape) (loop for (nil . rest) on shape collect (reduce #'* rest)))
;=> STRIDES
(strides '(2 3 4))
;=> (12 4 1)
(defun unravel (i shape) (loop for s in (strides shape) collect (multiple-value-bind (q r) (floor i s) (setf i r) q)))
;=> UNRAVEL
(loop for i in '(0 5 23) collect (unravel i '(2 3 4)))
;=> ((0 0 0) (0 1 1) (1 2 3))
(defun transpose-list (m) (apply #'mapcar #'list m))
;=> TRANSPOSE-LIST
(defun matmul (a b) (let ((bt (transpose-list b))) (loop for row in a collect (loop for col in bt collect (reduce #'+ (mapcar #'* row col))))))
;=> MATMUL
(matmul '((1 2) (3 4)) '((5 6) (7 8)))
;=> ((19 22) (43 50))
(defun softmax (xs) (let* ((m (reduce #'max xs)) (es (mapcar (lambda (x) (exp (- x m))) xs)) (s (reduce #'+ es))) (mapcar (lambda (e) (/ e s)) es)))
;=> SOFTMAX
(format t "~%~{~,4f~^ ~}~%" (softmax '(1.0 2.0 3.0)))
;>> \n0.0900 0.2447 0.6652\n
;=> NIL
(defun argmax (xs) (loop with best = 0 for x in xs for i from 0 when (> x (nth best xs)) do (setf best i) finally (return best)))
;=> ARGMAX
(argmax '(1 5 2))
;=> 1
(defun batches (list n) (loop while list collect (loop repeat n while list collect (pop list))))
;=> BATCHES
(batches '(1 2 3 4 5 6 7) 3)
;=> ((1 2 3) (4 5 6) (7))
(defun iota (n &key (start 0) (step 1)) (loop repeat n for i from start by step collect i))
;=> IOTA
(iota 5 :start 1 :step 2)
;=> (1 3 5 7 9)
(reduce (lambda (acc x) (+ (* acc 0.9) (* 0.1 x))) '(1.0 2.0 3.0) :initial-value 0.0)
;=> 0.561
(defun topk (xs k) (subseq (sort (loop for x in xs for i from 0 collect (cons x i)) #'> :key #'car) 0 k))
;=> TOPK
(topk '(3 1 4 1 5 9 2 6) 3)
;=> ((9 . 5) (6 . 7) (5 . 4))
(defun one-hot (i n) (let ((v (make-list n :initial-element 0))) (setf (nth i v) 1) v))
;=> ONE-HOT
(one-hot 2 4)
;=> (0 0 1 0)
(let ((h (make-hash-table :test 'equal))) (loop for w in '("a" "b" "a") do (unless (gethash w h) (setf (gethash w h) (hash-table-count h)))) (list (gethash "a" h) (gethash "b" h)))
;=> (0 1)

;; optional parameters, dynamic scope, multiple values through unwind, catch/throw nesting
(defvar *level* 0)
;=> *LEVEL*
(defun nested (n) (let ((*level* (1+ *level*))) (if (zerop n) (list *level*) (cons *level* (nested (1- n))))))
;=> NESTED
(nested 4)
;=> (1 2 3 4 5)
(identity *level*)
;=> 0
(defun thrower (tag v) (throw tag v))
;=> THROWER
(catch :a (catch :b (thrower :a 1)) 2)
;=> 1
(catch :a (list (catch :b (thrower :b 1)) 2))
;=> (1 2)
(multiple-value-list (unwind-protect (values 1 2) (values 3 4)))
;=> (1 2)
(block b (unwind-protect (return-from b 1) (print :cleanup)))
;>> \n:CLEANUP 
;=> 1
(let ((log '())) (handler-case (unwind-protect (progn (push 1 log) (error "x")) (push 2 log)) (error () (push 3 log))) (reverse log))
;=> (1 2 3)
(let ((x 0)) (block nil (mapc (lambda (y) (when (> y 2) (return)) (incf x y)) '(1 2 3 4))) x)
;=> 3
(flet ((f (&rest args) (apply #'values args))) (multiple-value-list (f 1 2 3)))
;=> (1 2 3)
(multiple-value-list (values))
;=> NIL
(multiple-value-list (round 7 2))
;=> (4 -1)
(list (values 1 2) (values))
;=> (1 NIL)
(let ((fs (list))) (do ((i 0 (1+ i))) ((= i 3)) (let ((j i)) (push (lambda () (incf j)) fs))) (mapcar (lambda (f) (funcall f) (funcall f)) fs))
;=> (4 3 2)
(defun counter-pair () (let ((n 0)) (values (lambda () (incf n)) (lambda () n))))
;=> COUNTER-PAIR
(multiple-value-bind (inc get) (counter-pair) (funcall inc) (funcall inc) (print (funcall get)))
;>> \n2 
;=> 2
(defun tree-insert (tree x) (cond ((null tree) (list x nil nil)) ((< x (first tree)) (list (first tree) (tree-insert (second tree) x) (third tree))) (t (list (first tree) (second tree) (tree-insert (third tree) x)))))
;=> TREE-INSERT
(defun tree-walk (tree) (when tree (append (tree-walk (second tree)) (list (first tree)) (tree-walk (third tree)))))
;=> TREE-WALK
(tree-walk (reduce #'tree-insert '(5 2 8 1 9 3) :initial-value nil))
;=> (1 2 3 5 8 9)
(tagbody a (go c) b (print :b) (go d) c (print :c) (go b) d)
;>> \n:C \n:B 
;=> NIL
(let ((r '())) (tagbody (dotimes (i 3) (push i r) (when (= i 1) (go out))) out (push :out r)) r)
;=> (:OUT 1 0)
(progn (defmacro swap (a b) (let ((tmp (gensym))) `(let ((,tmp ,a)) (setf ,a ,b ,b ,tmp)))) nil)
;=> NIL
(let ((v (vector 1 2))) (swap (aref v 0) (aref v 1)) v)
;=> #(2 1)
(progn (defmacro do-pairs ((a b list &optional result) &body body) (let ((l (gensym))) `(do ((,l ,list (cddr ,l))) ((null ,l) ,result) (let ((,a (first ,l)) (,b (second ,l))) ,@body)))) nil)
;=> NIL
(let ((out nil)) (print (do-pairs (k v '(:a 1 :b 2) (nreverse out)) (push (list k v) out))))
;>> \n((:A 1) (:B 2)) 
;=> ((:A 1) (:B 2))
(let ((i 0)) (list (incf i) (incf i 5) (decf i) i))
;=> (1 6 5 5)
(let ((a (make-array 3 :initial-element 0)) (i 0)) (incf (aref a (incf i)) 10) (list a i))
;=> (#(0 10 0) 1)
(mapcar (lambda (f) (funcall f 4 2)) (list #'+ #'- #'* #'/ #'expt #'mod #'max 'min (lambda (a b) (list a b))))
;=> (6 2 8 2 16 0 4 2 (4 2))
(nth-value 0 (ignore-errors (handler-bind ((error (lambda (c) (declare (ignore c)) (print :saw)))) (error "x") nil)))
;>> \n:SAW 
;=> NIL
(handler-case (handler-case (error "inner") (type-error () :wrong)) (error (c) (list :outer (princ-to-string c))))
;=> (:OUTER "inner")
(handler-case (values 1 2) (:no-error (a b) (list :ok a b)) (error () :bad))
;=> (:OK 1 2)

;; event system w/ hash tables of closures; observers; plist dispatch; string streams
(defvar *handlers* (make-hash-table))
;=> *HANDLERS*
(defun on (event fn) (setf (gethash event *handlers*) (append (gethash event *handlers*) (list fn))))
;=> ON
(defun fire (event &rest args) (mapcar (lambda (fn) (apply fn args)) (gethash event *handlers*)))
;=> FIRE
(progn (on :tick (lambda (n) (* n 2))) nil)
;=> NIL
(progn (on :tick (lambda (n) (format nil "<~a>" n))) nil)
;=> NIL
(fire :tick 21)
;=> (42 "<21>")
(fire :none)
;=> NIL
(progn (defmacro define-command (name (&rest args) &body body) `(setf (get ',name 'command) (lambda ,args ,@body))) nil)
;=> NIL
(progn (define-command greet (who) (format nil "hi ~a" who)) nil)
;=> NIL
(progn (define-command sum (&rest ns) (reduce #'+ ns)) nil)
;=> NIL
(defun run-command (line) (let* ((form (read-from-string (format nil "(~a)" line))) (fn (get (car form) 'command))) (if fn (apply fn (cdr form)) :unknown)))
;=> RUN-COMMAND
(mapcar #'run-command '("greet bob" "sum 1 2 3" "nope 1"))
;=> ("hi BOB" 6 :UNKNOWN)
(progn (defclass observable () ((listeners :initform '() :accessor listeners))) nil)
;=> NIL
(progn (defclass temp (observable) ((value :initform 0 :accessor value))) nil)
;=> NIL
(progn (defmethod (setf value) :after (new (o temp)) (dolist (l (listeners o)) (funcall l new))) nil)
;=> NIL
(let ((o (make-instance 'temp)) (log '())) (push (lambda (v) (push v log)) (listeners o)) (setf (value o) 10) (incf (value o) 5) (print log))
;>> \n(15 10) 
;=> (15 10)
(defun pipeline (&rest fns) (lambda (x) (reduce (lambda (acc f) (funcall f acc)) fns :initial-value x)))
;=> PIPELINE
(funcall (pipeline #'string-upcase #'reverse (lambda (s) (subseq s 0 2)) #'length) "hello")
;=> 2
(let ((stack '())) (dolist (tok '(3 4 + 2 *) (pop stack)) (if (numberp tok) (push tok stack) (let ((b (pop stack)) (a (pop stack))) (push (funcall tok a b) stack)))))
;=> 14
(progn (defmacro with-captured-output (&body body) `(with-output-to-string (*standard-output*) ,@body)) nil)
;=> NIL
(with-captured-output (princ "a") (print 1) (format t "~a" 'x))
;=> "a\n1 X"
(let ((s (make-string-input-stream "line1
line2"))) (list (read-line s) (read-line s) (read-line s nil :eof)))
;=> ("line1" "line2" :EOF)
(defun parse-kv (s) (let ((p (position #\= s))) (cons (subseq s 0 p) (subseq s (1+ p)))))
;=> PARSE-KV
(mapcar #'parse-kv '("a=1" "b=2=3"))
;=> (("a" . "1") ("b" . "2=3"))
(defun join (sep list) (with-output-to-string (o) (loop for (x . more) on list do (princ x o) when more do (princ sep o))))
;=> JOIN
(join ", " '(1 "b" c))
;=> "1, b, C"
(defun repeat-string (s n) (apply #'concatenate 'string (loop repeat n collect s)))
;=> REPEAT-STRING
(repeat-string "ab" 3)
;=> "ababab"
(defun starts-with (p s) (and (>= (length s) (length p)) (string= p s :end2 (length p))))
;=> STARTS-WITH
(list (starts-with "he" "hello") (starts-with "x" "hello"))
;=> (T NIL)
(defun replace-all (s old new) (with-output-to-string (o) (loop with start = 0 for pos = (search old s :start2 start) do (write-string s o :start start :end (or pos (length s))) while pos do (write-string new o) (setf start (+ pos (length old))))))
;=> REPLACE-ALL
(replace-all "a-b-c" "-" "++")
;=> "a++b++c"
(map 'string #'char-upcase "abc")
;=> "ABC"
(string-trim '(#\Space #\Newline) (format nil "  x~%"))
;=> "x"
(sort (list "pear" "fig" "apple") #'string<)
;=> ("apple" "fig" "pear")
(sort (list "pear" "fig" "apple") #'< :key #'length)
;=> ("fig" "pear" "apple")
(reduce (lambda (a b) (concatenate 'string a "/" b)) '("a" "b" "c"))
;=> "a/b/c"
(count-if (lambda (c) (find c "aeiou")) "programming language")
;=> 7
(remove-duplicates "mississippi")
;=> "mspi"
(loop for c across "hello" for i from 0 when (char= c #\l) collect i)
;=> (2 3)

;; macro-heavy DSL: html generator, pattern match macro, pipeline macro
(defun attrs (plist) (with-output-to-string (s) (loop for (k v) on plist by #'cddr do (format s " ~(~a~)=\"~a\"" k v))))
;=> ATTRS
(progn (defmacro html (form) (labels ((gen (f) (cond ((stringp f) `(write-string ,f)) ((and (consp f) (keywordp (car f))) (let ((attrs (loop while (keywordp (cadr f)) nconc (list (cadr f) (caddr f)) do (setf f (cons (car f) (cdddr f)))))) `(progn (format t "<~(~a~)~a>" ,(car f) (attrs (list ,@attrs))) ,@(mapcar #'gen (cdr f)) (format t "</~(~a~)>" ,(car f))))) (t `(princ ,f))))) (gen form))) nil)
;=> NIL
(with-output-to-string (*standard-output*) (html (:div :class "x" (:p "hi " (+ 1 2)) (:br))))
;=> "<div class=\"x\"><p>hi 3</p><br></br></div>"
(progn (defmacro -> (x &rest forms) (reduce (lambda (acc f) (if (consp f) `(,(car f) ,acc ,@(cdr f)) (list f acc))) forms :initial-value x)) nil)
;=> NIL
(-> 5 (+ 3) (* 2) 1+ list)
;=> (17)
(progn (defmacro ->> (x &rest forms) (reduce (lambda (acc f) (if (consp f) `(,@f ,acc) (list f acc))) forms :initial-value x)) nil)
;=> NIL
(->> '(1 2 3) (mapcar #'1+) (remove-if #'evenp))
;=> (3)
(macroexpand-1 '(-> a (b c) d))
;=> (D (B A C))
;=> T
(progn (defmacro match (expr &body clauses) (let ((v (gensym))) (labels ((compile-pat (pat place) (cond ((eq pat '_) (values t nil)) ((null pat) (values `(null ,place) nil)) ((symbolp pat) (values t (list (list pat place)))) ((atom pat) (values `(eql ,place ,pat) nil)) ((eq (car pat) 'quote) (values `(eq ,place ',(cadr pat)) nil)) (t (multiple-value-bind (t1 b1) (compile-pat (car pat) `(car ,place)) (multiple-value-bind (t2 b2) (compile-pat (cdr pat) `(cdr ,place)) (values `(and (consp ,place) ,t1 ,t2) (append b1 b2)))))))) `(let ((,v ,expr)) (cond ,@(loop for (pat . body) in clauses collect (multiple-value-bind (test binds) (compile-pat pat v) `(,test (let ,binds ,@body))))))))) nil)
;=> NIL
(defun simp (e) (match e (('+ 0 x) (simp x)) (('* 1 x) (simp x)) (('* 0 _) 0) ((op a b) (list op (simp a) (simp b))) (x x)))
;=> SIMP
(mapcar #'simp '((+ 0 y) (* 1 (+ 0 z)) (* 0 (f x)) (- (+ 0 1) 2)))
;=> (Y Z 0 (- 1 2))
(progn (defmacro with-vars (names &body body) `(let ,(mapcar (lambda (n) `(,n (gensym ,(symbol-name n)))) names) ,@body)) nil)
;=> NIL
(progn (defmacro square-once (x) (with-vars (val) `(let ((,val ,x)) (* ,val ,val)))) nil)
;=> NIL
(let ((n 0)) (square-once (incf n)))
;=> 1
(progn (defmacro cond-let (&rest clauses) (if clauses (destructuring-bind ((var test) &rest body) (car clauses) `(let ((,var ,test)) (if ,var (progn ,@body) (cond-let ,@(cdr clauses))))) nil)) nil)
;=> NIL
(cond-let ((x (find 9 '(1 2))) (list :a x)) ((y (member 2 '(1 2 3))) (list :b y)))
;=> (:B (2 3))
(progn (defmacro deftable (name &rest rows) `(progn (defparameter ,name (make-hash-table)) ,@(loop for (k v) in rows collect `(setf (gethash ',k ,name) ,v)) ',name)) nil)
;=> NIL
(deftable *ops* (plus #'+) (minus #'-))
;=> *OPS*
(funcall (gethash 'minus *ops*) 5 3)
;=> 2
(progn (defmacro collect-when ((var list) pred) `(loop for ,var in ,list when ,pred collect ,var)) nil)
;=> NIL
(collect-when (x '(1 2 3 4)) (> x 2))
;=> (3 4)
(progn (defmacro repeat (n &body body) `(loop repeat ,n do (progn ,@body))) nil)
;=> NIL
(let ((c 0)) (repeat 3 (incf c)) (print c))
;>> \n3 
;=> 3
(progn (defmacro my-let* (bindings &body body) (if bindings `(let (,(car bindings)) (my-let* ,(cdr bindings) ,@body)) `(progn ,@body))) nil)
;=> NIL
(my-let* ((a 1) (b (+ a 1))) (list a b))
;=> (1 2)
(macroexpand '(my-or-nothing))
;=> (MY-OR-NOTHING)
;=> NIL
(identity `(1 ,@(list 2 3) ,(+ 2 2) (nested ,@'(a) . tail)))
;=> (1 2 3 4 (NESTED A . TAIL))
(identity `#(1 ,(+ 1 1)))
;=> #(1 2)
(let ((x '(a b))) `(,@x ,@x . ,x))
;=> (A B A B A B)

;; alexandria-free helpers: group-by, partition, zip, flatten, range
(defun group-by (fn list) (let ((table '())) (dolist (x list (nreverse (mapcar (lambda (e) (cons (car e) (reverse (cdr e)))) table))) (let* ((k (funcall fn x)) (e (assoc k table :test #'equal))) (if e (push x (cdr e)) (push (list k x) table))))))
;=> GROUP-BY
(group-by #'evenp '(1 2 3 4 5))
;=> ((NIL 1 3 5) (T 2 4))
(group-by #'length '("a" "bb" "c" "dd" "eee"))
;=> ((1 "a" "c") (2 "bb" "dd") (3 "eee"))
(defun zip (&rest lists) (apply #'mapcar #'list lists))
;=> ZIP
(zip '(1 2 3) '(a b c) (list "x" "y" "z"))
;=> ((1 A "x") (2 B "y") (3 C "z"))
(defun flatten (x) (cond ((null x) nil) ((atom x) (list x)) (t (append (flatten (car x)) (flatten (cdr x))))))
;=> FLATTEN
(flatten '(1 (2 (3 nil)) ((4)) 5))
;=> (1 2 3 4 5)
(defun partition (pred list) (loop for x in list if (funcall pred x) collect x into yes else collect x into no finally (return (values yes no))))
;=> PARTITION
(multiple-value-list (partition #'plusp '(1 -2 3 -4)))
;=> ((1 3) (-2 -4))
(defun range (start &optional end (step 1)) (unless end (shiftf end start 0)) (loop for i from start below end by step collect i))
;=> RANGE
(list (range 5) (range 2 5) (range 0 10 3))
;=> ((0 1 2 3 4) (2 3 4) (0 3 6 9))
(defun take-while (p l) (loop for x in l while (funcall p x) collect x))
;=> TAKE-WHILE
(take-while #'oddp '(1 3 4 5))
;=> (1 3)
(defun interleave (a b) (loop for x in a for y in b collect x collect y))
;=> INTERLEAVE
(interleave '(1 2) '(a b))
;=> (1 A 2 B)
(defun chunk (l n) (loop for rest on l by (lambda (x) (nthcdr n x)) collect (loop for x in rest repeat n collect x)))
;=> CHUNK
(chunk '(1 2 3 4 5) 2)
;=> ((1 2) (3 4) (5))
(defun scan (f l) (loop for x in l for acc = x then (funcall f acc x) collect acc))
;=> SCAN
(scan #'+ '(1 2 3 4))
;=> (1 3 6 10)
(defun tally (l) (let ((h (make-hash-table :test #'equal))) (dolist (x l) (incf (gethash x h 0))) (sort (loop for k being the hash-keys of h using (hash-value v) collect (cons k v)) #'> :key #'cdr)))
;=> TALLY
(tally '("a" "b" "a"))
;=> (("a" . 2) ("b" . 1))
(defun mean (xs) (/ (reduce #'+ xs) (length xs)))
;=> MEAN
(defun variance (xs) (let ((m (mean xs))) (/ (reduce #'+ (mapcar (lambda (x) (expt (- x m) 2)) xs)) (length xs))))
;=> VARIANCE
(list (mean '(1 2 3 4)) (variance '(1 2 3 4)) (sqrt (variance '(1.0 2.0 3.0))))
;=> (5/2 5/4 0.8164966)
(defun dot (a b) (reduce #'+ (map 'vector #'* a b)))
;=> DOT
(dot #(1 2 3) #(4 5 6))
;=> 32
(defun outer (a b) (map 'list (lambda (x) (map 'list (lambda (y) (* x y)) b)) a))
;=> OUTER
(outer '(1 2) #(3 4))
;=> ((3 4) (6 8))
(defun linspace (a b n) (loop for i below n collect (+ a (* i (/ (- b a) (1- n))))))
;=> LINSPACE
(linspace 0 1 5)
;=> (0 1/4 1/2 3/4 1)
(defun polyval (cs x) (reduce (lambda (acc c) (+ (* acc x) c)) cs))
;=> POLYVAL
(polyval '(1 2 3) 2)
;=> 11
(defun newton (f df x n) (loop repeat n do (decf x (/ (funcall f x) (funcall df x))) finally (return x)))
;=> NEWTON
(newton (lambda (x) (- (* x x) 2)) (lambda (x) (* 2 x)) 1.0d0 6)
;=> 1.414213562373095d0
(defun trapz (f a b n) (let ((h (/ (- b a) n))) (* h (+ (/ (+ (funcall f a) (funcall f b)) 2) (loop for i from 1 below n sum (funcall f (+ a (* i h))))))))
;=> TRAPZ
(trapz #'sin 0d0 pi 100)
;=> 1.9998355038874436d0
(defun bisect (f lo hi) (loop repeat 40 for mid = (/ (+ lo hi) 2) do (if (plusp (* (funcall f lo) (funcall f mid))) (setf lo mid) (setf hi mid)) finally (return lo)))
;=> BISECT
(bisect (lambda (x) (- (exp x) 2)) 0d0 1d0)
;=> 0.6931471805592082d0
(defun rk4 (f y tt h) (let* ((k1 (funcall f tt y)) (k2 (funcall f (+ tt (/ h 2)) (+ y (* h k1 1/2)))) (k3 (funcall f (+ tt (/ h 2)) (+ y (* h k2 1/2)))) (k4 (funcall f (+ tt h) (+ y (* h k3))))) (+ y (* h 1/6 (+ k1 (* 2 k2) (* 2 k3) k4)))))
;=> RK4
(loop with y = 1d0 for i below 10 do (setf y (rk4 (lambda (tt y) (declare (ignore tt)) y) y (* i 0.1d0) 0.1d0)) finally (return y))
;=> 2.718279744135166d0

;; shadowing & local functions & recursion through labels & flet closures; declare special; nested backquote macro-writing macros
(progn (defmacro def-op-family (&rest names) `(progn ,@(loop for n in names collect `(defmacro ,(intern (format nil "WITH-~a" n)) (x &body body) `(let ((,',(intern (format nil "~a-VALUE" n)) ,x)) ,@body))))) nil)
;=> NIL
(def-op-family alpha beta)
;=> WITH-BETA
(with-alpha 5 (with-beta 6 (list alpha-value beta-value)))
;=> (5 6)
(progn (defmacro make-adder-macro (name n) `(defmacro ,name (x) `(+ ,x ,,n))) nil)
;=> NIL
(make-adder-macro plus5 5)
;=> PLUS5
(plus5 10)
;=> 15
(macroexpand-1 '(plus5 a))
;=> (+ A 5)
;=> T
(progn (defmacro once (forms) (let ((g (gensym))) `(let ((,g ,forms)) (list ,g ,g)))) nil)
;=> NIL
(let ((n 0)) (once (incf n)))
;=> (1 1)
(let ((x 1)) (flet ((x () x)) (let ((x 2)) (list x (x)))))
;=> (2 1)
(labels ((a (n) (if (zerop n) :done (b (1- n)))) (b (n) (a n))) (a 10))
;=> :DONE
(defun make-stack () (let ((items '())) (lambda (op &optional x) (ecase op (:push (push x items) x) (:pop (pop items)) (:size (length items))))))
;=> MAKE-STACK
(let ((s (make-stack))) (funcall s :push 1) (funcall s :push 2) (print (list (funcall s :pop) (funcall s :size))))
;>> \n(2 1) 
;=> (2 1)
(defvar *depth* 0)
;=> *DEPTH*
(defun deep () (let ((*depth* (1+ *depth*))) (if (< *depth* 5) (deep) *depth*)))
;=> DEEP
(list (deep) *depth*)
;=> (5 0)
(flet ((f (&key (a 1) (b (* a 2))) (list a b))) (list (f) (f :a 5) (f :b 1)))
;=> ((1 2) (5 10) (1 1))
(macrolet ((m (x) `(quote ,x))) (m (a b)))
;=> (A B)
(let ((fns '())) (dolist (x '(1 2 3)) (let ((x x)) (push (lambda () (* x x)) fns))) (mapcar #'funcall (reverse fns)))
;=> (1 4 9)
(symbol-macrolet ((a (aref v 0))) (let ((v (vector 1 2))) (incf a 10) (setf a (* a 2)) v))
;=> #(22 2)
(defun kw (&rest args &key x y &allow-other-keys) (list args x y))
;=> KW
(kw :x 1 :z 3 :y 2)
;=> ((:X 1 :Z 3 :Y 2) 1 2)
(apply #'kw (list :x 9))
;=> ((:X 9) 9 NIL)
(defun defaults (a &optional (b (list a)) (c (cons a b) c-p)) (list a b c c-p))
;=> DEFAULTS
(list (defaults 1) (defaults 1 2) (defaults 1 2 3))
;=> ((1 (1) (1 1) NIL) (1 2 (1 . 2) NIL) (1 2 3 T))
(let ((x 10)) (declare (special x)) (flet ((get-x () (declare (special x)) x)) (let ((x 20)) (declare (special x)) (get-x))))
;=> 20
(block a (block b (return-from a 1)) 2)
;=> 1
(catch 'x (mapc (lambda (i) (when (= i 2) (throw 'x (list :found i)))) '(1 2 3)))
;=> (:FOUND 2)
(handler-case (let ((f (block nil (lambda () (return 5))))) (funcall f)) (control-error () :dead-block))
;=> :DEAD-BLOCK
(do ((i 0 (+ i 1)) (s '() (cons i s))) ((> i 3) (nreverse s)))
;=> (0 1 2 3)
(let ((a 1) (b 2)) (psetf a b b a) (list a b))
;=> (2 1)
(funcall (let ((n 10)) #'(lambda (x) (setq n (+ n x)))) 5)
;=> 15
((lambda (x &optional (y 2)) (* x y)) 4)
;=> 8
(mapcar (let ((i 0)) (lambda (x) (cons (incf i) x))) '(a b))
;=> ((1 . A) (2 . B))

