#include <kubist/cli/context.hpp>
#include <kubist/cli/exit_codes.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/util/text.hpp>

#include "../output/document.hpp"
#include "../output/table.hpp"
#include "../several_contexts.hpp"
#include "commands.hpp"

namespace kubist::cli {
namespace {

using util::cat;

/// As Go prints a list, and so kubectl.
std::string bracketed(const std::vector<std::string>& values) {
  return cat('[', util::join(values, " "), ']');
}

/// `row`: the cells before its own.
void add_user(const data::Json& user, const std::vector<std::string>& row, Table& table) {
  const auto add = [&](std::string name, std::string value) {
    std::vector<std::string>& cells = table.rows.emplace_back(row);
    cells.push_back(std::move(name));
    cells.push_back(std::move(value));
  };
  for (const auto& [key, title] : {std::pair{"username", "Username"}, std::pair{"uid", "UID"}}) {
    if (const auto value = data::string_at(user, {key}); !value.empty()) {
      add(title, std::string(value));
    }
  }
  if (const auto groups = data::strings_at(user, {"groups"}); !groups.empty()) {
    add("Groups", bracketed(groups));
  }
  const data::Json& extra = data::object_at(user, {"extra"});
  for (const auto& item : extra.items()) {
    add(cat("Extra: ", item.key()), bracketed(data::strings_at(extra, {item.key()})));
  }
}

util::Result<int> run_whoami(Context& context, const Arguments& arguments) {
  KUBIST_TRY(const bool several, asks_contexts(arguments));
  Table table{{"ATTRIBUTE", "VALUE"}, {}};
  if (several) {
    table.header.insert(table.header.begin(), "CONTEXT");
  }
  data::Json document;
  data::Json all{{"contexts", data::Json::array()}};
  KUBIST_TRY(auto errors, in_each_context(context, [&](const std::string& name) -> util::Result<> {
               KUBIST_TRY(const auto client, context.client());
               KUBIST_TRY(document, client->who_am_i(context.stop()));
               add_user(data::object_at(document, {"status", "userInfo"}),
                        several ? std::vector{name} : std::vector<std::string>{}, table);
               all["contexts"].push_back({{"context", name}, {"review", document}});
               return {};
             }));
  KUBIST_TRY(const bool printed, print_document(context, several ? all : document));
  if (!printed) {
    print_table(context.out(), table);
  }
  return end_of_contexts(std::move(errors));
}

}  // namespace

CommandSpec auth_whoami_command() {
  return {
      .path = "auth whoami",
      .group = "Objects of any kind, as kubectl",
      .summary = "Ask the API server as whom it knows you",
      .details = "Prints user name, groups and what else the server knows of the credentials.",
      .flags = {contexts_flag(), document_flag()},
      .examples = {{"Who am I?", "kubist auth whoami"},
                   {"And elsewhere?", "kubist auth whoami --contexts prod,dev"},
                   {"Only the name", "kubist auth whoami -o jsonpath={.status.userInfo.username}"}},
      .run = run_whoami};
}

}  // namespace kubist::cli
