;;;; Tests in the shape of the Rove library: `deftest` registers, `run-tests` runs what was
;;;; registered, prints results and counts, and returns whether all passed.
(defpackage :rove
  (:use :cl)
  (:export #:deftest #:testing #:ok #:ng #:signals #:outputs #:pass #:fail #:skip #:run-tests))
(in-package :rove)

(defvar *tests* nil "Registered tests, newest first: a list of (name . function).")
(defvar *passed* 0)
(defvar *failed* 0)
(defvar *skipped* 0)
(defvar *context* nil "Descriptions of the enclosing `testing` forms, innermost first.")

(defmacro deftest (name &body body)
  "Registers a test; a second one of the same name replaces the first."
  `(progn
     (register ',name #'(lambda () ,@body))
     ',name))

(defun register (name function)
  (let ((entry (assoc name *tests*)))
    (if entry
        (setf (cdr entry) function)
        (push (cons name function) *tests*))))

(defmacro testing (description &body body)
  "Names a group of checks."
  `(let ((*context* (cons ,description *context*)))
     ,@body))

(defun pass (&optional description)
  (declare (ignore description))
  (incf *passed*)
  t)

(defun fail (description)
  "Counts and prints a failed check."
  (incf *failed*)
  (format t "    x ~{~a: ~}~a~%" (reverse *context*) description)
  nil)

(defun skip (description)
  (incf *skipped*)
  (format t "    - ~{~a: ~}skipped: ~a~%" (reverse *context*) description))

(defun argument-forms (form)
  "The forms whose values a failing check prints: the arguments of a call of a plain function."
  (if (and (consp form) (symbolp (first form)) (fboundp (first form))
           (not (macro-function (first form))) (not (special-operator-p (first form))))
      (rest form)
      nil))

(defun literal-p (form)
  (if (consp form)
      (member (first form) '(quote function))
      (or (not (symbolp form)) (keywordp form) (member form '(t nil)))))

(defun check (value expected form names values description)
  (if (eq (not value) (not expected))
      (pass description)
      (fail (format nil "~@[~a: ~]~a is ~:[false~;true~]~{~%        ~a = ~a~}"
                    description (prin1-to-string form) value
                    (loop for name in names
                          for operand in values
                          unless (literal-p name)
                            append (list (prin1-to-string name) (prin1-to-string operand)))))))

(defun check-form (form description expected)
  (let* ((operands (argument-forms form))
         (temporaries (loop repeat (length operands) collect (gensym "VALUE"))))
    `(handler-case
         (let* ,(mapcar #'list temporaries operands)
           (check ,(if operands `(,(first form) ,@temporaries) form)
                  ,expected ',form ',operands (list ,@temporaries) ,description))
       (error (condition)
         (fail (format nil "~a signalled: ~a" (prin1-to-string ',form) condition))))))

(defmacro ok (form &optional description)
  "Passes when `form` is true."
  (check-form form description t))

(defmacro ng (form &optional description)
  "Passes when `form` is false."
  (check-form form description nil))

(defmacro signals (form &optional (condition ''error))
  "True when `form` signals a condition of the type."
  (let ((signalled (gensym "SIGNALLED")))
    `(block ,signalled
       (handler-bind ((condition #'(lambda (c)
                                     (when (typep c ,condition)
                                       (return-from ,signalled t)))))
         ,form)
       nil)))

(defmacro outputs (form text)
  "True when `form` writes exactly `text` to standard output."
  `(string= (with-output-to-string (*standard-output*) ,form) ,text))

(defun run-test (name function)
  (let ((failed *failed*))
    (handler-case (funcall function)
      (error (condition)
        (fail (format nil "unexpected error: ~a" condition))))
    (format t "  ~:[x~;ok~] ~(~a~)~%" (= failed *failed*) name)))

(defun run-tests ()
  "Runs the registered tests in order and forgets them; true when all passed."
  (setf *passed* 0 *failed* 0 *skipped* 0)
  (let ((tests (reverse *tests*)))
    (setf *tests* nil)
    (loop for (name . function) in tests
          do (run-test name function))
    (format t "~a test~:p, ~a check~:p passed, ~a failed~[~:;, ~:*~a skipped~]~%"
            (length tests) *passed* *failed* *skipped*)
    (= *failed* 0)))
