;;;; Changes of a graph that must not change its numbers, on every case of the table of ops: identity
;;;; movement before an op, operands that are computed instead of stored, more outputs, outputs in
;;;; another order.

(load "stdlib/op_table.lisp")
(load "tests/lisp/support/op_cases.lisp")

(defun split-and-joined (x)
  (if (and (plusp (ndim x)) (> (first (shape x)) 1))
      (!concatenate 0 (!view x '(0 1)) (!view x '(1 nil)))
      x))

(defparameter *identities*
  (list (cons "copied" #'!copy)
        (cons "reshaped and back" #'(lambda (x) (!reshape (!reshape x -1) (shape x))))
        (cons "transposed and back" #'(lambda (x) (if (< (ndim x) 2) x (!t (!copy (!t x))))))
        (cons "flipped and back" #'(lambda (x) (!flip (!copy (!flip x)))))
        (cons "split and joined" #'split-and-joined)
        (cons "padded and cropped"
              #'(lambda (x)
                  (let ((widths (make-list (ndim x) :initial-element '(1 2))))
                    (!pad (!pad x widths) (make-list (ndim x) :initial-element '(-1 -2))))))
        (cons "one of two rows"
              #'(lambda (x)
                  (reshape-like (!view (!stack 0 x (!neg x)) 0) x)))
        (cons "computed" #'(lambda (x) (!mul x 1)))))

(defun reshape-like (x like)
  (!reshape x (shape like)))

(defun row-dtype (row)
  (if (eq (second row) :integer) :int32 :float32))

(deftest identities-before-an-op
  (do-cases (name row case)
    (when (and (case-operands case) (not (eq name '!view-from-base)))
      (let* ((function (case-function name case))
             (tensors (operands (case-operands case) (row-dtype row)))
             (results (results-of-each
                       (cons (cons function tensors)
                             (loop for (nil . identity) in *identities*
                                   collect (cons function (mapcar identity tensors)))))))
        (loop for (label . nil) in *identities*
              for result in (rest results)
              do (ok (same-results result (first results) 1e-6)
                     (format nil "~a, ~a" (case-label name case) label)))))))

(defun computed-together (tensors)
  (mapcar #'described (multiple-value-list (forward (caten tensors)))))

(deftest more-outputs-and-another-order
  (do-cases (name row case)
    (when (case-operands case)
      (let* ((function (case-function name case))
             (tensors (operands (case-operands case) (row-dtype row)))
             (results (multiple-value-list (apply function tensors)))
             (expected (results-of function tensors))
             (more (loop for x in results collect (!where (!eq x x) x 0)))
             (count (length results)))
        (let ((twice (computed-together (append results more results))))
          (ok (same-results (subseq twice 0 count) expected 1e-6)
              (format nil "~a, users of the results" (case-label name case)))
          (ok (same-results (last twice count) expected 1e-6)
              (format nil "~a, twice" (case-label name case))))
        (ok (same-results (reverse (subseq (computed-together (append (reverse results) tensors))
                                           0 count))
                          expected 1e-6)
            (format nil "~a, backwards, operands as outputs" (case-label name case)))))))

(deftest rows-of-a-batch
  (flet ((check (name function &rest shapes)
           ;; The operands have a batch of 5 as their first axis.
           (let* ((tensors (loop for dims in shapes
                                 for seed from 0
                                 collect (make-tensor (cons 5 dims)
                                                      :from (operand-data :any (cons 5 dims) seed
                                                                          :float32))))
                  (whole (computed-elements (apply function tensors))))
             (ok (same-elements
                  (loop for i below 5
                        append (computed-elements
                                (apply function
                                       (loop for x in tensors collect (proceed (!view x i))))))
                  whole 1e-6)
                 name))))
    (check "matmul" #'!matmul '(3 4) '(4 2))
    (check "convolution" #'(lambda (x) (!convnd x (make-tensor '(2 3 2) :initial-element 0.5)
                                                :padding 1))
           '(3 6))
    (check "pooling" #'(lambda (x) (!maxpool x '(2))) '(2 6))
    (check "softmax" #'!softmax '(7))
    (check "layer-norm" #'(lambda (x) (!layer-norm x '(7))) '(7))
    (check "attention" #'scaled-dot-product-attention '(3 4) '(3 4) '(3 4))
    (check "group-norm" #'(lambda (x) (!group-norm x 2)) '(4 3))
    (check "sort" #'!sort '(7))
    (check "cumsum" #'!cumsum '(7))))
