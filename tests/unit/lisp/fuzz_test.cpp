// Mutated programs: the forms of the corpus with tokens dropped, doubled, swapped and exchanged
// between programs. Whatever they do, it ends with a value or a CompileError: no crash, no hang, no
// internal error. CATEN_FUZZ_ROUNDS sets the number of programs, CATEN_FUZZ_SEED the first.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <sstream>

#include "frontend/lisp/stream.h"
#include "frontend/lisp/vm.h"
#include "tests/unit/lisp/lisp_test.h"

namespace caten::lisp {
namespace {

using Tokens = std::vector<std::string>;

Tokens tokens_of(const std::string& text) {
  Tokens tokens;
  for (size_t i = 0; i < text.size();) {
    size_t begin = i;
    if (std::isspace(static_cast<unsigned char>(text[i])) != 0) {
      ++i;
      continue;
    }
    if (text[i] == '"') {
      for (++i; i < text.size() && text[i] != '"'; ++i) {
        i += text[i] == '\\' ? 1 : 0;
      }
      i = std::min(i + 1, text.size());
    } else if (std::string_view("()'`,").find(text[i]) != std::string_view::npos) {
      ++i;
    } else {
      i = std::min(text.find_first_of(" \t\n()\"", i + 1), text.size());
    }
    tokens.push_back(text.substr(begin, i - begin));
  }
  return tokens;
}

/// What a mutated program must not do: touch files, wait, end the process.
bool is_harmless(const Tokens& tokens) {
  constexpr std::string_view kForbidden[] = {"open",   "file",      "director", "sleep", "load",
                                             "save",   "exit",      "quit",     "probe", "read",
                                             "listen", "*standard", "require",  "peek",  "package"};
  return std::none_of(tokens.begin(), tokens.end(), [&](const std::string& token) {
    std::string lower = token;
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return std::any_of(std::begin(kForbidden), std::end(kForbidden), [&](std::string_view word) {
      return lower.find(word) != std::string::npos;
    });
  });
}

std::vector<Tokens> read_corpus() {
  std::vector<Tokens> programs;
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(CATEN_LISP_CORPUS)) {
    paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  for (const auto& path : paths) {
    std::ifstream in(path);
    std::string line;
    std::string form;
    auto finish = [&] {
      Tokens tokens = tokens_of(form);
      if (!tokens.empty() && tokens.size() < 120 && is_harmless(tokens)) {
        programs.push_back(std::move(tokens));
      }
      form.clear();
    };
    while (std::getline(in, line)) {
      if (line.empty() || line[0] == ';' || line[0] == '(') {
        finish();
      }
      if (!line.empty() && line[0] != ';') {
        form += line + "\n";
      }
    }
    finish();
  }
  return programs;
}

class Mutator {
 public:
  Mutator(const std::vector<Tokens>& programs, uint64_t seed)
      : programs_(programs), random_(seed) {}

  Tokens next() {
    Tokens program = pick_program();
    size_t changes = 1 + below(4);
    for (size_t i = 0; i < changes && !program.empty(); ++i) {
      change(program);
    }
    return program;
  }

 private:
  size_t below(size_t n) { return random_() % n; }
  const Tokens& pick_program() { return programs_[below(programs_.size())]; }
  std::string pick_token() {
    constexpr const char* kOdd[] = {"nil",  "t",    "0",      "-1",    "2305843009213693952",
                                    "1.5",  "1d0",  "#'car",  "(",     ")",
                                    "'",    ".",    "lambda", "quote", ":key",
                                    "\"\"", "#\\a", "x",      "()",    "1/2",
                                    "`",    ",",    ",@",     "&rest"};
    if (below(3) == 0) {
      return kOdd[below(std::size(kOdd))];
    }
    const Tokens& program = pick_program();
    return program[below(program.size())];
  }
  /// The tokens [begin, end) of the datum that starts at `begin`.
  static size_t datum_end(const Tokens& program, size_t begin) {
    int depth = 0;
    for (size_t i = begin; i < program.size(); ++i) {
      depth += program[i] == "(" ? 1 : program[i] == ")" ? -1 : 0;
      if (depth <= 0) {
        return i + 1;
      }
    }
    return program.size();
  }

  void change(Tokens& program) {
    size_t at = below(program.size());
    auto place = program.begin() + static_cast<ptrdiff_t>(at);
    switch (below(6)) {
      case 0:
        program.erase(place);
        break;
      case 1:
        program.insert(place, pick_token());
        break;
      case 2:
        *place = pick_token();
        break;
      case 3:
        std::swap(*place, program[below(program.size())]);
        break;
      case 4: {  // a datum of another program in the place of one of this
        const Tokens& other = pick_program();
        size_t from = below(other.size());
        size_t end = datum_end(program, at);
        program.erase(place, program.begin() + static_cast<ptrdiff_t>(end));
        program.insert(program.begin() + static_cast<ptrdiff_t>(at),
                       other.begin() + static_cast<ptrdiff_t>(from),
                       other.begin() + static_cast<ptrdiff_t>(datum_end(other, from)));
        break;
      }
      default: {  // a datum doubled
        Tokens copy(place, program.begin() + static_cast<ptrdiff_t>(datum_end(program, at)));
        program.insert(place, copy.begin(), copy.end());
        break;
      }
    }
  }

  const std::vector<Tokens>& programs_;
  std::mt19937_64 random_;
};

std::string text_of(const Tokens& tokens) {
  std::string text;
  for (const std::string& token : tokens) {
    text += token + (token == "'" || token == "`" ? "" : " ");
  }
  return text;
}

uint64_t setting(const char* name, uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

TEST(Fuzz, MutatedProgramsEndInOrder) {
  std::vector<Tokens> programs = read_corpus();
  ASSERT_GT(programs.size(), 100U);
  uint64_t rounds = setting("CATEN_FUZZ_ROUNDS", 1000);
  uint64_t seed = setting("CATEN_FUZZ_SEED", 1);
  std::unique_ptr<Lisp> lisp;
  for (uint64_t round = 0; round < rounds; ++round) {
    if (round % 100 == 0) {  // programs may spoil the world for those after them
      lisp = std::make_unique<Lisp>();
    }
    Tokens program = Mutator(programs, seed + round).next();
    std::string text = text_of(program);
    if (!is_harmless(program)) {
      continue;
    }
    if (std::getenv("CATEN_FUZZ_TRACE") != nullptr) {
      std::ofstream("fuzz_program.lisp") << text << "\n";
    }
    alarm(60);  // a hang ends the process
    lisp->interp().vm().limit_steps(100000);
    testing::internal::CaptureStdout();
    try {
      lisp->interp().load_text(
          "fuzz", "(let ((*standard-output* (make-string-output-stream))) " + text + ")");
    } catch (const CompileError&) {
    } catch (const ExitRequest&) {
    } catch (const InternalError& error) {
      ADD_FAILURE() << "seed " << seed + round << ": " << error.what() << "\n" << text;
    }
    testing::internal::GetCapturedStdout();
  }
  alarm(0);
}

}  // namespace
}  // namespace caten::lisp
