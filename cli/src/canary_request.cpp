#include "canary_request.hpp"

#include <kubist/cli/exit_codes.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/executors/tree.hpp>
#include <kubist/release/states.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/random.hpp>
#include <kubist/util/text.hpp>

#include "deadline.hpp"
#include "output/progress_lines.hpp"
#include "session.hpp"

namespace kubist::cli {

using data::Json;
using util::cat;
using util::ErrorKind;

namespace {

util::Result<std::string> ask(kube::Client& client, const engine::Key& key, const std::string& verb,
                              const std::stop_token& stop) {
  KUBIST_CHECK(get_release(client, key, stop));
  const std::string request = cat(verb, '@', util::random_uuid());
  const Json patch{
      {"metadata", {{"annotations", {{std::string(resources::k_request_annotation), request}}}}}};
  KUBIST_CHECK(client.json(kube::patch(canary_releases(), key.ns, key.name, kube::PatchType::merge,
                                       patch, {.field_manager = "kubist"}),
                           stop));
  return request;
}

}  // namespace

kube::ApiResource canary_releases() {
  return executors::resource_of(*resources::find_kind(resources::k_kubist_group, "CanaryRelease"));
}

util::Result<Json> get_release(kube::Client& client, const engine::Key& key,
                               const std::stop_token& stop) {
  KUBIST_TRY(auto found, client.find(canary_releases(), key.ns, key.name, stop));
  if (!found) {
    return util::fail(ErrorKind::not_found,
                      cat("there is no CanaryRelease ", key.name, " in namespace ", key.ns),
                      "See 'kubist canary list -A'.");
  }
  return *std::move(found);
}

engine::Key release_key(const std::string& ns, const std::string& word) {
  return {std::string(resources::k_kubist_group), "CanaryRelease", ns,
          word.substr(word.find('/') + 1)};
}

std::string canary_line(const Json& release) {
  const std::string_view state = data::string_at(release, {"status", "state"}, "Pending");
  std::string line = cat(data::string_at(release, {"metadata", "name"}), ": ", state);
  if (const auto weight = data::int_at(release, {"status", "weight"}); weight > 0) {
    line += cat(" at ", weight, " %");
  }
  const std::string_view reason = data::string_at(release, {"status", "reason"});
  const std::string_view message = data::string_at(release, {"status", "message"});
  return cat(line, reason.empty() ? "" : ", ", reason, message.empty() ? "" : ": ", message);
}

int canary_exit_code(const Json& release) {
  switch (release::read_state(data::string_at(release, {"status", "state"}))) {
    case release::State::succeeded:
      return k_ok;
    case release::State::rolled_back:
    case release::State::aborted:
      return k_rolled_back;
    case release::State::failed:
      return k_error;
    default:
      return k_not_ready;
  }
}

util::Result<int> run_canary_request(Context& context, const Arguments& arguments,
                                     const std::string& verb) {
  KUBIST_TRY(const std::string ns, context.ns());
  KUBIST_TRY(const auto client, context.client());
  KUBIST_TRY(const auto session, open_session(context));
  const Deadline deadline(arguments.duration("timeout"), context.stop());
  const bool wait = arguments.boolean("wait");
  int code = k_ok;
  for (const std::string& word : arguments.words()) {
    const engine::Key key = release_key(ns, word);
    KUBIST_TRY(const std::string request, ask(*client, key, verb, deadline.token()));
    executors::ReconcileOptions options;
    options.selection = {key};
    options.lock_timeout = arguments.duration("lock-timeout");
    options.settle = wait ? std::chrono::hours(24 * 365) : std::chrono::milliseconds(0);
    ProgressLines observer(context.log());
    KUBIST_CHECK(session->run(options, observer, deadline.token()));
    KUBIST_TRY(const Json release, get_release(*client, key, context.stop()));
    const Json* handled = data::find_path(release, {"status", "handledRequest"});
    const bool answered = handled && data::string_at(*handled, {"request"}) == request;
    if (answered && data::string_at(*handled, {"outcome"}) == "Refused") {
      return util::fail(
          ErrorKind::invalid,
          cat(verb, " of CanaryRelease/", key.name, ": ", data::string_at(*handled, {"message"})),
          cat("See 'kubist canary status ", key.name, " -n ", ns, "'."));
    }
    context.out().write(cat(canary_line(release), '\n'));
    if (!answered || (wait && deadline.passed())) {
      return deadline.cut_short(cat("CanaryRelease/", key.name, " goes on"),
                                "A kubist that watches sees to it; or run the command again.");
    }
    code = wait ? std::max(code, canary_exit_code(release)) : code;
  }
  return code;
}

std::vector<Flag> canary_request_flags() {
  return {{"wait", 0, FlagKind::boolean, "",
           "see to it until the release has ended; exit code 4 where it went back"},
          {"timeout", 0, FlagKind::duration, "DURATION",
           "end after this long with exit code 3; 0 means no limit", "0s"},
          {"lock-timeout", 0, FlagKind::duration, "DURATION",
           "wait this long for another kubist on the same project", "20s"}};
}

}  // namespace kubist::cli
