//! Origin of a report: when, by which command, on which machine.
#![allow(clippy::disallowed_methods)] // The date at the top of a report.

use crate::engines;
use veracity_report::data::{Fact, Provenance};
use veracity_report::study::{NotInstalled, Program};

/// What a report says about this program and machine.
pub fn program() -> Program<'static> {
    let missing = engines::missing().into_iter();
    let not_installed = missing.map(|(name, about)| NotInstalled {
        name: name.to_string(),
        about: about.to_string(),
        how: engines::how(name),
    });
    Program { provenance: provenance(), engines: engines::all(), not_installed: not_installed.collect() }
}

fn provenance() -> Provenance {
    let fact = |name: &str, value: String| Fact { name: name.to_string(), value };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let processor = info.lines().find_map(|l| l.strip_prefix("model name")?.split_once(": ")).map(|(_, name)| name);
    let command = std::iter::once("veracity".to_string()).chain(std::env::args().skip(1));
    Provenance {
        when: utc_now(),
        version: env!("CARGO_PKG_VERSION").to_string(),
        commit: None,
        command: Some(command.collect::<Vec<_>>().join(" ")),
        machine: vec![
            fact("processor", format!("{cores} cores of {}", processor.unwrap_or("an unknown processor"))),
            fact("operating system", std::env::consts::OS.to_string()),
        ],
    }
}

/// Date and time, UTC, to the minute (Hinnant's civil-from-days).
fn utc_now() -> String {
    let seconds = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |d| d.as_secs());
    utc(seconds)
}

/// See [`utc_now`].
pub fn utc(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    let z = days as i64 + 719_468;
    let era = z.div_euclid(146_097);
    let day_of_era = z.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let (day, month) =
        (day_of_year - (153 * shifted + 2) / 5 + 1, if shifted < 10 { shifted + 3 } else { shifted - 9 });
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year}-{month:02}-{day:02} {:02}:{:02} UTC", rest / 3600, rest % 3600 / 60)
}

#[cfg(test)]
mod tests {
    #[test]
    fn dates_are_those_of_the_calendar() {
        assert_eq!(super::utc(0), "1970-01-01 00:00 UTC");
        assert_eq!(super::utc(951_782_400), "2000-02-29 00:00 UTC");
        assert_eq!(super::utc(1_794_780_000), "2026-11-15 22:00 UTC");
    }
}
