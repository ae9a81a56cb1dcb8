#pragma once
#include <memory>
#include <string>
#include <utility>

#include <kubist/data/document.hpp>
#include <kubist/data/json.hpp>
#include <kubist/executors/tree.hpp>

namespace kubist::executors {

/// An object that a watch holds: as a value, or at rest as text, which takes a tenth of the memory
/// and some microseconds to read again. One thread.
class HeldObject {
 public:
  HeldObject() = default;
  explicit HeldObject(data::Json object)
      : m_object(std::make_shared<const data::Json>(std::move(object))) {}

  ObjectPtr get() {
    if (!m_object && !m_text.empty()) {
      auto object = data::parse_json(m_text, "watched object");
      m_object = std::make_shared<const data::Json>(object ? *std::move(object) : data::Json());
      m_text.clear();
    }
    return m_object;
  }
  void rest() {
    if (m_object) {
      m_text = m_object->dump(-1, ' ', false, data::Json::error_handler_t::replace);
      m_text.shrink_to_fit();
      m_object.reset();
    }
  }

 private:
  ObjectPtr m_object;  ///< null: it rests, or there is none
  std::string m_text;
};

}  // namespace kubist::executors
