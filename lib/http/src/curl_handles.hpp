#pragma once
#include <memory>
#include <string>

#include <curl/curl.h>

/// Owners of libcurl's handles; for the .cpp files of this layer only.
namespace kubist::http {

struct EasyDeleter {
  void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
};
using EasyHandle = std::unique_ptr<CURL, EasyDeleter>;

struct MultiDeleter {
  void operator()(CURLM* multi) const { curl_multi_cleanup(multi); }
};
using MultiHandle = std::unique_ptr<CURLM, MultiDeleter>;

/// A curl_slist that grows.
class StringList {
 public:
  void append(const std::string& line) {
    // On failure curl returns null and leaves the old list as it was.
    if (curl_slist* longer = curl_slist_append(m_list.get(), line.c_str())) {
      static_cast<void>(m_list.release());
      m_list.reset(longer);
    }
  }
  curl_slist* get() const { return m_list.get(); }

 private:
  struct Deleter {
    void operator()(curl_slist* list) const { curl_slist_free_all(list); }
  };
  std::unique_ptr<curl_slist, Deleter> m_list;
};

}  // namespace kubist::http
