//! Predator and prey: the laws shared by both programs and the planner's models, and the two controllers.
//!
//! ```text
//! (1)  wall    f = k (w - d) away from every wall nearer than w                       each ship
//! (2)  walk    f ~ N(0, s²) per axis, anew every n periods, keyed by seed and time     prey
//! (3)  flee    f = a max(0, -ln(d / r)), straight away, within r of the predator       prey
//! (4)  prey    (2) + (3), limited in length, + (1)
//! (5)  predator: planned force + kp (planned position - position) + kd (planned velocity - velocity) + (1)
//! ```

use veracity_client::{Client, ClientError};
use veracity_engine::random::{Purpose, Stream};

pub type V = [f64; 3];

pub fn add(a: V, b: V) -> V {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

pub fn sub(a: V, b: V) -> V {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub fn times(a: V, s: f64) -> V {
    [a[0] * s, a[1] * s, a[2] * s]
}

pub fn length(a: V) -> f64 {
    (a[0] * a[0] + a[1] * a[1] + a[2] * a[2]).sqrt()
}

/// Arguments of the form `name=value`.
pub struct Numbers(Vec<(String, f64)>);

impl Numbers {
    pub fn of(arguments: &[String]) -> Self {
        let pair = |a: &String| a.split_once('=').and_then(|(name, n)| Some((name.to_string(), n.parse().ok()?)));
        Self(arguments.iter().filter_map(pair).collect())
    }

    pub fn get(&self, name: &str) -> Result<f64, ClientError> {
        let found = self.0.iter().find(|(n, _)| n == name).map(|(_, value)| *value);
        found.ok_or_else(|| ClientError::Page(format!("give {name}=NUMBER as an argument")))
    }
}

/// Period of both controllers, and step of the planner's models [s].
pub const PERIOD_S: f64 = 0.01;

/// Walls, equation (1).
pub struct Walls {
    half: f64,
    near: f64,
    spring: f64,
}

impl Walls {
    pub fn of(numbers: &Numbers) -> Result<Self, ClientError> {
        Ok(Self { half: numbers.get("space_m")?, near: numbers.get("wall_m")?, spring: numbers.get("spring_n_m")? })
    }

    pub fn force(&self, at: V) -> V {
        at.map(|x| {
            let (below, above) = (self.near - (x + self.half), self.near - (self.half - x));
            self.spring * (below.max(0.0) - above.max(0.0))
        })
    }
}

/// The prey, equations (2) to (4).
pub struct Prey {
    walls: Walls,
    stream: Stream,
    std: f64,
    periods: u64,
    flee: (f64, f64),
    most: f64,
}

impl Prey {
    pub fn of(numbers: &Numbers, seed: u64) -> Result<Self, ClientError> {
        Ok(Self {
            walls: Walls::of(numbers)?,
            stream: Stream::new(seed, 0, 1, Purpose::CommandNoise),
            std: numbers.get("walk_std_n")?,
            periods: numbers.get("walk_periods")?.max(1.0) as u64,
            flee: (numbers.get("flee_m")?, numbers.get("flee_n")?),
            most: numbers.get("force_n")?,
        })
    }

    /// Random force (2) in a period of the controller.
    pub fn walk(&self, period: u64) -> V {
        let round = period / self.periods;
        [0, 1, 2].map(|axis| self.std * self.stream.normal(round, axis))
    }

    /// Force of the prey (4), with the walk given.
    pub fn force(&self, walk: V, prey: V, predator: V) -> V {
        let away = sub(prey, predator);
        let distance = length(away).max(1e-9);
        let flee = if distance < self.flee.0 { -self.flee.1 * libm::log(distance / self.flee.0) } else { 0.0 };
        let wanted = add(walk, times(away, flee.max(0.0) / distance));
        let size = length(wanted);
        let limited = if size > self.most { times(wanted, self.most / size) } else { wanted };
        add(limited, self.walls.force(prey))
    }
}

/// Index of a ship's pose in the observation.
pub struct ShipSensor {
    first: usize,
}

impl ShipSensor {
    pub fn on(client: &Client, ship: &str) -> Result<Self, ClientError> {
        let first = client.observation_place(&format!("{ship}/x"));
        first.map(|first| Self { first }).ok_or_else(|| ClientError::Page(format!("no sensor '{ship}'")))
    }

    fn three(&self, seen: &[f64], at: usize) -> V {
        let at = self.first + at;
        [seen[at], seen[at + 1], seen[at + 2]]
    }

    pub fn place(&self, seen: &[f64]) -> V {
        self.three(seen, 0)
    }

    pub fn velocity(&self, seen: &[f64]) -> V {
        self.three(seen, 7)
    }

    /// Rotation vector of small rotations, and angular velocity.
    pub fn turn(&self, seen: &[f64]) -> (V, V) {
        let w = seen[self.first + 3];
        (times(self.three(seen, 4), 2.0 * w.signum()), self.three(seen, 10))
    }
}

pub fn prey(client: &mut Client, arguments: &[String]) -> Result<(), ClientError> {
    let law = Prey::of(&Numbers::of(arguments), client.seed())?;
    let (me, it) = (ShipSensor::on(client, "prey")?, ShipSensor::on(client, "predator")?);
    while client.wait()? {
        let seen = client.observe()?;
        let period = (seen.time_ns as f64 * 1e-9 / PERIOD_S).round() as u64;
        let force = law.force(law.walk(period), me.place(&seen.values), it.place(&seen.values));
        client.command(&force)?;
    }
    Ok(())
}

/// Numbers of a plan for each period: force, position and velocity.
pub const PLANNED: usize = 9;

pub fn predator(client: &mut Client, arguments: &[String]) -> Result<(), ClientError> {
    let numbers = Numbers::of(arguments);
    let walls = Walls::of(&numbers)?;
    let (kp, kd) = (numbers.get("kp")?, numbers.get("kd")?);
    let (turn_kp, turn_kd) = (numbers.get("turn_kp")?, numbers.get("turn_kd")?);
    let executed = (numbers.get("executed_s")? / PERIOD_S).round() as usize;
    let me = ShipSensor::on(client, "predator")?;
    let (mut known, mut since) = (0, 0usize);
    while client.wait()? {
        let seen = client.observe()?;
        let (place, velocity) = (me.place(&seen.values), me.velocity(&seen.values));
        let (turn, spin) = me.turn(&seen.values);
        let (ordinal, _, plan) = client.plan();
        if ordinal != known {
            (known, since) = (ordinal, 0);
        }
        let mut force = walls.force(place);
        let row = plan.chunks_exact(PLANNED).nth(since).filter(|_| known > 0 && since < executed);
        if let Some(row) = row {
            let of = |at: usize| [row[at], row[at + 1], row[at + 2]];
            let errors = add(times(sub(of(3), place), kp), times(sub(of(6), velocity), kd));
            force = add(force, add(of(0), errors));
        }
        since += 1;
        let torque = add(times(turn, -turn_kp), times(spin, -turn_kd));
        client.command(&[force[0], force[1], force[2], torque[0], torque[1], torque[2]])?;
    }
    Ok(())
}
