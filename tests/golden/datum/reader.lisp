;;; What the reader makes of numbers, quotes, vectors, strings and package changes.
(defun f (x) `(,x ,@(list 1 2/3 1.5d0 #\a "s\"t")))
'(a . (b . c)) #'car #(1 2) #xff :key |Mixed Case|
(in-package :caten)
caten-user::mine
;;; expect
(DEFUN F (X) `(,X ,@(LIST 1 2/3 1.5d0 #\a "s\"t")))
'(A B . C)
#'CAR
#(1 2)
255
:KEY
|Mixed Case|
(IN-PACKAGE :CATEN)
CATEN-USER::MINE
