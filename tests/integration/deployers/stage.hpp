#pragma once
#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <kubist/deployers/runner.hpp>
#include <kubist/kube/client.hpp>

/// A project's namespace on the test cluster with DeployItems in it that deploy into a second one,
/// which is a virtual cluster's: kubist has the rights of the test case's caller (caller.hpp).
namespace stage {

using kubist::data::Json;

/// The administrator's client.
const std::shared_ptr<kubist::kube::Client>& home();

/// Runs the item though nothing changed, and waits for it.
const kubist::deployers::RunOptions k_force{.force = true, .wait = true, .trigger = true};

/// Two namespaces and a World over them, both gone afterwards. For test cases: failures REQUIRE.
class Stage {
 public:
  Stage();
  ~Stage();
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  const std::string& ns() const { return m_ns; }        ///< of the items
  const std::string& place() const { return m_place; }  ///< of what they make
  std::string unique(const std::string& name) const { return name + "-" + m_ns; }

  Json make(const kubist::kube::ApiResource& resource, const Json& object);
  void make_item(const std::string& name, const std::string& type, const Json& config,
                 Json spec = Json::object());
  /// Replaces spec.config.
  void set_config(const std::string& name, const Json& config);
  kubist::deployers::ItemOutcome run(const std::string& name,
                                     const kubist::deployers::RunOptions& options = {});
  /// Marks it as to be deleted and brings that to its end.
  kubist::deployers::ItemOutcome remove(const std::string& name);
  void mark_deleted(const std::string& name);

  Json item(const std::string& name);
  Json get(const kubist::kube::ApiResource& resource, const std::string& name);
  bool exists(const kubist::kube::ApiResource& resource, const std::string& name);
  void merge(const kubist::kube::ApiResource& resource, const std::string& name, const Json& patch,
             const std::string& subresource = {});
  void remove_object(const kubist::kube::ApiResource& resource, const std::string& name);
  Json exports(const std::string& item);
  /// Writes at the place (not those of the items themselves) since the last call.
  std::vector<std::string> take_writes();
  /// What the runs said they wait for.
  std::string said();
  /// Runs the item in a thread; `act` is called as soon as the run has said a line with that text.
  kubist::deployers::ItemOutcome run_and(const std::string& name, const std::string& text,
                                         const std::function<void()>& act, bool removal = false);

  kubist::deployers::World world;
  /// As the project's account, by which kubist works in the second namespace.
  std::shared_ptr<kubist::kube::Client> as_project;

 private:
  std::string m_ns, m_place;
  std::mutex m_mutex;
  std::condition_variable m_changed;
  std::vector<std::string> m_writes;
  std::string m_said;
};

Json config_map(const std::string& name, const Json& data = {{"key", "value"}});

}  // namespace stage
