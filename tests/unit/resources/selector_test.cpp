#include <kubist/resources/selector.hpp>

#include "support.hpp"

using namespace kubist;
using namespace kubist::resources;
using data::Json;

namespace {

bool matches(std::string_view selector, const Json& labels) {
  auto parsed = LabelSelector::parse(selector);
  REQUIRE_MESSAGE(parsed, selector);
  auto again = LabelSelector::parse(parsed->to_string());
  REQUIRE_MESSAGE(again, parsed->to_string());
  CHECK(again->matches(labels) == parsed->matches(labels));
  return parsed->matches(labels);
}

}  // namespace

TEST_CASE("selector: every operator of kubectl's -l") {
  Json labels = {{"app", "web"}, {"tier", "front"}, {"n", "5"}, {"empty", ""}};
  for (auto yes : {"", "app=web", "app==web", "app!=db", "none!=x", "app in (web,db)",
                   "app in (web), tier=front", "app notin (db)", "none notin (db)", "app", "!none",
                   "n>4", "n<6", "empty=", "empty in (,a)", " app = web ", "x/y!=z"}) {
    CAPTURE(yes);
    CHECK(matches(yes, labels));
  }
  for (auto no : {"app=db", "app!=web", "none=x", "app in (db)", "app notin (web)", "!app", "none",
                  "n>5", "n<5", "app>1", "app=web,tier=back", "none="}) {
    CAPTURE(no);
    CHECK_FALSE(matches(no, labels));
  }
}

TEST_CASE("selector: wrong ones are refused with the piece at fault") {
  for (auto bad : {"app=web,", ",app", "app in web", "app in (web", "app web", "=x", "app=a b",
                   "-a=b", "a=b=c", "n>x", "app in (a;b)", "!app=x", "app=(a)"}) {
    CAPTURE(bad);
    auto parsed = LabelSelector::parse(bad);
    REQUIRE_FALSE(parsed);
    CHECK(parsed.error().message.find("label selector") == 0);
  }
}

TEST_CASE("selector: matchLabels and matchExpressions") {
  auto selector = LabelSelector::from_json(test::yaml(
      "{matchLabels: {app: web}, matchExpressions: [{key: tier, operator: In, values: [b, a]}, "
      "{key: old, operator: DoesNotExist}]}"));
  REQUIRE(selector);
  CHECK(selector->to_string() == "app=web,tier in (a,b),!old");
  CHECK(selector->matches({{"app", "web"}, {"tier", "a"}}));
  CHECK_FALSE(selector->matches({{"app", "web"}, {"tier", "a"}, {"old", "x"}}));
  CHECK_FALSE(LabelSelector::from_json(
      test::yaml("{matchExpressions: [{key: a, operator: in, values: [b]}]}")));
  CHECK_FALSE(LabelSelector::from_json(test::yaml("{matchExpressions: [{key: a, operator: In}]}")));
}

TEST_CASE("selector: field selectors keep their escapes") {
  auto terms = parse_field_selector("metadata.name=a,status.phase!=Running,x==b\\,c\\=d");
  REQUIRE(terms);
  REQUIRE(terms->size() == 3);
  CHECK((*terms)[1].negated);
  CHECK((*terms)[1].path == "status.phase");
  CHECK((*terms)[2].value == "b,c=d");
  CHECK(to_string(*terms) == "metadata.name=a,status.phase!=Running,x=b\\,c\\=d");
  CHECK(parse_field_selector("")->empty());
  for (auto bad : {"name", "=x", "!=x", "\t==x", "! =x", "a b=c", "a=b=c", "a=b\\x"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_field_selector(bad));
  }
}
