;;;; Recurrent layers with PyTorch's formulas, parameters and names. A sequence is unrolled, so its
;;;; length must be a number.
(in-package :caten)

(defmodel (RecurrentCell (kind input-size hidden-size &key (bias t))
           :documentation "One step of a recurrent layer; `kind` is :tanh, :relu, :lstm or :gru.")
    ((kind kind)
     (hidden-size hidden-size)
     (weight-ih (recurrent-parameter kind hidden-size input-size))
     (weight-hh (recurrent-parameter kind hidden-size hidden-size))
     (bias-ih (if bias (recurrent-parameter kind hidden-size) nil))
     (bias-hh (if bias (recurrent-parameter kind hidden-size) nil))))

(defun gate-count (kind)
  (ecase kind ((:tanh :relu) 1) (:gru 3) (:lstm 4)))

(defun recurrent-parameter (kind hidden-size &rest columns)
  (let ((bound (/ 1 (sqrt (coerce hidden-size 'single-float)))))
    (uniform (cons (* (gate-count kind) hidden-size) columns)
             :low (- bound) :high bound :requires-grad t)))

(defun affine-map (x weight bias)
  "x·Wᵀ + b."
  (let ((y (!matmul x (!t weight))))
    (if bias (!add y bias) y)))

(defun gates (x kind hidden-size)
  "The parts of the last axis that belong to each gate, as a list."
  (multiple-value-list (!split x (make-list (gate-count kind) :initial-element hidden-size)
                               :dim -1)))

(defun recurrent-step (cell from-input state)
  "The next state (a list: hidden, and the cell state of an LSTM) from the input's share of the
gates."
  (with-slots (kind hidden-size weight-hh bias-hh) cell
    (let ((from-hidden (affine-map (first state) weight-hh bias-hh)))
      (ecase kind
        (:tanh (list (!tanh (!add from-input from-hidden))))
        (:relu (list (!relu (!add from-input from-hidden))))
        (:gru
         (destructuring-bind ((reset-i update-i new-i) (reset-h update-h new-h))
             (list (gates from-input kind hidden-size) (gates from-hidden kind hidden-size))
           (let* ((reset (!sigmoid (!add reset-i reset-h)))
                  (update (!sigmoid (!add update-i update-h)))
                  (new (!tanh (!add new-i (!mul reset new-h)))))
             (list (!add (!mul (!sub 1.0 update) new) (!mul update (first state)))))))
        (:lstm
         (destructuring-bind (input forget new output)
             (gates (!add from-input from-hidden) kind hidden-size)
           (let ((memory (!add (!mul (!sigmoid forget) (second state))
                               (!mul (!sigmoid input) (!tanh new)))))
             (list (!mul (!sigmoid output) (!tanh memory)) memory))))))))

(defun zero-state (kind rows hidden-size dtype)
  (loop repeat (if (eq kind :lstm) 2 1)
        collect (!full (list rows hidden-size) 0 :dtype dtype)))

(defmethod call ((model RecurrentCell) &rest inputs)
  (destructuring-bind (x &rest state) inputs
    (require-rank x 2 "a recurrent cell")
    (with-slots (kind hidden-size weight-ih bias-ih) model
      (values-list
       (recurrent-step model
                       (affine-map x weight-ih bias-ih)
                       (or (flatten-tensors state)
                           (zero-state kind (first (shape x)) hidden-size (dtype-of x))))))))

(defun RNNCell (input-size hidden-size &key (bias t) (nonlinearity :tanh))
  "One step of an RNN: `(forward cell x hidden)` is the next hidden state."
  (RecurrentCell nonlinearity input-size hidden-size :bias bias))
(defun GRUCell (input-size hidden-size &key (bias t))
  "One step of a GRU: `(forward cell x hidden)` is the next hidden state."
  (RecurrentCell :gru input-size hidden-size :bias bias))
(defun LSTMCell (input-size hidden-size &key (bias t))
  "One step of an LSTM: `(forward cell x hidden memory)` gives the next hidden state and memory."
  (RecurrentCell :lstm input-size hidden-size :bias bias))

;;; Sequences ------------------------------------------------------------------------------------

(defmodel (Recurrent (kind input-size hidden-size
                      &key (num-layers 1) (bias t) batch-first (dropout 0) bidirectional)
           :documentation "Layers of recurrent cells over a sequence (length batch features), or
(batch length features) with batch-first.")
    ((kind kind)
     (hidden-size hidden-size)
     (batch-first batch-first)
     (dropout dropout)
     (directions (if bidirectional 2 1))
     ;; Cells of layer 0 forward, layer 0 backward, layer 1 forward …
     (cells (loop for layer below num-layers
                  append (loop repeat directions
                               collect (RecurrentCell kind
                                                      (if (zerop layer)
                                                          input-size
                                                          (* directions hidden-size))
                                                      hidden-size :bias bias))))))

(defmethod state-slots ((model Recurrent))
  ;; As PyTorch names them: weight_ih_l0, weight_ih_l0_reverse, …
  (loop with directions = (slot-value model 'directions)
        for cell in (slot-value model 'cells)
        for i from 0
        append (loop for slot in '(weight-ih weight-hh bias-ih bias-hh)
                     collect (list (format nil "~a_l~a~a" slot (floor i directions)
                                           (if (= 1 (mod i directions)) "_reverse" ""))
                                   cell slot))))

(defun run-cell (cell x state reversed)
  "All hidden states of one cell over (length batch features), and its last state."
  (with-slots (weight-ih bias-ih) cell
    (let* ((length (constant-size (first (shape x)) "a recurrent layer"))
           (from-input (affine-map x weight-ih bias-ih))
           (outputs nil))
      (dotimes (i length)
        (let ((step (slice-axis from-input 0 (if reversed (- length 1 i) i) 1)))
          (setf state (recurrent-step cell (reshape step (rest (shape step))) state))
          (push (first state) outputs)))
      (values (apply #'!stack 0 (if reversed outputs (nreverse outputs)))
              state))))

(defmethod call ((model Recurrent) &rest inputs)
  (destructuring-bind (x &rest initial) inputs
    (with-slots (kind hidden-size batch-first dropout directions cells) model
      (require-rank x 3 "a recurrent layer")
      (let* ((initial (flatten-tensors initial))
             (x (if batch-first (!transpose x 0 1) x))
             (dims (shape x))
             (ends nil))
        (loop for layer below (/ (length cells) directions)
              do (let ((outputs nil))
                   (dotimes (direction directions)
                     (let* ((i (+ (* layer directions) direction))
                            (state (if initial
                                       (loop for tensor in initial
                                             for part = (slice-axis tensor 0 i 1)
                                             collect (reshape part (rest (shape part))))
                                       (zero-state kind (second dims) hidden-size (dtype-of x)))))
                       (multiple-value-bind (output state)
                           (run-cell (nth i cells) x state (= direction 1))
                         (push output outputs)
                         (push state ends))))
                   (setf x (if (rest outputs)
                               (apply #'!concatenate -1 (nreverse outputs))
                               (first outputs)))
                   (when (and (plusp dropout)
                              (< (* (1+ layer) directions) (length cells)))
                     (setf x (!dropout x :p dropout :training (training-p model))))))
        (apply #'values
               (if batch-first (!transpose x 0 1) x)
               (apply #'mapcar #'(lambda (&rest parts) (apply #'!stack 0 parts))
                      (nreverse ends)))))))

(defun RNN (input-size hidden-size &rest options
            &key (num-layers 1) (nonlinearity :tanh) (bias t) batch-first (dropout 0) bidirectional)
  "Elman's recurrent layers (:tanh or :relu). `(forward layer x hidden)`, the initial states being
optional, gives the outputs and the last states (layers batch hidden)."
  (declare (ignore num-layers bias batch-first dropout bidirectional))
  (apply #'Recurrent nonlinearity input-size hidden-size (without-option :nonlinearity options)))

(defun GRU (input-size hidden-size &rest options)
  "Gated recurrent layers with the options of `RNN`; called and answering alike."
  (apply #'Recurrent :gru input-size hidden-size options))

(defun LSTM (input-size hidden-size &rest options)
  "Long short-term memory layers with the options of `RNN`: `(forward layer x hidden memory)` gives
the outputs, the last hidden states and the last memories."
  (apply #'Recurrent :lstm input-size hidden-size options))

(defun without-option (key options)
  (loop for (k value) on options by #'cddr
        unless (eq k key) append (list k value)))
