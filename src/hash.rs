//! Keys to 64-bit hashes under a seed, and hashes to places.
//!
//! Every structure here sees a key only as one 64-bit hash. The hash must be of avalanche quality (each input bit moves
//! each output bit with probability one half) and must be seeded: keys in logs are chosen by strangers.
//!
//! | keys come from | use | why |
//! |---|---|---|
//! | your own systems | [`Algorithm::Xxh3`] | nanoseconds a key, passes SMHasher |
//! | strangers who gain by collisions | [`Algorithm::Sip13`], [`Algorithm::Sip24`] | a keyed PRF: no collision can be made without the seed |

use siphasher::sip::{SipHasher13, SipHasher24};
use xxhash_rust::xxh3::{xxh3_64_with_seed, xxh3_128};

/// Which hash function turns keys into 64 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Algorithm {
    /// XXH3, 64 bits, seeded. The default.
    #[default]
    Xxh3,
    /// SipHash-1-3 under a 128-bit key.
    Sip13,
    /// SipHash-2-4 under a 128-bit key: the conservative choice.
    Sip24,
}

/// 128 bits that key the hash, derived from any text.
///
/// Two structures can be compared or merged only under one seed; nothing else but which keys collide depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Seed([u64; 2]);

impl Seed {
    /// The seed that `text` stands for: its XXH3-128, so that any length of text uses all 128 bits.
    pub fn from_text(text: &[u8]) -> Seed {
        let bits = xxh3_128(text);
        Seed([bits as u64, (bits >> u64::BITS) as u64])
    }

    /// A seed from 128 bits as they are.
    pub const fn from_words(words: [u64; 2]) -> Seed {
        Seed(words)
    }

    /// The 128 bits.
    pub const fn words(self) -> [u64; 2] {
        self.0
    }
}

/// A function from a key's bytes to 64 bits; implemented by the three algorithms so that a loop can be compiled for one.
pub trait HashKey {
    /// The hash of `key`.
    fn hash_key(&self, key: &[u8]) -> u64;
}

/// XXH3 under the first word of a [`Seed`].
#[derive(Debug, Clone, Copy)]
pub struct Xxh3(u64);

/// SipHash-1-3 under a [`Seed`].
#[derive(Debug, Clone, Copy)]
pub struct Sip13(SipHasher13);

/// SipHash-2-4 under a [`Seed`].
#[derive(Debug, Clone, Copy)]
pub struct Sip24(SipHasher24);

impl HashKey for Xxh3 {
    #[inline(always)]
    fn hash_key(&self, key: &[u8]) -> u64 {
        xxh3_64_with_seed(key, self.0)
    }
}

impl HashKey for Sip13 {
    #[inline]
    fn hash_key(&self, key: &[u8]) -> u64 {
        self.0.hash(key)
    }
}

impl HashKey for Sip24 {
    #[inline]
    fn hash_key(&self, key: &[u8]) -> u64 {
        self.0.hash(key)
    }
}

/// An algorithm under a seed.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum KeyHasher {
    /// See [`Algorithm::Xxh3`].
    Xxh3(Xxh3),
    /// See [`Algorithm::Sip13`].
    Sip13(Sip13),
    /// See [`Algorithm::Sip24`].
    Sip24(Sip24),
}

impl KeyHasher {
    /// `algorithm` keyed by `seed`.
    pub fn new(algorithm: Algorithm, seed: Seed) -> KeyHasher {
        let [low, high] = seed.words();
        match algorithm {
            Algorithm::Xxh3 => KeyHasher::Xxh3(Xxh3(low)),
            Algorithm::Sip13 => KeyHasher::Sip13(Sip13(SipHasher13::new_with_keys(low, high))),
            Algorithm::Sip24 => KeyHasher::Sip24(Sip24(SipHasher24::new_with_keys(low, high))),
        }
    }
}

impl HashKey for KeyHasher {
    #[inline]
    fn hash_key(&self, key: &[u8]) -> u64 {
        match self {
            KeyHasher::Xxh3(hasher) => hasher.hash_key(key),
            KeyHasher::Sip13(hasher) => hasher.hash_key(key),
            KeyHasher::Sip24(hasher) => hasher.hash_key(key),
        }
    }
}

/// 2^64 divided by the golden ratio, made odd: multiplying by it carries every low bit into the high half (Knuth, The
/// Art of Computer Programming 3, section 6.4).
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// A bijection of 64 bits whose upper half depends on all of them, and whose lower half on both halves of the product.
#[inline(always)]
pub(crate) fn mix(hash: u64) -> u64 {
    let product = hash.wrapping_mul(GOLDEN);
    product ^ (product >> u32::BITS)
}

/// Reduces 32 uniform bits to `0..n` by a multiplication instead of a division (Lemire, "Fast random integer generation
/// in an interval", 2019). The bias is below n / 2^32.
#[inline(always)]
pub(crate) fn range(bits: u32, n: u32) -> u32 {
    ((u64::from(bits) * u64::from(n)) >> u32::BITS) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hashes_are_the_published_ones() {
        let key =
            |algorithm| KeyHasher::new(algorithm, Seed::from_words([0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908]));
        // SipHash-2-4 of 00 01 .. 0e under 00 01 .. 0f: the vector in the appendix of the SipHash paper.
        let message: Vec<u8> = (0..15).collect();
        assert_eq!(key(Algorithm::Sip24).hash_key(&message), 0xa129_ca61_49be_45e5);
        // XXH3-64 of the empty input under seed 0: the reference implementation's value.
        assert_eq!(KeyHasher::new(Algorithm::Xxh3, Seed::default()).hash_key(b""), 0x2d06_8005_38d3_94c2);
        assert_ne!(key(Algorithm::Sip13).hash_key(&message), key(Algorithm::Sip24).hash_key(&message));
    }

    #[test]
    fn a_seed_changes_every_algorithm_and_a_text_always_means_the_same_seed() {
        assert_eq!(Seed::from_text(b"fleet"), Seed::from_text(b"fleet"));
        for algorithm in [Algorithm::Xxh3, Algorithm::Sip13, Algorithm::Sip24] {
            let [one, two] = [b"one", b"two"].map(|text| KeyHasher::new(algorithm, Seed::from_text(text)));
            assert_ne!(one.hash_key(b"key"), two.hash_key(b"key"));
        }
    }

    #[test]
    fn range_covers_its_ends() {
        for n in [1, 2, 3, 2047, 4095, u32::MAX] {
            assert_eq!(range(0, n), 0);
            assert_eq!(range(u32::MAX, n), n - 1);
        }
    }
}
