;;;; Rules of losses that no table of numbers shows: ids out of range, classes that are impossible,
;;;; ids that are ignored.

(defun logits () (make-tensor '(2 3) :from '((1.0 2.0 3.0) (0.5 0.0 -1.0))))
(defun ids (&rest list) (make-tensor (list (length list)) :dtype :int64 :from list))

(deftest ids-out-of-range
  (dolist (bad '(3 100 -1 -4))
    (ok (signals (proceed (!cross-entropy-with-logits (logits) (ids 0 bad))) 'error))
    (ok (signals (proceed (!nll (logits) (ids bad 0))) 'error))
    (ok (signals (proceed (!multi-margin (logits) (ids 0 bad))) 'error)))
  (testing "in a program for any ids"
    (let ((program (caten (!nll (logits) (make-input 'y '(2) :dtype :int64)))))
      (ok (forward program 'y (ids 2 0)))
      (ok (signals (forward program 'y (ids 2 3)) 'error)))))

(deftest ids-out-of-range-among-many
  (let ((scores (proceed (linspace '(1000 40) 0.001 0.0))))
    (flet ((loss (last)
             (!cross-entropy-with-logits
              scores (proceed (!where (!< (linspace '(1000) 1.0 0.0) 999.0)
                                      (make-tensor '(1000) :dtype :int64 :initial-element 3)
                                      (make-tensor '(1000) :dtype :int64 :initial-element last))))))
      (ok (< 3.7 (item (loss 3)) 3.71))
      (ok (signals (proceed (loss 40)) 'error))
      (ok (signals (proceed (loss -1)) 'error)))))

(deftest ignored-ids
  (check-tensor (!nll (logits) (ids 2 -100)) :float32 '() '(-3.0))
  (check-tensor (!nll (logits) (ids 2 7) :ignore-index 7) :float32 '() '(-3.0))
  (check-tensor (!nll (logits) (ids 2 -100) :reduction :none) :float32 '(2) '(-3.0 0.0))
  (testing "the mean of nothing"
    (check-tensor (!nll (logits) (ids -100 -100)) :float32 '() '(:nan))))

(deftest impossible-classes
  (let ((x (make-tensor '(1 3) :from `((0.0 0.0 ,(-inf))) :requires-grad t)))
    (check-tensor (!cross-entropy-with-logits x (ids 0)) :float32 '() '(0.6931472) 1e-6)
    (check-tensor (!cross-entropy-with-logits x (ids 2)) :float32 '() '(:inf))
    (let ((program (caten (!cross-entropy-with-logits x (ids 0)))))
      (forward program)
      (backward program)
      (check-tensor (grad x) :float32 '(1 3) '(-0.5 0.5 0.0) 1e-6))))

(deftest unsigned-ids
  (flet ((loss (dtype)
           (item (!cross-entropy-with-logits (!reshape (ax+b '(30) 0.5 0.0) '(3 10))
                                             (make-tensor '(3) :dtype dtype :from '(1 2 9))))))
    (dolist (dtype '(:uint8 :uint16 :uint32 :uint64))
      (ok (= (loss :int64) (loss dtype))))))

(deftest one-kernel
  (ok (= 1 (caten::runtime-kernel-count
            (caten (!cross-entropy-with-logits (make-input 'x '(n 10))
                                               (make-input 'y '(n) :dtype :int64)))))))
