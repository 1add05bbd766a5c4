;;; One compilation serves all sizes.
(let ((rt (caten (!sum (make-input 'x '(n)) :axis 0))))
  (dolist (n '(1 3 0))
    (print (change-facet (forward rt (cons 'x (make-tensor (list n) :initial-element 2.0))) :list))))
;;; expect

(2.0) 
(6.0) 
(0.0) 