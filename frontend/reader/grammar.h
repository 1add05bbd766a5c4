// The lexical grammar of the Lisp, in PEGTL: one Element at a time. Nesting is the reader's own
// stack, so no input makes the parser recurse. Included by reader.cpp only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tao/pegtl.hpp>

namespace caten::lisp::grammar {

using namespace tao::pegtl;  // NOLINT(google-build-using-namespace): the grammar's vocabulary

enum class Kind : uint8_t {
  None,  // nothing matched: end of text, or malformed
  Open,
  Close,
  Quote,
  Backquote,
  Comma,
  CommaSplice,
  FunctionQuote,
  VectorOpen,
  Uninterned,
  Character,
  Radix,
  FeaturePlus,
  FeatureMinus,
  CommentOpen,
  Array,
  BitVector,
  Label,
  LabelUse,
  Structure,
  Path,
  String,
  Token,
};

// blank ::= one or more white characters        line-comment ::= ';' … end of line
struct blank : plus<one<' ', '\t', '\n', '\r', '\f', '\v'>> {};
struct line_comment : seq<one<';'>, star<not_one<'\n'>>> {};
struct skipped : star<sor<blank, line_comment>> {};

// shebang ::= '#!' … end of line, only at the start of a file
struct shebang : seq<string<'#', '!'>, star<not_one<'\n'>>> {};

// constituent ::= any byte that neither separates nor escapes
struct constituent
    : not_one<' ', '\t', '\n', '\r', '\f', '\v', '(', ')', '"', '\'', '`', ',', ';', '\\', '|'> {};

// token ::= (constituent | '\' any | '|' … '|')+
struct single_escape : seq<one<'\\'>, any> {};
struct multiple_escape : seq<one<'|'>, star<sor<single_escape, not_one<'|', '\\'>>>, one<'|'>> {};
struct escape : sor<single_escape, multiple_escape> {};
struct token : plus<sor<constituent, escape>> {};

// string ::= '"' (any but '"' and '\' | '\' any)* '"'
struct string_literal
    : seq<one<'"'>, star<sor<plus<not_one<'"', '\\'>>, single_escape>>, one<'"'>> {};

struct open : one<'('> {};
struct close : one<')'> {};
struct quote : one<'\''> {};
struct backquote : one<'`'> {};
struct comma_splice : seq<one<','>, one<'@', '.'>> {};
struct comma : one<','> {};

// `#` dispatch. character ::= '#\' any constituent*     radix ::= '#' (b|o|x|digits r) token
struct function_quote : string<'#', '\''> {};
struct vector_open : string<'#', '('> {};
struct uninterned : seq<string<'#', ':'>, token> {};
struct character : seq<string<'#', '\\'>, any, star<constituent>> {};
struct radix : seq<one<'#'>,
                   sor<one<'b', 'B', 'o', 'O', 'x', 'X'>, seq<plus<digit>, one<'r', 'R'>>>, token> {
};
struct feature_plus : string<'#', '+'> {};
struct feature_minus : string<'#', '-'> {};
struct comment_open : string<'#', '|'> {};
struct array_prefix : seq<one<'#'>, plus<digit>, one<'a', 'A'>> {};
// A structure is followed by a list, a path by a string.      bit-vector ::= '#*' (0|1)*
struct structure_prefix : seq<one<'#'>, one<'s', 'S'>, at<one<'('>>> {};
struct path_prefix : seq<one<'#'>, one<'p', 'P'>, at<one<'"'>>> {};
struct bit_vector : seq<string<'#', '*'>, star<one<'0', '1'>>, not_at<constituent>> {};
// #n= names the datum that follows, #n# is that datum again
struct label : seq<one<'#'>, plus<digit>, one<'='>> {};
struct label_use : seq<one<'#'>, plus<digit>, one<'#'>> {};
struct dispatch : sor<function_quote, vector_open, character, uninterned, feature_plus,
                      feature_minus, comment_open, array_prefix, radix, structure_prefix,
                      path_prefix, bit_vector, label, label_use> {};
struct refused : one<'#'> {};  // any other '#': named in the error

struct plain_token : seq<not_at<refused>, token> {};
struct element : sor<open, close, plain_token, string_literal, quote, backquote, comma_splice,
                     comma, dispatch> {};

// Inside #| … |#, which nests: one step.
struct comment_close : string<'|', '#'> {};
struct comment_text : plus<not_one<'#', '|'>> {};
struct comment_step : sor<comment_open, comment_close, comment_text, any> {};

// number ::= integer | ratio | float, the whole token
struct sign : opt<one<'+', '-'>> {};
struct integer : seq<sign, plus<digit>, opt<one<'.'>>, eof> {};
struct ratio : seq<sign, plus<digit>, one<'/'>, plus<digit>, eof> {};
struct exponent : seq<one<'e', 'E', 's', 'S', 'f', 'F', 'd', 'D', 'l', 'L'>, sign, plus<digit>> {};
struct floating : seq<sign,
                      sor<seq<star<digit>, one<'.'>, plus<digit>, opt<exponent>>,
                          seq<plus<digit>, opt<one<'.'>, star<digit>>, exponent>>,
                      eof> {};

/// What the actions leave behind.
struct State {
  Kind kind = Kind::None;
  bool escaped = false;  // a token contains an escape
  size_t comment_depth = 0;
};

template <typename Rule>
struct action : nothing<Rule> {};

template <Kind kind>
struct set_kind {
  static void apply0(State& state) { state.kind = kind; }
};
// clang-format off
template <> struct action<open> : set_kind<Kind::Open> {};
template <> struct action<close> : set_kind<Kind::Close> {};
template <> struct action<quote> : set_kind<Kind::Quote> {};
template <> struct action<backquote> : set_kind<Kind::Backquote> {};
template <> struct action<comma> : set_kind<Kind::Comma> {};
template <> struct action<comma_splice> : set_kind<Kind::CommaSplice> {};
template <> struct action<function_quote> : set_kind<Kind::FunctionQuote> {};
template <> struct action<vector_open> : set_kind<Kind::VectorOpen> {};
template <> struct action<uninterned> : set_kind<Kind::Uninterned> {};
template <> struct action<character> : set_kind<Kind::Character> {};
template <> struct action<radix> : set_kind<Kind::Radix> {};
template <> struct action<feature_plus> : set_kind<Kind::FeaturePlus> {};
template <> struct action<feature_minus> : set_kind<Kind::FeatureMinus> {};
template <> struct action<array_prefix> : set_kind<Kind::Array> {};
template <> struct action<structure_prefix> : set_kind<Kind::Structure> {};
template <> struct action<path_prefix> : set_kind<Kind::Path> {};
template <> struct action<label> : set_kind<Kind::Label> {};
template <> struct action<label_use> : set_kind<Kind::LabelUse> {};
template <> struct action<bit_vector> : set_kind<Kind::BitVector> {};
template <> struct action<string_literal> : set_kind<Kind::String> {};
template <> struct action<plain_token> : set_kind<Kind::Token> {};
// clang-format on
template <>
struct action<single_escape> {
  static void apply0(State& state) { state.escaped = true; }
};
template <>
struct action<multiple_escape> {
  static void apply0(State& state) { state.escaped = true; }
};
template <>
struct action<comment_open> {
  static void apply0(State& state) {
    state.kind = Kind::CommentOpen;
    ++state.comment_depth;
  }
};
template <>
struct action<comment_close> {
  static void apply0(State& state) { --state.comment_depth; }
};

}  // namespace caten::lisp::grammar
