;;; Chapter: streams, reading, files.
(with-input-from-string (s "hello world") (list (read-char s) (read-char s) (peek-char nil s) (read-char s)))
;=> (#\h #\e #\l #\l)
(with-input-from-string (s "a b") (read-char s) (peek-char t s))
;=> #\b
(with-input-from-string (s "abc") (peek-char #\c s))
;=> #\c
(with-input-from-string (s "ab") (read-char s) (unread-char #\a s) (read-char s))
;=> #\a
(with-input-from-string (s "line1
line2") (list (multiple-value-list (read-line s)) (multiple-value-list (read-line s)) (read-line s nil :eof)))
;=> (("line1" NIL) ("line2" T) :EOF)
(with-input-from-string (s "") (read-line s))
;!> END-OF-FILE
(with-input-from-string (s "") (read-char s))
;!> END-OF-FILE
(with-input-from-string (s "") (read-char s nil 'end))
;=> END
(with-input-from-string (s "") (read s nil 'end))
;=> END
(with-input-from-string (s "") (read s))
;!> END-OF-FILE
(with-input-from-string (s "1 (2 3) foo \"bar\"") (list (read s) (read s) (read s) (read s)))
;=> (1 (2 3) FOO "bar")
(with-input-from-string (s "1 2") (read s) (read-char s))
;=> #\2
(with-input-from-string (s "abcdef" :start 2 :end 4) (read-line s))
;=> "cd"
;=> T
(let (i) (list (with-input-from-string (s "abc def" :index i) (read s)) i))
;=> (ABC 4)
(read-from-string "(1 2 . 3)")
;=> (1 2 . 3)
;=> 9
(multiple-value-list (read-from-string "foo bar"))
;=> (FOO 4)
(multiple-value-list (read-from-string "abc def" t nil :start 3))
;=> (DEF 7)
(read-from-string "")
;!> END-OF-FILE
(read-from-string "" nil 'none)
;=> NONE
;=> 0
(read-from-string "(1 2")
;!> END-OF-FILE
(read-from-string "'a")
;=> 'A
;=> 2
(read-from-string "#'car")
;=> #'CAR
;=> 5
(read-from-string "#(1 2)")
;=> #(1 2)
;=> 6
(read-from-string "#\\a")
;=> #\a
;=> 3
(read-from-string ":kw")
;=> :KW
;=> 3
(read-from-string "\"a\\\"b\"")
;=> "a\"b"
;=> 6
(read-from-string "; comment
5")
;=> 5
;=> 11
(read-from-string "#|x|# 7")
;=> 7
;=> 7
(read-from-string "1/2")
;=> 1/2
;=> 3
(read-from-string "1.5d0")
;=> 1.5d0
;=> 5
(read-from-string "|a b|")
;=> |a b|
;=> 5
(with-output-to-string (s) (write-line "a" s) (write-char #\b s) (terpri s) (write-string "c" s))
;=> "a\nb\nc"
(with-open-stream (s (make-string-input-stream "xy")) (read-char s))
;=> #\x
(let ((s (make-string-input-stream "xy"))) (close s) (open-stream-p s))
;=> NIL
(list (streamp *standard-output*) (streamp 5) (input-stream-p (make-string-input-stream "")) (output-stream-p (make-string-output-stream)))
;=> (T NIL T T)
(let ((path "/tmp/catenc-corpus-file.txt")) (with-open-file (s path :direction :output :if-exists :supersede) (write-line "one" s) (format s "two~%")) (with-open-file (s path) (list (read-line s) (read-line s) (read-line s nil))))
;=> ("one" "two" NIL)
(let ((path "/tmp/catenc-corpus-file.txt")) (with-open-file (s path :direction :output :if-exists :append) (write-string "three" s)) (with-open-file (s path) (loop for l = (read-line s nil) while l collect l)))
;=> ("one" "two" "three")
(let ((path "/tmp/catenc-corpus-file.txt")) (not (null (probe-file path))))
;=> T
(with-open-file (s "/tmp/catenc-corpus-file.txt" :direction :output) 1)
;!> FILE-ERROR
(with-open-file (s "/tmp/catenc-corpus-file.txt" :direction :output :if-exists nil) s)
;=> NIL
(let ((path "/tmp/catenc-corpus-file.txt")) (delete-file path) (probe-file path))
;=> NIL
(open "/tmp/no-such-catenc-file.txt")
;!> FILE-ERROR
(open "/tmp/no-such-catenc-file.txt" :if-does-not-exist nil)
;=> NIL
(with-open-file (s "/tmp/no-such-catenc-file.txt" :if-does-not-exist nil) s)
;=> NIL
(delete-file "/tmp/no-such-catenc-file.txt")
;!> FILE-ERROR
(let ((p "/tmp/catenc-corpus-bytes.bin")) (with-open-file (s p :direction :output :if-exists :supersede :element-type '(unsigned-byte 8)) (write-byte 200 s) (write-byte 7 s)) (prog1 (with-open-file (s p :element-type '(unsigned-byte 8)) (list (read-byte s) (read-byte s) (read-byte s nil :eof))) (delete-file p)))
;=> (200 7 :EOF)
(integerp (get-universal-time))
;=> T
(integerp (get-internal-real-time))
;=> T
(read-char 5)
;!> TYPE-ERROR
(write-string 5)
;!> TYPE-ERROR
(write-char "a")
;!> TYPE-ERROR
(let ((v (make-array 3 :initial-element nil))) (with-input-from-string (s "ab") (list (read-sequence v s) v)))
;=> (2 #(#\a #\b NIL))
(with-output-to-string (s) (write-sequence '(#\a #\b) s))
;=> "ab"
(let ((s (make-broadcast-stream))) (write-string "x" s))
;=> "x"
(with-output-to-string (a) (let ((s (make-broadcast-stream a a))) (write-string "x" s)))
;=> "xx"
(with-standard-io-syntax (prin1-to-string '(1 "a")))
;=> "(1 \"a\")"
(let ((s (make-array 0 :element-type 'character :fill-pointer 0 :adjustable t))) (with-output-to-string (o s) (write-string "abc" o)) s)
;=> "abc"
(with-input-from-string (s "12 34") (list (read-preserving-whitespace s) (read-char s) (read s)))
;=> (12 #\  34)
(with-input-from-string (s "12 34") (list (read s) (read-char s) (read s)))
;=> (12 #\3 4)
