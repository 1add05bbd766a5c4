;;; Chapter: UIOP, as far as it is here.
;;; Needs: uiop
(uiop:strcat "a" "b" nil #\c)
;=> "abc"
(list (uiop:string-prefix-p "ab" "abc") (uiop:string-prefix-p "b" "abc") (uiop:string-suffix-p "abc" "bc") (uiop:string-suffix-p "abc" "ab"))
;=> (T NIL T NIL)
(list (uiop:emptyp "") (uiop:emptyp nil) (uiop:emptyp "a"))
;=> (T T NIL)
(list (uiop:first-char "abc") (uiop:last-char "abc") (uiop:first-char ""))
;=> (#\a #\c NIL)
(uiop:split-string "a b c")
;=> ("a" "b" "c")
(uiop:split-string "a,b" :separator ",")
;=> ("a" "b")
(list (uiop:ensure-list 1) (uiop:ensure-list '(1)))
;=> ((1) (1))
(uiop:while-collecting (odd even) (dolist (x '(1 2 3 4)) (if (oddp x) (odd x) (even x))))
;=> (1 3)
;=> (2 4)
(uiop:nest (let ((x 1))) (let ((y 2))) (list x y))
;=> (1 2)
(uiop:if-let ((x 1) (y 2)) (list x y) :no)
;=> (1 2)
(uiop:symbol-call :cl 'list 1 2)
;=> (1 2)
(uiop:symbol-call :cl :no-such-function-x)
;!> ERROR
(uiop:find-symbol* :car :cl)
;=> CAR
;=> :EXTERNAL
;departs: one value here
(uiop:find-symbol* :no-such-x :cl nil)
;=> NIL
(uiop:file-exists-p "/no/such/file")
;=> NIL
(uiop:getenv "NO_SUCH_VARIABLE_X")
;=> NIL
