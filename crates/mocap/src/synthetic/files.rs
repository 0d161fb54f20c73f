//! Synthetic recordings as files, in the formats the readers read.

use crate::readers::signals::{Signal, SignalFile};
use crate::steps::rigid::MarkerModel;
use crate::stream::{MarkerStream, Sample};
use std::io::Write;
use std::path::Path;
use veracity_record::FileError;
use veracity_record::file::write_atomically;

/// A Vicon text stream, six significant digits as the client writes them. A missing pose is a quaternion of zeros.
pub fn vicon(path: &Path, samples: &[Sample]) -> Result<(), FileError> {
    write_atomically(path, |sink| {
        for sample in samples {
            // The client's clock does not start at zero.
            let ms = sample.stamp_ns / 1_000_000 + 20 * 60_000 + 46_284;
            let (minutes, seconds, rest) = (ms / 60_000 % 60, ms / 1000 % 60, ms % 1000);
            let known = sample.is_known();
            let [x, y, z] = if known { sample.position } else { [0.0; 3] };
            let [qw, qx, qy, qz] = if known { sample.orientation } else { [0.0; 4] };
            writeln!(sink, "time(min:sec:ms): {minutes}:{seconds}:{rest}")?;
            writeln!(sink, "pos: {}, {}, {}", six(x), six(y), six(z))?;
            writeln!(sink, "quat: {}, {}, {}, {}\n", six(qx), six(qy), six(qz), six(qw))?;
        }
        Ok(())
    })
}

/// Six significant digits, without trailing zeros.
fn six(x: f64) -> String {
    if x == 0.0 {
        return "0".to_string();
    }
    let decimals = (5 - libm::floor(libm::log10(x.abs())) as i32).clamp(0, 12) as usize;
    let text = format!("{x:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text }
}

/// A signal file.
pub fn signals(path: &Path, file: &SignalFile) -> Result<(), FileError> {
    write_atomically(path, |sink| {
        let head = [
            ("frame of synchronization collision", file.synch_frame.to_string()),
            ("vicon time of synchronization collision", file.stamp_time_s.to_string()),
            ("virtual time of synchronization collision", file.virtual_time_s.to_string()),
            ("total number of frames in video", file.frame_count.to_string()),
            ("framerate of video", file.frame_rate_hz.to_string()),
            ("video frame of valid start of data gathering", file.valid_start_frame.to_string()),
            ("samplerate of vicon", file.sample_rate_hz.to_string()),
        ];
        for (text, value) in head {
            writeln!(sink, "# {text}\n{value}")?;
        }
        writeln!(sink, "# signals : '-' or <frame-number> <*+> | '-' = gap, * = reflection, + = 2 frames")?;
        for signal in &file.signals {
            match signal {
                Signal::Gap => writeln!(sink, "-")?,
                Signal::Seen { frame, indirect, two_frames } => {
                    let flags = format!("{}{}", if *indirect { "*" } else { "" }, if *two_frames { "+" } else { "" });
                    writeln!(sink, "{frame}{}{flags}", if flags.is_empty() { "" } else { " " })?;
                }
            }
        }
        Ok(())
    })
}

/// A marker model.
pub fn vsk(path: &Path, model: &MarkerModel) -> Result<(), FileError> {
    write_atomically(path, |sink| {
        writeln!(
            sink,
            "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\" ?>\n<KinematicModel VERSION=\"2.5\">"
        )?;
        writeln!(sink, "  <Parameters>")?;
        for (name, point) in model.names.iter().zip(&model.points) {
            for (axis, value) in ["x", "y", "z"].iter().zip(point) {
                writeln!(sink, "    <Parameter NAME=\"body_{name}_{axis}\" VALUE=\"{}\"/>", 1e3 * value)?;
            }
        }
        writeln!(sink, "  </Parameters>\n  <MarkerSet>\n    <Markers>")?;
        for (name, [x, y, z]) in model.names.iter().zip(&model.points) {
            let (x, y, z) = (six(1e3 * x), six(1e3 * y), six(1e3 * z));
            writeln!(sink, "      <Marker NAME=\"{name}\" POSITION=\"{x} {y} {z}\" SEGMENT=\"body\"/>")?;
        }
        writeln!(sink, "    </Markers>\n  </MarkerSet>\n</KinematicModel>")?;
        Ok(())
    })
}

/// A TRC file of markers, millimetres.
pub fn trc(path: &Path, stream: &MarkerStream) -> Result<(), FileError> {
    write_atomically(path, |sink| {
        let (rate, frames, markers) = (stream.rate_hz, stream.frames.len(), stream.names.len());
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        writeln!(sink, "PathFileType\t4\t(X/Y/Z)\t{name}")?;
        writeln!(
            sink,
            "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames"
        )?;
        writeln!(sink, "{rate}\t{rate}\t{frames}\t{markers}\tmm\t{rate}\t1\t{frames}")?;
        writeln!(sink, "Frame#\tTime\t{}", stream.names.join("\t\t\t"))?;
        let axes: Vec<String> = (1..=markers).map(|i| format!("X{i}\tY{i}\tZ{i}")).collect();
        writeln!(sink, "\t\t{}\n", axes.join("\t"))?;
        for (k, frame) in stream.frames.iter().enumerate() {
            write!(sink, "{}\t{:.6}", k + 1, frame.stamp_ns as f64 * 1e-9)?;
            for p in &frame.markers {
                match p[0].is_finite() {
                    true => write!(sink, "\t{:.6}\t{:.6}\t{:.6}", 1e3 * p[0], 1e3 * p[1], 1e3 * p[2])?,
                    false => write!(sink, "\t\t\t")?,
                }
            }
            writeln!(sink)?;
        }
        Ok(())
    })
}

/// A table of poses.
pub fn csv(path: &Path, samples: &[Sample]) -> Result<(), FileError> {
    write_atomically(path, |sink| {
        writeln!(sink, "stamp_ns,x [m],y [m],z [m],qw,qx,qy,qz")?;
        for s in samples {
            write!(sink, "{}", s.stamp_ns)?;
            for value in s.position.iter().chain(&s.orientation) {
                match s.is_known() {
                    true => write!(sink, ",{value}")?,
                    false => write!(sink, ",")?,
                }
            }
            writeln!(sink)?;
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::six;

    #[test]
    fn six_digits_are_written_as_the_client_writes_them() {
        let cases =
            [(0.0189854, "0.0189854"), (-0.356981, "-0.356981"), (0.04, "0.04"), (1234567.0, "1234567"), (0.0, "0")];
        for (x, text) in cases {
            assert_eq!(six(x), text);
        }
    }
}
