#include <algorithm>
#include <array>

#include <kubist/apply/remove.hpp>
#include <kubist/apply/set.hpp>
#include <kubist/data/json_stream.hpp>
#include <kubist/data/page_buffer.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/resources/crds.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/setup/install.hpp>
#include <kubist/util/text.hpp>

#include "root_images.hpp"

namespace kubist::setup {

using data::Json;
using resources::ObjectView;
using util::cat;
using util::ErrorKind;

namespace {

/// A new kind or role may replace what an older kubist wrote, never what a newer one or somebody
/// else did.
util::Result<apply::Admission> admit(const Json* live, const std::string& version) {
  if (live == nullptr) {
    return apply::Admission{};
  }
  const bool is_role = ObjectView(*live).kind() == "ClusterRole";
  const std::string_view group = data::string_at(*live, {"spec", "group"});
  if (!is_own_crd(*live) && group != resources::k_kubist_group) {
    return apply::Admission{
        false, is_role ? "somebody else made it: its rights are those of projects' accounts"
                       : "somebody else installed it: only items of types kubist.io/* are "
                         "claimed"};
  }
  const std::string installed(ObjectView(*live).annotation(k_version_annotation));
  if (compare_versions(installed, version) > 0) {
    return apply::Admission{false, cat("a newer kubist (", installed, ") installed it")};
  }
  return apply::Admission{};
}

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

std::vector<std::string> version_parts(std::string_view version) {
  const auto plus = version.find('+');
  version = version.substr(0, plus);
  if (version.starts_with('v')) {
    version.remove_prefix(1);
  }
  const auto dash = version.find('-');
  std::vector<std::string> parts = util::split(version.substr(0, dash), '.');
  parts.resize(3);
  parts.emplace_back(dash == std::string_view::npos ? "" : version.substr(dash + 1));
  return parts;
}

template <class T>
int order(const T& a, const T& b) {
  return a < b ? -1 : (b < a ? 1 : 0);
}

/// Semantic versioning 2.0.0, item 11: numbers before words, numbers by value.
int compare_prerelease(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty()) {
    return order(a.empty(), b.empty());
  }
  const auto left = util::split(a, '.');
  const auto right = util::split(b, '.');
  for (std::size_t i = 0; i < std::min(left.size(), right.size()); ++i) {
    const auto x = util::parse_int(left[i]);
    const auto y = util::parse_int(right[i]);
    const int by = x && y ? order(*x, *y) : x ? -1 : y ? 1 : order(left[i], right[i]);
    if (by != 0) {
      return by;
    }
  }
  return order(left.size(), right.size());
}

}  // namespace

int compare_versions(std::string_view a, std::string_view b) {
  const auto left = version_parts(a);
  const auto right = version_parts(b);
  for (std::size_t i = 0; i < 3; ++i) {
    const int by =
        order(util::parse_int(left[i]).value_or(-1), util::parse_int(right[i]).value_or(-1));
    if (by != 0) {
      return by;
    }
  }
  return compare_prerelease(left[3], right[3]);
}

bool is_own_crd(const Json& crd) {
  const ObjectView view(crd);
  return view.label(resources::k_managed_by_label) == "kubist" ||
         !view.annotation(k_version_annotation).empty();
}

apply::Report install_crds(kube::Client& client, const InstallOptions& options,
                           std::stop_token stop) {
  std::vector<resources::Manifest> manifests;
  const auto add = [&](const Json& object) {
    resources::Manifest manifest;
    manifest.object = object;
    resources::set_annotation(manifest.object, k_version_annotation, options.version);
    manifests.push_back(std::move(manifest));
  };
  std::for_each(resources::crds().begin(), resources::crds().end(), add);
  const std::vector<Json> roles = project_roles();
  std::for_each(roles.begin(), roles.end(), add);
  apply::Options set;
  // Nobody else has a say in kubist's own kinds, and a half-written CRD helps nobody.
  set.force_conflicts = true;
  set.dry_run = options.dry_run;
  set.timeout = options.timeout;
  set.on_result = options.on_result;
  set.admit = [&options](std::size_t, const Json* live) { return admit(live, options.version); };
  apply::Report report = apply::apply_set(client, manifests, set, stop);
  if (report.ok() && !(options.agent_image.empty() && options.script_image.empty())) {
    report.append(keep_images(client, options, report, stop));
  }
  return report;
}

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
  for (const Json& role : project_roles()) {
    const std::string name(ObjectView(role).name());
    auto live = client.find(kube::well_known::cluster_roles(), "", name, stop);
    if (!live) {
      report.errors.push_back(live.error());
      return report;
    }
    if (*live && is_own_crd(**live)) {
      targets.push_back(
          {kube::well_known::cluster_roles(), "", name, std::string(ObjectView(**live).uid()), {}});
    }
  }
  if (!in_use.empty() && !options.force) {
    report.errors.push_back(util::make_error(
        ErrorKind::conflict, cat("there are objects of kubist's kinds: ", util::join(in_use, ", ")),
        "Delete them first with 'kubist delete', or pass --force to delete them with their kinds; "
        "what they stand for then stays as it is."));
    return report;
  }
  apply::RemoveOptions remove;
  remove.timeout = options.timeout;
  remove.ignore_not_found = true;
  remove.dry_run = options.dry_run;
  remove.on_result = options.on_result;
  apply::Report removed = apply::remove_set(client, targets, remove, std::move(stop));
  removed.results.insert(removed.results.begin(), report.results.begin(), report.results.end());
  return removed;
}

}  // namespace kubist::setup
