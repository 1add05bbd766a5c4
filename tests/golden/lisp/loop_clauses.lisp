;;; Chapter: loop, every clause.
(loop for x = 0 then (1+ x) while (< x 3) collect x)
;=> (0 1 2)
(loop while t for x in '(1 2 3) collect x)
;=> (1 2 3)
(loop for x in '(1 2 3 4) while (< x 3) for y = (* x 2) collect (list x y))
;=> ((1 2) (2 4))
(loop for x in '(1 2 3) for y = (* x x) collect (cons x y))
;=> ((1 . 1) (2 . 4) (3 . 9))
(loop for (a b) in '((1 2) (3 4)) collect (+ a b))
;=> (3 7)
(loop for (a . b) in '((1 . 2) (3 . 4)) collect (* a b))
;=> (2 12)
(loop for (a (b c)) in '((1 (2 3)) (4 (5 6))) collect (list a b c))
;=> ((1 2 3) (4 5 6))
(loop for (a nil c) in '((1 2 3) (4 5 6)) collect (list a c))
;=> ((1 3) (4 6))
(loop for (a b) = '(1 2) repeat 1 collect (list b a))
;=> ((2 1))
(loop for x on '(1 2 3) collect x)
;=> ((1 2 3) (2 3) (3))
(loop for (a b) on '(1 2 3 4) by #'cddr collect (list a b))
;=> ((1 2) (3 4))
(loop for x in '(1 2 3 4 5) by #'cddr collect x)
;=> (1 3 5)
(loop for x across "abc" collect (char-upcase x))
;=> (#\A #\B #\C)
(loop for x across #(1 2 3) sum x)
;=> 6
(loop for x across (vector) collect x)
;=> NIL
(loop for i from 1 to 5 collect i)
;=> (1 2 3 4 5)
(loop for i from 1 below 5 by 2 collect i)
;=> (1 3)
(loop for i from 5 downto 1 collect i)
;=> (5 4 3 2 1)
(loop for i downfrom 5 to 1 by 2 collect i)
;=> (5 3 1)
(loop for i from 5 above 2 collect i)
;=> (5 4 3)
(loop for i upfrom 2 to 4 collect i)
;=> (2 3 4)
(loop for i to 3 collect i)
;=> (0 1 2 3)
(loop for i below 3 collect i)
;=> (0 1 2)
(loop for i from 0 upto 2 collect i)
;=> (0 1 2)
(loop for i by 2 below 7 collect i)
;=> (0 2 4 6)
(loop for i to 4 by 2 from 1 collect i)
;=> (1 3)
(loop for x from 0.0 to 1.0 by 0.5 collect x)
;=> (0.0 0.5 1.0)
(loop for x from 1/2 to 2 collect x)
;=> (1/2 3/2)
(loop repeat 3 collect :x)
;=> (:X :X :X)
(loop repeat 0 collect :x)
;=> NIL
(loop repeat -1 collect :x)
;=> NIL
(loop for i from 0 repeat 3 collect i)
;=> (0 1 2)
(let ((h (make-hash-table))) (setf (gethash :a h) 1 (gethash :b h) 2) (loop for k being the hash-keys of h using (hash-value v) collect (list k v)))
;=> ((:A 1) (:B 2))
(let ((h (make-hash-table))) (setf (gethash :a h) 1 (gethash :b h) 2) (loop for v being each hash-value in h using (hash-key k) collect (list v k)))
;=> ((1 :A) (2 :B))
(let ((h (make-hash-table))) (loop for k being the hash-keys in h collect k))
;=> NIL
(loop for s being the external-symbols of :keyword repeat 0 collect s)
;=> NIL
(loop with a = 1 and b = 2 repeat 1 collect (list a b))
;=> ((1 2))
(loop with a = 1 with b = (+ a 1) repeat 1 collect (list a b))
;=> ((1 2))
(loop with (a b) = '(1 2) repeat 1 collect (list a b))
;=> ((1 2))
(loop with a repeat 1 collect a)
;=> (NIL)
(loop for i from 1 to 4 if (evenp i) collect i into evens else collect i into odds finally (return (list evens odds)))
;=> ((2 4) (1 3))
(loop for i from 1 to 6 when (evenp i) collect i and collect (* i 10))
;=> (2 20 4 40 6 60)
(loop for i from 1 to 3 unless (= i 2) collect i)
;=> (1 3)
(loop for i from 1 to 4 when (> i 2) if (= i 3) collect :three else collect :four end else collect :small)
;=> (:SMALL :SMALL :THREE :FOUR)
(loop for i from 1 to 3 when (= i 2) do (princ "two") and collect i else collect :no)
;>> two
;=> (:NO 2 :NO)
(loop for x in '(1 nil 2) when x collect it)
;=> (1 2)
(loop for x in '((a . 1) (b . 2)) when (assoc 'b (list x)) return it)
;=> (B . 2)
(loop for x in '(1 2 3) thereis (and (> x 1) (* x 10)))
;=> 20
(loop for x in '(1 2 3) always (< x 4))
;=> T
(loop for x in '(1 2 3) always (< x 3))
;=> NIL
(loop for x in '(1 2 3) never (> x 3))
;=> T
(loop for x in '(1 2 3) never (> x 2))
;=> NIL
(loop for x in '(1 2 3) sum x into s count (oddp x) into c finally (return (list s c)))
;=> (6 2)
(loop for x in '(3 1 2) maximize x)
;=> 3
(loop for x in '(3 1 2) minimize x)
;=> 1
(loop for x in '(3 1 2) maximizing x into m minimizing x into n finally (return (list m n)))
;=> (3 1)
(loop for x in nil sum x)
;=> 0
(loop for x in nil collect x)
;=> NIL
(loop for x in '(1 2 3) count (evenp x))
;=> 1
(loop for x in '((1 2) (3)) append x)
;=> (1 2 3)
(loop for x in '((1 2) (3)) nconc (copy-list x))
;=> (1 2 3)
(loop for x in '(1 2) append (list x) collect :and)
;=> (1 :AND 2 :AND)
(loop for x in '(1 2) collect x collect (* x 10))
;=> (1 10 2 20)
(loop for x in '(1 2) nconc (list x x) into l finally (return l))
;=> (1 1 2 2)
(loop for x in '(1 2 3) do (princ x) finally (princ "end"))
;>> 123end
;=> NIL
(loop for x in '(1 2 3) finally (return x))
;=> 3
(loop initially (princ "start") for x in '(1 2) do (princ x) finally (princ "done") (return :ok))
;>> start12done
;=> :OK
(loop named outer for i from 0 do (loop for j from 0 do (when (= j 3) (return-from outer (list i j)))))
;=> (0 3)
(loop for i from 0 when (= i 4) return i)
;=> 4
(loop for i from 0 until (= i 3) collect i)
;=> (0 1 2)
(loop for i from 0 do (when (= i 3) (loop-finish)) collect i)
;=> (0 1 2)
(loop for i below 5 do (when (= i 2) (loop-finish)) finally (return i))
;=> 2
(loop for x in '(1 2 3) and y in '(a b c) collect (list x y))
;=> ((1 A) (2 B) (3 C))
(loop for x = 1 then (* x 2) and y = 0 then x repeat 4 collect (list x y))
;=> ((1 0) (2 1) (4 2) (8 4))
(loop for x = 1 then (* x 2) for y = 0 then x repeat 4 collect (list x y))
;=> ((1 0) (2 2) (4 4) (8 8))
(loop for x in '(1 2 3) for i from 0 collect (cons i x))
;=> ((0 . 1) (1 . 2) (2 . 3))
(loop for x in '(1 2) for y in '(1 2 3) collect (+ x y))
;=> (2 4)
(loop for i fixnum from 0 below 3 sum i fixnum)
;=> 3
(loop for i of-type fixnum below 3 collect i)
;=> (0 1 2)
(loop for x of-type (or null integer) in '(1 nil) collect x)
;=> (1 NIL)
(loop for (a b) of-type (integer integer) in '((1 2)) collect (+ a b))
;=> (3)
(loop with x fixnum = 5 return x)
;=> 5
(loop as x in '(1 2) collect x)
;=> (1 2)
(loop for x being the elements of '(1 2))
;=> NIL
(let ((n 0)) (loop (when (> (incf n) 5) (return n))))
;=> 6
(loop do (return 1))
;=> 1
(loop :for x :in '(1 2) :collect x)
;=> (1 2)
(loop for x in '(1 2 3 4) if (oddp x) do (princ x) else do (princ "-") end collect x)
;>> 1-3-
;=> (1 2 3 4)
(loop for x in '(a b) for y = (list x) then (cons x y) collect y)
;=> ((A) (B A))
(loop for a in '(1 2 3) for b = (1+ a) for c = (+ a b) collect c)
;=> (3 5 7)
(loop for x in '(5 3 8) for m = x then (max m x) finally (return m))
;=> 8
(loop for i from 1 to 3 collect (loop for j from 1 to i collect j))
;=> ((1) (1 2) (1 2 3))
(loop for i in '(1 2 3) collect i into l do (princ (length l)) finally (return l))
;>> 123
;=> (1 2 3)
(loop for x in '(1 2) do (return (values 1 2)))
;=> 1
;=> 2
(loop for c across "a1b2" when (digit-char-p c) collect it)
;=> (1 2)
(loop for x in '(1 2 3) collecting x)
;=> (1 2 3)
(loop for x in '(1 2) summing x into total finally (return total))
;=> 3
(loop for x in '(1.5 2) sum x)
;=> 3.5
(loop for i from 10 to 1 collect i)
;=> NIL
(loop for i from 1 to 3 for j downfrom 10 collect (list i j))
;=> ((1 10) (2 9) (3 8))
(loop for x on '(1 2 . 3) collect (car x))
;=> (1 2)
(loop for x in '(1 2 . 3) collect x)
;!> TYPE-ERROR
(loop for i from 1 to 10 by 0 repeat 2 collect i)
;=> (1 1)
(loop for x in 5 collect x)
;!> TYPE-ERROR
(loop for x across 5 collect x)
;!> TYPE-ERROR
(loop for i from 'a to 3 collect i)
;!> TYPE-ERROR
;departs: an error of another kind
(loop frob x in y)
;!> ERROR
;departs: an error of another kind
(loop for x frob y)
;!> ERROR
;departs: an error of another kind
(loop for)
;!> ERROR
;departs: an error of another kind
(loop for x in '(1) collect)
;!> ERROR
(loop with i = 0 while (< i 3) do (incf i) finally (return i))
;=> 3
(loop with i = 0 until (= i 3) do (incf i) collect i)
;=> (1 2 3)
(loop for x in '(1 2 3) when (= x 2) do (loop-finish) end collect x)
;=> (1)
(let ((x 5)) (loop for x in '(1 2)) x)
;=> 5
(loop for i below 3 collect (lambda () i) into fs finally (return (mapcar #'funcall fs)))
;=> (3 3 3)
(loop for k in '(:a :b) for v in '(1 2) append (list k v))
;=> (:A 1 :B 2)
(loop for x in '(1 2 3) for prev = nil then x collect prev)
;=> (NIL 2 3)
(loop for (k v) on '(:a 1 :b 2) by #'cddr collect k into ks collect v into vs finally (return (values ks vs)))
;=> (:A :B)
;=> (1 2)
(loop for nil in '(1 2 3) count t)
;=> 3
(loop repeat 2 for x = (random 1) collect x)
;=> (0 0)
(loop for x in '(2 4 5 6) while (evenp x) collect x finally (return :never-mind))
;=> :NEVER-MIND
(loop for i from 0 below 10 by 3 collect i into xs finally (return (nreverse xs)))
;=> (9 6 3 0)
(loop for x = (list 1 2) then (cdr x) while x collect (car x))
;=> (1 2)
(loop for y = 0 then (+ y 1) for z = (* y 2) until (> z 6) collect z)
;=> (0 2 4 6)
