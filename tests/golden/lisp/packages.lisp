;;; Chapter: walking packages, reading and printing through packages.
(progn (defpackage :corpus-a (:use :cl) (:export #:pub)) (package-name (find-package :corpus-a)))
;=> "CORPUS-A"
(multiple-value-list (find-symbol "PUB" :corpus-a))
;=> (CORPUS-A:PUB :EXTERNAL)
(multiple-value-list (intern "PRIV" :corpus-a))
;=> (CORPUS-A::PRIV NIL)
(prin1-to-string (list (find-symbol "PUB" :corpus-a) (find-symbol "PRIV" :corpus-a)))
;=> "(CORPUS-A:PUB CORPUS-A::PRIV)"
(let (l) (do-external-symbols (s :corpus-a) (push (symbol-name s) l)) l)
;=> ("PUB")
(let ((n 0)) (do-symbols (s :corpus-a) (declare (ignore s)) (incf n)) (> n 100))
;=> T
(let ((found nil)) (do-all-symbols (s) (when (string= s "PUB") (setf found t))) found)
;=> T
(not (null (member 'car (find-all-symbols "CAR"))))
;=> T
(not (null (member 'string-upcase (apropos-list "STRING-UP"))))
;=> T
(apropos-list "NO-SYMBOL-HAS-THIS-NAME")
;=> NIL
(apropos "NO-SYMBOL-HAS-THIS-NAME")
(package-use-list :keyword)
;=> NIL
(mapcar #'package-name (package-use-list :corpus-a))
;=> ("COMMON-LISP")
(eq (find-package "CL") (find-package :common-lisp))
;=> T
(package-nicknames :corpus-a)
;=> NIL
(packagep (make-package :corpus-b))
;=> T
(progn (import 'corpus-a::priv :corpus-b) (multiple-value-list (find-symbol "PRIV" :corpus-b)))
;=> (CORPUS-A::PRIV :INTERNAL)
(progn (export 'corpus-a::priv :corpus-a) (nth-value 1 (find-symbol "PRIV" :corpus-a)))
;=> :EXTERNAL
(progn (use-package :corpus-a :corpus-b) (nth-value 1 (find-symbol "PUB" :corpus-b)))
;=> :INHERITED
(delete-package :corpus-b)
;=> T
(find-package :corpus-b)
;=> NIL
(read-from-string "corpus-a:pub")
;=> CORPUS-A:PUB
;=> 12
(read-from-string "corpus-a:nothing")
;!> READER-ERROR
(read-from-string "no-package:x")
;!> READER-ERROR
(progn (unintern 'corpus-a::priv :corpus-a) (find-symbol "PRIV" :corpus-a))
;=> NIL
;=> NIL
