#include <memory>

#include <kubist/state/contract.hpp>
#include <kubist/state/pieces.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/sha256.hpp>
#include <kubist/util/text.hpp>

namespace kubist::state {
namespace {

using util::cat;
using util::ErrorKind;

tl::unexpected<util::Error> fault(ErrorKind kind, std::string message) {
  return util::fail(
      kind, std::move(message),
      "Nothing was overwritten. `kubist deployitem state put` gives the item a state that you have "
      "kept, `kubist deployitem state rm` lets it begin without one.",
      "CorruptState");
}

class Verifier {
 public:
  Verifier(Head head, std::string head_secret, ReadPiece read)
      : m_head(std::move(head)), m_secret(std::move(head_secret)), m_read(std::move(read)) {}

  util::Result<std::string> next() {
    const int pieces = m_head.size == 0 ? 0 : std::max(1, m_head.chunks);
    if (m_next == pieces) {
      KUBIST_CHECK(verify_whole());
      return std::string();
    }
    const int n = m_next++;
    KUBIST_TRY(auto piece, m_read(m_head, n));
    KUBIST_CHECK(m_head.chunks > 0 ? verify_chunk(n, piece) : verify_inline(piece));
    m_size += piece->bytes.size();
    m_hash.update(piece->bytes);
    return std::move(piece->bytes);
  }

 private:
  util::Result<> verify_inline(const std::optional<Piece>& piece) const {
    if (!piece || piece->bytes.empty()) {
      return fault(ErrorKind::invalid, cat("Secret ", m_secret, " has the head of ", m_head.size,
                                           " bytes of state, but no state: it is corrupt"));
    }
    return {};
  }

  util::Result<> verify_chunk(int n, const std::optional<Piece>& piece) const {
    const std::string name = chunk_name(m_secret, m_head.set, n);
    const std::string what = cat("Secret ", name, ", chunk ", n + 1, " of ", m_head.chunks,
                                 " of the state of generation ", m_head.generation, ", ");
    if (!piece) {
      return fault(ErrorKind::unavailable, cat(what, "is missing"));
    }
    const auto part = parse_part(piece->part);
    if (!part) {
      return fault(piece->part.empty() ? ErrorKind::unavailable : ErrorKind::invalid,
                   cat(what, "does not say what it is: it is corrupt"));
    }
    if (part->generation != m_head.generation) {
      return fault(ErrorKind::unavailable, cat(what, "is of generation ", part->generation));
    }
    if (util::sha256_hex(piece->bytes) != part->sha256) {
      return fault(ErrorKind::invalid,
                   cat(what, "does not have the sha256 that was written with it: it is corrupt"));
    }
    return {};
  }

  util::Result<> verify_whole() {
    if (m_done) {
      return {};
    }
    m_done = true;
    if (m_size != m_head.size) {
      return fault(ErrorKind::invalid, cat("the state of generation ", m_head.generation, " has ",
                                           m_size, " bytes, its head in Secret ", m_secret,
                                           " says ", m_head.size, ": it is corrupt"));
    }
    if (m_size > 0 && m_hash.finish_hex() != m_head.sha256) {
      return fault(ErrorKind::invalid, cat("the state of generation ", m_head.generation,
                                           " does not have the sha256 that its head in Secret ",
                                           m_secret, " names: it is corrupt"));
    }
    return {};
  }

  Head m_head;
  std::string m_secret;
  ReadPiece m_read;
  util::Sha256 m_hash;
  std::size_t m_size = 0;
  int m_next = 0;
  bool m_done = false;
};

/// A missing file is an empty text: a Secret's key that is not there.
util::Result<std::string> read_key(const std::filesystem::path& path) {
  auto text = util::read_file(path, std::size_t{2} << 20U);
  if (!text && text.error().kind == ErrorKind::not_found) {
    return std::string();
  }
  return text;
}

}  // namespace

Source verified_source(Head head, std::string head_secret, ReadPiece read) {
  const auto verifier =
      std::make_shared<Verifier>(std::move(head), std::move(head_secret), std::move(read));
  return [verifier] { return verifier->next(); };
}

util::Result<> drain(const Source& source) {
  while (true) {
    KUBIST_TRY(const std::string piece, source());
    if (piece.empty()) {
      return {};
    }
  }
}

util::Result<Head> mounted_head(const std::filesystem::path& folder) {
  KUBIST_TRY(const std::string text, read_key(folder / k_head_key));
  return parse_head(text);
}

ReadPiece mounted_pieces(std::filesystem::path folder) {
  return
      [folder = std::move(folder)](const Head& head, int n) -> util::Result<std::optional<Piece>> {
        const auto place = head.chunks > 0 ? folder / cat(head.set, n) : folder;
        Piece piece;
        KUBIST_TRY(piece.bytes, read_key(place / k_state_key));
        if (head.chunks > 0) {
          KUBIST_TRY(piece.part, read_key(place / k_part_key));
          if (piece.bytes.empty() && piece.part.empty()) {
            return std::nullopt;
          }
        }
        return piece;
      };
}

}  // namespace kubist::state
