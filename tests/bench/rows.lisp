;;;; Rows of kernels.py that are made of library functions: reads lines "NAME NUMBERS" from standard
;;;; input and answers each with nanoseconds of the fastest of a few runs: processor time on one thread,
;;;; elapsed time on more.
;;;;   catenc run --threads=N rows.lisp N

(defparameter *clock*
  (if (equal (first *args*) "1") #'get-internal-run-time #'get-internal-real-time))

(defun least-nanoseconds (program)
  (let ((best nil)
        (total 0)
        (runs 0))
    (loop while (or (< runs 3) (< total (/ internal-time-units-per-second 50)))
          do (let ((start (funcall *clock*)))
               (forward program)
               (let ((taken (- (funcall *clock*) start)))
                 (setf best (if best (min best taken) taken))
                 (incf total taken)
                 (incf runs))))
    (/ (* best 1000000000) internal-time-units-per-second)))

(defun cross-entropy (rows classes)
  (!cross-entropy-with-logits (randn (list rows classes))
                              (randint (list rows) 0 classes :dtype :int64)))

(defun conv (channels filters size kernel stride groups)
  (!convnd (randn (list 1 channels size size))
           (randn (list filters (floor channels groups) kernel kernel))
           :stride stride :padding (floor kernel 2) :groups groups))

(defun attention (heads length width)
  (let ((q (randn (list 1 heads length width)))
        (k (randn (list 1 heads length width)))
        (v (randn (list 1 heads length width))))
    (scaled-dot-product-attention q k v (!tril (make-tensor (list length length) :dtype :bool :initial-element t)))))

(defun gpt2-decode (layers width words)
  "One token at position 128, with a key-value cache."
  (let ((tokens (make-tensor '(1 1) :dtype :int64 :initial-element 7)))
    (forward (caten/llm:Transformer width (floor width 64) layers 1d-5 words) tokens (iconst 128))))

(defun row (name numbers)
  (let ((expression (apply name numbers)))
    (with-no-grad (caten expression))))

;; Memory that has been used before, for the results of the first rows.
(dotimes (i 48) (proceed (ax+b '(1024 1024) 0.0 (float i))))

(let ((programs (make-hash-table :test #'equal)))
  (loop for line = (read-line *standard-input* nil)
        while line
        do (unless (gethash line programs)
             (let ((words (read-from-string (format nil "(~a)" line))))
               (setf (gethash line programs) (row (first words) (rest words)))))
           (format t "~a~%" (floor (least-nanoseconds (gethash line programs))))
           (finish-output)))
