;;; Chapter: bytes of integers and bit arrays.
(ldb (byte 4 0) 255)
;=> 15
(ldb (byte 4 4) 171)
;=> 10
(ldb (byte 8 4) -1)
;=> 255
(ldb (byte 0 3) 255)
;=> 0
(ldb (byte 5 60) 1)
;=> 0
(ldb (byte 5 100) -1)
;=> 31
(dpb 5 (byte 4 0) 255)
;=> 245
(dpb 1 (byte 1 10) 0)
;=> 1024
(dpb -1 (byte 4 4) 0)
;=> 240
(dpb 0 (byte 8 0) -1)
;=> -256
(ldb-test (byte 2 1) 6)
;=> T
(ldb-test (byte 2 1) 9)
;=> NIL
(mask-field (byte 4 4) 255)
;=> 240
(deposit-field 255 (byte 4 4) 0)
;=> 240
(list (byte-size (byte 3 5)) (byte-position (byte 3 5)))
;=> (3 5)
(let ((x 0)) (setf (ldb (byte 4 4) x) 15) x)
;=> 240
(ldb 5 1)
;!> TYPE-ERROR
(ldb (byte 2 0) 1.5)
;!> TYPE-ERROR
(byte -1 0)
;!> TYPE-ERROR
(let ((a (make-array 4 :element-type 'bit :initial-contents '(1 1 0 0))) (b (make-array 4 :element-type 'bit :initial-contents '(1 0 1 0)))) (list (bit-and a b) (bit-ior a b) (bit-xor a b) (bit-eqv a b) (bit-nand a b) (bit-nor a b) (bit-andc1 a b) (bit-andc2 a b) (bit-orc1 a b) (bit-orc2 a b) (bit-not a)))
;=> (#*1000 #*1110 #*0110 #*1001 #*0111 #*0001 #*0010 #*0100 #*1011 #*1101 #*0011)
(let ((a (make-array 2 :element-type 'bit :initial-contents '(1 0)))) (bit-not a t) a)
;=> #*01
(bit-and (make-array 2 :element-type 'bit) (make-array 3 :element-type 'bit))
;!> ERROR
(bit-and 1 2)
;!> TYPE-ERROR
(setf (aref (make-array 2 :element-type 'bit) 0) 5)
;!> TYPE-ERROR
(list (bit-vector-p (make-array 2 :element-type 'bit)) (bit-vector-p #(0 1)))
;=> (T NIL)
(let ((v (make-array 3 :element-type 'bit :initial-element 0))) (setf (bit v 1) 1) v)
;=> #*010
(count 1 (make-array 3 :element-type 'bit :initial-contents '(1 0 1)))
;=> 2
