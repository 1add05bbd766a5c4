(defgeneric area (shape))
(defmethod area ((shape number) scale) ;; error: required
  (* shape scale))
