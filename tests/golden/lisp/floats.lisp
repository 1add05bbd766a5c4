;;; Chapter: floats and elementary functions.

;; reading and printing
(list 1.0 1.5 -0.5 0.1 100.0 1234567.0 12345678.0 0.001 0.0001 1e10 1e-10 1.5e20)
;=> (1.0 1.5 -0.5 0.1 100.0 1234567.0 1.2345678e7 0.001 1.0e-4 1.0e10 1.0e-10 1.5e20)
(list 1d0 1.5d0 0.1d0 1d7 1d-4 123456.789d0 1d100 -2.5d-8)
;=> (1.0d0 1.5d0 0.1d0 1.0d7 1.0d-4 123456.789d0 1.0d100 -2.5d-8)
(list 1f0 1s0 1l0 1e0 1.e5 .5 -.5 +.5)
;=> (1.0 1.0 1.0d0 1.0 100000.0 0.5 -0.5 0.5)
(list 3.4028235e38 1.1754944e-38 1.7976931348623157d308 2.2250738585072014d-308)
;=> (3.4028235e38 1.1754944e-38 1.7976931348623157d308 2.2250738585072014d-308)
(list 16777216.0 9999999.0 0.33333334 2.7182817 1e23 1d23)
;=> (1.6777216e7 9999999.0 0.33333334 2.7182817 1.0e23 1.0d23)
(list -0.0 0.0 -0.0d0)
;=> (-0.0 0.0 -0.0d0)
(list pi (float pi 1.0))
;=> (3.141592653589793d0 3.1415927)
(list most-positive-single-float most-negative-single-float single-float-epsilon double-float-epsilon)
;=> (3.4028235e38 -3.4028235e38 5.960465e-8 1.1102230246251568d-16)
(list least-positive-normalized-single-float least-positive-normalized-double-float most-positive-double-float)
;=> (1.1754944e-38 2.2250738585072014d-308 1.7976931348623157d308)

;; conversion
(list (float 1) (float 1/3) (float 1/3 1d0) (float 1.5 1d0) (float 1.5d0) (float 1.5d0 1.0) (float 1 2d0))
;=> (1.0 0.33333334 0.3333333333333333d0 1.5d0 1.5d0 1.5 1.0d0)
(float 'a)
;!> TYPE-ERROR
(list (coerce 1 'float) (coerce 1 'single-float) (coerce 1 'double-float) (coerce 1.5 'double-float) (coerce 1/3 'double-float) (coerce 0.1 'double-float))
;=> (1.0 1.0 1.0d0 1.5d0 0.3333333333333333d0 0.10000000149011612d0)
(coerce 1.5 'integer)
;!> TYPE-ERROR
(list (rational 0.5) (rational 0.25d0) (rational 3) (rationalize 0.1) (rationalize 0.5) (rational -1.5))
;=> (1/2 1/4 3 1/10 1/2 -3/2)
(rationalize 1/3)
;=> 1/3
(list (floor 2.7) (truncate 1e6) (round 0.5) (round 1.5))
;=> (2 1000000 0 2)
(list (float-radix 1.0) (float-digits 1.0) (float-digits 1d0) (float-sign -2.0) (float-sign -2.0 3.0) (float-precision 1.0))
;=> (2 24 53 -1.0 -3.0 24)
(multiple-value-list (decode-float 8.0))
;=> (0.5 4 1.0)
(multiple-value-list (integer-decode-float 1.5))
;=> (12582912 -23 1)
(multiple-value-list (integer-decode-float -1d0))
;=> (4503599627370496 -52 -1)
(scale-float 1.5 3)
;=> 12.0
(list (realpart 1.5) (imagpart 1.5) (conjugate 3))
;=> (1.5 0.0 3)

;; elementary functions
(list (sqrt 4) (sqrt 2) (sqrt 2d0) (sqrt 1/4) (sqrt 0) (sqrt 16.0))
;=> (2.0 1.4142135 1.4142135623730951d0 0.5 0.0 4.0)
(list (exp 0) (exp 1) (exp 1d0) (exp -1.5) (exp 1/2))
;=> (1.0 2.7182817 2.718281828459045d0 0.22313017 1.6487212)
(list (log 1) (log 10) (log 10d0) (log 8 2) (log 100 10) (log 2.718281828d0) (log 1/2) (log 8.0 2))
;=> (0.0 2.3025851 2.302585092994046d0 3.0 2.0 0.9999999998311266d0 -0.6931472 3.0)
(log 0)
;!> DIVISION-BY-ZERO
(log 0.0)
;!> DIVISION-BY-ZERO
(log 1024 2)
;=> 10.0
(log 1000 10)
;=> 3.0
(log 8d0 2d0)
;=> 3.0d0
(list (sin 0) (sin 1) (sin 1d0) (cos 0) (cos 1.0) (tan 1) (sin 1/2))
;=> (0.0 0.84147096 0.8414709848078965d0 1.0 0.5403023 1.5574077 0.47942555)
(list (asin 1) (acos 1) (atan 1) (asin 0.5d0) (acos 0.5) (atan 0.5d0))
;=> (1.5707964 0.0 0.7853982 0.5235987755982989d0 1.0471976 0.4636476090008061d0)
(list (atan 1 1) (atan 1 -1) (atan -1 0) (atan 1d0 2) (atan 0 1) (atan 0 -1) (atan 1.0 0.0))
;=> (0.7853982 2.3561945 -1.5707964 0.4636476090008061d0 0.0 3.1415927 1.5707964)
(list (sinh 1) (cosh 1) (tanh 1) (sinh 1d0) (cosh 0.5) (tanh 0.5d0))
;=> (1.1752012 1.5430807 0.7615942 1.1752011936438014d0 1.127626 0.46211715726000974d0)
(list (asinh 1) (acosh 2) (atanh 0.5) (asinh 1d0) (acosh 1.5d0) (atanh 0.5d0))
;=> (0.8813736 1.316958 0.54930615 0.881373587019543d0 0.9624236501192069d0 0.5493061443340548d0)
(list (expt 2 0.5d0) (expt 10.0 3) (expt 10d0 -3) (expt 1.1 10) (expt 0.5 2.5) (expt 2.5 1/2))
;=> (1.4142135623730951d0 1000.0 0.001d0 2.593743 0.17677669 1.5811388)
(exp 1000.0)
;!> FLOATING-POINT-OVERFLOW
(exp -1000.0)
;=> 0.0
(expt 10.0 100)
;!> FLOATING-POINT-OVERFLOW
(* 1e30 1e30)
;!> FLOATING-POINT-OVERFLOW
(* 1d300 1d300)
;!> FLOATING-POINT-OVERFLOW
(/ 1e-30 1e30)
;=> 0.0
(/ 1d0 0d0)
;!> DIVISION-BY-ZERO
(/ 0.0 0.0)
;!> FLOATING-POINT-INVALID-OPERATION
(sqrt 'a)
;!> TYPE-ERROR
(sin "x")
;!> TYPE-ERROR
(atan 'a)
;!> TYPE-ERROR
(exp nil)
;!> TYPE-ERROR
(log 2 'a)
;!> TYPE-ERROR
(list (abs -0.0) (max 1.0 2) (min 1 2.5d0) (mod 5.5 2) (mod -1.5d0 1) (rem 5.5 -2))
;=> (0.0 2 1 1.5 0.5d0 1.5)
(list (signum -0.0) (signum 2.5d0) (plusp 0.1) (minusp -1d-300))
;=> (-0.0 1.0d0 T T)
(list (= 0.1 0.1d0) (= 0.5 0.5d0) (< 0.1d0 0.1) (eql 0.0 -0.0) (eql 1.0 1.0d0) (equal 1.0 1.0) (equalp 1 1.0))
;=> (NIL T T NIL NIL T T)
(list (sin pi) (cos pi) (exp pi))
;=> (1.2246467991473532d-16 -1.0d0 23.140692632779267d0)
(list (phase 1.0) (phase -1.0))
;=> (0.0 3.1415927)
(list (1+ 0.1) (1- 0.1d0) (* 3 0.1) (* 3 0.1d0) (- 0.3 0.1) (/ 0.3d0 0.1d0))
;=> (1.1 -0.9d0 0.3 0.30000000000000004d0 0.20000002 2.9999999999999996d0)
(list (truncate 2.5 0.5) (floor -0.5) (round -0.5) (ceiling -0.5) (ffloor -0.5))
;=> (5 -1 0 0 -1.0)
(let ((x (random 10))) (and (integerp x) (<= 0 x 9)))
;=> T
(let ((x (random 1.0))) (and (typep x 'single-float) (<= 0.0 x) (< x 1.0)))
;=> T
(let ((x (random 2d0))) (and (typep x 'double-float) (<= 0d0 x) (< x 2d0)))
;=> T
(random 0)
;!> TYPE-ERROR
(random -1.5)
;!> TYPE-ERROR
(random 'a)
;!> TYPE-ERROR
(let* ((s (make-random-state nil)) (a (random 1000000 (make-random-state s))) (b (random 1000000 (make-random-state s)))) (= a b))
;=> T
(random-state-p *random-state*)
;=> T
