// CL-PPCRE: what is built on scan (ppcre.cpp).
#include "frontend/builtins/lisp_text.h"
#include "frontend/builtins/tables.h"

namespace caten::lisp {
namespace {

constexpr const char* kScan = R"lisp(
(lambda (regex target &key (start 0) end real-start-pos)
  (declare (ignore real-start-pos))
  (%regex-scan regex target start start end))
)lisp";

constexpr const char* kScanToStrings = R"lisp(
(lambda (regex target &key (start 0) end sharedp)
  (declare (ignore sharedp))
  (multiple-value-bind (from to starts ends) (%regex-scan regex target start start end)
    (when from
      (values (subseq target from to)
              (map 'vector (lambda (s e) (and s (subseq target s e))) starts ends)))))
)lisp";

/// (%map-matches function regex target start end): calls the function for every match with start,
/// end, starts and ends of the groups. After an empty match the next starts a character later.
constexpr const char* kMapMatches = R"lisp(
(lambda (function regex target start end)
  (let ((end (or end (length target))) (at start))
    (loop
      (when (> at end) (return))
      (multiple-value-bind (from to starts ends) (%regex-scan regex target start at end)
        (unless from (return))
        (funcall function from to starts ends)
        (setq at (if (= from to) (1+ to) to))))))
)lisp";

constexpr const char* kAllMatches = R"lisp(
(lambda (regex target &key (start 0) end)
  (let ((out nil))
    (%map-matches (lambda (from to starts ends)
                    (declare (ignore starts ends))
                    (push from out)
                    (push to out))
                  regex target start end)
    (nreverse out)))
)lisp";

constexpr const char* kAllMatchesAsStrings = R"lisp(
(lambda (regex target &key (start 0) end sharedp)
  (declare (ignore sharedp))
  (let ((out nil))
    (%map-matches (lambda (from to starts ends)
                    (declare (ignore starts ends))
                    (push (subseq target from to) out))
                  regex target start end)
    (nreverse out)))
)lisp";

constexpr const char* kCountMatches = R"lisp(
(lambda (regex target &key (start 0) end)
  (let ((count 0))
    (%map-matches (lambda (from to starts ends)
                    (declare (ignore from to starts ends))
                    (incf count))
                  regex target start end)
    count))
)lisp";

// As Perl's: an empty match next to the last one does not split; empty strings at the end are
// dropped unless there is a limit.
constexpr const char* kSplit = R"lisp(
(lambda (regex target &key (start 0) (end (length target)) limit with-registers-p
                           omit-unmatched-p sharedp)
  (declare (ignore sharedp))
  (let ((parts nil) (last start) (count 0) (limit (if (eql limit 0) nil limit)))
    (block scan
      (%map-matches
        (lambda (from to starts ends)
          (unless (and (= from to) (= from last))
            (when (and limit (plusp limit) (>= (incf count) limit)) (return-from scan))
            (push (subseq target last from) parts)
            (setq last to)
            (when with-registers-p
              (loop for s across starts
                    for e across ends
                    do (cond (s (push (subseq target s e) parts))
                             ((not omit-unmatched-p) (push nil parts)))))))
        regex target start end))
    (push (subseq target last end) parts)
    (unless limit
      (loop while (and parts (or (null (car parts)) (string= (car parts) ""))) do (pop parts)))
    (nreverse parts)))
)lisp";

/// (%replacement-parts replacement): strings, group numbers, :match, :before-match, :after-match
/// and functions. `\\1`, `\\{1}`, `\\&`, `` \\` `` and `\\'` in a string stand for what they do in
/// Perl.
constexpr const char* kReplacementParts = R"lisp(
(lambda (replacement)
  (etypecase replacement
    (list (mapcar (lambda (part) (if (integerp part) (1+ part) part)) replacement))
    ((or function symbol) (list replacement))
    (string
     (let ((out nil) (at 0))
       (%map-matches
         (lambda (from to starts ends)
           (declare (ignore ends))
           (when (< at from) (push (subseq replacement at from) out))
           (setq at to)
           (let ((c (char replacement (1+ from))))
             (push (case c
                     (#\\ "\\")
                     (#\& :match)
                     (#\` :before-match)
                     (#\' :after-match)
                     (t (parse-integer replacement :start (if (svref starts 0) (+ from 2) (1+ from))
                                                   :end (if (svref starts 0) (1- to) to))))
                   out)))
         "\\\\(?:[\\\\&`']|\\d+|(\\{\\d+\\}))" replacement 0 nil)
       (when (< at (length replacement)) (push (subseq replacement at) out))
       (nreverse out)))))
)lisp";

/// (%write-replacement out parts target start end from to starts ends simple-calls)
constexpr const char* kWriteReplacement = R"lisp(
(lambda (out parts target start end from to starts ends simple-calls)
  (dolist (part parts)
    (cond ((stringp part) (write-string part out))
          ((eq part :match) (write-string target out :start from :end to))
          ((eq part :before-match) (write-string target out :start start :end from))
          ((eq part :after-match) (write-string target out :start to :end end))
          ((integerp part)
           (unless (<= 1 part (length starts))
             (error "the replacement names group ~d; the regular expression has ~d"
                    part (length starts)))
           (let ((s (svref starts (1- part))) (e (svref ends (1- part))))
             (when s (write-string target out :start s :end e))))
          (simple-calls
           (write-string (apply part (subseq target from to)
                                (map 'list (lambda (s e) (and s (subseq target s e)))
                                     starts ends))
                         out))
          (t (write-string (funcall part target start end from to starts ends) out)))))
)lisp";

constexpr const char* kRegexReplace = R"lisp(
(lambda (regex target replacement &key (start 0) (end (length target)) preserve-case simple-calls
                                       element-type)
  (declare (ignore element-type))
  (when preserve-case (error "`:preserve-case` is not supported"))
  (multiple-value-bind (from to starts ends) (%regex-scan regex target start start end)
    (if from
        (values (with-output-to-string (out)
                  (write-string target out :start start :end from)
                  (%write-replacement out (%replacement-parts replacement) target start end
                                      from to starts ends simple-calls)
                  (write-string target out :start to :end end))
                t)
        (values (subseq target start end) nil))))
)lisp";

constexpr const char* kRegexReplaceAll = R"lisp(
(lambda (regex target replacement &key (start 0) (end (length target)) preserve-case simple-calls
                                       element-type)
  (declare (ignore element-type))
  (when preserve-case (error "`:preserve-case` is not supported"))
  (let ((parts (%replacement-parts replacement)) (at start) (matched nil))
    (values (with-output-to-string (out)
              (%map-matches
                (lambda (from to starts ends)
                  (write-string target out :start at :end from)
                  (setq at to matched t)
                  (%write-replacement out parts target start end from to starts ends
                                      simple-calls))
                regex target start end)
              (write-string target out :start at :end end))
            matched)))
)lisp";

// --- macros -----------------------------------------------------------------------------------

constexpr const char* kDoScans = R"lisp(
(lambda (form)
  (destructuring-bind ((from to starts ends regex target &optional result
                        &key (start 0) end)
                       &rest body)
      (cdr form)
    `(block nil
       (%map-matches (lambda (,from ,to ,starts ,ends)
                       (declare (ignorable ,from ,to ,starts ,ends))
                       ,@body)
                     ,regex ,target ,start ,end)
       ,result)))
)lisp";

constexpr const char* kDoMatches = R"lisp(
(lambda (form)
  (destructuring-bind ((from to regex target &optional result &key (start 0) end) &rest body)
      (cdr form)
    (let ((starts (gensym "STARTS")) (ends (gensym "ENDS")))
      `(cl-ppcre:do-scans (,from ,to ,starts ,ends ,regex ,target ,result :start ,start :end ,end)
         ,@body))))
)lisp";

constexpr const char* kDoMatchesAsStrings = R"lisp(
(lambda (form)
  (destructuring-bind ((match regex target &optional result &key (start 0) end sharedp) &rest body)
      (cdr form)
    (declare (ignore sharedp))
    (let ((from (gensym "FROM")) (to (gensym "TO")) (string (gensym "TARGET")))
      `(let ((,string ,target))
         (cl-ppcre:do-matches (,from ,to ,regex ,string ,result :start ,start :end ,end)
           (let ((,match (subseq ,string ,from ,to))) ,@body))))))
)lisp";

/// (%group-bindings variables target starts ends): variables are symbols, NIL, or (function
/// variable...).
constexpr const char* kGroupBindings = R"lisp(
(lambda (variables target starts ends)
  (let ((index -1) (bindings nil))
    (flet ((add (variable function)
             (incf index)
             (when variable
               (push `(,variable
                       (let ((s (svref ,starts ,index)))
                         (and s (,@(if function `(funcall ,function) '(identity))
                                 (subseq ,target s (svref ,ends ,index))))))
                     bindings))))
      (dolist (variable variables)
        (if (consp variable)
            (dolist (one (cdr variable))
              (add one (let ((f (car variable))) (if (symbolp f) `(function ,f) f))))
            (add variable nil))))
    (nreverse bindings)))
)lisp";

constexpr const char* kRegisterGroupsBind = R"lisp(
(lambda (form)
  (destructuring-bind (variables (regex target &key (start 0) end sharedp) &rest body) (cdr form)
    (declare (ignore sharedp))
    (let ((from (gensym "FROM")) (to (gensym "TO")) (starts (gensym "STARTS"))
          (ends (gensym "ENDS")) (string (gensym "TARGET")) (first (gensym "START")))
      `(let ((,string ,target) (,first ,start))
         (multiple-value-bind (,from ,to ,starts ,ends)
             (%regex-scan ,regex ,string ,first ,first ,end)
           (declare (ignorable ,to ,starts ,ends))
           (when ,from
             (let* ,(%group-bindings variables string starts ends) ,@body)))))))
)lisp";

constexpr const char* kDoRegisterGroups = R"lisp(
(lambda (form)
  (destructuring-bind (variables (regex target &optional result &key (start 0) end sharedp)
                       &rest body)
      (cdr form)
    (declare (ignore sharedp))
    (let ((from (gensym "FROM")) (to (gensym "TO")) (starts (gensym "STARTS"))
          (ends (gensym "ENDS")) (string (gensym "TARGET")))
      `(let ((,string ,target))
         (cl-ppcre:do-scans (,from ,to ,starts ,ends ,regex ,string ,result
                             :start ,start :end ,end)
           (let* ,(%group-bindings variables string starts ends) ,@body))))))
)lisp";

// clang-format off
constexpr Builtin kTextBuiltins[] = {
    // name                   package     min max doc                                                 function
    {"SCAN",                  "CL-PPCRE", 2,  -1, "start and end of a match and of its groups",       run_text<kScan>},
    {"SCAN-TO-STRINGS",       "CL-PPCRE", 2,  -1, "the text of a match and of its groups",            run_text<kScanToStrings>},
    {"ALL-MATCHES",           "CL-PPCRE", 2,  -1, "the starts and ends of all matches",               run_text<kAllMatches>},
    {"ALL-MATCHES-AS-STRINGS", "CL-PPCRE", 2, -1, "the texts of all matches",                         run_text<kAllMatchesAsStrings>},
    {"COUNT-MATCHES",         "CL-PPCRE", 2,  -1, "the number of matches",                            run_text<kCountMatches>},
    {"SPLIT",                 "CL-PPCRE", 2,  -1, "the parts of a string between matches",            run_text<kSplit>},
    {"REGEX-REPLACE",         "CL-PPCRE", 3,  -1, "the string with the first match replaced",         run_text<kRegexReplace>},
    {"REGEX-REPLACE-ALL",     "CL-PPCRE", 3,  -1, "the string with all matches replaced",             run_text<kRegexReplaceAll>},
    {"%MAP-MATCHES",          "CATEN",    5,  5,  "function, regex, string, start, end",              run_text<kMapMatches>},
    {"%REPLACEMENT-PARTS",    "CATEN",    1,  1,  "a replacement taken apart",                        run_text<kReplacementParts>},
    {"%WRITE-REPLACEMENT",    "CATEN",    10, 10, "writes a replacement",                             run_text<kWriteReplacement>},
    {"%GROUP-BINDINGS",       "CATEN",    4,  4,  "the bindings of register-groups-bind",             run_text<kGroupBindings>},
};

constexpr MacroRow kTextMacros[] = {
    {"DO-SCANS",              "CL-PPCRE", "evaluates forms for every match and its groups",            expand_text<kDoScans>},
    {"DO-MATCHES",            "CL-PPCRE", "evaluates forms for the start and end of every match",      expand_text<kDoMatches>},
    {"DO-MATCHES-AS-STRINGS", "CL-PPCRE", "evaluates forms for the text of every match",               expand_text<kDoMatchesAsStrings>},
    {"DO-REGISTER-GROUPS",    "CL-PPCRE", "evaluates forms with the groups of every match bound",      expand_text<kDoRegisterGroups>},
    {"REGISTER-GROUPS-BIND",  "CL-PPCRE", "evaluates forms with the groups of a match bound",          expand_text<kRegisterGroupsBind>},
};
// clang-format on

}  // namespace

std::span<const Builtin> ppcre_text_builtins() {
  return kTextBuiltins;
}
std::span<const MacroRow> ppcre_macros() {
  return kTextMacros;
}

}  // namespace caten::lisp
