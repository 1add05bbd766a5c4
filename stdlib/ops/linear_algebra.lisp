;;;; Contractions: sums of products, written so that the compiler sees reduce(add, a * b).
(in-package :caten)

(defun contract (a b axes)
  "The sum over `axes` of the products of two tensors of equal rank, which broadcast. It keeps the
promoted dtype; 16-bit floats are multiplied and summed in float32 and rounded once."
  (let* ((dtype (common-dtype (list a b)))
         (wide (accumulation-dtype dtype))
         (factors (broadcast (promote (list a b) wide))))
    (!cast (sum-axes (apply #'mul2 factors) axes) dtype)))

(defmodule (MatMul (()) :where "A[~ i k] B[~ k j] -> A[~ i j]") ()
  :documentation "The matrix product of two tensors of one rank and dtype."
  :impl ((op a b)
         (let* ((rank (ndim a))
                (rows (nth (- rank 2) (shape a)))
                (columns (nth (1- rank) (shape b)))
                (batch (butlast (shape a) 2)))
           ;; (… i k 1) * (… 1 k j) summed over k.
           (reshape (contract (!unsqueeze a -1) (!unsqueeze b -3) (list (1- rank)))
                    (append batch (list rows columns))))))

(defun !matmul (a b)
  "The matrix product. Leading axes broadcast; an operand of rank 1 is a row on the left and a
column on the right, and its axis is dropped from the result."
  (let* ((left (= (ndim a) 1))
         (right (= (ndim b) 1))
         (a (if left (!unsqueeze a 0) a))
         (b (if right (!unsqueeze b -1) b)))
    (when (or (zerop (ndim a)) (zerop (ndim b)))
      (%fail :shape-mismatch "`!matmul` needs tensors of rank 1 or more"))
    (destructuring-bind (a b) (promote (list a b))
      (let* ((inner-a (car (last (shape a))))
             (inner-b (nth (- (ndim b) 2) (shape b)))
             (batch (%broadcast-shapes (butlast (shape a) 2) (butlast (shape b) 2))))
        (require-equal-dims inner-a inner-b
                            "`!matmul` of tensors of shapes ~a and ~a: the shared axis"
                            (shape a) (shape b))
        (let ((result (forward (MatMul)
                               (broadcast-to a (append batch (last (shape a) 2)))
                               (broadcast-to b (append batch (last (shape b) 2))))))
          (when right
            (setf result (reshape result (butlast (shape result)))))
          (if left
              (reshape result (append batch (if right nil (last (shape result)))))
              result))))))

(defun !dot (a b)
  "The sum of the products of two vectors, a scalar."
  (unless (and (= (ndim a) 1) (= (ndim b) 1))
    (%fail :shape-mismatch "`!dot` needs two vectors, not shapes ~a and ~a" (shape a) (shape b)))
  (!matmul a b))

(defun !outer (a b)
  "The products of every element of one vector with every element of another."
  (!mul (!unsqueeze (!flatten-all a) -1) (!unsqueeze (!flatten-all b) 0)))

(defun !flatten-all (x)
  (reshape x (list (dim-product (shape x)))))

;;; Einstein summation -------------------------------------------------------------------------

(defun parse-einsum (notation)
  "The operands' and the result's letters: `ij,jk->ik` gives ((i j) (j k)) and (i k)."
  (let* ((arrow (search "->" notation))
         (inputs (split-letters (if arrow (subseq notation 0 arrow) notation)))
         (letters (apply #'append inputs)))
    (values inputs
            (if arrow
                (coerce (subseq notation (+ arrow 2)) 'list)
                (sort (loop for c in (remove-duplicates letters)
                            when (or (digit-char-p c) (= 1 (count c letters))) collect c)
                      #'char<)))))

(defun without-ellipses (notation xs)
  "The notation with `...` written out, as digits: the axes that an operand has beyond its letters,
aligned at their ends."
  (if (not (search "..." notation))
      notation
      (let* ((arrow (search "->" notation))
             (terms (split-terms (subseq notation 0 arrow)))
             (counts (loop for term in terms
                           for x in xs
                           for letters = (- (length term) 3)
                           collect (if (search "..." term) (max 0 (- (ndim x) letters)) 0)))
             (most (reduce #'max counts))
             (digits (subseq "0123456789" 0 (min most 10))))
        (flet ((written (term count)
                 (let ((at (search "..." term)))
                   (if at
                       (concatenate 'string (subseq term 0 at) (subseq digits (- most count))
                                    (subseq term (+ at 3)))
                       term))))
          (format nil "~{~a~^,~}~a" (mapcar #'written terms counts)
                  (if arrow (written (subseq notation arrow) most) ""))))))

(defun split-terms (text)
  (loop with start = 0
        for comma = (position #\, text :start start)
        collect (subseq text start comma)
        while comma
        do (setf start (1+ comma))))

(defun split-letters (text)
  (loop for term in (split-terms text) collect (coerce term 'list)))

(defun take-diagonals (x letters)
  "`x` with each repeated letter reduced to the diagonal of its two axes, and the letters left."
  (loop
    (let ((letter (find-if #'(lambda (c) (> (count c letters) 1)) letters)))
      (unless letter
        (return (values x letters)))
      (let* ((i (position letter letters))
             (j (position letter letters :from-end t))
             (hits (checked (!eq (!gid x i) (!gid x j)) (nth i (shape x)) (nth j (shape x))
                            "`!einsum`: the axes of `~a` of one operand" letter)))
        (setf x (squeeze-axes (sum-axes (!where hits x 0) (list j)) (list j) t)
              letters (append (subseq letters 0 j) (subseq letters (1+ j))))))))

(defun align-letters (x letters order)
  "`x` with its axes in the order of `order`, and size 1 for letters that it has not."
  (let ((present (remove-if-not #'(lambda (c) (member c letters)) order)))
    (let ((x (!permute x (loop for c in present collect (position c letters)))))
      (reshape x (loop with dims = (shape x)
                       for c in order
                       collect (if (member c letters) (pop dims) 1))))))

(defun check-letter-sizes (notation inputs xs)
  "Axes of one letter have one size, or size 1."
  (let ((sizes nil))
    (loop for letters in inputs
          for x in xs
          do (unless (= (length letters) (ndim x))
               (%fail :shape-mismatch "`!einsum` \"~a\": ~a letters for a tensor of rank ~a" notation
                      (length letters) (ndim x)))
             (loop for letter in letters
                   for dim in (shape x)
                   for known = (cdr (assoc letter sizes))
                   do (cond ((eql dim 1))
                            (known (require-equal-dims known dim "`!einsum` \"~a\": the axis `~a`"
                                                       notation letter))
                            (t (push (cons letter dim) sizes)))))))

(defun contract-in-turn (terms output)
  "The product of the terms (letters . tensor), summed over what is not in `output`: one tensor after
the other, letters that no later one has being summed at once."
  (let ((letters (first (first terms)))
        (product (rest (first terms))))
    (loop for ((own . x) . later) on (rest terms)
          do (let* ((all (union-in-order letters own))
                    (kept (if later
                              (let ((needed (append output (mapcan #'(lambda (term) (copy-list (first term)))
                                                                   later))))
                                (remove-if-not #'(lambda (c) (member c needed)) all))
                              output))
                    (order (append kept (set-difference-in-order all kept)))
                    (axes (loop for i from (length kept) below (length order) collect i)))
               (setf product (squeeze-axes (contract (align-letters product letters order)
                                                     (align-letters x own order)
                                                     axes)
                                           axes t)
                     letters kept)))
    (let* ((order (append output (set-difference-in-order letters output)))
           (axes (loop for i from (length output) below (length order) collect i)))
      (squeeze-axes (sum-axes (align-letters product letters order) axes) axes t))))

(defun union-in-order (a b)
  (append a (set-difference-in-order b a)))

(defun !einsum (notation &rest xs)
  "Einstein summation as NumPy's einsum: `(!einsum \"bij,bjk->bik\" a b)`; `...` stands for any axes."
  (multiple-value-bind (inputs output)
      (parse-einsum (without-ellipses (remove #\Space notation) xs))
    (unless (= (length inputs) (length xs))
      (%fail :shape-notation "`!einsum` \"~a\" describes ~a operands but ~a are given" notation
             (length inputs) (length xs)))
    (dolist (letter output)
      (unless (and (= 1 (count letter output)) (some #'(lambda (term) (member letter term)) inputs))
        (%fail :shape-notation "`!einsum` \"~a\": the result's `~a` must be in an operand, and once ~
                                in the result" notation letter)))
    (check-letter-sizes notation inputs xs)
    (contract-in-turn (loop for letters in inputs
                            for x in (promote xs)
                            collect (multiple-value-bind (x letters) (take-diagonals x letters)
                                      (cons letters x)))
                      output)))
