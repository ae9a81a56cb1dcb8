#pragma once
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <kubist/kube/client.hpp>

/// The test clusters' objects, read and written by kubist's own client in the test's process: a
/// kubectl takes 0.1 s of a core for each. Where kubectl is the oracle, tests run kubectl. Clusters
/// are "home" (the one that KUBECONFIG names), "target1" and "target2". What fails but for "not
/// found" fails the test. Any thread.
namespace it {

using kubist::data::Json;

/// Fails the test where KUBECONFIG is not set.
std::filesystem::path kubeconfig(const std::string& cluster);
/// One client a cluster for the whole process, with all rights.
const std::shared_ptr<kubist::kube::Client>& client(const std::string& cluster);
/// `type` as people type it: "pod", "kvc", "canaryreleases.kubist.io".
kubist::kube::ApiResource resource(const std::string& cluster, const std::string& type);

/// The object without its managedFields, as kubectl prints it; nothing when it does not exist. No
/// `ns`: "default".
std::optional<Json> get(const std::string& cluster, const std::string& type,
                        const std::string& name, const std::string& ns = {});
/// All of a type, in all namespaces where `ns` is empty.
std::vector<Json> list(const std::string& cluster, const std::string& type,
                       const std::string& ns = {});
/// Server-side apply as the field manager "kubectl"; `force` takes over others' fields.
void put(const std::string& cluster, const std::vector<Json>& objects, bool force = false);
void patch(const std::string& cluster, const std::string& type, const std::string& name,
           const std::string& ns, kubist::kube::PatchType how, const Json& body,
           const std::string& subresource = {});
/// Without waiting until it is gone, and without a word where it is not there.
void remove(const std::string& cluster, const std::string& type, const std::string& name,
            const std::string& ns = {});

/// Asks until it holds, or four times `seconds` have passed: what a quiet machine needs at most.
bool eventually(const std::function<bool()>& holds, int seconds = 30);

}  // namespace it
