//! `--table`: one line for each particle, as CSV.

use std::fmt::Write;
use std::path::Path;
use veracity_trace::{Bundle, Fate, TraceSetup, cycle_start};

/// Number, outcome, margin, end, scalars, gaps with approach speeds, and the values of the uncertain numbers.
pub fn write(setup: &TraceSetup, bundle: &Bundle, path: &Path) -> anyhow::Result<()> {
    let pairs = veracity_model::Layout::new(&setup.scenario.world).pairs;
    let scalars: Vec<&str> = cycle_start::SCALARS
        .iter()
        .copied()
        .enumerate()
        .filter(|(k, _)| (0..bundle.len()).any(|i| bundle.scalar(i, *k).is_some()))
        .map(|s| s.1)
        .collect();
    let mut text = String::from("particle,outcome,margin,end_s,cpu_s");
    scalars.iter().for_each(|name| text += &format!(",{name}"));
    pairs.iter().for_each(|pair| {
        text +=
            &format!(",{},{}", quoted(&format!("gap of {pair} [m]")), quoted(&format!("approach of {pair} [m/s]")))
    });
    setup.paths().iter().for_each(|path| text += &format!(",{}", quoted(path)));
    text.push('\n');
    let number = |x: Option<f64>| x.map_or(String::new(), |x| format!("{x:?}"));
    for i in 0..bundle.len() {
        let outcome = match bundle.fate(i) {
            Fate::Outcome(name) => name.to_string(),
            Fate::NotRun(why) => format!("not run: {why}"),
            Fate::CannotTell(why) => format!("cannot tell: {why}"),
        };
        write!(
            text,
            "{i},{},{},{},{:.6}",
            quoted(&outcome),
            number(bundle.margin(i)),
            bundle.end_s(i),
            bundle.cpu_s(i)
        )?;
        (0..scalars.len()).for_each(|k| text += &format!(",{}", number(bundle.scalar(i, k))));
        for pair in 0..pairs.len() {
            let gap = bundle.gap(i, pair);
            write!(text, ",{},{}", number(gap.map(|g| g[0])), number(gap.map(|g| g[1])))?;
        }
        bundle.values(i).iter().for_each(|x| text += &format!(",{x:?}"));
        text.push('\n');
    }
    veracity_record::file::write_bytes(path, text)?;
    Ok(())
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", veracity_model::text::one_line(text).replace('"', "\"\""))
}
