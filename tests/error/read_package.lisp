(print (no-such-package:car '(1))) ;; error: no-such-package
