#pragma once
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include <kubist/kube/watch.hpp>

#include "world/absences.hpp"

namespace kubist::executors {

/// Watches objects that runs read, by their metadata, and tells which one was written, made or
/// deleted. Lasts as a KindWatch does.
class MetadataWatch {
 public:
  enum class Counts {
    all,   ///< each write
    data,  ///< of a Secret or ConfigMap: not where labels, annotations or finalizers alone were
           ///< written, as kubist itself does
  };
  /// `changed` is called on the watch's thread with the object's name: be quick. Of the first
  /// listing it is told what was written in the last two minutes, which a run that read it before
  /// the watch stood may not have seen. REQUIRES: `absences` outlives it.
  MetadataWatch(std::shared_ptr<kube::Client> client, kube::WatchOptions options, Counts counts,
                std::string name, Absences& absences,
                std::function<void(const std::string& name)> changed);
  ~MetadataWatch();
  MetadataWatch(const MetadataWatch&) = delete;
  MetadataWatch& operator=(const MetadataWatch&) = delete;

 private:
  /// What metadata tells of who wrote when.
  struct Written {
    std::string version;
    std::string data, rest;  ///< by whom, and when
    std::string last;        ///< the time of the last write
  };
  static Written written_by(const kube::WatchEvent& event);
  util::Result<> take(const kube::WatchEvent& event);
  bool is_change(const Written& before, const Written& now) const;
  void end_listing();

  const Counts m_counts;
  Absences& m_absences;
  std::string m_name;
  std::function<void(const std::string&)> m_changed;
  kube::WatchOptions m_options;
  std::map<std::string, Written> m_known;  ///< by namespace and name; of the watch's thread
  std::set<std::string> m_listed;
  bool m_complete = false;  ///< it was listed once
  std::jthread m_thread;    ///< last: it uses all of the above
};

}  // namespace kubist::executors
