#include "sorting.hpp"

#include <algorithm>
#include <numeric>

#include <kubist/util/quantity.hpp>
#include <kubist/util/text.hpp>

namespace kubist::cli {
namespace {

bool text_less(const std::string& a, const std::string& b) {
  const auto left = util::quantity_value(a);
  const auto right = left ? util::quantity_value(b) : left;
  return left && right ? *left < *right : a < b;
}

bool key_less(const SortKey& a, const SortKey& b) {
  if (!a || !b) {
    return !a && b.has_value();
  }
  return a->is_string() && b->is_string()
             ? text_less(a->get_ref<const std::string&>(), b->get_ref<const std::string&>())
             : *a < *b;
}

}  // namespace

util::Result<Sorter> Sorter::make(std::string_view path) {
  KUBIST_TRY(auto compiled, data::JsonPath::compile_relaxed(path));
  return Sorter(std::move(compiled));
}

util::Result<SortKey> Sorter::key(const data::Json& object) const {
  KUBIST_TRY(const auto found, m_path.find(object, data::MissingKeys::allow));
  const auto values = found.values();
  return values.empty() ? SortKey() : SortKey(*values.front());
}

util::Result<std::vector<std::size_t>> Sorter::order(
    const std::vector<const SortKey*>& keys) const {
  const auto has_value = [](const SortKey* key) { return key->has_value(); };
  if (!keys.empty() && std::none_of(keys.begin(), keys.end(), has_value)) {
    return util::fail(util::ErrorKind::invalid,
                      util::cat("couldn't find any field with path \"", m_path.text(),
                                "\" in the list of objects"));
  }
  std::vector<std::size_t> order(keys.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return key_less(*keys[a], *keys[b]); });
  return order;
}

}  // namespace kubist::cli
