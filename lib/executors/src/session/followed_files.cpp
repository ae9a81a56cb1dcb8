#include <algorithm>
#include <chrono>
#include <utility>

#include <kubist/executors/followed_files.hpp>
#include <kubist/executors/prepare.hpp>
#include <kubist/util/threads.hpp>

namespace kubist::executors {

using engine::Key;

namespace {

/// Files that were written together are read together; an editor that replaces a file by renaming
/// leaves it away for less.
constexpr std::chrono::milliseconds k_quiet{500};

/// The files that those manifests name.
std::vector<std::filesystem::path> named_files(const std::vector<resources::Manifest>& manifests) {
  std::vector<std::filesystem::path> paths;
  for (const resources::Manifest& manifest : manifests) {
    if (!manifest.source_file.empty()) {
      paths.emplace_back(manifest.source_file);
    }
  }
  return paths;
}

std::vector<data::Json> objects_of(const std::vector<resources::Manifest>& manifests) {
  std::vector<data::Json> objects;
  for (const resources::Manifest& manifest : manifests) {
    objects.push_back(manifest.object);
  }
  return objects;
}

/// Does a loop that watches `selection` see what becomes of that resource?
bool is_watched(const std::vector<Key>& selection, const Key& key) {
  return std::any_of(selection.begin(), selection.end(), [&](const Key& each) {
    // A DeployItem may be of no project, and then counts where it is named only.
    const bool in_project = each.kind == "Project" ? each.name == key.ns
                                                   : each.ns == key.ns && key.kind != "DeployItem";
    return each == key || (!key.ns.empty() && in_project);
  });
}

}  // namespace

util::Result<FollowedFiles> FollowedFiles::start(const std::vector<std::filesystem::path>& paths,
                                                 bool recursive) {
  KUBIST_TRY(util::PathWatch watch, util::PathWatch::start(paths, recursive));
  return FollowedFiles(std::move(watch));
}

util::Result<> FollowedFiles::take(const std::vector<resources::Manifest>& manifests) {
  KUBIST_CHECK(m_watch.also(named_files(manifests)));
  m_objects = objects_of(manifests);
  return {};
}

/// The selection becomes what the files describe now; empty where they say the same as before.
util::Result<> FollowedFiles::apply_again(kube::Client& home, const FileHooks& files,
                                          ReconcileOptions& options, const std::stop_token& stop) {
  KUBIST_TRY(auto manifests, files.read());
  KUBIST_CHECK(m_watch.also(named_files(manifests)));
  auto objects = objects_of(manifests);
  if (objects == m_objects) {
    return {};
  }
  m_objects.clear();  // where not all of it is applied, the next change tries all again
  KUBIST_TRY(const apply::Report report, files.apply(manifests));
  if (const auto error = report.error()) {
    return util::fail(*error);
  }
  m_objects = std::move(objects);
  return select_applied(home, report, options, stop);
}

/// Until the loop is to stop, or must be begun again with what was `found`. An error: the files are
/// not watched any more.
util::Result<> FollowedFiles::follow(kube::Client& home, const FileHooks& files,
                                     const ReconcileOptions& options, std::vector<Key>& found,
                                     std::stop_source& loop, const std::stop_token& stop) {
  while (!loop.stop_requested()) {
    KUBIST_TRY(const bool changed, m_watch.wait(k_quiet, loop.get_token()));
    if (!changed) {
      break;
    }
    ReconcileOptions again;
    const auto applied = util::guarded([&] { return apply_again(home, files, again, stop); });
    if (loop.stop_requested()) {
      break;
    }
    const bool mends = std::exchange(m_refused, !applied) && applied;
    if (!applied) {
      files.refused(applied.error());
    }
    for (const Key& key : again.selection) {
      if (!is_watched(options.selection, key)) {
        found.push_back(key);
      }
    }
    // Who made up for input that was refused may have changed nothing: a run says that all is well.
    if ((mends && files.mended()) || !found.empty()) {
      loop.request_stop();
    }
  }
  return {};
}

util::Result<> FollowedFiles::watch(Session& session, ReconcileOptions options,
                                    engine::Observer& observer, const WatchHooks& hooks,
                                    const FileHooks& files, const std::stop_token& stop) {
  for (;;) {
    std::stop_source loop;
    const std::stop_callback on_stop(stop, [&] { loop.request_stop(); });
    std::vector<Key> found;
    util::Result<> followed;
    KUBIST_TRY(std::jthread follower, util::start_thread([&](const std::stop_token&) {
                 followed = util::guarded(
                     [&] { return follow(session.home(), files, options, found, loop, stop); });
                 loop.request_stop();
               }));
    const auto ended = util::guarded([&] {  // the follower ends in any case
      return watch_and_reconcile(session, options, observer, hooks, loop.get_token());
    });
    loop.request_stop();
    follower.join();
    KUBIST_CHECK(ended);
    if (stop.stop_requested()) {
      return {};
    }
    if (!followed) {  // it would keep the cluster as files say that nobody reads
      return util::fail(
          util::with_context(followed.error(), "the files of -f are not watched any more"));
    }
    options.selection.insert(options.selection.end(), found.begin(), found.end());
    options.outside.named.insert(found.begin(), found.end());
  }
}

}  // namespace kubist::executors
