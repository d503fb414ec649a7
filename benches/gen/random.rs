//! What is drawn: words, ranks by Zipf's law, choices by weight, letters.

/// 2^64 / golden ratio, made odd: the increment of splitmix64, and a multiplier that permutes any 2^k.
pub const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

const ALPHABET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
pub const LETTER_BITS: u32 = 5;
const LETTER_MASK: u64 = (1 << LETTER_BITS) - 1;
/// Whole letters in 64 bits.
const LETTERS_A_WORD: usize = (u64::BITS / LETTER_BITS) as usize;

/// One of `choices` by weight; `word` is uniform over 64 bits.
pub fn pick(choices: &[(&'static str, u64)], word: u64) -> &'static str {
    let mut rest = below(word, choices.iter().map(|(_, weight)| weight).sum());
    for (choice, weight) in choices {
        if rest < *weight {
            return choice;
        }
        rest -= weight;
    }
    unreachable!("the rest is below the sum of the weights")
}

/// `name.len()` letters of `word`, the lowest five bits first. It keeps the word apart from every other one when
/// `5 · name.len()` bits hold it.
pub fn letters(mut word: u64, name: &mut [u8]) {
    for letter in name {
        *letter = ALPHABET[(word & LETTER_MASK) as usize];
        word >>= LETTER_BITS;
    }
}

/// Fills `text` with letters drawn from `seed`.
pub fn fill(seed: u64, text: &mut [u8]) {
    let mut state = seed;
    for chunk in text.chunks_mut(LETTERS_A_WORD) {
        state = state.wrapping_add(GOLDEN);
        letters(mix(state), chunk);
    }
}

/// Takes a word uniform over 64 bits to `0..limit` (Lemire's multiplication, without the correction of a bias that is
/// under 2^-32 here).
pub fn below(word: u64, limit: u64) -> u64 {
    ((u128::from(word) * u128::from(limit)) >> 64) as u64
}

/// The finaliser of splitmix64 (Steele, Lea and Flood 2014): a permutation of 64 bits.
pub fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// xoshiro256++ 1.0 (Blackman and Vigna 2019), its state filled by splitmix64 as its authors advise.
pub struct Random {
    state: [u64; 4],
}

impl Random {
    pub fn new(seed: u64) -> Self {
        Self { state: [1, 2, 3, 4].map(|i: u64| mix(seed.wrapping_add(GOLDEN.wrapping_mul(i)))) }
    }

    pub fn next(&mut self) -> u64 {
        let s = &mut self.state;
        let result = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        result
    }

    pub fn below(&mut self, limit: u64) -> u64 {
        below(self.next(), limit)
    }

    /// Uniform over [0, 1): the top 53 bits.
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }
}

/// Ranks 1..=n with probability proportional to 1/rank, by rejection-inversion (W. Hörmann and G. Derflinger,
/// "Rejection-inversion to generate variates from monotone discrete distributions", ACM TOMACS 6(3), 1996). At the
/// exponent 1 the hat 1/x has the integral ln x, so its inverse is exp. No table; about one draw a sample.
pub struct Zipf {
    n: f64,
    /// Ends of the interval of u: H(1.5) - h(1), so that rank 1 has its whole share, and H(n + 0.5).
    low: f64,
    high: f64,
    /// A rank that is not further over its x than this is always accepted: 2 - H⁻¹(H(2.5) - h(2)).
    squeeze: f64,
}

impl Zipf {
    pub fn new(n: u64) -> Self {
        let n = n as f64;
        let low = 1.5f64.ln() - 1.0;
        Self { n, low, high: (n + 0.5).ln(), squeeze: 2.0 - (2.5f64.ln() - 0.5).exp() }
    }

    pub fn sample(&self, random: &mut Random) -> u64 {
        loop {
            let u = self.high + random.unit() * (self.low - self.high);
            let x = u.exp();
            let rank = (x + 0.5).floor().clamp(1.0, self.n);
            if rank - x <= self.squeeze || u >= (rank + 0.5).ln() - 1.0 / rank {
                return rank as u64;
            }
        }
    }
}
