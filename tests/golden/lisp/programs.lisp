;;; Chapter: programs in the style of users: data structures, algorithms, interpreters.

;; interpreter for a small expression language with environments and closures
(progn (define-condition unbound-name (error) ((name :initarg :name :reader unbound-name-name))
  (:report (lambda (c s) (format s "unbound: ~a" (unbound-name-name c))))) nil)
;=> NIL
(defun lookup (name env) (let ((cell (assoc name env))) (if cell (cdr cell) (error 'unbound-name :name name))))
;=> LOOKUP
(defun ev (x env) (etypecase x (number x) (symbol (lookup x env)) (cons (case (first x) (let1 (destructuring-bind (name val body) (rest x) (ev body (acons name (ev val env) env)))) (fn (destructuring-bind (params body) (rest x) (lambda (&rest args) (ev body (append (pairlis params args) env))))) (if0 (if (eql 0 (ev (second x) env)) (ev (third x) env) (ev (fourth x) env))) ((+ - *) (apply (symbol-function (first x)) (mapcar (lambda (y) (ev y env)) (rest x)))) (t (apply (ev (first x) env) (mapcar (lambda (y) (ev y env)) (rest x))))))))
;=> EV
(ev '(let1 x 3 (+ x 4)) nil)
;=> 7
(ev '((fn (a b) (* a (+ b 1))) 3 4) nil)
;=> 15
(ev '(if0 (- 2 2) 10 20) nil)
;=> 10
(handler-case (ev '(+ y 1) nil) (unbound-name (c) (princ-to-string c)))
;=> "unbound: Y"
(handler-case (ev "str" nil) (type-error (c) (type-error-datum c)))
;=> "str"
(restart-case (handler-bind ((unbound-name (lambda (c) (declare (ignore c)) (invoke-restart 'use 99)))) (ev '(+ zz 1) nil)) (use (v) (list :used v)))
;=> (:USED 99)

;; priority queue (binary heap) on an adjustable vector, Dijkstra
(defun heap-push (heap item &key (key #'car)) (vector-push-extend item heap) (loop with i = (1- (fill-pointer heap)) while (plusp i) for parent = (floor (1- i) 2) while (< (funcall key (aref heap i)) (funcall key (aref heap parent))) do (rotatef (aref heap i) (aref heap parent)) (setf i parent)) heap)
;=> HEAP-PUSH
(defun heap-pop (heap &key (key #'car)) (let ((top (aref heap 0)) (last (vector-pop heap))) (when (plusp (fill-pointer heap)) (setf (aref heap 0) last) (let ((i 0) (n (fill-pointer heap))) (loop (let* ((l (1+ (* 2 i))) (r (1+ l)) (m i)) (when (and (< l n) (< (funcall key (aref heap l)) (funcall key (aref heap m)))) (setf m l)) (when (and (< r n) (< (funcall key (aref heap r)) (funcall key (aref heap m)))) (setf m r)) (when (= m i) (return)) (rotatef (aref heap i) (aref heap m)) (setf i m))))) top))
;=> HEAP-POP
(defparameter *g* '((a (b . 7) (c . 9) (f . 14)) (b (a . 7) (c . 10) (d . 15)) (c (a . 9) (b . 10) (d . 11) (f . 2)) (d (b . 15) (c . 11) (e . 6)) (e (d . 6) (f . 9)) (f (a . 14) (c . 2) (e . 9))))
;=> *G*
(defun dijkstra (start) (let ((dist (make-hash-table)) (heap (make-array 0 :adjustable t :fill-pointer t))) (heap-push heap (cons 0 start)) (loop until (zerop (length heap)) do (destructuring-bind (d . node) (heap-pop heap) (unless (nth-value 1 (gethash node dist)) (setf (gethash node dist) d) (loop for (next . w) in (cdr (assoc node *g*)) unless (nth-value 1 (gethash next dist)) do (heap-push heap (cons (+ d w) next)))))) (loop for (node) in *g* collect (cons node (gethash node dist)))))
;=> DIJKSTRA
(dijkstra 'a)
;=> ((A . 0) (B . 7) (C . 9) (D . 20) (E . 20) (F . 11))
(let ((h (make-array 4 :fill-pointer 0 :adjustable t))) (dolist (x '(5 3 9 1 8 2)) (heap-push h x :key #'identity)) (print h) (print (loop repeat 6 collect (heap-pop h :key #'identity))))
;>> \n#(1 3 2 5 8 9) \n(1 2 3 5 8 9) 
;=> (1 2 3 5 8 9)

;; closures, recursion, memoize, currying, streams (lazy lists), CPS, Y
(defun memoize (fn) (let ((table (make-hash-table :test #'equal))) (lambda (&rest args) (multiple-value-bind (v found) (gethash args table) (if found v (setf (gethash args table) (apply fn args)))))))
;=> MEMOIZE
(defvar *calls* 0)
;=> *CALLS*
(defun slow-fib (n) (incf *calls*) (if (< n 2) n (+ (slow-fib (- n 1)) (slow-fib (- n 2)))))
;=> SLOW-FIB
(progn (setf (symbol-function 'fast) (memoize #'slow-fib)) nil)
;=> NIL
(list (fast 15) (fast 15) *calls*)
;=> (610 610 1973)
(defun compose (&rest fns) (reduce (lambda (f g) (lambda (&rest a) (funcall f (apply g a)))) fns))
;=> COMPOSE
(funcall (compose #'1+ #'abs #'-) 5 8)
;=> 4
(defun curry (f &rest a) (lambda (&rest b) (apply f (append a b))))
;=> CURRY
(mapcar (curry #'* 3) '(1 2 3))
;=> (3 6 9)
(progn (defmacro lazy-cons (a b) `(cons ,a (lambda () ,b))) nil)
;=> NIL
(defun lazy-cdr (s) (funcall (cdr s)))
;=> LAZY-CDR
(defun take (n s) (if (zerop n) nil (cons (car s) (take (1- n) (lazy-cdr s)))))
;=> TAKE
(defun ints (n) (lazy-cons n (ints (1+ n))))
;=> INTS
(defun sfilter (p s) (if (funcall p (car s)) (lazy-cons (car s) (sfilter p (lazy-cdr s))) (sfilter p (lazy-cdr s))))
;=> SFILTER
(defun sieve (s) (lazy-cons (car s) (sieve (sfilter (lambda (x) (plusp (mod x (car s)))) (lazy-cdr s)))))
;=> SIEVE
(take 10 (sieve (ints 2)))
;=> (2 3 5 7 11 13 17 19 23 29)
(let ((counter (let ((n 0)) (lambda (&optional (by 1)) (incf n by))))) (list (funcall counter) (funcall counter 10) (funcall counter)))
;=> (1 11 12)
(defun y (f) (funcall (lambda (x) (funcall x x)) (lambda (x) (funcall f (lambda (n) (funcall (funcall x x) n))))))
;=> Y
(funcall (y (lambda (self) (lambda (n) (if (zerop n) 1 (* n (funcall self (1- n))))))) 6)
;=> 720
(labels ((even? (n) (if (zerop n) t (odd? (1- n)))) (odd? (n) (if (zerop n) nil (even? (1- n))))) (print (even? 101)))
;>> \nNIL 
;=> NIL
(defun hanoi (n from to via) (if (zerop n) 0 (+ (hanoi (1- n) from via to) 1 (hanoi (1- n) via to from))))
;=> HANOI
(hanoi 10 'a 'b 'c)
;=> 1023
(defun permutations (l) (if (null l) '(()) (loop for x in l append (mapcar (lambda (p) (cons x p)) (permutations (remove x l))))))
;=> PERMUTATIONS
(permutations '(1 2 3))
;=> ((1 2 3) (1 3 2) (2 1 3) (2 3 1) (3 1 2) (3 2 1))
(defun queens (n) (labels ((ok (c qs) (loop for q in qs for d from 1 never (or (= q c) (= (abs (- q c)) d)))) (place (k qs) (if (zerop k) (list qs) (loop for c below n when (ok c qs) append (place (1- k) (cons c qs)))))) (length (place n '()))))
;=> QUEENS
(queens 6)
;=> 4
(defun ackermann (m n) (cond ((zerop m) (1+ n)) ((zerop n) (ackermann (1- m) 1)) (t (ackermann (1- m) (ackermann m (1- n))))))
;=> ACKERMANN
(ackermann 2 3)
;=> 9
(let ((fns (loop for i below 3 collect (let ((i i)) (lambda () i))))) (print (mapcar #'funcall fns)))
;>> \n(0 1 2) 
;=> (0 1 2)
(let ((fns (let ((r '())) (dotimes (i 3 (nreverse r)) (push (lambda () i) r))))) (print (mapcar #'funcall fns)))
;>> \n(3 3 3) 
;=> (3 3 3)
(defvar *dyn* 1)
;=> *DYN*
(defun show () *dyn*)
;=> SHOW
(list (show) (let ((*dyn* 2)) (show)) (show) (progv '(*dyn*) '(9) (show)))
;=> (1 2 1 9)
(multiple-value-call #'list (values 1 2) (values) 3)
;=> (1 2 3)
(multiple-value-bind (q r) (floor 17 5) (list q r))
;=> (3 2)
(nth-value 1 (floor 17 5))
;=> 2
(defun opt (a &optional (b (* 2 a) b-p) &rest r &key (c 3) ((:dd d) 4) &allow-other-keys) (list a b b-p r c d))
;=> OPT
(list (opt 1) (opt 1 2) (opt 1 2 :c 5) (opt 1 2 :dd 9 :zz 0))
;=> ((1 2 NIL NIL 3 4) (1 2 T NIL 3 4) (1 2 T (:C 5) 5 4) (1 2 T (:DD 9 :ZZ 0) 3 9))
(let ((n 0)) (tagbody top (incf n) (when (< n 5) (go top))) n)
;=> 5
(prog (x (y 2)) (setq x 1) loop (when (> x 10) (return (list x y))) (setq x (* x y)) (go loop))
;=> (16 2)
(do ((i 0 (1+ i)) (acc '() (cons i acc))) ((= i 4) acc))
;=> (3 2 1 0)
(do* ((i 0 (1+ i)) (j i (+ i j))) ((= i 3) (list i j)))
;=> (3 6)
(case 3 ((1 2) :low) ((3 4) :mid) (t :high))
;=> :MID
(typecase "s" (number :n) (string :s))
;=> :S
(handler-case (ecase 9 (1 :a)) (type-error () :ecase))
;=> :ECASE

;; pattern matcher, unification, tiny prolog
(defun variable-p (x) (and (symbolp x) (plusp (length (symbol-name x))) (char= (char (symbol-name x) 0) #\?)))
;=> VARIABLE-P
(defconstant +fail+ '+fail+)
;=> +FAIL+
(defun unify (x y &optional (b '((t . t)))) (cond ((eq b +fail+) +fail+) ((eql x y) b) ((variable-p x) (unify-var x y b)) ((variable-p y) (unify-var y x b)) ((and (consp x) (consp y)) (unify (rest x) (rest y) (unify (first x) (first y) b))) (t +fail+)))
;=> UNIFY
(defun unify-var (v x b) (let ((cell (assoc v b))) (cond (cell (unify (cdr cell) x b)) ((and (variable-p x) (assoc x b)) (unify v (cdr (assoc x b)) b)) ((occurs v x b) +fail+) (t (acons v x b)))))
;=> UNIFY-VAR
(defun occurs (v x b) (cond ((eq v x) t) ((and (variable-p x) (assoc x b)) (occurs v (cdr (assoc x b)) b)) ((consp x) (or (occurs v (car x) b) (occurs v (cdr x) b))) (t nil)))
;=> OCCURS
(defun subst-bindings (b x) (cond ((eq b +fail+) +fail+) ((and (variable-p x) (assoc x b)) (subst-bindings b (cdr (assoc x b)))) ((atom x) x) (t (cons (subst-bindings b (car x)) (subst-bindings b (cdr x))))))
;=> SUBST-BINDINGS
(unify '(?x + 1) '(2 + ?y))
;=> ((?Y . 1) (?X . 2) (T . T))
(unify '?x '(f ?x))
;=> +FAIL+
(subst-bindings (unify '(?a ?b) '(?b 5)) '(?a ?b))
;=> (5 5)
(defvar *db* '())
;=> *DB*
(progn (defmacro <- (&rest clause) `(setf *db* (append *db* (list ',clause)))) nil)
;=> NIL
(defun rename-vars (x &optional (map (list nil))) (cond ((variable-p x) (or (cdr (assoc x (cdr map))) (let ((g (gensym "?"))) (push (cons x g) (cdr map)) g))) ((consp x) (cons (rename-vars (car x) map) (rename-vars (cdr x) map))) (t x)))
;=> RENAME-VARS
(defun prove-all (goals b) (cond ((eq b +fail+) nil) ((null goals) (list b)) (t (loop for clause in *db* for new = (rename-vars clause) for b2 = (unify (first goals) (first new) b) unless (eq b2 +fail+) append (prove-all (append (rest new) (rest goals)) b2)))))
;=> PROVE-ALL
(<- (likes kim robin))
;=> (((LIKES KIM ROBIN)))
(<- (likes sandy lee))
;=> (((LIKES KIM ROBIN)) ((LIKES SANDY LEE)))
(<- (likes sandy kim))
;=> (((LIKES KIM ROBIN)) ((LIKES SANDY LEE)) ((LIKES SANDY KIM)))
(<- (likes robin cats))
;=> (((LIKES KIM ROBIN)) ((LIKES SANDY LEE)) ((LIKES SANDY KIM)) ((LIKES ROBIN CATS)))
(<- (likes sandy ?x) (likes ?x cats))
;=> (((LIKES KIM ROBIN)) ((LIKES SANDY LEE)) ((LIKES SANDY KIM)) ((LIKES ROBIN CATS)) ((LIKES SANDY ?X) (LIKES ?X CATS)))
(<- (append () ?l ?l))
;=> (((LIKES KIM ROBIN)) ((LIKES SANDY LEE)) ((LIKES SANDY KIM)) ((LIKES ROBIN CATS)) ((LIKES SANDY ?X) (LIKES ?X CATS)) ((APPEND NIL ?L ?L)))
(<- (append (?h . ?t) ?l (?h . ?r)) (append ?t ?l ?r))
;=> (((LIKES KIM ROBIN)) ((LIKES SANDY LEE)) ((LIKES SANDY KIM)) ((LIKES ROBIN CATS)) ((LIKES SANDY ?X) (LIKES ?X CATS)) ((APPEND NIL ?L ?L)) ((APPEND (?H . ?T) ?L (?H . ?R)) (APPEND ?T ?L ?R)))
(mapcar (lambda (b) (subst-bindings b '?who)) (prove-all '((likes sandy ?who)) '((t . t))))
;=> (LEE KIM ROBIN)
(mapcar (lambda (b) (subst-bindings b '(?a ?b))) (prove-all '((append ?a ?b (1 2 3))) '((t . t))))
;=> ((NIL (1 2 3)) ((1) (2 3)) ((1 2) (3)) ((1 2 3) NIL))

;; graph algorithms: topological sort, BFS, DFS, cycle detection, union-find
(defparameter *deps* '((shirt belt tie) (tie jacket) (pants shoes belt) (belt jacket) (socks shoes) (shoes) (jacket)))
;=> *DEPS*
(defun topo (graph) (let ((seen (make-hash-table)) (out '())) (labels ((visit (n) (case (gethash n seen) (:done) (:open (error "cycle at ~a" n)) (t (setf (gethash n seen) :open) (mapc #'visit (cdr (assoc n graph))) (setf (gethash n seen) :done) (push n out))))) (mapc (lambda (e) (visit (car e))) graph)) out))
;=> TOPO
(topo *deps*)
;=> (SOCKS PANTS SHOES SHIRT TIE BELT JACKET)
(handler-case (topo '((a b) (b c) (c a))) (error (e) (format nil "~a" e)))
;=> "cycle at A"
(defun bfs (start goal next) (let ((queue (list (list start))) (seen (list start))) (loop while queue do (let* ((path (pop queue)) (node (car path))) (when (equal node goal) (return (reverse path))) (dolist (n (funcall next node)) (unless (member n seen :test #'equal) (push n seen) (setf queue (append queue (list (cons n path))))))))))
;=> BFS
(bfs 1 10 (lambda (n) (list (* 2 n) (1+ n))))
;=> (1 2 4 5 10)
(bfs '(0 0) '(2 1) (lambda (p) (destructuring-bind (a b) p (remove-duplicates (list (list 4 b) (list a 3) (list 0 b) (list a 0) (let ((m (min a (- 3 b)))) (list (- a m) (+ b m))) (let ((m (min b (- 4 a)))) (list (+ a m) (- b m)))) :test #'equal))))
;=> NIL
(let ((parent (make-array 8))) (dotimes (i 8) (setf (aref parent i) i)) (labels ((root (x) (if (= x (aref parent x)) x (setf (aref parent x) (root (aref parent x))))) (join (a b) (setf (aref parent (root a)) (root b)))) (loop for (a b) in '((0 1) (2 3) (1 3) (6 7)) do (join a b)) (print (loop for i below 8 collect (root i))) (print (length (remove-duplicates (loop for i below 8 collect (root i)))))))
;>> \n(3 3 3 3 4 5 7 7) \n4 
;=> 4
(defun floyd (n edges) (let ((d (make-array (list n n) :initial-element most-positive-fixnum))) (dotimes (i n) (setf (aref d i i) 0)) (loop for (a b w) in edges do (setf (aref d a b) w)) (dotimes (k n d) (dotimes (i n) (dotimes (j n) (let ((ik (aref d i k)) (kj (aref d k j))) (when (and (< ik most-positive-fixnum) (< kj most-positive-fixnum)) (setf (aref d i j) (min (aref d i j) (+ ik kj))))))))))
;=> FLOYD
(let ((d (floyd 4 '((0 1 5) (1 2 3) (2 3 1) (0 3 20))))) (loop for j below 4 collect (aref d 0 j)))
;=> (0 5 8 9)
(defun life-step (cells) (let ((counts (make-hash-table :test #'equal))) (loop for (x y) in cells do (loop for dx from -1 to 1 do (loop for dy from -1 to 1 unless (= dx dy 0) do (incf (gethash (list (+ x dx) (+ y dy)) counts 0))))) (sort (loop for cell being the hash-keys of counts using (hash-value n) when (or (= n 3) (and (= n 2) (member cell cells :test #'equal))) collect cell) (lambda (a b) (or (< (first a) (first b)) (and (= (first a) (first b)) (< (second a) (second b))))))))
;=> LIFE-STEP
(life-step '((1 0) (1 1) (1 2)))
;=> ((0 1) (1 1) (2 1))
(life-step (life-step '((0 1) (1 2) (2 0) (2 1) (2 2))))
;=> ((1 2) (2 0) (2 2) (3 1) (3 2))

;; tokenizer + recursive descent + stack VM compiler
(progn (defstruct tok type value) nil)
;=> NIL
(defun lex (s &aux (i 0) (out '())) (loop while (< i (length s)) do (let ((c (char s i))) (cond ((char= c #\Space) (incf i)) ((digit-char-p c) (multiple-value-bind (n end) (parse-integer s :start i :junk-allowed t) (push (make-tok :type :num :value n) out) (setf i end))) ((alpha-char-p c) (let ((j (or (position-if-not #'alphanumericp s :start i) (length s)))) (push (make-tok :type :id :value (intern (string-upcase (subseq s i j)))) out) (setf i j))) (t (incf i) (push (make-tok :type :op :value c) out))))) (nreverse out))
;=> LEX
(defvar *toks*)
;=> *TOKS*
(defun next-op-p (ops) (let ((tk (first *toks*))) (and tk (eq (tok-type tk) :op) (find (tok-value tk) ops))))
;=> NEXT-OP-P
(defun binary (sub ops) (let ((left (funcall sub))) (loop while (next-op-p ops) do (setf left (list (tok-value (pop *toks*)) left (funcall sub)))) left))
;=> BINARY
(defun expr () (binary #'term "+-"))
;=> EXPR
(defun term () (binary #'factor "*/"))
;=> TERM
(defun factor () (let ((tk (pop *toks*))) (ecase (tok-type tk) ((:num :id) (tok-value tk)) (:op (ecase (tok-value tk) (#\( (prog1 (expr) (pop *toks*))) (#\- (list :neg (factor))))))))
;=> FACTOR
(defun parse (s) (let ((*toks* (lex s))) (expr)))
;=> PARSE
(defun compile-expr (e) (etypecase e (integer `((:push ,e))) (symbol `((:load ,e))) (cons (if (eq (car e) :neg) (append (compile-expr (second e)) '((:neg))) (append (compile-expr (second e)) (compile-expr (third e)) `((:op ,(car e))))))))
;=> COMPILE-EXPR
(defun run (code env &aux stack) (dolist (ins code (car stack)) (destructuring-bind (op &optional arg) ins (ecase op (:push (push arg stack)) (:load (push (getf env arg) stack)) (:neg (push (- (pop stack)) stack)) (:op (let ((b (pop stack)) (a (pop stack))) (push (funcall (ecase arg (#\+ #'+) (#\- #'-) (#\* #'*) (#\/ #'/)) a b) stack)))))))
;=> RUN
(parse "1 + 2 * (x - 3) / -4")
;=> (#\+ 1 (#\/ (#\* 2 (#\- X 3)) (:NEG 4)))
(compile-expr (parse "1+2*x"))
;=> ((:PUSH 1) (:PUSH 2) (:LOAD X) (:OP #\*) (:OP #\+))
(run (compile-expr (parse "1 + 2 * (x - 3) / -4")) '(x 10))
;=> -5/2
(lex "a1 + 22")
;=> (#S(TOK :TYPE :ID :VALUE A1) #S(TOK :TYPE :OP :VALUE #\+) #S(TOK :TYPE :NUM :VALUE 22))
(handler-case (parse "1 + ]") (error (e) (typep e 'type-error)))
;=> T
(defun simplify (e) (if (atom e) e (destructuring-bind (op a &optional b) e (let ((a (simplify a)) (b (and b (simplify b)))) (cond ((and (eql op #\*) (or (eql a 0) (eql b 0))) 0) ((and (eql op #\*) (eql a 1)) b) ((and (eql op #\+) (eql a 0)) b) ((and (numberp a) (numberp b)) (run (compile-expr (list op a b)) nil)) (b (list op a b)) (t (list op a)))))))
;=> SIMPLIFY
(simplify (parse "0 * x + 1 * y + (2 + 3) * z"))
;=> (#\+ Y (#\* 5 Z))
(defun deriv (e v) (cond ((numberp e) 0) ((symbolp e) (if (eq e v) 1 0)) (t (destructuring-bind (op a b) e (ecase op ((#\+ #\-) (list op (deriv a v) (deriv b v))) (#\* (list #\+ (list #\* (deriv a v) b) (list #\* a (deriv b v)))))))))
;=> DERIV
(simplify (deriv (parse "x*x + 3*x + 5") 'x))
;=> (#\+ (#\+ (#\+ X (#\* X 1)) 3) 0)

;; dynamic programming & memo tables & 2d arrays
(defun levenshtein (a b) (let* ((n (length a)) (m (length b)) (d (make-array (list (1+ n) (1+ m))))) (loop for i to n do (setf (aref d i 0) i)) (loop for j to m do (setf (aref d 0 j) j)) (loop for i from 1 to n do (loop for j from 1 to m do (setf (aref d i j) (min (1+ (aref d (1- i) j)) (1+ (aref d i (1- j))) (+ (aref d (1- i) (1- j)) (if (char= (char a (1- i)) (char b (1- j))) 0 1)))))) (aref d n m)))
;=> LEVENSHTEIN
(levenshtein "kitten" "sitting")
;=> 3
(defun lcs (a b) (let ((memo (make-hash-table :test #'equal))) (labels ((rec (i j) (or (gethash (cons i j) memo) (setf (gethash (cons i j) memo) (cond ((or (= i (length a)) (= j (length b))) "") ((char= (char a i) (char b j)) (concatenate 'string (string (char a i)) (rec (1+ i) (1+ j)))) (t (let ((x (rec (1+ i) j)) (y (rec i (1+ j)))) (if (>= (length x) (length y)) x y)))))))) (rec 0 0))))
;=> LCS
(lcs "AGGTAB" "GXTXAYB")
;=> "GTAB"
(defun knapsack (items cap) (let ((best (make-array (1+ cap) :initial-element 0))) (loop for (w v) in items do (loop for c from cap downto w do (setf (aref best c) (max (aref best c) (+ v (aref best (- c w))))))) (aref best cap)))
;=> KNAPSACK
(knapsack '((1 1) (3 4) (4 5) (5 7)) 7)
;=> 9
(defun coins (amount denominations) (let ((ways (make-array (1+ amount) :initial-element 0))) (setf (aref ways 0) 1) (dolist (d denominations (aref ways amount)) (loop for i from d to amount do (incf (aref ways i) (aref ways (- i d)))))))
;=> COINS
(coins 100 '(1 5 10 25 50))
;=> 292
(defun primes (n) (let ((sieve (make-array (1+ n) :element-type 'bit :initial-element 1))) (loop for i from 2 to (isqrt n) when (= 1 (aref sieve i)) do (loop for j from (* i i) to n by i do (setf (aref sieve j) 0))) (loop for i from 2 to n when (= 1 (aref sieve i)) collect i)))
;=> PRIMES
(primes 50)
;=> (2 3 5 7 11 13 17 19 23 29 31 37 41 43 47)
(defun factorize (n) (loop with d = 2 until (= n 1) if (zerop (mod n d)) collect d and do (setf n (/ n d)) else do (incf d)))
;=> FACTORIZE
(factorize 360360)
;=> (2 2 2 3 3 5 7 11 13)
(defun pascal (n) (loop repeat n for row = '(1) then (append '(1) (mapcar #'+ row (cdr row)) '(1)) collect row))
;=> PASCAL
(pascal 5)
;=> ((1) (1 1) (1 2 1) (1 3 3 1) (1 4 6 4 1))
(defun spiral (m) (loop while m append (pop m) do (setf m (reverse (apply #'mapcar #'list (or m '(())))))  while (car m)))
;=> SPIRAL
(ignore-errors (spiral '((1 2 3) (4 5 6) (7 8 9))))
;=> (1 2 3 6 9 8 7 4 5)
(defun bubble (v) (let ((n (length v))) (dotimes (i n v) (dotimes (j (- n i 1)) (when (> (aref v j) (aref v (1+ j))) (rotatef (aref v j) (aref v (1+ j))))))))
;=> BUBBLE
(bubble (vector 5 1 4 2 8))
;=> #(1 2 4 5 8)
(defun quicksort (l) (if (null l) nil (destructuring-bind (p . r) l (append (quicksort (remove-if-not (lambda (x) (< x p)) r)) (list p) (quicksort (remove-if (lambda (x) (< x p)) r))))))
;=> QUICKSORT
(quicksort '(3 1 4 1 5 9 2 6))
;=> (1 1 2 3 4 5 6 9)
(defun bsearch (v x) (loop with lo = 0 and hi = (1- (length v)) while (<= lo hi) do (let ((mid (floor (+ lo hi) 2))) (cond ((= (aref v mid) x) (return mid)) ((< (aref v mid) x) (setf lo (1+ mid))) (t (setf hi (1- mid)))))))
;=> BSEARCH
(list (bsearch #(1 3 5 7 9) 7) (bsearch #(1 3 5) 4))
;=> (3 NIL)
(defun collatz (n) (loop for x = n then (if (evenp x) (/ x 2) (1+ (* 3 x))) collect x until (= x 1)))
;=> COLLATZ
(collatz 6)
;=> (6 3 10 5 16 8 4 2 1)
(defun gcd* (a b) (if (zerop b) a (gcd* b (mod a b))))
;=> GCD*
(gcd* 1071 462)
;=> 21
(loop for a from 1 to 20 nconc (loop for b from a to 20 for c = (sqrt (+ (* a a) (* b b))) when (= c (truncate c)) collect (list a b (truncate c))))
;=> ((3 4 5) (5 12 13) (6 8 10) (8 15 17) (9 12 15) (12 16 20) (15 20 25))

;; game of tic-tac-toe minimax; sudoku solver; n-body with structs
(defun winner (b) (loop for (x y z) in '((0 1 2) (3 4 5) (6 7 8) (0 3 6) (1 4 7) (2 5 8) (0 4 8) (2 4 6)) for v = (aref b x) when (and v (eq v (aref b y)) (eq v (aref b z))) return v))
;=> WINNER
(defun moves (b) (loop for i below 9 unless (aref b i) collect i))
;=> MOVES
(defun minimax (b player) (let ((w (winner b))) (cond ((eq w :x) 1) ((eq w :o) -1) ((null (moves b)) 0) (t (loop for m in (moves b) for v = (progn (setf (aref b m) player) (prog1 (minimax b (if (eq player :x) :o :x)) (setf (aref b m) nil))) maximize v into best minimize v into worst finally (return (if (eq player :x) best worst)))))))
;=> MINIMAX
(let ((b (make-array 9 :initial-element nil))) (setf (aref b 0) :x (aref b 4) :o (aref b 8) :x) (print (minimax b :o)))
;>> \n0 
;=> 0
(defun solve (grid) (labels ((ok (r c v) (and (loop for i below 4 never (or (eql v (aref grid r i)) (eql v (aref grid i c)))) (let ((r0 (* 2 (floor r 2))) (c0 (* 2 (floor c 2)))) (loop for i below 2 always (loop for j below 2 never (eql v (aref grid (+ r0 i) (+ c0 j)))))))) (rec (k) (if (= k 16) t (multiple-value-bind (r c) (floor k 4) (if (plusp (aref grid r c)) (rec (1+ k)) (loop for v from 1 to 4 do (when (ok r c v) (setf (aref grid r c) v) (when (rec (1+ k)) (return t)) (setf (aref grid r c) 0)))))))) (and (rec 0) grid)))
;=> SOLVE
(solve (make-array '(4 4) :initial-contents '((1 0 0 0) (0 0 3 0) (0 0 0 2) (0 4 0 0))))
;=> #2A((1 3 2 4) (4 2 3 1) (3 1 4 2) (2 4 1 3))
(progn (defstruct (body (:constructor body (x v m))) (x 0d0 :type double-float) (v 0d0 :type double-float) (m 1d0)) nil)
;=> NIL
(defun step-bodies (bs dt) (dolist (b bs) (let ((f (loop for o in bs unless (eq o b) sum (let ((d (- (body-x o) (body-x b)))) (/ (* (body-m o) (signum d)) (+ 0.1d0 (* d d))))))) (incf (body-v b) (* dt f)))) (dolist (b bs bs) (incf (body-x b) (* dt (body-v b)))))
;=> STEP-BODIES
(let ((bs (list (body -1d0 0d0 1d0) (body 1d0 0d0 2d0) (body 3d0 -0.1d0 1d0)))) (loop repeat 50 do (step-bodies bs 0.01d0)) (format t "~%~{~,6f ~}~%" (mapcar #'body-x bs)))
;>> \n-0.929000 1.000528 2.877944 \n
;=> NIL
(defun mandel (cr ci &optional (limit 30)) (loop with zr = 0.0 and zi = 0.0 for i below limit while (< (+ (* zr zr) (* zi zi)) 4) do (psetf zr (+ (- (* zr zr) (* zi zi)) cr) zi (+ (* 2 zr zi) ci)) finally (return i)))
;=> MANDEL
(loop for y from -1.0 to 1.0 by 0.5 do (format t "~{~a~}~%" (loop for x from -2.0 to 0.5 by 0.25 collect (if (= (mandel x y) 30) #\* #\.))))
;>> ........*..\n......****.\n.*********.\n......****.\n........*..\n
;=> NIL
(defun ising (n steps seed) (let ((s (make-array n :initial-element 1)) (r seed)) (flet ((rnd (k) (setf r (mod (+ (* 1103515245 r) 12345) 2147483648)) (mod (ash r -8) k))) (loop repeat steps do (let ((i (rnd n))) (when (< (rnd 100) 50) (setf (aref s i) (- (aref s i)))))) s)))
;=> ISING
(ising 10 100 7)
;=> #(1 1 -1 -1 -1 1 -1 1 -1 -1)
(defun brainf (prog &aux (tape (make-array 30 :initial-element 0)) (p 0) (stack '())) (with-output-to-string (o) (loop with ip = 0 while (< ip (length prog)) do (case (char prog ip) (#\> (incf p)) (#\< (decf p)) (#\+ (incf (aref tape p))) (#\- (decf (aref tape p))) (#\. (write-char (code-char (aref tape p)) o)) (#\[ (if (zerop (aref tape p)) (loop with d = 1 until (zerop d) do (incf ip) (case (char prog ip) (#\[ (incf d)) (#\] (decf d)))) (push ip stack))) (#\] (if (zerop (aref tape p)) (pop stack) (setf ip (first stack))))) (incf ip))))
;=> BRAINF
(brainf "++++++++[>++++[>++>+++>+++>+<<<<-]>+>+>->>+[<]<-]>>.>---.+++++++..+++.")
;=> "Hello"

;; streams of numbers & generators via closures, coroutine-like via lists
(progn (defmacro generator (&body body) `(let ((queue (list))) (flet ((yield (x) (setf queue (append queue (list x))))) ,@body (lambda () (if queue (values (pop queue) t) (values nil nil)))))) nil)
;=> NIL
(let ((g (generator (dotimes (i 3) (yield (* i i)))))) (print (loop for (v ok) = (multiple-value-list (funcall g)) while ok collect v)))
;>> \n(0 1 4) 
;=> (0 1 4)
(defun make-gen (list) (lambda (cmd) (ecase cmd (:next (pop list)) (:peek (car list)) (:done (null list)))))
;=> MAKE-GEN
(let ((g (make-gen '(1 2 3)))) (print (list (funcall g :peek) (funcall g :next) (funcall g :next) (funcall g :done) (funcall g :next) (funcall g :done))))
;>> \n(1 1 2 NIL 3 T) 
;=> (1 1 2 NIL 3 T)
(defun primes-gen (&aux (found '()) (n 1)) (lambda () (loop (incf n) (unless (some (lambda (p) (zerop (mod n p))) found) (push n found) (return n)))))
;=> PRIMES-GEN
(let ((g (primes-gen))) (loop repeat 10 collect (funcall g)))
;=> (2 3 5 7 11 13 17 19 23 29)
(defun fib-gen (&aux (a 0) (b 1)) (lambda () (prog1 a (psetq a b b (+ a b)))))
;=> FIB-GEN
(let ((g (fib-gen))) (loop repeat 10 collect (funcall g)))
;=> (0 1 1 2 3 5 8 13 21 34)
(defun merge-sorted (&rest lists) (reduce (lambda (a b) (merge 'list (copy-list a) (copy-list b) #'<)) lists))
;=> MERGE-SORTED
(merge-sorted '(1 4) '(2 5) '(3))
;=> (1 2 3 4 5)
(defun window (n list) (loop for rest on list while (nthcdr (1- n) rest) collect (subseq rest 0 n)))
;=> WINDOW
(window 2 '(1 2 3 4))
;=> ((1 2) (2 3) (3 4))
(defun moving-average (n list) (mapcar (lambda (w) (/ (reduce #'+ w) n)) (window n list)))
;=> MOVING-AVERAGE
(moving-average 2 '(1 2 3 4))
;=> (3/2 5/2 7/2)
(defun combos (k list) (cond ((zerop k) '(())) ((null list) '()) (t (append (mapcar (lambda (c) (cons (car list) c)) (combos (1- k) (cdr list))) (combos k (cdr list))))))
;=> COMBOS
(combos 2 '(a b c d))
;=> ((A B) (A C) (A D) (B C) (B D) (C D))
(defun powerset (l) (if (null l) '(()) (let ((r (powerset (cdr l)))) (append (mapcar (lambda (s) (cons (car l) s)) r) r))))
;=> POWERSET
(powerset '(1 2 3))
;=> ((1 2 3) (1 2) (1 3) (1) (2 3) (2) (3) NIL)
(defun cartesian (&rest ls) (if (null ls) '(()) (loop for x in (car ls) append (mapcar (lambda (r) (cons x r)) (apply #'cartesian (cdr ls))))))
;=> CARTESIAN
(cartesian '(1 2) '(a b))
;=> ((1 A) (1 B) (2 A) (2 B))
(defun rotate (l n) (append (nthcdr n l) (subseq l 0 n)))
;=> ROTATE
(rotate '(1 2 3 4) 1)
;=> (2 3 4 1)
(defun assoc-update (al k f default) (let ((c (assoc k al))) (if c (progn (setf (cdr c) (funcall f (cdr c))) al) (acons k (funcall f default) al))))
;=> ASSOC-UPDATE
(reduce (lambda (al x) (assoc-update al x #'1+ 0)) '(a b a c a) :initial-value '())
;=> ((C . 1) (B . 1) (A . 3))

