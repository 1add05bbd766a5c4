;;;; A two-layer perceptron that reads handwritten digits: 8x8 images of the UCI optical-digits set,
;;;; weights trained once by tests/oracle/train_digits.py.
;;;;
;;;;   catenc run samples/mlp.lisp              classifies the held-out images in memory
;;;;   catenc samples/mlp.lisp -o kernels.c     writes the network as a C function, digits(...)

(defmodel (Perceptron (pixels hidden classes)
           :documentation "pixels -> hidden units with ReLU -> a probability per class.")
    ((fc1 (Linear pixels hidden))
     (fc2 (Linear hidden classes))))

(defcall (model Perceptron) (X[Batch Pixels])
  (with-slots (fc1 fc2) model
    (!softmax (forward fc2 (!relu (forward fc1 x))))))

(defparameter *model*
  (load-state-dict (Perceptron 64 64 10) (load-safetensors "samples/data/digits_mlp.safetensors")))

(defentry digits ((images (batch 64)))
  (forward *model* images))

(defun run-digits ()
  "Classifies the held-out images and reports how many classes are right."
  (let* ((images (load-npy "samples/data/digits_images.npy"))
         (labels (load-npy "samples/data/digits_labels.npy"))
         (pixels (!div (!cast images :float32) 16.0))
         (classes (!argmax (forward *model* pixels) :axis -1 :squeeze t))
         (right (item (proceed (!sum (!eq classes labels)))))
         (total (first (shape labels))))
    (format t "~a of ~a held-out digits right, ~,2f %~%" right total (* 100.0 (/ right total)))))

;; `catenc run` binds the script's arguments; while a library is written there is nothing to run.
(when (boundp '*args*)
  (run-digits))
