;;;; Gradients of scans, sorting and scatter where elements tie, repeat or are 0: PyTorch's numbers.

(defun doubles (&rest numbers)
  (make-tensor (list (length numbers)) :dtype :float64 :from numbers :requires-grad t))

(defun weighted (x)
  (!sum (!mul x (!cast (!add 1 (!index-components x)) :float64))))

(defun run-gradients (loss)
  (let ((program (caten loss)))
    (forward program)
    (backward program)))

(deftest cumulative-products-with-zeros
  (let ((x (make-tensor '(3 4) :dtype :float64 :requires-grad t
                               :from '((2d0 0d0 3d0 4d0) (0d0 1d0 0d0 5d0) (1d0 2d0 3d0 0d0)))))
    (run-gradients (weighted (!cumprod x)))
    (check-tensor (grad x) :float64 '(3 4) '(1 118 0 0 11 0 0 0 95 43 22 72) 1d-12)))

(deftest cumulative-maxima-with-ties
  (let ((x (doubles 1d0 3d0 3d0 2d0 5d0)))
    (run-gradients (weighted (!cummax x)))
    (check-tensor (grad x) :float64 '(5) '(1 2 7 0 5))))

(deftest long-cumulative-sum
  (let ((x (make-tensor '(1022) :requires-grad t)))
    (run-gradients (!sum (!cumsum x)))
    (check-tensor (grad x) :float32 '(1022) (loop for i from 1022 downto 1 collect i))))

(defun check-scatter-gradients (mode updates base-gradient update-gradient)
  (let ((base (doubles 1d0 2d0 3d0 4d0))
        (updates (apply #'doubles updates))
        (indices (make-tensor '(3) :dtype :int64 :from '(0 1 0))))
    (run-gradients (weighted (!scatter base indices updates :mode mode)))
    (check-tensor (grad base) :float64 '(4) base-gradient 1d-12)
    (check-tensor (grad updates) :float64 '(3) update-gradient 1d-12)))

(deftest scatter-gradients
  (check-scatter-gradients :add '(5d0 2d0 6d0) '(1 2 3 4) '(1 2 1))
  (check-scatter-gradients :mul '(5d0 2d0 6d0) '(30 4 3 4) '(6 4 5))
  (check-scatter-gradients :mul '(0d0 2d0 6d0) '(0 4 3 4) '(6 4 0))
  (check-scatter-gradients :max '(5d0 2d0 6d0) '(0 1 3 4) '(0 1 1))
  (check-scatter-gradients :min '(5d0 2d0 6d0) '(1 1 3 4) '(0 1 0))
  (testing "only the update that stays gets a gradient"
    (check-scatter-gradients :set '(5d0 2d0 6d0) '(0 0 3 4) '(0 2 1))))

(deftest one-element-of-each-line
  (let ((x (make-tensor '(2 3) :dtype :float64 :requires-grad t :initial-element 5d0)))
    (run-gradients (!sum (!mul (!take-along-axis x (make-tensor '(2 1) :dtype :int64 :from '((-1) (0))))
                               (make-tensor '(2 1) :dtype :float64 :from '((2d0) (7d0))))))
    (check-tensor (grad x) :float64 '(2 3) '(0 0 2 7 0 0))))

(deftest sorting-gradients
  (let ((x (doubles 4d0 1d0 3d0 2d0)))
    (run-gradients (weighted (!sort x)))
    (check-tensor (grad x) :float64 '(4) '(4 1 3 2))
    (zero-grad x)
    (run-gradients (weighted (!topk x 2)))
    (check-tensor (grad x) :float64 '(4) '(1 0 2 0))))

(deftest embedding-gradient-of-16-bit-floats
  ;; 4,000 ones: float16 itself would stop at 2,048.
  (let ((weight (make-tensor '(2 1) :dtype :float16 :requires-grad t)))
    (run-gradients (!sum (!cast (!embedding (make-tensor '(4000) :dtype :int64) weight) :float32)))
    (check-tensor (grad weight) :float16 '(2 1) '(4000 0))))
