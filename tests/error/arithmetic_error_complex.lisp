(print (sqrt -4)) ;; error: complex
