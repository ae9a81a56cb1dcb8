#include <kubist/data/pointer.hpp>
#include <kubist/deployers/handshake.hpp>
#include <kubist/util/text.hpp>

#include "execution/execution_parts.hpp"

// What World::review makes of DeployItems, once they are rendered and before they are applied.
namespace kubist::deployers {
namespace {

using util::cat;
using util::ErrorKind;

/// As a rendered spec is: what is applied is what is compared, and an unchanged one not written.
Json as_rendered(Json spec) {
  spec = without_nulls(std::move(spec));
  if (const Json* config = data::find_path(spec, {"config"});
      config != nullptr && config->empty()) {
    spec.erase("config");
  }
  return spec;
}

std::vector<Review> ask(World& world, const std::vector<Json>& items) {
  std::vector<Review> reviews = world.review(items);
  reviews.resize(items.size(),
                 Review{util::fail(ErrorKind::internal, "nothing was said about it"), ""});
  return reviews;
}

}  // namespace

void review_items(World& world, std::vector<RenderedItem>& items) {
  std::vector<Json> asked;
  std::vector<RenderedItem*> about;
  for (RenderedItem& item : items) {
    if (world.review && !item.deploy_item.is_null()) {
      asked.push_back(item.deploy_item);
      about.push_back(&item);
    }
  }
  if (about.empty()) {
    return;
  }
  std::vector<Review> reviews = ask(world, asked);
  for (std::size_t i = 0; i < about.size(); ++i) {
    about[i]->held = std::move(reviews[i].hold);
    if (reviews[i].spec) {
      about[i]->deploy_item["spec"] = as_rendered(*std::move(reviews[i].spec));
    } else {
      about[i]->refused = std::move(reviews[i].spec).error();
    }
  }
}

util::Result<Json> reviewed(World& world, Json deploy_item) {
  std::vector<RenderedItem> one(1);
  one[0].deploy_item = std::move(deploy_item);
  review_items(world, one);
  if (one[0].refused) {
    return util::fail(*one[0].refused);
  }
  if (!one[0].held.empty()) {
    return util::fail(ErrorKind::denied, one[0].held);
  }
  return std::move(one[0].deploy_item);
}

std::int64_t generation_of(const World& world, const Json& deploy_item) {
  return world.review ? data::int_at(deploy_item, {"metadata", "generation"}) : 0;
}

std::optional<util::Error> refusal_of(const std::vector<RenderedItem>& items) {
  std::optional<util::Error> first;
  std::size_t count = 0;
  for (const RenderedItem& item : items) {
    if (!item.refused) {
      continue;
    }
    if (++count == 1) {
      first = util::with_context(*item.refused, cat("item ", item.name));
    }
  }
  if (count > 1) {
    first->message += cat("; and ", count - 1, " more items are refused");
  }
  return first;
}

ItemOutcome held_outcome(const RenderedItem& item) {
  if (item.live) {
    const Json& status = item.live->value("status", Json::object());
    const bool of_this = data::int_at(status, {"observedGeneration"}) ==
                         data::int_at(*item.live, {"metadata", "generation"});
    ItemOutcome outcome = outcome_of_item(*item.live);
    if (of_this && outcome.state == Progress::State::done) {
      return outcome;
    }
  }
  ItemOutcome outcome;
  outcome.state = Progress::State::running;
  outcome.reason = k_held;
  outcome.message = item.held;
  return outcome;
}

}  // namespace kubist::deployers
