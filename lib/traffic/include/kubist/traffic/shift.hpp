#pragma once
#include <chrono>
#include <string>

#include <kubist/data/json.hpp>
#include <kubist/util/result.hpp>

namespace kubist::traffic {

/// Copies of requests, whose answers nobody gets.
struct Copies {
  int percent = 0;         ///< of the requests; 0: none
  std::string match = {};  ///< a condition: only of requests for which it holds; empty: of all
  bool operator==(const Copies&) const = default;
};

/// By what clients that the canary answered stay with it.
struct Affinity {
  std::string cookie;              ///< its name; empty: they do not stay
  std::string value = {};          ///< another one for each attempt: an older cookie leads nowhere
  std::chrono::seconds max_age{};  ///< how long they keep it
  bool operator==(const Affinity&) const = default;
};

/// Which share of a destination's requests changes hands.
struct Shift {
  std::string destination;  ///< as the route's weights name it
  std::string stable, canary;
  int percent = 0;         ///< of what both have together, for the canary; 0 to 100
  std::string match = {};  ///< a condition: requests for which it holds go to the canary
  Copies mirror = {};      ///< to the canary
  Affinity affinity = {};  ///< below 100 %; from there on the cookie is told to expire
  bool operator==(const Shift&) const = default;
};

/// {percent, match} of spec.mirror; no copies where it is not there.
Copies read_copies(const data::Json& json);

data::Json to_json(const Shift& shift);
/// What to_json() made.
Shift read_shift(const data::Json& json);

/// spec.routes of a TrafficRoute with the weights moved: in every rule that sends to `stable` of
/// the destination, what stable and canary have together is shared again, in whole numbers that
/// keep all other shares. With a `match` a rule "RULE-canary" stands before it, which takes the
/// requests of both conditions, with copies of some a rule "RULE-mirror". With an affinity the
/// canary's answers set the cookie and RULE-canary takes who has it, too; at 100 % a rule
/// "RULE-expire" takes the cookie away. Rules that do not send there stay as they are. Invalid: no
/// rule does; a rule that shall have copies has a mirror already.
util::Result<data::Json> shifted_routes(const data::Json& routes, const Shift& shift);

/// spec.routes once the canary is released: it stands where stable stood, with what both had. For
/// the manifest of the route. Invalid: no rule sends to `stable`, nor to `canary`.
util::Result<data::Json> released_routes(const data::Json& routes, const Shift& shift);

/// A hash of spec.routes: moved weights are for these and no others.
std::string routes_hash(const data::Json& routes);

}  // namespace kubist::traffic
