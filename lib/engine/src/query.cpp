#include <kubist/engine/query.hpp>
#include <kubist/util/text.hpp>

namespace kubist::engine {

namespace {

std::string text_of(const WindowQuery& /*query*/) { return "window"; }
std::string text_of(const WorkloadQuery& query) {
  return util::cat(query.version, '.', query.number);
}
std::string text_of(const PromqlQuery& query) { return query.text; }
std::string text_of(const WebQuery& query) { return util::cat(query.url, ' ', query.path); }

}  // namespace

std::string to_string(const Query& query) {
  return std::visit([](const auto& each) { return text_of(each); }, query);
}

}  // namespace kubist::engine
