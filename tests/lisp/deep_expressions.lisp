;;;; Programs that nest deeply do not reach the limits of TinyCC's parser: 255 nested operands.

(deftest many-pieces
  (let ((all (apply #'!concatenate 0 (loop for i below 300
                                           collect (make-tensor '(2) :initial-element (float i))))))
    (ok (= (item (proceed (!sum all))) 89700.0))))

(deftest long-chains
  (let* ((x (make-tensor '(4) :initial-element 1.0))
         (y x))
    (dotimes (i 400)
      (setf y (!sub x y)))
    (ok (= (item (proceed (!sum y))) 4.0))))

(deftest many-choices
  (let* ((x (ax+b '(8) 1 0))
         (y x))
    (dotimes (i 300)
      (setf y (!where (!eq x (float i)) (float (- i)) y)))
    (ok (= (item (proceed (!sum y))) -28.0))))
