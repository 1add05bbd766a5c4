;;;; Optimisers that few programs use; formulas and defaults are PyTorch's.
(in-package :caten)

(defun Adadelta (&key (lr 1d0) (rho 0.9d0) (eps 1d-6) (weight-decay 0d0) maximize)
  "Steps as large as the recent ones, relative to the recent gradients."
  (optimizer-maker lr 2
                   #'(lambda (p g rate scalars square step)
                       (declare (ignore scalars))
                       (let* ((g (decayed g p weight-decay maximize))
                              (square (mix square (!square g) rho))
                              (delta (!mul (!div (!sqrt (!add step eps)) (!sqrt (!add square eps)))
                                           g)))
                         (values (!sub p (!mul delta rate))
                                 square
                                 (mix step (!square delta) rho))))))

(defun Adamax (&key (lr 2d-3) (beta1 0.9d0) (beta2 0.999d0) (eps 1d-8) (weight-decay 0d0) maximize)
  "Adam with the largest gradient in place of the root mean square."
  (optimizer-maker lr 2
                   #'(lambda (p g rate scalars m peak)
                       (let* ((g (decayed g p weight-decay maximize))
                              (m (mix m g beta1))
                              (peak (!maximum (!mul peak beta2) (!add (!abs g) eps))))
                         (values (!sub p (!div (!mul m (!div rate (first scalars))) peak))
                                 m peak)))
                   #'(lambda (step) (list (- 1 (expt beta1 step))))))

(defun NAdam (&key (lr 2d-3) (beta1 0.9d0) (beta2 0.999d0) (eps 1d-8) (weight-decay 0d0)
                (momentum-decay 4d-3) maximize)
  "Adam with Nesterov's momentum."
  (flet ((mu (step) (* beta1 (- 1 (* 0.5d0 (expt 0.96d0 (* step momentum-decay)))))))
    (optimizer-maker lr 2
                     #'(lambda (p g rate scalars m v)
                         (destructuring-bind (from-gradient from-momentum correction) scalars
                           (let* ((g (decayed g p weight-decay maximize))
                                  (m (mix m g beta1))
                                  (v (mix v (!square g) beta2))
                                  (root (!add (!sqrt (!div v correction)) eps)))
                             (values (!sub p (!mul rate
                                                   (!div (!add (!mul g from-gradient)
                                                               (!mul m from-momentum))
                                                         root)))
                                     m v))))
                     #'(lambda (step)
                         (let* ((product (loop with product = 1
                                               for i from 1 to step
                                               do (setf product (* product (mu i)))
                                               finally (return product))))
                           (list (/ (- 1 (mu step)) (- 1 product))
                                 (/ (mu (1+ step)) (- 1 (* product (mu (1+ step)))))
                                 (- 1 (expt beta2 step))))))))

(defun RAdam (&key (lr 1d-3) (beta1 0.9d0) (beta2 0.999d0) (eps 1d-8) (weight-decay 0d0) maximize)
  "Adam that waits with the division until the root mean square can be trusted."
  (let ((limit (- (/ 2 (- 1 beta2)) 1)))
    (optimizer-maker
     lr 2
     #'(lambda (p g rate scalars m v)
         (destructuring-bind (correction1 correction2 plain rectified) scalars
           (let* ((g (decayed g p weight-decay maximize))
                  (m (mix m g beta1))
                  (v (mix v (!square g) beta2))
                  (step (!div m correction1))
                  (scaled (!div (!mul step correction2) (!add (!sqrt v) eps))))
             (values (!sub p (!mul rate (!add (!mul step plain) (!mul scaled rectified))))
                     m v))))
     #'(lambda (step)
         (let* ((decay (expt beta2 step))
                (length (- limit (/ (* 2 step decay) (- 1 decay))))
                (trusted (> length 5)))
           (list (- 1 (expt beta1 step))
                 (sqrt (- 1 decay))
                 (if trusted 0 1)
                 (if trusted
                     (sqrt (/ (* (- length 4) (- length 2) limit)
                              (* (- limit 4) (- limit 2) length)))
                     0)))))))

(defun Rprop (&key (lr 1d-2) (eta-minus 0.5d0) (eta-plus 1.2d0) (min-step 1d-6) (max-step 50d0)
                maximize)
  "Steps of their own size per element, which grow while the gradient keeps its sign."
  (optimizer-maker
   lr (list 0.0 lr)
   #'(lambda (p g rate scalars previous size)
       (declare (ignore scalars rate))
       (let* ((g (if maximize (!neg g) g))
              (agreement (!mul g previous))
              (factor (!where (!> agreement 0.0) eta-plus
                              (!where (!< agreement 0.0) eta-minus (!add 1.0 (!mul agreement 0.0)))))
              (size (!clip (!mul size factor) min-step max-step))
              (g (!where (!< agreement 0.0) 0.0 g)))
         (values (!sub p (!mul (!signum g) size)) g size)))))
