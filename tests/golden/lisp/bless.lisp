;;; Rewrites the expectations of golden files with what SBCL answers (ANSI CL is the reference).
;;; Usage: sbcl --script bless.lisp FILE...
;;; A file is blocks separated by blank lines; a block is forms and a last line `=> values`, the
;;; values of the block's last form, or `=> error TYPE` with the first matching type of *errors*.
;;; Values that have no readable print form are shown as #<>.
(setf *print-pretty* nil)
(declaim (sb-ext:muffle-conditions warning sb-ext:compiler-note))
(defparameter *errors*
  '(division-by-zero arithmetic-error unbound-variable unbound-slot undefined-function cell-error
    type-error program-error control-error parse-error file-error error))

(defun printed (value)
  (let ((text (prin1-to-string value)))
    (if (search "#<" text :end2 (min 2 (length text))) "#<>" text)))

(defun answer (text)
  (handler-case
      (handler-bind ((warning #'muffle-warning))
        (let ((values nil) (start 0))
          (loop (multiple-value-bind (form end) (read-from-string text nil text :start start)
                  (when (eq form text) (return))
                  (setf start end
                        values (multiple-value-list (eval form)))))
          (format nil "~{~a~^ ; ~}" (mapcar #'printed values))))
    (error (e) (format nil "error ~a" (find-if (lambda (type) (typep e type)) *errors*)))))

(defun lines (path)
  (with-open-file (in path) (loop for line = (read-line in nil) while line collect line)))

(defun comment-p (line) (char= (char line 0) #\;))

(defun blocks (path)
  (let ((blocks nil) (block nil))
    (flet ((finish () (when block (push (nreverse block) blocks) (setf block nil))))
      (dolist (line (lines path))
        (cond ((string= line "") (finish))
              ((and (> (length line) 2) (string= "=> " line :end2 3)))
              (t (push line block))))
      (finish))
    (nreverse blocks)))

(defun blessed (block)
  (format nil "~{~a~%~}~@[=> ~a~%~]" block
          (unless (every #'comment-p block)
            (let ((*package* *package*)) (answer (format nil "~{~a~%~}" block))))))

(defun bless (path)
  (let ((text (format nil "~{~a~^~%~}" (mapcar #'blessed (blocks path)))))
    (with-open-file (out path :direction :output :if-exists :supersede)
      (write-string text out))))

(mapc #'bless (rest sb-ext:*posix-argv*))
