//! Bodies, surfaces, sensors and worlds of SDF files; everything left out is reported.

mod sdf_kinematics;

use sdf_kinematics::{assert_pose, import, model, refusal, sdf, world};
use std::f64::consts::{FRAC_PI_2, PI};
use veracity_model::geometry::{at, pose};
use veracity_model::{Inertia, Mat3, Material, Model, SensorKind, Severity, Shape, Vec3};

const INERTIAL: &str = "<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>";

fn in_link(inside: &str) -> String {
    sdf("1.11", &format!("<model name='m'><link name='a'>{inside}</link></model>"))
}

fn in_world(inside: &str) -> String {
    sdf("1.6", &format!("<world name='w'>{inside}<model name='m'><link name='a'>{INERTIAL}</link></model></world>"))
}

fn collision(inside: &str) -> String {
    in_link(&format!("{INERTIAL}<collision name='c'>{inside}</collision>"))
}

fn surface(inside: &str) -> String {
    collision(&format!("<geometry><sphere><radius>1</radius></sphere></geometry><surface>{inside}</surface>"))
}

fn material(model: &Model) -> &Material {
    &model.materials()[model.bodies()[0].shapes[0].material.unwrap().0]
}

#[test]
fn inertia_is_turned_into_the_link_frame() {
    let inside = format!(
        "<inertial><pose>1 2 3 0 0 {FRAC_PI_2}</pose><mass>2</mass><inertia><ixx>1</ixx><iyy>2</iyy><izz>2.5</izz>\
         <ixy>0.1</ixy><ixz>0.2</ixz><iyz>0.3</iyz></inertia></inertial>"
    );
    let found = model(&in_link(&inside)).bodies()[0].inertia;
    assert_eq!((found.mass, found.com), (2.0, Vec3::new(1.0, 2.0, 3.0)));
    // A quarter turn about z: x becomes y and y becomes -x.
    let expected = Mat3::new(2.0, -0.1, -0.3, -0.1, 1.0, 0.2, -0.3, 0.2, 2.5);
    // Products of a rotation that is exact to rounding.
    assert!((found.tensor - expected).norm() < 1e-15, "{}", found.tensor);
}

#[test]
fn what_an_inertial_leaves_out_is_the_default_aloud() {
    let missing = import(&in_link(""));
    assert_eq!(missing.findings.count("inertia-default"), 1);
    let m = missing.world.unwrap().placements[0].model.clone();
    assert_eq!(m.bodies()[0].inertia, Inertia { mass: 1.0, com: Vec3::zeros(), tensor: Mat3::identity() });
    assert_eq!(m.warnings().count("inertia-default"), 1);
    assert_eq!(import(&in_link("<inertial><mass>3</mass></inertial>")).findings.count("inertia-default"), 1);
    assert_eq!(import(&in_link(INERTIAL)).findings.count("inertia-default"), 0);
}

#[test]
fn automatic_inertia_comes_from_the_collisions_and_their_densities() {
    let sphere = |pose: &str, density: &str| {
        format!(
            "<collision name='c{pose}'><pose>{pose}</pose>{density}<geometry><sphere><radius>0.1</radius></sphere>\
             </geometry></collision>"
        )
    };
    let inside = format!(
        "<inertial auto='true'><density>500</density></inertial>{}{}",
        sphere("1 0 0 0 0 0", ""),
        sphere("-1 0 0 0 0 0", "<density>1500</density>")
    );
    let found = model(&in_link(&inside)).bodies()[0].inertia;
    let volume = 4.0 / 3.0 * PI * 1e-3;
    assert!((found.mass - 2000.0 * volume).abs() < 1e-14);
    assert!((found.com - Vec3::new(-0.5, 0.0, 0.0)).norm() < 1e-15);
    // Two balls, 500 V at 1.5 m and 1500 V at 0.5 m from the common centre.
    let across = volume * (500.0 * 2.25 + 1500.0 * 0.25) + 0.4 * 2000.0 * volume * 0.01;
    assert!((found.tensor[(1, 1)] - across).abs() < 1e-14);
    refusal(&in_link("<inertial auto='true'/>"), "inertia-auto");
}

#[test]
fn gravity_and_drag_of_a_link() {
    let inside =
        "<gravity>false</gravity><velocity_decay><linear>0.1</linear><angular>0.2</angular></velocity_decay>";
    let found = import(&in_link(&format!("{INERTIAL}{inside}")));
    assert_eq!(found.findings.count("velocity-decay"), 1);
    let body = found.world.unwrap().placements[0].model.bodies()[0].clone();
    assert_eq!((body.gravity_scale, body.linear_damping, body.angular_damping), (0.0, 0.1, 0.2));
}

#[test]
fn shapes_are_read_with_full_lengths() {
    let shape = |inside: &str| {
        model(&collision(&format!("<geometry>{inside}</geometry>"))).bodies()[0].shapes[0].shape.clone()
    };
    assert_eq!(shape("<box><size>1 2 3</size></box>"), Shape::Box { size: Vec3::new(1.0, 2.0, 3.0) });
    assert_eq!(shape("<sphere><radius>2</radius></sphere>"), Shape::Sphere { radius: 2.0 });
    let round = "<radius>2</radius><length>3</length>";
    assert_eq!(shape(&format!("<cylinder>{round}</cylinder>")), Shape::Cylinder { radius: 2.0, length: 3.0 });
    assert_eq!(shape(&format!("<capsule>{round}</capsule>")), Shape::Capsule { radius: 2.0, length: 3.0 });
    let radii = Vec3::new(1.0, 2.0, 3.0);
    assert_eq!(shape("<ellipsoid><radii>1 2 3</radii></ellipsoid>"), Shape::Ellipsoid { radii });
    let triangle = "<polyline><point>0 0</point><point>1 0</point><point>0 1</point><height>2</height></polyline>";
    assert!((shape(triangle).volume().unwrap() - 1.0).abs() < 1e-15);
}

#[test]
fn a_plane_is_the_half_space_below_its_normal() {
    let inside = "<pose>0 0 1 0 0 0</pose><geometry><plane><normal>0 2 0</normal><size>1 1</size></plane></geometry>";
    let m = model(&collision(inside));
    let plane = &m.bodies()[0].shapes[0];
    assert_eq!(plane.shape, Shape::Plane);
    assert!((plane.body_from_shape.rotation * Vec3::z() - Vec3::y()).norm() < 1e-15);
    assert_eq!(plane.body_from_shape.translation.vector, Vec3::z());
    refusal(&collision("<geometry><plane><normal>0 0 0</normal></plane></geometry>"), "geometry");
}

#[test]
fn friction_is_odes_with_bullets_kept_and_the_difference_told() {
    let inside = "<friction><ode><mu>0.5</mu><mu2>0.25</mu2><fdir1>0 3 0</fdir1></ode>\
                  <bullet><friction>9</friction><friction2>9</friction2><rolling_friction>7</rolling_friction></bullet>\
                  <torsional><coefficient>0.8</coefficient><patch_radius>0.02</patch_radius></torsional></friction>\
                  <contact><ode><kp>1e12</kp></ode></contact>";
    let found = import(&surface(inside));
    assert_eq!(found.findings.count("engine-friction"), 1);
    let m = found.world.unwrap().placements[0].model.clone();
    let material = material(&m);
    assert_eq!((material.friction, material.friction_direction), ([0.5, 0.25], Some(Vec3::y())));
    // Gazebo's Hertzian patch: T = 3π/16 · a · μ · N.
    assert!((material.torsional_friction - 3.0 * PI / 16.0 * 0.02 * 0.8).abs() < 1e-16);
    assert_eq!(material.rolling_friction, 0.0);
    for (engine, key, value) in [
        ("ode", "friction/mu", "0.5"),
        ("bullet", "friction/rolling_friction", "7"),
        ("ode", "contact/kp", "1e12"),
        ("sdf", "friction/torsional/coefficient", "0.8"),
    ] {
        let kept = (engine.to_string(), key.to_string(), value.to_string());
        assert!(material.engine_settings.contains(&kept), "{kept:?} not in {:?}", material.engine_settings);
    }
    let same = inside.replace(">9<", ">0.5<").replace("<friction2>0.5", "<friction2>0.25");
    assert_eq!(import(&surface(&same)).findings.count("engine-friction"), 0);
}

#[test]
fn surfaces_that_are_the_same_share_a_material() {
    let shape = "<geometry><sphere><radius>1</radius></sphere></geometry>";
    let with = |name: &str, mu: &str| {
        format!(
            "<collision name='{name}'>{shape}<surface><friction><ode><mu>{mu}</mu></ode></friction></surface></collision>"
        )
    };
    let m = model(&in_link(&format!("{INERTIAL}{}{}{}", with("a", "2"), with("b", "3"), with("c", "2"))));
    let ids: Vec<_> = m.bodies()[0].shapes.iter().map(|s| s.material.unwrap().0).collect();
    assert_eq!((ids, m.materials().len()), (vec![0, 1, 0], 2));
}

#[test]
fn bouncing_needs_a_threshold_to_be_meant() {
    let bounce = |threshold: &str| {
        surface(&format!("<bounce><restitution_coefficient>0.5</restitution_coefficient>{threshold}</bounce>"))
    };
    assert_eq!(import(&bounce("")).findings.count("bounce-threshold"), 1);
    let meant = import(&bounce("<threshold>0</threshold>"));
    assert_eq!(meant.findings.count("bounce-threshold"), 0);
    assert_eq!(material(&meant.world.unwrap().placements[0].model).restitution, 0.5);
}

#[test]
fn masks_decide_who_touches_as_in_sdf() {
    let shape = |text: &str| model(&surface(&format!("<contact>{text}</contact>"))).bodies()[0].shapes[0].clone();
    let plain = shape("");
    let one = shape("<collide_bitmask>0x01</collide_bitmask>");
    let two = shape("<collide_bitmask>2</collide_bitmask>");
    let seen = shape("<collide_bitmask>0</collide_bitmask><category_bitmask>1</category_bitmask>");
    assert!(plain.may_touch(&plain) && plain.may_touch(&one) && one.may_touch(&one));
    assert!(!one.may_touch(&two));
    // (category1 & collide2) | (category2 & collide1): a match in one direction is enough.
    assert!(one.may_touch(&seen) && !two.may_touch(&seen) && !seen.may_touch(&seen));
}

#[test]
fn links_of_a_model_touch_if_one_of_them_says_so() {
    let links = |model_flag: &str, flag: &str| {
        let body = |name: &str, flag: &str| format!("<link name='{name}'>{INERTIAL}{flag}</link>");
        let all = [body("a", flag), body("b", ""), body("c", "")].concat();
        model(&sdf("1.6", &format!("<model name='m'>{model_flag}{all}</model>")))
    };
    let yes = "<self_collide>true</self_collide>";
    assert!(!links("", "").self_collide());
    let m = links(yes, "");
    assert!(m.self_collide() && m.collision_filters().is_empty());
    let m = links("", yes);
    let pairs: Vec<_> = m.collision_filters().iter().map(|f| (f.a.0, f.b.0)).collect();
    assert!(m.self_collide());
    assert_eq!(pairs, [(1, 2)]);
}

#[test]
fn sensors_sit_where_they_are_put() {
    let sensor = |kind: &str, inside: &str| {
        format!("<sensor name='s' type='{kind}'><update_rate>50</update_rate>{inside}</sensor>")
    };
    let on_link = |kind: &str, inside: &str| {
        model(&in_link(&format!("{INERTIAL}{}", sensor(kind, &format!("<pose>0 0 1 0 0 0</pose>{inside}")))))
            .sensors()[0]
            .clone()
    };
    let imu = on_link("imu", "");
    assert_eq!((imu.kind, imu.rate_hz), (SensorKind::Imu, Some(50.0)));
    assert_eq!(imu.body_from_sensor, at(0.0, 0.0, 1.0));
    assert_eq!(on_link("contact", "").kind, SensorKind::Contact);
    let ray = on_link(
        "gpu_lidar",
        "<lidar><range><min>0.1</min><max>30</max></range><noise><stddev>0.01</stddev></noise></lidar>",
    );
    assert_eq!((ray.kind, ray.noise_std), (SensorKind::Range { max: 30.0 }, 0.01));
    let camera = on_link("camera", "<camera name='c'><image><width>640</width></image></camera>").kind;
    let SensorKind::Other { kind, attributes } = camera else { panic!("{camera:?}") };
    assert_eq!(kind, "camera");
    assert!(attributes.contains(&("camera/image/width".into(), "640".into())), "{attributes:?}");

    let text = sdf(
        "1.6",
        &format!(
            "<model name='m'><link name='a'>{INERTIAL}</link><joint name='j' type='fixed'><parent>world</parent>\
             <child>a</child><pose>0 0 2 0 0 1</pose>{}</joint></model>",
            sensor("force_torque", "<pose>1 0 0 0 0 0</pose>")
        ),
    );
    let m = model(&text);
    let found = &m.sensors()[0];
    assert_eq!(found.kind, SensorKind::ForceTorque { joint: m.joint_named("j").unwrap() });
    assert_pose(&found.body_from_sensor, &(pose(Vec3::new(0.0, 0.0, 2.0), [0.0, 0.0, 1.0]) * at(1.0, 0.0, 0.0)));
}

#[test]
fn physics_settings_are_kept_word_for_word() {
    let inside = "<gravity>1 2 3</gravity><physics type='ode'><max_step_size>0.001</max_step_size><ode><solver><type>quick</type>\
                  <iters>50</iters></solver></ode><bullet><constraints><cfm>0</cfm></constraints></bullet></physics>";
    let w = world(&in_world(inside));
    assert_eq!((w.gravity, w.name.as_str()), (Vec3::new(1.0, 2.0, 3.0), "w"));
    let kept: Vec<_> = w.engine_settings.iter().map(|(e, k, v)| (e.as_str(), k.as_str(), v.as_str())).collect();
    let expected = [
        ("sdf", "type", "ode"),
        ("sdf", "max_step_size", "0.001"),
        ("ode", "solver/type", "quick"),
        ("ode", "solver/iters", "50"),
        ("bullet", "constraints/cfm", "0"),
    ];
    assert_eq!(kept, expected);
}

#[test]
fn gravity_may_stand_in_physics_or_nowhere() {
    let old = import(&in_world("<physics type='ode'><gravity>0 0 -5</gravity></physics>"));
    assert_eq!(old.world.unwrap().gravity, Vec3::new(0.0, 0.0, -5.0));
    let none = import(&in_world(""));
    assert_eq!(none.findings.count("gravity-default"), 1);
    assert_eq!(none.world.unwrap().gravity, Vec3::new(0.0, 0.0, -9.8));
}

#[test]
fn settings_of_a_joint_for_one_engine_are_kept_under_its_name() {
    let text = sdf(
        "1.6",
        &format!(
            "<model name='m'><link name='a'>{INERTIAL}</link><joint name='j' type='revolute'><parent>world</parent><child>a</child>\
             <axis><xyz>0 0 1</xyz><limit><lower>-1</lower><upper>1</upper><stiffness>1e8</stiffness></limit></axis>\
             <physics><ode><implicit_spring_damper>1</implicit_spring_damper></ode></physics></joint></model>"
        ),
    );
    let found = import(&text);
    assert!(found.findings.to_string().contains("<physics> settings of a joint"), "{}", found.findings);
    let kept = found.world.unwrap().engine_settings;
    let has = |e: &str, k: &str, v: &str| kept.contains(&(e.into(), k.into(), v.into()));
    assert!(has("ode", "m/joints/j/implicit_spring_damper", "1"), "{kept:?}");
    assert!(has("simbody", "m/joints/j/axis/limit/stiffness", "1e8"), "{kept:?}");
}

#[test]
fn several_worlds_are_told() {
    let one = |name: &str| {
        format!("<world name='{name}'><model name='m{name}'><link name='a'>{INERTIAL}</link></model></world>")
    };
    let found = import(&sdf("1.6", &format!("{}{}", one("x"), one("y"))));
    assert_eq!(found.findings.count("several-worlds"), 1);
    assert_eq!(found.world.unwrap().name, "x");
}

#[test]
fn bare_models_become_placements_in_file_order() {
    let one = |name: &str| format!("<model name='{name}'><link name='a'>{INERTIAL}</link></model>");
    let w = world(&sdf("1.6", &format!("{}{}", one("x"), one("y"))));
    assert_eq!(w.placements.iter().map(|p| p.name.as_str()).collect::<Vec<_>>(), ["x", "y"]);
    // A duplicate name: renamed with a finding in old documents, rejected where names are frames.
    let twins = format!("{}{}", one("x"), one("x"));
    let found = import(&sdf("1.6", &twins));
    assert_eq!(found.findings.count("name-clash"), 1);
    assert_eq!(found.world.unwrap().placements[1].name, "x#2");
    refusal(&sdf("1.7", &twins), "name-clash");
}

#[test]
fn nothing_is_dropped_in_silence() {
    // An unknown element, in every place, must be reported in a finding with its name and line.
    let full = "<sdf version='1.11'>\n<world name='w'>\n<physics type='ode'><max_step_size>1</max_step_size></physics>\n\
        <model name='m'>\n<frame name='f'>\n</frame>\n<link name='a'>\n<inertial>\n<mass>1</mass><inertia>\n<ixx>1</ixx></inertia></inertial>\n\
        <velocity_decay>\n<linear>0</linear></velocity_decay>\n\
        <collision name='c'>\n<geometry><box>\n<size>1 1 1</size></box></geometry>\n<surface>\n<friction>\n<ode>\n<mu>1</mu></ode></friction>\n\
        <bounce>\n<threshold>0</threshold></bounce>\n<contact>\n</contact></surface></collision>\n\
        <visual name='v'>\n<geometry><plane>\n<normal>0 0 1</normal></plane></geometry></visual>\n<sensor name='s' type='imu'>\n</sensor></link>\n\
        <joint name='j' type='revolute'>\n<parent>world</parent><child>a</child><axis>\n<xyz>0 0 1</xyz><limit>\n<lower>0</lower></limit>\
        <dynamics>\n<damping>0</damping></dynamics></axis></joint>\n</model>\n</world>\n</sdf>";
    let clean = import(full);
    assert!(clean.world.is_some(), "{}", clean.findings);
    let mut places = 0;
    for (index, _) in full.match_indices(">\n").filter(|(i, _)| !full[..*i].ends_with('/')) {
        // Only after opening tags: after a closing one the element would be in the same parent again.
        let tag = full[..index].rfind('<').unwrap();
        if full[tag..].starts_with("</") || full[tag..].starts_with("<sdf") {
            continue;
        }
        let text = format!("{}><nonsense/>\n{}", &full[..index], &full[index + 2..]);
        let line = 1 + full[..index].matches('\n').count() as u32;
        let found = import(&text);
        let told = found.findings.iter().any(|f| {
            f.code == "unsupported"
                && f.text.contains("<nonsense>")
                && f.source.as_ref().is_some_and(|s| s.line == line)
        });
        assert!(told, "line {line}, behind {}:\n{}", &full[tag..=index], found.findings);
        places += 1;
    }
    assert_eq!(places, 21, "the document has changed");
}

#[test]
fn things_that_move_no_robot_are_notes_counted_once() {
    let inside =
        "<light name='a'/><light name='b'/><gui/><scene/><plugin name='p' filename='f'/><gravity>0 0 0</gravity>";
    let found = import(&in_world(inside));
    assert_eq!(found.findings.worst(), Some(Severity::Note));
    let said = found.findings.to_string();
    for what in ["<light> (2 times)", "<gui>", "<scene>", "<plugin>"] {
        assert_eq!(said.matches(what).count(), 1, "{said}");
    }
}

#[test]
fn versions_outside_1_4_to_1_11_are_refused() {
    let body = format!("<model name='m'><link name='a'>{INERTIAL}</link></model>");
    for version in ["1.2", "1.12", "2.0", "x", ""] {
        refusal(&sdf(version, &body), "version");
    }
    refusal(&format!("<sdf>{body}</sdf>"), "version");
    assert_eq!(import(&sdf("1.3", &body)).findings.count("version"), 1);
}

#[test]
fn a_missing_mesh_is_told_with_what_is_lost() {
    let text = collision("<geometry><mesh><uri>model://nowhere/a.stl</uri></mesh></geometry>");
    let found = import(&text);
    assert_eq!(found.findings.count("mesh-missing"), 1);
    assert!(found.findings.to_string().contains("collides with nothing"));
    assert!(found.world.unwrap().placements[0].model.warnings().count("mesh-missing") == 1);
}

#[test]
fn what_is_said_twice_must_be_the_same() {
    let mass = |second: &str| in_link(&INERTIAL.replace("<mass>1</mass>", &format!("<mass>1</mass>{second}")));
    model(&mass("<mass>1</mass>"));
    let said = refusal(&mass("<mass>2</mass>"), "contradiction");
    assert!(said.contains("<mass> stands twice in <inertial>"), "{said}");
    refusal(&in_link("<inertial><mass>1</mass></inertial><inertial><mass>2</mass></inertial>"), "contradiction");
}
