//! Damaged meshes give an error message: no panic, no hang, memory in proportion to the file.

mod mutations;

use mutations::{damaged, mutations};
use proptest::prelude::*;
use veracity_counting::{Counting, peak_bytes};
use veracity_model::import::mesh::{MeshFormat, read};
use veracity_model::{TriangleMesh, Vec3};

#[global_allocator]
static MEMORY: Counting = Counting;

fn cuboid() -> TriangleMesh {
    TriangleMesh::cuboid(Vec3::new(1.0, 2.0, 0.5))
}

fn binary_stl() -> Vec<u8> {
    let mesh = cuboid();
    let mut bytes = b"solid binary".to_vec();
    bytes.resize(80, b' ');
    bytes.extend((mesh.triangles.len() as u32).to_le_bytes());
    for triangle in &mesh.triangles {
        bytes.extend([0; 12]);
        for corner in mesh.corners(*triangle).unwrap() {
            corner.iter().for_each(|x| bytes.extend((*x as f32).to_le_bytes()));
        }
        bytes.extend([0; 2]);
    }
    bytes
}

fn ascii_stl() -> Vec<u8> {
    let mesh = cuboid();
    let mut text = "solid box\n".to_string();
    for triangle in &mesh.triangles {
        text += "facet normal 0 0 0\nouter loop\n";
        for corner in mesh.corners(*triangle).unwrap() {
            text += &format!("vertex {} {} {}\n", corner.x, corner.y, corner.z);
        }
        text += "endloop\nendfacet\n";
    }
    (text + "endsolid box\n").into_bytes()
}

fn obj() -> Vec<u8> {
    let mesh = cuboid();
    let mut text = "# box\no box\n".to_string();
    mesh.vertices.iter().for_each(|v| text += &format!("v {} {} {}\n", v.x, v.y, v.z));
    mesh.triangles.iter().for_each(|[a, b, c]| text += &format!("f {} {}/1 -{}\n", a + 1, b + 1, 8 - c));
    text.into_bytes()
}

fn collada() -> Vec<u8> {
    let mesh = cuboid();
    let numbers: Vec<String> = mesh.vertices.iter().flat_map(|v| [v.x, v.y, v.z]).map(|x| x.to_string()).collect();
    let indices: Vec<String> = mesh.triangles.iter().flatten().map(|i| format!("{i} 0")).collect();
    format!(
        r##"<COLLADA version="1.4.1"><asset><unit meter="0.01"/><up_axis>X_UP</up_axis></asset>
<library_geometries><geometry id="g"><mesh><source id="s"><float_array id="a" count="24">{}</float_array>
<technique_common><accessor source="#a" count="8" stride="3"/></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#s"/></vertices>
<triangles count="12"><input semantic="VERTEX" source="#v" offset="0"/><input semantic="NORMAL" source="#s" offset="1"/>
<p>{}</p></triangles></mesh></geometry></library_geometries>
<library_nodes><node id="n"><rotate>0 0 1 30</rotate><instance_geometry url="#g"/></node></library_nodes>
<library_visual_scenes><visual_scene id="w"><node><translate>1 2 3</translate><instance_node url="#n"/>
<node><matrix>1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1</matrix><scale>1 1 -1</scale><instance_geometry url="#g"/></node></node>
</visual_scene></library_visual_scenes><scene><instance_visual_scene url="#w"/></scene></COLLADA>"##,
        numbers.join(" "),
        indices.join(" ")
    )
    .into_bytes()
}

const SCALE: Vec3 = Vec3::new(1.0, 1.0, 1.0);

#[test]
fn undamaged_meshes_load() {
    for (bytes, format) in [
        (binary_stl(), MeshFormat::Stl),
        (ascii_stl(), MeshFormat::Stl),
        (obj(), MeshFormat::Obj),
        (collada(), MeshFormat::Collada),
    ] {
        assert!(read(&bytes, format, SCALE).unwrap().closure().is_closed(), "{format:?}");
    }
}

fn check(bytes: &[u8], format: MeshFormat, scale: Vec3) -> Result<(), TestCaseError> {
    let (result, peak) = peak_bytes(|| read(bytes, format, scale));
    // XML is the most expensive: some hundred bytes for an element of four. A megabyte for everything else.
    prop_assert!(peak < 200 * bytes.len() + (1 << 20), "{peak} bytes for a file of {}", bytes.len());
    match result {
        Ok(mesh) => {
            prop_assert!(mesh.is_valid() && !mesh.triangles.is_empty());
            // A mesh that was read can be used.
            let closure = mesh.closure();
            let solid = mesh.solid_inertia(1000.0);
            prop_assert!(solid.is_none() || closure.is_closed());
            let inertias = [solid, mesh.convex_hull_inertia(1000.0), mesh.shell_inertia(1.0)];
            prop_assert!(inertias.iter().flatten().all(|i| i.is_finite() && i.mass > 0.0));
        }
        Err(error) => prop_assert!(error.to_string().len() > 10),
    }
    Ok(())
}

fn scales() -> impl Strategy<Value = Vec3> {
    let factor = prop_oneof![Just(1.0), Just(-0.001), Just(0.0), Just(1e308), Just(f64::NAN), Just(f64::INFINITY)];
    prop_oneof![4 => Just(SCALE), 1 => prop::array::uniform3(factor).prop_map(Vec3::from)]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn damaged_binary_stl(mutations in mutations(), scale in scales()) {
        check(&damaged(&binary_stl(), &mutations), MeshFormat::Stl, scale)?;
    }

    #[test]
    fn damaged_ascii_stl(mutations in mutations(), scale in scales()) {
        check(&damaged(&ascii_stl(), &mutations), MeshFormat::Stl, scale)?;
    }

    #[test]
    fn damaged_obj(mutations in mutations(), scale in scales()) {
        check(&damaged(&obj(), &mutations), MeshFormat::Obj, scale)?;
    }

    #[test]
    fn damaged_collada(mutations in mutations(), scale in scales()) {
        check(&damaged(&collada(), &mutations), MeshFormat::Collada, scale)?;
    }

    #[test]
    fn noise(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        for format in [MeshFormat::Stl, MeshFormat::Obj, MeshFormat::Collada] {
            check(&bytes, format, SCALE)?;
        }
    }
}
