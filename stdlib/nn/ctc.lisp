;;;; Connectionist temporal classification: the sum over all alignments of a label sequence with a
;;;; longer sequence of distributions, step by step over the frames.
(in-package :caten)

(defun shifted-right (x count)
  "(rows n) moved by `count` places; -inf comes in."
  (!pad x (list '(0 0) (list count (- count))) :value (-inf)))

(defun padded-labels (labels lengths)
  "Labels of all sequences one after the other as (batch all), each row starting with its own."
  (let* ((total (first (shape labels)))
         (starts (!sub (!cumsum lengths) lengths))
         (places (!add (!unsqueeze starts -1) (!gid-of-shape (list 1 total) 1))))
    (!gather labels (!minimum places (!sub (size-tensor total) 1)))))

(defun interleaved-labels (labels lengths blank)
  "(batch 2S+1): blanks around and between the labels, also in place of those beyond the lengths."
  (let* ((inside (!< (!gid labels 1) (!unsqueeze lengths -1)))
         (blanks (!full (shape labels) blank :dtype :int64)))
    (!pad (reshape (!stack 2 blanks (!where inside labels blanks))
                   (list (first (shape labels)) (dim* 2 (second (shape labels)))))
          '((0 0) (0 1)) :value blank)))

(defun ctc-batch (log-p labels input-lengths lengths blank)
  "The loss of each sequence of log-p (T batch classes)."
  (let* ((frames (first (shape log-p)))
         (all (interleaved-labels labels lengths blank))
         (width (second (shape all)))
         (place (!gid all 1))
         (emitted (!take-along-axis log-p (!unsqueeze all 0) :axis 2))
         ;; A label may follow another one without a blank between when they differ.
         (skips (!and (!eq (!mod place 2) 1)
                      (!and (!>= place 3) (!neq all (!roll all 2 :axis 1)))))
         (alpha nil))
    (dotimes (frame frames)
      (let ((own (reshape (slice-axis emitted 0 frame 1) (list (first (shape all)) width))))
        (setf alpha
              (if (null alpha)
                  (!where (!< place 2) own (-inf))
                  (!where (!< frame (!unsqueeze input-lengths -1))
                          (!add own (log-sum (list* alpha
                                                    (shifted-right alpha 1)
                                                    (unless (eql width 1)
                                                      (list (!where skips (shifted-right alpha 2)
                                                                    (-inf)))))))
                          alpha)))))
    (ctc-end alpha place (!mul 2 (!unsqueeze lengths -1)))))

(defun ctc-end (alpha place last)
  "Minus the logarithm of what ends in the last label or in the blank behind it."
  (flet ((at (index)
           (let ((hit (!eq place index)))
             ;; One place per row, or none: then -inf.
             (!where (!any hit :axis 1 :squeeze t)
                     (!sum (!where hit alpha 0.0) :axis 1 :squeeze t)
                     (-inf)))))
    (!neg (log-sum (list (at last) (at (!sub last 1)))))))

(defun !ctc-loss (log-p labels input-lengths label-lengths
                  &key (blank 0) (reduction :mean) zero-infinity)
  "Minus the log-probability of the label sequences, summed over their alignments with log-p (T batch
classes) or (T classes). Labels are (batch S), or one after the other (sum of the lengths). The mean
is over the sequences, each divided by its length; `zero-infinity` makes 0 of what cannot be aligned.
T must be a known number."
  (let ((frames (first (shape log-p)))
        (labels (index-tensor labels))
        (input-lengths (index-tensor input-lengths))
        (lengths (index-tensor label-lengths)))
    (unless (and (integerp frames) (plusp frames))
      (%fail :bad-size "`!ctc-loss` needs a known number of frames, not ~a" frames))
    (if (= (ndim log-p) 2)
        (reduce-loss (reshape (!ctc-loss (!unsqueeze log-p 1) (!unsqueeze labels 0)
                                         (reshape input-lengths '(1)) (reshape lengths '(1))
                                         :blank blank :zero-infinity zero-infinity
                                         :reduction (if (eq reduction :mean) :mean :none))
                              nil)
                     :none)
        (let* ((labels (if (= (ndim labels) 1) (padded-labels labels lengths) labels))
               (loss (ctc-batch log-p labels input-lengths lengths blank))
               (loss (if zero-infinity (!where (!isinf loss) 0.0 loss) loss)))
          (if (eq reduction :mean)
              (!mean (!div loss (!cast (!maximum lengths 1) (dtype-of loss))) :squeeze t)
              (reduce-loss loss reduction))))))
