;;;; defsimplifier: rewrite rules of the user's, over modules (before they are expanded) and over AIR.
(in-package :caten)

;;; Reading ----------------------------------------------------------------------------------------

(defun class-of-head (head)
  "The op class that the head of a pattern names: its own symbol, or, for a keyword, the library's
class of that name with or without -OP."
  (or (loop for symbol in (if (keywordp head)
                              (list (intern (symbol-name head) :caten)
                                    (intern (format nil "~a-OP" (symbol-name head)) :caten))
                              (list head))
            when (and (find-class symbol nil) (subtypep symbol 'Func))
              return symbol)
      (error "defsimplifier: `~a` names neither an AIR op nor a class of ops" head)))

(defun air-pattern-p (pattern)
  (and (consp pattern) (keywordp (first pattern)) (%air-op-p (first pattern))))

(defun number-variable-p (pattern)
  "Whether a pattern is `(number name)`, a constant whose value is bound to the name."
  (and (consp pattern) (symbolp (first pattern)) (string= (symbol-name (first pattern)) "NUMBER")
       (= (length pattern) 2)))

(defun pattern-variables (pattern)
  "The names that a pattern binds, in order."
  (remove-duplicates
   (cond ((number-variable-p pattern) (list (second pattern)))
         ((and (symbolp pattern) pattern (not (keywordp pattern))) (list pattern))
         ((consp pattern)
          (append (loop for p in (second pattern) append (pattern-variables p))
                  (loop for (nil value) on (cddr pattern) by #'cddr
                        append (pattern-variables value)))))
   :from-end t))

(defun number-variables (pattern)
  (cond ((number-variable-p pattern) (list (second pattern)))
        ((consp pattern)
         (remove-duplicates (loop for p in (second pattern) append (number-variables p))
                            :from-end t))))

(defun split-rule (rule)
  "The left side, the right side and the condition of `(left -> right :when condition)`."
  (unless (and (listp rule) (>= (length rule) 3) (symbolp (second rule))
               (string= (symbol-name (second rule)) "->"))
    (error "defsimplifier: a rule is `(pattern -> result)`, not `~a`" rule))
  (destructuring-bind (left arrow right &key (when t)) rule
    (declare (ignore arrow))
    (values left right when)))

(defmacro defsimplifier ((name &key speed) &body rules)
  "Defines rewrite rules `(pattern -> result)`, optionally followed by `:when condition`. A pattern
is `(head (operand…) :attribute value…)`; an operand is a pattern, a name (twice the same name means
twice the same operand), a number, or `(number name)` for a constant. A head that names an
elementwise AIR op, `:add`, makes a rule over AIR, whose result is a template of the same form, in
which `(:const form)` computes a constant. Any other head is a class of modules, models or ops: the
result is a form that makes tensors, and `:attribute` matches what the module was made with or has in
a slot of that name. Rules of one name replace those defined before."
  (declare (ignore speed))
  (let ((air nil)
        (modules nil))
    (dolist (rule rules)
      (multiple-value-bind (left right condition) (split-rule rule)
        (if (air-pattern-p left)
            (push (air-rule left right condition) air)
            (push (module-rule left right condition) modules))))
    `(progn
       (%define-air-rules ',name (list ,@(nreverse air)))
       (define-module-rules ',name (list ,@(nreverse modules)))
       ',name)))

;;; AIR --------------------------------------------------------------------------------------------

(defun air-side (pattern)
  "A pattern as (op operand…) all the way down, `(number name)` as the name."
  (cond ((number-variable-p pattern) (second pattern))
        ((consp pattern)
         (unless (listp (second pattern))
           (error "defsimplifier: the operands of `~a` are no list" (first pattern)))
         (when (cddr pattern)
           (error "defsimplifier: an AIR op has no attributes to match in a rule: ~a" pattern))
         (cons (first pattern) (mapcar #'air-side (second pattern))))
        (t pattern)))

(defun air-template (form constants)
  "A form that makes the right side, with functions of the constants for `(:const form)`."
  (cond ((and (consp form) (eq (first form) :const))
         `(list :const #'(lambda ,constants (declare (ignorable ,@constants)) ,(second form))))
        ((consp form)
         `(list ,(first form)
                ,@(loop for operand in (second form) collect (air-template operand constants))))
        (t `',form)))

(defun air-rule (left right condition)
  (let ((constants (number-variables left)))
    `(list ',(air-side left)
           ,(air-template right constants)
           ',constants
           ,(if (eq condition t)
                nil
                `#'(lambda ,constants (declare (ignorable ,@constants)) ,condition)))))

;;; Modules ----------------------------------------------------------------------------------------

(defstruct module-rule-entry class pattern function condition)

(defun resolved-pattern (pattern)
  "The pattern with classes for heads."
  (if (and (consp pattern) (not (number-variable-p pattern)))
      (list* (class-of-head (first pattern))
             (mapcar #'resolved-pattern (second pattern))
             (cddr pattern))
      pattern))

(defun module-rule (left right condition)
  (let* ((pattern (resolved-pattern left))
         (variables (pattern-variables left)))
    `(make-module-rule-entry
      :class ',(first pattern)
      :pattern ',pattern
      :function #'(lambda (&key ,@variables) (declare (ignorable ,@variables)) ,right)
      :condition ,(if (eq condition t)
                      nil
                      `#'(lambda (&key ,@variables)
                           (declare (ignorable ,@variables)) ,condition)))))

(defun define-module-rules (name entries)
  (setf *module-rules* (remove name *module-rules* :key #'first))
  (when entries
    (setf *module-rules* (append *module-rules* (list (cons name entries))))))

(defun applied-op (tensor)
  "The module or op that computes a tensor, and its arguments."
  (let ((op (tensor-op tensor)))
    (if (typep op 'Application)
        (values (application-module op) (application-arguments op))
        (values op (tensor-variables tensor)))))

(defun op-attribute (op key)
  "What the op was made with under `key`, or what it has in the slot of that name."
  (let ((attrs (if (typep op 'Module) (module-attrs op) nil)))
    (if (member key attrs)
        (getf attrs key)
        (let ((slot (find (symbol-name key) (%slot-names op) :key #'symbol-name :test #'string=)))
          (unless slot
            (error "defsimplifier: `~a` has no attribute `~a`" (class-name (class-of op)) key))
          (slot-value op slot)))))

(defun bind-name (name value bindings)
  "The bindings with one more; :fail when the name has another value already."
  (let ((known (getf bindings (intern (symbol-name name) :keyword) '%none)))
    (cond ((string= (symbol-name name) "_") bindings)
          ((eq known '%none) (list* (intern (symbol-name name) :keyword) value bindings))
          ((or (eql known value) (equal known value)) bindings)
          (t :fail))))

(defun match-value (pattern value bindings)
  "Matches an attribute."
  (cond ((and (symbolp pattern) pattern (not (keywordp pattern)) (not (eq pattern t)))
         (bind-name pattern value bindings))
        ((equal pattern value) bindings)
        (t :fail)))

(defun match-tensor (pattern tensor bindings)
  "The bindings (a property list) under which `pattern` describes the tensor, or :fail."
  (cond ((numberp pattern)
         (let ((value (%weak-value tensor)))
           (if (and (numberp value) (= value pattern)) bindings :fail)))
        ((symbolp pattern) (bind-name pattern tensor bindings))
        ((number-variable-p pattern)
         (let ((value (%weak-value tensor)))
           (if (numberp value) (bind-name (second pattern) value bindings) :fail)))
        (t
         (multiple-value-bind (op arguments) (applied-op tensor)
           (destructuring-bind (class operands &rest attributes) pattern
             (if (and op (typep op class) (= (length arguments) (length operands)))
                 (progn
                   (loop for operand in operands
                         for argument in arguments
                         until (eq bindings :fail)
                         do (setf bindings (match-tensor operand argument bindings)))
                   (loop for (key value) on attributes by #'cddr
                         until (eq bindings :fail)
                         do (setf bindings (match-value value (op-attribute op key) bindings)))
                   bindings)
                 :fail))))))

(defun check-replacement (name tensor new)
  (unless (and (tensor-p new)
               (same-shape-p (shape tensor) (shape new))
               (eq (dtype-of tensor) (dtype-of new)))
    (error "the rule `~a` replaces a ~(~a~) tensor of shape ~a by ~a" name (dtype-of tensor)
           (shape tensor)
           (if (tensor-p new)
               (format nil "a ~(~a~) tensor of shape ~a" (dtype-of new) (shape new))
               new)))
  new)

(defun replacement (tensor)
  "What the first rule that matches makes of a tensor; nil when none does."
  (let ((op (and (tensor-op tensor) (applied-op tensor))))
    (when op
      (loop for (name . entries) in *module-rules*
            do (dolist (entry entries)
                 (when (typep op (module-rule-entry-class entry))
                   (let ((bindings (match-tensor (module-rule-entry-pattern entry) tensor nil)))
                     (when (and (not (eq bindings :fail))
                                (or (null (module-rule-entry-condition entry))
                                    (apply (module-rule-entry-condition entry) bindings)))
                       (return-from replacement
                         (check-replacement name tensor
                                            (apply (module-rule-entry-function entry)
                                                   bindings)))))))))))

(defun apply-module-rules (outputs)
  "The tensors after rewriting; the graph behind them is changed in place. Users are looked at before
what they use, so that the largest pattern wins."
  (let ((*as-built* t))
    (dotimes (sweep 100 (error "the rules ~{`~a`~^, ~} do not come to an end"
                               (mapcar #'first *module-rules*)))
      (let ((order (%tensor-order outputs))
            (replaced (make-hash-table :test #'eq))
            (found nil))
        (dolist (tensor (reverse order))
          (let ((new (replacement tensor)))
            (when new
              (setf (gethash tensor replaced) new
                    found t))))
        (unless found
          (return outputs))
        (flet ((current (tensor) (gethash tensor replaced tensor)))
          (dolist (tensor order)
            (when (tensor-op tensor)
              (%set-inputs tensor (mapcar #'current (tensor-variables tensor)))
              (when (typep (tensor-op tensor) 'Application)
                (setf (application-arguments (tensor-op tensor))
                      (mapcar #'current (application-arguments (tensor-op tensor)))))))
          (setf outputs (mapcar #'current outputs)))))))
