//! Points that fill a box evenly: Sobol's sequence in Gray-code order (Antonov and Saleev 1979), with the direction
//! numbers of Joe and Kuo (2008).
//!
//! ```text
//! (1)  x_{n+1} = x_n XOR V_c,     c = number of trailing ones of n
//! (2)  V_k = m_k 2^(32-k),        m_k = XOR of 2^i a_i m_{k-i},  i = 1 … s,  and m_{k-s}
//! ```

/// Degree, coefficients and first direction numbers of each dimension after the first.
const DIRECTIONS: [(u32, u32, &[u32]); 9] = [
    (1, 0, &[1]),
    (2, 1, &[1, 3]),
    (3, 1, &[1, 3, 1]),
    (3, 2, &[1, 1, 1]),
    (4, 1, &[1, 1, 3, 3]),
    (4, 4, &[1, 3, 5, 13]),
    (5, 2, &[1, 1, 5, 5, 17]),
    (5, 4, &[1, 1, 5, 5, 5]),
    (5, 7, &[1, 1, 7, 11, 19]),
];

/// Most dimensions.
pub const MOST: usize = DIRECTIONS.len() + 1;

/// The first `count` points after the origin, in `dimensions` (at most [`MOST`]) numbers between 0 and 1.
pub fn points(dimensions: usize, count: usize) -> Vec<Vec<f64>> {
    let numbers: Vec<[u32; 32]> = (0..dimensions.min(MOST)).map(direction_numbers).collect();
    let mut state = vec![0u32; numbers.len()];
    (0..count as u32)
        .map(|n| {
            let c = n.trailing_ones() as usize;
            state.iter_mut().zip(&numbers).for_each(|(x, v)| *x ^= v[c]);
            state.iter().map(|x| f64::from(*x) / 4_294_967_296.0).collect()
        })
        .collect()
}

/// (2)
fn direction_numbers(dimension: usize) -> [u32; 32] {
    let mut v = [0u32; 32];
    if dimension == 0 {
        (0..32).for_each(|k| v[k] = 1 << (31 - k));
        return v;
    }
    let (s, a, first) = DIRECTIONS[dimension - 1];
    let s = s as usize;
    for k in 0..32 {
        v[k] = if k < s {
            first[k] << (31 - k)
        } else {
            let mut x = v[k - s] ^ (v[k - s] >> s);
            for i in 1..s {
                if (a >> (s - 1 - i)) & 1 == 1 {
                    x ^= v[k - i];
                }
            }
            x
        };
    }
    v
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_interval_has_its_point() {
        // With the origin, the first 2^k points have one in each of 2^k equal intervals, along every axis.
        for k in 1..=8u32 {
            let count = 1usize << k;
            let mut all = points(MOST, count - 1);
            all.push(vec![0.0; MOST]);
            for axis in 0..MOST {
                let mut seen = vec![0; count];
                all.iter().for_each(|p| seen[(p[axis] * count as f64) as usize] += 1);
                assert!(seen.iter().all(|n| *n == 1), "axis {axis}, {count} points: {seen:?}");
            }
        }
        // Known values of the first two dimensions.
        assert_eq!(points(2, 3), [[0.5, 0.5], [0.75, 0.25], [0.25, 0.75]]);
    }

    #[test]
    fn pairs_of_axes_are_filled_too() {
        // 1024 points in 8 x 8 cells: every cell of every pair of axes has points; some pairs need more than 256 for that.
        let mut all = points(MOST, 1023);
        all.push(vec![0.0; MOST]);
        for a in 0..MOST {
            for b in 0..a {
                let mut seen = [0; 64];
                all.iter().for_each(|p| seen[(p[a] * 8.0) as usize * 8 + (p[b] * 8.0) as usize] += 1);
                assert!(seen.iter().all(|n| *n > 0), "axes {a} and {b}: {seen:?}");
            }
        }
    }
}
