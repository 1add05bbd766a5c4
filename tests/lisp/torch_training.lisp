;;;; Twenty steps of training from the same start against PyTorch: written by tests/oracle/torch_nn.py.

(load "tests/lisp/support/torch.lisp")

(defsequence Perceptron ()
  (Linear 8 16)
  (asnode #'!relu)
  (Linear 16 16)
  (asnode #'!tanh)
  (Linear 16 4))

(defsequence ConvNet ()
  (ConvND 1 4 '(3 3) :padding 1)
  (BatchNorm 4)
  (asnode #'!relu)
  (MaxPool '(2 2))
  (ConvND 4 6 '(3 3))
  (asnode #'!relu)
  (asnode #'!reshape '(6 -1))
  (Linear 24 5))

(defmodel (Transformer ())
    ((tokens (Embedding 11 8))
     (places (Embedding 6 8))
     (blocks (loop repeat 2
                   collect (TransformerEncoderLayer 8 2 :dim-feedforward 16 :dropout 0
                                                        :activation #'!gelu :norm-first t)))
     (norm (LayerNorm '(8)))
     (head (Linear 8 11 :bias nil))))

(defmethod call ((model Transformer) &rest inputs)
  (with-slots (tokens places blocks norm head) model
    (let* ((ids (first inputs))
           (x (!add (forward tokens ids) (forward places (!gid ids 1)))))
      (dolist (block blocks)
        (setf x (forward block x (causal-mask 6 6))))
      (forward head (forward norm x)))))

(deftest perceptron
  (check-training "perceptron" (Perceptron)
   #'(lambda (model) (!cross-entropy-with-logits (forward model (detach (pattern '(12 8) 0 :any)))
     (make-tensor '(12) :dtype :int64 :from '(0 1 2 3 0 1 2 3 0 1 2 3))))
   (SGD :lr 0.05)
   '("perceptron.0.bias" "perceptron.0.weight" "perceptron.2.bias" "perceptron.2.weight" "perceptron.4.bias" "perceptron.4.weight")
   '(1.756475 1.62864 1.524224 1.439411 1.370657 1.314793 1.269099 1.231548 1.200239 1.173759 1.151046 1.131293 1.11389 1.098369 1.084409 1.07173 1.060089 1.049318 1.039286 1.029885)))

(deftest convolutional-net
  (check-training "convolutional-net" (ConvNet)
   #'(lambda (model) (!cross-entropy-with-logits (forward model (detach (pattern '(6 1 8 8) 0 :any)))
     (make-tensor '(6) :dtype :int64 :from '(0 3 1 4 2 1))))
   (Adam :lr 1e-2)
   '("convnet.0.bias" "convnet.0.weight" "convnet.1.bias" "convnet.1.weight" "convnet.4.bias" "convnet.4.weight" "convnet.7.bias" "convnet.7.weight")
   '(1.67421 1.594158 1.545616 1.510923 1.481956 1.454162 1.423578 1.390845 1.359245 1.324657 1.286923 1.246071 1.201911 1.156749 1.107919 1.051438 0.9846241 0.9186976 0.8515452 0.7837887)))

(deftest transformer
  (check-training "transformer" (Transformer)
   #'(lambda (model) (!cross-entropy-with-logits
     (forward model (make-tensor '(3 6) :dtype :int64 :from '((0 3 1 5 4 9) (7 10 8 1 0 5) (3 6 4 8 7 1))))
     (make-tensor '(3 6) :dtype :int64 :from '((3 1 5 4 9 9) (10 8 1 0 5 5) (6 4 8 7 1 1)))))
   (AdamW :lr 1e-2)
   '("blocks.0.linear1.bias" "blocks.0.linear1.weight" "blocks.0.linear2.bias" "blocks.0.linear2.weight" "blocks.0.norm1.affine" "blocks.0.norm1.bias" "blocks.0.norm2.affine" "blocks.0.norm2.bias" "blocks.0.self_attn.k_proj.bias" "blocks.0.self_attn.k_proj.weight" "blocks.0.self_attn.out_proj.bias" "blocks.0.self_attn.out_proj.weight" "blocks.0.self_attn.q_proj.bias" "blocks.0.self_attn.q_proj.weight" "blocks.0.self_attn.v_proj.bias" "blocks.0.self_attn.v_proj.weight" "blocks.1.linear1.bias" "blocks.1.linear1.weight" "blocks.1.linear2.bias" "blocks.1.linear2.weight" "blocks.1.norm1.affine" "blocks.1.norm1.bias" "blocks.1.norm2.affine" "blocks.1.norm2.bias" "blocks.1.self_attn.k_proj.bias" "blocks.1.self_attn.k_proj.weight" "blocks.1.self_attn.out_proj.bias" "blocks.1.self_attn.out_proj.weight" "blocks.1.self_attn.q_proj.bias" "blocks.1.self_attn.q_proj.weight" "blocks.1.self_attn.v_proj.bias" "blocks.1.self_attn.v_proj.weight" "head.weight" "norm.affine" "norm.bias" "places.weight" "tokens.weight")
   '(2.439123 2.365026 2.320665 2.294831 2.275058 2.254501 2.231499 2.205288 2.1744 2.139174 2.099129 2.05283 2.004907 1.958061 1.961647 1.911588 1.879407 1.848443 1.807576 1.764185)))
