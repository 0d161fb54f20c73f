//! The supported attributes of each kind of element.
//!
//! Attributes not listed here are reported as unsupported. Listed are attributes that the importer uses, that it keeps
//! verbatim for MuJoCo, or that do not affect the motion (colours, user data, bookkeeping).

/// Names separated by spaces.
type Words = &'static str;

const POSE: Words = "pos quat axisangle xyaxes zaxis euler";
const NAMED: Words = "name class user";
const DRAWN: Words = "group rgba material";

const COMPILER: Words = "\
    alignfree angle assetdir autolimits balanceinertia boundinertia boundmass coordinate discardvisual eulerseq \
    exactmeshinertia fusestatic inertiafromgeom inertiagrouprange meshdir settotalmass strippath conflict \
    convexhull passthrough savecanonical savecompiled saveinertial texturedir usethread fitaabb";

const OPTION: Words = "\
    actuatorgroupdisable apirate ccd_iterations ccd_tolerance cone density gravity impratio integrator \
    iterations jacobian ls_iterations ls_tolerance magnetic mpr_iterations mpr_tolerance noslip_iterations \
    noslip_tolerance o_friction o_margin o_solimp o_solref sdf_initpoints sdf_iterations sleep_tolerance solver \
    timestep tolerance viscosity wind";

const FLAG: Words = "\
    actuation autoreset clampctrl constraint contact damper diagexact energy equality eulerdamp filterparent \
    frictionloss fwdinv gravity invdiscrete ipc island limit midphase multiccd nativeccd override refsafe sensor \
    sensornoise sleep speculative spring warmstart";

const MESH: Words = "\
    name class content_type file vertex face builtin params refpos refquat scale inertia normal texcoord material smoothnormal \
    maxhullvert";
const HFIELD: Words = "name file nrow ncol size elevation";

const BODY: Words = "name childclass mocap gravcomp user sleep simple fuse";
const FRAME: Words = "name childclass";
const INERTIAL: Words = "mass diaginertia fullinertia";
const JOINT: Words = "\
    type pos axis springdamper limited range actuatorfrclimited actuatorfrcrange stiffness damping frictionloss \
    armature ref springref group solreflimit solimplimit solreffriction solimpfriction margin";
const FREEJOINT: Words = "name group align";
const GEOM: Words = "\
    type size fromto mesh hfield mass density shellinertia contype conaffinity condim friction solref solimp \
    solmix priority margin gap castshadow fitscale fluidcoef";
const SITE: Words = "type size fromto mesh";

const PAIR: Words = "name class geom1 geom2 condim friction solref solimp solreffriction margin gap";
const EXCLUDE: Words = "name body1 body2";

const EQUALITY: Words = "name class active solref solimp";
const CONNECT: Words = "body1 body2 anchor site1 site2";
const WELD: Words = "relpose torquescale";
const EQUALITY_JOINT: Words = "joint1 joint2 polycoef";
const EQUALITY_TENDON: Words = "tendon1 tendon2 polycoef";

const TENDON: Words = "\
    limited range stiffness damping frictionloss armature springlength actuatorfrclimited actuatorfrcrange \
    solreflimit solimplimit solreffriction solimpfriction margin width";

const ACTUATOR: Words = "\
    joint jointinparent tendon site refsite body cranksite slidersite cranklength gear ctrllimited ctrlrange \
    forcelimited forcerange armature damping group lengthrange input actearly nsample interp delay";
const GENERAL: Words = "dyntype gaintype biastype dynprm gainprm biasprm actdim actlimited actrange inheritrange";
const SERVO: Words = "kp kv dampratio timeconst inheritrange";
const VELOCITY: Words = "kv";

const KEY: Words = "name qpos qvel ctrl time act mpos mquat plastic";

/// The attributes `kind` may have; `None` for kinds that are ignored as a whole, which is reported.
pub(super) fn attributes(kind: &str) -> Option<&'static [Words]> {
    Some(match kind {
        "mujoco" => &["model noNamespaceSchemaLocation"],
        "compiler" => &[COMPILER],
        "option" => &[OPTION],
        "flag" => &[FLAG],
        "default" => &["class"],
        "mesh" => &[MESH],
        "hfield" => &[HFIELD],
        "body" => &[BODY, POSE],
        "frame" => &[FRAME, POSE],
        "replicate" => &["count sep offset euler childclass"],
        "inertial" => &[INERTIAL, POSE],
        "joint" => &[JOINT, NAMED],
        "freejoint" => &[FREEJOINT],
        "geom" => &[GEOM, POSE, NAMED, DRAWN],
        "site" => &[SITE, POSE, NAMED, DRAWN],
        "pair" => &[PAIR],
        "exclude" => &[EXCLUDE],
        "equality" => &[EQUALITY],
        "connect" => &[EQUALITY, CONNECT],
        "weld" => &[EQUALITY, CONNECT, WELD],
        "equality/joint" => &[EQUALITY, EQUALITY_JOINT],
        "equality/tendon" => &[EQUALITY, EQUALITY_TENDON],
        "tendon" | "spatial" | "fixed" => &[TENDON, NAMED, DRAWN],
        "fixed/joint" => &["joint coef"],
        "spatial/site" => &["site"],
        "general" => &[ACTUATOR, NAMED, GENERAL],
        "motor" => &[ACTUATOR, NAMED],
        "position" => &[ACTUATOR, NAMED, SERVO],
        "velocity" => &[ACTUATOR, NAMED, VELOCITY],
        "key" => &[KEY],
        _ => return None,
    })
}
