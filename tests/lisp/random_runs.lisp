;;;; Lazy draws in programs that run several times: the first run gives the stream's numbers, every
;;;; further one others.

(defun runs (make)
  "The elements that three runs of a program of a draw give, after those of the draw computed alone."
  (cons (with-manual-seed (7) (computed-elements (funcall make)))
        (let ((program (with-manual-seed (7) (caten (funcall make)))))
          (loop repeat 3 collect (computed-elements (forward program))))))

(deftest every-run-draws-anew
  (loop for (name . make) in (list (cons "!rand" #'(lambda () (!rand '(3 5))))
                                   (cons "!uniform" #'(lambda () (!uniform '(7) :low -1.0)))
                                   (cons "!randn" #'(lambda () (!randn '(9))))
                                   (cons "!normal" #'(lambda () (!normal '(4) :mean 3.0)))
                                   (cons "!randint" #'(lambda () (!randint '(16) 0 1000000)))
                                   (cons "!dropout" #'(lambda ()
                                                        (!dropout (ax+b '(64) 1.0 1.0)
                                                                  :training t))))
        do (destructuring-bind (alone first second third) (runs make)
             (ok (equal alone first) (format nil "~a: the first run" name))
             (ok (not (or (equal first second) (equal second third) (equal first third)))
                 (format nil "~a: runs differ" name)))))

(deftest draws-of-one-run-do-not-meet
  (set-manual-seed :seed 1)
  (let* ((program (caten (!rand '(8))))
         (first (computed-elements (forward program)))
         (now (computed-elements (rand '(8))))
         (second (computed-elements (forward program))))
    (ok (= 24 (length (remove-duplicates (append first now second)))))))

(deftest forward-and-backward-see-one-mask
  (let* ((x (make-tensor '(64) :initial-element 1.0 :requires-grad t))
         (program (caten (!mul x (!cast (!< (!rand '(64)) 0.5) :float32)))))
    (loop repeat 3
          do (let ((mask (computed-elements (forward program))))
               (zero-grad x)
               (backward program)
               (ok (equal mask (computed-elements (grad x))))))))

(deftest eager-and-lazy-draws-agree
  (set-manual-seed :seed 3)
  (let ((now (computed-elements (randn '(6)))))
    (set-manual-seed :seed 3)
    (ok (equal now (computed-elements (!randn '(6)))))))

(deftest draws-from-probabilities
  (with-manual-seed (2)
    (let ((ones (computed-elements (!bernoulli (make-tensor '(4000) :initial-element 0.3)))))
      (ok (every #'(lambda (x) (or (= x 0) (= x 1))) ones))
      (ok (< 1080 (reduce #'+ ones) 1320)))
    (check-tensor (!bernoulli (make-tensor '(4) :from '(0.0 1.0 0.0 1.0))) :float32 '(4) '(0 1 0 1))
    (ok (equal (sort (computed-elements (!randperm 50)) #'<) (loop for i below 50 collect i)))
    (ok (not (equal (computed-elements (!randperm 50)) (computed-elements (!randperm 50)))))))

(deftest multinomial
  (with-manual-seed (4)
    (let* ((weights (make-tensor '(4) :from '(1.0 0.0 2.0 5.0)))
           (drawn (computed-elements (!multinomial weights 8000 :replacement t))))
      (loop for i below 4
            for share in '(1000 0 2000 5000)
            do (ok (<= (abs (- (count i drawn) share)) 150) i))
      (loop repeat 5
            do (ok (equal (sort (computed-elements (!multinomial weights 3)) #'<) '(0 2 3)))))
    (ok (equal (shape (!multinomial (make-tensor '(2 3) :initial-element 1.0) 2)) '(2 2)))))
