#include "route_lines.hpp"

#include <kubist/util/text.hpp>

namespace kubist::cli {
namespace {

using data::Json;
using traffic::Rule;
using util::cat;

std::vector<std::string> written_out(const traffic::Alternative& alternative) {
  std::vector<std::string> tests;
  for (const traffic::Test& test : alternative) {
    tests.push_back(traffic::to_string(test));
  }
  return tests;
}

std::string words_of(const traffic::Backend& backend) {
  return cat(backend.destination, backend.port == 0 ? "" : cat(":", backend.port),
             backend.version.empty() ? "" : cat(" ", backend.version));
}

std::string extras(const Rule& rule) {
  std::vector<std::string> words;
  const auto add = [&](std::string_view what, const std::string& value) {
    if (!value.empty()) {
      words.push_back(cat(what, ' ', value));
    }
  };
  add("rewrite to", rule.rewrite);
  add("timeout", rule.timeout);
  if (rule.retries) {
    words.push_back(cat(rule.retries->attempts, " retries"));
  }
  if (rule.mirror) {
    words.push_back(cat("mirror ", traffic::percent_text(rule.mirror->percent), " to ",
                        words_of(rule.mirror->to)));
  }
  return words.empty() ? "" : cat("     ", util::join(words, ", "), '\n');
}

std::string lines_of(const traffic::Condition& condition, std::string_view indent,
                     std::string_view all) {
  if (condition.alternatives.empty()) {
    return cat(all, '\n');
  }
  std::string text;
  for (const traffic::Alternative& alternative : condition.alternatives) {
    text += cat(text.empty() ? "" : cat(indent, "or "),
                util::join(written_out(alternative), " and "), '\n');
  }
  return text;
}

std::string rule_lines(const Rule& rule, std::size_t number) {
  return cat(number, ". ", rule.name, ": ",
             lines_of(rule.condition, "     ", number == 1 ? "all requests" : "all other requests"),
             "     to ", backend_words(rule), '\n', extras(rule));
}

Json rule_json(const Rule& rule) {
  Json alternatives = Json::array();
  for (const traffic::Alternative& alternative : rule.condition.alternatives) {
    alternatives.push_back(written_out(alternative));
  }
  Json backends = Json::array();
  const std::vector<double> shares = traffic::shares(rule);
  for (std::size_t i = 0; i < rule.backends.size(); ++i) {
    const traffic::Backend& backend = rule.backends[i];
    backends.push_back({{"destination", backend.destination},
                        {"version", backend.version},
                        {"weight", backend.weight},
                        {"percent", shares[i]}});
    if (backend.port != 0) {
      backends.back()["port"] = backend.port;
    }
  }
  return {{"name", rule.name}, {"anyOf", alternatives}, {"weights", backends}};
}

}  // namespace

std::string condition_lines(const traffic::Condition& condition) {
  return lines_of(condition, "", "all requests");
}

std::string backend_words(const Rule& rule) {
  std::vector<std::string> words;
  const std::vector<double> shares = traffic::shares(rule);
  for (std::size_t i = 0; i < rule.backends.size(); ++i) {
    words.push_back(cat(words_of(rule.backends[i]), ' ', traffic::percent_text(shares[i])));
  }
  return util::join(words, ", ");
}

std::string route_lines(const traffic::Route& route, const traffic::Place& place) {
  std::string text =
      cat("TrafficRoute/", route.name, '\n',  //
          "hosts:    ", util::join(traffic::served_hosts(route, place), ", "), '\n',
          "gateways: ", util::join(traffic::served_gateways(route, place), ", "), "\n\n");
  for (std::size_t i = 0; i < route.rules.size(); ++i) {
    text += rule_lines(route.rules[i], i + 1);
  }
  return text;
}

Json route_json(const traffic::Route& route, const traffic::Place& place, const Rule* taken) {
  Json json{{"name", route.name},
            {"hosts", traffic::served_hosts(route, place)},
            {"gateways", traffic::served_gateways(route, place)},
            {"routes", Json::array()}};
  for (const Rule& rule : route.rules) {
    json["routes"].push_back(rule_json(rule));
  }
  if (taken != nullptr) {
    json["takes"] = taken->name;
  }
  return json;
}

}  // namespace kubist::cli
