#pragma once
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>

#include <kubist/kube/client.hpp>
#include <kubist/state/contract.hpp>
#include <kubist/state/mark.hpp>
#include <kubist/util/result.hpp>

/// The two halves of `kubist agent`, which run beside a workload.
namespace kubist::state {

struct RestoreOptions {
  std::filesystem::path given{k_given_dir};  ///< the input Secret's mount
  std::filesystem::path kept{k_kept_dir};    ///< the state Secret's mount
  std::filesystem::path in{k_in_dir};
  std::filesystem::path out{k_out_dir};
  std::filesystem::path tini;  ///< copied for scripts; empty: not needed
  /// What the mounts must hold: a node's cache of Secrets may be behind, so restore waits for it.
  std::string given_sha256;           ///< see given_hash(); empty: whatever is there
  std::int64_t state_generation = 0;  ///< at least
  /// Its name, for messages; empty: the state is a volume, which is there as it is.
  std::string state_secret = "state";
  std::chrono::milliseconds patience{90000};
};

/// Before the workload: imports, target, script and init process into `in`; state and empty folders
/// into `out`. Invalid: corrupt state. Unavailable: a chunk of it stayed away. Timeout: the mounts
/// stayed old.
util::Result<> restore(const RestoreOptions& options, std::stop_token stop = {});

/// A hash over names and contents of the input Secret's data (values as in Secret.data, base64).
std::string given_hash(const data::Json& secret_data);

struct CollectOptions {
  std::string job;
  std::string ns;
  std::string export_secret;
  std::string state_secret;  ///< empty: state is a volume and not saved
  std::filesystem::path out{k_out_dir};
  std::filesystem::path schema;  ///< a file with the JSON schema of the exports; empty: none
  std::size_t state_limit = k_max_head_state;
};

/// After the workload: checks and saves exports and state, state first, each in one update. What is
/// wrong with them is said in the mark and is no error here. Conflict: the Secrets are another
/// job's by now. Other errors are the API server's.
util::Result<Mark> collect(kube::Client& client, const CollectOptions& options,
                           std::stop_token stop = {});

}  // namespace kubist::state
