#include <algorithm>

#include <kubist/data/compare.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/deployers/function.hpp>
#include <kubist/deployers/logs.hpp>
#include <kubist/deployers/runner.hpp>
#include <kubist/deployers/upstream.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/util/text.hpp>

#include "execution/execution_parts.hpp"
#include "item/requests.hpp"

namespace kubist::deployers {

using util::cat;
using util::ErrorKind;

namespace {

class Function {
 public:
  Function(World& world, const FunctionCall& call) : m_world(world), m_call(call) {}

  util::Result<FunctionAnswer> run() {
    KUBIST_TRY(const auto item,
               m_world.home->find(deploy_items(), m_call.ns, m_call.name, m_world.stop));
    KUBIST_TRY(const auto input, m_world.home->find(kube::well_known::secrets(), m_call.ns,
                                                    home_import_name(m_call.name), m_world.stop));
    if (item) {
      KUBIST_CHECK(check_owner(*item));
    }
    const Json secret = import_secret(metadata(), m_call.name, m_call.input);
    const Json wanted = deploy_item();
    const bool same_item =
        item && data::contains_all(*item, wanted) && added_to(*item, wanted).empty();
    if (m_world.writer.dry()) {
      const bool same_input = input && input->value("data", Json()) == secret["data"];
      return same_item && same_input && has_succeeded(*item) ? answer_of(*item, true) : not_run();
    }
    KUBIST_CHECK(ensure_secret(m_world, {*m_world.home}, secret, input));
    Json ours = same_item ? *item : Json();
    if (!same_item) {
      KUBIST_TRY(ours, apply_deploy_item(m_world, wanted, item ? &*item : nullptr));
      KUBIST_CHECK(check_nothing_added(ours, wanted));
    }
    // Whoever may write items may change this one at any time, and it is run with kubist's own
    // rights: nothing but what was applied is.
    const auto generation = resources::ObjectView(ours).generation();
    KUBIST_TRY(const ItemOutcome outcome,
               run_item(m_world, m_call.ns, m_call.name,
                        {.wait = m_call.wait,
                         .known = std::make_shared<const Json>(std::move(ours)),
                         .generation = generation}));
    return outcome.state == Progress::State::done ? answer_of(outcome.item, !outcome.ran)
                                                  : failed(outcome);
  }

 private:
  Json metadata() const {
    return {{"name", m_call.name},
            {"namespace", m_call.ns},
            {"labels",
             {{resources::k_managed_by_label, "kubist"},
              {k_function_label, label_value(m_call.function)}}},
            {"annotations", m_call.annotations},
            {"ownerReferences", Json::array({m_call.owner})}};
  }

  Json deploy_item() const {
    Json spec{
        {"type", "kubist.io/container"}, {"timeout", m_call.timeout}, {"config", m_call.config}};
    refer_to_imports(spec, m_call.name);
    if (m_world.settings.foreign_crd) {
      spec = to_upstream_spec(std::move(spec), m_call.ns);
    }
    Json meta = metadata();
    meta["annotations"][std::string(k_without_uninstall)] = "true";  // there is nothing to undo
    return {{"apiVersion", resources::k_landscaper_api_version},
            {"kind", "DeployItem"},
            {"metadata", std::move(meta)},
            {"spec", std::move(spec)}};
  }

  /// What of the item is not ours: an apply leaves what others have added. A Landscaper fills in
  /// fields of its own, but none of the config.
  std::vector<std::string> added_to(const Json& item, const Json& wanted) const {
    const std::string part = m_world.settings.foreign_crd ? "/spec/config" : "/spec";
    const Json::json_pointer pointer(part);
    std::vector<std::string> added;
    for (const std::string& place : data::differences(item.at(pointer), wanted.at(pointer))) {
      if (item.contains(Json::json_pointer(part + place))) {
        added.push_back(data::dotted_path(part + place));
      }
    }
    return added;
  }

  util::Result<> check_nothing_added(const Json& item, const Json& wanted) const {
    const auto added = added_to(item, wanted);
    return added.empty()
               ? util::Result<>{}
               : util::fail(ErrorKind::conflict,
                            cat("DeployItem ", m_call.ns, "/", m_call.name,
                                " has what kubist did not give it: ", util::join(added, ", ")),
                            "Delete it; kubist makes it again.", "NameTaken");
  }

  util::Result<> check_owner(const Json& item) const {
    const resources::ObjectView view(item);
    const auto owners = view.owners();
    const auto uid = data::string_at(m_call.owner, {"uid"});
    const bool own = std::any_of(owners.begin(), owners.end(),
                                 [&](const auto& owner) { return owner.uid == uid; });
    if (own && view.labels().contains(k_function_label)) {
      return {};
    }
    return util::fail(ErrorKind::conflict,
                      cat("DeployItem ", m_call.ns, "/", m_call.name,
                          " is not one that kubist made for this resource"),
                      "Delete it or give it another name.", "NameTaken");
  }

  static bool has_succeeded(const Json& item) {
    return data::string_at(item, {"status", "phase"}) == "Succeeded";
  }

  util::Result<FunctionAnswer> not_run() const {
    return util::fail(ErrorKind::unavailable,
                      "a dry run starts no pod, and no answer to this input is kept",
                      "A run that is not dry asks the image and keeps its answer.", "NotRun");
  }

  util::Result<FunctionAnswer> failed(const ItemOutcome& outcome) const {
    if (outcome.state == Progress::State::running) {
      return util::fail(ErrorKind::cancelled, outcome.message, "",
                        std::string(m_call.wait ? "" : k_function_running));
    }
    return util::fail(ErrorKind::unavailable, outcome.message, "", "FunctionFailed");
  }

  util::Result<FunctionAnswer> answer_of(const Json& item, bool kept) {
    KUBIST_TRY(Json value, kept_exports(m_world, item));
    return FunctionAnswer{std::move(value), kept};
  }

  World& m_world;
  const FunctionCall& m_call;
};

}  // namespace

util::Result<FunctionAnswer> run_function(World& world, const FunctionCall& call) {
  return Function(world, call).run();
}

std::string last_words(World& world, const std::string& ns, const std::string& item,
                       std::size_t limit) {
  const auto logs = kept_logs(*world.home, ns, item, world.stop);
  if (!logs || logs->empty()) {
    return {};
  }
  const std::string& text = logs->front().text;
  return text.size() <= limit ? text : text.substr(text.size() - limit);
}

}  // namespace kubist::deployers
