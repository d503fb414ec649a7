//! Seeded random numbers and keys.

/// A generator of 64-bit numbers (SplitMix64: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        mix(self.0)
    }

    /// A number from 0 up to 1.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A number below `n`.
    pub fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(n)) >> 64) as u64
    }
}

fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

/// The hash of the `index`th key.
pub fn hash_of(index: usize) -> u64 {
    mix(index as u64 ^ 0x5EED_0000_0000_0000)
}

/// Keys by Zipf's law: the k-th comes in proportion to k to the power of minus `exponent`.
pub struct Zipf(Vec<f64>);

impl Zipf {
    pub fn new(keys: usize, exponent: f64) -> Zipf {
        let mut sum = 0.0;
        Zipf(
            (1..=keys)
                .map(|rank| {
                    sum += (rank as f64).powf(-exponent);
                    sum
                })
                .collect(),
        )
    }

    pub fn draw(&self, random: &mut Random) -> usize {
        let total = self.0.last().copied().unwrap_or_default();
        let place = random.unit() * total;
        self.0.partition_point(|sum| *sum <= place).min(self.0.len() - 1)
    }
}
