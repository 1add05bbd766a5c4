(intern "A" "NO-SUCH-PACKAGE") ;; error: NO-SUCH-PACKAGE
