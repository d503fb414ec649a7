//! Two to the power of minus `x`, of our own, so that its bits are the same on every machine.
//!
//! Split x into a whole number n and a rest f within [-1/2, 1/2]; 2^f is a Taylor polynomial, and 2^n is an exponent
//! written into the bits of a float. No branch, no table, no fused multiplication: four at a time fill vector registers.

/// 3 · 2^51: adding it leaves no bits for a fraction, so the sum is the nearest whole number, which stands (in two's
/// complement) in the low bits of the sum.
const TO_WHOLE: f64 = 6_755_399_441_055_744.0;

/// What is added to the exponent in a float's bits.
const EXPONENT_BIAS: u64 = f64::MAX_EXP as u64 - 1;
/// Where the exponent begins in a float's bits.
const EXPONENT_SHIFT: u32 = f64::MANTISSA_DIGITS - 1;

/// Below this the power is 0: rounded to -1023, the exponent bits are all zero. (From -1023.5 on they would be wrong.)
pub(super) const LEAST: f64 = -(EXPONENT_BIAS as f64) + 0.5;

/// The degree of the polynomial. The first term left out, (ln 2 / 2)^13 / 13!, is 1.7 · 10^-16: less than the last bit
/// of a float just below 1, and the least of the errors here.
const DEGREE: usize = 12;

/// ln(2)^k / k!
const COEFFICIENTS: [f64; DEGREE + 1] = coefficients();

const fn coefficients() -> [f64; DEGREE + 1] {
    let mut all = [1.0; DEGREE + 1];
    let mut k = 1;
    while k <= DEGREE {
        all[k] = all[k - 1] * std::f64::consts::LN_2 / k as f64;
        k += 1;
    }
    all
}

/// 2^x for each x from 0 down to -1023.5 (exclusive): to within 5 · 10^-16 of it, exactly 1 at 0 and never over 1, 0
/// below [`LEAST`].
#[inline(always)]
pub(super) fn exp2<const N: usize>(x: [f64; N]) -> [f64; N] {
    let shifted = x.map(|x| x + TO_WHOLE);
    let f: [f64; N] = std::array::from_fn(|lane| x[lane] - (shifted[lane] - TO_WHOLE));
    std::array::from_fn(|lane| {
        let scale = f64::from_bits(shifted[lane].to_bits().wrapping_add(EXPONENT_BIAS) << EXPONENT_SHIFT);
        polynomial(f[lane]) * scale
    })
}

/// The sum of [`COEFFICIENTS`]`[k]` · f^k. What is added to 1 comes last, so that its roundings count least; of the rest
/// even and odd powers apart, each in pairs of pairs (Estrin, "Organization of computer systems: the fixed plus variable
/// structure computer", 1960): the longest chain of operations is half as long as one after the other.
#[inline(always)]
fn polynomial(f: f64) -> f64 {
    const C: [f64; DEGREE + 1] = COEFFICIENTS;
    let f2 = f * f;
    let f4 = f2 * f2;
    let f8 = f4 * f4;
    let even = (C[1] + C[3] * f2) + (C[5] + C[7] * f2) * f4 + (C[9] + C[11] * f2) * f8;
    let odd = (C[2] + C[4] * f2) + (C[6] + C[8] * f2) * f4 + (C[10] + C[12] * f2) * f8;
    C[0] + f * (even + f * odd)
}
