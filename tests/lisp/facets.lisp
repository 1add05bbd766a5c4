;;;; Data between Lisp and tensors: every facet in both directions, what with-facet writes back, dtypes
;;;; and orders.

(deftest to-tensors
  (check-tensor (change-facet 3 :tensor) :int64 '() '(3))
  (check-tensor (change-facet 2.5 :tensor) :float32 '() '(2.5))
  (check-tensor (change-facet 2.5d0 :tensor) :float64 '() '(2.5))
  (check-tensor (change-facet '(1 2 3) :tensor) :int64 '(3) '(1 2 3))
  (check-tensor (change-facet '((1 2.5) (3 4)) :tensor) :float32 '(2 2) '(1 2.5 3 4))
  (check-tensor (change-facet #(1.0 2.0) :tensor) :float32 '(2) '(1 2))
  (check-tensor (change-facet (make-array '(2 1) :initial-contents '((7) (8))) :tensor)
                :int64 '(2 1) '(7 8))
  (check-tensor (change-facet '(t nil) :tensor) :bool '(2) '(t nil))
  (ok (signals (change-facet '((1 2) (3)) :tensor) 'error))
  (ok (signals (change-facet '((1 2) 3) :tensor) 'error))
  (ok (signals (change-facet "text" :tensor) 'error))
  (ok (signals (change-facet '(1 2) :banana) 'error)))

(deftest from-tensors
  (let ((x (make-tensor '(2 3) :from '((1.0 2.0 3.0) (4.0 5.0 6.0)))))
    (ok (equal (change-facet x :list) '((1.0 2.0 3.0) (4.0 5.0 6.0))))
    (let ((array (change-facet x :array)))
      (ok (equal (array-dimensions array) '(2 3)))
      (ok (= (aref array 1 2) 6.0)))
    (ok (equalp (change-facet x :vector) #(1.0 2.0 3.0 4.0 5.0 6.0)))
    (ok (equalp (change-facet x :simple-array) #(1.0 2.0 3.0 4.0 5.0 6.0)))
    (ok (= (change-facet (!sum x) :number) 21.0))
    (ok (signals (change-facet x :number) 'error))
    (testing "what is not computed yet is computed"
      (ok (equal (change-facet (!view (!mul x 2.0) 1 '(nil nil -1)) :list) '((12.0 10.0 8.0)))))
    (testing "size 0 and rank 0"
      (ok (equal (change-facet (make-tensor '(2 0)) :list) '(nil nil)))
      (ok (= (change-facet (make-tensor '() :initial-element 2.0) :number) 2.0)))
    (testing "the order of a tensor is that of its vector"
      (ok (equalp (change-facet (make-tensor '(2 3) :order :column
                                                    :from '((1.0 2.0 3.0) (4.0 5.0 6.0)))
                                :vector)
                  #(1.0 4.0 2.0 5.0 3.0 6.0))))))

(deftest round-trips
  (dolist (dtype '(:float64 :float32 :float16 :bfloat16 :int64 :int32 :int16 :int8 :uint64 :uint32
                   :uint16 :uint8))
    (let ((x (make-tensor '(3) :dtype dtype :from '(0 1 100))))
      (dolist (facet '(:list :vector :array))
        (ok (equal (computed-elements (make-tensor '(3) :dtype dtype :from (change-facet x facet)))
                   (computed-elements x))
            (format nil "~a ~a" dtype facet)))))
  (let ((x (make-tensor '(2) :dtype :bool :from '(t nil))))
    (ok (equal (change-facet x :list) '(t nil)))))

(deftest writing-through-facets
  (let ((x (make-tensor '(2 2) :initial-element 1.0)))
    (ok (equal (with-facet (a (x :direction :array))
                 (setf (aref a 0 1) 5.0)
                 'value)
               'value))
    (check-tensor x :float32 '(2 2) '(1 5 1 1))
    (with-facet (v (x :direction :vector))
      (setf (aref v 3) 7.0))
    (check-tensor x :float32 '(2 2) '(1 5 1 7))
    (testing "a program compiled before sees what was written"
      (let ((program (caten (!mul x 10.0))))
        (with-facet (a (x))
          (setf (aref a 0 0) 2.0))
        (check-tensor (forward program) :float32 '(2 2) '(20 50 10 70))))
    (let ((y (make-tensor '(2) :dtype :int8)))
      (with-facets ((a (x)) (b (y)))
        (setf (aref a 1 0) 3.0
              (aref b 1) 4))
      (check-tensor x :float32 '(2 2) '(2 5 3 7))
      (check-tensor y :int8 '(2) '(0 4)))
    (testing "what a column-major tensor holds"
      (let ((z (make-tensor '(2 2) :order :column :from '((1.0 2.0) (3.0 4.0)))))
        (with-facet (v (z :direction :vector))
          (setf (aref v 1) 9.0))
        (check-tensor z :float32 '(2 2) '(1 2 9 4))))
    (testing "what the dtype cannot hold"
      (let ((z (make-tensor '(2) :dtype :int8)))
        (ok (signals (with-facet (a (z)) (setf (aref a 0) 1000)) 'error))))))
