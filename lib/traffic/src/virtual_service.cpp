#include <map>

#include <kubist/traffic/virtual_service.hpp>
#include <kubist/util/text.hpp>

#include "value_regex.hpp"

namespace kubist::traffic {
namespace {

using data::Json;
using util::cat;
using util::ErrorKind;
using util::Result;

constexpr std::size_t k_max_cookies = 3;

Json string_match(const Test& test) {
  switch (test.op) {
    case Operator::exact:
      return {{"exact", test.value}};
    case Operator::prefix:
      return {{"prefix", test.value}};
    case Operator::regex:
      return {{"regex", test.value}};
    case Operator::present:
      return {{"regex", ".*"}};
  }
  return {};
}

// Where HTTPMatchRequest keeps the test: one of its fields holds one matcher a name.
Json& slot_of(const Test& test, Json& match) {
  switch (test.part) {
    case Part::uri:
      return match["uri"];
    case Part::method:
      return match["method"];
    case Part::scheme:
      return match["scheme"];
    case Part::authority:
      return match["authority"];
    case Part::port:
      return match["port"];
    case Part::query:
      return match["queryParams"][test.name];
    case Part::header:
    case Part::cookie:
      break;
  }
  return match[test.negated ? "withoutHeaders" : "headers"]
              [test.part == Part::cookie ? "cookie" : test.name];
}

class MatchWriter {
 public:
  explicit MatchWriter(const Alternative& alternative) : m_alternative(alternative) {}

  Result<Json> run() {
    for (const Test& test : m_alternative) {
      if (test.part == Part::cookie && !test.negated) {
        m_cookies.push_back(&test);
      } else if (test.negated) {
        m_without[test.part == Part::cookie ? "cookie" : test.name].push_back(&test);
      } else {
        KUBIST_CHECK(write(test));
      }
    }
    if (m_cookies.size() > k_max_cookies) {
      return util::fail(ErrorKind::invalid,
                        cat("more than ", k_max_cookies, " cookies must be there at once (column ",
                            m_cookies[k_max_cookies]->column, ")"));
    }
    if (!m_cookies.empty()) {
      m_match["headers"]["cookie"] = {{"regex", cookies_regex(m_cookies)}};
    }
    for (const auto& [name, tests] : m_without) {
      write_without(name, tests);
    }
    return m_match;
  }

 private:
  Result<> write(const Test& test) {
    Json& slot = slot_of(test, m_match);
    if (!slot.is_null()) {
      return util::fail(ErrorKind::invalid,
                        cat(to_string(test), " (column ", test.column,
                            "): a match can ask only once for this part of a request"),
                        "Write both as one regex.");
    }
    slot = test.part == Part::port ? Json(*util::parse_int(test.value)) : string_match(test);
    return {};
  }

  // None of them may match: one matcher that takes what any of them would.
  void write_without(const std::string& name, const std::vector<const Test*>& tests) {
    Json& slot = m_match["withoutHeaders"][name];
    if (tests.size() == 1 && tests[0]->part == Part::header) {
      slot = string_match(*tests[0]);
      return;
    }
    std::vector<std::string> any;
    for (const Test* test : tests) {
      any.push_back(test->part == Part::cookie ? cookies_regex({test}) : value_regex(*test));
    }
    slot = {{"regex", util::join(any, "|")}};
  }

  const Alternative& m_alternative;
  std::vector<const Test*> m_cookies;
  std::map<std::string, std::vector<const Test*>> m_without;
  Json m_match = Json::object();
};

Json destination_of(const Backend& backend, const Place& place) {
  Json destination{{"host", full_host(backend.destination, place)}};
  if (!backend.version.empty()) {
    destination["subset"] = backend.version;
  }
  if (backend.port != 0) {
    destination["port"] = {{"number", backend.port}};
  }
  return destination;
}

Json backends_of(const Rule& rule, const Place& place) {
  Json backends = Json::array();
  for (const Backend& backend : rule.backends) {
    Json entry{{"destination", destination_of(backend, place)}};
    if (rule.backends.size() > 1) {
      entry["weight"] = backend.weight;
    }
    if (!backend.set_cookie.empty()) {
      entry["headers"]["response"]["add"]["set-cookie"] = backend.set_cookie;
    }
    backends.push_back(std::move(entry));
  }
  return backends;
}

void add_extras(Json& entry, const Rule& rule, const Place& place) {
  if (!rule.rewrite.empty()) {
    entry["rewrite"] = {{"uri", rule.rewrite}};
  }
  if (!rule.timeout.empty()) {
    entry["timeout"] = rule.timeout;
  }
  if (rule.retries) {
    Json retries{{"attempts", rule.retries->attempts}};
    if (!rule.retries->per_try_timeout.empty()) {
      retries["perTryTimeout"] = rule.retries->per_try_timeout;
    }
    if (!rule.retries->retry_on.empty()) {
      retries["retryOn"] = rule.retries->retry_on;
    }
    entry["retries"] = std::move(retries);
  }
  if (rule.mirror) {
    entry["mirror"] = destination_of(rule.mirror->to, place);
    entry["mirrorPercentage"] = {{"value", rule.mirror->percent}};
  }
  for (const auto& [side, changes] : {std::pair("request", &rule.headers.request),
                                      std::pair("response", &rule.headers.response)}) {
    if (changes->is_object() && !changes->empty()) {
      entry["headers"][side] = *changes;
    }
  }
}

}  // namespace

Result<Json> virtual_service_spec(const Route& route, const Place& place) {
  Json http = Json::array();
  for (const Rule& rule : route.rules) {
    Json entry{{"name", rule.name}, {"route", backends_of(rule, place)}};
    for (const Alternative& alternative : rule.condition.alternatives) {
      auto match = MatchWriter(alternative).run();
      if (!match) {
        return util::fail(util::with_context(
            match.error(),
            cat("the condition of route ", rule.name, " does not fit a VirtualService")));
      }
      entry["match"].push_back(*std::move(match));
    }
    add_extras(entry, rule, place);
    http.push_back(std::move(entry));
  }
  return Json{{"hosts", served_hosts(route, place)},
              {"gateways", served_gateways(route, place)},
              {"http", std::move(http)}};
}

}  // namespace kubist::traffic
