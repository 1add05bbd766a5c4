;;;; Random numbers, with NumPy's results: written by tests/oracle/numpy_ops.py.

(deftest streams
  (check-tensor (with-manual-seed (1099635084565) (rand '(7)))
                :float32 '(7) '(0.33499044 0.8190106 0.94791424 0.6558564 0.5280238 0.5565776 0.073366046))
  (check-tensor (with-manual-seed (1099635084565) (rand '(7)) (rand '(2 2)))
                :float32 '(2 2) '(0.954044 0.9548458 0.4543596 0.56576097))
  (check-tensor (with-manual-seed (1099635084565) (rand '(3)) (randn '(5)))
                :float32 '(5) '(-1.1488026 0.16284525 2.3827415 -1.0080916 2.4700642) 1e-5)
  (check-tensor (with-manual-seed (7) (randn '(2)) (uniform '(3) :low -1.0 :high 3.0))
                :float32 '(3) '(-0.62014437 -0.7069726 -0.31936264))
  (check-tensor (with-manual-seed (7) (normal '(4) :mean 2.0 :std 0.5))
                :float32 '(4) '(1.8990154 1.7149407 2.200115 2.3049684) 1e-5)
  (check-tensor (with-manual-seed (9) (randint '(6) -5 1000003))
                :int64 '(6) '(684154 863383 174202 725990 318393 341243))
  (check-tensor (with-manual-seed (9) (rand '(3) :dtype :float64))
                :float64 '(3) '(0.6841537356376648d0 0.43557804822921753d0 0.8633814454078674d0))
  (check-tensor (with-manual-seed (9) (rand '(5) :dtype :float16))
                :float16 '(5) '(0.68408203 0.43554688 0.86328125 0.79248047 0.17382812)))

(deftest refused
  (ok (signals (!rand '(3) :dtype :int8)))
  (ok (signals (!randint '(3) 2 2))))
