#include "canary_write.hpp"

#include <filesystem>

#include <kubist/cli/exit_codes.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/data/yaml_edit.hpp>
#include <kubist/release/plan.hpp>
#include <kubist/release/states.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/traffic/shift.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/text.hpp>

#include "askable.hpp"

namespace kubist::cli {

using data::Json;
using util::cat;
using util::ErrorKind;

namespace {

/// The text with the route's weights as they were released.
util::Result<std::string> with_released(const std::string& text, const std::string& file,
                                        const engine::Key& route, const traffic::Shift& shift) {
  KUBIST_TRY(const auto documents, data::read_documents(text, file));
  for (const data::Document& document : documents) {
    const resources::ObjectView view(document.value);
    const bool named = view.kind() == route.kind && view.name() == route.name &&
                       (view.ns().empty() || view.ns() == route.ns);
    const Json* routes = data::find_path(document.value, {"spec", "routes"});
    if (!named || routes == nullptr) {
      continue;
    }
    KUBIST_TRY(const Json released, traffic::released_routes(*routes, shift));
    return released == *routes ? text : data::replace_value(document, "/spec/routes", released);
  }
  return util::fail(ErrorKind::not_found,
                    cat(file, " has no TrafficRoute ", route.name, " of namespace ", route.ns));
}

util::Result<release::Plan> released_plan(const Json& release, const engine::Key& key) {
  const std::string_view state = data::string_at(release, {"status", "state"}, "Pending");
  if (release::read_state(state) != release::State::succeeded) {
    return util::fail(ErrorKind::invalid,
                      cat("CanaryRelease/", key.name, " is ", state, ": nothing is released yet"),
                      cat("See 'kubist canary status ", key.name, " -n ", key.ns, "'."));
  }
  return release::read_plan(release);
}

}  // namespace

util::Result<int> write_released(Context& context, const Arguments& arguments) {
  KUBIST_TRY(const std::string ns, context.ns());
  KUBIST_TRY(const auto client, context.client());
  const std::string file = arguments.text("write");
  KUBIST_TRY(const std::string before, util::read_file(file));
  std::string text = before;
  std::string told;
  for (const std::string& word : arguments.words()) {
    const engine::Key key = asked_key(canary(), ns, word);
    KUBIST_TRY(const Json release, get_asked(*client, canary(), key, context.stop()));
    KUBIST_TRY(const release::Plan plan, released_plan(release, key));
    const traffic::Shift shift{plan.destination, plan.stable, plan.canary, 100};
    for (const std::string& name : plan.routes) {
      const engine::Key route{key.group, "TrafficRoute", key.ns, name};
      KUBIST_TRY(std::string after, with_released(text, file, route, shift));
      told += cat(file, ": TrafficRoute/", name, after == text ? " says so already: " : ": ",
                  plan.destination, ' ', plan.canary,
                  after == text ? "" : cat(" in place of ", plan.stable), '\n');
      text = std::move(after);
    }
  }
  if (text != before) {
    const auto mode = std::filesystem::status(file).permissions();
    KUBIST_CHECK(util::write_file(file, text, static_cast<unsigned>(mode)));
  }
  context.out().write(told);
  return k_ok;
}

}  // namespace kubist::cli
