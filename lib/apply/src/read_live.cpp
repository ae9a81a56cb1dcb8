#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <unordered_map>

#include <kubist/data/document.hpp>
#include <kubist/data/json_stream.hpp>
#include <kubist/data/page_buffer.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/data/schema.hpp>
#include <kubist/kube/api_call.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/util/threads.hpp>

#include "calls.hpp"
#include "client_side.hpp"
#include "work.hpp"

namespace kubist::apply {
namespace {

using data::Json;
using util::ErrorKind;

/// Up to so many objects of one kind and namespace are read by name: a LIST may bring any number.
constexpr std::size_t k_get_limit = 16;
/// A listing is given up when it would bring so many objects for each one still wanted.
constexpr std::int64_t k_waste = 50;
constexpr std::size_t k_list_threads = 4;

using Tags = std::vector<std::size_t>;

CompareOptions compare_options(const Work& work, std::string_view manager) {
  return {.manager = manager,
          .has_status = work.resource.has_subresource("status"),
          .built_in = is_built_in_group(work.resource.group)};
}

void take_live(Work& work, Json live, const ReadOptions& options) {
  const resources::ObjectView view(live);
  work.known = true;
  work.exists = true;
  work.result.uid = view.uid();
  work.result.resource_version = view.resource_version();
  work.comparison = compare(work.manifest->object, live, compare_options(work, options.manager));
  work.client_side = options.find_client_side && !client_side_managers(live).empty();
  if (options.ready) {
    work.ready = resources::readiness(live, std::chrono::system_clock::now(), *options.ready);
  }
  if (options.keep_before || work.comparison.verdict == Verdict::doubtful) {
    if (const auto room = reserve(options.reservation, live); !room) {
      work.no_room = room.error();
      return;
    }
    work.before = std::move(live);
  }
}

/// Reads pages until every wanted name is found; false: the rest is to be read by name.
bool list_group(kube::Client& client, std::vector<Work>& works, const Tags& tags,
                const ReadOptions& options, const std::stop_token& stop) {
  std::unordered_map<std::string_view, std::size_t> wanted;
  for (const std::size_t tag : tags) {
    wanted.emplace(works[tag].ref.name, tag);
  }
  kube::ListOptions list;
  list.first_limit =
      static_cast<std::int64_t>(std::clamp<std::size_t>(tags.size() + 100, 500, 2500));
  list.max_page = kube::k_max_list;  // where a server answers more, objects are read by name
  data::ListReader reader;
  bool wasteful = false;
  const Work& first = works[tags.front()];
  const auto end = client.list_pages(
      first.resource, first.ref.ns, list,
      [&](const data::PageBuffer& page) -> util::Result<> {
        const auto head = reader.read(page, [&](const data::ListItem& item) -> util::Result<> {
          const auto found = wanted.find(item.name);
          if (found != wanted.end()) {
            Work& work = works[found->second];
            wanted.erase(found);
            KUBIST_TRY(Json live, kube::read_item(work.resource, item.raw));
            take_live(work, std::move(live), options);
          }
          return {};
        });
        if (!head) {
          return tl::unexpected<util::Error>(head.error());
        }
        wasteful = head->remaining.value_or(0) > k_waste * static_cast<std::int64_t>(wanted.size());
        if (wanted.empty() || wasteful) {
          return util::fail(ErrorKind::cancelled, "enough");
        }
        return {};
      },
      stop);
  if (!end && end.error().kind == ErrorKind::not_found) {
    // The kind is not served yet (its CRD is in the set), so there are no objects of it.
    for (const std::size_t tag : tags) {
      works[tag].known = true;
    }
    return true;
  }
  if (!end && !wanted.empty()) {
    return false;
  }
  for (const auto& [name, tag] : wanted) {
    works[tag].known = true;
  }
  return true;
}

void get_each(kube::Client& client, std::vector<Work>& works, const Tags& tags,
              const ReadOptions& options, const std::stop_token& stop) {
  run_calls(
      client, tags,
      [&](std::size_t tag) {
        return kube::get(works[tag].resource, works[tag].ref.ns, works[tag].ref.name);
      },
      [&](std::size_t tag,
          util::Result<kube::Reply> reply) -> std::optional<std::chrono::milliseconds> {
        if (!reply) {
          works[tag].known = reply.error().kind == ErrorKind::not_found;
        } else if (auto live = reply->json()) {
          (*live)["apiVersion"] = works[tag].resource.api_version();
          (*live)["kind"] = works[tag].resource.kind;
          take_live(works[tag], *std::move(live), options);
        }
        return std::nullopt;
      },
      stop);
}

/// Doubts about custom resources come from defaults inside atomic lists: their schema settles them.
void settle_doubts(kube::Client& client, std::vector<Work>& works, const ReadOptions& options,
                   const std::stop_token& stop) {
  std::map<std::string, std::optional<data::Schema>> schemas;
  for (Work& work : works) {
    if (work.comparison.verdict != Verdict::doubtful || is_built_in_group(work.resource.group)) {
      continue;
    }
    const auto [entry, first] =
        schemas.try_emplace(work.resource.group_resource() + '/' + work.resource.version);
    if (first) {
      const auto crd = client.find(kube::well_known::custom_resource_definitions(), "",
                                   work.resource.group_resource(), stop);
      if (crd && *crd && (*crd)->contains("spec")) {
        for (const Json& version : (**crd)["spec"].value("versions", Json::array())) {
          const Json* schema = data::find_path(version, {"schema", "openAPIV3Schema"});
          if (data::string_at(version, {"name"}) == work.resource.version && schema != nullptr) {
            if (auto compiled = data::Schema::compile(*schema)) {
              entry->second = *std::move(compiled);
            }
          }
        }
      }
    }
    if (entry->second) {
      Json defaulted = work.manifest->object;
      entry->second->apply_defaults(defaulted);
      CompareOptions compared = compare_options(work, options.manager);
      compared.defaulted = &defaulted;
      work.comparison = compare(work.manifest->object, work.before, compared);
    }
  }
  if (!options.keep_before) {
    for (Work& work : works) {
      work.before = nullptr;
    }
  }
}

}  // namespace

void read_live(kube::Client& client, std::vector<Work>& works, const ReadOptions& options,
               const std::stop_token& stop) {
  std::map<std::pair<std::string, std::string>, Tags> groups;
  for (std::size_t i = 0; i < works.size(); ++i) {
    const Work& work = works[i];
    if (work.unseen) {
      continue;
    }
    groups[{work.resource.version + '/' + work.resource.group_resource(), work.ref.ns}].push_back(
        i);
  }
  Tags by_name;
  std::vector<const Tags*> lists;
  for (const auto& [key, tags] : groups) {
    const bool list = tags.size() > k_get_limit && works[tags.front()].resource.has_verb("list");
    if (list) {
      lists.push_back(&tags);
    } else {
      by_name.insert(by_name.end(), tags.begin(), tags.end());
    }
  }
  std::mutex mutex;
  std::size_t next = 0;
  const auto list_some = [&] {
    while (true) {
      const Tags* tags = nullptr;
      {
        const std::lock_guard lock(mutex);
        if (next == lists.size()) {
          return;
        }
        tags = lists[next++];
      }
      if (!list_group(client, works, *tags, options, stop)) {
        const std::lock_guard lock(mutex);
        std::copy_if(tags->begin(), tags->end(), std::back_inserter(by_name),
                     [&](std::size_t tag) { return !works[tag].known; });
      }
    }
  };
  if (!lists.empty()) {
    util::share_work(std::min(lists.size(), k_list_threads) - 1, list_some);
  }
  get_each(client, works, by_name, options, stop);
  settle_doubts(client, works, options, stop);
}

void read_live(kube::Client& client, Work& work, const ReadOptions& options,
               const std::stop_token& stop) {
  std::vector<Work> one;
  one.push_back(std::move(work));
  read_live(client, one, options, stop);
  work = std::move(one.front());
}

}  // namespace kubist::apply
