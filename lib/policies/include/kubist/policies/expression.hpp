#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <kubist/util/result.hpp>

namespace kubist::policies {

/// A number, or why there is none.
struct Value {
  double number = 0;
  std::string unknown;  ///< a CamelCase reason; empty: there is a number
  std::string message;  ///< the same in a sentence
};

/// An expression over named numbers, as Argo Rollouts' conditions and Vamp's metrics are written:
///
///   expression = conjunction {"||" conjunction}     conjunction = comparison {"&&" comparison}
///   comparison = sum [("<" | "<=" | ">" | ">=" | "==" | "!=") sum]
///   sum        = product {("+" | "-") product}      product = factor {("*" | "/") factor}
///   factor     = ("-" | "!") factor | NUMBER | NAME | "(" expression ")"
///
/// Numbers are decimal ("0.01", "1e-3"), names as the caller has them ("canary.errorRate"). There
/// are no calls, no texts and no assignments. It is a condition (&&, ||, ! and comparisons) or a
/// number (all else); one where the other belongs is an error. Immutable; any thread.
class Expression {
 public:
  /// `names`: all that may be named. Invalid: with the text and a caret under the column, also for
  /// an unknown name (with the nearest one), more than 4,096 characters, or 32 levels deep.
  static util::Result<Expression> parse(std::string_view text,
                                        const std::vector<std::string>& names);

  bool is_condition() const;
  /// Each name that it has, once.
  const std::vector<std::string>& names() const { return m_names; }

  /// The number, or of a condition 1 or 0. What cannot be told is unknown: an unknown name,
  /// NotANumber for what is no finite number (a division by zero). `&&` and `||` are told where one
  /// side suffices.
  Value evaluate(const std::function<Value(const std::string& name)>& value_of) const;

 private:
  friend class ExpressionParser;
  struct Node {
    std::string op;  ///< "+", "&&", "number", "name", "negative", "!", ...
    double number = 0;
    std::string name;
    std::size_t left = 0, right = 0;  ///< places in m_nodes
  };
  Value evaluate(std::size_t at,
                 const std::function<Value(const std::string& name)>& value_of) const;
  std::vector<Node> m_nodes;  ///< the last one is the whole
  std::vector<std::string> m_names;
};

}  // namespace kubist::policies
