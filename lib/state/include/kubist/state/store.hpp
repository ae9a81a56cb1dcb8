#pragma once
#include <cstddef>
#include <filesystem>
#include <stop_token>
#include <string>

#include <kubist/kube/client.hpp>
#include <kubist/state/archive.hpp>
#include <kubist/state/contract.hpp>
#include <kubist/state/head.hpp>

/// The state of an item in its Secrets, through the API. All of them exist beforehand (whoever
/// makes a pod makes them): an agent may update them, but create none.
namespace kubist::state {

/// Where it is.
struct StateSecrets {
  std::string ns;
  std::string head;  ///< chunk Secrets are named after it
};

struct SaveOptions {
  /// Only while the head Secret is this job's; empty: whosever it is.
  std::string job;
  std::size_t limit = k_max_head_state;
  std::string field_manager = "kubist-agent";
  /// A head that cannot be read does not stop it, and the content is written even where it is said
  /// to be there already.
  bool replace_corrupt = false;
};

/// Makes the folder's content the item's state. Packs it twice when it does not fit into the head
/// Secret (once to know its hash, once to write it), so that memory stays small; chunks first, the
/// head last. The head as it then is: nothing is written when the content is the same. Invalid: as
/// pack(). Conflict: the Secrets are another job's by now, or changed meanwhile; the state before
/// is untouched then. Other errors are the API server's.
util::Result<Head> save_state(kube::Client& client, const StateSecrets& secrets,
                              const std::filesystem::path& folder, const SaveOptions& options,
                              std::stop_token stop = {});

/// The state that is current.
struct Stored {
  Head head;
  Source packed;  ///< verified (pieces.hpp); uses the client until its end
};
/// Not_found: there is no head Secret. Invalid: its head is corrupt.
util::Result<Stored> open_state(kube::Client& client, const StateSecrets& secrets,
                                std::stop_token stop = {});

}  // namespace kubist::state
