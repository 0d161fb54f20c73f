//! One COLLADA geometry: positions, and the primitives that form triangles.

use super::super::{Fault, MeshFault, check_count};
use super::{fault, numbers, place};
use crate::geometry::Vec3;
use crate::import::xml::Element;
use crate::mesh::TriangleMesh;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::rc::Rc;

type Ids<'a> = BTreeMap<&'a str, Element<'a>>;
type Arrays = BTreeMap<usize, Rc<Vec<f64>>>;

/// The triangles of a `<geometry>`, in the unit and axes of the file.
pub(super) fn read<'a>(geometry: Element<'a>, by_id: &Ids<'a>, arrays: &mut Arrays) -> Result<TriangleMesh, Fault> {
    let mut mesh = TriangleMesh::default();
    for child in geometry.children() {
        match child.name() {
            "mesh" => {
                for primitive in child.children() {
                    add_primitive(primitive, by_id, arrays, &mut mesh)?;
                    check_count(mesh.triangles.len())?;
                }
            }
            name @ ("convex_mesh" | "brep" | "spline") => {
                let text = format!("has a geometry given as <{name}>, which is not read");
                return Err((Some(child.source().line), MeshFault::Unsupported(text)));
            }
            _ => {}
        }
    }
    Ok(mesh.welded())
}

fn add_primitive<'a>(
    primitive: Element<'a>,
    by_id: &Ids<'a>,
    arrays: &mut Arrays,
    mesh: &mut TriangleMesh,
) -> Result<(), Fault> {
    let kind = primitive.name();
    if !matches!(kind, "triangles" | "polylist" | "polygons" | "tristrips" | "trifans") {
        return Ok(());
    }
    if let Some(holes) = primitive.child("ph") {
        let text = "has polygons with holes, which are not read".to_string();
        return Err((Some(holes.source().line), MeshFault::Unsupported(text)));
    }
    let Some(input) = primitive.children_named("input").find(is_position) else {
        // A primitive without corners is legal and empty.
        return match primitive.child("p") {
            Some(p) => Err(fault(&p, format!("<{kind}> has corners but no VERTEX input"))),
            None => Ok(()),
        };
    };
    let corners = Corners {
        offset: offset(&input)?,
        stride: stride(&primitive)?,
        positions: Positions::behind(input, by_id, arrays)?,
    };
    // The corners of each <p>, in order, as separate vertices: welding merges them later.
    let mut lists: Vec<Vec<u32>> = Vec::new();
    for p in primitive.children_named("p") {
        let first = mesh.vertices.len() as u32;
        corners.append(&p, &mut mesh.vertices)?;
        lists.push((first..mesh.vertices.len() as u32).collect());
        check_count(mesh.vertices.len() / 3)?;
    }
    triangulate(primitive, &lists, &mut mesh.triangles)
}

fn is_position(input: &Element<'_>) -> bool {
    matches!(input.attribute("semantic"), Some("VERTEX" | "POSITION"))
}

/// Forms triangles from corners as the primitive defines, and checks the count it declares.
fn triangulate(primitive: Element<'_>, lists: &[Vec<u32>], triangles: &mut Vec<[u32; 3]>) -> Result<(), Fault> {
    let kind = primitive.name();
    let mut fan = |polygon: &[u32]| match polygon {
        [first, rest @ ..] if rest.len() >= 2 => {
            triangles.extend(rest.windows(2).map(|pair| [*first, pair[0], pair[1]]));
            Ok(())
        }
        _ => Err(fault(&primitive, format!("<{kind}> has a face with {} corners", polygon.len()))),
    };
    let mut faces = lists.len();
    match kind {
        "triangles" => {
            let list = lists.concat();
            if list.len() % 3 != 0 {
                return Err(fault(
                    &primitive,
                    format!("<triangles> has {} corners, not a multiple of 3", list.len()),
                ));
            }
            faces = list.len() / 3;
            list.chunks_exact(3).try_for_each(fan)?;
        }
        "polylist" => {
            let list = lists.concat();
            let mut rest = list.as_slice();
            let sizes = primitive.child("vcount").map_or(Ok(Vec::new()), |v| whole_numbers(&v))?;
            faces = sizes.len();
            for size in sizes {
                let Some((polygon, after)) = rest.split_at_checked(size) else {
                    return Err(fault(&primitive, "<polylist> has fewer corners than <vcount> asks for".into()));
                };
                fan(polygon)?;
                rest = after;
            }
            if !rest.is_empty() {
                return Err(fault(&primitive, "<polylist> has more corners than <vcount> asks for".into()));
            }
        }
        "tristrips" => {
            for strip in lists {
                for (i, t) in strip.windows(3).enumerate() {
                    // Every second triangle of a strip has the opposite orientation.
                    fan(&if i % 2 == 0 { [t[0], t[1], t[2]] } else { [t[1], t[0], t[2]] })?;
                }
            }
        }
        _ => lists.iter().try_for_each(|polygon| fan(polygon))?,
    }
    match primitive.attribute("count").map(|c| c.trim().parse::<usize>()) {
        Some(Ok(claimed)) if claimed != faces => {
            Err(fault(&primitive, format!("<{kind}> says it has {claimed} faces but holds {faces}")))
        }
        _ => Ok(()),
    }
}

/// Locates vertices in a list of indices shared with normals, colours and textures.
struct Corners {
    offset: usize,
    stride: usize,
    positions: Positions,
}

impl Corners {
    /// Adds the vertex of each corner in a `<p>`.
    fn append(&self, p: &Element<'_>, vertices: &mut Vec<Vec3>) -> Result<(), Fault> {
        let indices = whole_numbers(p)?;
        if indices.len() % self.stride != 0 {
            let text = format!("<p> has {} indices, not a multiple of {}", indices.len(), self.stride);
            return Err(fault(p, text));
        }
        for corner in indices.chunks_exact(self.stride) {
            let index = corner[self.offset];
            let vertex = self.positions.get(index).ok_or_else(|| {
                fault(p, format!("index {index} is not a vertex; there are {}", self.positions.count))
            })?;
            vertices.push(vertex);
        }
        Ok(())
    }
}

fn offset(input: &Element<'_>) -> Result<usize, Fault> {
    let word = input.attribute("offset").unwrap_or("0");
    // More than a handful of attributes per corner means a damaged file.
    let offset = word.trim().parse::<usize>().ok().filter(|o| *o < 1024);
    offset.ok_or_else(|| fault(input, format!("the offset '{word}' is not a small whole number")))
}

fn stride(primitive: &Element<'_>) -> Result<usize, Fault> {
    let mut stride = 1;
    for input in primitive.children_named("input") {
        stride = stride.max(1 + offset(&input)?);
    }
    Ok(stride)
}

fn whole_numbers(element: &Element<'_>) -> Result<Vec<usize>, Fault> {
    let parse = |word: &str| {
        let shown = || word.chars().take(40).collect::<String>();
        let text = || format!("'{}' in <{}> is not an index", shown(), element.name());
        word.parse::<usize>().map_err(|_| fault(element, text()))
    };
    element.text().split_whitespace().map(parse).collect()
}

/// A view of an array of numbers as positions.
struct Positions {
    values: Rc<Vec<f64>>,
    count: usize,
    stride: usize,
    start: usize,
    axes: [usize; 3],
}

impl Positions {
    /// The positions an input refers to: through `<vertices>`, then the accessor of a `<source>`, to its array.
    fn behind<'a>(input: Element<'a>, by_id: &Ids<'a>, arrays: &mut Arrays) -> Result<Self, Fault> {
        let referred = |from: Element<'a>, tags: &[&str]| {
            let reference = from.attribute("source").unwrap_or("");
            let found = reference.strip_prefix('#').and_then(|id| by_id.get(id)).copied();
            let found = found.filter(|e| tags.contains(&e.name()));
            found
                .ok_or_else(|| fault(&from, format!("'{reference}' is not a <{}> of this file", tags.join("> or <"))))
        };
        let mut source = referred(input, &["vertices", "source"])?;
        if source.name() == "vertices" {
            let position = source.children_named("input").find(|i| i.attribute("semantic") == Some("POSITION"));
            let missing = || fault(&source, "<vertices> has no POSITION input".into());
            source = referred(position.ok_or_else(missing)?, &["source"])?;
        }
        let accessor = source.child("technique_common").and_then(|t| t.child("accessor"));
        let accessor = accessor.ok_or_else(|| fault(&source, "<source> has no accessor".into()))?;
        let array = referred(accessor, &["float_array"])?;
        let values = match arrays.entry(place(&array)) {
            Entry::Occupied(known) => known.get().clone(),
            Entry::Vacant(vacant) => vacant.insert(Rc::new(numbers(&array, array.text())?)).clone(),
        };

        let whole = |name: &str, default: usize| match accessor.attribute(name) {
            Some(word) => word.trim().parse::<usize>().map_err(|_| {
                fault(&accessor, format!("'{name}' of <accessor> is '{word}'; expected a whole number"))
            }),
            None => Ok(default),
        };
        let axis = |name: &str, default: usize| {
            accessor.children_named("param").position(|p| p.attribute("name") == Some(name)).unwrap_or(default)
        };
        let positions = Self {
            values,
            count: whole("count", 0)?,
            stride: whole("stride", 1)?,
            start: whole("offset", 0)?,
            axes: [axis("X", 0), axis("Y", 1), axis("Z", 2)],
        };
        let last = positions.count.checked_sub(1);
        if last.is_some_and(|last| positions.get(last).is_none()) {
            let (count, numbers) = (positions.count, positions.values.len());
            let text = format!("<accessor> asks for {count} positions; the array has {numbers} numbers");
            return Err(fault(&accessor, text));
        }
        Ok(positions)
    }

    fn get(&self, index: usize) -> Option<Vec3> {
        let base = index.checked_mul(self.stride)?.checked_add(self.start)?;
        let value = |axis: usize| self.values.get(base.checked_add(axis)?).copied();
        let [x, y, z] = self.axes.map(value);
        if index < self.count { Some(Vec3::new(x?, y?, z?)) } else { None }
    }
}
