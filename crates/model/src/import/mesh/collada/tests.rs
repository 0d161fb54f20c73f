//! Cubes and tetrahedra in every notation COLLADA has for them.

use super::super::{MeshError, MeshFault, MeshFormat, read};
use crate::geometry::Vec3;
use crate::mesh::TriangleMesh;

const CORNERS: &str = "0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1";
const QUADS: &str = "0 3 2 1 4 5 6 7 0 1 5 4 1 2 6 5 2 3 7 6 3 0 4 7";

fn dae(text: &str) -> Result<TriangleMesh, MeshError> {
    read(text.as_bytes(), MeshFormat::Collada, Vec3::new(1.0, 1.0, 1.0))
}

fn document(asset: &str, primitives: &str, scene: &str) -> String {
    format!(
        r##"<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
 <asset>{asset}</asset>
 <library_geometries><geometry id="cube"><mesh>
  <source id="pos"><float_array id="arr" count="24">{CORNERS}</float_array>
   <technique_common><accessor source="#arr" count="8" stride="3">
    <param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/>
   </accessor></technique_common></source>
  <vertices id="verts"><input semantic="POSITION" source="#pos"/></vertices>
  {primitives}
 </mesh></geometry></library_geometries>
 {scene}
</COLLADA>"##
    )
}

fn polylist() -> String {
    format!(
        r##"<polylist count="6"><input semantic="VERTEX" source="#verts" offset="0"/>
        <vcount>4 4 4 4 4 4</vcount><p>{QUADS}</p></polylist>"##
    )
}

fn scene(nodes: &str) -> String {
    format!(
        r##"<library_visual_scenes><visual_scene id="s">{nodes}</visual_scene></library_visual_scenes>
        <scene><instance_visual_scene url="#s"/></scene>"##
    )
}

fn assert_unit_cube(text: &str) {
    let mesh = dae(text).unwrap();
    let closure = mesh.closure();
    assert!(closure.is_closed() && (closure.signed_volume - 1.0).abs() < 1e-14, "{closure:?}");
}

#[test]
fn every_kind_of_primitive_gives_the_cube() {
    let input = r##"<input semantic="VERTEX" source="#verts" offset="0"/>"##;
    let quads: Vec<Vec<&str>> = QUADS.split(' ').collect::<Vec<_>>().chunks(4).map(|q| q.to_vec()).collect();
    let triangles: String =
        quads.iter().map(|q| format!("{0} {1} {2} {0} {2} {3} ", q[0], q[1], q[2], q[3])).collect();
    let each = |tag: &str, list: &dyn Fn(&Vec<&str>) -> String| {
        let ps: String = quads.iter().map(|q| format!("<p>{}</p>", list(q))).collect();
        format!("<{tag} count=\"6\">{input}{ps}</{tag}>")
    };
    let in_order = |q: &Vec<&str>| q.join(" ");
    let zigzag = |q: &Vec<&str>| format!("{} {} {} {}", q[0], q[1], q[3], q[2]);
    assert_unit_cube(&document("", &polylist(), ""));
    assert_unit_cube(&document("", &format!("<triangles count=\"12\">{input}<p>{triangles}</p></triangles>"), ""));
    assert_unit_cube(&document("", &each("polygons", &in_order), ""));
    assert_unit_cube(&document("", &each("trifans", &in_order), ""));
    assert_unit_cube(&document("", &each("tristrips", &zigzag), ""));
}

#[test]
fn indices_shared_with_normals_are_told_apart() {
    let with_normals: String = QUADS.split(' ').map(|i| format!("7 {i} 9 ")).collect();
    let primitive = format!(
        r##"<polylist count="6"><input semantic="NORMAL" source="#pos" offset="0"/>
        <input semantic="VERTEX" source="#verts" offset="1"/><input semantic="TEXCOORD" source="#pos" offset="2"/>
        <vcount>4 4 4 4 4 4</vcount><p>{with_normals}</p></polylist>"##
    );
    assert_unit_cube(&document("", &primitive, ""));
}

#[test]
fn unit_and_up_axis_give_metres_with_z_up() {
    let stretched = polylist();
    let node = r##"<node><scale>1 2 3</scale><instance_geometry url="#cube"/></node>"##;
    let corners = |asset: &str| dae(&document(asset, &stretched, &scene(node))).unwrap().bounding_box().unwrap();
    let near = |[low, high]: [Vec3; 2], l: [f64; 3], h: [f64; 3]| {
        assert!((low - Vec3::from(l)).norm() < 1e-15 && (high - Vec3::from(h)).norm() < 1e-15, "{low} {high}");
    };
    near(corners("<up_axis>Z_UP</up_axis>"), [0.0, 0.0, 0.0], [1.0, 2.0, 3.0]);
    near(corners("<up_axis>Y_UP</up_axis>"), [0.0, -3.0, 0.0], [1.0, 0.0, 2.0]);
    near(corners(""), [0.0, -3.0, 0.0], [1.0, 0.0, 2.0]);
    near(corners("<up_axis>X_UP</up_axis>"), [-2.0, -3.0, 0.0], [0.0, 0.0, 1.0]);
    near(corners("<unit name=\"mm\" meter=\"0.001\"/><up_axis>Z_UP</up_axis>"), [0.0; 3], [0.001, 0.002, 0.003]);
}

#[test]
fn transforms_act_in_order_and_nest() {
    let nodes = r##"<node><translate>10 0 0</translate><rotate>0 0 2 90</rotate>
        <node><matrix>1 0 0 5  0 1 0 0  0 0 1 0  0 0 0 1</matrix><scale>2 1 1</scale>
          <instance_geometry url="#cube"/></node></node>"##;
    let mesh = dae(&document("<up_axis>Z_UP</up_axis>", &polylist(), &scene(nodes))).unwrap();
    // x from 5 to 7 and y from 0 to 1, rotated by 90 degrees to y from 5 to 7 and x from -1 to 0, moved by 10.
    let [low, high] = mesh.bounding_box().unwrap();
    assert!((low - Vec3::new(9.0, 5.0, 0.0)).norm() < 1e-14 && (high - Vec3::new(10.0, 7.0, 1.0)).norm() < 1e-14);
}

#[test]
fn nodes_shown_by_reference_and_mirrored_parts_stay_outward() {
    let library = r##"<library_nodes><node id="part"><instance_geometry url="#cube"/></node></library_nodes>"##;
    let nodes = r##"<node><instance_node url="#part"/></node>
        <node><scale>-1 1 1</scale><translate>3 0 0</translate><instance_node url="#part"/></node>"##;
    let mesh = dae(&document("", &polylist(), &(library.to_string() + &scene(nodes)))).unwrap();
    let closure = mesh.closure();
    assert!(closure.is_closed() && (closure.signed_volume - 2.0).abs() < 1e-14, "{closure:?}");
}

#[test]
fn circles_and_doubling_end_with_a_sentence() {
    let circle = r##"<library_nodes><node id="a"><instance_node url="#a"/></node></library_nodes>"##;
    let nodes = scene(r##"<node><instance_node url="#a"/></node>"##);
    let error = dae(&document("", &polylist(), &(circle.to_string() + &nodes))).unwrap_err();
    assert!(error.to_string().contains("in a circle"), "{error}");

    let mut doubling = "<library_nodes>".to_string();
    for i in 0..40 {
        let next = format!("<instance_node url=\"#n{}\"/>", i + 1);
        doubling += &format!("<node id=\"n{i}\">{next}{next}</node>");
    }
    doubling += "<node id=\"n40\"><instance_geometry url=\"#cube\"/></node></library_nodes>";
    let nodes = scene(r##"<node><instance_node url="#n0"/></node>"##);
    assert!(dae(&document("", &polylist(), &(doubling + &nodes))).is_err());
}

#[test]
fn damaged_files_get_a_sentence() {
    let says = |text: &str, what: &str| {
        let error = dae(text).unwrap_err();
        assert!(error.to_string().contains(what), "{error}");
    };
    let whole = document("", &polylist(), "");
    says("", "is empty");
    says(&whole[..whole.len() / 2], "not well-formed");
    says("<robot/>", "expected <COLLADA>");
    says(&whole.replace("0 3 2 1", "0 3 2 8"), "index 8 is not a vertex");
    says(&whole.replace("0 3 2 1", "0 3 2"), "fewer corners");
    says(&whole.replace("0 3 2 1", "0 3 2 1 1"), "more corners");
    says(&whole.replace("count=\"8\"", "count=\"4000000000\""), "asks for 4000000000 positions");
    says(&whole.replace("0 0 0 1 0 0", "0 0 0 1 nan 0"), "not a finite number");
    says(&whole.replace("#verts", "#nowhere"), "'#nowhere' is not a <vertices>");
    says(&whole.replace("polylist count=\"6\"", "polylist count=\"7\""), "says it has 7 faces but holds 6");
    says(&document("<unit meter=\"-1\"/>", &polylist(), ""), "not a number of metres");
    says(&document("<up_axis>UP</up_axis>", &polylist(), ""), "expected X_UP");
    let skin = scene(r##"<node><instance_controller url="#skin"/></node>"##);
    assert!(matches!(dae(&document("", &polylist(), &skin)).unwrap_err().fault, MeshFault::Unsupported(_)));
    assert_eq!(dae(&document("", "", "")).unwrap_err().fault, MeshFault::Empty);
}
