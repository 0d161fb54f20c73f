//! Cache of kernel rows; the least recently used one is evicted.

/// Marks the absence of a row or slot.
const NONE: u32 = u32::MAX;

/// Rows by the number of their point.
#[derive(Debug)]
pub struct RowCache {
    /// Rows, each in its slot; removed while in use.
    rows: Vec<Vec<f32>>,
    /// The point whose row a slot holds.
    point_of: Vec<u32>,
    slot_of: Vec<u32>,
    /// Links to the less and the more recently used slot; a ring through an extra slot after the last.
    before: Vec<u32>,
    after: Vec<u32>,
    capacity: usize,
    length: usize,
    /// Rows found.
    pub hits: u64,
    /// Rows that had to be computed.
    pub misses: u64,
}

impl RowCache {
    /// For `points` points, in at most `bytes` bytes of rows; at least two rows, because a step needs two.
    pub fn new(points: usize, bytes: usize) -> Self {
        let capacity = (bytes / (points.max(1) * size_of::<f32>())).clamp(2, points.max(2));
        Self {
            rows: Vec::new(),
            point_of: Vec::new(),
            slot_of: vec![NONE; points],
            before: vec![capacity as u32; capacity + 1],
            after: vec![capacity as u32; capacity + 1],
            capacity,
            length: points,
            hits: 0,
            misses: 0,
        }
    }

    /// Takes out the row of a point, and whether it is filled already. It must be put back before the next but one is
    /// taken.
    pub fn take(&mut self, point: usize) -> (Vec<f32>, bool) {
        let slot = self.slot_of[point];
        if slot != NONE {
            self.hits += 1;
            self.unlink(slot);
            self.link_last(slot);
            return (std::mem::take(&mut self.rows[slot as usize]), true);
        }
        self.misses += 1;
        let slot = if self.rows.len() < self.capacity {
            self.rows.push(vec![0.0; self.length]);
            self.point_of.push(NONE);
            (self.rows.len() - 1) as u32
        } else {
            let oldest = self.after[self.capacity];
            self.unlink(oldest);
            self.slot_of[self.point_of[oldest as usize] as usize] = NONE;
            oldest
        };
        self.slot_of[point] = slot;
        self.point_of[slot as usize] = point as u32;
        self.link_last(slot);
        (std::mem::take(&mut self.rows[slot as usize]), false)
    }

    /// Puts a row back.
    pub fn put(&mut self, point: usize, row: Vec<f32>) {
        self.rows[self.slot_of[point] as usize] = row;
    }

    /// Restricts the cache to fewer points: those at `kept`, in that order, are renumbered 0, 1, …
    pub fn compact(&mut self, kept: &[u32], bytes: usize) {
        let old = std::mem::replace(self, Self::new(kept.len(), bytes));
        (self.hits, self.misses) = (old.hits, old.misses);
        let mut new_number = vec![NONE; old.length];
        kept.iter().enumerate().for_each(|(new, &point)| new_number[point as usize] = new as u32);
        // From the least recently used on, so that the order of use is kept; the rows are narrowed in place.
        let (mut old_rows, mut slot) = (old.rows, old.after[old.capacity]);
        while slot as usize != old.capacity {
            let number = new_number[old.point_of[slot as usize] as usize];
            if number != NONE {
                let mut row = std::mem::take(&mut old_rows[slot as usize]);
                kept.iter().enumerate().for_each(|(to, &from)| row[to] = row[from as usize]);
                row.truncate(kept.len());
                row.shrink_to_fit();
                self.take(number as usize);
                self.misses -= 1;
                self.put(number as usize, row);
            }
            slot = old.after[slot as usize];
        }
    }

    fn unlink(&mut self, slot: u32) {
        let (before, after) = (self.before[slot as usize], self.after[slot as usize]);
        self.after[before as usize] = after;
        self.before[after as usize] = before;
    }

    fn link_last(&mut self, slot: u32) {
        let end = self.capacity as u32;
        let last = self.before[self.capacity];
        self.before[slot as usize] = last;
        self.after[slot as usize] = end;
        self.after[last as usize] = slot;
        self.before[self.capacity] = slot;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes a row, fills it with the point's number if it is new, puts it back; returns whether it was cached.
    fn touch(cache: &mut RowCache, point: usize) -> bool {
        let (mut row, there) = cache.take(point);
        if there {
            assert!(row.iter().all(|v| *v == point as f32), "the row of another point");
        } else {
            row.fill(point as f32);
        }
        cache.put(point, row);
        there
    }

    #[test]
    fn the_least_recently_used_row_is_evicted() {
        let mut cache = RowCache::new(10, 3 * 10 * 4);
        assert!(![0, 1, 2].map(|p| touch(&mut cache, p)).contains(&true));
        assert!(touch(&mut cache, 0));
        // 1 is the oldest now.
        assert!(!touch(&mut cache, 3));
        assert!(touch(&mut cache, 0) && touch(&mut cache, 2) && touch(&mut cache, 3));
        assert!(!touch(&mut cache, 1));
        assert_eq!((cache.hits, cache.misses), (4, 5));
    }

    #[test]
    fn compaction_keeps_rows_and_their_order() {
        let mut cache = RowCache::new(6, 3 * 6 * 4);
        for p in [5, 3, 1] {
            let (mut row, _) = cache.take(p);
            row.iter_mut().enumerate().for_each(|(k, v)| *v = (10 * p + k) as f32);
            cache.put(p, row);
        }
        // Memory for three rows of six holds four rows of four.
        cache.compact(&[0, 1, 3, 4], 3 * 6 * 4);
        let (row, there) = cache.take(2);
        assert!(there);
        assert_eq!(row, [30.0, 31.0, 33.0, 34.0]);
        cache.put(2, row);
        assert!(!cache.take(3).1);
    }
}
