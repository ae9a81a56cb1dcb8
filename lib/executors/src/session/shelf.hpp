#pragma once
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <kubist/data/packed_objects.hpp>
#include <kubist/executors/tree.hpp>
#include <kubist/util/error.hpp>

namespace kubist::executors {

/// The objects of one kind and namespace, by name: as values, or at rest packed, which takes a
/// fiftieth of the memory and some 10 microseconds an object to undo. One thread.
class Shelf {
 public:
  struct Known {
    ObjectPtr object;
    std::shared_ptr<const util::Error> unreadable;  ///< null: it is not
    std::size_t bytes = 0;                          ///< of the room that it takes
    std::size_t wanted = 0;                         ///< not 0: as of kube::Kept
  };
  using All = std::map<std::string, Known>;

  const All& all();
  bool is_empty() const { return !m_rests && m_all.empty(); }
  /// Null: there is none.
  const Known* find(const std::string& name);
  void put(const std::string& name, Known known);
  void erase(const std::string& name);
  /// Nobody will ask for a while.
  void rest();

 private:
  /// All of them, by name; each readable.
  struct Packed {
    data::PackedObjects objects;
    std::vector<std::size_t> bytes;
  };
  void unpack();
  void pack();

  bool m_rests = false;  ///< then all is in m_packed
  All m_all;
  std::unique_ptr<const Packed> m_packed;  ///< of what m_all is; null: it would have to be made
};

}  // namespace kubist::executors
