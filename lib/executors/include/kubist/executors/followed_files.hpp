#pragma once
#include <filesystem>
#include <functional>
#include <stop_token>
#include <vector>

#include <kubist/apply/report.hpp>
#include <kubist/executors/watch_loop.hpp>
#include <kubist/resources/manifest.hpp>
#include <kubist/util/path_watch.hpp>

namespace kubist::executors {

/// What a loop over files asks for and tells; from one thread of its own, one after the other.
struct FileHooks {
  /// The objects of the files as these are now.
  std::function<util::Result<std::vector<resources::Manifest>>()> read;
  /// Checks and applies them.
  std::function<util::Result<apply::Report>(std::vector<resources::Manifest>&)> apply;
  /// Input that could not be read or not all be applied: what the loop looks after stays.
  std::function<void(const util::Error&)> refused;
  /// The input after one that was refused is applied. Shall a run say so where nothing has changed?
  std::function<bool()> mended;
};

/// Files whose objects are what a loop reconciles, applied again each time that they change.
class FollowedFiles {
 public:
  /// Sees what changes in these from now on, `recursive` as for util::PathWatch. Unavailable: the
  /// system has no more watches.
  static util::Result<FollowedFiles> start(const std::vector<std::filesystem::path>& paths,
                                           bool recursive);

  /// Sees what changes in the files that these name, too. The same objects again are no change; the
  /// caller has applied them before watch(). Unavailable: as above.
  util::Result<> take(const std::vector<resources::Manifest>& manifests);

  /// As watch_and_reconcile(). A resource that the loop does not look after yet, such as a new
  /// project, makes it begin again with that too. Errors, too: the files cannot be watched any
  /// more, or a hook of theirs has thrown what it must not.
  util::Result<> watch(Session& session, ReconcileOptions options, engine::Observer& observer,
                       const WatchHooks& hooks, const FileHooks& files,
                       const std::stop_token& stop);

 private:
  explicit FollowedFiles(util::PathWatch watch) : m_watch(std::move(watch)) {}
  util::Result<> apply_again(kube::Client& home, const FileHooks& files, ReconcileOptions& options,
                             const std::stop_token& stop);
  util::Result<> follow(kube::Client& home, const FileHooks& files, const ReconcileOptions& options,
                        std::vector<engine::Key>& found, std::stop_source& loop,
                        const std::stop_token& stop);

  util::PathWatch m_watch;
  std::vector<data::Json> m_objects;  ///< as they were last applied; empty: not all were
  bool m_refused = false;             ///< the input that was read last
};

}  // namespace kubist::executors
