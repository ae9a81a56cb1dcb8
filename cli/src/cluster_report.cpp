#include "cluster_report.hpp"

#include <kubist/util/duration.hpp>
#include <kubist/util/text.hpp>

namespace kubist::cli {

using data::Json;
using util::cat;
using TimePoint = std::chrono::system_clock::time_point;

namespace {

std::string until(TimePoint end, TimePoint now) {
  const auto left = std::chrono::duration_cast<std::chrono::seconds>(end - now);
  return left.count() > 0
             ? cat("until ", util::format_time(end), ", in ", util::human_duration(left))
             : cat("ended ", util::format_time(end));
}

void add_end(Json& document, const char* key, const ClusterReport::Time& end) {
  if (end) {
    document[key] = util::format_time(*end);
  }
}

}  // namespace

void ClusterReport::judge(TimePoint now) {
  const std::string rotate = cat("kubist cluster rotate ", name, " -n ", ns, " --context CONTEXT");
  const auto check = [&](const Time& end, std::string_view what, const std::string& next) {
    if (end && *end <= now) {
      problems.push_back({cat(what, " ended at ", util::format_time(*end)), next});
    }
  };
  check(token_end, "the token", rotate);
  check(certificate_end, "the client certificate",
        cat("put a kubeconfig with a new one into the Secret of Cluster ", name));
  check(authority_end, "the certificate of the server's authority",
        cat("put a kubeconfig with the new one into the Secret of Cluster ", name));
  for (const setup::MissingRight& right : missing.value_or(std::vector<setup::MissingRight>{})) {
    problems.push_back(
        {cat(user, " may not ", setup::to_string(right)), setup::grant_command(right, user)});
  }
}

Json to_json(const ClusterReport& report) {
  Json document{{"namespace", report.ns},       {"name", report.name}, {"server", report.server},
                {"version", report.version},    {"user", report.user}, {"problems", Json::array()},
                {"ok", report.problems.empty()}};
  add_end(document, "tokenEnd", report.token_end);
  add_end(document, "certificateEnd", report.certificate_end);
  add_end(document, "authorityEnd", report.authority_end);
  if (report.missing) {
    document["missing"] = Json::array();
    for (const setup::MissingRight& right : *report.missing) {
      document["missing"].push_back(
          {{"group", right.group}, {"resource", right.resource}, {"verbs", right.verbs}});
    }
  }
  for (const ClusterReport::Problem& problem : report.problems) {
    document["problems"].push_back({{"message", problem.message}, {"next", problem.next}});
  }
  return document;
}

Table table_of(const ClusterReport& report, TimePoint now) {
  Table table{{"ATTRIBUTE", "VALUE"}, {}};
  const auto add = [&](const char* name, std::string value) {
    table.rows.push_back({name, std::move(value)});
  };
  const auto known = [](const std::string& text) {
    return text.empty() ? std::string("unknown") : text;
  };
  add("Server", known(report.server));
  add("Version", known(report.version));
  add("User", known(report.user));
  if (report.by_secret) {
    add("Authority", report.authority_end ? until(*report.authority_end, now) : "the system's");
  }
  if (report.has_token) {
    add("Token", report.token_end ? until(*report.token_end, now) : "without an end");
  }
  if (report.certificate_end) {
    add("Certificate", until(*report.certificate_end, now));
  }
  add("Rights", !report.missing           ? "unknown"
                : report.missing->empty() ? "all that kubist needs"
                                          : cat(report.missing->size(), " kinds lack some"));
  return table;
}

}  // namespace kubist::cli
