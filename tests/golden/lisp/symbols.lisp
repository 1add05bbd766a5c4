;;; Chapter: symbols, packages, identity and equality.
(list (symbol-name 'foo) (symbol-name '|Foo bar|) (symbol-name :key))
;=> ("FOO" "Foo bar" "KEY")
(list (symbolp 'a) (symbolp nil) (symbolp :k) (symbolp "a") (keywordp :a) (keywordp 'a))
;=> (T T T NIL T NIL)
(list (package-name (symbol-package 'car)) (package-name (symbol-package :k)) (symbol-package (make-symbol "X")))
;=> ("COMMON-LISP" "KEYWORD" NIL)
(list (eq 'a 'a) (eq 'a 'b) (eq "a" "a") (eql 1 1) (eql 1.0 1.0) (eql 1 1.0) (eql #\a #\a) (eql 1/2 1/2))
;=> (T NIL NIL T T NIL T T)
(list (equal "a" "a") (equal "a" "A") (equal '(1 (2)) '(1 (2))) (equal #(1) #(1)) (equal 1 1.0) (equal 'a 'a))
;=> (T NIL T NIL NIL T)
(list (equalp "a" "A") (equalp #(1 2) #(1.0 2)) (equalp '(1 "A") '(1 "a")) (equalp #\a #\A) (equalp 1 1.0) (equalp 'a "a"))
;=> (T T T T T NIL)
(list (not nil) (not 1) (null nil) (identity 3))
;=> (T NIL T 3)
(intern "FOO")
;=> FOO
;=> :INTERNAL
(multiple-value-list (intern "CAR" :cl))
;=> (CAR :EXTERNAL)
(multiple-value-list (find-symbol "NO-SUCH-SYMBOL-HERE"))
;=> (NIL NIL)
(multiple-value-list (find-symbol "CAR"))
;=> (CAR :INHERITED)
(multiple-value-list (find-symbol "CAR" :keyword))
;=> (NIL NIL)
(eq (intern "abc") '|abc|)
;=> T
(eq (intern "XYZ" :keyword) :xyz)
;=> T
(make-symbol "hello")
;=> #:|hello|
(symbol-name (make-symbol "hello"))
;=> "hello"
(eq (make-symbol "A") (make-symbol "A"))
;=> NIL
(eq (gensym) (gensym))
;=> NIL
(char (symbol-name (gensym)) 0)
;=> #\G
(subseq (symbol-name (gensym "FOO")) 0 3)
;=> "FOO"
(symbol-package (gensym))
;=> NIL
(list (boundp 'no-such-variable-here) (not (null (fboundp 'car))) (fboundp 'no-such-function-here) (boundp 'nil) (boundp ':k))
;=> (NIL T NIL T T)
(progn (setf (symbol-value 'dyn-var) 42) (list (boundp 'dyn-var) (symbol-value 'dyn-var) (progn (makunbound 'dyn-var) (boundp 'dyn-var))))
;=> (T 42 NIL)
(symbol-value 'no-such-variable-here)
;!> UNBOUND-VARIABLE
(symbol-function 'no-such-function-here)
;!> UNDEFINED-FUNCTION
(fdefinition 'no-such-function-here)
;!> UNDEFINED-FUNCTION
(funcall (symbol-function 'car) '(1 2))
;=> 1
(progn (setf (symbol-function 'my-car) #'car) (list (funcall 'my-car '(7)) (not (null (fboundp 'my-car))) (progn (fmakunbound 'my-car) (fboundp 'my-car))))
;=> (7 T NIL)
(progn (setf (get 'sym 'color) 'red) (list (get 'sym 'color) (get 'sym 'size) (get 'sym 'size 10) (symbol-plist 'sym) (not (null (remprop 'sym 'color))) (get 'sym 'color)))
;=> (RED NIL 10 (COLOR RED) T NIL)
(symbol-value :key)
;=> :KEY
(symbol-name "a")
;!> TYPE-ERROR
(symbol-value 5)
;!> TYPE-ERROR
(get 5 'a)
;!> TYPE-ERROR
(list (functionp #'car) (functionp 'car) (functionp (lambda () 1)))
;=> (T NIL T)
(list (find-package :no-such-package) (package-name (find-package "CL")) (packagep (find-package :cl)) (packagep 5))
;=> (NIL "COMMON-LISP" T NIL)
(package-name :keyword)
;=> "KEYWORD"
(intern "A" :no-such-package)
;!> PACKAGE-ERROR
(intern 5)
;!> TYPE-ERROR
(funcall (constantly 3))
;=> 3
(funcall (complement #'null) nil)
;=> NIL
(list (type-of 1.0) (type-of 1d0) (type-of nil) (type-of #\a) (type-of 1/2))
;=> (SINGLE-FLOAT DOUBLE-FLOAT NULL STANDARD-CHAR RATIO)
(constantp 5)
;=> T
(list (constantp :a) (constantp nil) (constantp 'foo))
;=> (T T NIL)
(copy-symbol 'abc)
;=> #:ABC
(list (string 'abc) (symbol-name 'abc))
;=> ("ABC" "ABC")
(let ((s (gentemp "TMP"))) (subseq (symbol-name s) 0 3))
;=> "TMP"
(list (special-operator-p 'if) (special-operator-p 'car) (macro-function 'no-such-macro))
;=> (T NIL NIL)
(loop for s in '(a b) collect (intern (concatenate 'string (symbol-name s) "X")))
;=> (AX BX)

;;; Documentation of variables.
(progn (defvar *documented* 1 "What it is for.") (documentation '*documented* 'variable))
;=> "What it is for."
(progn (defparameter *documented-2* 1 "The second.") (documentation '*documented-2* 'variable))
;=> "The second."
(progn (defconstant +documented+ 1 "The third.") (documentation '+documented+ 'variable))
;=> "The third."
(progn (setf (documentation '*documented* 'variable) "Changed.") (documentation '*documented* 'variable))
;=> "Changed."
(progn (defvar *undocumented* 1) (documentation '*undocumented* 'variable))
;=> NIL
