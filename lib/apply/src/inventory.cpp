#include <algorithm>
#include <set>
#include <sstream>

#include <kubist/apply/inventory.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/kube/api_call.hpp>
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
constexpr std::string_view k_parts_key = "parts";
constexpr std::string_view k_part_label = "kubist.io/inventory-of";
constexpr std::string_view k_tooling = "kubist/v1";
/// A ConfigMap may hold 1 MiB in all.
constexpr std::size_t k_most_bytes = std::size_t{900} * 1024;

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

namespace {

std::string part_name(const InventoryName& name, std::string_view lines) {
  return cat(name.name, '-', util::sha256_hex(lines).substr(0, 12));
}

Json part_object(const InventoryName& name, std::string lines) {
  return {{"apiVersion", "v1"},
          {"kind", "ConfigMap"},
          {"metadata",
           {{"name", part_name(name, lines)},
            {"namespace", name.ns},
            {"labels", {{k_part_label, applyset_id(name)}}}}},
          {"data", {{k_entries_key, std::move(lines)}}}};
}

/// The entries as text, cut where a ConfigMap is full; at least one piece.
std::vector<std::string> pieces_of(const InventoryEntries& entries) {
  std::vector<std::string> pieces(1);
  std::size_t count = 0;
  for (const auto& [ref, entry] : entries) {
    const std::string line = entry_line(ref, entry);
    if (count == k_entries_per_config_map || pieces.back().size() + line.size() > k_most_bytes) {
      pieces.emplace_back();
      count = 0;
    }
    pieces.back() += line;
    ++count;
  }
  return pieces;
}

}  // namespace

InventoryObjects inventory_objects(const InventoryName& name, const InventoryEntries& entries) {
  std::set<std::string> kinds;
  std::set<std::string> namespaces;
  for (const auto& [ref, entry] : entries) {
    kinds.insert(group_kind(ref));
    if (!ref.ns.empty() && ref.ns != name.ns) {
      namespaces.insert(ref.ns);
    }
  }
  const auto joined = [](const std::set<std::string>& words) {
    return util::join({words.begin(), words.end()}, ",");
  };
  std::vector<std::string> pieces = pieces_of(entries);
  InventoryObjects objects;
  std::string names;
  for (std::size_t i = 1; i < pieces.size(); ++i) {
    objects.parts.push_back(part_object(name, std::move(pieces[i])));
    names += cat(data::string_at(objects.parts.back(), {"metadata", "name"}), '\n');
  }
  objects.head = {{"apiVersion", "v1"},
                  {"kind", "ConfigMap"},
                  {"metadata",
                   {{"name", name.name},
                    {"namespace", name.ns},
                    {"labels", {{k_applyset_id_label, applyset_id(name)}}},
                    {"annotations",
                     {{k_applyset_tooling, k_tooling},
                      {k_applyset_kinds, joined(kinds)},
                      {k_applyset_namespaces, joined(namespaces)}}}}},
                  {"data", {{k_entries_key, std::move(pieces[0])}}}};
  if (!names.empty()) {
    objects.head["data"][k_parts_key] = std::move(names);
  }
  return objects;
}

std::vector<std::string> inventory_parts(const Json& head) {
  std::vector<std::string> names = util::split(data::string_at(head, {"data", k_parts_key}), '\n');
  std::erase(names, "");
  return names;
}

util::Result<> check_part(const InventoryName& name, const Json& part) {
  const resources::ObjectView view(part);
  if (view.name() == part_name(name, data::string_at(part, {"data", k_entries_key}))) {
    return {};
  }
  return util::fail(ErrorKind::invalid,
                    cat("ConfigMap ", name.ns, '/', view.name(), ", a part of the ", where(name),
                        ", was changed by somebody else"),
                    "Restore it, or delete the inventory: nothing is pruned without an entry.");
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

namespace {

util::Result<> read_part(kube::Client& client, Inventory& inventory, const std::string& part,
                         const std::stop_token& stop) {
  const InventoryName& name = inventory.name;
  KUBIST_TRY(const auto found, client.find(kube::well_known::config_maps(), name.ns, part, stop));
  if (!found) {
    return util::fail(
        ErrorKind::invalid,
        cat("ConfigMap ", name.ns, '/', part, ", a part of the ", where(name), ", is missing"),
        "Restore it, or delete the inventory: nothing is pruned without an entry.");
  }
  KUBIST_CHECK(check_part(name, *found));
  KUBIST_TRY(auto entries, inventory_entries(*found));
  inventory.entries.merge(entries);
  return {};
}

}  // namespace

util::Result<Inventory> read_inventory(kube::Client& client, const InventoryName& name,
                                       std::stop_token stop) {
  Inventory inventory{.name = name, .entries = {}, .uid = {}, .resource_version = {}, .parts = {}};
  KUBIST_TRY(const auto found,
             client.find(kube::well_known::config_maps(), name.ns, name.name, stop));
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
  inventory.parts = inventory_parts(*found);
  for (const std::string& part : inventory.parts) {
    KUBIST_CHECK(read_part(client, inventory, part, stop));
  }
  inventory.uid = view.uid();
  inventory.resource_version = view.resource_version();
  return inventory;
}

namespace {

util::Result<> write_head(const kube::Writer& writer, const kube::Target& target,
                          Inventory& inventory, Json object) {
  const auto& resource = kube::well_known::config_maps();
  const bool exists = !inventory.uid.empty();
  if (exists) {
    // The resourceVersion makes the patch fail where somebody else wrote in between.
    data::set_path(object, {"metadata", "resourceVersion"}, inventory.resource_version);
    if (!object["data"].contains(k_parts_key)) {
      object["data"][k_parts_key] = nullptr;
    }
  }
  auto written = exists ? writer.patch(target, resource, inventory.name.ns, inventory.name.name,
                                       kube::PatchType::merge, object)
                        : writer.create(target, resource, object);
  if (!written) {
    util::Error error = util::with_context(written.error(), where(inventory.name));
    if (error.kind == ErrorKind::conflict) {
      error.hint = "Another run with this inventory is at work: try again when it is done.";
    }
    return tl::unexpected<util::Error>(std::move(error));
  }
  if (!writer.dry()) {
    const resources::ObjectView view(*written);
    inventory.uid = view.uid();
    inventory.resource_version = view.resource_version();
  }
  return {};
}

util::Result<> write_parts(const kube::Writer& writer, const kube::Target& target,
                           const Inventory& inventory, const std::vector<Json>& parts) {
  for (Json part : parts) {
    const std::string name(data::string_at(part, {"metadata", "name"}));
    if (std::find(inventory.parts.begin(), inventory.parts.end(), name) != inventory.parts.end()) {
      continue;
    }
    part["metadata"]["ownerReferences"] = Json::array({{{"apiVersion", "v1"},
                                                        {"kind", "ConfigMap"},
                                                        {"name", inventory.name.name},
                                                        {"uid", inventory.uid}}});
    auto written = writer.apply(target, kube::well_known::config_maps(), part, {.force = true});
    if (!written) {
      return util::fail(util::with_context(written.error(), where(inventory.name)));
    }
  }
  return {};
}

/// What nothing points to any more. One that stays goes with the head, whose it is.
void drop_parts(const kube::Writer& writer, const kube::Target& target, const Inventory& inventory,
                const std::vector<std::string>& wanted) {
  for (const std::string& part : inventory.parts) {
    if (std::find(wanted.begin(), wanted.end(), part) == wanted.end()) {
      static_cast<void>(
          writer.remove(target, kube::well_known::config_maps(), inventory.name.ns, part));
    }
  }
}

}  // namespace

util::Result<> write_inventory(const kube::Writer& writer, const kube::Target& target,
                               Inventory& inventory, InventoryEntries entries) {
  const bool exists = !inventory.uid.empty();
  if (exists ? entries == inventory.entries : entries.empty()) {
    return {};
  }
  const InventoryObjects objects = inventory_objects(inventory.name, entries);
  if (!exists && !objects.parts.empty()) {
    // Parts belong to the head, so it comes first; nothing that they name has been made yet.
    Json alone = objects.head;
    alone["data"].erase(k_parts_key);
    KUBIST_CHECK(write_head(writer, target, inventory, std::move(alone)));
    if (writer.dry()) {
      return {};  // all else needs its uid
    }
  }
  KUBIST_CHECK(write_parts(writer, target, inventory, objects.parts));
  KUBIST_CHECK(write_head(writer, target, inventory, objects.head));
  const std::vector<std::string> parts = inventory_parts(objects.head);
  drop_parts(writer, target, inventory, parts);
  inventory.parts = parts;
  inventory.entries = std::move(entries);
  return {};
}

OwnerMark set_mark(const InventoryName& name) {
  return {OwnerMark::On::label, std::string(k_applyset_part_of), applyset_id(name)};
}

std::vector<Recorded> records_of(const InventoryEntries& entries) {
  std::vector<Recorded> records;
  for (const auto& [ref, entry] : entries) {
    records.push_back({ref, entry.api_version, entry.uid});
  }
  return records;
}

std::string reason_to_keep(const Owned& owned, const InventoryName& name) {
  std::string reason = reason_to_leave(owned.recorded, owned.live, set_mark(name));
  const resources::ObjectView view(owned.live);
  const bool asked = view.annotation("cli-utils.sigs.k8s.io/on-remove") == "keep" ||
                     view.annotation("client.lifecycle.config.k8s.io/deletion") == "detach";
  return reason.empty() && asked ? "its annotation asks to keep it" : reason;
}

}  // namespace kubist::apply
