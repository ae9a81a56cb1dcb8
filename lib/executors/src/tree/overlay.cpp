#include "tree/overlay.hpp"

#include <algorithm>

#include <kubist/deployers/execution.hpp>
#include <kubist/resources/kinds.hpp>

namespace kubist::executors {

void overlay(Snapshot& snapshot, const std::vector<data::Json>& planned) {
  for (const data::Json& object : planned) {
    const resources::ObjectView view(object);
    const resources::Kind* kind = resources::find_kind(view.group(), view.kind());
    const bool served = std::any_of(snapshot.served.begin(), snapshot.served.end(),
                                    [&](const kube::ApiResource& each) {
                                      return each.group == view.group() && each.kind == view.kind();
                                    });
    if ((kind == nullptr && !served) || view.labels().contains(deployers::k_execution_label)) {
      continue;
    }
    auto& objects = served || kind->node ? snapshot.nodes : snapshot.definitions;
    const auto found = std::find_if(objects.begin(), objects.end(), [&](const data::Json& live) {
      return resources::ObjectView(live).ref() == view.ref();
    });
    if (found == objects.end()) {
      objects.push_back(object);
    } else {
      found->update(object, true);
    }
  }
}

}  // namespace kubist::executors
