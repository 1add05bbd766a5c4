;;;; Convolution and pooling over any number of spatial axes: windows are views, a convolution is a
;;;; contraction over them.
(in-package :caten)

(defun per-axis (value count name)
  "A number for all axes, or a list of one per axis."
  (let ((list (if (listp value) value (make-list count :initial-element value))))
    (unless (= (length list) count)
      (%fail :bad-axis "~a needs a number or one per spatial axis (~a), not ~a" name count value))
    list))

(defun window-count (size kernel stride dilation &optional ceiling)
  "How many windows fit on an axis; with `ceiling` a last one may hang over."
  (loop for (name . value) in (list (cons "size" kernel) (cons "stride" stride)
                                    (cons "dilation" dilation))
        do (unless (and (integerp value) (plusp value))
             (%fail :bad-size "the ~a of a window must be a positive integer, not ~a" name value)))
  (let ((room (dim- size (1+ (* dilation (1- kernel))))))
    (when (and (integerp room) (minusp room))
      (%fail :bad-size "a window of ~a elements, ~a apart, does not fit on an axis of size ~a" kernel
             dilation size))
    (dim+ 1 (funcall (if ceiling #'dim-ceil-div #'dim-floor-div) room stride))))

(defun axis-windows (x axis kernel stride dilation)
  "The axis split in two: element in the window, and window."
  (let* ((dims (shape x))
         (size (nth axis dims))
         (count (window-count size kernel stride dilation))
         (before (subseq dims 0 axis))
         (after (subseq dims (1+ axis)))
         ;; Rows of size + dilation in a periodic copy of the axis: row k starts at k * dilation.
         (period (* kernel (1+ dilation)))
         (row (dim+ size dilation))
         (copies (reshape (expand (reshape x (append before (list 1 size) after))
                                  (append before (list period size) after))
                          (append before (list (dim* period size)) after)))
         (rows (reshape (slice-axis copies axis 0 (dim* kernel row))
                        (append before (list kernel row) after))))
    (slice-axis rows (1+ axis) 0 count stride)))

(defun !unfold (x kernel-sizes &key (dilation 1) (stride 1))
  "All windows over the last axes of `x`: shape (… windows per axis … kernel sizes …)."
  (let* ((n (length kernel-sizes))
         (first (- (ndim x) n)))
    (when (minusp first)
      (%fail :bad-axis "windows of ~a axes on a tensor of rank ~a" n (ndim x)))
    (loop for kernel in kernel-sizes
          for s in (per-axis stride n ":stride")
          for d in (per-axis dilation n ":dilation")
          for i from 0
          do (setf x (axis-windows x (+ first (* 2 i)) kernel s d)))
    (!permute x (append (loop for i below first collect i)
                        (loop for i below n collect (+ first (* 2 i) 1))
                        (loop for i below n collect (+ first (* 2 i)))))))

(defun pad-spatial (x widths value)
  (!pad x (append '((0 0) (0 0)) widths) :value value))

(defun symmetric-widths (padding n)
  "Padding as `(low high)` per axis, from a number or one number per axis."
  (loop for p in (per-axis padding n ":padding") collect (list p p)))

(defun convolution-widths (padding kernel strides dilations)
  "Padding as `(low high)` per axis: numbers, :valid for none, :same for what keeps the sizes."
  (let ((n (length kernel)))
    (case padding
      (:valid (symmetric-widths 0 n))
      (:same
       (unless (every #'(lambda (s) (eql s 1)) strides)
         (%fail :bad-option "a convolution with a padding of :same has strides of 1, not ~a" strides))
       (loop for k in kernel
             for d in dilations
             for total = (* d (1- k))
             collect (list (floor total 2) (ceiling total 2))))
      (t (symmetric-widths padding n)))))

;;; Convolution ----------------------------------------------------------------------------------

(defun grouped-contraction (windows weight groups n)
  "The sum over input channels and the window: windows (N C out… k…), weight (M C/groups k…)."
  (destructuring-bind (batch channels &rest rest) (shape windows)
    (destructuring-bind (outputs group-channels &rest kernel) (shape weight)
      (require-equal-dims channels (dim* groups group-channels)
                          "a convolution of ~a channels in ~a groups of ~a" channels groups
                          group-channels)
      (require-multiple outputs groups "the output channels of a convolution of ~a groups" groups)
      (let* ((spatial (subseq rest 0 n))
             (ones (make-list n :initial-element 1))
             (per-group (dim-floor-div outputs groups))
             (result (contract (!reshape windows (append (list batch groups 1 group-channels)
                                                         spatial kernel))
                               (!reshape weight (append (list 1 groups per-group group-channels)
                                                        ones kernel))
                               (cons 3 (loop for i below n collect (+ 4 n i))))))
        (reshape result (append (list batch outputs) spatial))))))

(defun add-channel-bias (x bias n)
  (if bias
      (!add x (reshape bias (cons (first (shape bias)) (make-list n :initial-element 1))))
      x))

(defun without-batch (name x weight function)
  "The function of `x`, or of (C spatial…) as a batch of one, whose axis is dropped again."
  (let ((missing (- (ndim weight) (ndim x))))
    (cond ((< (ndim weight) 3)
           (%fail :shape-mismatch "`~a` needs a weight of rank 3 or more, not of shape ~a" name
                  (shape weight)))
          ((= missing 0) (funcall function x))
          ((= missing 1) (squeeze-axes (funcall function (!unsqueeze x 0)) '(0) t))
          (t (%fail :shape-mismatch "`~a` of a tensor of shape ~a with a weight of shape ~a: the ranks ~
                                     do not fit" name (shape x) (shape weight))))))

(defun !convnd (x weight &key bias (groups 1) (stride 1) (dilation 1) (padding 0)
                              (padding-mode :constant))
  "Convolution of x (N C spatial…) or (C spatial…) with a weight (M C/groups k…), as PyTorch's conv.
`padding` is a number, one per axis, :valid (0) or :same; `padding-mode` one of the modes of `!pad`."
  (without-batch
   "!convnd" x weight
   #'(lambda (x)
       (let* ((n (- (ndim weight) 2))
              (kernel (cddr (shape weight)))
              (strides (per-axis stride n ":stride"))
              (dilations (per-axis dilation n ":dilation"))
              (padded (!pad x (append '((0 0) (0 0))
                                      (convolution-widths padding kernel strides dilations))
                            :mode padding-mode))
              (windows (!unfold padded kernel :stride strides :dilation dilations)))
         (add-channel-bias (grouped-contraction windows weight groups n) bias n)))))

(defun !conv-transposend (x weight &key bias (groups 1) (stride 1) (dilation 1) (padding 0)
                                        (output-padding 0))
  "Transposed convolution of x (N C spatial…) or (C spatial…) with a weight (C M/groups k…), as
PyTorch's."
  (without-batch
   "!conv-transposend" x weight
   #'(lambda (x)
       (conv-transposed x weight bias groups stride dilation padding output-padding))))

(defun conv-transposed (x weight bias groups stride dilation padding output-padding)
  (let* ((n (- (ndim weight) 2))
         (strides (per-axis stride n ":stride"))
         (dilations (per-axis dilation n ":dilation"))
         (paddings (per-axis padding n ":padding"))
         (extras (per-axis output-padding n ":output-padding")))
    (loop for s in strides
          for axis from 2
          for size in (cddr (shape x))
          do (when (> s 1)
               (setf x (slice-axis (dilate x axis s) axis 0 (dim- (dim* size s) (1- s))))))
    (destructuring-bind (channels per-group &rest kernel) (shape weight)
      (require-equal-dims (second (shape x)) channels
                          "`!conv-transposend` of a tensor of shape ~a with a weight of shape ~a"
                          (shape x) (shape weight))
      (require-multiple channels groups "the input channels of a convolution of ~a groups" groups)
      (let* ((inputs (dim-floor-div channels groups))
             (split (!reshape (!flip weight :axis (loop for i below n collect (+ 2 i)))
                              (append (list groups inputs per-group) kernel)))
             (order (append '(0 2 1) (loop for i below n collect (+ 3 i))))
             (flipped (!reshape (!permute split order)
                                (append (list (dim* groups per-group) inputs) kernel)))
             (widths (loop for k in kernel
                           for d in dilations
                           for p in paddings
                           for extra in extras
                           for low = (- (* d (1- k)) p)
                           collect (list low (+ low extra)))))
        (!convnd (pad-spatial x widths 0.0) flipped :bias bias :groups groups :dilation dilations)))))

(defun check-groups (in-channels out-channels groups)
  (require-multiple in-channels groups "the input channels of a convolution of ~a groups" groups)
  (require-multiple out-channels groups "the output channels of a convolution of ~a groups" groups))

(defun convolution-weight (shape)
  (xavier-uniform shape :requires-grad t))

(defmodel (ConvND (in-channels out-channels kernel-sizes
                   &key (groups 1) (stride 1) (dilation 1) (padding 0) (padding-mode :constant) (bias t))
           :documentation "Convolution over the axes of kernel-sizes; weight (out in/groups k…).")
    ((settings (list :groups groups :stride stride :dilation dilation :padding padding
                     :padding-mode padding-mode))
     (weight (convolution-weight (list* out-channels (floor in-channels groups) kernel-sizes)))
     (bias (if bias (parameter (list out-channels) 0.0) nil)))
  (check-groups in-channels out-channels groups))

(defmethod call ((model ConvND) &rest inputs)
  (with-slots (settings weight bias) model
    (apply #'!convnd (first inputs) weight :bias bias settings)))

(defmodel (ConvTransposeND (in-channels out-channels kernel-sizes
                            &key (groups 1) (stride 1) (dilation 1) (padding 0) (output-padding 0)
                              (bias t))
           :documentation "Transposed convolution; weight (in out/groups k…).")
    ((settings (list :groups groups :stride stride :dilation dilation :padding padding
                     :output-padding output-padding))
     (weight (convolution-weight (list* in-channels (floor out-channels groups) kernel-sizes)))
     (bias (if bias (parameter (list out-channels) 0.0) nil)))
  (check-groups in-channels out-channels groups))

(defmethod call ((model ConvTransposeND) &rest inputs)
  (with-slots (settings weight bias) model
    (apply #'!conv-transposend (first inputs) weight :bias bias settings)))

;;; Pooling --------------------------------------------------------------------------------------

(defmodule (WindowMax ((&key count) :count count)) ()
  :documentation "The maximum over the last `count` axes; its gradient goes to the first one."
  :forward window-result
  :impl ((op windows)
         (let ((axes (last-axes (module-attr op :count) (ndim windows))))
           (squeeze-axes (max-axes windows axes) axes t)))
  :backward ((op dout)
             (let* ((windows (first (func-variables op)))
                    (count (module-attr op :count))
                    (outer (butlast (shape windows) count))
                    (flat (reshape windows
                                   (append outer
                                           (list (dim-product (last (shape windows) count))))))
                    (axis (length outer)))
               (reshape (!where (!eq (!gid flat axis) (!argmax flat)) (!unsqueeze dout -1) 0.0)
                        (shape windows)))))

(defun window-result (op windows)
  (result-like windows (butlast (shape windows) (module-attr op :count))))

(defun pooling-windows (x kernel-sizes stride dilation padding ceiling value
                        &optional (overhang-value value))
  "Windows of the input padded with `value`; with `ceiling` it is padded further, with
`overhang-value`, so that a last window fits."
  (let* ((n (length kernel-sizes))
         (strides (per-axis (or stride kernel-sizes) n ":stride"))
         (dilations (per-axis dilation n ":dilation"))
         (sizes (last (shape x) n))
         (widths (symmetric-widths padding n))
         (padded (pad-last x widths value)))
    (loop for (p nil) in widths
          for k in kernel-sizes
          do (when (and (integerp k) (> (* 2 p) k))
               (%fail :bad-size "a padding of ~a is more than half of the window of ~a" p k)))
    (!unfold (if ceiling
                 (pad-last padded
                           (loop for (low high) in widths
                                 for size in sizes
                                 for k in kernel-sizes
                                 for s in strides
                                 for d in dilations
                                 collect (list 0 (overhang size low high k s d)))
                           overhang-value)
                 padded)
             kernel-sizes :stride strides :dilation dilations)))

(defun pad-last (x widths value)
  "`x` padded on its last axes."
  (!pad x (append (make-list (- (ndim x) (length widths)) :initial-element t) widths)
        :value value))

(defun overhang (size low high kernel stride dilation)
  "How far the last window of ceiling mode reaches beyond the padded axis. A window that would start
in the padding on the right is left out, as in PyTorch."
  (let* ((padded (dim+ size (dim+ low high)))
         (count (dim-min (window-count padded kernel stride dilation t)
                         (dim-ceil-div (dim+ size low) stride)))
         (reach (dim+ (dim* (dim- count 1) stride) (1+ (* dilation (1- kernel))))))
    (dim-max 0 (dim- reach padded))))

(defun window-sizes (x kernel-sizes)
  "One size per axis of the windows; a number is that of every axis after the second."
  (if (listp kernel-sizes)
      kernel-sizes
      (make-list (max 1 (- (ndim x) 2)) :initial-element kernel-sizes)))

(defun !maxpool (x kernel-sizes &key stride (dilation 1) (padding 0) ceiling)
  "The maximum of every window over the last axes (a number: all after the second); the padding never
wins."
  (let* ((kernel-sizes (window-sizes x kernel-sizes))
         (windows (pooling-windows x kernel-sizes stride dilation padding ceiling
                                   (lowest-of (dtype-of x)))))
    (forward (WindowMax :count (length kernel-sizes)) windows)))

(defun !avgpool (x kernel-sizes &key stride (dilation 1) (padding 0) ceiling (count-include-pad t))
  "The mean of every window over the last axes (a number: all after the second); padding counts as
zeros unless told otherwise."
  (let* ((kernel-sizes (window-sizes x kernel-sizes))
         (n (length kernel-sizes))
         (x (as-float x))
         (windows (pooling-windows x kernel-sizes stride dilation padding ceiling 0.0))
         (axes (last-axes n (ndim windows))))
    (if (and count-include-pad (not ceiling))
        (squeeze-axes (mean-axes windows axes) axes t)
        ;; What counts is the padding too, if asked for, but never what hangs over.
        (let ((counts (pooling-windows (!expand (constant 1 (dtype-of x)) (shape x)) kernel-sizes
                                       stride dilation padding ceiling
                                       (if count-include-pad 1.0 0.0) 0.0)))
          (squeeze-axes (!div (sum-axes windows axes) (sum-axes counts axes)) axes t)))))

(defmodel (MaxPool (kernel-sizes &key stride (dilation 1) (padding 0) ceiling)
           :documentation "The maximum of every window.")
    ((kernel-sizes kernel-sizes)
     (settings (list :stride stride :dilation dilation :padding padding :ceiling ceiling))))

(defmethod call ((model MaxPool) &rest inputs)
  (with-slots (kernel-sizes settings) model
    (apply #'!maxpool (first inputs) kernel-sizes settings)))

(defmodel (AvgPool (kernel-sizes &key stride (dilation 1) (padding 0) ceiling (count-include-pad t))
           :documentation "The mean of every window.")
    ((kernel-sizes kernel-sizes)
     (settings (list :stride stride :dilation dilation :padding padding :ceiling ceiling
                     :count-include-pad count-include-pad))))

(defmethod call ((model AvgPool) &rest inputs)
  (with-slots (kernel-sizes settings) model
    (apply #'!avgpool (first inputs) kernel-sizes settings)))
