#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <kubist/data/json.hpp>
#include <kubist/setup/target_rights.hpp>
#include <kubist/util/error.hpp>

#include "output/table.hpp"

namespace kubist::cli {

/// What `cluster check` found. Empty texts and no times: not known.
struct ClusterReport {
  using Time = std::optional<std::chrono::system_clock::time_point>;
  struct Problem {
    std::string message, next;
  };
  std::string ns, name;
  std::string server, version, user;
  bool by_secret = false;  ///< its Secret was read
  bool has_token = false;
  Time token_end;                                           ///< nothing: it does not say
  Time certificate_end;                                     ///< of the client's certificate
  Time authority_end;                                       ///< of the last of the authorities
  std::optional<std::vector<setup::MissingRight>> missing;  ///< nothing: nobody could ask
  std::vector<Problem> problems;

  void add(const util::Error& error) { problems.push_back({error.message, error.hint}); }
  /// The problems of what has ended, or of rights that are missing.
  void judge(std::chrono::system_clock::time_point now);
};

data::Json to_json(const ClusterReport& report);
Table table_of(const ClusterReport& report, std::chrono::system_clock::time_point now);

}  // namespace kubist::cli
