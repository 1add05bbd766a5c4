;;;; `backward` of every differentiable op against central differences in float64, and the gradients
;;;; whose value is a rule (ties, bounds, zeros).

(defmacro check-gradients (&rest cases)
  `(progn ,@(loop for (name function . arguments) in cases
                  collect `(ok (grad-check ,function ,@arguments) ,name))))

(defparameter *a* '((0.5 -1.25 2.0) (1.5 0.75 -0.5)))
(defparameter *b* '((1.0 2.0 -0.5) (-1.5 0.25 3.0)))
(defparameter *positive* '((0.5 1.25 2.0) (1.5 0.75 3.0)))
(defparameter *small* '((0.5 -0.25 0.125) (0.75 -0.625 0.0625)))
(defparameter *apart* '((0.6 -1.3 2.1) (1.7 0.8 -0.55)))
(defparameter *row* '(0.5 -1.5 2.5))

(deftest unary-gradients
  (check-gradients
   ("sin" #'!sin *a*) ("cos" #'!cos *a*) ("tan" #'!tan *small*) ("asin" #'!asin *small*)
   ("acos" #'!acos *small*) ("atan" #'!atan *a*) ("sinh" #'!sinh *a*) ("cosh" #'!cosh *a*)
   ("tanh" #'!tanh *a*) ("exp" #'!exp *a*) ("exp2" #'!exp2 *a*) ("expm1" #'!expm1 *a*)
   ("log" #'!log *positive*) ("log2" #'!log2 *positive*) ("log1p" #'!log1p *positive*)
   ("sqrt" #'!sqrt *positive*) ("rsqrt" #'!rsqrt *positive*) ("recip" #'!recip *a*)
   ("erf" #'!erf *a*) ("erfc" #'!erfc *a*) ("neg" #'!neg *a*) ("square" #'!square *a*)
   ("abs" #'!abs *a*)))

(deftest binary-gradients
  (check-gradients
   ("add" #'!add *a* *b*) ("sub" #'!sub *a* *b*) ("mul" #'!mul *a* *b*) ("div" #'!div *a* *b*)
   ("maximum" #'!maximum *a* *b*) ("minimum" #'!minimum *a* *b*) ("mod" #'!mod *apart* *b*)
   ("rem" #'!rem *apart* *b*) ("expt" #'!expt *positive* *b*)
   ("broadcast add" #'!add *a* *row*) ("broadcast mul" #'!mul *row* *a*)
   ("broadcast div" #'!div *a* '((2.0) (3.0))) ("scalar" #'!mul 2.0 *a*)
   ("number" #'(lambda (x) (!add (!mul x 3) 1)) *a*)
   ("lerp" #'(lambda (a b) (!lerp a b 0.25)) *a* *b*)
   ("where" #'(lambda (a b) (!where (!> a 0.0) a b)) *a* *b*)
   ("clip" #'(lambda (x) (!clip x -1.0 1.0)) *a*)
   ("clip by tensors" #'!clip *apart* -1.0 *row*)))

(deftest movement-gradients
  (check-gradients
   ("reshape" #'(lambda (x) (!reshape x 3 2)) *a*)
   ("permute" #'(lambda (x) (!permute x 1 0)) *a*)
   ("expand" #'(lambda (x) (!expand x 2 3)) *row*)
   ("repeat" #'(lambda (x) (!repeat x 2 2)) *a*)
   ("flip" #'!flip *a*)
   ("view" #'(lambda (x) (!view x 1 '(0 2))) *a*)
   ("view step" #'(lambda (x) (!view x '(nil nil 3))) '(1.0 2.0 3.0 4.0 5.0 6.0 7.0 8.0))
   ("view back" #'(lambda (x) (!view x '(6 nil -2))) '(1.0 2.0 3.0 4.0 5.0 6.0 7.0 8.0))
   ("view repeat" #'(lambda (x) (!view x '(:~ 4) t)) '((1.0 2.0)))
   ("pad" #'(lambda (x) (!pad x '((1 2) (-1 1)))) *a*)
   ("reflect" #'(lambda (x) (!pad x '((2 1)) :mode :reflect)) *row*)
   ("replicate" #'(lambda (x) (!pad x '((2 1)) :mode :replicate)) *row*)
   ("concatenate" #'(lambda (a b) (!concatenate 1 a b)) *a* *b*)
   ("stack" #'(lambda (a b) (!stack 0 a b)) *a* *b*)
   ("split" #'(lambda (x) (multiple-value-bind (a b) (!split x '(1 2) :dim 1)
                            (!add (!mul a 2.0) (!mul b b)))) *a*)
   ("tril" #'!tril *a*) ("triu" #'!triu *a*)
   ("copy" #'!copy *a*)
   ("gather" #'(lambda (x) (!gather x (make-tensor '(2 2) :dtype :int64 :from '((0 2) (-1 0)))
                                    :axis 1)) *a*)))

(deftest reduction-gradients
  (check-gradients
   ("sum" #'!sum *a*) ("sum of an axis" #'(lambda (x) (!sum x :axis 0)) *a*)
   ("squeezed" #'(lambda (x) (!sum (!square x) :axis -1 :squeeze t)) *a*)
   ("mean" #'!mean *a*) ("prod" #'!prod *a*)
   ("prod with a zero" #'(lambda (x) (!prod x :axis 1)) '((2.0 0.0 3.0) (1.0 2.0 -1.0)))
   ("max" #'(lambda (x) (!max x :axis 1)) *a*) ("min" #'(lambda (x) (!min x :axis 0)) *a*)
   ("variance" #'!variance *a*) ("std" #'!std *a*) ("norm" #'!norm *a*)
   ("norm 3" #'(lambda (x) (!norm x :ord 3)) *a*)
   ("logsumexp" #'!logsumexp *a*)))

(deftest contraction-gradients
  (check-gradients
   ("matmul" #'!matmul *a* '((1.0 2.0) (-1.0 0.5) (3.0 -2.0)))
   ("row" #'!matmul '(1.0 -2.0) *a*) ("column" #'!matmul *a* *row*)
   ("batch" #'!matmul (list *a* *b*) '((1.0 2.0) (-1.0 0.5) (3.0 -2.0)))
   ("dot" #'!dot *row* '(1.0 2.0 3.0)) ("outer" #'!outer *row* '(1.0 2.0))
   ("einsum" #'(lambda (a b) (!einsum "ij,kj->ik" a b)) *a* *b*)))

(deftest activation-gradients
  (check-gradients
   ("sigmoid" #'!sigmoid *a*) ("relu" #'!relu *a*) ("relu6" #'!relu6 *a*)
   ("leaky-relu" #'!leaky-relu *a*) ("elu" #'!elu *a*) ("celu" #'!celu *a*) ("selu" #'!selu *a*)
   ("softplus" #'!softplus *a*) ("logsigmoid" #'!logsigmoid *a*) ("silu" #'!silu *a*)
   ("mish" #'!mish *a*) ("softsign" #'!softsign *a*) ("softshrink" #'!softshrink *apart*)
   ("hard-sigmoid" #'!hard-sigmoid *a*) ("hardswish" #'!hardswish *a*)
   ("hardtanh" #'!hardtanh *a*) ("gelu" #'!gelu *a*)
   ("gelu exact" #'(lambda (x) (!gelu x :approx :none)) *a*)
   ("softmax" #'!softmax *a*) ("softmax of columns" #'(lambda (x) (!softmax x :axis 0)) *a*)
   ("log-softmax" #'!log-softmax *a*)
   ("layer-norm" #'(lambda (x w b) (!layer-norm x '(3) :weight w :bias b)) *a* *row* *row*)
   ("rms-norm" #'(lambda (x w) (!rms-norm x '(3) :weight w)) *a* *row*)
   ("batch-norm" #'!batch-norm *a*)
   ("cross-entropy" #'(lambda (x) (!cross-entropy-with-logits
                                   x (make-tensor '(2) :dtype :int64 :from '(2 0)))) *a*)
   ("mse" #'!mse *a* *b*) ("huber" #'!huber *a* *b*)))

(defun same (a b)
  (and (= (length a) (length b)) (every #'= a b)))

(defun gradient-at (function x)
  "The gradient of the sum of `function` at the float32 numbers `x`."
  (let* ((tensor (make-tensor (list (length x)) :from x :requires-grad t))
         (program (caten (!sum (funcall function tensor)))))
    (forward program)
    (backward program)
    (computed-elements (grad tensor))))

(deftest ties-and-bounds
  (ok (same (gradient-at #'!relu '(-1.0 0.0 2.0)) '(0.0 0.0 1.0)) "relu'(0) is 0")
  (ok (same (gradient-at #'!abs '(-2.0 0.0 3.0)) '(-1.0 0.0 1.0)) "abs'(0) is 0")
  (ok (same (gradient-at #'(lambda (x) (!clip x 0.0 1.0)) '(-1.0 0.0 0.5 1.0 2.0))
             '(0.0 1.0 1.0 1.0 0.0))
      "clip passes 1 at its bounds")
  (ok (same (gradient-at #'!max '(3.0 1.0 3.0 2.0)) '(0.5 0.0 0.5 0.0)) "max shares ties")
  (ok (same (gradient-at #'(lambda (x) (!maximum x 1.0)) '(0.0 1.0 2.0)) '(0.0 0.5 1.0))
      "maximum halves at ties")
  (ok (same (gradient-at #'(lambda (x) (!mul (!minimum x (make-tensor '(4) :initial-element 1.0)) x))
                          '(1.0 1.0 1.0 1.0))
             '(1.5 1.5 1.5 1.5))
      "min(x, y) * x at x = y")
  (ok (same (gradient-at #'(lambda (x) (!expt x 1.0)) '(0.0)) '(1.0)) "x^1 at 0")
  (ok (same (gradient-at #'(lambda (x) (!expt x 1.1)) '(0.0)) '(0.0)) "x^1.1 at 0")
  (ok (same (gradient-at #'(lambda (x) (!where (!> x 0.0) (!mul x 2.0) (!mul x 3.0)))
                          '(-1.0 1.0))
             '(3.0 2.0))
      "where chooses"))

(deftest accumulation
  (ok (same (gradient-at #'(lambda (x) (!add (!mul x x) x)) '(2.0 3.0)) '(5.0 7.0))
      "uses of one tensor add up")
  (testing "gradients of runs add up until they are zeroed"
    (let* ((x (make-tensor '(2) :from '(1.0 2.0) :requires-grad t))
           (program (caten (!sum (!square x)))))
      (forward program)
      (backward program)
      (forward program)
      (backward program)
      (ok (same (computed-elements (grad x)) '(4.0 8.0))))))

(deftest smooth-at-zero
  ;; What is written with max(x, 0) and |x| is smooth there, to the second derivative.
  (loop for (name function) in (list (list "softplus" #'!softplus) (list "logsigmoid" #'!logsigmoid)
                                     (list "mish" #'!mish) (list "logaddexp" #'(lambda (x) (!logaddexp x 0)))
                                     (list "bce" #'(lambda (x) (!bce-with-logits x 0.25d0))))
        do (ok (grad-check function '(0.0)) name)
           (ok (grad-check (grad function) '(0.0)) (format nil "~a, twice" name))))

(deftest symbols-against-numbers
  ;; A size that a check makes equal to a number is not repeated: its gradient is not summed.
  (let* ((x (caten::tracked (make-input 'x '(n) :dtype :float64)))
         (y (make-tensor '(2) :dtype :float64 :from '(3d0 5d0)))
         (program (caten (gradients (!sum (!mul (!square x) y)) (list x)))))
    (check-tensor (forward program (cons 'x (make-tensor '(2) :dtype :float64 :initial-element 1d0)))
                  :float64 '(2) '(6 10))))
