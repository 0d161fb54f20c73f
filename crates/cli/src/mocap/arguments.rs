//! Arguments of `veracity mocap`, and their conversion to options of the steps.

use anyhow::{Context, anyhow, bail, ensure};
use clap::{Arg, ArgAction, ArgMatches, value_parser};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use veracity_mocap::pipeline::{Centre, CleanOptions, Detector, Velocities};
use veracity_mocap::readers::units::{QuatOrder, Units};
use veracity_mocap::readers::{READERS, ReadOptions, signals, vsk};
use veracity_mocap::steps::centre_markers::Fit;
use veracity_mocap::steps::snaps_robust::LeastSnap;
use veracity_mocap::steps::valid::Rules;
use veracity_mocap::to_record::Target;
use veracity_mocap::turns::{exp, product};
use veracity_model::{geometry::quat_from_rpy, import};

fn option(name: &'static str, value: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).value_name(value).help(help)
}

fn number(name: &'static str, value: &'static str, help: &'static str) -> Arg {
    option(name, value, help).value_parser(value_parser!(f64)).allow_negative_numbers(true)
}

fn flag(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
}

fn file(name: &'static str, value: &'static str, help: &'static str) -> Arg {
    option(name, value, help).value_parser(value_parser!(PathBuf))
}

/// Arguments that select recordings, and parts of them.
pub fn reading(command: clap::Command) -> clap::Command {
    let files = Arg::new("FILE").required(true).num_args(1..).value_parser(value_parser!(PathBuf));
    let formats = clap::builder::PossibleValuesParser::new(READERS.iter().map(|r| r.name));
    command
        .arg(files.help("Recordings: Vicon text, C3D, TRC, CSV or MCAP"))
        .arg(option("format", "NAME", "Format of the recordings, where it cannot be detected").value_parser(formats))
        .arg(option("subject", "NAME", "Which body, frame or topic of a file that has several"))
        .arg(option("take", "N", "Which take, toss or trial of a table").value_parser(value_parser!(i64)))
        .arg(option(
            "units",
            "UNITS",
            "Units instead of the file's: a length, a time or both, for example mm or mm,ms",
        ))
        .arg(
            option("quat-order", "ORDER", "Order of a quaternion's numbers where the format has them without names")
                .value_parser(["wxyz", "xyzw"]),
        )
        .arg(option("columns", "PART=NAME,…", "Columns of a table, for example time=clock,x=px,qw=rot_w"))
        .arg(file("body", "VSK", "The body that markers belong to: a .vsk marker model"))
        .arg(number("from-s", "S", "Read only from this time on"))
        .arg(number("to-s", "S", "Read only before this time"))
        .arg(
            option("most-samples", "N", "Refuse more samples than this; 4,000,000 if not given")
                .value_parser(value_parser!(u64)),
        )
        .arg(flag("json", "Print the result as JSON"))
}

/// Arguments of the processing steps.
pub fn cleaning(command: clap::Command) -> clap::Command {
    command
        .arg(number("rate-hz", "HZ", "Samples per second, where the time stamps do not give them"))
        .arg(
            option("detector", "RULE", "Which rule finds snaps")
                .value_parser(["robust", "published", "off"])
                .default_value("robust"),
        )
        .arg(number("least-snap-deg", "DEG", "Smallest rotation that the robust rule must find").default_value("15"))
        .arg(number("least-snap-mm", "MM", "Smallest shift that the robust rule must find").default_value("20"))
        .arg(number("fill-s", "S", "Longest stretch of missing samples that is filled").default_value("0.1"))
        .arg(
            option("centre", "HOW", "The body's centre in the tracker's frame: its origin, from the height of a rolling ball, or from the markers of --body")
                .value_parser(["origin", "height", "l1", "l2", "algebraic"])
                .default_value("origin"),
        )
        .arg(
            option("centre-mm", "X,Y,Z", "The centre, given")
                .allow_hyphen_values(true)
                .conflicts_with("centre"),
        )
        .arg(number("radius-m", "M", "Radius of the ball").default_value("0.05"))
        .arg(number("marker-radius-m", "M", "Radius of the markers' sphere; free if not given"))
        .arg(flag("y-up", "The capture frame has y up"))
        .arg(option("body-turn-deg", "R,P,Y", "Roll, pitch, yaw of the model's frame in the tracker's").allow_hyphen_values(true))
        .arg(flag("level", "Make the floor under a rolling body level"))
        .arg(flag("centre-walls", "Put the origin at the middle of the recorded range"))
        .arg(file("signals", "FILE", "LED signals of an actuator; once for each recording, in order").action(ArgAction::Append))
        .arg(option("actuator-joint", "NAME", "The joint of --model that the signals belong to"))
        .arg(flag("smooth", "Velocities and poses by a smoother, not by differences"))
        .arg(option("height-m", "LOW,HIGH", "Heights of the centre that are valid").allow_hyphen_values(true))
        .arg(number("valid-from-s", "S", "Valid from this time on; else the signal file's valid start, if there is one"))
        .arg(number("valid-to-s", "S", "Valid before this time"))
        .arg(number("least-valid-s", "S", "Shortest stretch that is valid").default_value("0"))
        .arg(file("model", "FILE", "URDF, SDF or MJCF of what was recorded"))
        .arg(option("model-body", "NAME", "Which body of --model it is").requires("model"))
        .arg(file("report", "HTML", "Write a page with every step's lines, numbers and plots"))
        .arg(file("out", "DIR", "Write the records there"))
}

/// Arguments of the output.
pub fn exporting(command: clap::Command) -> clap::Command {
    command.mut_arg("out", |arg| arg.required(true)).arg(
        option("to", "FORMAT", "How records are written")
            .value_parser(["mcap", "csv", "parquet"])
            .default_value("mcap"),
    )
}

/// Options of the reader.
pub fn read_options(matches: &ArgMatches) -> anyhow::Result<ReadOptions> {
    let time = |name: &str| matches.get_one::<f64>(name).copied();
    Ok(ReadOptions {
        take: matches.get_one::<i64>("take").copied(),
        subject: matches.get_one::<String>("subject").cloned(),
        units: matches
            .get_one::<String>("units")
            .map(|text| Units::parse(text).map_err(|what| anyhow!("--units: {what}")))
            .transpose()?
            .unwrap_or_default(),
        quat_order: matches.get_one::<String>("quat-order").map(|order| match order.as_str() {
            "wxyz" => QuatOrder::Wxyz,
            _ => QuatOrder::Xyzw,
        }),
        columns: match matches.get_one::<String>("columns") {
            None => Default::default(),
            Some(text) => columns(text)?,
        },
        body: matches.get_one::<PathBuf>("body").map(|path| vsk::read(path)).transpose()?,
        from_s: time("from-s"),
        to_s: time("to-s"),
        most_samples: matches.get_one::<u64>("most-samples").copied(),
    })
}

/// `part=name` pairs of `--columns`.
fn columns(text: &str) -> anyhow::Result<std::collections::BTreeMap<String, String>> {
    const PARTS: [&str; 8] = ["time", "x", "y", "z", "qw", "qx", "qy", "qz"];
    let pair = |pair: &str| {
        let (part, name) = pair.split_once('=').with_context(|| format!("--columns {pair}: write PART=NAME"))?;
        ensure!(PARTS.contains(&part.trim()), "--columns {pair}: a part is one of {}", PARTS.join(", "));
        Ok((part.trim().to_string(), name.trim().to_string()))
    };
    text.split(',').map(pair).collect()
}

/// Options for the `k`-th of `count` recordings.
pub fn options(
    file: &Path,
    k: usize,
    count: usize,
    read: &ReadOptions,
    matches: &ArgMatches,
) -> anyhow::Result<CleanOptions> {
    let real = |name: &str| matches.get_one::<f64>(name).copied();
    let need = |name: &str| real(name).with_context(|| format!("--{name} has no value"));
    let word = |name: &str| matches.get_one::<String>(name).map(String::as_str);
    let signal_files: Vec<&PathBuf> = matches.get_many("signals").unwrap_or_default().collect();
    ensure!(
        signal_files.is_empty() || signal_files.len() == count,
        "--signals is given {} times for {count} recordings; give it once for each, in order",
        signal_files.len()
    );
    let radius = need("radius-m")?;
    ensure!(radius.is_finite() && radius > 0.0, "--radius-m {radius}: a radius is positive");
    let least_snap = LeastSnap { turn: need("least-snap-deg")?.to_radians(), place: 1e-3 * need("least-snap-mm")? };
    ensure!(least_snap.turn > 0.0 && least_snap.place > 0.0, "the least snap is positive");
    let height = word("height-m").map(|text| numbers::<2>("height-m", text)).transpose()?;
    let turn = exp(&[if matches.get_flag("y-up") { std::f64::consts::FRAC_PI_2 } else { 0.0 }, 0.0, 0.0]);
    let body_turn = match word("body-turn-deg") {
        None => [1.0, 0.0, 0.0, 0.0],
        Some(text) => {
            let [r, p, y] = numbers::<3>("body-turn-deg", text)?.map(f64::to_radians);
            let q = quat_from_rpy(r, p, y);
            [q.w, q.i, q.j, q.k]
        }
    };
    // The identity is exact: poses then stay as measured, bit for bit.
    let turn = if matches.get_flag("y-up") { product(&turn, &[1.0, 0.0, 0.0, 0.0]) } else { [1.0, 0.0, 0.0, 0.0] };
    Ok(CleanOptions {
        name: file.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default(),
        rate_hz: real("rate-hz"),
        detector: match word("detector") {
            Some("published") => Detector::Published,
            Some("off") => Detector::Off,
            _ => Detector::Robust,
        },
        least_snap,
        longest_fill_s: need("fill-s")?,
        radius,
        centre: centre(read, real("marker-radius-m"), word("centre"), word("centre-mm"))?,
        turn,
        shift: [0.0; 3],
        body_turn,
        level: matches.get_flag("level"),
        centre_walls: matches.get_flag("centre-walls"),
        signals: signal_files.get(k).map(|path| signals::read(path)).transpose()?,
        actuator_joint: word("actuator-joint").map(str::to_string),
        velocities: if matches.get_flag("smooth") { Velocities::Smoother } else { Velocities::Differences },
        valid: Rules {
            from_s: real("valid-from-s").unwrap_or(f64::NEG_INFINITY),
            to_s: real("valid-to-s").unwrap_or(f64::INFINITY),
            height: height.map_or((f64::NEG_INFINITY, f64::INFINITY), |[low, high]| (low, high)),
            least_s: need("least-valid-s")?,
        },
        target: matches.get_one::<PathBuf>("model").map(|path| target(path, word("model-body"))).transpose()?,
        plots: matches.get_one::<PathBuf>("report").is_some(),
    })
}

fn centre(read: &ReadOptions, radius: Option<f64>, how: Option<&str>, given: Option<&str>) -> anyhow::Result<Centre> {
    if let Some(text) = given {
        return Ok(Centre::Given(numbers::<3>("centre-mm", text)?.map(|x| 1e-3 * x)));
    }
    let fit = match how {
        Some("height") => return Ok(Centre::FromHeight),
        Some("l1") => Fit::L1,
        Some("l2") => Fit::L2,
        Some("algebraic") => Fit::Algebraic,
        _ => return Ok(Centre::Origin),
    };
    let model = read.body.clone().context("the centre from markers needs --body with the marker model")?;
    Ok(Centre::FromMarkers(model, fit, radius))
}

fn numbers<const N: usize>(name: &str, text: &str) -> anyhow::Result<[f64; N]> {
    let parts: Vec<f64> = text.split(',').map_while(|part| part.trim().parse().ok()).collect();
    <[f64; N]>::try_from(parts).map_err(|_| anyhow!("--{name} {text}: write {N} numbers with commas between them"))
}

fn target(path: &Path, body: Option<&str>) -> anyhow::Result<Target> {
    let options = import::ImportOptions { base: Some(import::Base::Free), ..Default::default() };
    let imported = import::load(path, &options);
    let Some(world) = imported.world else {
        bail!("{}: {}", path.display(), imported.findings);
    };
    if imported.findings.has_errors() {
        bail!("{}: {}", path.display(), imported.findings);
    }
    // The body with a free joint to the world, unless one is named.
    let layout = veracity_model::Layout::new(&world);
    let free = |(i, _): &(usize, &veracity_model::layout::BodySlot)| {
        layout.bodies[*i].parent.is_none() && matches!(layout.joints[*i].kind, veracity_model::JointKind::Free)
    };
    let found = layout.bodies.iter().enumerate().find(free).map(|(_, slot)| slot.name.clone());
    let body = body
        .map(str::to_string)
        .or(found)
        .with_context(|| format!("{}: no body is free to move; name one with --model-body", path.display()))?;
    Ok(Target { world: Arc::new(world), body })
}
