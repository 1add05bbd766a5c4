;;;; Views as places: assignments through every kind of view, overlapping source and target, starts
;;;; known at run time, the order of reads and writes.

(defun grid () (make-tensor '(2 3) :from '((0.0 1.0 2.0) (3.0 4.0 5.0))))

(deftest assign-through-views
  (testing "a transpose"
    (let ((base (grid)))
      (proceed (!assign (!t base) (make-tensor '(3 2) :from '((5.0 6.0) (7.0 8.0) (9.0 10.0)))))
      (check-tensor base :float32 '(2 3) '(5 7 9 6 8 10))))
  (testing "every second element in row-major order"
    (let ((base (grid)))
      (proceed (!assign (!view (!reshape base 6) '(1 nil 2)) -1.0))
      (check-tensor base :float32 '(2 3) '(0 -1 2 -1 4 -1))))
  (testing "a reversed view of a reversed view"
    (let ((base (grid)))
      (proceed (!assign (!view (!view base '(nil nil -1) '(1 3)) 0 '(nil nil -1))
                        (make-tensor '(1 2) :from '((1.0 2.0)))))
      (check-tensor base :float32 '(2 3) '(0 1 2 3 2 1))))
  (testing "a slice of a transpose, a flip, a reshape of a slice"
    (let ((base (grid)))
      (proceed (!assign (!view (!t base) '(0 2) 1) 7.0))
      (check-tensor base :float32 '(2 3) '(0 1 2 7 7 5))
      (proceed (!assign (!flip base :axis 1) (make-tensor '(3) :from '(1.0 2.0 3.0))))
      (check-tensor base :float32 '(2 3) '(3 2 1 3 2 1))
      (proceed (!assign (!reshape (!view base t '(1 3)) 4) (make-tensor '(4) :from '(4.0 5.0 6.0 7.0))))
      (check-tensor base :float32 '(2 3) '(3 4 5 3 6 7))))
  (testing "what is no place"
    (ok (signals (!assign (!add (grid) 1.0) 0.0) 'error))
    (ok (signals (!assign (!expand (make-tensor '(1 3)) 2 3) 0.0) 'error))
    (ok (signals (!assign (grid) (make-tensor '(4))) 'error))))

(deftest overlapping-assignments
  (let ((base (grid)))
    (proceed (!assign (!view base t '(1 3)) (!view base t '(0 2))))
    (check-tensor base :float32 '(2 3) '(0 0 1 3 3 4)))
  (let ((base (make-tensor '(5) :from '(1.0 2.0 3.0 4.0 5.0))))
    (proceed (!assign base (!flip base)))
    (check-tensor base :float32 '(5) '(5 4 3 2 1))
    (proceed (!assign (!view base '(0 4)) (!view base '(1 5))))
    (check-tensor base :float32 '(5) '(4 3 2 1 1)))
  (let ((square (make-tensor '(2 2) :from '((1.0 2.0) (3.0 4.0)))))
    (proceed (!assign square (!t square)))
    (check-tensor square :float32 '(2 2) '(1 3 2 4))))

(deftest order-of-effects
  (testing "a view reads the newest version, a copy the version it was made of"
    (let* ((base (grid))
           (view (!view base 0 t))
           (copy (!copy base))
           (padded (!pad view '((0 0) (1 0))))
           (set (!assign base 9.0))
           (twice (!assign view 8.0)))
      (multiple-value-bind (copy padded set twice after)
          (proceed copy padded set twice (!add base 0.0))
        (check-tensor copy :float32 '(2 3) '(0 1 2 3 4 5))
        (check-tensor padded :float32 '(1 4) '(0 0 1 2))
        (check-tensor set :float32 '(2 3) '(9 9 9 9 9 9))
        (check-tensor twice :float32 '(1 3) '(8 8 8))
        (check-tensor after :float32 '(2 3) '(8 8 8 9 9 9))))))

(deftest run-time-starts
  (let* ((x (make-tensor '(2 5) :from '((0.0 1.0 2.0 3.0 4.0) (5.0 6.0 7.0 8.0 9.0))
                                :requires-grad t))
         (start (make-tensor '() :dtype :int64 :initial-element 1))
         (view (!view x t (list start (!+ start 3)))))
    (check-tensor view :float32 '(2 3) '(1 2 3 6 7 8))
    (testing "its gradient"
      (let ((program (caten (!sum (!mul view view)))))
        (forward program)
        (backward program)
        (check-tensor (grad x) :float32 '(2 5) '(0 2 4 6 0 0 12 14 16 0))))
    (testing "negative starts and steps"
      (check-tensor (!view x (!sub start 2) t) :float32 '(1 5) '(5 6 7 8 9))
      (check-tensor (!view x t (list (!sub start 4) (!sub start 2))) :float32 '(2 2) '(2 3 7 8))
      (check-tensor (!view x t (list (!+ start 3) start -1)) :float32 '(2 3) '(4 3 2 9 8 7)))
    (testing "errors"
      (ok (signals (proceed (!view x t (list (!+ start 2) (!+ start 5)))) 'error))
      (ok (signals (proceed (!view x (!+ start 1) t)) 'error))
      (ok (signals (!view x t (list start nil)) 'error))
      (ok (signals (!view x t (list 0 start)) 'error)))
    (testing "as a place"
      (proceed (!assign (!view x t (list start (!+ start 2))) -1.0))
      (check-tensor x :float32 '(2 5) '(0 -1 -1 3 4 5 -1 -1 8 9))
      (proceed (!assign start 3))
      (check-tensor (!view x 0 (list start (!+ start 2))) :float32 '(1 2) '(3 4)))))

(defun cache-step (program keys start)
  (multiple-value-bind (sums written)
      (forward program (cons 'start start) (cons 'len (length (first keys)))
               (cons 'k (make-tensor (list 1 (length (first keys)) 2) :from keys)))
    (append (computed-elements sums) (computed-elements written))))

(deftest key-value-cache
  (testing "sizes known at entry"
    (let* ((cache (make-tensor '(1 6 2)))
           (k (make-input 'k '(1 len 2)))
           (start (iconst 'start))
           (len (iconst 'len))
           (written (!assign (!view cache t (list start (!+ start len)) t) k))
           (all (!view-from-base cache t (list 0 (!+ start len)) t))
           (program (caten (list (!sum all :axis 1) written))))
      (ok (equal (cache-step program '(((1.0 2.0) (3.0 4.0))) 0) '(4.0 6.0 1.0 2.0 3.0 4.0)))
      (ok (equal (cache-step program '(((10.0 20.0))) 2) '(14.0 26.0 10.0 20.0)))
      (check-tensor cache :float32 '(1 6 2) '(1 2 3 4 10 20 0 0 0 0 0 0))
      (ok (signals (cache-step program '(((1.0 1.0))) 6) 'error))
      (check-tensor cache :float32 '(1 6 2) '(1 2 3 4 10 20 0 0 0 0 0 0))))
  (testing "a start known at run time"
    (let* ((cache (make-tensor '(4 2)))
           (position (make-tensor '() :dtype :int64))
           (program (caten (list (!assign (!view cache (list position (!+ position 2)) t)
                                          (make-input 'k '(2 2)))
                                 (!assign position (!+ position 2))))))
      (forward program (cons 'k (make-tensor '(2 2) :from '((1.0 2.0) (3.0 4.0)))))
      (forward program (cons 'k (make-tensor '(2 2) :from '((5.0 6.0) (7.0 8.0)))))
      (check-tensor cache :float32 '(4 2) '(1 2 3 4 5 6 7 8))
      (ok (signals (forward program (cons 'k (make-tensor '(2 2)))) 'error)))))

(deftest sizes-in-lower-case
  (let* ((x (make-input 'x '(|n-m| |N-m|)))
         (program (caten (!reshape (!add 1 x) -1))))
    (ok (equal (shape (!reshape x -1)) '((* |N-m| |n-m|))))
    (check-tensor (forward program (cons 'x (make-tensor '(2 3)))) :float32 '(6) '(1 1 1 1 1 1))))

(deftest flattened-order
  ;; What reads the order has fewer axes than it.
  (let ((x (make-tensor '(2 3) :from '((3 1 2) (4 6 5)))))
    (check-tensor (!reshape (!argsort x :axis 1) 6) :int64 '(6) '(1 2 0 0 2 1))))
