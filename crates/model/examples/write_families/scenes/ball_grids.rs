//! Grids of balls over the ground.
//!
//! | file | published | chosen |
//! |---|---|---|
//! | `bouncing_49` | 7 x 7 balls of 10 kg, radius 0.1 m, restitution 1, no friction, from 5 m | 0.5 m apart, so that they never touch; 5 m is the distance they fall |
//! | `balls_666` | 6 x 6 x 6 of the same, 0.21 m apart, lowest centres at 0.101 m, restitution 0, moved by 1 mm at random | each coordinate by up to ±1 mm, by the generator in this file |
//! | `balls_666_elastic` | lowest centres at 1.101 m, restitution 1 | the same random numbers |
//! | `balls_125` | 5 x 5 x 5 of radius 0.05 m, 1 kg, friction 0.5, 0.11 m apart, up to 2 mm of horizontal jitter, lowest centres at 0.1 m | the random numbers |

use super::written::{END, Solid, Surface, round, single, world};

struct Grid {
    name: &'static str,
    about: &'static str,
    counts: [usize; 3],
    spacing: f64,
    lowest: f64,
    radius: f64,
    mass: f64,
    surface: Surface,
    /// Largest change of a coordinate [m].
    jitter: [f64; 3],
}

const SLIPPERY: Surface = Surface { friction: 0.0, restitution: 0.0 };
const ELASTIC: Surface = Surface { friction: 0.0, restitution: 1.0 };

pub fn files() -> Vec<(String, String)> {
    let dense = Grid {
        name: "balls_666",
        about: "6 x 6 x 6 balls of 10 kg without friction or restitution, a millimetre over the ground.",
        counts: [6; 3],
        spacing: 0.21,
        lowest: 0.101,
        radius: 0.1,
        mass: 10.0,
        surface: SLIPPERY,
        jitter: [1e-3; 3],
    };
    let grids = [
        Grid {
            name: "balls_666_elastic",
            about: "6 x 6 x 6 balls of 10 kg with restitution 1, a metre over the ground.",
            lowest: 1.101,
            surface: ELASTIC,
            ..dense
        },
        Grid {
            name: "bouncing_49",
            about: "7 x 7 balls of 10 kg with restitution 1 that fall by 5 m.",
            counts: [7, 7, 1],
            spacing: 0.5,
            lowest: 5.1,
            surface: ELASTIC,
            jitter: [0.0; 3],
            ..dense
        },
        Grid {
            name: "balls_125",
            about: "5 x 5 x 5 balls of 1 kg, friction 0.5, dropped on the ground.",
            counts: [5; 3],
            spacing: 0.11,
            lowest: 0.1,
            radius: 0.05,
            mass: 1.0,
            surface: Surface { friction: 0.5, restitution: 0.0 },
            jitter: [2e-3, 2e-3, 0.0],
        },
        dense,
    ];
    grids.iter().map(|grid| (format!("balls/{}.sdf", grid.name), sdf(grid))).collect()
}

fn sdf(grid: &Grid) -> String {
    let mut text = world(grid.name, 9.81, grid.about);
    text += &single("ground", [0.0; 6], None, Solid::Ground, grid.surface);
    let mut random = Random(1);
    let [nx, ny, nz] = grid.counts;
    for k in 0..nz {
        for j in 0..ny {
            for i in 0..nx {
                let middle = |n: usize, i: usize| grid.spacing * (i as f64 - 0.5 * (n as f64 - 1.0));
                let mut at = [middle(nx, i), middle(ny, j), grid.lowest + grid.spacing * k as f64, 0.0, 0.0, 0.0];
                for (x, most) in at.iter_mut().zip(grid.jitter) {
                    *x = round(*x + most * random.next());
                }
                let (name, ball) = (format!("ball_{i}_{j}_{k}"), Solid::Ball(grid.radius));
                text += &single(&name, at, Some(grid.mass), ball, grid.surface);
            }
        }
    }
    text + END
}

/// Numbers between -1 and 1 from a linear congruential generator (Knuth's constants): the files must not change when a
/// library changes.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}
