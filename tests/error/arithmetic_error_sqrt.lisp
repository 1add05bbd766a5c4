(print (sqrt -1.0)) ;; error: complex
