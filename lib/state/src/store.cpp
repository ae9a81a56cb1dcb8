#include <functional>
#include <map>

#include <kubist/data/pointer.hpp>
#include <kubist/state/pieces.hpp>
#include <kubist/state/store.hpp>
#include <kubist/util/base64.hpp>
#include <kubist/util/clock.hpp>
#include <kubist/util/sha256.hpp>
#include <kubist/util/text.hpp>

namespace kubist::state {
namespace {

using data::Json;
using util::cat;
using util::ErrorKind;

/// No packed state has that many bytes: what is said to be there is not compared.
constexpr auto k_unknown_size = static_cast<std::size_t>(-1);

const kube::ApiResource& resource() { return kube::well_known::secrets(); }

/// What packing gives before anything is written: size and hash of all, and the bytes themselves
/// while they fit into the head Secret.
class Measure {
 public:
  util::Result<> take(std::string_view piece) {
    m_size += piece.size();
    m_hash.update(piece);
    if (m_size <= k_max_head_state) {
      m_bytes += piece;
    } else {
      m_bytes = std::string();
    }
    return {};
  }
  std::size_t size() const { return m_size; }
  const std::string& bytes() const { return m_bytes; }
  std::string hash() { return m_hash.finish_hex(); }

 private:
  std::size_t m_size = 0;
  util::Sha256 m_hash;
  std::string m_bytes;
};

/// Cuts packed bytes into chunks, the last one of which may be short.
class Cutter {
 public:
  using Write = std::function<util::Result<>(int n, const std::string& chunk)>;
  explicit Cutter(Write write) : m_write(std::move(write)) {}

  util::Result<> take(std::string_view piece) {
    m_hash.update(piece);
    while (!piece.empty()) {
      const std::string_view part = piece.substr(0, k_chunk - m_chunk.size());
      m_chunk += part;
      piece.remove_prefix(part.size());
      if (m_chunk.size() == k_chunk) {
        KUBIST_CHECK(flush());
      }
    }
    return {};
  }
  /// The hash of all.
  util::Result<std::string> finish() {
    if (!m_chunk.empty()) {
      KUBIST_CHECK(flush());
    }
    return m_hash.finish_hex();
  }

 private:
  util::Result<> flush() {
    KUBIST_CHECK(m_write(m_next++, m_chunk));
    m_chunk.clear();
    return {};
  }
  Write m_write;
  util::Sha256 m_hash;
  std::string m_chunk;
  int m_next = 0;
};

class Saver {
 public:
  Saver(kube::Client& client, const StateSecrets& secrets, const std::filesystem::path& folder,
        const SaveOptions& options, const std::stop_token& stop)
      : m_client(client), m_secrets(secrets), m_folder(folder), m_options(options), m_stop(stop) {}

  util::Result<Head> run() {
    Measure measure;
    KUBIST_CHECK(pack(m_folder, m_options.limit,
                      [&](std::string_view piece) { return measure.take(piece); }));
    KUBIST_TRY(Json secret,
               m_client.json(kube::get(resource(), m_secrets.ns, m_secrets.head), m_stop));
    KUBIST_CHECK(check_job(secret));
    KUBIST_TRY(const Head before, head_before(secret));
    const auto head = next_head(before, measure.size(), measure.hash());
    if (!head) {
      return before;
    }
    Json data{{k_head_key, util::base64_encode(to_text(*head))}};
    if (head->chunks > 0) {
      KUBIST_CHECK(write_chunks(*head));
    } else if (head->size > 0) {
      data[std::string(k_state_key)] = util::base64_encode(measure.bytes());
    }
    secret["data"] = std::move(data);
    // The resourceVersion is that of the first look: whatever happened since then wins.
    KUBIST_CHECK(m_client.run(
        kube::replace(resource(), secret, {.field_manager = m_options.field_manager}), m_stop));
    return *head;
  }

 private:
  util::Result<Head> head_before(const Json& secret) const {
    auto head = head_of_secret(secret);
    if (!m_options.replace_corrupt) {
      return head;
    }
    if (!head) {
      // Its generation is lost: one that was certainly never used keeps old chunks apart.
      head = Head{};
      head->generation = std::chrono::duration_cast<std::chrono::seconds>(
                             util::system_clock().now().time_since_epoch())
                             .count();
    }
    head->size = k_unknown_size;
    return head;
  }

  util::Result<> check_job(const Json& secret) const {
    const auto job = data::string_at(secret, {"metadata", "annotations", k_job_annotation});
    if (m_options.job.empty() || job == m_options.job) {
      return {};
    }
    return util::fail(
        ErrorKind::conflict,
        cat("Secret ", m_secrets.head, " belongs to job ", job, " by now, not to ", m_options.job),
        "A newer run of the item has started; this one must not write any more.");
  }

  util::Result<Json> metadata_of(const std::string& name) {
    kube::ApiCall call = kube::get(resource(), m_secrets.ns, name);
    call.accept = kube::k_accept_metadata;
    return m_client.json(call, m_stop);
  }

  util::Result<std::string> version_of(const std::string& name) {
    auto secret = metadata_of(name);
    if (!secret && secret.error().kind == ErrorKind::not_found) {
      return util::fail(
          ErrorKind::not_found,
          cat("Secret ", name, ", which the state needs, does not exist: somebody deleted it"),
          "The next run of the item makes it again.");
    }
    if (!secret) {
      return util::fail(secret.error());
    }
    return std::string(data::string_at(*secret, {"metadata", "resourceVersion"}));
  }

  /// An agent that was cut off may come back while the next job writes. So versions are read first,
  /// then the head is asked whose turn it is: who finds itself outdated there stops, and who was
  /// asked before the turn changed holds versions that the other's writes make stale.
  util::Result<> write_chunks(const Head& head) {
    for (int n = 0; n < head.chunks; ++n) {
      const std::string name = chunk_name(m_secrets.head, head.set, n);
      KUBIST_TRY(m_versions[name], version_of(name));
    }
    KUBIST_CHECK(check_turn());
    Cutter cutter([&](int n, const std::string& chunk) { return write_chunk(head, n, chunk); });
    const auto packed =
        pack(m_folder, head.size, [&](std::string_view piece) { return cutter.take(piece); });
    KUBIST_CHECK(packed);
    KUBIST_TRY(const std::string hash, cutter.finish());
    if (hash != head.sha256) {
      return util::fail(ErrorKind::conflict, "the state changed while it was saved");
    }
    return {};
  }

  util::Result<> check_turn() {
    KUBIST_TRY(const Json secret, metadata_of(m_secrets.head));
    return check_job(secret);
  }

  util::Result<> write_chunk(const Head& head, int n, const std::string& bytes) {
    const std::string name = chunk_name(m_secrets.head, head.set, n);
    const Part part{head.generation, util::sha256_hex(bytes)};
    Json patch{{"data",
                {{k_state_key, util::base64_encode(bytes)},
                 {k_part_key, util::base64_encode(to_text(part))}}}};
    constexpr int k_tries = 3;
    for (int tries = 1;; ++tries) {
      patch["metadata"]["resourceVersion"] = m_versions[name];
      kube::ApiCall call = kube::patch(resource(), m_secrets.ns, name, kube::PatchType::merge,
                                       patch, {.field_manager = m_options.field_manager});
      call.accept = kube::k_accept_metadata;
      const auto written = m_client.run(call, m_stop);
      if (written) {
        return {};
      }
      if (written.error().kind != ErrorKind::conflict || tries == k_tries) {
        return util::fail(written.error());
      }
      KUBIST_TRY(m_versions[name], version_of(name));
      KUBIST_CHECK(check_turn());
    }
  }

  kube::Client& m_client;
  const StateSecrets& m_secrets;
  const std::filesystem::path& m_folder;
  const SaveOptions& m_options;
  const std::stop_token& m_stop;
  std::map<std::string, std::string> m_versions;  ///< of the chunk Secrets
};

std::string decoded(const Json& secret, std::string_view key) {
  return util::base64_decode(data::string_at(secret, {"data", key})).value_or("");
}

}  // namespace

util::Result<Head> save_state(kube::Client& client, const StateSecrets& secrets,
                              const std::filesystem::path& folder, const SaveOptions& options,
                              std::stop_token stop) {
  return Saver(client, secrets, folder, options, stop).run();
}

util::Result<Stored> open_state(kube::Client& client, const StateSecrets& secrets,
                                std::stop_token stop) {
  KUBIST_TRY(const Json secret, client.json(kube::get(resource(), secrets.ns, secrets.head), stop));
  Stored stored;
  KUBIST_TRY(stored.head, head_of_secret(secret));
  const ReadPiece read = [&client, secrets, stop, bytes = decoded(secret, k_state_key)](
                             const Head& head, int n) -> util::Result<std::optional<Piece>> {
    if (head.chunks == 0) {
      return Piece{bytes, ""};
    }
    KUBIST_TRY(const auto chunk,
               client.find(resource(), secrets.ns, chunk_name(secrets.head, head.set, n), stop));
    if (!chunk) {
      return std::nullopt;
    }
    return Piece{decoded(*chunk, k_state_key), decoded(*chunk, k_part_key)};
  };
  stored.packed = verified_source(stored.head, secrets.head, read);
  return stored;
}

}  // namespace kubist::state
