;;;; Layers beyond the common ones: local response normalisation, bilinear maps, bags of embeddings.
(in-package :caten)

(defun !local-response-norm (x size &key (alpha 1d-4) (beta 0.75d0) (k 1d0))
  "x / (k + alpha * m)^beta, m being the mean of the squares of `size` neighbouring channels (axis 1);
channels beyond the ends count as 0."
  (let* ((x (as-float x))
         (channels (second (shape x)))
         (low (floor size 2))
         (squares (!pad (!square x)
                        (replace-nth 1 (list low (- size low 1))
                                     (make-list (ndim x) :initial-element '(0 0)))))
         (sum (reduce #'!add (loop for i below size collect (slice-axis squares 1 i channels)))))
    (!div x (!expt (!add k (!mul sum (/ alpha size))) beta))))

(defmodel (LocalResponseNorm (size &key (alpha 1d-4) (beta 0.75d0) (k 1d0))
           :documentation "Normalisation by the squares of neighbouring channels.")
    ((size size)
     (settings (list :alpha alpha :beta beta :k k))))

(defmethod call ((model LocalResponseNorm) &rest inputs)
  (with-slots (size settings) model
    (apply #'!local-response-norm (first inputs) size settings)))

;;; Bilinear maps ------------------------------------------------------------------------------------

(defun !bilinear (a b weight &optional bias)
  "y_o = a·W_o·b + bias_o over the last axes, with a weight of shape (out in-a in-b)."
  (destructuring-bind (out in-a in-b) (shape weight)
    (let* ((rows (!matmul a (reshape (!permute weight 1 0 2) (list in-a (dim* out in-b)))))
           (rows (reshape rows (append (butlast (shape rows)) (list out in-b))))
           (y (!matmul rows (!unsqueeze b -1)))
           (y (reshape y (butlast (shape y)))))
      (if bias (!add y bias) y))))

(defmodel (Bilinear (in1-features in2-features out-features &key (bias t))
           :documentation "y = x1·W·x2 + b with a weight of shape (out in1 in2).")
    ((weight (let ((bound (/ (sqrt (float in1-features 1d0)))))
               (uniform (list out-features in1-features in2-features)
                        :low (- bound) :high bound :requires-grad t)))
     (bias (if bias (parameter (list out-features) 0.0) nil))))

(defmethod call ((model Bilinear) &rest inputs)
  (destructuring-bind (a b) inputs
    (with-slots (weight bias) model
      (!bilinear a b weight bias))))

;;; Bags of embeddings -------------------------------------------------------------------------------

(defun bag-reduction (mode rows kept bags)
  "The reduction of the rows that are kept; `(bags :add x)` and `(bags :max x)` combine what belongs
to one bag."
  (if (eq mode :sum)
      (funcall bags :add (!where kept rows 0.0))
      (let ((count (funcall bags :add (!cast kept (dtype-of rows)))))
        (ecase mode
          (:mean (!div (funcall bags :add (!where kept rows 0.0)) (!maximum count 1.0)))
          (:max (!where (!eq count 0.0) 0.0 (funcall bags :max (!where kept rows (-inf)))))))))

(defun !embedding-bag (ids weight &key (mode :mean) offsets per-sample-weights padding-idx)
  "The sum, mean or maximum (`mode`) of the rows of `weight` at the ids of each bag: the rows of ids
(bags n), or stretches of a vector of ids that begin at `offsets`. Ids equal to `padding-idx` do not
count; empty bags give 0. `per-sample-weights` multiply the rows of a sum."
  (let* ((ids (index-tensor ids))
         (kept (!unsqueeze (if padding-idx
                               (!neq ids padding-idx)
                               (!full (shape ids) t))
                           -1))
         (rows (!embedding ids weight)))
    (when per-sample-weights
      (unless (eq mode :sum)
        (%fail :bad-op "`!embedding-bag` takes weights of the ids in the mode :sum only, not ~s" mode))
      (setf rows (!mul rows (!unsqueeze per-sample-weights -1))))
    (flet ((along-rows (operation x)
             (if (eq operation :add) (!sum x :axis 1 :squeeze t) (!max x :axis 1 :squeeze t))))
      (cond ((= (ndim ids) 2)
             (bag-reduction mode rows kept #'along-rows))
            ((and (= (ndim ids) 1) offsets)
             (let* ((offsets (index-tensor offsets))
                    (count (first (shape offsets)))
                    ;; The last bag that has begun at each place.
                    (begun (!<= (!unsqueeze offsets 0) (!gid-of-shape (list (first (shape ids)) 1) 0)))
                    (bag (!sub (!sum (!cast begun :int64) :axis 1 :squeeze t) 1)))
               (bag-reduction mode rows kept
                              #'(lambda (operation x)
                                  (!scatter (!full (cons count (rest (shape x)))
                                                   (if (eq operation :add) 0 (-inf))
                                                   :dtype (dtype-of x))
                                            bag x :mode operation)))))
            (t (%fail :shape-mismatch "`!embedding-bag` needs ids (bags n), or (n) with offsets, not of ~
                                       shape ~a" (shape ids)))))))

(defmodel (EmbeddingBag (vocab-size dim &key (mode :mean) padding-idx)
           :documentation "Sums, means or maxima of the rows of a table at the ids of bags; inputs are
the ids and, optionally, offsets and weights of the ids.")
    ((weight (randn (list vocab-size dim) :requires-grad t))
     (mode mode)
     (padding-idx padding-idx)))

(defmethod call ((model EmbeddingBag) &rest inputs)
  (destructuring-bind (ids &optional offsets per-sample-weights) inputs
    (with-slots (weight mode padding-idx) model
      (!embedding-bag ids weight :mode mode :offsets offsets :padding-idx padding-idx
                                 :per-sample-weights per-sample-weights))))
