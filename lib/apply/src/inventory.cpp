#include <set>
#include <sstream>

#include <kubist/apply/inventory.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/kube/api_call.hpp>
#include <kubist/kube/api_error.hpp>
#include <kubist/util/base64.hpp>
#include <kubist/util/sha256.hpp>
#include <kubist/util/text.hpp>

namespace kubist::apply {

using data::Json;
using resources::ObjectRef;
using util::cat;
using util::ErrorKind;

namespace {

constexpr std::string_view k_entries_key = "entries";
constexpr std::string_view k_tooling = "kubist/v1";
/// A ConfigMap may hold 1 MiB in all.
constexpr std::size_t k_most_bytes = 900 * 1024;

std::string where(const InventoryName& name) {
  return cat("inventory ConfigMap ", name.ns, '/', name.name);
}

std::string entry_line(const ObjectRef& ref, const InventoryEntry& entry) {
  return cat(entry.api_version, ' ', ref.kind, ' ', ref.ns.empty() ? "-" : ref.ns, '/', ref.name,
             ' ', entry.uid.empty() ? "-" : entry.uid, '\n');
}

std::string group_kind(const ObjectRef& ref) {
  return ref.group.empty() ? ref.kind : cat(ref.kind, '.', ref.group);
}

}  // namespace

std::string applyset_id(const InventoryName& name) {
  return cat("applyset-",
             util::base64url_encode(util::sha256_raw(cat(name.name, '.', name.ns, ".ConfigMap."))),
             "-v1");
}

Json inventory_object(const InventoryName& name, const InventoryEntries& entries) {
  std::string lines;
  std::set<std::string> kinds;
  std::set<std::string> namespaces;
  for (const auto& [ref, entry] : entries) {
    lines += entry_line(ref, entry);
    kinds.insert(group_kind(ref));
    if (!ref.ns.empty() && ref.ns != name.ns) {
      namespaces.insert(ref.ns);
    }
  }
  const auto joined = [](const std::set<std::string>& words) {
    return util::join({words.begin(), words.end()}, ",");
  };
  return {{"apiVersion", "v1"},
          {"kind", "ConfigMap"},
          {"metadata",
           {{"name", name.name},
            {"namespace", name.ns},
            {"labels", {{k_applyset_id_label, applyset_id(name)}}},
            {"annotations",
             {{k_applyset_tooling, k_tooling},
              {k_applyset_kinds, joined(kinds)},
              {k_applyset_namespaces, joined(namespaces)}}}}},
          {"data", {{k_entries_key, lines}}}};
}

util::Result<InventoryEntries> inventory_entries(const Json& config_map) {
  InventoryEntries entries;
  std::istringstream lines{std::string(data::string_at(config_map, {"data", k_entries_key}))};
  for (std::string line; std::getline(lines, line);) {
    const auto words = util::split(line, ' ');
    const auto slash = words.size() == 4 ? words[2].find('/') : std::string::npos;
    if (slash == std::string::npos) {
      return util::fail(
          ErrorKind::invalid,
          cat("the inventory has a line that cannot be read: ", util::printable(line)),
          "Delete the line, or the ConfigMap: nothing is pruned without an entry.");
    }
    ObjectRef ref;
    ref.group = resources::group_of(words[0]);
    ref.kind = words[1];
    ref.ns = slash == 1 && words[2][0] == '-' ? "" : words[2].substr(0, slash);
    ref.name = words[2].substr(slash + 1);
    entries[ref] = {words[0], words[3] == "-" ? "" : words[3]};
  }
  return entries;
}

util::Result<Inventory> read_inventory(kube::Client& client, const InventoryName& name,
                                       std::stop_token stop) {
  Inventory inventory{.name = name, .entries = {}, .uid = {}, .resource_version = {}};
  KUBIST_TRY(const auto found,
             client.find(kube::well_known::config_maps(), name.ns, name.name, std::move(stop)));
  if (!found) {
    return inventory;
  }
  const resources::ObjectView view(*found);
  if (view.label(k_applyset_id_label) != applyset_id(name)) {
    return util::fail(ErrorKind::conflict, cat(where(name), " exists and is no inventory"),
                      "Choose another name with --inventory.");
  }
  const std::string_view tooling = view.annotation(k_applyset_tooling);
  if (!tooling.starts_with("kubist/")) {
    return util::fail(ErrorKind::conflict,
                      cat(where(name), " belongs to ", tooling.empty() ? "another tool" : tooling),
                      "Choose another name with --inventory.");
  }
  KUBIST_TRY(inventory.entries, inventory_entries(*found));
  inventory.uid = view.uid();
  inventory.resource_version = view.resource_version();
  return inventory;
}

util::Result<> write_inventory(kube::Client& client, Inventory& inventory, InventoryEntries entries,
                               std::string_view manager, std::stop_token stop) {
  const bool exists = !inventory.uid.empty();
  if (exists ? entries == inventory.entries : entries.empty()) {
    return {};
  }
  Json object = inventory_object(inventory.name, entries);
  if (object["data"][k_entries_key].get_ref<const std::string&>().size() > k_most_bytes) {
    return util::fail(ErrorKind::invalid,
                      cat(where(inventory.name), " would be larger than a ConfigMap may be (",
                          entries.size(), " objects)"),
                      "Split the set: several folders, each with an inventory of its own.");
  }
  kube::WriteOptions write;
  write.field_manager = manager;
  const auto& resource = kube::well_known::config_maps();
  if (exists) {
    // The resourceVersion makes the patch fail where somebody else wrote in between.
    data::set_path(object, {"metadata", "resourceVersion"}, inventory.resource_version);
  }
  auto written = client.json(exists ? kube::patch(resource, inventory.name.ns, inventory.name.name,
                                                  kube::PatchType::merge, object, write)
                                    : kube::create(resource, object, write),
                             std::move(stop));
  if (!written) {
    util::Error error = util::with_context(written.error(), where(inventory.name));
    if (error.kind == ErrorKind::conflict) {
      error.hint = "Another run with this inventory is at work: try again when it is done.";
    }
    return tl::unexpected<util::Error>(std::move(error));
  }
  const resources::ObjectView view(*written);
  inventory.uid = view.uid();
  inventory.resource_version = view.resource_version();
  inventory.entries = std::move(entries);
  return {};
}

PruneDecision decide_prune(const InventoryEntry& entry, std::string_view set_id, const Json* live) {
  using Action = PruneDecision::Action;
  if (live == nullptr) {
    return {Action::gone, {}};
  }
  const resources::ObjectView view(*live);
  if (!entry.uid.empty() && entry.uid != view.uid()) {
    return {Action::keep, "it was deleted and made again by somebody else"};
  }
  if (view.label(k_applyset_part_of) != set_id) {
    return {Action::keep, cat("its label ", k_applyset_part_of, " does not name this set")};
  }
  if (view.annotation("cli-utils.sigs.k8s.io/on-remove") == "keep" ||
      view.annotation("client.lifecycle.config.k8s.io/deletion") == "detach") {
    return {Action::keep, "its annotation asks to keep it"};
  }
  return {Action::remove, {}};
}

}  // namespace kubist::apply
