"""A second reader of SDF, written for these tests and sharing nothing with the one that is tested.

No library on the package index reads SDF well: Pinocchio's wheel is built without it and PyBullet knows a dialect of
its own. So this reader places every link and joint in the world as the file shows them, and Pinocchio is given the
tree. It is small because it refuses whatever it does not know: nested models, includes, frames, and axes or poses given
relative to anything but their default.

Two readings are ours, and PyBullet's: a link without mass that nothing holds stands still, and so does a link called
`world` that says nothing of its mass, where SDF's default would be 1 kg.
"""

import xml.etree.ElementTree as xml

import numpy as np
import pinocchio as pin

from coordinates import unique

MOVING = {"revolute": pin.JointModelRevoluteUnaligned, "prismatic": pin.JointModelPrismaticUnaligned}


class Link:
    def __init__(self, element, model, model_name):
        self.key = (model_name, element.get("name"))
        self.world = place(model) * place(element)
        self.inertia = self.world.act(inertia_of(element))
        self.is_static = text_of(model.find("static"), "false").lower() in ("true", "1")


class Joint:
    def __init__(self, element, model, model_name, links, version):
        self.name, self.kind, self.model = element.get("name"), element.get("type"), model_name
        ends = (element.find(role).text.strip() for role in ("parent", "child"))
        self.parent, self.child = (end_of(name, model_name, links) for name in ends)
        # A joint's pose is relative to its child; its axis is given in the joint frame, before 1.5 in the model's.
        frame = links[self.child].world * place(element)
        self.origin = frame.translation
        axis = element.find("axis/xyz")
        if axis is None:
            self.axis = None
            return
        refuse(axis, "expressed_in")
        asked = text_of(element.find("axis/use_parent_model_frame"), "0").lower()
        in_model = version < (1, 5) or asked in ("true", "1")
        turn = place(model).rotation if in_model else frame.rotation
        direction = turn @ numbers(axis.text)
        self.axis = direction / np.linalg.norm(direction)


def build(job):
    """Pinocchio's model of the file, with the joints' names as (model, joint), over the tree of the job."""
    root = xml.parse(job["file"]).getroot()
    for name in ("include", "frame", "model/model"):
        if root.find(f".//{name}") is not None:
            raise ValueError(f"the second reader knows no <{name}>")
    version = tuple(int(part) for part in root.get("version").split("."))
    models = list(root.iter("model"))
    named = list(zip(models, unique([model.get("name") for model in models])))
    links = {link.key: link for link in (Link(e, *model) for model in named for e in model[0].findall("link"))}
    joints = [Joint(e, *model, links, version) for model in named for e in model[0].findall("joint")]

    model = pin.Model()
    model.gravity.linear = gravity_of(root, job)
    Tree(model, links, joints, job).grow()
    return model


class Tree:
    """Attaches links to joints, from the root outwards.

    At rest every joint's frame has the world's axes and stands at the joint's origin; a free joint's is its link's frame.
    """

    def __init__(self, model, links, joints, job):
        self.model, self.links = model, links
        asked = {(j["model"], j["name"]): j for j in job["joints"]}
        self.free = {(j["model"], j["child"]): j for j in job["joints"] if j["kind"] == "free"}
        # A moving joint that is not in the job closes a loop there: M and h are those of the tree.
        self.edges = [j for j in joints if j.kind == "fixed" or (j.model, j.name) in asked]
        self.holder = {None: (0, pin.SE3.Identity())}

    def grow(self):
        held = {joint.child for joint in self.edges}
        for key, link in self.links.items():
            if link.is_static or (link.inertia.mass == 0.0 and key not in held):
                self.carry(key, *self.holder[None])
        self.follow(None)
        for key, joint in self.free.items():
            name = full_name(joint["model"], joint["name"])
            index = self.model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), name)
            self.carry(key, index, self.links[key].world)
        lost = [key for key in self.links if key not in self.holder]
        if lost:
            raise ValueError(f"the second reader finds nothing that holds {lost}")

    def follow(self, parent):
        """Adds the children of a link, depth first: Pinocchio requires a subtree's coordinates to be contiguous."""
        for joint in self.edges:
            if joint.parent == parent and joint.child not in self.holder:
                self.add(joint)

    def add(self, joint):
        parent, parent_frame = self.holder[joint.parent]
        if joint.kind == "fixed":
            self.carry(joint.child, parent, parent_frame)
            return
        frame = pin.SE3(np.eye(3), joint.origin)
        kind = MOVING["revolute" if joint.kind == "continuous" else joint.kind](joint.axis)
        index = self.model.addJoint(parent, kind, parent_frame.actInv(frame), full_name(joint.model, joint.name))
        self.carry(joint.child, index, frame)

    def carry(self, key, index, frame):
        self.holder[key] = (index, frame)
        if index:
            self.model.appendBodyToJoint(index, frame.actInv(self.links[key].inertia), pin.SE3.Identity())
        self.follow(key)


def gravity_of(root, job):
    """Gravity of the file, or SDF's default for a world without it. Without a world, that of the job."""
    if root.find("world") is None:
        return np.array(job["gravity"])
    return numbers(text_of(root.find("world/gravity"), "0 0 -9.8"))


def full_name(model, joint):
    return f"{model}/{joint}"


def end_of(name, model_name, links):
    """The key of a joint's end; the world has none. A link called `world` in the model comes before the world."""
    key = (model_name, name)
    if key in links:
        return key
    if name == "world":
        return None
    raise ValueError(f"the second reader knows no link '{name}'")


def place(element):
    """The pose in a child element, x y z roll pitch yaw about fixed axes."""
    pose = element.find("pose")
    if pose is None or not (pose.text or "").strip():
        return pin.SE3.Identity()
    for attribute in ("relative_to", "frame", "degrees", "rotation_format"):
        refuse(pose, attribute)
    values = numbers(pose.text)
    return pin.SE3(pin.rpy.rpyToMatrix(values[3:]), values[:3])


def inertia_of(link):
    inertial = link.find("inertial")
    if inertial is None:
        # The default of the specification, but for the world.
        return pin.Inertia.Zero() if link.get("name") == "world" else pin.Inertia(1.0, np.zeros(3), np.eye(3))
    entry = {child.tag: float(child.text) for child in inertial.find("inertia")}
    xx, yy, zz, xy, xz, yz = (entry.get(name, 0.0) for name in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz"))
    tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return place(inertial).act(pin.Inertia(float(inertial.find("mass").text), np.zeros(3), tensor))


def numbers(text):
    return np.array([float(word) for word in text.split()])


def text_of(element, default):
    return default if element is None or element.text is None else element.text.strip()


def refuse(element, attribute):
    if element.get(attribute):
        raise ValueError(f"the second reader knows no '{attribute}' on <{element.tag}>")
