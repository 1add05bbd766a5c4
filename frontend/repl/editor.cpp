// See editor.h and Note [libedit].
#include "frontend/repl/editor.h"

#include <histedit.h>
#include <langinfo.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <clocale>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <new>

#include "frontend/lisp/value.h"
#include "frontend/reader/scan.h"
#include "frontend/repl/indent.h"
#include "frontend/repl/signals.h"
#include "frontend/repl/width.h"

namespace caten::repl {
namespace {

constexpr int kHistoryLength = 2000;
constexpr int kFlashMilliseconds = 400;

// Keys that no terminal sends: what the functions below push to run a function of libedit's.
constexpr const wchar_t* kFinish = L"\033[9990~";
constexpr const wchar_t* kOlder = L"\033[9991~";
constexpr const wchar_t* kNewer = L"\033[9992~";

std::wstring widen(std::string_view utf8) {
  std::wstring out;
  for (const char32_t c : lisp::decode_utf8(utf8)) {
    out += static_cast<wchar_t>(c);
  }
  return out;
}

std::string narrow(std::wstring_view text) {
  std::string out;
  for (const wchar_t c : text) {
    lisp::append_utf8(out, static_cast<char32_t>(c));
  }
  return out;
}

void write_terminal(std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(STDOUT_FILENO, text.data(), text.size());
    if (n < 0 && errno != EINTR) {
      return;
    }
    text.remove_prefix(n < 0 ? 0 : static_cast<size_t>(n));
  }
}

size_t terminal_columns() {
  winsize size{};
  return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

bool input_is_waiting(int milliseconds = 0) {
  pollfd fd{STDIN_FILENO, POLLIN, 0};
  return ::poll(&fd, 1, milliseconds) > 0;
}

/// Text in UTF-8 needs a locale that says so; numbers stay as in "C".
void use_utf8() {
  std::setlocale(LC_CTYPE, "");
  if (std::strcmp(::nl_langinfo(CODESET), "UTF-8") != 0) {
    std::setlocale(LC_CTYPE, "C.UTF-8");
  }
}

}  // namespace

struct Editor::Impl {
  Guide& guide;
  std::string history_file;
  EditLine* line = nullptr;
  HistoryW* past = nullptr;
  std::wstring prompt;
  bool cancelled = false;
  bool ended = false;      // by a signal
  bool flash = false;      // show the partner of the parenthesis just typed
  bool announced = false;  // the terminal was asked to bracket pastes
  bool smart_terminal = true;

  explicit Impl(Guide& g) : guide(g) {}

  static Impl& of(EditLine* line) {
    void* data = nullptr;
    ::el_wget(line, EL_CLIENTDATA, &data);
    return *static_cast<Impl*>(data);
  }

  std::wstring_view all() const {
    const LineInfoW* info = ::el_wline(line);
    return {info->buffer, static_cast<size_t>(info->lastchar - info->buffer)};
  }
  std::wstring_view before() const {
    const LineInfoW* info = ::el_wline(line);
    return {info->buffer, static_cast<size_t>(info->cursor - info->buffer)};
  }
  void move(ptrdiff_t by) const { ::el_cursor(line, static_cast<int>(by)); }
  void insert(const std::wstring& text) const {
    if (!text.empty()) {
      ::el_winsertstr(line, text.c_str());
    }
  }

  Cell cell(std::wstring_view text) const {
    return cell_behind(text, prompt.size(), terminal_columns());
  }

  /// Runs `print` below the text being edited, then shows that again under it.
  void print_below(const std::string& text) const {
    const size_t rows = cell(all()).row - cell(before()).row;
    std::string out(rows, '\n');
    out += "\r\n" + text + "\r\n";
    write_terminal(out);
    ::el_wset(line, EL_REFRESH);
  }

  void show_partner();
  int read_character(wchar_t* c);
  void bind_keys();
  unsigned char enter();
  unsigned char complete();
  unsigned char paste();
  unsigned char vertical(bool up);
  unsigned char reindent();
};

// Moves the cursor to the partner of the parenthesis before it, for a moment.
void Editor::Impl::show_partner() {
  flash = false;
  const std::string text = narrow(before());
  if (text.empty() || text.back() != ')' || !smart_terminal || input_is_waiting()) {
    return;
  }
  const std::optional<size_t> open = lisp::matching_paren(text, text.size() - 1);
  if (!open) {
    return;
  }
  const Cell here = cell(before());
  const Cell there = cell(widen(text.substr(0, *open)));
  const size_t up = here.row - there.row;
  const auto go = [](size_t rows, char direction, size_t column) {
    std::string out = rows == 0 ? "" : "\033[" + std::to_string(rows) + direction;
    return out + "\r" + (column == 0 ? "" : "\033[" + std::to_string(column) + "C");
  };
  write_terminal(go(up, 'A', there.column));
  input_is_waiting(kFlashMilliseconds);
  write_terminal(go(up, 'B', here.column));
}

/// One character from the terminal, in UTF-8: 1, or 0 at the end of the input.
int Editor::Impl::read_character(wchar_t* c) {
  if (!announced && smart_terminal) {  // the prompt is drawn by now
    write_terminal("\033[?2004h");
  }
  announced = true;
  if (flash) {
    show_partner();
  }
  unsigned char bytes[4] = {};
  size_t count = 0;
  size_t wanted = 1;
  while (count < wanted) {
    if (!signals::wait_for_input(STDIN_FILENO)) {
      if (signals::take_resize()) {
        ::el_resize(line);
        write_terminal("\r\033[J");
        ::el_wset(line, EL_REFRESH);
      }
      if (signals::terminated()) {
        ended = true;
        return 0;
      }
      if (runtime::interrupt_requested.exchange(false)) {
        *c = L'\003';
        return 1;
      }
      continue;
    }
    const ssize_t n = ::read(STDIN_FILENO, bytes + count, 1);
    if (n < 0 && errno == EINTR) {
      continue;
    }
    if (n <= 0) {
      ended = true;
      return 0;
    }
    if (count == 0) {
      wanted = bytes[0] >= 0xF0 ? 4 : bytes[0] >= 0xE0 ? 3 : bytes[0] >= 0xC0 ? 2 : 1;
    } else if ((bytes[count] & 0xC0) != 0x80) {
      break;  // not UTF-8: becomes U+FFFD
    }
    ++count;
  }
  *c = static_cast<wchar_t>(
      lisp::decode_utf8({reinterpret_cast<const char*>(bytes), count}).front());
  return 1;
}

unsigned char Editor::Impl::enter() {
  const std::string text = narrow(all());
  if (guide.is_complete(text)) {
    ::el_wpush(line, kFinish);
    return CC_NORM;
  }
  std::wstring added = L"\n";
  if (!input_is_waiting()) {  // a paste brings its own
    added.append(indentation(narrow(before()), prompt.size()), L' ');
  }
  insert(added);
  return CC_REFRESH;
}

/// Everything up to the closing bracket, as it is.
unsigned char Editor::Impl::paste() {
  constexpr std::wstring_view kEnd = L"\033[201~";
  std::wstring text;
  wchar_t c = 0;
  while (::el_wgetc(line, &c) == 1) {
    text += c == L'\r' ? L'\n' : c;
    if (text.ends_with(kEnd)) {
      text.resize(text.size() - kEnd.size());
      break;
    }
  }
  while (text.ends_with(L'\n')) {
    text.pop_back();
  }
  insert(text);
  return CC_REFRESH;
}

/// Up and down: between the lines of the text, at its ends through the history.
unsigned char Editor::Impl::vertical(bool up) {
  const std::wstring_view text = all();
  const size_t cursor = before().size();
  const size_t line_begin = cursor == 0 ? 0 : text.rfind(L'\n', cursor - 1) + 1;
  const size_t column = cursor - line_begin;
  size_t target = 0;
  if (up) {
    if (line_begin == 0) {
      ::el_wpush(line, kOlder);
      return CC_NORM;
    }
    const size_t begin = line_begin == 1 ? 0 : text.rfind(L'\n', line_begin - 2) + 1;
    target = std::min(begin + column, line_begin - 1);
  } else {
    const size_t newline = text.find(L'\n', cursor);
    if (newline == std::wstring_view::npos) {
      ::el_wpush(line, kNewer);
      return CC_NORM;
    }
    const size_t end = std::min(text.find(L'\n', newline + 1), text.size());
    target = std::min(newline + 1 + column, end);
  }
  move(static_cast<ptrdiff_t>(target) - static_cast<ptrdiff_t>(cursor));
  return CC_CURSOR;
}

/// Puts the line of the cursor at the column where its form wants it.
unsigned char Editor::Impl::reindent() {
  const std::wstring text(all());
  const size_t cursor = before().size();
  const size_t begin = cursor == 0 ? 0 : text.rfind(L'\n', cursor - 1) + 1;
  if (begin == 0) {
    return CC_NORM;
  }
  const size_t first = std::min(text.find_first_not_of(L' ', begin), text.size());
  const size_t wanted =
      indentation(narrow(std::wstring_view(text).substr(0, begin - 1)), prompt.size());
  const size_t behind = cursor > first ? cursor - first : 0;
  move(static_cast<ptrdiff_t>(first) - static_cast<ptrdiff_t>(cursor));
  ::el_deletestr(line, static_cast<int>(first - begin));
  insert(std::wstring(wanted, L' '));
  move(static_cast<ptrdiff_t>(behind));
  return CC_REFRESH;
}

unsigned char Editor::Impl::complete() {
  const std::string text = narrow(before());
  const size_t line_begin = text.rfind('\n') + 1;  // npos + 1 is 0
  if (text.find_first_not_of(' ', line_begin) == std::string::npos) {
    return line_begin == 0 ? static_cast<unsigned char>(CC_NORM) : reindent();
  }
  const Completions found = guide.complete(text);
  const std::string typed = text.substr(found.begin);
  if (found.words.empty()) {
    const std::string arguments = typed.empty() ? guide.arguments(text) : "";
    if (arguments.empty()) {
      return CC_ERROR;
    }
    print_below(arguments);
    return CC_NORM;
  }
  std::string common = found.words.front();
  for (const std::string& word : found.words) {
    const auto differ = std::mismatch(common.begin(), common.end(), word.begin(), word.end());
    common.erase(differ.first, common.end());
  }
  const bool single = found.words.size() == 1;
  if (common.size() > typed.size() || (single && common != typed)) {
    ::el_deletestr(line, static_cast<int>(lisp::decode_utf8(typed).size()));
    const bool open_ended = common.ends_with('/') || common.ends_with(':');
    insert(widen(common) + (single && !open_ended ? L" " : L""));
    return CC_REFRESH;
  }
  if (!single) {
    constexpr size_t kShown = 120;
    std::string list;
    size_t widest = 0;
    for (const std::string& word : found.words) {
      widest = std::max(widest, display_width(word));
    }
    const size_t columns = std::max<size_t>(1, terminal_columns() / (widest + 2));
    for (size_t i = 0; i < std::min(found.words.size(), kShown); ++i) {
      const bool last = (i + 1) % columns == 0;
      list += found.words[i];
      list += last ? "\r\n" : std::string(widest + 2 - display_width(found.words[i]), ' ');
    }
    if (found.words.size() > kShown) {
      list += "... " + std::to_string(found.words.size() - kShown) + " more";
    }
    print_below(list.ends_with("\r\n") ? list.substr(0, list.size() - 2) : list);
  }
  return CC_NORM;
}

void Editor::Impl::bind_keys() {
  using Function = unsigned char (*)(EditLine*, wint_t);
  const auto define = [this](const wchar_t* name, const wchar_t* help, Function function,
                             std::initializer_list<const wchar_t*> keys) {
    ::el_wset(line, EL_ADDFN, name, help, function);
    for (const wchar_t* key : keys) {
      ::el_wset(line, EL_BIND, key, name, nullptr);
    }
  };
  define(L"lisp-enter", L"Evaluate, or begin a line",
         [](EditLine* l, wint_t) { return of(l).enter(); }, {L"^M", L"^J"});
  define(L"lisp-newline", L"Begin a line",
         [](EditLine* l, wint_t) -> unsigned char {
           Impl& self = of(l);
           self.insert(L"\n" +
                       std::wstring(indentation(narrow(self.before()), self.prompt.size()), L' '));
           return CC_REFRESH;
         },
         {L"\\e^M", L"\\e^J"});
  define(L"lisp-complete", L"Complete, or indent",
         [](EditLine* l, wint_t) { return of(l).complete(); }, {L"^I"});
  define(L"lisp-arguments", L"Show the argument list",
         [](EditLine* l, wint_t) -> unsigned char {
           Impl& self = of(l);
           const std::string text = self.guide.arguments(narrow(self.before()));
           if (text.empty()) {
             return CC_ERROR;
           }
           self.print_below(text);
           return CC_NORM;
         },
         {L"\\ea", L"\\eOP", L"\\e[11~"});
  define(L"lisp-close", L"Close and show the partner",
         [](EditLine* l, wint_t) -> unsigned char {
           Impl& self = of(l);
           self.insert(L")");
           self.flash = true;
           return CC_REFRESH;
         },
         {L")"});
  define(L"lisp-paste", L"Insert what is pasted", [](EditLine* l, wint_t) { return of(l).paste(); },
         {L"\\e[200~"});
  define(L"lisp-up", L"Line above, or older input",
         [](EditLine* l, wint_t) { return of(l).vertical(true); }, {L"\\e[A", L"\\eOA", L"^P"});
  define(L"lisp-down", L"Line below, or newer input",
         [](EditLine* l, wint_t) { return of(l).vertical(false); }, {L"\\e[B", L"\\eOB", L"^N"});
  define(L"lisp-cancel", L"Give the input up",
         [](EditLine* l, wint_t) -> unsigned char {
           of(l).cancelled = true;
           ::el_wpush(l, kFinish);
           return CC_NORM;
         },
         {L"^C"});
  define(L"lisp-delete", L"Delete, or end",
         [](EditLine* l, wint_t) -> unsigned char {
           const Impl& self = of(l);
           if (self.all().empty()) {
             return CC_EOF;
           }
           if (self.before().size() < self.all().size()) {
             self.move(1);
             ::el_deletestr(l, 1);
           }
           return CC_REFRESH;
         },
         {L"^D", L"\\e[3~"});
  define(L"lisp-suspend", L"Stop the process",
         [](EditLine* l, wint_t) -> unsigned char {
           ::el_wset(l, EL_PREP_TERM, 0);
           write_terminal("\r\n");
           std::raise(SIGTSTP);
           ::el_wset(l, EL_PREP_TERM, 1);
           ::el_wset(l, EL_REFRESH);
           return CC_NORM;
         },
         {L"^Z"});
  for (const auto& [key, function] :
       std::initializer_list<std::pair<const wchar_t*, const wchar_t*>>{
           {kFinish, L"ed-newline"},
           {kOlder, L"ed-prev-history"},
           {kNewer, L"ed-next-history"},
           {L"^R", L"em-inc-search-prev"},
           {L"\\e[C", L"ed-next-char"},
           {L"\\eOC", L"ed-next-char"},
           {L"\\e[D", L"ed-prev-char"},
           {L"\\eOD", L"ed-prev-char"},
           {L"\\e[H", L"ed-move-to-beg"},
           {L"\\eOH", L"ed-move-to-beg"},
           {L"\\e[1~", L"ed-move-to-beg"},
           {L"\\e[F", L"ed-move-to-end"},
           {L"\\eOF", L"ed-move-to-end"},
           {L"\\e[4~", L"ed-move-to-end"},
           {L"\\e[1;5C", L"em-next-word"},
           {L"\\e[1;5D", L"ed-prev-word"}}) {
    ::el_wset(line, EL_BIND, key, function, nullptr);
  }
}

Editor::Editor(Guide& guide, std::string history_file) : impl_(std::make_unique<Impl>(guide)) {
  use_utf8();
  Impl& self = *impl_;
  self.history_file = std::move(history_file);
  const char* term = std::getenv("TERM");
  self.smart_terminal = term != nullptr && std::strcmp(term, "dumb") != 0;
  self.line = ::el_init("catenc", stdin, stdout, stderr);
  self.past = ::history_winit();
  if (self.line == nullptr || self.past == nullptr) {
    throw std::bad_alloc();
  }
  HistEventW event{};
  ::history_w(self.past, &event, H_SETSIZE, kHistoryLength);
  ::history_w(self.past, &event, H_SETUNIQUE, 1);
  if (!self.history_file.empty()) {
    ::history_w(self.past, &event, H_LOAD, self.history_file.c_str());
  }
  ::el_wset(self.line, EL_CLIENTDATA, static_cast<void*>(&self));
  ::el_wset(self.line, EL_EDITOR, L"emacs");
  ::el_wset(self.line, EL_SIGNAL, 0);
  ::el_wset(self.line, EL_HIST, ::history_w, self.past);
  ::el_wset(
      self.line, EL_PROMPT,
      +[](EditLine* line) -> wchar_t* { return Impl::of(line).prompt.data(); });
  ::el_wset(
      self.line, EL_GETCFN,
      +[](EditLine* line, wchar_t* c) -> int { return Impl::of(line).read_character(c); });
  // Ctrl-C and Ctrl-Z reach the editor as characters.
  ::el_wset(self.line, EL_SETTY, L"-d", L"-isig", nullptr);
  self.bind_keys();
}

Editor::~Editor() {
  ::el_end(impl_->line);
  ::history_wend(impl_->past);
}

Editor::Input Editor::read(const std::string& prompt) {
  Impl& self = *impl_;
  self.prompt = widen(prompt);
  self.cancelled = self.ended = self.flash = self.announced = false;
  std::fflush(stdout);
  int count = 0;
  const wchar_t* text = ::el_wgets(self.line, &count);
  if (self.smart_terminal) {
    write_terminal("\033[?2004l");
  }
  if (self.cancelled) {
    return {Event::Cancelled, ""};
  }
  if (text == nullptr || count <= 0 || self.ended) {
    return {Event::End, ""};
  }
  std::string input = narrow({text, static_cast<size_t>(count)});
  if (input.ends_with('\n')) {
    input.pop_back();
  }
  if (input.find_first_not_of(" \n\t") != std::string::npos) {
    HistEventW event{};
    ::history_w(self.past, &event, H_ENTER, text);
    if (!self.history_file.empty()) {
      ::history_w(self.past, &event, H_SAVE, self.history_file.c_str());
    }
  }
  return {Event::Text, std::move(input)};
}

std::vector<std::string> Editor::history() const {
  std::vector<std::string> out;
  HistEventW event{};
  for (int found = ::history_w(impl_->past, &event, H_LAST); found >= 0;
       found = ::history_w(impl_->past, &event, H_PREV)) {
    std::string text = narrow(event.str);
    while (text.ends_with('\n')) {
      text.pop_back();
    }
    out.push_back(std::move(text));
  }
  return out;
}

// Note [libedit]
// - It keeps newlines in the text and shows them as lines; our functions insert them.
// - A function of libedit's cannot be called from one of ours: we push keys that it is bound to.
// - EL_REFRESH forgets what is on the screen and draws at the cursor: right after we have printed
//   something that ends at the left margin.
// - Its own signal handling (EL_SIGNAL) sends signals on to the whole process group and forgets
//   its handlers at the first one; ours set flags that read_character looks at (signals.h).
}  // namespace caten::repl
