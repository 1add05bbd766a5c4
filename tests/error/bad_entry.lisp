;;; file-error: bad_entry.lisp: error: there is no entry named `dense`
;;; args: --entry=dense -o -
(defentry double ((x (n))) (!add x x))
