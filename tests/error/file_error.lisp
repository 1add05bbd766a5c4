;;; file-error: no-such-weights.npy: error:
(load-npy "no-such-weights.npy")
