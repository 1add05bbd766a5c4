;;;; Writes the reference page (stdlib/OPS.md): `catenc run stdlib/ops_page.lisp > stdlib/OPS.md`.
;;;; Signatures and descriptions are read from the definitions in stdlib/, the rest from the table of
;;;; ops. A test compares the page with what this file writes.

(load "stdlib/op_table.lisp")

(defparameter *sections*
  '(("Arithmetic" "ops/arithmetic.lisp") ("Comparison and selection" "ops/compare.lisp")
    ("Functions of one operand" "ops/unary.lisp") ("Dtypes and constants" "ops/cast.lisp" "ops/support.lisp")
    ("Creation and state" "ops/creation.lisp") ("Random numbers" "ops/random.lisp")
    ("Movement" "ops/movement.lisp" "ops/view.lisp") ("Indices" "ops/index.lisp") ("In order along an axis" "ops/ordered.lisp")
    ("Reductions" "ops/reduce.lisp") ("Contractions" "ops/linear_algebra.lisp")
    ("Compositions" "ops/more.lisp")
    ("Gradients" "autodiff.lisp")
    ("Activations" "nn/activations.lisp") ("Losses" "nn/losses.lisp" "nn/more_losses.lisp" "nn/ctc.lisp")
    ("Layers" "nn/layers.lisp" "nn/normalization.lisp" "nn/more_layers.lisp" "nn/modes.lisp")
    ("Convolution and pooling" "nn/convolution.lisp" "nn/adaptive_pooling.lisp" "nn/resizing.lisp")
    ("Attention" "nn/attention.lisp") ("Recurrent layers" "nn/recurrent.lisp")
    ("Optimisers" "nn/optimizers.lisp" "nn/more_optimizers.lisp")
    ("Schedules and clipping" "nn/schedules.lisp")
    ("Models and state" "prelude.lisp" "state_dict.lisp" "runtime.lisp")
    ("Files" "ops/quantized.lisp") ("Rewrite rules" "simplifier.lisp")
    ("Tests" "testing.lisp")))

(defun forms-of (file)
  (with-open-file (stream (format nil "stdlib/~a" file))
    (let ((*package* (find-package :caten)))
      (loop for form = (read stream nil)
            while form collect form))))

(defun without-defaults (options)
  "Keyword options with their defaults, as a lambda list has them."
  (if options (cons '&key options) nil))

(defun definition-of (form)
  "Name, lambda list and description of a defining form, or nil."
  (flet ((is (&rest names) (member (symbol-name (first form)) names :test #'string=)))
    (when (and (consp form) (symbolp (first form)))
      (cond ((and (is "DEFUN" "DEFMACRO") (symbolp (second form)))
             (list (second form) (third form)
                   (if (and (stringp (fourth form)) (nthcdr 4 form)) (fourth form) "")))
            ((is "DEFINE-UNARY" "DEFINE-NUMERIC" "DEFINE-ROUNDING")
             (list (second form) '(x) (fourth form)))
            ((is "DEFINE-DRAW") (list (second form) (third form) (fourth form)))
            ((is "DEFINE-BINARY") (list (second form) '(a b) (fifth form)))
            ((is "DEFINE-SCAN") (list (second form) '(x &key (axis -1)) (sixth form)))
            ((is "DEFINE-ACTIVATION")
             (destructuring-bind (name module (x &rest options) documentation &rest body) (rest form)
               (declare (ignore module body))
               (list name (cons x (without-defaults options)) documentation)))
            ((is "DEFMODEL")
             (destructuring-bind (name arguments &key where (documentation "")) (second form)
               (declare (ignore where))
               (list name arguments documentation)))
            ((is "DEFGENERIC")
             (list (second form) (third form)
                   (or (second (assoc :documentation (cdddr form))) "")))))))

(defun exported-p (name)
  (and (symbolp name)
       (eq (nth-value 1 (find-symbol (symbol-name name) :caten)) :external)))

(defun one-line (text)
  "The text without line breaks, and without what Markdown would take for markup."
  (let ((words (substitute #\Space #\Newline text)))
    (with-output-to-string (out)
      (loop with space = nil
            for c across words
            do (cond ((and (char= c #\Space) space))
                     ((char= c #\|) (write-string "\\|" out))
                     ((and (char= c #\*)) (write-string "\\*" out))
                     ((char= c #\<) (write-string "&lt;" out))
                     (t (write-char c out)))
               (setf space (char= c #\Space))))))

(defun lambda-list-text (item)
  "A lambda list in lower case and without packages."
  (cond ((null item) "nil")
        ((keywordp item) (format nil "~(~s~)" item))
        ((symbolp item) (string-downcase (symbol-name item)))
        ((and (consp item) (member (first item) '(quote function)) (= (length item) 2))
         (format nil "~a~a" (if (eq (first item) 'quote) "'" "#'") (lambda-list-text (second item))))
        ((consp item) (format nil "(~{~a~^ ~})" (mapcar #'lambda-list-text item)))
        (t (format nil "~(~s~)" item))))

(defun signature (name lambda-list)
  (format nil "`~a`" (lambda-list-text (cons name lambda-list))))

(defun dtypes-text (row)
  (ecase (second row)
    (:float "floats (others become floats)")
    (:float-only "floats")
    (:number "numbers")
    (:all "all")
    (:integer "integers, bool")
    (:bool "bool")))

(defun gradient-text (row)
  (ecase (third row) (:yes "yes") (:zero "0") (:no "no")))

(defun since-text (row)
  (if (eq (fourth row) :since) (fifth row) "0.1"))

(defun print-row (name lambda-list documentation)
  (let ((row (assoc name *op-table*)))
    (format t "| ~a | ~a | ~a | ~a | ~a |~%"
            (signature name lambda-list)
            (if row (dtypes-text row) "")
            (if row (gradient-text row) "")
            (if row (since-text row) "0.1")
            (one-line documentation))))

(defun section-definitions (files)
  (loop for file in files
        append (loop for form in (forms-of file)
                     for definition = (definition-of form)
                     when (and definition (exported-p (first definition)))
                       collect definition)))

(format t "# The library~%~%Written by `catenc run stdlib/ops_page.lisp` from the definitions in `stdlib/` and the table of ops
in `stdlib/op_table.lisp`; do not edit. Operands of elementwise ops promote and broadcast, numbers are
allowed as operands. \"Gradient\" says whether one flows: \"0\" is one that is 0 everywhere.~%")
(let ((documented nil))
  (loop for (title . files) in *sections*
        for definitions = (section-definitions files)
        do (format t "~%## ~a~%~%| Call | Dtypes | Gradient | Since | What it is |~%|---|---|---|---|---|~%"
                   title)
           (dolist (definition definitions)
             (push (first definition) documented)
             (apply #'print-row definition)))
  (let ((missing (set-difference (mapcar #'first *op-table*) documented)))
    (when missing
      (error "no section of the page has the definition of ~{~(~a~)~^, ~}" missing))))
