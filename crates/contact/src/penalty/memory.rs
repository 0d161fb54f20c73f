//! Memory of contacts and joints from step to step: the deflection of their bristles and their initial dissipation.
//!
//! A contact is identified by its pair and feature. Both lists are kept sorted, as the scene reports them, so that last
//! step's memory is found by a linear walk; nothing is hashed.

/// Memory of one contact.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Held {
    /// Pair of shapes.
    pub pair: u32,
    /// Feature of the pair.
    pub feature: u64,
    /// `α` [s/m], chosen when the contact began.
    pub dissipation: f64,
    /// Gap that the last step predicted for its end, and how much of the depth does not act yet (`assemble`) [m].
    pub gap: f64,
    /// See above.
    pub unfelt: f64,
    /// Deflection of the sliding bristles, world axes [m].
    pub slide: [f64; 3],
    /// Deflection of the bristles against spin about the normal [rad].
    pub spin: f64,
    /// Deflection of the bristles against rolling, world axes [rad].
    pub roll: [f64; 3],
}

const NUMBERS: usize = 13;

/// Memory of all contacts and of the joints with dry friction.
#[derive(Debug, Default, PartialEq)]
pub struct Memory {
    /// Contacts that carried an impulse in the last step, sorted by pair and feature.
    pub contacts: Vec<Held>,
    /// Deflection of each degree of freedom's bristles [rad or m]; 0 where there is no dry friction.
    pub joints: Vec<f64>,
    /// Energy in contacts, limits and bristles at the end of the last step [J].
    pub stored: f64,
    /// Sum of the changes of their energy from the end of one step to the beginning of the next, over all steps [J].
    pub geometry: f64,
}

impl Clone for Memory {
    fn clone(&self) -> Self {
        Self {
            contacts: self.contacts.clone(),
            joints: self.joints.clone(),
            stored: self.stored,
            geometry: self.geometry,
        }
    }

    /// Reuses existing allocations, which the derived `clone_from` would not.
    fn clone_from(&mut self, from: &Self) {
        self.contacts.clone_from(&from.contacts);
        self.joints.clone_from(&from.joints);
        (self.stored, self.geometry) = (from.stored, from.geometry);
    }
}

impl Memory {
    /// The memory of a contact.
    pub fn find(&self, pair: u32, feature: u64) -> Option<&Held> {
        let at = self.contacts.binary_search_by_key(&(pair, feature), |h| (h.pair, h.feature)).ok()?;
        Some(&self.contacts[at])
    }

    /// The largest predicted acting depth of a pair's points, as a gap; `None` for a pair that did not touch.
    pub fn deepest_of(&self, pair: u32) -> Option<f64> {
        let from = self.contacts.partition_point(|h| h.pair < pair);
        let felt = self.contacts[from..].iter().take_while(|h| h.pair == pair).map(|h| h.gap + h.unfelt);
        felt.reduce(f64::min)
    }

    /// As numbers: two energies, the number of contacts, the contacts, the joints. Features are 64 bits wide and stored
    /// exactly in halves.
    pub fn write(&self, out: &mut Vec<f64>) {
        out.extend([self.stored, self.geometry, self.contacts.len() as f64]);
        for h in &self.contacts {
            out.extend([
                f64::from(h.pair),
                (h.feature >> 32) as f64,
                (h.feature & 0xffff_ffff) as f64,
                h.dissipation,
                h.gap,
                h.unfelt,
            ]);
            out.extend(h.slide);
            out.push(h.spin);
            out.extend(h.roll);
        }
        out.extend(&self.joints);
    }

    /// Restores what [`Memory::write`] wrote. Returns `false`, with nothing changed, if it does not fit.
    pub fn read(&mut self, numbers: &[f64]) -> bool {
        let Some((&[stored, geometry, count], rest)) = numbers.split_first_chunk() else { return false };
        let room = rest.len().checked_sub(self.joints.len());
        let whole = |x: f64, below: f64| x >= 0.0 && x < below && x == x.trunc();
        if !whole(count, 1e9) || room != Some(count as usize * NUMBERS) || numbers.iter().any(|x| !x.is_finite()) {
            return false;
        }
        let (contacts, joints) = rest.split_at(count as usize * NUMBERS);
        let narrow = 4_294_967_296.0;
        if contacts.chunks_exact(NUMBERS).any(|c| c[..3].iter().any(|&x| !whole(x, narrow))) {
            return false;
        }
        self.contacts.clear();
        self.contacts.extend(contacts.chunks_exact(NUMBERS).map(|c| Held {
            pair: c[0] as u32,
            feature: (c[1] as u64) << 32 | c[2] as u64,
            dissipation: c[3],
            gap: c[4],
            unfelt: c[5],
            slide: [c[6], c[7], c[8]],
            spin: c[9],
            roll: [c[10], c[11], c[12]],
        }));
        self.joints.copy_from_slice(joints);
        (self.stored, self.geometry) = (stored, geometry);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_nothing_else_is() {
        let held = |pair, feature| Held {
            pair,
            feature,
            dissipation: 0.1,
            gap: -1e-7,
            unfelt: 1e-8,
            slide: [1.0, 2.0, 3.0],
            spin: 4.0,
            roll: [5.0, 6.0, 7.0],
        };
        let memory = Memory {
            contacts: vec![held(3, u64::MAX - 5), held(4_000_000_000, 1)],
            joints: vec![0.5, -0.25],
            stored: 0.1,
            geometry: 0.2,
        };
        let mut numbers = Vec::new();
        memory.write(&mut numbers);
        let mut other = Memory { joints: vec![0.0; 2], ..Memory::default() };
        assert!(other.read(&numbers));
        assert_eq!(other, memory);
        assert_eq!(other.find(3, u64::MAX - 5), Some(&memory.contacts[0]));
        let before = other.clone();
        let mut broken = numbers.clone();
        broken[4] = 0.5;
        for bad in [&numbers[1..], &numbers[..numbers.len() - 1], &[][..], &[f64::NAN, 0.0, 0.0], &broken] {
            assert!(!other.read(bad));
        }
        assert_eq!(other, before);
    }
}
