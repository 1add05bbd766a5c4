(in-package :no-such-package) ;; error: NO-SUCH-PACKAGE
