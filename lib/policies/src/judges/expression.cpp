#include <cmath>

#include <kubist/policies/expression.hpp>
#include <kubist/util/text.hpp>

namespace kubist::policies {

namespace {

constexpr std::string_view k_conditions[] = {"<", "<=", ">", ">=", "==", "!=", "&&", "||", "!"};

double apply(std::string_view op, double left, double right) {
  if (op == "+") {
    return left + right;
  }
  if (op == "-") {
    return left - right;
  }
  if (op == "*") {
    return left * right;
  }
  if (op == "/") {
    return left / right;
  }
  const bool holds = op == "<"    ? left < right
                     : op == "<=" ? left <= right
                     : op == ">"  ? left > right
                     : op == ">=" ? left >= right
                     : op == "==" ? left == right
                                  : left != right;
  return holds ? 1 : 0;
}

/// A side that is known decides where it suffices, whatever the other would have been.
Value junction(const Value& left, const Value& right, double deciding) {
  for (const Value* side : {&left, &right}) {
    if (side->unknown.empty() && side->number == deciding) {
      return *side;
    }
  }
  return left.unknown.empty() ? right : left;
}

}  // namespace

bool Expression::is_condition() const {
  return std::find(std::begin(k_conditions), std::end(k_conditions), m_nodes.back().op) !=
         std::end(k_conditions);
}

Value Expression::evaluate(const std::function<Value(const std::string& name)>& value_of) const {
  return evaluate(m_nodes.size() - 1, value_of);
}

Value Expression::evaluate(std::size_t at,
                           const std::function<Value(const std::string& name)>& value_of) const {
  const Node& node = m_nodes[at];
  if (node.op == "number") {
    return {node.number, "", ""};
  }
  if (node.op == "name") {
    return value_of(node.name);
  }
  Value left = evaluate(node.left, value_of);
  if (node.op == "negative" || node.op == "!") {
    left.number = node.op == "!" ? 1 - left.number : -left.number;
    return left;
  }
  const Value right = evaluate(node.right, value_of);
  if (node.op == "&&" || node.op == "||") {
    return junction(left, right, node.op == "&&" ? 0 : 1);
  }
  if (!left.unknown.empty() || !right.unknown.empty()) {
    return left.unknown.empty() ? right : left;
  }
  const double number = apply(node.op, left.number, right.number);
  if (!std::isfinite(number)) {
    return {0, "NotANumber",
            util::cat(left.number, ' ', node.op, ' ', right.number, " is no number")};
  }
  return {number, "", ""};
}

}  // namespace kubist::policies
