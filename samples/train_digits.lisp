;;;; Trains a small convolutional net on handwritten digits, in memory: batch normalisation, dropout,
;;;; AdamW with a schedule and clipped gradients, and a look at digits that it has not seen.
;;;;
;;;;   catenc run samples/train_digits.lisp

(defsequence DigitNet (&key (channels 4))
  "(N 1 8 8) -> logits of ten classes."
  (ConvND 1 channels '(3 3) :padding 1 :bias nil)
  (BatchNorm channels)
  (asnode #'!relu)
  (MaxPool '(2 2))
  (ConvND channels 8 '(3 3) :padding 1)
  (asnode #'!relu)
  (MaxPool '(2 2))
  (asnode #'!flatten :axis 1)
  (Dropout :p 0.1)
  (Linear 32 10))

(defun digits (first count)
  "`count` images as (count 1 8 8) numbers from 0 to 1, and their classes."
  (let ((range (list first (+ first count))))
    (proceed (!div (!cast (!reshape (!view (load-npy "samples/data/digits_images.npy") range)
                                    count 1 8 8)
                          :float32)
                   16.0)
             (!cast (!view (load-npy "samples/data/digits_labels.npy") range) :int64))))

(defun accuracy (model images classes)
  (eval-mode model)
  (prog1 (item (proceed (!mean (!cast (!eq (!argmax (forward model images) :axis -1 :squeeze t)
                                           classes)
                                      :float32))))
    (train-mode model)))

(defun train (model steps batch)
  "Prints the first and the last loss."
  (let* ((x (make-input 'x (list batch 1 8 8)))
         (y (make-input 'y (list batch) :dtype :int64))
         (program (caten (!cross-entropy-with-logits (forward model x) y :label-smoothing 0.05)))
         (optimizers (hook-optimizers program (AdamW :lr 0.03 :weight-decay 0.01)))
         (schedule (CosineAnnealingLR optimizers steps)))
    (dotimes (step steps)
      (multiple-value-bind (images classes) (digits (* batch (mod step 6)) batch)
        (let ((loss (item (forward program 'x images 'y classes))))
          (when (or (zerop step) (= step (1- steps)))
            (format t "step ~a: the loss is ~a 2~%" step (if (> loss 2) "above" "below"))))
        (backward program)
        (clip-grad-norm optimizers 1.0)
        (mapc #'step-optimizer optimizers)
        (mapc #'zero-grad optimizers)
        (step-schedule schedule)))))

(set-manual-seed :seed 1)
(let ((model (DigitNet)))
  (train model 24 40)
  (multiple-value-bind (images classes) (digits 240 59)
    (format t "more than half of the new digits right: ~a~%" (> (accuracy model images classes) 0.5))))
