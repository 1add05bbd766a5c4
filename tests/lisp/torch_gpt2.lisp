;;;; GPT-2 of `caten/llm` against PyTorch: tests/oracle/torch_gpt2.py 64 4 2 100 32 7 made the numbers.
;;;; With and without the key-value cache, whole sequences and token by token.
(use-package :caten/llm)

(defun seeded-transformer (dim heads layers vocabulary length seed)
  "A transformer whose weights are the normal numbers that the script draws."
  (let* ((model (Transformer dim heads layers 1d-5 vocabulary :max-seq-len length))
         (weights (state-dict-entry (get-state-dict model))))
    (with-manual-seed (seed)
      (loop for key in (state-dict-keys (get-state-dict model))
            do (let ((draw (normal (shape (gethash key weights)) :std 0.1)))
                 (setf (gethash key weights)
                       (if (search "affine" key) (proceed (!add 1 draw)) draw)))))
    (load-state-dict model (make-state-dict :entry weights))))

(defun token-tensor (ids)
  (make-tensor (list 1 (length ids)) :dtype :int64 :from (list ids)))

(defparameter *model* (seeded-transformer 64 4 2 100 32 7))
(defparameter *expected* '(1 2 3 26 48 26 26 26 26 27 26 26 20 45 9 26 26 26 26))
(defparameter *tokens* (make-input 'tokens '(1 length) :dtype :int64))

(deftest greedy-tokens
  (ok (equal (funcall (greedy-decoder *model*) '(1 2 3) 16) *expected*)))

(deftest logits-without-a-cache
  (let* ((program (caten (!view (forward *model* *tokens*) 0 -1 '(0 8))))
         (logits (elements (forward program (cons 'length 19)
                                    (cons 'tokens (token-tensor *expected*))))))
    (loop for value across logits
          for expected in '(-1.618383 0.558689 0.220449 -0.961836 0.263303 -1.416239 -0.525843
                            0.390692)
          do (ok (< (abs (- value expected)) 2e-5)))))

(deftest a-cache-changes-nothing
  (let ((whole (caten (forward *model* *tokens*)))
        (cached (caten (forward *model* *tokens* (iconst 'start)))))
    (dolist (lengths '((1 18) (7 5 7)))
      (let ((start 0))
        (dolist (length lengths)
          (let ((logits (forward cached (cons 'start start) (cons 'length length)
                                 (cons 'tokens (token-tensor (subseq *expected* start
                                                                     (+ start length))))))
                (reference (forward whole (cons 'length (+ start length))
                                    (cons 'tokens (token-tensor
                                                   (subseq *expected* 0 (+ start length)))))))
            (ok (allclose logits (proceed (!view reference t (list start (+ start length)) t))
                          :atol 1e-5))
            (incf start length)))))))

(deftest positions-beyond-the-cache
  (let ((program (caten (forward *model* *tokens* (iconst 'start)))))
    (ok (signals (forward program (cons 'start 30) (cons 'length 3)
                          (cons 'tokens (token-tensor '(1 2 3))))
                 'error))))
