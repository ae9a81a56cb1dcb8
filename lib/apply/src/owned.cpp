#include <algorithm>

#include <kubist/apply/owned.hpp>
#include <kubist/kube/api_call.hpp>
#include <kubist/util/text.hpp>

#include "calls.hpp"

namespace kubist::apply {

using data::Json;
using resources::ObjectView;
using util::cat;
using util::ErrorKind;

namespace {

/// One find_owned. One thread.
class Search {
 public:
  Search(kube::Client& client, const std::vector<Recorded>& records, kube::Form form,
         const std::stop_token& stop, kube::Reservation* reservation)
      : m_client(client), m_form(form), m_stop(stop), m_reservation(reservation) {
    for (const Recorded& recorded : records) {
      m_found.emplace_back(Owned{recorded, {}, nullptr});
    }
  }

  std::vector<util::Result<Owned>> run() {
    if (m_found.empty()) {
      return std::move(m_found);
    }
    read(m_client.discovery().index(m_stop));
    if (m_doubt) {  // what is known of kinds and versions may be hours old
      read(m_client.discovery().refresh(m_stop));
      doubt_silent_groups();
    }
    return std::move(m_found);
  }

 private:
  using Index = std::shared_ptr<const kube::ResourceIndex>;

  static bool is_gone(const Owned& owned) { return owned.live.is_null(); }

  /// Reads all that have not been found yet, where the index has them.
  void read(const util::Result<Index>& index) {
    std::vector<std::size_t> tags;
    for (std::size_t i = 0; i < m_found.size(); ++i) {
      if (!m_found[i] || !is_gone(*m_found[i])) {
        continue;
      }
      if (!index) {
        m_found[i] = util::fail(index.error());
        continue;
      }
      const kube::ApiResource* resource = resource_of(**index, m_found[i]->recorded);
      const kube::ApiResource now = resource != nullptr ? *resource : kube::ApiResource();
      if (now != m_found[i]->resource && resource != nullptr) {
        tags.push_back(i);
      }
      m_doubt = m_doubt || resource == nullptr;
      m_found[i]->resource = now;
    }
    const auto make = [this](std::size_t tag) {
      const Owned& owned = *m_found[tag];
      kube::ApiCall call =
          kube::get(owned.resource, owned.recorded.ref.ns, owned.recorded.ref.name);
      if (m_form == kube::Form::metadata) {
        call.accept = kube::k_accept_metadata;
      }
      return call;
    };
    const auto take = [this](std::size_t tag, util::Result<kube::Reply> reply) {
      take_reply(m_found[tag], std::move(reply));
      return std::optional<std::chrono::milliseconds>();
    };
    for (const std::size_t tag : run_calls(m_client, tags, make, take, m_stop)) {
      m_found[tag] = util::fail(ErrorKind::cancelled, "stopped before it was looked for");
    }
  }

  /// By the version that it was made with, else by the one that the server prefers.
  static const kube::ApiResource* resource_of(const kube::ResourceIndex& index,
                                              const Recorded& recorded) {
    const resources::ObjectRef& ref = recorded.ref;
    const auto version = resources::version_of(recorded.api_version);
    const kube::ApiResource* same = index.by_kind(ref.group, version, ref.kind);
    return same != nullptr ? same : index.by_kind(ref.group, "", ref.kind);
  }

  void take_reply(util::Result<Owned>& found, util::Result<kube::Reply> reply) {
    auto live = reply ? reply->json() : util::Result<Json>(util::fail(reply.error()));
    if (auto room = live ? reserve(m_reservation, *live) : util::Result<>(); !room) {
      live = util::fail(std::move(room).error());
    }
    if (live) {
      found->live = *std::move(live);
      found->live["apiVersion"] = found->resource.api_version();
      found->live["kind"] = found->resource.kind;
    } else if (live.error().kind != ErrorKind::not_found) {
      found = util::fail(live.error());
    } else {  // the object is not found, or is it the version?
      const std::string no_object = cat('"', found->recorded.ref.name, "\" not found");
      m_doubt = m_doubt || live.error().message.find(no_object) == std::string::npos;
    }
  }

  /// A kind that nobody serves went with all of its objects, unless its server is only down.
  void doubt_silent_groups() {
    for (auto& each : m_found) {
      if (each && is_gone(*each) && each->resource.kind.empty()) {
        if (auto answers = m_client.discovery().check_answers(each->recorded.ref.group); !answers) {
          each = util::fail(std::move(answers).error());
        }
      }
    }
  }

  kube::Client& m_client;
  kube::Form m_form;
  const std::stop_token& m_stop;
  kube::Reservation* m_reservation;  ///< null: none
  std::vector<util::Result<Owned>> m_found;
  bool m_doubt = false;  ///< something may be missing for only its kind or version
};

}  // namespace

bool has_mark(const Json& live, const OwnerMark& mark) {
  const ObjectView view(live);
  return mark.value ==
         (mark.on == OwnerMark::On::label ? view.label(mark.key) : view.annotation(mark.key));
}

std::vector<util::Result<Owned>> find_owned(kube::Client& client,
                                            const std::vector<Recorded>& records, kube::Form form,
                                            const std::stop_token& stop,
                                            kube::Reservation* reservation) {
  return Search(client, records, form, stop, reservation).run();
}

std::string reason_to_leave(const Recorded& recorded, const Json& live, const OwnerMark& mark) {
  if (!recorded.uid.empty() && recorded.uid != ObjectView(live).uid()) {
    return "it was deleted and made again by somebody else";
  }
  if (!has_mark(live, mark)) {
    return cat("its ", mark.on == OwnerMark::On::label ? "label " : "annotation ", mark.key,
               " names another owner or none");
  }
  return {};
}

Target target_of(const Owned& owned) {
  const resources::ObjectRef& ref = owned.recorded.ref;
  return {owned.resource, ref.ns, ref.name, std::string(ObjectView(owned.live).uid()), {}};
}

}  // namespace kubist::apply
