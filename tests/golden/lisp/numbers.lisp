;;; Chapter: integers, ratios and mixed arithmetic.

;; the four operations
(list (+) (+ 1) (+ 1 2 3) (*) (* 2 3 4) (- 5) (- 5 2 1) (/ 2) (/ 6 3) (/ 1 3) (/ 6 4))
;=> (0 1 6 1 24 -5 2 1/2 2 1/3 3/2)
(+ 1 2.0)
;=> 3.0
(+ 1/2 1/3)
;=> 5/6
(+ 1/2 0.5)
;=> 1.0
(+ 1.0 2.0d0)
;=> 3.0d0
(- 1/2)
;=> -1/2
(* 2/3 3/2)
;=> 1
(* 2/3 3)
;=> 2
(/ 4 2 2)
;=> 1
(/ -6 4)
;=> -3/2
(/ 1.0 3)
;=> 0.33333334
(/ 1 3.0d0)
;=> 0.3333333333333333d0
(/ 5 0)
;!> DIVISION-BY-ZERO
(/ 0)
;!> DIVISION-BY-ZERO
(/ 1.0 0)
;!> DIVISION-BY-ZERO
(/ 1.0 0.0)
;!> DIVISION-BY-ZERO
(+ 'a 1)
;!> TYPE-ERROR
(- "1")
;!> TYPE-ERROR
(*  2 nil)
;!> TYPE-ERROR
(list (1+ 5) (1- 5) (1+ 1/2) (1- 0.5))
;=> (6 4 3/2 -0.5)
(1+ 'a)
;!> TYPE-ERROR
(- 0.0)
;=> -0.0
(- 0)
;=> 0
(+ 0.1 0.2)
;=> 0.3
(+ 0.1d0 0.2d0)
;=> 0.30000000000000004d0
(* 1.5 2)
;=> 3.0
(- 1 1/2 0.25)
;=> 0.25

;; comparison
(list (= 1 1.0) (= 1 1 1) (= 1 2) (/= 1 2 3) (/= 1 2 1) (< 1 2 3) (< 1 3 2) (> 3 2 1) (<= 1 1 2) (>= 2 1 1))
;=> (T T NIL T NIL T NIL T T T)
(list (= 1/2 0.5) (< 1/3 0.34) (> 1/3 0.33) (= 0.0 -0.0) (= 1/3 0.33333334) (= 16777217 1.6777216e7))
;=> (T T T T NIL NIL)
(= 1 'a)
;!> TYPE-ERROR
(< 1 nil)
;!> TYPE-ERROR
(=)
;!> PROGRAM-ERROR
(list (max 1 2 3) (min 1 2 3) (max 1 2.0) (min 1 2.0) (max 1/2 1/3) (max 3 2.0) (min 1 1.0))
;=> (3 1 2.0 1 1/2 3 1)
(max)
;!> PROGRAM-ERROR
(max 1 'a)
;!> TYPE-ERROR
(list (zerop 0) (zerop 0.0) (zerop -0.0) (plusp 1) (minusp -1) (minusp -0.0) (evenp 4) (oddp 3) (evenp -2) (oddp -3))
;=> (T T T T T NIL T T T T)
(evenp 1.0)
;!> TYPE-ERROR
(zerop 'a)
;!> TYPE-ERROR

;; division with quotient and remainder
(floor 7 2)
;=> 3
;=> 1
(floor -7 2)
;=> -4
;=> 1
(floor 7 -2)
;=> -4
;=> -1
(floor -7 -2)
;=> 3
;=> -1
(ceiling 7 2)
;=> 4
;=> -1
(ceiling -7 2)
;=> -3
;=> -1
(truncate 7 2)
;=> 3
;=> 1
(truncate -7 2)
;=> -3
;=> -1
(round 7 2)
;=> 4
;=> -1
(round 5 2)
;=> 2
;=> 1
(round -5 2)
;=> -2
;=> -1
(round -7 2)
;=> -4
;=> 1
(floor 7.5)
;=> 7
;=> 0.5
(floor -7.5)
;=> -8
;=> 0.5
(ceiling 7.5)
;=> 8
;=> -0.5
(truncate -7.5)
;=> -7
;=> -0.5
(round 7.5)
;=> 8
;=> -0.5
(round 6.5)
;=> 6
;=> 0.5
(round -2.5)
;=> -2
;=> -0.5
(floor 7/2)
;=> 3
;=> 1/2
(round 5/2)
;=> 2
;=> 1/2
(round 7/2)
;=> 4
;=> -1/2
(truncate 7.5 2)
;=> 3
;=> 1.5
(floor 7 2.0)
;=> 3
;=> 1.0
(floor 7.5d0 2)
;=> 3
;=> 1.5d0
(floor 1/2 1/3)
;=> 1
;=> 1/6
(ceiling 1/2 1/3)
;=> 2
;=> -1/6
(floor 5)
;=> 5
;=> 0
(floor 5 0)
;!> DIVISION-BY-ZERO
(floor 5 0.0)
;!> DIVISION-BY-ZERO
(ffloor 7 2)
;=> 3.0
;=> 1
(ffloor 7.5)
;=> 7.0
;=> 0.5
(fceiling 7.5)
;=> 8.0
;=> -0.5
(ftruncate -7.5)
;=> -7.0
;=> -0.5
(fround 7.5)
;=> 8.0
;=> -0.5
(fround 2.5d0)
;=> 2.0d0
;=> 0.5d0
(ffloor -7 2.0)
;=> -4.0
;=> 1.0
(ftruncate 7.5 2)
;=> 3.0
;=> 1.5
(mod 7 3)
;=> 1
(mod -7 3)
;=> 2
(mod 7 -3)
;=> -2
(mod -7.5 2)
;=> 0.5
(mod 5 1/2)
;=> 0
(rem 7 3)
;=> 1
(rem -7 3)
;=> -1
(rem 7 -3)
;=> 1
(rem -7.5 2)
;=> -1.5
(mod 5 0)
;!> DIVISION-BY-ZERO
(rem 5 0)
;!> DIVISION-BY-ZERO
(floor 'a)
;!> TYPE-ERROR
(floor 1e10)
;=> 10000000000
;=> 0.0
(round 1d15)
;=> 1000000000000000
;=> 0.0d0

;; integers
(list (abs -5) (abs 5.5) (abs -1/2) (signum -5) (signum 0) (signum -2.5) (signum 1/2))
;=> (5 5.5 1/2 -1 0 -1.0 1)
(list (gcd) (gcd 12) (gcd 12 18) (gcd -12 18 27) (gcd 0 5) (lcm) (lcm 4 6) (lcm 3) (lcm 0 5) (lcm -4 6))
;=> (0 12 6 3 5 1 12 3 0 12)
(gcd 1.5 2)
;!> TYPE-ERROR
(list (isqrt 17) (isqrt 0) (isqrt 16))
;=> (4 0 4)
(isqrt -1)
;!> TYPE-ERROR
(list (logand) (logand 12 10) (logior) (logior 12 10) (logxor 12 10) (lognot 5) (logand -1 7) (logeqv 5 3) (lognand 5 3) (lognor 5 3))
;=> (-1 8 0 14 6 -6 7 -7 -2 -8)
(list (logandc1 12 10) (logandc2 12 10) (logorc1 12 10) (logorc2 12 10) (logtest 1 3) (logtest 4 3))
;=> (2 4 -5 -3 T NIL)
(list (ash 1 4) (ash 16 -2) (ash -1 -5) (ash 5 0) (ash 1 -100) (ash -8 -100) (ash 0 200))
;=> (16 4 -1 5 0 -1 0)
(list (logbitp 0 5) (logbitp 1 5) (logbitp 100 -1) (logbitp 62 1) (logcount 7) (logcount -1) (logcount 255) (logcount -8))
;=> (T NIL T NIL 3 0 8 3)
(list (integer-length 0) (integer-length 7) (integer-length 8) (integer-length -1) (integer-length -8) (integer-length -9))
;=> (0 3 4 0 3 4)
(logand 1.0 2)
;!> TYPE-ERROR
(ash 1 1.0)
;!> ERROR
(list (numerator 6/4) (denominator 6/4) (numerator 5) (denominator 5) (numerator -1/2))
;=> (3 2 5 1 -1)
(numerator 0.5)
;!> TYPE-ERROR
(list (numberp 1) (numberp 'a) (integerp 1) (integerp 1.0) (rationalp 1/2) (rationalp 1.0) (floatp 1.0) (floatp 1) (realp 1/2) (complexp 1))
;=> (T NIL T NIL T NIL T NIL T NIL)
(list 1/2 -3/4 4/2 10/4)
;=> (1/2 -3/4 2 5/2)
(list #b101 #o17 #xff #x-1A #3r21 1. -5.)
;=> (5 15 255 -26 7 1 -5)
(list most-positive-fixnum most-negative-fixnum)
;=> (4611686018427387903 -4611686018427387904)
(expt 2 10)
;=> 1024
(expt 2 62)
;=> 4611686018427387904
(expt 2 -2)
;=> 1/4
(expt 2/3 2)
;=> 4/9
(expt 2/3 -2)
;=> 9/4
(expt 0 0)
;=> 1
(expt 5 0)
;=> 1
(expt 0 5)
;=> 0
(expt -2 3)
;=> -8
(expt 1 1000000)
;=> 1
(expt -1 1000001)
;=> -1
(expt 2.0 3)
;=> 8.0
(expt 2 0.5)
;=> 1.4142135
(expt 2 3.0)
;=> 8.0
(expt 2d0 0.5)
;=> 1.4142135623730951d0
(expt 4 1/2)
;=> 2.0
(expt 0.0 0)
;=> 1.0
(expt 2.0 -1)
;=> 0.5
(expt 0 -1)
;!> DIVISION-BY-ZERO
(expt 0.0 2)
;=> 0.0
(expt 2 'a)
;!> TYPE-ERROR
(list (min 1 2 3) (apply #'min '(4 2 8)) (reduce #'max '(1 5 3)))
;=> (1 2 5)

;; what int64 cannot hold
;departs: integers are 64 bits wide and overflow is an error
(expt 2 64)
;!> ARITHMETIC-ERROR
;departs: integers are 64 bits wide and overflow is an error
(* 4611686018427387904 2)
;!> ARITHMETIC-ERROR
;departs: integers are 64 bits wide and overflow is an error
(+ 9223372036854775807 1)
;!> ARITHMETIC-ERROR
;departs: integers are 64 bits wide and overflow is an error
(- -9223372036854775808)
;!> ARITHMETIC-ERROR
;departs: integers are 64 bits wide and overflow is an error
(abs -9223372036854775808)
;!> ARITHMETIC-ERROR
;departs: integers are 64 bits wide and overflow is an error
(ash 1 63)
;!> ARITHMETIC-ERROR
;departs: integers are 64 bits wide and overflow is an error
(floor 1d30)
;!> ARITHMETIC-ERROR
;departs: complex numbers are refused
(sqrt -4)
;!> ARITHMETIC-ERROR
;departs: complex numbers are refused
(log -1)
;!> ARITHMETIC-ERROR
;departs: complex numbers are refused
(expt -8 1/3)
;!> ARITHMETIC-ERROR
(list (+ 9223372036854775806 1) (- -9223372036854775807 1) (* 3037000499 3037000499) (ash 1 62))
;=> (9223372036854775807 -9223372036854775808 9223372030926249001 4611686018427387904)
(floor -9223372036854775808 1)
;=> -9223372036854775808
;=> 0
(rem -9223372036854775808 -1)
;=> 0
(gcd 9223372036854775807 3)
;=> 1

;;; What arithmetic errors tell of their operation.
(defun operation-of (function) (handler-case (funcall function) (arithmetic-error (c) (list (arithmetic-error-operation c) (arithmetic-error-operands c)))))
;=> OPERATION-OF
(operation-of (lambda () (/ 5 0)))
;=> (/ (5 0))
(operation-of (lambda () (/ 0)))
;=> (/ (1 0))
(operation-of (lambda () (floor 5 0)))
;=> (/ (5 0))
(operation-of (lambda () (mod 5 0)))
;=> (/ (5 0))
(operation-of (lambda () (rem 5.0 0)))
;=> (/ (5.0 0.0))
(operation-of (lambda () (/ 1.0 0.0)))
;=> (/ (1.0 0.0))
(operation-of (lambda () (* 1e38 1e38)))
;=> (* (1.0e38 1.0e38))
(operation-of (lambda () (+ 1d308 1d308)))
;=> (+ (1.0d308 1.0d308))
(operation-of (lambda () (- -3e38 3e38)))
;=> (- (-3.0e38 3.0e38))
(operation-of (lambda () (expt 0 -1)))
;=> (EXPT (0 -1))
(operation-of (lambda () (/ 0.0 0.0)))
;=> (/ (0.0 0.0))
(let ((*read-base* 16)) (list (read-from-string "ff") (read-from-string "-1a") (read-from-string "10.") (read-from-string "a/b") (read-from-string "1e") (read-from-string "#b101") (read-from-string "xyz")))
;=> (255 -26 10 10/11 30 5 XYZ)
(let ((*read-base* 2)) (list (read-from-string "101") (read-from-string "12") (read-from-string "1.5") (read-from-string "+11/10")))
;=> (5 |12| 1.5 3/2)
