#include <kubist/data/compare.hpp>
#include <kubist/data/pointer.hpp>

namespace kubist::data {
namespace {

class Differ {
 public:
  explicit Differ(std::size_t limit) : m_limit(limit) {}

  void compare(const Json& a, const Json& b) {
    if (m_found.size() >= m_limit) {
      return;
    }
    if (a.is_object() && b.is_object()) {
      compare_maps(a, b);
    } else if (a.is_array() && b.is_array()) {
      compare_lists(a, b);
    } else if (a != b) {
      m_found.push_back(m_pointer);
    }
  }

  std::vector<std::string> take() { return std::move(m_found); }

 private:
  template <class Token, class Action>
  void inside(const Token& token, Action action) {
    const std::size_t length = m_pointer.size();
    append_token(m_pointer, token);
    action();
    m_pointer.resize(length);
  }

  void note() {
    if (m_found.size() < m_limit) {
      m_found.push_back(m_pointer);
    }
  }

  void compare_maps(const Json& a, const Json& b) {
    auto x = a.begin();
    auto y = b.begin();
    while (x != a.end() || y != b.end()) {
      if (y == b.end() || (x != a.end() && x.key() < y.key())) {
        inside(std::string_view(x.key()), [&] { note(); });
        ++x;
      } else if (x == a.end() || y.key() < x.key()) {
        inside(std::string_view(y.key()), [&] { note(); });
        ++y;
      } else {
        inside(std::string_view(x.key()), [&] { compare(*x, *y); });
        ++x;
        ++y;
      }
    }
  }

  void compare_lists(const Json& a, const Json& b) {
    for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
      inside(i, [&] {
        if (i < a.size() && i < b.size()) {
          compare(a[i], b[i]);
        } else {
          note();
        }
      });
    }
  }

  std::size_t m_limit;
  std::string m_pointer;
  std::vector<std::string> m_found;
};

}  // namespace

std::vector<std::string> differences(const Json& a, const Json& b, std::size_t limit) {
  Differ differ(limit);
  differ.compare(a, b);
  return differ.take();
}

bool contains_all(const Json& whole, const Json& part) {
  if (part.is_object() && whole.is_object()) {
    return std::all_of(part.items().begin(), part.items().end(), [&](const auto& entry) {
      const auto found = whole.find(entry.key());
      return found != whole.end() && contains_all(*found, entry.value());
    });
  }
  if (part.is_array() && whole.is_array()) {
    return part.size() == whole.size() &&
           std::equal(part.begin(), part.end(), whole.begin(),
                      [](const Json& p, const Json& w) { return contains_all(w, p); });
  }
  return whole == part;
}

}  // namespace kubist::data
