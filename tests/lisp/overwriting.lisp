;;;; Programs that read storage and overwrite it: readers that were built before see the old contents,
;;;; however the two share kernels.

(defun m () (make-tensor '(3 3) :from '((1.0 2.0 3.0) (4.0 5.0 6.0) (7.0 8.0 9.0))))

(defmacro check-overwriting (name (place) reader expected &optional (kernels 99))
  "A reader of a 3x3 place that is then doubled; twice, so that the second run reads the new contents."
  `(testing ,name
     (let* ((,place (m))
            (result ,reader)
            (program (caten (list result (!assign ,place (!mul ,place 2.0)))))
            (expected ,expected))
       (ok (<= (caten::runtime-kernel-count program) ,kernels))
       (dotimes (run 2)
         (ok (equal (computed-elements (forward program))
                    (mapcar #'(lambda (x) (* x (expt 2 run))) expected))))
       (ok (equal (computed-elements ,place)
                  '(4.0 8.0 12.0 16.0 20.0 24.0 28.0 32.0 36.0))))))

(deftest readers
  (check-overwriting "the same elements" (m) (!mul m 10.0)
                     '(10.0 20.0 30.0 40.0 50.0 60.0 70.0 80.0 90.0) 1)
  (check-overwriting "rows" (m) (!sum m :axis 1) '(6.0 15.0 24.0))
  (check-overwriting "columns" (m) (!sum m :axis 0) '(12.0 15.0 18.0))
  (check-overwriting "all" (m) (!sum m) '(45.0))
  (check-overwriting "transposed" (m) (!add (!t m) m)
                     '(2.0 6.0 10.0 6.0 10.0 14.0 10.0 14.0 18.0))
  (check-overwriting "reversed" (m) (!flip m) '(9.0 8.0 7.0 6.0 5.0 4.0 3.0 2.0 1.0))
  (check-overwriting "neighbours" (m) (!sub (!view m t '(1 nil)) (!view m t '(nil -1)))
                     '(1.0 1.0 1.0 1.0 1.0 1.0))
  (check-overwriting "one row for all" (m) (!sub m (!view m 0))
                     '(0.0 0.0 0.0 3.0 3.0 3.0 6.0 6.0 6.0))
  (check-overwriting "softmax-like" (m) (!div (!mul m m) (!max m :axis 1))
                     (list (/ 1.0 3) (/ 4.0 3) 3.0 (/ 16.0 6) (/ 25.0 6) 6.0 (/ 49.0 9) (/ 64.0 9) 9.0))
  (check-overwriting "gathered" (m) (!gather m (make-tensor '(2) :dtype :int64 :from '(2 0)))
                     '(7.0 8.0 9.0 1.0 2.0 3.0))
  (check-overwriting "scanned" (m) (!cumsum m) '(1.0 3.0 6.0 4.0 9.0 15.0 7.0 15.0 24.0)))

(deftest vectors-and-matrices
  (testing "a vector that every row reads"
    (let* ((v (make-tensor '(2) :from '(1.0 2.0)))
           (a (make-tensor '(3 2) :initial-element 10.0))
           (program (caten (list (!mul a v) (!assign v (!add v 1.0))))))
      (ok (equal (computed-elements (forward program)) '(10.0 20.0 10.0 20.0 10.0 20.0)))
      (ok (equal (computed-elements (forward program)) '(20.0 30.0 20.0 30.0 20.0 30.0)))))
  (testing "a product with the matrix that is overwritten"
    (let* ((m (make-tensor '(2 2) :from '((1.0 2.0) (3.0 4.0))))
           (program (caten (list (!matmul m m) (!assign m (!add m 1.0))))))
      (ok (equal (computed-elements (forward program)) '(7.0 10.0 15.0 22.0)))
      (ok (equal (computed-elements m) '(2.0 3.0 4.0 5.0)))))
  (testing "two places that read each other"
    (let* ((a (make-tensor '(4) :from '(1.0 2.0 3.0 4.0)))
           (b (make-tensor '(4) :from '(10.0 20.0 30.0 40.0)))
           (sum (!add a b))
           (difference (!sub a b))
           (program (caten (list (!assign a sum) (!assign b difference)))))
      (ok (= 1 (caten::runtime-kernel-count program)))
      (forward program)
      (ok (equal (computed-elements a) '(11.0 22.0 33.0 44.0)))
      (ok (equal (computed-elements b) '(-9.0 -18.0 -27.0 -36.0)))))
  (testing "places that read each other backwards"
    (let* ((a (make-tensor '(3) :from '(1.0 2.0 3.0)))
           (b (make-tensor '(3) :from '(10.0 20.0 30.0)))
           (sum (!add a (!flip b)))
           (difference (!sub (!flip a) b))
           (program (caten (list (!assign a sum) (!assign b difference)))))
      (forward program)
      (ok (equal (computed-elements a) '(31.0 22.0 13.0)))
      (ok (equal (computed-elements b) '(-7.0 -18.0 -29.0)))))
  (testing "part of a place"
    (let* ((a (make-tensor '(4) :from '(1.0 2.0 3.0 4.0)))
           (program (caten (list (!mul a 10.0) (!assign (!view a '(1 3)) (!view a '(0 2)))))))
      (ok (equal (computed-elements (forward program)) '(10.0 20.0 30.0 40.0)))
      (ok (equal (computed-elements a) '(1.0 1.0 2.0 4.0)))))
  (testing "rows that are normalised while they are overwritten"
    (let* ((a (make-tensor '(2 2) :from '((1.0 3.0) (2.0 6.0))))
           (program (caten (list (!div a (!sum a :axis 1)) (!assign a (!mul a 4.0))))))
      (ok (equal (computed-elements (forward program)) '(0.25 0.75 0.25 0.75)))
      (ok (equal (computed-elements a) '(4.0 12.0 8.0 24.0))))))

(deftest optimiser-steps
  (dolist (maker (list (SGD) (SGD :momentum 0.9) (Adam) (AdamW :amsgrad t)
                       (RMSprop :centered t :momentum 0.5) (Adagrad) (Lion) (Adadelta) (Adamax)
                       (NAdam) (RAdam) (Rprop)))
    (let* ((w (make-tensor '(8 16) :initial-element 1.0 :requires-grad t))
           (program (caten (!sum (!square w))))
           (optimizer (first (hook-optimizers program maker))))
      (forward program)
      (backward program)
      (step-optimizer optimizer)
      (ok (= 1 (caten::runtime-kernel-count (caten::optimizer-program optimizer)))
          "one kernel for a parameter and its states"))))
