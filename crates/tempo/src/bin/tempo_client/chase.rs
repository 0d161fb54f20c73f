//! The predator's planner: grows a tree of motions in its models of both ships.
//!
//! A node is the state of both ships at a time. To grow the tree: aim at the prey's predicted position at the node's
//! time (with the probability of the goal bias, otherwise at a random point of space); choose the node whose predator
//! is nearest to that and that has few branches; of some random forces, each held for a random time, keep the one that
//! ends nearest; that is a new node. The plan leads to the node that came nearest to its prey.

use crate::ships::{Numbers, PERIOD_S, PLANNED, Prey, ShipSensor, V, Walls, add, length, sub, times};
use veracity_client::{Client, ClientError};
use veracity_engine::random::{Purpose, Stream};

#[derive(Clone, Copy)]
struct Ships {
    predator: (V, V),
    prey: (V, V),
}

impl Ships {
    fn distance(&self) -> f64 {
        length(sub(self.predator.0, self.prey.0))
    }

    /// Advances one period by semi-implicit Euler.
    fn step(&mut self, model: &Model, period: usize, force: V) {
        let pushed = add(force, model.walls.force(self.predator.0));
        let flees = model.prey.force(model.walks[period.min(model.walks.len() - 1)], self.prey.0, self.predator.0);
        for (ship, force) in [(&mut self.predator, pushed), (&mut self.prey, flees)] {
            ship.1 = add(ship.1, times(force, PERIOD_S));
            ship.0 = add(ship.0, times(ship.1, PERIOD_S));
        }
    }
}

struct Model {
    walls: Walls,
    prey: Prey,
    /// The prey's random forces, for each period from the root on.
    walks: Vec<V>,
}

struct Node {
    ships: Ships,
    period: usize,
    parent: usize,
    force: V,
    held: usize,
    branches: u32,
}

struct Planner {
    model: Model,
    half: f64,
    planned: f64,
    bias: f64,
    horizon: usize,
    hold: usize,
    goal: f64,
    tries: u32,
    children: u32,
    stream: Stream,
    drawn: u64,
    nodes: Vec<Node>,
}

impl Planner {
    fn random(&mut self) -> f64 {
        self.drawn += 1;
        self.stream.uniform(self.drawn, 0)
    }

    fn random_force(&mut self) -> V {
        // Uniform in the ball, by rejection from the cube.
        loop {
            let v = [0; 3].map(|_| 2.0 * self.random() - 1.0);
            if length(v) <= 1.0 {
                return times(v, self.planned);
            }
        }
    }

    /// The node to grow from, and the point to aim at.
    fn choose(&mut self) -> Option<(usize, Option<V>)> {
        let target = if self.random() < self.bias {
            None
        } else {
            Some([0; 3].map(|_| self.half * (2.0 * self.random() - 1.0)))
        };
        let score = |n: &Node| match target {
            None => n.ships.distance(),
            Some(point) => length(sub(n.ships.predator.0, point)),
        };
        let open = |n: &Node| n.branches < self.children && n.period < self.horizon;
        let mut best: Option<(usize, f64)> = None;
        for (i, node) in self.nodes.iter().enumerate().filter(|(_, n)| open(n)) {
            let s = score(node);
            if best.is_none_or(|(_, b)| s < b) {
                best = Some((i, s));
            }
        }
        best.map(|(i, _)| (i, target))
    }

    /// Grows one node; `None` when no node is left to grow from.
    fn grow(&mut self) -> Option<f64> {
        let (from, target) = self.choose()?;
        let mut best: Option<(f64, Node)> = None;
        for _ in 0..self.tries {
            let force = self.random_force();
            let held = 1 + (self.random() * self.hold as f64) as usize;
            let held = held.min(self.horizon - self.nodes[from].period);
            let (mut ships, period) = (self.nodes[from].ships, self.nodes[from].period);
            for k in 0..held {
                ships.step(&self.model, period + k, force);
            }
            let score = match target {
                None => ships.distance(),
                Some(point) => length(sub(ships.predator.0, point)),
            };
            if best.as_ref().is_none_or(|(b, _)| score < *b) {
                let node = Node { ships, period: period + held, parent: from, force, held, branches: 0 };
                best = Some((score, node));
            }
        }
        let (_, node) = best?;
        let distance = node.ships.distance();
        self.nodes[from].branches += 1;
        self.nodes.push(node);
        Some(distance)
    }

    /// The path to the node nearest to its prey, as far as it will be executed.
    fn plan(&self, periods: usize) -> Vec<f64> {
        let mut at = 0;
        for (i, node) in self.nodes.iter().enumerate() {
            if node.ships.distance() < self.nodes[at].ships.distance() {
                at = i;
            }
        }
        let mut forces = Vec::new();
        while at != 0 {
            forces.extend(std::iter::repeat_n(self.nodes[at].force, self.nodes[at].held));
            at = self.nodes[at].parent;
        }
        forces.reverse();
        let mut ships = self.nodes[0].ships;
        let mut plan = Vec::with_capacity(periods * PLANNED);
        for period in 0..periods {
            let force = forces.get(period).copied().unwrap_or([0.0; 3]);
            for number in [force, ships.predator.0, ships.predator.1].into_iter().flatten() {
                plan.push(number);
            }
            ships.step(&self.model, period, force);
        }
        plan
    }
}

pub fn chase(client: &mut Client, arguments: &[String]) -> Result<(), ClientError> {
    let numbers = Numbers::of(arguments);
    let (effort, executed) = (numbers.get("effort_s")?, numbers.get("executed_s")?);
    let seed = client.seed();
    let mut planner = Planner {
        model: Model { walls: Walls::of(&numbers)?, prey: Prey::of(&numbers, seed)?, walks: Vec::new() },
        half: numbers.get("space_m")?,
        planned: numbers.get("planned_n")?,
        bias: numbers.get("goal_bias")?,
        horizon: (numbers.get("horizon_s")? / PERIOD_S).round() as usize,
        hold: numbers.get("hold_periods")? as usize,
        goal: numbers.get("goal_m")?,
        tries: numbers.get("tries")? as u32,
        children: numbers.get("children")? as u32,
        stream: Stream::new(seed, 0, 2, Purpose::CommandNoise),
        drawn: 0,
        nodes: Vec::new(),
    };
    let (me, it) = (ShipSensor::on(client, "predator")?, ShipSensor::on(client, "prey")?);
    let periods = (executed / PERIOD_S).round() as usize;
    loop {
        let begun = client.time_ns()?;
        let seen = client.observe()?;
        let (time_ns, values) = (seen.time_ns, &seen.values);
        let ships = Ships {
            predator: (me.place(values), me.velocity(values)),
            prey: (it.place(values), it.velocity(values)),
        };
        let now = (time_ns as f64 * 1e-9 / PERIOD_S).round() as u64;
        planner.model.walks.clear();
        for period in 0..=planner.horizon as u64 {
            let walk = planner.model.prey.walk(now + period);
            planner.model.walks.push(walk);
        }
        planner.nodes.clear();
        planner.nodes.push(Node { ships, period: 0, parent: 0, force: [0.0; 3], held: 0, branches: 0 });
        while ((client.time_ns()? - begun) as f64) < effort * 1e9 {
            // Ten at a time: reading the time is logged, for replays.
            let goal = planner.goal;
            if (0..10).map_while(|_| planner.grow()).any(|distance| distance < goal) {
                break;
            }
        }
        client.publish_plan(&planner.plan(periods))?;
        if !client.wait_until(time_ns + (executed * 1e9) as i64)? {
            return Ok(());
        }
    }
}
