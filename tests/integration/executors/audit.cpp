#include "audit.hpp"

#include <algorithm>
#include <fstream>
#include <set>

#include <doctest/doctest.h>

#include <kubist/data/pointer.hpp>
#include <kubist/util/random.hpp>
#include <kubist/util/text.hpp>

namespace it {

using namespace kubist;
using data::Json;
namespace fs = std::filesystem;

std::string AuditedWrite::to_string() const {
  return util::cat(user, ' ', verb, ' ', resource, ' ', ns, '/', name,
                   subresource.empty() ? "" : " " + subresource);
}

Audit::Audit(std::string cluster) : m_cluster(std::move(cluster)) {
  const fs::path logs = kubeconfig("home").parent_path().parent_path() / "log";
  m_path = logs / (m_cluster == "home" ? "audit.jsonl" : "audit-" + m_cluster + ".jsonl");
  m_start = fs::file_size(m_path);
}

namespace {

bool changes_something(const Json& event) {
  static const std::set<std::string, std::less<>> verbs{"create", "update", "patch", "delete",
                                                        "deletecollection"};
  static const std::set<std::string, std::less<>> reviews{"authorization.k8s.io",
                                                          "authentication.k8s.io"};
  return verbs.contains(data::string_at(event, {"verb"})) &&
         data::string_at(event, {"requestURI"}).find("dryRun=All") == std::string_view::npos &&
         !reviews.contains(data::string_at(event, {"objectRef", "apiGroup"})) &&
         data::int_at(event, {"responseStatus", "code"}) < 400;
}

AuditedWrite write_of(const Json& event, std::string user) {
  const auto part = [&](std::string_view name) {
    return std::string(data::string_at(event, {"objectRef", name}));
  };
  return {std::move(user),  std::string(data::string_at(event, {"verb"})),
          part("resource"), part("namespace"),
          part("name"),     part("subresource")};
}

}  // namespace

void Audit::read(const std::string& user, const std::function<void(const Json& event)>& take) {
  // What came before the mark is in the log when the mark is.
  const std::string mark = util::cat("policy-mark-", util::random_uuid());
  static_cast<void>(get(m_cluster, "namespace", mark));
  std::vector<Json> events;
  const bool complete = eventually([&] {
    std::ifstream log(m_path);
    log.seekg(static_cast<std::streamoff>(m_start));
    events.clear();
    for (std::string line; std::getline(log, line);) {
      if (line.find(mark) != std::string::npos) {
        return true;
      }
      if (line.find(user) == std::string::npos) {
        continue;
      }
      Json event = Json::parse(line, nullptr, false);
      if (data::string_at(event, {"stage"}) == "ResponseComplete") {
        events.push_back(std::move(event));
      }
    }
    return false;
  });
  REQUIRE_MESSAGE(complete, "the audit log does not show its mark");
  std::for_each(events.begin(), events.end(), take);
}

std::vector<AuditedWrite> Audit::writes(const std::string& user, std::size_t* reads) {
  std::vector<AuditedWrite> found;
  std::size_t others = 0;
  read(user, [&](const Json& event) {
    // Who sent it, whomever kubist impersonated for it, or who was impersonated by --as.
    const std::string_view sent_by = data::string_at(event, {"user", "username"});
    const std::string_view sent_as = data::string_at(event, {"impersonatedUser", "username"});
    if (!sent_by.starts_with(user) && !sent_as.starts_with(user)) {
      return;
    }
    if (changes_something(event)) {
      found.push_back(write_of(event, std::string(sent_as.empty() ? sent_by : sent_as)));
    } else {
      ++others;
    }
  });
  if (reads != nullptr) {
    *reads = others;
  } else {
    CHECK_MESSAGE(found.size() + others > 0, "the audit log shows no request of ", user);
  }
  return found;
}

std::vector<Json> Audit::requests(const std::string& user) {
  std::vector<Json> found;
  read(user, [&](const Json& event) {
    if (data::string_at(event, {"impersonatedUser", "username"}) == user ||
        data::string_at(event, {"user", "username"}) == user) {
      found.push_back(event);
    }
  });
  return found;
}

bool Audit::let_through(const std::string& binding) {
  bool found = false;
  read(binding, [&](const Json& event) {
    const auto reason = data::string_at(event, {"annotations", "authorization.k8s.io/reason"});
    found = found || reason.find(binding) != std::string_view::npos;
  });
  return found;
}

}  // namespace it
