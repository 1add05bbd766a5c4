// Code images: code that comes from an image behaves as code read from its text.
#include "frontend/lisp/image.h"

#include <gtest/gtest.h>

#include "frontend/language.h"
#include "ir/support/diagnostics.h"

namespace caten::lisp {
namespace {

/// Loads `text` as a library into one interpreter, and its image into another.
class ImageTest : public ::testing::Test {
 protected:
  void load(std::string_view text) {
    const LibraryText files[] = {{"library.lisp", text}};
    install_language(writer_);
    image_ = make_image(writer_, files);
    install_language(reader_);
    load_image(reader_, image_, files);
  }

  /// The printed value of a form, the same in both.
  std::string eval(const std::string& form) {
    std::string expected = writer_.print(writer_.eval_text(form));
    EXPECT_EQ(reader_.print(reader_.eval_text(form)), expected) << form;
    return expected;
  }

  std::string error(Interpreter& interp, const std::string& form) {
    try {
      interp.load_text("user.lisp", form);
    } catch (const CompileError& e) {
      return render(e, interp.sources(), false);
    }
    return "no error";
  }

  std::vector<uint8_t> image_;
  Interpreter writer_, reader_;
};

TEST_F(ImageTest, EveryKindOfConstant) {
  load(R"lisp(
    (in-package :caten-user)
    (defun constants ()
      (list 'symbol :key nil t 1 -1 4611686018427387903 #\λ 1.5 -0.0 1.5d300 2/3 "text λ"
            '(1 (2 . 3) . 4) #(1 "two" #\3) '#:uninterned)))lisp");
  EXPECT_EQ(eval("(constants)"),
            "(SYMBOL :KEY NIL T 1 -1 4611686018427387903 #\\λ 1.5 -0.0 "
            "1.5d300 2/3 \"text λ\" (1 (2 . 3) . 4) #(1 \"two\" #\\3) #:UNINTERNED)");
}

TEST_F(ImageTest, DefinitionsOfEveryKind) {
  load(R"lisp(
    (in-package :caten-user)
    (defvar *count* 0)
    (defparameter *table* (make-hash-table))
    (defmacro twice (form) `(progn ,form ,form))
    (defun bump (&optional (by 1) &rest more &key (scale 2 scale-p) &allow-other-keys)
      "Adds to *count*."
      (twice (incf *count* by))
      (list *count* more scale scale-p))
    (defun counter (start) (lambda () (prog1 start (incf start))))
    (defun leave (list) (block nil (mapc (lambda (x) (when (minusp x) (return x))) list) nil))
    (defclass point () ((x :initarg :x :initform 7 :accessor point-x)))
    (defgeneric size (thing))
    (defmethod size ((p point)) (* 2 (point-x p)))
    (defmethod size :around ((p point)) (1+ (call-next-method)))
    (defstruct box (content 3))
    (defun (setf answer) (value) (setf (gethash 'answer *table*) value))
    (define-condition odd (error) ((n :initarg :n)))
    (handler-case (error 'odd :n 1) (odd () (setf *count* 10))))lisp");
  EXPECT_EQ(eval("(bump 5)"), "(20 NIL 2 NIL)");
  EXPECT_EQ(eval("(documentation 'bump 'function)"), "\"Adds to *count*.\"");
  EXPECT_EQ(eval("(let ((c (counter 4))) (funcall c) (funcall c))"), "5");
  EXPECT_EQ(eval("(leave '(1 -2 3))"), "-2");
  EXPECT_EQ(eval("(size (make-instance 'point :x 4))"), "9");
  EXPECT_EQ(eval("(box-content (make-box))"), "3");
  EXPECT_EQ(eval("(setf (answer) 42)"), "42");
  EXPECT_EQ(eval("(twice (incf *count*))"), "22");
}

TEST_F(ImageTest, ErrorsAreReportedAsFromText) {
  load("(in-package :caten-user)\n(defun half (x) (/ x 0))\n(defun fine (a b) (list a b))");
  for (const char* form : {"(half 1)", "(fine 1)", "(car (half 2))"}) {
    EXPECT_EQ(error(reader_, form), error(writer_, form));
    EXPECT_NE(error(reader_, form), "no error");
  }
}

TEST_F(ImageTest, SeveralFilesKeepTheirPackages) {
  const LibraryText files[] = {{"a.lisp", "(in-package :caten) (defun from-a () '(a *package*))"},
                               {"b.lisp", "(in-package :caten-user) (defun from-b () 'b)"}};
  install_language(writer_);
  image_ = make_image(writer_, files);
  install_language(reader_);
  load_image(reader_, image_, files);
  EXPECT_EQ(eval("(list (caten::from-a) (caten-user::from-b) (package-name *package*))"),
            "((CATEN::A *PACKAGE*) B \"CATEN-USER\")");
  EXPECT_TRUE(reader_.is_library(reader_.sources().find("b.lisp")));
}

}  // namespace
}  // namespace caten::lisp
