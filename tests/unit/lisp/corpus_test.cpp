// The corpus under tests/golden/lisp: every form of a chapter is evaluated and compared with what
// SBCL answered (tests/oracle/record.lisp describes the files). One interpreter per chapter, as the
// recorder does.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "frontend/builtins/builtins.h"
#include "frontend/language.h"
#include "frontend/lisp/print.h"
#include "frontend/lisp/stream.h"

namespace caten::lisp {
namespace {

struct Entry {
  int line = 0;
  std::string form;
  std::vector<std::string> expected;  // result lines: ";=> ...", ";>> ...", ";!> ..."
};

bool is_result(std::string_view line) {
  return line.starts_with(";=> ") || line.starts_with(";>> ") || line.starts_with(";!> ");
}

/// Forms begin in the first column; the result lines that follow belong to them.
std::vector<Entry> read_entries(const std::filesystem::path& path) {
  std::vector<Entry> entries;
  std::ifstream in(path);
  std::string text;
  bool in_form = false;
  for (int line = 1; std::getline(in, text); ++line) {
    if (is_result(text)) {
      entries.back().expected.push_back(text);
      in_form = false;
    } else if (text.empty() || text[0] == ';') {
      in_form = false;
    } else if (text[0] == '(') {
      entries.push_back({line, text, {}});
      in_form = true;
    } else if (in_form) {
      entries.back().form += "\n" + text;
    }
  }
  return entries;
}

std::string one_line(const std::string& text) {
  std::string out;
  for (char c : text) {
    out += c == '\n' ? "\\n" : std::string(1, c);
  }
  return out;
}

/// The condition types of an error, most specific first, as far as the corpus names them.
constexpr const char* kConditionTypes[] = {"DIVISION-BY-ZERO",
                                           "FLOATING-POINT-OVERFLOW",
                                           "FLOATING-POINT-INVALID-OPERATION",
                                           "ARITHMETIC-ERROR",
                                           "UNBOUND-SLOT",
                                           "UNBOUND-VARIABLE",
                                           "UNDEFINED-FUNCTION",
                                           "TYPE-ERROR",
                                           "PROGRAM-ERROR",
                                           "PARSE-ERROR",
                                           "END-OF-FILE",
                                           "FILE-ERROR",
                                           "PACKAGE-ERROR",
                                           "READER-ERROR",
                                           "STREAM-ERROR",
                                           "CONTROL-ERROR",
                                           "CELL-ERROR",
                                           "ERROR"};

/// Evaluates the text of a form in Lisp, so that conditions are seen as Lisp sees them: a list of
/// the output, the printed values, or the matching condition types.
constexpr std::string_view kEvaluator = R"lisp(
(defun caten-user::corpus-answer (text types)
  (let ((out (make-string-output-stream)) (values nil) (condition nil))
    (let ((*standard-output* out))
      (handler-case (setq values (multiple-value-list (eval (read-from-string text))))
        (error (c) (setq condition c))))
    (list (get-output-stream-string out)
          (mapcar #'prin1-to-string values)
          (if condition
              (remove-if-not (lambda (type) (typep condition type)) types)
              nil)
          (if condition (princ-to-string condition) nil))))
)lisp";

class Corpus {
 public:
  Corpus() {
    install_language(interp_);
    interp_.load_text("<corpus>", std::string(kEvaluator));
    interp_.set_current_package(interp_.user_package());
    types_ = Value::nil();
    for (size_t i = std::size(kConditionTypes); i-- > 0;) {
      types_ = interp_.cons(interp_.cl(kConditionTypes[i]), types_);
    }
    interp_.permanent().push_back(types_);
    function_ = interp_.user_package().find("CORPUS-ANSWER").symbol;
  }

  /// The result lines of a form; for an error, the expected type if it is among the condition's.
  std::vector<std::string> answer(const Entry& entry) {
    const Value result = interp_.call(function_, {interp_.string(entry.form), types_});
    std::vector<std::string> lines;
    const std::string output = car(result).as<String>()->utf8();
    if (!output.empty()) {
      lines.push_back(";>> " + one_line(output));
    }
    for (Value text : list_items(cadr(result))) {
      lines.push_back(";=> " + one_line(text.as<String>()->utf8()));
    }
    const Value conditions = caddr(result);
    if (!conditions.is_nil()) {
      std::string types;
      for (Value type : list_items(conditions)) {
        const std::string line = ";!> " + interp_.print(type);
        if (!entry.expected.empty() && entry.expected.back() == line) {
          lines.push_back(line);
          return lines;
        }
        types += interp_.print(type) + " ";
      }
      lines.push_back(";!> " + types + interp_.print(car(cdr(cddr(result))), false));
    }
    return lines;
  }

 private:
  Interpreter interp_;
  Value types_;
  Value function_;
};

std::vector<std::string> chapters() {
  std::vector<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator(CATEN_LISP_CORPUS)) {
    if (file.path().extension() == ".lisp" && file.path().stem() != "bless") {
      names.push_back(file.path().stem());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

class CorpusTest : public testing::TestWithParam<std::string> {};

TEST_P(CorpusTest, AnswersAsRecorded) {
  Corpus corpus;
  const auto path = std::filesystem::path(CATEN_LISP_CORPUS) / (GetParam() + ".lisp");
  const std::vector<Entry> entries = read_entries(path);
  EXPECT_GT(entries.size(), 5U);
  size_t passed = 0;
  for (const Entry& entry : entries) {
    const std::vector<std::string> answer = corpus.answer(entry);
    EXPECT_EQ(answer, entry.expected)
        << path.filename().string() << ":" << entry.line << ": " << entry.form;
    passed += answer == entry.expected ? 1 : 0;
  }
  fmt::print("[  CORPUS  ] {}: {}/{}\n", GetParam(), passed, entries.size());
}

TEST(Corpus, HasItsSize) {
  size_t forms = 0;
  for (const std::string& chapter : chapters()) {
    forms += read_entries(std::filesystem::path(CATEN_LISP_CORPUS) / (chapter + ".lisp")).size();
  }
  fmt::print("[  CORPUS  ] {} forms in {} chapters\n", forms, chapters().size());
  EXPECT_GE(forms, 3000U);
}

INSTANTIATE_TEST_SUITE_P(Lisp, CorpusTest, testing::ValuesIn(chapters()),
                         [](const auto& chapter) { return chapter.param; });

}  // namespace
}  // namespace caten::lisp
