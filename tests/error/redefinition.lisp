(defun side () 1)
(defun side () 2) ;; warning: function `side` is defined a second time
;;; note: redefinition.lisp:1:1: note: the first definition is here
