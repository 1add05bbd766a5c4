;;;; Attention, rotary positions, group normalisation, dropout.
(in-package :caten)

(defun scaled-dot-product-attention (query key value &optional mask)
  "softmax(q·kᵀ/√d + mask)·v over the last two axes; a bool mask says what may be seen."
  (let* ((dim (car (last (shape query))))
         (scores (!div (!matmul query (!t key)) (!sqrt (at-dtype dim (dtype-of query)))))
         (scores (cond ((null mask) scores)
                       ((eq (dtype-of mask) :bool) (!where mask scores (-inf)))
                       (t (!add scores mask)))))
    (!matmul (!softmax scores) value)))

(defun causal-mask (rows columns)
  "A bool matrix: row i sees the columns up to i (counted from the end when there are more columns)."
  (!<= (!sub (!gid-of-shape (list rows columns) 1) (size-tensor (dim- columns rows)))
       (!gid-of-shape (list rows columns) 0)))

(defun split-heads (x heads)
  "(… sequence dim) to (… heads sequence dim/heads)."
  (destructuring-bind (length dim) (last (shape x) 2)
    (!transpose (!reshape x (append (butlast (shape x) 2)
                                    (list length heads (dim-floor-div dim heads))))
                -2 -3)))

(defun join-heads (x)
  "(… heads sequence dim) to (… sequence heads*dim)."
  (destructuring-bind (heads length dim) (last (shape x) 3)
    (!reshape (!transpose x -2 -3) (append (butlast (shape x) 3) (list length (dim* heads dim))))))

(defmodel (MultiHeadAttention (dim heads &key (bias t))
           :documentation "Attention of `heads` heads over (batch sequence dim), as PyTorch's module.")
    ((heads heads)
     (q-proj (Linear dim dim :bias bias))
     (k-proj (Linear dim dim :bias bias))
     (v-proj (Linear dim dim :bias bias))
     (out-proj (Linear dim dim :bias bias)))
  (require-multiple dim heads "attention of ~a heads" heads))

(defmethod call ((model MultiHeadAttention) &rest inputs)
  (destructuring-bind (query &optional (key query) (value key) mask) inputs
    (with-slots (heads q-proj k-proj v-proj out-proj) model
      (flet ((project (layer x) (split-heads (forward layer x) heads)))
        (forward out-proj
                 (join-heads (scaled-dot-product-attention (project q-proj query)
                                                           (project k-proj key)
                                                           (project v-proj value)
                                                           mask)))))))

;;; Rotary positions -----------------------------------------------------------------------------

(defun rope-angles (length dim base start dtype)
  "position * base^(-i/dim) for every position and pair, of shape (length 1 dim)."
  (let ((positions (!add (!cast (!gid-of-shape (list length 1 1) 0) dtype) start))
        (pairs (!cast (!gid-of-shape (list 1 1 dim) 2) dtype)))
    (!mul positions (!exp (!mul pairs (/ (- (log (coerce base 'double-float))) dim))))))

(defun !rope (x dim &key (base 10000) (layout :interleaved) (start 0))
  "Rotary position embedding of x (batch sequence heads 2*dim). A pair is two neighbours
(:interleaved) or two elements `dim` apart (:half-split); `start` is the first position."
  (destructuring-bind (batch length heads width) (shape x)
    (require-equal-dims width (* 2 dim) "`!rope` of pairs ~a on an axis" dim)
    (let* ((dtype (dtype-of x))
           (angles (rope-angles length dim base start (accumulation-dtype dtype)))
           (cosine (!cast (!cos angles) dtype))
           (sine (!cast (!sin angles) dtype))
           (axis (ecase layout (:interleaved 4) (:half-split 3)))
           (pairs (!reshape x (list* batch length heads
                                     (if (= axis 4) (list dim 2) (list 2 dim)))))
           (whole (list batch length heads dim))
           (a (reshape (slice-axis pairs axis 0 1) whole))
           (b (reshape (slice-axis pairs axis 1 1) whole)))
      (reshape (!stack axis
                       (!sub (!mul a cosine) (!mul b sine))
                       (!add (!mul a sine) (!mul b cosine)))
               (shape x)))))

(defmodel (RoPE (dim &key (base 10000) (layout :interleaved) (start 0))
           :documentation "Rotary position embedding of x (batch sequence heads 2*dim).")
    ((dim dim)
     (settings (list :base base :layout layout :start start))))

(defmethod call ((model RoPE) &rest inputs)
  (with-slots (dim settings) model
    (apply #'!rope (first inputs) dim settings)))

;;; Group normalisation, dropout -----------------------------------------------------------------

(defun !group-norm (x groups &key weight bias (eps 1d-5))
  "Normalises x (N C spatial…) over the channels of each group and the spatial axes."
  (destructuring-bind (batch channels &rest spatial) (shape x)
    (require-multiple channels groups "`!group-norm` of ~a groups" groups)
    (let* ((per-group (dim-floor-div channels groups))
           (rows (!reshape (as-float x)
                           (list batch groups (dim* per-group (dim-product spatial)))))
           (normal (!reshape (normalized (LayerNormalization :rank 1 :eps eps) rows) (shape x)))
           (wide (cons channels (make-list (length spatial) :initial-element 1))))
      (scale-and-shift normal
                       (and weight (reshape weight wide))
                       (and bias (reshape bias wide))))))

(defmodel (GroupNorm (groups channels &key (eps 1d-5) (affine t))
           :documentation "Group normalisation with trainable scale and shift per channel.")
    ((groups groups)
     (eps eps)
     (weight (if affine (parameter (list channels) 1.0) nil))
     (bias (if affine (parameter (list channels) 0.0) nil))))

(defmethod call ((model GroupNorm) &rest inputs)
  (with-slots (groups eps weight bias) model
    (!group-norm (first inputs) groups :weight weight :bias bias :eps eps)))

(defun drop-out (x p training mask-shape)
  (unless (<= 0 p 1)
    (%fail :bad-size "the probability ~a of dropout is not between 0 and 1" p))
  (cond ((or (not training) (zerop p)) x)
        ((= p 1) (!mul x 0.0))
        (t (!where (!< (!rand mask-shape :dtype :float32) (float p))
                   0.0
                   (!mul x (/ 1d0 (- 1 p)))))))

(defun !dropout (x &key (p 0.5) (training *training*))
  "In training each element is 0 with probability p, otherwise divided by 1 - p; every run of a
compiled program draws anew."
  (drop-out x p training (shape x)))

(defun !channel-dropout (x &key (p 0.5) (training *training*))
  "As `!dropout` with whole channels of x (N C spatial…)."
  (drop-out x p training (append (subseq (shape x) 0 2)
                                 (make-list (- (ndim x) 2) :initial-element 1))))

(defmodel (Dropout (&key (p 0.5))
           :documentation "Dropout: active in training mode only.")
    ((p p)))

(defmethod call ((model Dropout) &rest inputs)
  (!dropout (first inputs) :p (slot-value model 'p) :training (training-p model)))

(defmodel (ChannelDropout (&key (p 0.5))
           :documentation "Dropout of whole channels: active in training mode only.")
    ((p p)))

(defmethod call ((model ChannelDropout) &rest inputs)
  (!channel-dropout (first inputs) :p (slot-value model 'p) :training (training-p model)))

;;; Transformer layers ---------------------------------------------------------------------------

(defmodel (TransformerEncoderLayer (dim heads &key (dim-feedforward 2048) (dropout 0.1)
                                        (activation #'!relu) (eps 1d-5) norm-first)
           :documentation "Self-attention and a perceptron, each with a residual connection and
LayerNorm (after it, or before with norm-first), over (batch sequence dim). `(forward layer x mask)`.")
    ((self-attn (MultiHeadAttention dim heads))
     (linear1 (Linear dim dim-feedforward))
     (linear2 (Linear dim-feedforward dim))
     (norm1 (LayerNorm (list dim) :eps eps))
     (norm2 (LayerNorm (list dim) :eps eps))
     (dropout (Dropout :p dropout))
     (activation activation)
     (norm-first norm-first)))

(defun residual (x norm dropout norm-first function)
  "x + function(x) with a normalisation before the function or after the sum."
  (if norm-first
      (!add x (forward dropout (funcall function (forward norm x))))
      (forward norm (!add x (forward dropout (funcall function x))))))

(defmethod call ((model TransformerEncoderLayer) &rest inputs)
  (destructuring-bind (x &optional mask) inputs
    (with-slots (self-attn linear1 linear2 norm1 norm2 dropout activation norm-first) model
      (residual (residual x norm1 dropout norm-first
                          #'(lambda (x) (forward self-attn x x x mask)))
                norm2 dropout norm-first
                #'(lambda (x)
                    (forward linear2
                             (forward dropout (funcall activation (forward linear1 x)))))))))

(defmodel (TransformerDecoderLayer (dim heads &key (dim-feedforward 2048) (dropout 0.1)
                                        (activation #'!relu) (eps 1d-5) norm-first)
           :documentation "As the encoder's layer, with attention to `memory` between.
`(forward layer x memory mask memory-mask)`.")
    ((self-attn (MultiHeadAttention dim heads))
     (multihead-attn (MultiHeadAttention dim heads))
     (linear1 (Linear dim dim-feedforward))
     (linear2 (Linear dim-feedforward dim))
     (norm1 (LayerNorm (list dim) :eps eps))
     (norm2 (LayerNorm (list dim) :eps eps))
     (norm3 (LayerNorm (list dim) :eps eps))
     (dropout (Dropout :p dropout))
     (activation activation)
     (norm-first norm-first)))

(defmethod call ((model TransformerDecoderLayer) &rest inputs)
  (destructuring-bind (x memory &optional mask memory-mask) inputs
    (with-slots (self-attn multihead-attn linear1 linear2 norm1 norm2 norm3 dropout activation
                 norm-first)
        model
      (flet ((sublayer (x norm function) (residual x norm dropout norm-first function)))
        (sublayer
         (sublayer (sublayer x norm1 #'(lambda (x) (forward self-attn x x x mask)))
                   norm2
                   #'(lambda (x) (forward multihead-attn x memory memory memory-mask)))
         norm3
         #'(lambda (x)
             (forward linear2 (forward dropout (funcall activation (forward linear1 x))))))))))
