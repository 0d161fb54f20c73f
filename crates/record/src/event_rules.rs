//! Thresholds that decide what is an event; stored in the head of the record.
//!
//! The defaults are related through one time, the debounce `τ = 10 ms`, and gravity: a body that leaves the ground for
//! less than `τ` left it with less than `g τ / 2 = 0.05 m/s` and rose no more than `g τ² / 8 = 0.12 mm`.

use serde::{Deserialize, Serialize};

/// How the contact points of a patch determine the state of a pair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Merge {
    /// The pair touches, and slips, as soon as one of its points does.
    #[default]
    Any,
    /// The pair touches, and slips, only when all of its points do.
    All,
}

/// Thresholds of the event log.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct EventRules {
    /// Closing speed above which a new contact is an impact and not a touch [m/s]. Larger than what gravity gives in a
    /// step of a millisecond, so that a body placed on the ground touches it.
    pub impact_speed: f64,
    /// Normal speed below which a contact can be at rest [m/s].
    pub rest_speed: f64,
    /// Tangential speed above which a sticking contact slips [m/s].
    pub slip_speed: f64,
    /// Tangential speed below which a slipping contact sticks [m/s]; below `slip_speed`, so that noise does not toggle.
    pub stick_speed: f64,
    /// Gap that a pair must reach before it has lifted off [m]: a smaller gap is chatter.
    pub liftoff_gap: f64,
    /// How long a state must hold before it is reported [s].
    pub debounce: f64,
    /// Normal impulse of a pair over a step above which it touches [N s].
    pub least_impulse: f64,
    /// How far a gap must fall and rise again around a near miss [m]: above the noise of measured distances.
    pub near_miss_rise: f64,
    /// Largest gap that is still a near miss [m].
    pub near_miss_gap: f64,
    /// How far inside its limits a joint must be before it can reach them again [rad or m].
    pub limit_margin: f64,
    /// How points are merged.
    pub merge: Merge,
}

impl Default for EventRules {
    fn default() -> Self {
        Self {
            impact_speed: 0.01,
            rest_speed: 0.05,
            slip_speed: 2e-3,
            stick_speed: 1e-3,
            liftoff_gap: 1e-4,
            debounce: 0.01,
            least_impulse: 0.0,
            near_miss_rise: 1e-5,
            near_miss_gap: f64::INFINITY,
            limit_margin: 1e-4,
            merge: Merge::Any,
        }
    }
}

/// The numbers with their names in files: unit after the name.
const NUMBERS: [&str; 10] = [
    "impact_speed_m_s",
    "rest_speed_m_s",
    "slip_speed_m_s",
    "stick_speed_m_s",
    "liftoff_gap_m",
    "debounce_s",
    "least_impulse_Ns",
    "near_miss_rise_m",
    "near_miss_gap_m",
    "limit_margin",
];

impl EventRules {
    fn numbers(&mut self) -> [&mut f64; NUMBERS.len()] {
        [
            &mut self.impact_speed,
            &mut self.rest_speed,
            &mut self.slip_speed,
            &mut self.stick_speed,
            &mut self.liftoff_gap,
            &mut self.debounce,
            &mut self.least_impulse,
            &mut self.near_miss_rise,
            &mut self.near_miss_gap,
            &mut self.limit_margin,
        ]
    }

    /// As one line, `key=value` with commas; [`EventRules::parse`] restores every bit.
    pub fn text(&self) -> String {
        let mut copy = *self;
        let numbers = copy.numbers();
        let mut parts: Vec<String> = NUMBERS.iter().zip(numbers).map(|(key, x)| format!("{key}={x:?}")).collect();
        parts.push(format!("merge={}", if self.merge == Merge::Any { "any" } else { "all" }));
        parts.join(",")
    }

    /// Parses the result of [`EventRules::text`].
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut rules = Self::default();
        for part in text.split(',') {
            let (key, value) = part.split_once('=').ok_or_else(|| format!("`{part}` is not `key=value`"))?;
            if key == "merge" {
                rules.merge = match value {
                    "any" => Merge::Any,
                    "all" => Merge::All,
                    other => return Err(format!("`merge` must be `any` or `all`, not `{other}`")),
                };
                continue;
            }
            let at = NUMBERS.iter().position(|known| *known == key);
            let at = at.ok_or_else(|| format!("`{key}` is not a threshold of events"))?;
            *rules.numbers()[at] = value.parse().map_err(|_| format!("`{value}` is not a number for {key}"))?;
        }
        Ok(rules)
    }

    /// What is wrong with the thresholds, as a sentence; `None` if they are valid.
    pub fn fault(&self) -> Option<String> {
        let mut copy = *self;
        for (key, x) in NUMBERS.iter().zip(copy.numbers()) {
            if x.is_nan() || *x < 0.0 {
                return Some(format!("{key} is {x}; it must not be negative"));
            }
        }
        (self.stick_speed > self.slip_speed).then(|| {
            "stick_speed_m_s is above slip_speed_m_s: a contact would stick and slip at the same time".to_string()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_read_back_from_text_and_faults_are_reported() {
        let rules = EventRules { debounce: 0.1 + 0.2, merge: Merge::All, ..EventRules::default() };
        assert_eq!(EventRules::parse(&rules.text()), Ok(rules));
        assert_eq!(rules.fault(), None);
        assert!(EventRules::parse("glow=1").unwrap_err().contains("not a threshold"));
        let odd = EventRules { stick_speed: 1.0, ..rules };
        assert!(odd.fault().unwrap().contains("above slip_speed"));
        assert!(EventRules { debounce: -1.0, ..rules }.fault().unwrap().contains("debounce_s is -1"));
    }
}
