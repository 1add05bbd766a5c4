;;;; A Llama model as a user writes one: RMSNorm, rotary positions, causal attention and a gated
;;;; feed-forward network. Slots have the names of Hugging Face's checkpoints, so that weights load by
;;;; key. It runs the "mathformer" models (8 layers, 64 wide), which do arithmetic on single digits:
;;;;
;;;;   catenc run samples/llama.lisp mathformer/add 3+4= 7+8=     prints 3+4=7 and 7+8=15
(use-package :caten/llm)

(defmodel (LlamaAttention (dim n-heads))
    ((n-heads n-heads)
     (q-proj (Linear dim dim :bias nil))
     (k-proj (Linear dim dim :bias nil))
     (v-proj (Linear dim dim :bias nil))
     (o-proj (Linear dim dim :bias nil))))

(defmethod call ((model LlamaAttention) &rest inputs)
  (with-slots (n-heads q-proj k-proj v-proj o-proj) model
    (destructuring-bind (x) inputs
      (destructuring-bind (batch length dim) (shape x)
        (let ((width (/ dim n-heads)))
          (labels ((heads (x) (!reshape x (list batch length n-heads width)))
                   (rotated (x) (!rope (heads x) (/ width 2) :layout :half-split))
                   (to-rows (x) (!transpose x 1 2)))
            (let ((y (causal-attention (to-rows (rotated (forward q-proj x)))
                                       (to-rows (rotated (forward k-proj x)))
                                       (to-rows (heads (forward v-proj x))))))
              (forward o-proj (!reshape (to-rows y) (list batch length dim))))))))))

(defmodel (LlamaMLP (dim hidden))
    ((gate-proj (Linear dim hidden :bias nil))
     (up-proj (Linear dim hidden :bias nil))
     (down-proj (Linear hidden dim :bias nil))))

(defmethod call ((model LlamaMLP) &rest inputs)
  (with-slots (gate-proj up-proj down-proj) model
    (destructuring-bind (x) inputs
      (forward down-proj (!mul (!silu (forward gate-proj x)) (forward up-proj x))))))

(defmodel (LlamaLayer (dim hidden n-heads eps))
    ((input-layernorm (RMSNorm (list dim) :eps eps))
     (self-attn (LlamaAttention dim n-heads))
     (post-attention-layernorm (RMSNorm (list dim) :eps eps))
     (mlp (LlamaMLP dim hidden))))

(defmethod call ((model LlamaLayer) &rest inputs)
  (with-slots (input-layernorm self-attn post-attention-layernorm mlp) model
    (destructuring-bind (x) inputs
      (let ((x (!add x (forward self-attn (forward input-layernorm x)))))
        (!add x (forward mlp (forward post-attention-layernorm x)))))))

(defmodel (LlamaModel (vocabulary dim hidden n-heads n-layers eps))
    ((embed-tokens (Embedding vocabulary dim))
     (layers (loop repeat n-layers collect (LlamaLayer dim hidden n-heads eps)))
     (norm (RMSNorm (list dim) :eps eps))))

(defmethod call ((model LlamaModel) &rest inputs)
  (with-slots (embed-tokens layers norm) model
    (destructuring-bind (tokens) inputs
      (let ((x (forward embed-tokens tokens)))
        (dolist (layer layers)
          (setf x (forward layer x)))
        (forward norm x)))))

(defmodel (Llama (vocabulary dim hidden n-heads n-layers &key (eps 1d-6)))
    ((model (LlamaModel vocabulary dim hidden n-heads n-layers eps))
     (lm-head (Linear dim vocabulary :bias nil))))

(defmethod call ((model Llama) &rest inputs)
  (with-slots (model lm-head) model
    (destructuring-bind (tokens) inputs
      (forward lm-head (forward model tokens)))))

;;; Text -------------------------------------------------------------------------------------------

(defconstant +end+ 2 "The token that ends an answer.")

(defparameter *characters* "????0123456789+-*/=.()^% QR"
  "The vocabulary in the order of its ids; the first four are special.")

(defun answerer (folder)
  "A function that completes a text with the model in `folder`."
  (let* ((weights (load-safetensors (format nil "~a/model.safetensors" folder)))
         (model (load-state-dict (Llama 27 64 256 8 8) weights))
         (tokens (make-input 'tokens '(1 length) :dtype :int64))
         (next (caten (!argmax (!view (forward model tokens) 0 -1 t) :axis -1 :squeeze t))))
    (lambda (text)
      (let ((ids (map 'list #'(lambda (c) (position c *characters*)) text)))
        (loop for input = (make-tensor (list 1 (length ids)) :dtype :int64 :from (list ids))
              for id = (item (forward next (cons 'length (length ids)) (cons 'tokens input)))
              repeat 8
              until (= id +end+)
              do (setf ids (append ids (list id))))
        (map 'string #'(lambda (id) (char *characters* id)) ids)))))

(when (and (boundp '*args*) (rest *args*))
  (let ((answer (answerer (first *args*))))
    (dolist (text (rest *args*))
      (format t "~a~%" (funcall answer text)))))
