#include <algorithm>

#include <kubist/resources/crds.hpp>
#include <kubist/resources/object.hpp>

#include "server.hpp"
#include "support/live.hpp"

namespace contract {

namespace {

/// Others share them, so they stay.
void install_crds(kube::Client& client) {
  const auto& of = well_known::custom_resource_definitions();
  for (const Json& crd : kubist::resources::crds()) {
    kube::ApplyOptions options;
    options.force = true;
    must(client.run(kube::apply(of, crd, options)));
  }
  CHECK(eventually([&] {
    const auto all = client.list(of, "");
    return all && std::all_of(all->items.begin(), all->items.end(), [](const Json& crd) {
             const auto found = kubist::resources::ObjectView(crd).condition("Established");
             return found && found->status == "True";
           });
  }));
}

}  // namespace

const std::shared_ptr<kube::Client>& client() {
  static const auto made = [] {
    const auto& live = it::client("home");
    install_crds(*live);
    return live;
  }();
  return made;
}

}  // namespace contract
