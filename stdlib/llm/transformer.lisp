;;;; Language models: attention with a key-value cache and the GPT-2 architecture. Slots and keys are
;;;; named as in Caten (`h.0.attn.c_attn.weight`).
;;;;
;;;; Radford et al., "Language Models are Unsupervised Multitask Learners", 2019.
(in-package :caten/llm)

(defclass key-value-cache ()
  ((keys :initform nil :accessor cache-keys)
   (values :initform nil :accessor cache-values))
  (:documentation "The keys and values of the positions seen so far, (batch heads rows width) each.
They are state, not parameters: a state dictionary does not hold them."))

(defun write-cache (cache x start)
  "Writes x (batch heads length width) into the rows from `start` on. Returns all rows up to the last
one written."
  (let ((end (!+ start (third (shape x)))))
    (!assign (!view cache t t (list start end) t) x)
    (!view-from-base cache t t (list 0 end) t)))

(defun update-cache (cache keys values start rows)
  "Writes keys and values into a cache of `rows` positions; returns those of all positions so far."
  (with-accessors ((cached-keys cache-keys) (cached-values cache-values)) cache
    (unless cached-keys
      (destructuring-bind (batch heads length width) (shape keys)
        (declare (ignore length))
        (unless (integerp batch)
          (caten::%fail :shape-mismatch "a key-value cache needs a known batch size, not ~(~a~)" batch))
          (flet ((rows-for (x name)
                 (make-tensor (list batch heads rows width) :dtype (dtype-of x) :id name)))
          (setf cached-keys (rows-for keys 'cached-keys)
                cached-values (rows-for values 'cached-values)))))
    (values (write-cache cached-keys keys start)
            (write-cache cached-values values start))))

(defun causal-attention (query keys values)
  "Attention where each row of the query sees the keys up to its own position, the last row all."
  (scaled-dot-product-attention
   query keys values (causal-mask (third (shape query)) (third (shape keys)))))

(defmodel (Attention (dim n-heads &key (max-seq-len 1024))
           :documentation "Causal self-attention over x (batch length dim). `(forward layer x start)`
caches keys and values: x holds the positions start … start+length-1, and those before were passed
earlier. Without `start` x is the whole sequence.")
    ((n-heads n-heads)
     (max-seq-len max-seq-len)
     (c-attn (Linear dim (* 3 dim)))
     (c-proj (Linear dim dim))
     (cache (make-instance 'key-value-cache))))

(defmethod call ((model Attention) &rest inputs)
  (destructuring-bind (x &optional start) inputs
    (with-slots (n-heads max-seq-len c-attn c-proj cache) model
      (multiple-value-bind (query keys values) (!chunk (forward c-attn x) 3 :dim -1)
        (let ((query (caten::split-heads query n-heads))
              (keys (caten::split-heads keys n-heads))
              (values (caten::split-heads values n-heads)))
          (when start
            (setf (values keys values) (update-cache cache keys values start max-seq-len)))
          (forward c-proj (caten::join-heads (causal-attention query keys values))))))))

(defmodel (FeedForward (dim hidden)
           :documentation "c-proj(gelu(c-fc(x))), with the tanh form of gelu.")
    ((c-fc (Linear dim hidden))
     (c-proj (Linear hidden dim))))

(defmethod call ((model FeedForward) &rest inputs)
  (with-slots (c-fc c-proj) model
    (forward c-proj (!gelu (forward c-fc (first inputs))))))

(defmodel (TransformerBlock (dim n-heads &key (norm-eps 1d-5) (max-seq-len 1024))
           :documentation "Attention and a feed-forward network, each on the normalised input and
added to it. `(forward block x start)` as for Attention.")
    ((ln-1 (LayerNorm (list dim) :eps norm-eps))
     (attn (Attention dim n-heads :max-seq-len max-seq-len))
     (ln-2 (LayerNorm (list dim) :eps norm-eps))
     (mlp (FeedForward dim (* 4 dim)))))

(defmethod call ((model TransformerBlock) &rest inputs)
  (destructuring-bind (x &optional start) inputs
    (with-slots (ln-1 attn ln-2 mlp) model
      (let ((x (!add x (forward attn (forward ln-1 x) start))))
        (!add x (forward mlp (forward ln-2 x)))))))

(defmodel (Transformer (dim n-heads n-layers norm-eps vocab-size &key (max-seq-len 1024))
           :documentation "GPT-2: token ids (batch length) to logits (batch length vocab-size).
`(forward model tokens start)` decodes with a key-value cache, as Attention does.")
    ((max-seq-len max-seq-len)
     (wte (Embedding vocab-size dim))
     (wpe (Embedding max-seq-len dim))
     (h (loop repeat n-layers
              collect (TransformerBlock dim n-heads :norm-eps norm-eps :max-seq-len max-seq-len)))
     (ln-f (LayerNorm (list dim) :eps norm-eps))
     (lm-head (Linear dim vocab-size :bias nil))))

(defmethod call ((model Transformer) &rest inputs)
  (destructuring-bind (tokens &optional start) inputs
    (with-slots (wte wpe h ln-f lm-head) model
      (let* ((positions (!add (ax+b (list 1 (second (shape tokens))) 1 0 :dtype :int64) (or start 0)))
             (x (!add (forward wte tokens) (forward wpe positions))))
        (dolist (block h)
          (setf x (forward block x start)))
        (forward lm-head (forward ln-f x))))))

(defun greedy-decoder (model)
  "A function of a list of token ids and how many to add: it returns the list with the most likely
tokens appended. The prompt and each new token run through one compiled program with a cache."
  (let* ((tokens (make-input 'tokens '(1 length) :dtype :int64))
         (logits (forward model tokens (iconst 'start)))
         (program (caten (!argmax (!view logits t -1 t) :axis -1 :squeeze t))))
    (lambda (ids count)
      (let ((all (copy-list ids))
            (start 0))
        (loop repeat count
              do (let* ((new (nthcdr start all))
                        (input (make-tensor (list 1 (length new)) :dtype :int64 :from (list new)))
                        (next (item (forward program (cons 'start start)
                                           (cons 'length (length new))
                                           (cons 'tokens input)))))
                   (setf start (length all)
                         all (append all (list next)))))
        all))))
