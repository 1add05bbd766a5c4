;;; Methods on the library's ordinary functions: a class of the user's may have accessors named like
;;; them; for other arguments they stay what they are.

(defclass picture ()
  ((shape :initarg :shape :accessor shape)
   (order :initform :first :accessor order)))

(defclass framed (picture) ((grad :initform nil :accessor grad)))

(defgeneric item (thing) (:documentation "What is in it."))
(defmethod item ((p picture)) (list :picture (shape p)))

(deftest accessors-named-like-functions
  (let ((p (make-instance 'framed :shape '(3 4))))
    (ok (equal (shape p) '(3 4)))
    (setf (shape p) :round)
    (ok (eq (shape p) :round))
    (ok (eq (order p) :first))
    (setf (grad p) 5)
    (ok (eql (grad p) 5))
    (ok (equal (item p) '(:picture :round)))))

(deftest the-library-goes-on
  (let ((x (make-tensor '(2 3) :initial-element 2.0 :requires-grad t)))
    (ok (equal (shape x) '(2 3)))
    (ok (eq (order x) :row))
    (ok (= (item (proceed (!sum x))) 12.0))
    (let ((runtime (caten (!sum (!mul x x)))))
      (forward runtime)
      (backward runtime)
      (ok (= (aref (change-facet (grad x) :array) 0 0) 4.0)))))

(deftest what-fits-neither
  (ok (eq :refused (handler-case (shape "text") (error () :refused))))
  (ok (eq :refused (handler-case (item) (error () :refused)))))
