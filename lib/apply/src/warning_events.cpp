#include "warning_events.hpp"

#include <algorithm>
#include <map>

#include <kubist/data/pointer.hpp>
#include <kubist/util/text.hpp>

namespace kubist::apply {
namespace {

using data::Json;

constexpr std::size_t k_most_events = 3;

std::string_view time_of(const Json& event) {
  const std::string_view last = data::string_at(event, {"lastTimestamp"});
  return last.empty() ? data::string_at(event, {"eventTime"}) : last;
}

std::string line_of(const Json& event) {
  return util::cat(data::string_at(event, {"involvedObject", "kind"}), '/',
                   data::string_at(event, {"involvedObject", "name"}), ": ",
                   data::string_at(event, {"reason"}), ": ",
                   util::printable(data::string_at(event, {"message"})));
}

bool concerns(const Json& event, const resources::ObjectRef& ref) {
  const std::string_view name = data::string_at(event, {"involvedObject", "name"});
  return name == ref.name || (name.starts_with(ref.name) && name.size() > ref.name.size() &&
                              name[ref.name.size()] == '-');
}

}  // namespace

void add_warning_events(kube::Client& client, std::vector<NotReady>& objects,
                        const std::stop_token& stop) {
  std::map<std::string, std::vector<Json>> by_namespace;
  for (NotReady& object : objects) {
    const std::string ns = object.ref.ns.empty() ? "default" : object.ref.ns;
    const auto [found, first] = by_namespace.try_emplace(ns);
    if (first) {
      kube::ListOptions list;
      list.field_selector = "type=Warning";
      if (auto events = client.list(kube::well_known::events(), ns, list, stop)) {
        found->second = std::move(events->items);
        std::stable_sort(found->second.begin(), found->second.end(),
                         [](const Json& a, const Json& b) { return time_of(a) < time_of(b); });
      }
    }
    for (auto event = found->second.rbegin();
         event != found->second.rend() && object.events.size() < k_most_events; ++event) {
      if (concerns(*event, object.ref)) {
        object.events.push_back(line_of(*event));
      }
    }
    std::reverse(object.events.begin(), object.events.end());
  }
}

}  // namespace kubist::apply
