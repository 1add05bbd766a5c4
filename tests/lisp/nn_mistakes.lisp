;;;; Mistakes in the use of layers are errors when the graph is built, and say what does not fit.

(defun message (function)
  (handler-case (progn (funcall function) "no error")
    (error (e) (princ-to-string e))))

(defmacro refused (form text)
  "The form signals an error whose message has the text in it."
  `(let ((message (message #'(lambda () ,form))))
     (ok (search ,text message) (format nil "~a: ~a" ',form message))))

(deftest shapes
  (refused (forward (Linear 3 4) (rand '(2 5))) "5 against 3")
  (refused (forward (ConvND 3 4 '(3 3)) (rand '(1 2 8 8))) "2 channels in 1 groups of 3")
  (refused (forward (ConvND 3 4 '(3 3)) (rand '(3 8 8))) "tensors of one rank")
  (refused (forward (ConvND 3 4 '(3 3)) (rand '(1 3 2 2))) "does not fit")
  (refused (forward (ConvTransposeND 3 4 '(3)) (rand '(1 2 8))) "2 against 3")
  (refused (forward (BatchNorm 3) (rand '(2 4))) "4 against 3")
  (refused (forward (BatchNorm 3) (rand '(1 3))) "more than one element per channel")
  (refused (forward (BatchNorm 3) (rand '(3))) "rank 2 or more")
  (refused (forward (InstanceNorm 3) (rand '(2 4 5))) "4 against 3")
  (refused (forward (LayerNorm '(4)) (rand '(2 3))) "3 against 4")
  (refused (forward (GroupNorm 3 4) (rand '(1 4 2))) "4 is no multiple of 3")
  (refused (forward (GRU 3 4) (rand '(2 3))) "rank 3")
  (refused (forward (LSTM 3 4) (make-input 'x '(n 2 3))) "known size")
  (refused (forward (GRUCell 3 4) (rand '(2 2 3))) "rank 2")
  (refused (!glu (rand '(3 3))) "3 is no multiple of 2")
  (refused (!cross-entropy-with-logits (rand '(2 3)) (make-tensor '(3) :dtype :int64)) "broadcast"))

(deftest options
  (refused (MultiHeadAttention 5 2) "5 is no multiple of 2")
  (refused (ConvND 3 4 '(3) :groups 2) "3 is no multiple of 2")
  (refused (ConvND 4 3 '(3) :groups 2) "3 is no multiple of 2")
  (refused (!dropout (rand '(3)) :p 2) "not between 0 and 1")
  (refused (!interpolate (rand '(1 1 3)) '(4) :mode :lanczos) ":LANCZOS")
  (refused (step-schedule (ReduceLROnPlateau nil)) "needs the metric")
  (refused (Adam :rate 3) ":RATE")
  (testing "in inference one element is enough"
    (ok (proceed (forward (eval-mode (BatchNorm 3)) (rand '(1 3)))))))
