#include <kubist/data/pointer.hpp>
#include <kubist/istio/evidence.hpp>
#include <kubist/istio/labels.hpp>
#include <kubist/istio/record.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/text.hpp>

namespace kubist::istio {

using resources::ObjectView;
using util::cat;

namespace {

constexpr std::string_view k_inventory = "kubist-istio";
constexpr std::string_view k_install = "kubist-install";

/// Does a Project or VirtualCluster keep that namespace? Its members write what is there, records
/// of Istio, too.
util::Result<bool> is_of_members(kube::Client& client, const std::string& ns,
                                 const std::stop_token& stop) {
  if (resources::is_reserved_namespace(ns)) {
    return false;
  }
  KUBIST_TRY(const auto live, client.find(kube::well_known::namespaces(), "", ns, stop));
  return live && !ObjectView(*live).annotation(resources::k_owner_annotation).empty();
}

}  // namespace

apply::InventoryName inventory_name(std::string_view ns, std::string_view revision) {
  return {std::string(ns), with_revision(k_inventory, revision)};
}

std::string install_record_name(std::string_view revision) {
  return with_revision(k_install, revision);
}

util::Result<std::optional<Installed>> read_installed(kube::Client& client, std::string_view ns,
                                                      std::string_view revision,
                                                      const std::stop_token& stop) {
  KUBIST_TRY(const auto found, client.find(kube::well_known::config_maps(), std::string(ns),
                                           install_record_name(revision), stop));
  if (!found) {
    return std::nullopt;
  }
  return Installed{std::string(data::string_at(*found, {"data", "version"})),
                   std::string(data::string_at(*found, {"data", "sha256"}))};
}

util::Result<std::vector<Record>> read_records(kube::Client& client, const std::stop_token& stop) {
  kube::ListOptions options;
  options.label_selector = apply::k_applyset_id_label;
  options.form = kube::Form::metadata;
  options.pass_unreadable = true;  // a member may write one; kubist writes none
  KUBIST_TRY(const auto found, client.list(kube::well_known::config_maps(), "", options, stop));
  std::vector<Record> records;
  for (const data::Json& each : found.items) {
    const ObjectView view(each);
    const std::string_view name = view.name();
    const bool default_one = name == k_inventory;
    if (!default_one && !name.starts_with(cat(k_inventory, '-'))) {
      continue;
    }
    KUBIST_TRY(const bool of_members, is_of_members(client, std::string(view.ns()), stop));
    if (of_members) {
      continue;
    }
    Record record;
    record.ns = view.ns();
    record.revision = default_one ? k_default_revision : name.substr(k_inventory.size() + 1);
    KUBIST_TRY(record.inventory,
               apply::read_inventory(client, inventory_name(record.ns, record.revision), stop));
    records.push_back(std::move(record));
  }
  return records;
}

util::Result<const Record*> find_record(const std::vector<Record>& records, std::string_view ns,
                                        std::string_view revision) {
  const Record* found = nullptr;
  for (const Record& each : records) {
    if (each.revision != revision || (!ns.empty() && each.ns != ns)) {
      continue;
    }
    if (found != nullptr) {
      return util::fail(util::ErrorKind::invalid,
                        cat("revision ", revision, " is recorded in the namespaces ", found->ns,
                            " and ", each.ns),
                        "Say which one with -n.");
    }
    found = &each;
  }
  return found;
}

std::vector<std::string> also_recorded_by(const std::vector<Record>& records, const Record& own,
                                          const resources::ObjectRef& ref) {
  std::vector<std::string> revisions;
  for (const Record& each : records) {
    if (&each != &own && each.inventory.entries.contains(ref)) {
      revisions.push_back(each.revision);
    }
  }
  return revisions;
}

}  // namespace kubist::istio
