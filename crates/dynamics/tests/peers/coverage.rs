//! The verdict on every file: which peers agree, or why it does not load.

use super::agreement::Agreement;
use super::files::ModelFile;
use super::subject::{Format, Subject};
use super::{Answer, Peer};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use veracity_model::import::Base;

/// Result of one peer on one case.
#[derive(Clone, Debug)]
pub enum Opinion {
    /// The differences, and the changes made to the file first.
    Compared(Agreement, Vec<String>),
    Refused(String),
}

/// One file read with one base.
pub struct Case {
    pub subject: Subject,
    pub opinions: BTreeMap<Peer, Opinion>,
}

/// One file.
pub struct Row {
    pub file: ModelFile,
    pub format: Format,
    /// The cases we read, or why we do not.
    pub cases: Result<Vec<Case>, String>,
}

/// The verdict on a file.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// Every case agrees with at least one peer and differs from none; these compared at least one case.
    Loads(BTreeSet<Peer>),
    /// Read, but no moving body has mass: there is no mass matrix to compare.
    Scenery,
    /// Why not.
    DoesNotLoad(String),
}

/// Reads every file and queries every peer that supports its format.
pub fn examine(python: &Path, files: Vec<ModelFile>, states: usize) -> Vec<Row> {
    let mut rows: Vec<Row> = files.into_iter().map(|file| Row::read(file, states)).collect();
    for peer in Peer::ALL {
        let read = rows.iter_mut().filter_map(|row| row.cases.as_mut().ok()).flatten();
        let mut cases: Vec<&mut Case> = read.filter(|case| case.concerns(peer)).collect();
        let subjects: Vec<&Subject> = cases.iter().map(|case| &case.subject).collect();
        let answers = peer.ask(python, &subjects);
        for (case, answer) in cases.iter_mut().zip(answers) {
            let opinion = match answer {
                Answer::Numbers { states, notes } => {
                    Opinion::Compared(Agreement::measure(&case.subject, &states), notes)
                }
                Answer::Refused(reason) => Opinion::Refused(reason),
            };
            case.opinions.insert(peer, opinion);
        }
    }
    rows
}

impl Row {
    fn read(file: ModelFile, states: usize) -> Self {
        let format = Format::of(&file.path);
        let case = |base: Option<Base>| -> Result<Case, String> {
            let subject = Subject::read(&file.name, &file.path, base, states)?;
            Ok(Case { subject, opinions: BTreeMap::new() })
        };
        // First with the default base. Then, because URDF does not define it, with the other one: a free base includes all
        // of a robot's mass, a fixed one is how arms are used.
        let cases = case(None).and_then(|meant| {
            let base = meant.subject.base;
            let other = if base == Base::Free { Base::Fixed } else { Base::Free };
            match case(Some(other)) {
                _ if format != Format::Urdf => Ok(vec![meant]),
                // Start positions of a free base in the sidecar file rule out a fixed one.
                Err(reason) if reason.contains("[sidecar]") => Ok(vec![meant]),
                Err(reason) => Err(reason),
                Ok(turned) => {
                    let mut cases = vec![meant, turned];
                    // A single fixed body has nothing to compare; one case is always kept.
                    cases.sort_by_key(|case| case.subject.system.dof_count());
                    if cases[0].subject.system.dof_count() == 0 {
                        cases.remove(0);
                    }
                    Ok(cases)
                }
            }
        });
        Self { file, format, cases }
    }

    pub fn verdict(&self) -> Verdict {
        let cases = match &self.cases {
            Ok(cases) => cases,
            Err(reason) => return Verdict::DoesNotLoad(format!("not read: {reason}")),
        };
        if cases.iter().all(Case::is_empty) {
            return Verdict::Scenery;
        }
        let mut peers = BTreeSet::new();
        for case in cases {
            if let Some((peer, agreement)) = case.compared().find(|(_, agreement)| !agreement.holds()) {
                return Verdict::DoesNotLoad(format!("differs from {}: {agreement}", peer.name()));
            }
            if case.compared().next().is_none() {
                let refusals: Vec<String> = case.refusals().map(|(p, why)| format!("{}: {why}", p.name())).collect();
                return Verdict::DoesNotLoad(format!("no peer to compare with; {}", refusals.join("; ")));
            }
            peers.extend(case.compared().map(|(peer, _)| peer));
        }
        Verdict::Loads(peers)
    }

    /// The changes made to the file before a peer could read it.
    pub fn notes(&self) -> BTreeSet<(Peer, &str)> {
        let opinions = self.cases.iter().flatten().flat_map(|case| &case.opinions);
        let noted = opinions.filter_map(|(peer, opinion)| match opinion {
            Opinion::Compared(_, notes) => Some(notes.iter().map(|note| (*peer, note.as_str()))),
            Opinion::Refused(_) => None,
        });
        noted.flatten().collect()
    }
}

impl Case {
    /// PyBullet, queried last, is used for a URDF only where no other peer is: it reads them as the other two do, and is by
    /// far the slowest to start.
    fn concerns(&self, peer: Peer) -> bool {
        match (self.subject.format, peer) {
            (Format::Urdf, Peer::Pinocchio | Peer::MuJoCo) => true,
            (Format::Urdf, Peer::PyBullet) => self.compared().next().is_none(),
            (Format::Sdf, Peer::Pinocchio | Peer::PyBullet) => true,
            (Format::Sdf, Peer::MuJoCo) => false,
            (Format::Mjcf, peer) => peer == Peer::MuJoCo,
        }
    }

    /// Peers that gave numbers.
    pub fn compared(&self) -> impl Iterator<Item = (Peer, &Agreement)> {
        self.opinions.iter().filter_map(|(peer, opinion)| match opinion {
            Opinion::Compared(agreement, _) => Some((*peer, agreement)),
            Opinion::Refused(_) => None,
        })
    }

    /// Peers that did not, and why.
    pub fn refusals(&self) -> impl Iterator<Item = (Peer, &str)> {
        self.opinions.iter().filter_map(|(peer, opinion)| match opinion {
            Opinion::Compared(..) => None,
            Opinion::Refused(reason) => Some((*peer, reason.as_str())),
        })
    }

    /// Nothing moves, or nothing that moves has mass.
    fn is_empty(&self) -> bool {
        let massless = || self.subject.world.placements.iter().all(|p| p.model.mass() == 0.0);
        self.subject.system.dof_count() == 0 || massless()
    }
}
