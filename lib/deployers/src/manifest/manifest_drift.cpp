#include "manifest/manifest_drift.hpp"

#include <kubist/apply/compare.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/deployers/kept_lists.hpp>
#include <kubist/util/text.hpp>
#include <kubist/util/threads.hpp>

namespace kubist::deployers {
namespace {

using resources::ObjectView;
using util::cat;

/// Does it end by itself, and perhaps go then? To make it again would be to do its work again.
bool is_work(const resources::ObjectRef& ref) {
  return (ref.group == "batch" && ref.kind == "Job") || (ref.group.empty() && ref.kind == "Pod");
}

OnDrift on_drift(const Item& item, const Managed& one) {
  const auto of_item = parse_drift(data::string_at(item.config, {"drift"}));
  return one.drift.value_or(is_work(one.ref) ? OnDrift::ignore : of_item.value_or(OnDrift::repair));
}

/// Who wrote it last, besides its item and its controllers: "kubectl-edit".
std::string last_writer(const Json& live, std::string_view manager) {
  std::string_view name, time;
  for (const Json& entry : data::array_at(live, {"metadata", "managedFields"})) {
    const std::string_view writer = data::string_at(entry, {"manager"});
    const std::string_view at = data::string_at(entry, {"time"});
    if (writer != manager && data::string_at(entry, {"subresource"}).empty() && at >= time) {
      name = writer;
      time = at;
    }
  }
  return std::string(name);
}

/// How it is not as it was made: "was deleted"; empty: it is.
std::string difference(const Managed& one, const Json& live, const Item& item) {
  if (live.is_null()) {
    return "was deleted";
  }
  const ObjectView view(live);
  const std::string_view owner = view.label(k_managed_label);
  if (!view.deletion_timestamp().empty() || (!owner.empty() && owner != item.uid)) {
    return {};
  }
  if (!one.uid.empty() && one.uid != view.uid()) {
    return "was deleted and made again by somebody else";
  }
  const std::string manager = field_manager_of(item);
  if (one.fields.empty() || apply::same_fields(one.fields, apply::applied_fields(live, manager))) {
    return {};
  }
  const std::string writer = last_writer(live, manager);
  return writer.empty() ? "was changed" : cat("was changed, last by ", writer);
}

void tell(const World& world, const Item& item, KeptObjects kept) {
  if (!world.keeps || world.writer.dry()) {
    return;
  }
  const auto told = util::guarded([&] { world.keeps(std::move(kept)); });
  if (!told && world.progress) {
    world.progress(
        cat(item.name, ": drift of its objects is not noticed at once: ", told.error().message));
  }
}

/// One that a list of the run shows as it was made; null: it has to be asked for.
Json listed_as_made(World& world, const Item& item, const Place& place, const Managed& one) {
  const auto index = world.lists ? place.objects()->discovery().index(world.stop)
                                 : util::Result<std::shared_ptr<const kube::ResourceIndex>>();
  const kube::ApiResource* resource =
      index && *index
          ? (*index)->by_kind(one.ref.group, resources::version_of(one.api_version), one.ref.kind)
          : nullptr;
  if (resource == nullptr) {
    return {};
  }
  const bool own_at_home = place.cluster.empty() && one.ref.ns == place.ns;
  const KeptLists::Reader reader{*place.objects(), own_at_home ? world.home.get() : nullptr,
                                 item.ns};
  auto live = world.lists->take(reader, *resource, one.ref, world.stop);
  return live && difference(one, *live, item).empty() ? *std::move(live) : Json();
}

/// The metadata of each as it is live; null: it is not there.
util::Result<std::vector<Json>> read_all(World& world, const Item& item, const Place& place,
                                         const std::vector<Managed>& all) {
  std::vector<Json> live;
  std::vector<apply::Recorded> records;
  for (const Managed& one : all) {
    if (live.emplace_back(listed_as_made(world, item, place, one)).is_null()) {
      records.push_back(one);
    }
  }
  kube::Reservation reservation(item.ns);
  auto found =
      apply::find_owned(*place.objects(), records, kube::Form::metadata, world.stop, &reservation);
  auto next = found.begin();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!live[i].is_null()) {
      continue;
    }
    if (!*next) {
      return util::fail(util::with_context(
          next->error(), cat("compare ", name_of(all[i].ref), " with what was applied")));
    }
    live[i] = std::move((*next++)->live);
  }
  return live;
}

}  // namespace

util::Result<std::vector<Drifted>> find_drift(World& world, const Item& item, const Place& place) {
  std::vector<Managed> all = managed_of(item);
  std::erase_if(all, [&](const Managed& one) { return on_drift(item, one) == OnDrift::ignore; });
  KUBIST_TRY(const auto found, read_all(world, item, place, all));
  std::vector<Drifted> drifted;
  std::vector<Managed> seen;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Managed& one = all[i];
    const Json& live = found[i];
    if (const std::string what = difference(one, live, item); !what.empty()) {
      drifted.push_back(
          {one.ref, cat(name_of(one.ref), " ", what), on_drift(item, one) == OnDrift::repair});
    }
    Managed now = one;
    now.uid = live.is_null() ? "" : ObjectView(live).uid();
    now.fields = one.fields.empty() || live.is_null()
                     ? ""
                     : apply::applied_fields(live, field_manager_of(item));
    now.resource_version = live.is_null() ? "" : ObjectView(live).resource_version();
    seen.push_back(std::move(now));
  }
  tell_kept(world, item, place, seen);
  return drifted;
}

void tell_kept(const World& world, const Item& item, const Place& place,
               const std::vector<Managed>& managed) {
  KeptObjects kept{item.uid, field_manager_of(item), place.objects(), {}};
  for (const Managed& one : managed) {
    if (!one.stale && on_drift(item, one) != OnDrift::ignore) {
      kept.objects.push_back({one.ref, one.api_version, one.uid, one.fields, one.resource_version});
    }
  }
  tell(world, item, std::move(kept));
}

void tell_gone(const World& world, const Item& item) { tell(world, item, {item.uid, {}, {}, {}}); }

}  // namespace kubist::deployers
