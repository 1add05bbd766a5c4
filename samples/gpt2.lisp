;;;; GPT-2: the architecture of `caten/llm` with seeded random weights, small enough to read along. One
;;;; compiled program, symbolic in the first position and the number of tokens, serves the prompt and
;;;; every further token; keys and values are cached in place.
;;;;
;;;;   catenc run samples/gpt2.lisp             continues a prompt greedily
;;;;   catenc samples/gpt2.lisp -o gpt2.c       writes int gpt2(start, length, tokens, out, params, state, scratch)

(use-package :caten/llm)

(set-manual-seed :seed 2)

(defparameter *model*
  (Transformer 64 4 2 1d-5 96 :max-seq-len 64)
  "2 layers of 4 heads, 64 wide, 96 tokens.")

(defentry gpt2 ((tokens (1 length) :dtype :int64))
  (!view (forward *model* tokens (iconst 'start)) t -1 t))

;; `catenc run` binds the script's arguments; while a library is written there is nothing to run.
(when (boundp '*args*)
  (format t "~{~a~^ ~}~%" (funcall (greedy-decoder *model*) '(1 2 3) 16)))
