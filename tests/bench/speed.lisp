;;;; Speed of the evaluator: seconds of processor time, beside the limits that are set for it (release build).
;;;;   catenc run speed.lisp
(defun fib (n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))

(defun additions (n)
  (let ((sum 0))
    (dotimes (i n sum)
      (setq sum (+ sum i)))))

(defgeneric area (shape))
(defclass shape () ((size :initarg :size)))
(defclass square (shape) ())
(defmethod area ((s shape)) 0)
(defmethod area ((s square)) 1)

(defun generic-calls (n)
  (let ((s (make-instance 'square :size 2)) (sum 0))
    (dotimes (i n sum)
      (setq sum (+ sum (area s))))))

(defun conses (n)
  (let ((list nil))
    (dotimes (i n)
      (when (zerop (mod i 1000)) (setq list nil))
      (push i list))
    (length list)))

(defmacro seconds (form)
  `(let ((start (get-internal-run-time)))
     ,form
     (/ (- (get-internal-run-time) start) 1.0 internal-time-units-per-second)))

(flet ((row (name limit seconds)
         (format t "~40a ~6,3f s   (limit ~,2f)~:[~;  TOO SLOW~]~%" name seconds limit
                 (> seconds limit))))
  (row "(fib 27)" 0.25 (seconds (fib 27)))
  (row "10 million additions in dotimes" 0.5 (seconds (additions 10000000)))
  (row "1 million calls of a generic function" 0.3 (seconds (generic-calls 1000000)))
  (row "1 million conses" 0.2 (seconds (conses 1000000))))
