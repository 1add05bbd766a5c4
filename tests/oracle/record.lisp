;;; Records what SBCL answers. Arguments: corpus files, each rewritten in place.
;;; A corpus file is Lisp text; after every form stand its results as comments:
;;;   ;=> VALUE    one line per value, as PRIN1 prints it with *print-pretty* on and no right margin
;;;   ;>> TEXT     what the form wrote to *standard-output*
;;;   ;!> TYPE     the form signalled an error; TYPE is the most specific standard condition type
;;;                (SIMPLE-ERROR and the like count as ERROR)
;;; A line `;;; Needs: SYSTEM` in a file loads that system first (Debian: cl-ppcre, cl-alexandria).
;;; Newlines inside VALUE and TEXT are written \n. A form preceded by `;departs: REASON` keeps the
;;; results that stand there: they are ours, not SBCL's.

(setf sb-ext:*evaluator-mode* :interpret)
(setf sb-impl::*default-external-format* :utf-8)

(defun result-line-p (line)
  (and (>= (length line) 3)
       (member (subseq line 0 3) '(";=>" ";!>" ";>>") :test #'string=)))

(defun one-line (text)
  (with-output-to-string (out)
    (loop for c across text
          do (if (char= c #\Newline) (write-string "\\n" out) (write-char c out)))))

(defun standard-type-name (condition)
  (loop for class in (sb-mop:class-precedence-list (class-of condition))
        for name = (class-name class)
        when (and (eq (symbol-package name) (find-package :cl))
                  (not (eql 0 (search "SIMPLE-" (symbol-name name)))))
          return name))

(defun results (text)
  (let* ((out (make-string-output-stream))
         (lines '())
         (*standard-output* out)
         (*error-output* (make-broadcast-stream)))
    (handler-bind ((warning #'muffle-warning))
      (handler-case (let ((values (multiple-value-list (eval (read-from-string text)))))
                      (setf lines (loop for v in values
                                        collect (format nil ";=> ~a"
                                                        (one-line (prin1-to-string v))))))
        (error (c) (setf lines (list (format nil ";!> ~a" (standard-type-name c)))))))
    (let ((text (get-output-stream-string out)))
      (if (plusp (length text))
          (cons (format nil ";>> ~a" (one-line text)) lines)
          lines))))

(defun file-lines (path)
  (with-open-file (in path :external-format :utf-8)
    (loop for line = (read-line in nil) while line collect line)))

(defun load-needs (path)
  (dolist (line (file-lines path))
    (when (eql 0 (search ";;; Needs: " line))
      (require :asdf)
      (let ((*standard-output* (make-broadcast-stream)) (*error-output* (make-broadcast-stream))
            (*package* (find-package :cl-user)))
        (funcall (find-symbol "LOAD-SYSTEM" "ASDF") (subseq line 11))))))

(defun join (lines)
  (format nil "~{~a~%~}" lines))

;;; Top-level forms start in the first column and end before a result line, an empty line or the
;;; next form, so lines are grouped first and read afterwards.
(defun record (path)
  (let ((output '())
        (form-lines '())
        (keep nil))
    (flet ((flush-form ()
             (when form-lines
               (unless keep
                 (dolist (line (results (join (reverse form-lines)))) (push line output))
                 (setf form-lines '())))))
      (dolist (line (file-lines path))
        (cond ((result-line-p line)
               (when keep (push line output)))
              ((or (string= line "") (char= (char line 0) #\;))
               (flush-form)
               (setf form-lines '() keep nil)
               (when (and (> (length line) 9) (string= (subseq line 0 9) ";departs:"))
                 (setf keep t))
               (push line output))
              ((char= (char line 0) #\()
               (flush-form)
               (when form-lines (setf form-lines '() keep nil))
               (setf form-lines (list line))
               (push line output))
              (t (push line form-lines) (push line output))))
      (flush-form))
    (with-open-file (out path :direction :output :if-exists :supersede :external-format :utf-8)
      (write-string (join (reverse output)) out))))

(let ((*package* (make-package :corpus :use '(:cl)))
      (*print-pretty* t)
      (*print-right-margin* 1000000)
      (files (rest sb-ext:*posix-argv*)))
  (dolist (file files)
    (handler-case (progn (load-needs file) (record file))
      (error (c) (format *error-output* "~a: ~a~%" file c) (sb-ext:exit :code 1)))))
