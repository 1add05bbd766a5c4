(invoke-restart 'try-again) ;; error: restart TRY-AGAIN is not active
