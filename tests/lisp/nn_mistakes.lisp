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
  (refused (forward (ConvND 3 4 '(3 3)) (rand '(8 8))) "the ranks do not fit")
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

(deftest sizes-that-must-be-known
  (let ((x (make-input 'x '(n n n))))
    (refused (!split x 2) "`!split` needs an axis of known size")
    (refused (!convnd x x) "the size of a window must be a positive integer, not N")
    (refused (!maxpool x '(n)) "the size of a window must be a positive integer, not N")
    (refused (!maxpool x '(0)) "the size of a window must be a positive integer, not 0")
    (refused (!maxpool x '(2) :stride 0) "the stride of a window")
    (refused (forward (LSTM 3 2) (make-input 'y '(n 2 3))) "a recurrent layer` needs an axis of known")
    (refused (!ctc-loss x (make-tensor '(1 1) :dtype :int64) '(1) '(1)) "known number of frames")))

(deftest operands
  (let ((bools (make-tensor '(2) :dtype :bool)))
    (refused (!neg bools) "`!neg` of a bool tensor")
    (refused (!gather (rand '(3)) (rand '(2))) "indices must be integers")
    (refused (!concatenate 0) "needs at least one tensor")
    (refused (!stack 0 (rand '(2)) (rand '(3))) "`!stack` of tensors of shapes (2) and (3)")
    (refused (!diagonal (rand '(3))) "rank 2 or more")
    (refused (!kthvalue (rand '(3)) 0) "counts from 1")
    (refused (!pad (rand '(3)) '((3 0)) :mode :reflect) "`!pad` by 3 in the mode :reflect")
    (refused (!pad (make-tensor '(2) :dtype :int8) '((1 0)) :value 0.5) "0.5 is no int8")
    (refused (!einsum "ij,jk" (rand '(2 3)) (rand '(4 3))) "the axis `j`: 3 against 4")
    (refused (proceed (!one-hot (make-tensor '(1) :dtype :int64 :initial-element 3) 3)) "index 3")
    (refused (!interpolate (rand '(1 1 3)) nil) "either an output size or a scale factor")
    (refused (forward (ConvND 1 1 '(3) :padding :same :stride 2) (rand '(1 1 8))) "strides of 1")))

(deftest what-16-bits-cannot-hold
  (check-tensor (!norm (make-tensor '(1000) :dtype :float16 :initial-element 1000.0))
                :float16 '(1) '(31616))
  (check-tensor (!variance (make-tensor '(2) :dtype :float16 :from '(-1000 1000)) :correction 0)
                :float16 '(1) '(:inf))
  (check-tensor (!std (make-tensor '(2) :dtype :float16 :from '(-1000 1000)) :correction 0)
                :float16 '(1) '(1000))
  (check-tensor (!layer-norm (make-tensor '(2) :dtype :float16 :from '(-1000 1000)) 2)
                :float16 '(2) '(-1 1))
  (check-tensor (forward (BatchNorm 1) (make-tensor '(2 1) :dtype :float16 :from '((-1000) (1000))))
                :float16 '(2 1) '(-1 1)))
