#include <algorithm>
#include <cctype>
#include <utility>

#include <kubist/data/pointer.hpp>
#include <kubist/setup/target_rights.hpp>
#include <kubist/util/text.hpp>

namespace kubist::setup {

using data::Json;
using util::cat;

namespace {

bool lists(const Json& rule, const char* key, std::string_view value) {
  const auto values = data::strings_at(rule, {key});
  return std::any_of(values.begin(), values.end(),
                     [&](const std::string& each) { return each == "*" || each == value; });
}

/// As RBAC has it: "*/log" stands for that subresource of all.
bool lists_resource(const Json& rule, const std::string& resource) {
  const std::size_t slash = resource.find('/');
  return lists(rule, "resources", resource) ||
         (slash != std::string::npos && lists(rule, "resources", "*" + resource.substr(slash)));
}

bool grants(const Json& granted, const std::string& group, const std::string& resource,
            const std::string& verb) {
  return std::any_of(granted.begin(), granted.end(), [&](const Json& rule) {
    return data::strings_at(rule, {"resourceNames"}).empty() && lists(rule, "apiGroups", group) &&
           lists_resource(rule, resource) && lists(rule, "verbs", verb);
  });
}

void add_missing(std::vector<MissingRight>& missing, const std::string& group,
                 const std::string& resource, const std::string& verb) {
  auto found = std::find_if(missing.begin(), missing.end(), [&](const MissingRight& right) {
    return right.group == group && right.resource == resource;
  });
  if (found == missing.end()) {
    found = missing.insert(found, MissingRight{group, resource, {}});
  }
  if (std::find(found->verbs.begin(), found->verbs.end(), verb) == found->verbs.end()) {
    found->verbs.push_back(verb);
  }
}

std::string group_resource(const MissingRight& right) {
  const std::size_t slash = right.resource.find('/');
  return cat(right.resource.substr(0, slash), right.group.empty() ? "" : ".", right.group,
             slash == std::string::npos ? "" : right.resource.substr(slash));
}

bool is_plain(std::string_view text) {
  constexpr std::string_view k_marks = ":@._-";
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 ||
           k_marks.find(letter) != k_marks.npos;
  });
}

bool has_control(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char letter) {
    const auto code = static_cast<unsigned char>(letter);
    return code < 0x20 || code == 0x7f;
  });
}

/// One word of a shell.
std::string shell_word(const std::string& text) {
  return is_plain(text) ? text : cat("'", util::replace_all(text, "'", R"('\'')"), "'");
}

util::Result<std::vector<MissingRight>> ask_each(kube::Client& client,
                                                 const std::vector<MissingRight>& doubtful,
                                                 const std::stop_token& stop) {
  std::vector<MissingRight> missing;
  for (const MissingRight& right : doubtful) {
    const std::size_t slash = right.resource.find('/');
    for (const std::string& verb : right.verbs) {
      KUBIST_TRY(
          const auto answer,
          client.can_i(
              {.verb = verb,
               .group = right.group,
               .resource = right.resource.substr(0, slash),
               .subresource = slash == std::string::npos ? "" : right.resource.substr(slash + 1)},
              stop));
      if (!answer.allowed) {
        add_missing(missing, right.group, right.resource, verb);
      }
    }
  }
  return missing;
}

}  // namespace

std::string to_string(const MissingRight& right) {
  return cat(util::join(right.verbs, ", "), " on ", group_resource(right));
}

std::string grant_command(const MissingRight& right, const std::string& user) {
  if (has_control(user)) {
    return "";
  }
  constexpr std::string_view k_accounts = "system:serviceaccount:";
  const bool account = user.starts_with(k_accounts) && is_plain(user) &&
                       user.size() > k_accounts.size() && user[k_accounts.size()] != '-';
  const std::string who = account ? user.substr(k_accounts.size()) : user;
  std::string role = cat(account ? who : std::string("kubist"), '-',
                         right.resource == "*" ? right.group : group_resource(right));
  std::replace_if(
      role.begin(), role.end(), [](char letter) { return letter == ':' || letter == '/'; }, '-');
  return cat("kubectl create clusterrole ", role, " --verb=", util::join(right.verbs, ","),
             " --resource='", group_resource(right), "' && kubectl create clusterrolebinding ",
             role, " --clusterrole=", role,
             account ? " --serviceaccount=" : " --user=", shell_word(who));
}

std::vector<MissingRight> beyond(const Json& wanted, const Json& granted) {
  std::vector<MissingRight> missing;
  for (const Json& rule : wanted) {
    for (const std::string& group : data::strings_at(rule, {"apiGroups"})) {
      for (const std::string& resource : data::strings_at(rule, {"resources"})) {
        for (const std::string& verb : data::strings_at(rule, {"verbs"})) {
          if (!grants(granted, group, resource, verb)) {
            add_missing(missing, group, resource, verb);
          }
        }
      }
    }
  }
  return missing;
}

util::Result<std::vector<MissingRight>> missing_rights(kube::Client& client, const Json& wanted,
                                                       const std::stop_token& stop) {
  KUBIST_TRY(const Json review, client.my_rules(stop));
  auto missing = beyond(wanted, data::array_at(review, {"status", "resourceRules"}));
  return data::bool_at(review, {"status", "incomplete"}) ? ask_each(client, missing, stop)
                                                         : std::move(missing);
}

}  // namespace kubist::setup
