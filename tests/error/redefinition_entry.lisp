(defentry twice ((x (4))) (!add x x))
(defentry twice ((x (4))) (!mul x 2.0)) ;; warning: entry `twice` is defined a second time
;;; note: redefinition_entry.lisp:1:1: note: the first definition is here
