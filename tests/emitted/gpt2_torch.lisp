;;;; GPT-2 with the seeded weights of tests/oracle/torch_gpt2.py. gpt2_torch.sh puts the definition of
;;;; *config*, (dim heads layers vocabulary length seed), before this. As a script it prints the
;;;; greedy continuation of 1 2 3 by 16 tokens and the first eight logits after the last of them, as
;;;; the Python script does: decoded token by token with the cache, then all at once without it.
(use-package :caten/llm)

(defun seeded-transformer (dim heads layers vocabulary length seed)
  (let* ((model (Transformer dim heads layers 1d-5 vocabulary :max-seq-len length))
         (weights (state-dict-entry (get-state-dict model))))
    (with-manual-seed (seed)
      (loop for key in (state-dict-keys (get-state-dict model))
            do (let ((draw (normal (shape (gethash key weights)) :std 0.1)))
                 (setf (gethash key weights)
                       (if (search "affine" key) (proceed (!add 1 draw)) draw)))))
    (load-state-dict model (make-state-dict :entry weights))))

(defparameter *model* (apply #'seeded-transformer *config*))

(defentry gpt2 ((tokens (1 length) :dtype :int64))
  (!view (forward *model* tokens (iconst 'start)) t -1 t))

(defun token-tensor (ids)
  (make-tensor (list 1 (length ids)) :dtype :int64 :from (list ids)))

(defun report (tokens logits)
  (format t "tokens:~{ ~a~}~%logits:~{ ~,6f~}~%" tokens (coerce logits 'list)))

(when (boundp '*args*)
  (let* ((input (make-input 'tokens '(1 length) :dtype :int64))
         (cached (caten (forward *model* input (iconst 'start))))
         (whole (caten (forward *model* input)))
         (tokens '(1 2 3))
         (start 0))
    (flet ((last-logits (logits)
             (proceed (!view logits 0 -1 t)))
           (step-on ()
             (prog1 (forward cached (cons 'start start) (cons 'length (- (length tokens) start))
                             (cons 'tokens (token-tensor (nthcdr start tokens))))
               (setf start (length tokens)))))
      (dotimes (i 16)
        (let ((next (item (proceed (!argmax (last-logits (step-on)))))))
          (setf tokens (append tokens (list next)))))
      (report tokens (subseq (elements (last-logits (step-on))) 0 8))
      (let ((all (forward whole (cons 'length (length tokens))
                          (cons 'tokens (token-tensor tokens)))))
        (report tokens (subseq (elements (last-logits all)) 0 8))))))
