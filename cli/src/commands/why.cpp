#include <kubist/cli/context.hpp>
#include <kubist/cli/exit_codes.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/executors/why.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/util/text.hpp>

#include "commands.hpp"
#include "output/document.hpp"
#include "query/targets.hpp"
#include "reasons.hpp"

namespace kubist::cli {
namespace {

using data::Json;
using executors::Keeper;
using util::cat;
using util::ErrorKind;

/// "VirtualCluster/shop/dev".
std::string named(const engine::Key& key) {
  return cat(key.kind, '/', key.ns, key.ns.empty() ? "" : "/", key.name);
}

std::string run_text(const Json& run) {
  const auto text = [&](const char* field) { return std::string(data::string_at(run, {field})); };
  return cat(text("id"), ", ended ", text("finishedAt"), ": ", text("outcome"));
}

void print_line(Sink& out, std::string_view name, const std::string& value) {
  if (!value.empty()) {
    out.write(util::printable(cat("  ", name, std::string(11 - name.size(), ' '), value)) + '\n');
  }
}

void print_keeper(Sink& out, const Keeper& keeper) {
  std::vector<std::string> above;
  for (const engine::Key& key : keeper.above) {
    above.push_back(named(key));
  }
  print_line(out, "Kept by:",
             cat(named(keeper.node), keeper.target.empty() ? "" : " on ", keeper.target,
                 keeper.item.empty() ? "" : ", its item ", keeper.item));
  print_line(out, "Below:", util::join(above, ", "));
  const Json* run = data::find_path(keeper.status, {"lastRun"});
  if (run != nullptr) {
    print_line(out, "Last run:", run_text(*run));
    print_line(out, "Cause:", std::string(data::string_at(*run, {"cause"})));
    for (const std::string& write : keeper.writes) {
      print_line(out, "Wrote:", write);
    }
    if (keeper.writes.empty()) {
      print_line(out, "Wrote:", "nothing to this object: an earlier run did");
    }
  }
  print_line(out, "Written:", keeper.written_at);
  for (const Json& policy : data::array_at(keeper.status, {"policies"})) {
    const auto text = [&](const char* field) { return data::string_at(policy, {field}); };
    print_line(out, "Policy:",
               cat(text("name"), ": ", text("outcome"), text("message").empty() ? "" : ": ",
                   text("message")));
  }
  const Json* ready = engine::find_condition(keeper.status, "Ready");
  if (ready != nullptr) {
    print_line(out, "Ready:",
               cat(data::string_at(*ready, {"status"}), ": ", data::string_at(*ready, {"reason"}),
                   ": ", data::string_at(*ready, {"message"})));
    print_line(out, "More:",
               data::string_at(*ready, {"status"}) == "True"
                   ? std::string()
                   : reason_command(data::string_at(*ready, {"reason"})));
  }
}

Json to_json(const Keeper& keeper) {
  Json above = Json::array();
  for (const engine::Key& key : keeper.above) {
    above.push_back({{"kind", key.kind}, {"namespace", key.ns}, {"name", key.name}});
  }
  Json out{{"kind", keeper.node.kind},
           {"namespace", keeper.node.ns},
           {"name", keeper.node.name},
           {"above", std::move(above)},
           {"writes", keeper.writes}};
  for (const auto& [name, value] :
       {std::pair("target", keeper.target), std::pair("item", keeper.item),
        std::pair("writtenAt", keeper.written_at)}) {
    if (!value.empty()) {
      out[name] = value;
    }
  }
  for (const char* field : {"lastRun", "policies", "conditions"}) {
    if (const auto found = keeper.status.find(field); found != keeper.status.end()) {
      out[field] = *found;
    }
  }
  return out;
}

/// Who else writes to it.
std::string others(const Json* live) {
  std::vector<std::string> managers;
  const Json none;
  for (const Json& entry :
       data::array_at(live != nullptr ? *live : none, {"metadata", "managedFields"})) {
    managers.emplace_back(data::string_at(entry, {"manager"}));
  }
  return live == nullptr    ? std::string("It is not on this cluster either.")
         : managers.empty() ? std::string()
                            : cat("Its fields are those of ", util::join(managers, ", "), '.');
}

util::Result<int> run_why(Context& context, const Arguments& arguments) {
  KUBIST_TRY(const auto client, context.client());
  KUBIST_TRY(const std::string ns, context.ns());
  KUBIST_TRY(const Targets targets,
             find_targets(*client, arguments.words(), {ns, false}, context.stop()));
  Json document{{"objects", Json::array()}};
  for (const Target& target : targets.list) {
    if (target.names.empty()) {
      return util::fail(ErrorKind::usage, "name an object, as KIND/NAME or KIND NAME");
    }
    for (const std::string& name : target.names) {
      const engine::Key object{target.resource.group, target.resource.kind,
                               target.resource.namespaced ? target.ns : "", name};
      KUBIST_TRY(const auto live, client->find(target.resource, object.ns, name, context.stop()));
      const Json* known = live ? &*live : nullptr;
      KUBIST_TRY(const auto keepers, executors::keepers_of(*client, object, known, context.stop()));
      if (keepers.empty()) {
        return util::fail(ErrorKind::not_found,
                          cat("no object of the tree that you may see keeps ", named(object)),
                          others(known));
      }
      Json all = Json::array();
      for (const Keeper& keeper : keepers) {
        all.push_back(to_json(keeper));
      }
      document["objects"].push_back({{"object", named(object)}, {"keptBy", all}});
      if (!arguments.given("output")) {
        context.out().write(named(object) + '\n');
        for (const Keeper& keeper : keepers) {
          print_keeper(context.out(), keeper);
        }
      }
    }
  }
  if (arguments.given("output")) {
    KUBIST_CHECK(print_document(context, document));
  }
  return k_ok;
}

}  // namespace

CommandSpec why_command() {
  return {
      .path = "why",
      .group = "Day to day",
      .summary = "Print why kubist wrote an object: by which node, run, policies and change",
      .details =
          "The object may be of any kind, in the namespace of --namespace. It is kept by the "
          "object of the tree whose mark, field manager or inventory has it; also one on another "
          "cluster is found in an inventory.\n\n"
          "The cause is what the last run that changed or learned something there was for: a "
          "change, drift of another object, what a person asked for, a due time. 'Wrote' says what "
          "it wrote to the object; 'Written' when the keeper wrote it last. The id of a run is "
          "also in log lines, reports and Events ('kubist events --run ID').",
      .arguments = "KIND/NAME... | KIND NAME...",
      .min_words = 1,
      .max_words = -1,
      .completes = Completes::resource_names,
      .flags = {document_flag()},
      .examples = {{"Why has this namespace its labels?", "kubist why namespace/shop-dev"},
                   {"What was behind a Deployment?", "kubist why deployment web -n shop-dev"}},
      .run = run_why};
}

}  // namespace kubist::cli
