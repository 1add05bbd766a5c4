;;;; What users of the library see: the exported names of the package CATEN that are written in
;;;; Lisp. Everything else (op classes, helpers) stays internal, so that user code cannot redefine it
;;;; by accident.
(in-package :caten)

(import '(rove:deftest rove:testing rove:ok rove:ng rove:signals rove:outputs rove:run-tests))

(export
 '(;; the protocol (prelude.lisp)
   Func func-variables forward backward lower with-context with-context-from-parents
   Module module-attrs module-attr with-attrs impl defmodule Model call defmodel defcall
   defsequence asnode with-no-grad with-inference-mode *training*
   *args*
   ;; files (ops/quantized.lisp)
   load-gguf quantization-of
   ;; state_dict.lisp
   state-dict make-state-dict state-dict-entry state-dict-keys state-dict-values get-state-dict
   load-state-dict pytorch-style-dict-key
   ;; tests (rove.lisp, testing.lisp)
   deftest testing ok ng signals outputs run-tests check-tensor grad-check computed-elements
   ;; gradients (autodiff.lisp)
   gradients
   ;; rules (simplifier.lisp)
   defsimplifier
   ;; constants, creation and dtypes
   !full ax+b linspace detach zero-grad !assign !move fconst iconst uconst !const float-type-of !cast !bitcast
   ;; arithmetic
   !add !sub !mul !div !+ !- !* !/ !idiv !mod !rem !maximum !minimum !expt !and !or !xor !not !shl
   !shr
   ;; comparison and selection
   !< !<= !> !>= !eq !neq !isnan !isinf !where !clip
   ;; functions of one operand
   !sin !cos !tan !asin !acos !atan !sinh !cosh !tanh !asinh !acosh !atanh !exp !exp2 !expm1 !log !log2 !log1p !sqrt
   !rsqrt !recip !erf !erfc !neg !square !abs !signum !floor !ceiling !truncate !round !lerp
   !atan2 !hypot !logaddexp !log10 !logit !isfinite !nan-to-num !masked-fill
   ;; movement
   !reshape !flatten !uprank !squeeze !unsqueeze !permute !transpose !t !expand !repeat !flip
   !concatenate !stack !view !view-from-base !split !chunk !pad !padding !padding2d !copy
   !contiguous !tril !triu !roll !diagonal
   ;; indices
   !gid !index-components !gather !take-along-axis !index-select !scatter !put-along-axis !embedding
   !one-hot
   ;; in order along an axis
   !cumsum !cumprod !cummax !cummin !sort !argsort !topk
   ;; reductions
   !sum !prod !max !min !any !all !mean !variance !std !norm !logsumexp !argmax !argmin
   ;; contractions
   !matmul !dot !outer !einsum !tensordot !cdist !eye !trace !meshgrid !diff !count-nonzero
   !normalize !kthvalue !median
   ;; random numbers
   set-manual-seed with-manual-seed !uniform !rand !normal !randn !randint rand randn uniform normal
   randint xavier-uniform xavier-gaussian kaiming-uniform kaiming-gaussian !bernoulli !randperm
   !multinomial
   ;; activations
   !sigmoid !relu !relu6 !leaky-relu !elu !celu !selu !softplus !logsigmoid !silu !mish !softsign
   !softshrink !hard-sigmoid !hardswish !hardtanh !gelu !softmax !log-softmax !softmin
   !hardshrink !tanhshrink !threshold !prelu PReLU !glu
   ;; losses
   !mse !l1norm !huber !smooth-l1 !bce !soft-margin !hinge-embedding !margin-ranking !multi-margin
   !cosine-similarity !cosine-embedding !pairwise-distance !triplet-margin !poisson-nll
   !gaussian-nll !multilabel-margin !multilabel-soft-margin !ctc-loss !bce-with-logits !cross-entropy !cross-entropy-with-logits !nll !kl-div
   ;; layers
   weight bias affine Linear Embedding LayerNorm !layer-norm RMSNorm !rms-norm !batch-norm ConvND !convnd ConvTransposeND
   !conv-transposend !unfold MaxPool !maxpool AvgPool !avgpool
   AdaptiveAvgPool AdaptiveMaxPool !adaptive-avgpool !adaptive-maxpool !interpolate Upsample !pixel-shuffle
   !pixel-unshuffle !channel-shuffle
   !local-response-norm LocalResponseNorm !bilinear Bilinear !embedding-bag EmbeddingBag
   scaled-dot-product-attention causal-mask MultiHeadAttention TransformerEncoderLayer
   TransformerDecoderLayer RoPE !rope GroupNorm !group-norm
   Dropout !dropout ChannelDropout !channel-dropout BatchNorm InstanceNorm !instance-norm training-p train-mode eval-mode
   running-mean running-var num-batches-tracked weight-ih weight-hh bias-ih bias-hh cells
   q-proj k-proj v-proj out-proj model-training model-parameters RecurrentCell RNNCell GRUCell LSTMCell RNN GRU LSTM
   ;; optimisers
   optimizer-state-dict load-optimizer-state-dict hook-optimizers step-optimizer optimizer-parameter optimizer-rate SGD Adam AdamW RMSprop Adagrad
   Lion Adadelta Adamax NAdam RAdam Rprop clip-grad-norm clip-grad-value
   schedule step-schedule LambdaLR StepLR MultiStepLR ExponentialLR ConstantLR LinearLR PolynomialLR
   CosineAnnealingLR CosineAnnealingWarmRestarts OneCycleLR WarmupLR SequentialLR ReduceLROnPlateau))
