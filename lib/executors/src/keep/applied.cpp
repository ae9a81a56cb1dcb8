#include "keep/applied.hpp"

#include <kubist/resources/object.hpp>
#include <kubist/util/sha256.hpp>

namespace kubist::executors {

using resources::ObjectView;

void mark_applied(data::Json& object, const data::Json& wish) {
  resources::set_annotation(object, k_applied_annotation,
                            util::sha256_hex(wish.dump()).substr(0, 16));
}

bool same_wish(const data::Json& object, const data::Json& live) {
  return ObjectView(object).annotation(k_applied_annotation) ==
         ObjectView(live).annotation(k_applied_annotation);
}

}  // namespace kubist::executors
