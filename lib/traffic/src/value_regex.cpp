#include "value_regex.hpp"

#include <algorithm>

#include <re2/re2.h>

#include <kubist/util/text.hpp>

namespace kubist::traffic {

using util::cat;

std::string value_regex(const Test& test, std::string_view any) {
  switch (test.op) {
    case Operator::exact:
      return RE2::QuoteMeta(test.value);
    case Operator::prefix:
      return cat(RE2::QuoteMeta(test.value), any, '*');
    case Operator::regex:
      return cat("(?:", test.value, ')');
    case Operator::present:
      return cat(any, '*');
  }
  return "";
}

std::string cookies_regex(const std::vector<const Test*>& tests) {
  std::vector<std::string> pairs;
  for (const Test* test : tests) {
    pairs.push_back(cat(RE2::QuoteMeta(test->name), '=', value_regex(*test, "[^;]")));
  }
  std::ranges::sort(pairs);
  std::vector<std::string> orders;
  do {
    orders.push_back(util::join(pairs, ";\\s*(?:.*;\\s*)?"));
  } while (std::ranges::next_permutation(pairs).found);
  return cat("(?:.*;\\s*)?(?:", util::join(orders, "|"), ")(?:;.*)?");
}

}  // namespace kubist::traffic
