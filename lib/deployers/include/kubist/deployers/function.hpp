#pragma once
#include <string>
#include <string_view>

#include <kubist/deployers/item.hpp>
#include <kubist/deployers/world.hpp>

namespace kubist::deployers {

/// Label of the DeployItems of functions.
inline constexpr std::string_view k_function_label = "kubist.io/function";

/// An image that is run as a function, as a kubist.io/container item at home: it reads its input,
/// a map in JSON, from the file $IMPORTS_PATH and writes its answer, a map in JSON or YAML, to the
/// file $EXPORTS_PATH.
struct FunctionCall {
  std::string ns, name;               ///< of the DeployItem
  std::string function;               ///< what is called, for k_function_label
  Json owner;                         ///< the ownerReference of all that is made
  Json annotations = Json::object();  ///< of all that is made
  Json config;                        ///< of the item: image, command, args, resources, ...
  std::string timeout;                ///< of the item: "2m"
  std::string input;                  ///< at most 900 KiB
  bool wait = true;                   ///< false: one step of its run, then tell where it stands
};

/// Of the error of a call that does not wait and is under way.
inline constexpr std::string_view k_function_running = "FunctionRunning";

struct FunctionAnswer {
  Json value;
  bool kept = false;  ///< no pod was needed
};

/// The answer to a call. DeployItem, input and answer stay: the same call again is answered without
/// a pod and without a write; another one of the same name replaces it. In a dry run there is
/// only what is kept. Not two calls of one name at once.
///
/// Errors: reason FunctionFailed, the run failed (why, without values of the input); NotRun, a dry
/// run would need a pod; NameTaken (conflict), a DeployItem of that name is not one of this owner's
/// functions; kind cancelled; those of requests.
util::Result<FunctionAnswer> run_function(World& world, const FunctionCall& call);

/// The end of what the last run of an item printed, at most `limit` bytes; empty where nothing is
/// kept.
std::string last_words(World& world, const std::string& ns, const std::string& item,
                       std::size_t limit);

}  // namespace kubist::deployers
