(print 1)
(print #<an object>) ;; error: #<
