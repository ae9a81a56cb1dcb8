#include <cstdint>
#include <string>
#include <vector>

#include <kubist/apply/remove.hpp>
#include <kubist/data/json_stream.hpp>
#include <kubist/data/page_buffer.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/kube/discovery.hpp>
#include <kubist/resources/crds.hpp>
#include <kubist/setup/install.hpp>
#include <kubist/util/text.hpp>

namespace kubist::setup {

using data::Json;
using resources::ObjectView;
using util::cat;
using util::ErrorKind;

namespace {

/// The number of objects of a CRD's kind; an estimate beyond one page.
util::Result<std::int64_t> count_objects(kube::Client& client, const Json& crd,
                                         const std::stop_token& stop) {
  const Json* versions = data::find_path(crd, {"spec", "versions"});
  for (const Json& version : versions != nullptr ? *versions : Json::array()) {
    const auto resource = kube::resource_of_crd(crd, data::string_at(version, {"name"}),
                                                data::string_at(crd, {"spec", "names", "kind"}));
    if (!resource) {
      continue;
    }
    kube::ListOptions list;
    list.form = kube::Form::metadata;
    std::int64_t count = 0;
    data::ListReader reader;
    const auto end = client.list_pages(
        *resource, "", list,
        [&](const data::PageBuffer& page) -> util::Result<> {
          KUBIST_TRY(const auto head,
                     reader.read(page, [](const data::ListItem&) { return util::Result<>(); }));
          count += static_cast<std::int64_t>(head.items);
          return {};
        },
        stop);
    if (!end && end.error().kind != ErrorKind::not_found) {
      return tl::unexpected<util::Error>(end.error());
    }
    return count;
  }
  return 0;
}

/// The live object of that name where kubist installed it.
util::Result<std::vector<apply::Target>> find_own(kube::Client& client, const ObjectView& object,
                                                  const std::stop_token& stop) {
  KUBIST_TRY(const auto resource,
             client.discovery().find_kind(object.api_version(), object.kind(), stop));
  const std::string ns(object.ns());
  const std::string name(object.name());
  KUBIST_TRY(const auto live, client.find(resource, ns, name, stop));
  if (!live || !is_own_crd(*live)) {
    return {};
  }
  return std::vector<apply::Target>{{resource, ns, name, std::string(ObjectView(*live).uid()), {}}};
}

}  // namespace

apply::Report uninstall_crds(kube::Client& client, const UninstallOptions& options,
                             std::stop_token stop) {
  apply::Report report;
  std::vector<apply::Target> targets;
  std::vector<std::string> in_use;
  const auto& resource = kube::well_known::custom_resource_definitions();
  for (const Json& crd : resources::crds()) {
    const std::string name(ObjectView(crd).name());
    auto live = client.find(resource, "", name, stop);
    if (!live) {
      report.errors.push_back(live.error());
      return report;
    }
    if (!*live) {
      continue;
    }
    if (!is_own_crd(**live)) {
      apply::ObjectResult kept;
      kept.ref = ObjectView(**live).ref();
      kept.api_version = resource.api_version();
      kept.outcome = apply::Outcome::kept;
      kept.message = "somebody else installed it";
      if (options.on_result) {
        options.on_result(kept);
      }
      report.results.push_back(std::move(kept));
      continue;
    }
    const auto count = count_objects(client, **live, stop);
    if (!count) {
      report.errors.push_back(count.error());
      return report;
    }
    if (*count > 0) {
      in_use.push_back(cat(*count, ' ', name));
    }
    targets.push_back({resource, "", name, std::string(ObjectView(**live).uid()), {}});
  }
  std::vector<Json> others = project_roles();
  for (Json& object : controller_objects({.ns = options.controller_ns})) {
    others.push_back(std::move(object));
  }
  for (const Json& other : others) {
    const auto own = find_own(client, ObjectView(other), stop);
    if (!own) {
      report.errors.push_back(own.error());
      return report;
    }
    targets.insert(targets.end(), own->begin(), own->end());
  }
  if (!in_use.empty() && !options.force) {
    report.errors.push_back(util::make_error(
        ErrorKind::conflict, cat("there are objects of kubist's kinds: ", util::join(in_use, ", ")),
        "Delete them first with 'kubist delete', or pass --force to delete them with their kinds; "
        "what they stand for then stays as it is."));
    return report;
  }
  apply::RemoveOptions remove;
  remove.propagation = kube::Propagation::foreground;  // the controller ends with its rights
  remove.timeout = options.timeout;
  remove.ignore_not_found = true;
  remove.dry_run = options.dry_run;
  remove.on_result = options.on_result;
  apply::Report removed = apply::remove_set(client, targets, remove, std::move(stop));
  removed.results.insert(removed.results.begin(), report.results.begin(), report.results.end());
  return removed;
}

}  // namespace kubist::setup
