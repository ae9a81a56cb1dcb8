#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include <kubist/kube/watch.hpp>
#include <kubist/util/clock.hpp>

#include "session/known_objects.hpp"
#include "world/absences.hpp"

namespace kubist::executors {

/// Watches objects that runs read, by their metadata, and tells which one was written, made or
/// deleted. Lasts as a KindWatch does.
class MetadataWatch {
 public:
  enum class Counts {
    all,   ///< each write
    data,  ///< of a Secret or ConfigMap: not where only labels, annotations or finalizers
           ///< were written, as kubist itself does
  };
  /// Namespace (empty: of a cluster-scoped kind) and name of an object.
  using Changed = std::function<void(const std::string& ns, const std::string& name)>;
  /// `changed` is called by the watch: be quick. Of the first listing, however late it
  /// comes, it is told what was written since two minutes before the watch was made, which a run
  /// that read it before may not have seen; once without a name where there is nothing. The times
  /// are the API server's: a clock here that is more than two minutes ahead misses some of it.
  /// `seat`: null at home, where it looks at what runs read. REQUIRES: `absences` outlives it.
  MetadataWatch(std::shared_ptr<kube::Client> client, kube::WatchOptions options, Counts counts,
                std::string name, WatchRoom::Seat seat, Absences& absences, Changed changed,
                const util::Clock& clock = util::system_clock());
  ~MetadataWatch();
  MetadataWatch(const MetadataWatch&) = delete;
  MetadataWatch& operator=(const MetadataWatch&) = delete;

 private:
  using Place = std::pair<std::string, std::string>;  ///< namespace and name
  /// What metadata tells of who wrote when.
  struct Written {
    std::string version;
    std::string data, rest;  ///< by whom, and when
    std::string last;        ///< the time of the last write
    std::size_t bytes() const;
  };
  static Written written_by(const kube::WatchEvent& event);
  util::Result<> take(const kube::WatchEvent& event);
  bool is_change(const Written& before, const Written& now) const;
  bool may_be_unseen(const Written& written) const;
  void end_listing();

  const Counts m_counts;
  Absences& m_absences;
  std::string m_name;
  Changed m_changed;
  const std::chrono::system_clock::time_point m_since;  ///< what was written later may be unseen
  kube::WatchOptions m_options;
  KnownObjects<Place, Written> m_known;  ///< of the watch
  bool m_complete = false;               ///< it was listed once
  kube::StandingWatch m_watch;           ///< last: it uses all of the above
};

}  // namespace kubist::executors
