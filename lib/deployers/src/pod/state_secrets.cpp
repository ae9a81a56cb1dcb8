#include "pod/state_secrets.hpp"

#include <set>

#include <kubist/kube/api_error.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/util/text.hpp>

namespace kubist::deployers {
namespace {

using util::cat;

/// Chunk Secrets of the item that are there; by name only, they are large.
util::Result<std::set<std::string>> present_chunks(World& world, const kube::Target& target,
                                                   const Item& item, const Job& job,
                                                   const PodNames& names) {
  kube::ListOptions options;
  options.label_selector = cat(k_item_label, "=", item.uid);
  options.form = kube::Form::metadata;
  KUBIST_TRY(const auto found,
             target.client.list(kube::well_known::secrets(), job.place.ns, options, world.stop));
  std::set<std::string> chunks;
  for (const Json& secret : found.items) {
    const std::string name(resources::ObjectView(secret).name());
    if (name.starts_with(names.state_secret + "-")) {
      chunks.insert(name);
    }
  }
  return chunks;
}

util::Result<> check_chunks(const state::Head& head, const std::set<std::string>& present,
                            const std::string& ns, const std::string& head_secret) {
  for (int n = 0; n < head.chunks; ++n) {
    const std::string name = state::chunk_name(head_secret, head.set, n);
    if (present.contains(name)) {
      continue;
    }
    return util::fail(
        util::ErrorKind::invalid,
        cat("Secret ", ns, "/", name, ", chunk ", n + 1, " of ", head.chunks,
            " of the state of generation ", head.generation, ", is missing"),
        "The item does not run without its state. `kubist deployitem state put` gives it one that "
        "you have kept, `kubist deployitem state rm` lets it begin without one.",
        "CorruptState");
  }
  return {};
}

}  // namespace

util::Result<state::Head> ensure_state_secrets(World& world, const kube::Target& target,
                                               const Item& item, const Job& job,
                                               const PodNames& names, std::size_t limit,
                                               bool replace_corrupt) {
  const auto& secrets = kube::well_known::secrets();
  KUBIST_TRY(const Json kept,
             ensure(world, target, secrets, empty_secret(item, job, names.state_secret),
                    before_job(item)));
  auto head = state::head_of_secret(kept);
  if (!head && replace_corrupt) {
    head = state::Head{};
  }
  if (!head) {
    return util::fail(util::with_reason(
        util::with_context(head.error(), cat("Secret ", job.place.ns, "/", names.state_secret)),
        "CorruptState"));
  }
  const auto wanted = state::chunk_names(names.state_secret, limit);
  if (wanted.empty() && head->chunks == 0) {
    return head;
  }
  KUBIST_TRY(const auto present, present_chunks(world, target, item, job, names));
  if (!replace_corrupt) {
    KUBIST_CHECK(check_chunks(*head, present, job.place.ns, names.state_secret));
  }
  for (const std::string& name : wanted) {
    if (present.contains(name)) {
      continue;
    }
    const auto made = world.writer.create(target, secrets, chunk_secret(item, job, name));
    if (!made && !kube::already_exists(made.error())) {
      return util::fail(made.error());
    }
  }
  return head;
}

util::Result<> remove_chunks(World& world, const kube::Target& target, const Item& item,
                             const Job& job, const PodNames& names) {
  KUBIST_TRY(const auto present, present_chunks(world, target, item, job, names));
  for (const std::string& name : present) {
    KUBIST_CHECK(world.writer.remove(target, kube::well_known::secrets(), job.place.ns, name));
  }
  return {};
}

}  // namespace kubist::deployers
