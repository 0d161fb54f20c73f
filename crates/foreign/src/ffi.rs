//! `veracity_shim.h` in Rust: the only module of this crate with `unsafe`. The header is the contract; the sizes of the
//! structs below are compared with those of the shim's compiler whenever a shim is loaded ([`Shim::new`]).
//!
//! Soundness rests on the header's contract: the table's functions are called with pointers into memory that outlives
//! the call, arrays have the lengths that the scene or the caller gives, a simulation is used by one thread at a time,
//! and exceptions do not cross. A shim that breaks it crashes its own worker process and no other.
#![allow(unsafe_code)]

use crate::scene::Scene;
use std::ffi::{CStr, CString, c_char, c_void};
use veracity_engine::Unsupported;
use veracity_model::CombineRule;

const ABI: u32 = 2;

/// See the header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PieceMotion {
    /// Position and quaternion w x y z.
    pub pose: [f64; 7],
    /// World axes [rad/s].
    pub angular: [f64; 3],
    /// Of the piece's origin [m/s].
    pub linear: [f64; 3],
}

#[repr(C)]
struct CPiece {
    name: *const c_char,
    mass: f64,
    tensor: [f64; 6],
    moments: [f64; 3],
    principal: [f64; 4],
    linear_damping: f64,
    angular_damping: f64,
    gravity_scale: f64,
}

#[repr(C)]
struct CJoint {
    name: *const c_char,
    kind: i32,
    parent: i32,
    child: i32,
    q: i32,
    nq: i32,
    v: i32,
    nv: i32,
    reserved: i32,
    parent_from_joint: [f64; 7],
    child_from_joint: [f64; 7],
    axis: [f64; 3],
    axis2: [f64; 3],
    pitch: f64,
}

#[repr(C)]
struct CShape {
    name: *const c_char,
    kind: i32,
    piece: i32,
    piece_from_shape: [f64; 7],
    size: [f64; 3],
    friction: [f64; 2],
    direction: [f64; 3],
    torsional: f64,
    rolling: f64,
    restitution: f64,
    stiffness: f64,
    dissipation: f64,
    points: *const f64,
    point_count: usize,
    triangles: *const u32,
    triangle_count: usize,
    heights: *const f64,
    columns: i32,
    rows: i32,
    member: u32,
    filter: u32,
}

#[repr(C)]
struct CLoop {
    name: *const c_char,
    kind: i32,
    a: i32,
    b: i32,
    reserved: i32,
    a_from_frame: [f64; 7],
    b_from_frame: [f64; 7],
    axis_a: [f64; 3],
    axis_b: [f64; 3],
    length: f64,
}

#[repr(C)]
struct CSpring {
    name: *const c_char,
    a: i32,
    b: i32,
    point_a: [f64; 3],
    point_b: [f64; 3],
    stiffness: f64,
    damping: f64,
    rest: f64,
}

#[repr(C)]
struct CCoupling {
    name: *const c_char,
    follower: i32,
    leader: i32,
    coefficients: *const f64,
    count: usize,
}

#[repr(C)]
struct CSetting {
    key: *const c_char,
    value: *const c_char,
}

#[repr(C)]
struct CScene {
    name: *const c_char,
    gravity: [f64; 3],
    step: f64,
    nq: i32,
    nv: i32,
    pieces: *const CPiece,
    piece_count: usize,
    joints: *const CJoint,
    joint_count: usize,
    dofs: *const [f64; 7],
    dof_count: usize,
    shapes: *const CShape,
    shape_count: usize,
    touch: *const u8,
    bits_fit: i32,
    contact: i32,
    friction_rule: i32,
    restitution_rule: i32,
    loops: *const CLoop,
    loop_count: usize,
    springs: *const CSpring,
    spring_count: usize,
    couplings: *const CCoupling,
    coupling_count: usize,
}

/// What a shim implements itself.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Abilities {
    /// The `VS_…` bits.
    pub flags: u64,
    /// 0 exact, above: largest difference, below: none.
    pub snapshot: f64,
}

/// Bits of [`Abilities::flags`].
pub mod flags {
    #![allow(missing_docs)]
    pub const REDUCED: u64 = 1;
    pub const CONTACT: u64 = 2;
    pub const LIMITS: u64 = 4;
    pub const DRY_FRICTION: u64 = 8;
    pub const ARMATURE: u64 = 16;
    pub const JOINT_DAMPING: u64 = 32;
    pub const JOINT_SPRINGS: u64 = 64;
    pub const SPRINGS: u64 = 128;
    pub const DRAG: u64 = 256;
    pub const DRIVES: u64 = 512;
    pub const LOOPS: u64 = 1024;
    pub const COUPLINGS: u64 = 2048;
    pub const NOT_REPEATABLE: u64 = 4096;
    pub const ENERGY: u64 = 8192;
    pub const DRIVES_CONTINUOUS: u64 = 16384;
    pub const RESTITUTION: u64 = 32768;
    pub const SINGLE: u64 = 65536;
}

impl Abilities {
    /// Whether a bit is set.
    pub fn has(&self, flag: u64) -> bool {
        self.flags & flag != 0
    }
}

/// A drive that the engine implements.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ShimDrive {
    /// Index in `v`.
    pub dof: i32,
    /// Index in `q`.
    pub position: i32,
    /// kp, kd, target, target speed, feed-forward, bound.
    pub numbers: [f64; 6],
}

#[repr(C)]
struct CInputs {
    efforts: *const f64,
    wrenches: *const f64,
    any_effort: i32,
    any_wrench: i32,
    drives: *const ShimDrive,
    drive_count: usize,
}

/// A point that touched.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Contact {
    /// First shape.
    pub a: i32,
    /// Second shape.
    pub b: i32,
    /// [m]
    pub point: [f64; 3],
    /// Towards the first.
    pub normal: [f64; 3],
    /// [m]
    pub gap: f64,
    /// On the first [N s].
    pub impulse: [f64; 3],
}

/// What the solver reports.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Solver {
    /// Of the last step.
    pub iterations: u64,
    /// Steps since the state was set that did not converge.
    pub not_converged: u64,
    /// In the engine's own measure.
    pub residual: f64,
}

/// The table of a shim.
#[repr(C)]
pub struct Api {
    abi: u32,
    size_count: u32,
    sizes: unsafe extern "C" fn() -> *const usize,
    version: unsafe extern "C" fn() -> *const c_char,
    abilities: unsafe extern "C" fn(*const CSetting, usize) -> Abilities,
    load: unsafe extern "C" fn(*const CScene, *const CSetting, usize, *mut ShimReport) -> *mut c_void,
    unload: unsafe extern "C" fn(*mut c_void),
    set_state: unsafe extern "C" fn(*mut c_void, f64, *const f64, *const f64, *const PieceMotion) -> i32,
    step: unsafe extern "C" fn(*mut c_void, *const CInputs) -> i32,
    read: unsafe extern "C" fn(*mut c_void, *mut f64, *mut f64, *mut PieceMotion),
    contacts: unsafe extern "C" fn(*mut c_void, *mut Contact, usize) -> usize,
    solver: unsafe extern "C" fn(*mut c_void, *mut Solver),
    energy: unsafe extern "C" fn(*mut c_void) -> f64,
    save: unsafe extern "C" fn(*mut c_void, *mut u8, usize) -> usize,
    restore: unsafe extern "C" fn(*mut c_void, *const u8, usize) -> i32,
    error: unsafe extern "C" fn(*mut c_void) -> *const c_char,
    warning: unsafe extern "C" fn(*mut c_void, usize) -> *const c_char,
}

/// `VS_SIZES` of the header, in its order.
const SIZES: [(&str, usize); 16] = [
    ("vs_motion", size_of::<PieceMotion>()),
    ("vs_piece", size_of::<CPiece>()),
    ("vs_joint", size_of::<CJoint>()),
    ("vs_dof", size_of::<[f64; 7]>()),
    ("vs_shape", size_of::<CShape>()),
    ("vs_loop", size_of::<CLoop>()),
    ("vs_spring", size_of::<CSpring>()),
    ("vs_coupling", size_of::<CCoupling>()),
    ("vs_setting", size_of::<CSetting>()),
    ("vs_scene", size_of::<CScene>()),
    ("vs_abilities", size_of::<Abilities>()),
    ("vs_drive", size_of::<ShimDrive>()),
    ("vs_inputs", size_of::<CInputs>()),
    ("vs_contact", size_of::<Contact>()),
    ("vs_solver", size_of::<Solver>()),
    ("vs_api", size_of::<Api>()),
];

fn compare_sizes(theirs: &[usize]) -> Result<(), String> {
    if theirs.len() != SIZES.len() {
        return Err(format!("the shim has {} structs, not {}", theirs.len(), SIZES.len()));
    }
    match SIZES.iter().zip(theirs).find(|((_, ours), theirs)| ours != *theirs) {
        Some(((name, ours), theirs)) => Err(format!("{name} has {theirs} bytes in the shim, not {ours}")),
        None => Ok(()),
    }
}

/// Refusals and failures of a load.
#[derive(Debug, Default)]
pub struct ShimReport {
    /// What the engine cannot express.
    pub unsupported: Vec<Unsupported>,
    /// Anything else.
    pub failed: Option<String>,
}

/// Called by shims.
///
/// # Safety
/// The report is the one that was given to `load`, the strings end in zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vs_refuse(report: *mut ShimReport, feature: *const c_char, hint: *const c_char) {
    // SAFETY: by the header's promise; the report outlives the load.
    let report = unsafe { &mut *report };
    // SAFETY: as above.
    let (feature, hint) = unsafe { (text(feature), text(hint)) };
    report.unsupported.push(Unsupported { feature, hint });
}

/// Called by shims.
///
/// # Safety
/// As [`vs_refuse`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vs_fail(report: *mut ShimReport, sentence: *const c_char) {
    // SAFETY: by the header's promise.
    unsafe { (*report).failed = Some(text(sentence)) };
}

/// A string of C. Null is empty.
unsafe fn text(pointer: *const c_char) -> String {
    if pointer.is_null() {
        return String::new();
    }
    // SAFETY: it ends in zero by the header's promise.
    unsafe { CStr::from_ptr(pointer) }.to_string_lossy().into_owned()
}

/// A shim's table, checked.
#[derive(Clone, Copy)]
pub struct Shim {
    api: &'static Api,
}

impl Shim {
    /// Checks and wraps the table of a shim.
    ///
    /// # Safety
    /// `api` must come from a shim's `vs_shim()`: a table with static lifetime that obeys the header's contract.
    pub unsafe fn new(api: *const Api) -> Self {
        // SAFETY: the caller's promise.
        let api = unsafe { &*api };
        assert_eq!(api.abi, ABI, "the shim was compiled against another veracity_shim.h");
        // SAFETY: a static array of that length by the header's promise.
        let sizes = unsafe { std::slice::from_raw_parts((api.sizes)(), api.size_count as usize) };
        if let Err(difference) = compare_sizes(sizes) {
            panic!("{difference}: veracity_shim.h and ffi.rs lay the structs out differently");
        }
        Self { api }
    }

    /// Version of the engine behind it.
    pub fn version(&self) -> String {
        // SAFETY: a static string by the header's promise.
        unsafe { text((self.api.version)()) }
    }

    /// Abilities under settings.
    pub fn abilities(&self, settings: &[(String, String)]) -> Abilities {
        let settings = CSettings::new(settings);
        // SAFETY: the strings live until the call is over.
        unsafe { (self.api.abilities)(settings.list.as_ptr(), settings.list.len()) }
    }

    /// Loads a scene.
    pub fn load(&self, scene: &Scene, step_s: f64, settings: &[(String, String)]) -> Result<ShimSim, ShimReport> {
        let settings = CSettings::new(settings);
        let parts = Parts::new(scene);
        let scene = parts.scene(scene, step_s);
        let mut report = ShimReport::default();
        // SAFETY: everything the scene points to lives until the call is over; the report too.
        let sim = unsafe { (self.api.load)(&scene, settings.list.as_ptr(), settings.list.len(), &mut report) };
        if sim.is_null() { Err(report) } else { Ok(ShimSim { api: self.api, sim }) }
    }
}

/// A loaded simulation.
pub struct ShimSim {
    api: &'static Api,
    sim: *mut c_void,
}

// SAFETY: a shim's simulation belongs to one thread at a time, and may change it between calls, by the header's
// promise.
unsafe impl Send for ShimSim {}

impl Drop for ShimSim {
    fn drop(&mut self) {
        // SAFETY: it was given by `load` and is given back once.
        unsafe { (self.api.unload)(self.sim) }
    }
}

impl ShimSim {
    fn outcome(&self, status: i32) -> Result<(), String> {
        if status == 0 {
            return Ok(());
        }
        // SAFETY: a string that lives until the next call.
        Err(unsafe { text((self.api.error)(self.sim)) })
    }

    /// Starts from a state, given in both forms.
    pub fn set_state(&mut self, time: f64, q: &[f64], v: &[f64], pieces: &[PieceMotion]) -> Result<(), String> {
        // SAFETY: the arrays have the lengths of the scene.
        let status = unsafe { (self.api.set_state)(self.sim, time, q.as_ptr(), v.as_ptr(), pieces.as_ptr()) };
        self.outcome(status)
    }

    /// One step. Efforts are as many as `v`, wrenches six for each piece.
    pub fn step(
        &mut self,
        efforts: &[f64],
        wrenches: &[[f64; 6]],
        any: [bool; 2],
        drives: &[ShimDrive],
    ) -> Result<(), String> {
        let inputs = CInputs {
            efforts: efforts.as_ptr(),
            wrenches: wrenches.as_ptr().cast(),
            any_effort: any[0].into(),
            any_wrench: any[1].into(),
            drives: drives.as_ptr(),
            drive_count: drives.len(),
        };
        // SAFETY: the arrays have the lengths of the scene and live until the call is over.
        let status = unsafe { (self.api.step)(self.sim, &inputs) };
        self.outcome(status)
    }

    /// Reads the present motion.
    pub fn read(&mut self, q: &mut [f64], v: &mut [f64], pieces: &mut [PieceMotion]) {
        // SAFETY: the arrays have the lengths of the scene.
        unsafe { (self.api.read)(self.sim, q.as_mut_ptr(), v.as_mut_ptr(), pieces.as_mut_ptr()) }
    }

    /// Contact points of the last step.
    pub fn contacts(&self, out: &mut Vec<Contact>) {
        loop {
            // SAFETY: the shim writes at most as many as there is room for.
            let count = unsafe { (self.api.contacts)(self.sim, out.as_mut_ptr(), out.len()) };
            let fits = count <= out.len();
            out.resize(count, Contact::default());
            if fits {
                return;
            }
        }
    }

    /// What the solver reports.
    pub fn solver(&self) -> Solver {
        let mut out = Solver::default();
        // SAFETY: one struct, written by the shim.
        unsafe { (self.api.solver)(self.sim, &mut out) }
        out
    }

    /// Energy as the engine computes it [J].
    pub fn energy(&self) -> f64 {
        // SAFETY: no memory is passed.
        unsafe { (self.api.energy)(self.sim) }
    }

    /// Appends everything that changes.
    pub fn save(&self, out: &mut Vec<u8>) {
        // SAFETY: no room, nothing is written.
        let count = unsafe { (self.api.save)(self.sim, std::ptr::null_mut(), 0) };
        let start = out.len();
        out.resize(start + count, 0);
        // SAFETY: there is room for `count` bytes from `start`.
        let again = unsafe { (self.api.save)(self.sim, out[start..].as_mut_ptr(), count) };
        debug_assert_eq!(count, again);
    }

    /// Restores a saved state.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<(), String> {
        // SAFETY: the length is that of the bytes.
        let status = unsafe { (self.api.restore)(self.sim, bytes.as_ptr(), bytes.len()) };
        self.outcome(status)
    }

    /// Warnings to be read before the motion is trusted.
    pub fn warnings(&self, out: &mut Vec<String>) {
        for number in 0.. {
            // SAFETY: null, or a string that lives until the next call.
            let sentence = unsafe { (self.api.warning)(self.sim, number) };
            if sentence.is_null() {
                return;
            }
            // SAFETY: as above.
            out.push(unsafe { text(sentence) });
        }
    }
}

/// A C string. A zero byte inside would end it: it becomes a space.
fn c_string(text: &str) -> CString {
    CString::new(text.replace('\0', " ")).unwrap_or_default()
}

struct CSettings {
    _strings: Vec<(CString, CString)>,
    list: Vec<CSetting>,
}

impl CSettings {
    fn new(settings: &[(String, String)]) -> Self {
        let strings: Vec<_> = settings.iter().map(|(k, v)| (c_string(k), c_string(v))).collect();
        let list = strings.iter().map(|(k, v)| CSetting { key: k.as_ptr(), value: v.as_ptr() }).collect();
        Self { _strings: strings, list }
    }
}

/// Everything a [`CScene`] points to.
struct Parts {
    name: CString,
    _names: Vec<CString>,
    pieces: Vec<CPiece>,
    joints: Vec<CJoint>,
    dofs: Vec<[f64; 7]>,
    shapes: Vec<CShape>,
    touch: Vec<u8>,
    loops: Vec<CLoop>,
    springs: Vec<CSpring>,
    couplings: Vec<CCoupling>,
}

impl Parts {
    /// Points into `scene`, which must outlive the result; private to this module, where it does.
    fn new(scene: &Scene) -> Self {
        let mut names: Vec<CString> = Vec::new();
        let mut name = |text: &str| {
            names.push(c_string(text));
            // The bytes of a CString do not move with it.
            names[names.len() - 1].as_ptr()
        };
        let place = |list: &[&str], kind: &str| list.iter().position(|k| *k == kind).map_or(0, |i| i as i32 + 1);
        let pieces = scene.pieces.iter().map(|p| CPiece {
            name: name(&p.name),
            mass: p.mass,
            tensor: p.tensor,
            moments: p.moments,
            principal: p.piece_from_principal,
            linear_damping: p.linear_damping,
            angular_damping: p.angular_damping,
            gravity_scale: p.gravity_scale,
        });
        let pieces = pieces.collect();
        let joints = scene.joints.iter().map(|j| CJoint {
            name: name(&j.name),
            kind: place(JOINTS, j.kind),
            parent: j.parent as i32,
            child: j.child as i32,
            q: j.q as i32,
            nq: j.nq as i32,
            v: j.v as i32,
            nv: j.nv as i32,
            reserved: 0,
            parent_from_joint: j.parent_from_joint,
            child_from_joint: j.child_from_joint,
            axis: j.axis,
            axis2: j.axis2,
            pitch: j.pitch,
        });
        let joints = joints.collect();
        let dofs = scene.dofs.iter();
        let dofs = dofs
            .map(|d| [d.lower, d.upper, d.damping, d.stiffness, d.spring_reference, d.friction, d.armature])
            .collect();
        let shapes = scene.shapes.iter().enumerate().map(|(i, s)| {
            let (member, filter) = scene.table.bits(i).unwrap_or((u32::MAX, u32::MAX));
            CShape {
                name: name(&s.name),
                kind: place(SHAPES, s.kind),
                piece: s.piece as i32,
                piece_from_shape: s.piece_from_shape,
                size: s.size,
                friction: s.material.friction,
                direction: s.material.friction_direction.map_or([0.0; 3], Into::into),
                torsional: s.material.torsional_friction,
                rolling: s.material.rolling_friction,
                restitution: s.material.restitution,
                stiffness: s.material.stiffness.unwrap_or(f64::INFINITY),
                dissipation: s.material.dissipation,
                points: s.points.as_ptr().cast(),
                point_count: s.points.len(),
                triangles: s.triangles.as_ptr().cast(),
                triangle_count: s.triangles.len(),
                heights: s.heights.as_ptr(),
                columns: s.counts[0] as i32,
                rows: s.counts[1] as i32,
                member,
                filter,
            }
        });
        let shapes: Vec<CShape> = shapes.collect();
        let count = shapes.len();
        let touch = (0..count * count).map(|i| scene.table.allows(i / count, i % count).into()).collect();
        let loops = scene.loops.iter().map(|l| CLoop {
            name: name(&l.name),
            kind: place(LOOPS, l.kind),
            a: l.a as i32,
            b: l.b as i32,
            reserved: 0,
            a_from_frame: l.a_from_frame,
            b_from_frame: l.b_from_frame,
            axis_a: l.axis_a,
            axis_b: l.axis_b,
            length: l.length,
        });
        let loops = loops.collect();
        let springs = scene.springs.iter().map(|s| CSpring {
            name: name(&s.name),
            a: s.a as i32,
            b: s.b as i32,
            point_a: s.point_a,
            point_b: s.point_b,
            stiffness: s.stiffness,
            damping: s.damping,
            rest: s.rest,
        });
        let springs = springs.collect();
        let couplings = scene.couplings.iter().map(|c| CCoupling {
            name: name(&c.name),
            follower: c.follower as i32,
            leader: c.leader.map_or(-1, |l| l as i32),
            coefficients: c.coefficients.as_ptr(),
            count: c.coefficients.len(),
        });
        let couplings = couplings.collect();
        Self {
            name: c_string(&scene.name),
            _names: names,
            pieces,
            joints,
            dofs,
            shapes,
            touch,
            loops,
            springs,
            couplings,
        }
    }

    fn scene(&self, scene: &Scene, step_s: f64) -> CScene {
        CScene {
            name: self.name.as_ptr(),
            gravity: scene.gravity,
            step: step_s,
            nq: scene.nq as i32,
            nv: scene.nv as i32,
            pieces: self.pieces.as_ptr(),
            piece_count: self.pieces.len(),
            joints: self.joints.as_ptr(),
            joint_count: self.joints.len(),
            dofs: self.dofs.as_ptr(),
            dof_count: self.dofs.len(),
            shapes: self.shapes.as_ptr(),
            shape_count: self.shapes.len(),
            touch: self.touch.as_ptr(),
            bits_fit: (!scene.table.needs_hook()).into(),
            contact: scene.contact.into(),
            friction_rule: rule_number(scene.friction_rule),
            restitution_rule: rule_number(scene.restitution_rule),
            loops: self.loops.as_ptr(),
            loop_count: self.loops.len(),
            springs: self.springs.as_ptr(),
            spring_count: self.springs.len(),
            couplings: self.couplings.as_ptr(),
            coupling_count: self.couplings.len(),
        }
    }
}

/// In the order of the header's numbers, which begin at 1.
const JOINTS: &[&str] = &["revolute", "continuous", "prismatic", "screw", "universal", "ball", "planar", "free"];
const SHAPES: &[&str] =
    &["sphere", "box", "capsule", "cylinder", "plane", "convex mesh", "mesh", "height field", "ellipsoid", "disc"];
const LOOPS: &[&str] = &["weld", "ball", "revolute", "prismatic", "universal", "distance"];

fn rule_number(rule: CombineRule) -> i32 {
    CombineRule::ALL.iter().position(|r| *r == rule).map_or(0, |i| i as i32 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structs_of_other_sizes_are_rejected_by_name() {
        let mut sizes = SIZES.map(|(_, size)| size);
        assert_eq!(compare_sizes(&sizes), Ok(()));
        sizes[4] += 8;
        let message = compare_sizes(&sizes).unwrap_err();
        assert!(message.contains("vs_shape"), "{message}");
        assert!(compare_sizes(&sizes[1..]).is_err());
    }

    /// The header's sizes, from the C compiler: as every shim reports them.
    #[test]
    fn sizes_are_those_of_the_header() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/include");
        let source = "#include \"veracity_shim.h\"\nconst size_t all[] = VS_SIZES;\n";
        let asserts: String = SIZES
            .iter()
            .map(|(name, size)| format!("_Static_assert(sizeof({name}) == {size}, \"{name}\");\n"))
            .collect();
        let count = format!("_Static_assert(sizeof all / sizeof *all == {}, \"VS_SIZES\");\n", SIZES.len());
        let compile = |text: String| {
            use std::io::Write;
            let mut cc = std::process::Command::new("cc")
                .args(["-std=c11", "-fsyntax-only", "-x", "c", "-I", folder, "-"])
                .stdin(std::process::Stdio::piped())
                .stderr(std::process::Stdio::piped())
                .spawn()
                .expect("the C compiler that links Rust programs");
            cc.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
            let out = cc.wait_with_output().unwrap();
            (out.status.success(), String::from_utf8_lossy(&out.stderr).into_owned())
        };
        let (same, message) = compile(format!("{source}{asserts}{count}"));
        assert!(same, "{message}");
        // The comparison can fail.
        let (same, _) = compile(format!("{source}_Static_assert(sizeof(vs_shape) == 8, \"\");\n"));
        assert!(!same);
    }
}
