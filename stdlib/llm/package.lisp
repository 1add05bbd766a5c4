;;;; The package of the language models. Programs that want them use it: (use-package :caten/llm).
(in-package :caten)

(defpackage :caten/llm
  (:use :cl :caten)
  (:export #:Attention #:FeedForward #:TransformerBlock #:Transformer #:key-value-cache
           #:update-cache #:causal-attention #:greedy-decoder))
