(defmethod area ((side number)) (* side side))
(defmethod area ((side number)) side) ;; warning: method `area` is defined a second time
