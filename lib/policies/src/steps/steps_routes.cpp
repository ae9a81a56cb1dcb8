#include "steps/steps_routes.hpp"

#include <algorithm>
#include <array>
#include <map>

#include <kubist/data/pointer.hpp>
#include <kubist/util/text.hpp>

#include "policy/step_fields.hpp"

namespace kubist::policies {

using util::cat;

namespace {

constexpr std::string_view k_header_route = "setHeaderRoute";
constexpr std::string_view k_mirror_route = "setMirrorRoute";
constexpr std::array<std::string_view, 2> k_set_header_fields{"name", "match"};
constexpr std::array<std::string_view, 3> k_mirror{"name", "match", "percentage"};
constexpr std::array<std::string_view, 2> k_header_match{"headerName", "headerValue"};
constexpr std::array<std::string_view, 3> k_mirror_match{"method", "path", "headers"};
constexpr std::array<std::string_view, 3> k_operators{"exact", "prefix", "regex"};

/// A text of a condition, with its quotes.
std::string text_of(std::string_view text) {
  return cat('"', util::replace_all(util::replace_all(text, "\\", "\\\\"), "\"", "\\\""), '"');
}

/// {exact, prefix or regex: VALUE} of `what` ("method", "header \"NAME\"") as a condition.
util::Result<std::string> read_test(const Json& value, const std::string& what,
                                    const std::string& where, const Place& place) {
  KUBIST_CHECK(check_fields(value, k_operators, where, place));
  if (value.size() != 1 || !value.front().is_string()) {
    return place.fail(cat(where, " needs one of exact, prefix and regex"));
  }
  return cat(what, ' ', value.begin().key(), ' ', text_of(value.front().get<std::string>()));
}

util::Result<std::string> read_header_match(const Json& given, const std::string& where,
                                            const Place& place) {
  KUBIST_CHECK(check_fields(given, k_header_match, where, place));
  const std::string_view name = data::string_at(given, {"headerName"});
  if (name.empty()) {
    return place.fail(cat(where, " needs a headerName"));
  }
  return read_test(given.value("headerValue", Json::object()), cat("header ", text_of(name)),
                   cat(where, ".headerValue"), place / "headerValue");
}

/// What one match asks for must all hold.
util::Result<std::string> read_mirror_match(const Json& given, const std::string& where,
                                            const Place& place) {
  KUBIST_CHECK(check_fields(given, k_mirror_match, where, place));
  std::vector<std::string> all;
  for (const auto& [field, word] : {std::pair("method", "method"), std::pair("path", "uri")}) {
    if (given.contains(field)) {
      KUBIST_TRY(all.emplace_back(),
                 read_test(given[field], word, cat(where, '.', field), place / field));
    }
  }
  const Json headers = given.value("headers", Json::object());
  for (const auto& [name, value] : headers.items()) {
    KUBIST_TRY(all.emplace_back(),
               read_test(value, cat("header ", text_of(name)), cat(where, ".headers.", name),
                         place / "headers" / name));
  }
  if (all.empty()) {
    return place.fail(cat(where, " asks for nothing: leave match out for all requests"));
  }
  return util::join(all, " and ");
}

/// The steps that come before step `place` at a weight, in order.
template <class Visit>
void for_each_before(const std::vector<Stage>& stages, int weight, std::size_t place, Visit visit) {
  for (const Stage& stage : stages) {
    for (std::size_t i = 0; i < stage.steps.size(); ++i) {
      if (stage.weight < weight || (stage.weight == weight && i < place)) {
        visit(stage.steps[i]);
      }
    }
  }
}

}  // namespace

bool is_route(const std::string& kind) { return kind == k_header_route || kind == k_mirror_route; }

util::Result<Step> read_route(const std::string& kind, const Json& given, const std::string& where,
                              const Place& place) {
  const bool mirror = kind == k_mirror_route;
  KUBIST_CHECK(mirror ? check_fields(given, k_mirror, where, place)
                      : check_fields(given, k_set_header_fields, where, place));
  Step step;
  step.kind = mirror ? Step::Kind::mirror : Step::Kind::header;
  step.name = data::string_at(given, {"name"});
  if (step.name.empty()) {
    return place.fail(cat(where, " needs a name"));
  }
  std::vector<std::string> any;
  for (const Json& match : given.value("match", Json::array())) {
    const Place at = place / "match" / any.size();
    KUBIST_TRY(any.emplace_back(), mirror ? read_mirror_match(match, cat(where, ".match"), at)
                                          : read_header_match(match, cat(where, ".match"), at));
  }
  step.match = util::join(any, " or ");
  if (mirror) {  // as Argo: without both it ends, without percentage all are copied
    const Json percent = given.value("percentage", Json(given.contains("match") ? 100 : 0));
    step.percent = percent.is_number_integer() ? percent.get<int>() : -1;
    if (step.percent < 0 || step.percent > 100) {
      return (place / "percentage")
          .fail(cat(where, ".percentage: ", percent.dump(), " is no percent from 0 to 100"));
    }
  }
  return step;
}

std::string match_at(const std::vector<Stage>& stages, int weight, std::size_t place) {
  std::map<std::string, std::string> set;
  for_each_before(stages, weight, place, [&](const Step& step) {
    if (step.kind == Step::Kind::header) {
      set[step.name] = step.match;
    }
  });
  std::vector<std::string> any;
  for (const auto& [name, match] : set) {
    if (!match.empty()) {
      any.push_back(match);
    }
  }
  return util::join(any, " or ");
}

Json mirror_at(const std::vector<Stage>& stages, int weight, std::size_t place) {
  std::vector<Step> set;  // the last one last
  for_each_before(stages, weight, place, [&](const Step& step) {
    if (step.kind == Step::Kind::mirror) {
      std::erase_if(set, [&](const Step& other) { return other.name == step.name; });
      if (step.percent > 0) {
        set.push_back(step);
      }
    }
  });
  if (set.empty()) {
    return Json();
  }
  Json mirror{{"percent", set.back().percent}};
  if (!set.back().match.empty()) {
    mirror["match"] = set.back().match;
  }
  return mirror;
}

}  // namespace kubist::policies
