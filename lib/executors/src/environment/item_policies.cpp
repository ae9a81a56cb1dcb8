#include "environment/item_policies.hpp"

#include <algorithm>

#include <kubist/engine/made_items.hpp>
#include <kubist/util/text.hpp>
#include <kubist/util/threads.hpp>

namespace kubist::executors {

using data::Json;
using deployers::Review;

namespace {

/// Whoever reads it did not name the policy.
util::Error told(util::Error error, const engine::PolicyVerdict& verdict) {
  const std::string by = verdict.trace.empty() ? "" : verdict.trace.back().imposed_by;
  return by.empty() ? error : util::with_context(std::move(error), util::cat("imposed by ", by));
}

}  // namespace

deployers::Reviewer ItemPolicies::reviewer() {
  if (engine::imposer_on_items(m_work.context().graph, m_work.node().id) == nullptr) {
    return {};
  }
  return [this](const std::vector<Json>& items) {
    auto reviews = util::guarded([&] { return review(items); });
    return reviews ? *std::move(reviews)
                   : std::vector<Review>(items.size(), Review{util::fail(reviews.error()), ""});
  };
}

util::Result<std::vector<Review>> ItemPolicies::review(const std::vector<Json>& items) {
  const engine::Context& context = m_work.context();
  const auto made = engine::made_items(context.graph, m_work.node().id, items);
  if (!made || m_work.world().policies == nullptr) {
    return util::fail(util::ErrorKind::internal, "the policies of its items are not known here");
  }
  const auto& tell = m_work.world().traces_item;
  engine::PolicyWorld alone;  // an item has neither metrics nor approvals
  auto verdicts =
      engine::run_policies(made->graph, made->ids, *m_work.world().policies, alone, context.run,
                           context.now, context.stop, {.keep_trace = static_cast<bool>(tell)});
  for (std::size_t i = 0; tell && i < verdicts.size(); ++i) {
    tell(m_work.node().key, made->graph[made->ids[i]], verdicts[i]);
  }
  std::vector<Review> reviews;
  for (engine::PolicyVerdict& verdict : verdicts) {
    reviews.push_back(read(std::move(verdict)));
  }
  return reviews;
}

Review ItemPolicies::read(engine::PolicyVerdict verdict) {
  if (verdict.requeue_after) {
    const std::scoped_lock lock(m_mutex);
    m_requeue_after =
        std::min(m_requeue_after.value_or(*verdict.requeue_after), *verdict.requeue_after);
  }
  if (verdict.error) {
    return {util::fail(told(*verdict.error, verdict)), ""};
  }
  return {*verdict.spec, verdict.hold ? std::move(verdict.hold_message) : ""};
}

std::optional<std::chrono::milliseconds> ItemPolicies::requeue_after() const {
  const std::scoped_lock lock(m_mutex);
  return m_requeue_after;
}

}  // namespace kubist::executors
