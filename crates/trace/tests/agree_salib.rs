//! Sobol indices from the same evaluations as SALib's, an independent library.

use std::io::Write;
use std::process::{Command, Stdio};
use veracity_trace::sobol_indices::{SaltelliValues, points};

/// Reads values in SALib's order (for each point: A, AB_1 … AB_d, B) and prints S1 and ST.
const SCRIPT: &str = "
import sys, numpy as np
from SALib.analyze import sobol
d, *y = [float(x) for x in sys.stdin.read().split()]
d = int(d)
problem = {'num_vars': d, 'names': [str(i) for i in range(d)], 'bounds': [[0, 1]] * d}
found = sobol.analyze(problem, np.array(y), calc_second_order=False, seed=1)
print(*[repr(float(x)) for x in list(found['S1']) + list(found['ST'])])
";

#[test]
fn indices_are_those_of_salib() {
    let Some(python) = std::env::var_os("VERACITY_PYTHON") else { return };
    let (d, n) = (4, 256);
    let f = |u: &Vec<f64>| 3.0 + u[0] + 2.0 * u[1] * u[2] + libm::sin(6.0 * u[3]) * u[0];
    let values: Vec<f64> = points(d, n, 7).iter().map(f).collect();
    let ours = SaltelliValues::of(d, n, &values);
    let mut text = format!("{d}");
    for k in 0..n {
        let row = [ours.a[k]].into_iter().chain(ours.ab.iter().map(|ab| ab[k])).chain([ours.b[k]]);
        row.for_each(|y| text += &format!(" {y:?}"));
    }
    let mut child =
        Command::new(python).args(["-c", SCRIPT]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let theirs: Vec<f64> =
        String::from_utf8(output.stdout).unwrap().split_whitespace().map(|x| x.parse().unwrap()).collect();
    for (i, index) in ours.indices().unwrap().iter().enumerate() {
        // The same formulas on the same numbers: rounding of a mean of 256.
        assert!((index.alone.estimate - theirs[i]).abs() < 1e-10, "S{i}: {} {}", index.alone.estimate, theirs[i]);
        assert!(
            (index.total.estimate - theirs[d + i]).abs() < 1e-10,
            "T{i}: {} {}",
            index.total.estimate,
            theirs[d + i]
        );
    }
}
