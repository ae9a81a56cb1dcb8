#include "item_results.hpp"

#include <kubist/cli/exit_codes.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/text.hpp>

#include "input.hpp"

namespace kubist::cli {

using deployers::Progress;
using util::cat;

namespace {

std::string title(const executors::ItemResult& result) {
  return cat("deployitem/", result.item.name);
}

/// Errors of requests go out as they are; the first of them decides the exit code.
std::optional<util::Error> first_error(Context& context,
                                       const std::vector<executors::ItemResult>& results) {
  std::optional<util::Error> first;
  for (const executors::ItemResult& result : results) {
    if (result.outcome || result.outcome.error().kind == util::ErrorKind::cancelled) {
      continue;
    }
    util::Error error = util::with_context(result.outcome.error(), title(result));
    if (!first) {
      first = std::move(error);
    } else {
      context.log().line(error.to_string());
    }
  }
  return first;
}

std::size_t unfinished(const std::vector<executors::ItemResult>& results) {
  return static_cast<std::size_t>(
      std::count_if(results.begin(), results.end(), [](const executors::ItemResult& result) {
        return result.outcome ? result.outcome->state == Progress::State::running
                              : result.outcome.error().kind == util::ErrorKind::cancelled;
      }));
}

}  // namespace

util::Result<std::vector<resources::ObjectRef>> named_items(Context& context,
                                                            const Arguments& arguments) {
  KUBIST_TRY(const std::string ns, context.ns());
  std::vector<resources::ObjectRef> items;
  for (const std::string& word : arguments.words()) {
    items.push_back({std::string(resources::k_landscaper_group), "DeployItem", ns,
                     word.substr(word.find('/') + 1)});
  }
  return items;
}

std::vector<std::string> as_item_words(const Arguments& arguments) {
  return typed_words(arguments, deployers::deploy_items().group_resource());
}

std::function<void(const std::string&)> progress_log(Context& context) {
  return [&context](const std::string& text) { context.log().line(text); };
}

util::Result<int> print_item_results(Context& context,
                                     const std::vector<executors::ItemResult>& results,
                                     const util::Deadline& deadline) {
  bool failed = false;
  for (const executors::ItemResult& result : results) {
    if (!result.outcome || result.outcome->state == Progress::State::running) {
      continue;
    }
    const bool bad = result.outcome->state == Progress::State::failed;
    failed = failed || bad;
    context.out().write(cat(title(result),
                            bad                   ? " failed"
                            : result.outcome->ran ? " succeeded"
                                                  : " unchanged",
                            "\n"));
    if (bad) {
      context.log().line(
          cat(title(result), ": ", result.outcome->reason, ": ", result.outcome->message));
    }
  }
  if (auto error = first_error(context, results)) {
    return util::fail(*std::move(error));
  }
  if (const std::size_t left = unfinished(results); left > 0) {
    return deadline.cut_short(cat(left, left == 1 ? " run goes on" : " runs go on"),
                              "Run it again: it waits for the same runs.");
  }
  return failed ? k_error : k_ok;
}

util::Result<int> print_interrupted(Context& context,
                                    const std::vector<executors::ItemResult>& results,
                                    const util::Deadline& deadline) {
  for (const executors::ItemResult& result : results) {
    if (result.outcome && result.outcome->state != Progress::State::running) {
      context.out().write(
          cat(title(result), result.outcome->ran ? " interrupted" : " unchanged", "\n"));
      if (!result.outcome->ran) {
        context.log().line(cat(title(result), ": ", result.outcome->message));
      }
    }
  }
  if (auto error = first_error(context, results)) {
    return util::fail(*std::move(error));
  }
  if (const std::size_t left = unfinished(results); left > 0) {
    return deadline.cut_short(cat(left, left == 1 ? " run has" : " runs have", " not ended yet"));
  }
  return k_ok;
}

}  // namespace kubist::cli
