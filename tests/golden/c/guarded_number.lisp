; A part of a concatenation that is computed from an index which divides by a size: where n is 0
; the part is empty, and nothing may divide by n.
(defentry numbers ((a (2)))
  (!concatenate 0 a (!reshape (!expand (ax+b '(1 n) 1 0) '(3 n)) '((* 3 n)))))
;;; expect
sh: 1: build/quick/bin/catenc: not found
