"""Random MJCF documents that use many features at once, for mjcf_agrees_with_mujoco.rs."""

import random


class Writer:
    """Writes one document. Everything follows from the seed."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.count = 0
        self.classes = []

    def chance(self, probability):
        return self.random.random() < probability

    def number(self, low=-1.0, high=1.0):
        return f"{self.random.uniform(low, high):.4g}"

    def numbers(self, count, low=-1.0, high=1.0):
        return " ".join(self.number(low, high) for _ in range(count))

    def name(self, prefix):
        """A name, or none as often as files leave it out."""
        if self.chance(0.3):
            return ""
        self.count += 1
        return f' name="{prefix}{self.count}"'

    def orientation(self):
        return self.random.choice([
            "",
            "",
            f' quat="{self.numbers(4)}"',
            f' axisangle="{self.numbers(3)} {self.number(-90, 90)}"',
            f' xyaxes="{self.numbers(6)}"',
            f' zaxis="{self.numbers(3)}"',
            f' euler="{self.numbers(3, -90, 90)}"',
        ])

    def pose(self):
        return f' pos="{self.numbers(3)}"{self.orientation()}'

    def use_class(self, attribute, probability=0.3):
        if self.classes and self.chance(probability):
            return f' {attribute}="{self.random.choice(self.classes)}"'
        return ""

    def framed(self, element):
        if self.chance(0.2):
            return f'<frame{self.pose()}{self.use_class("childclass")}>{element}</frame>'
        return element

    def surface(self):
        """Attributes that may stand in a default class as well."""
        text = ""
        if self.chance(0.4):
            text += f' density="{self.number(100, 2000)}"'
        if self.chance(0.3):
            text += f' friction="{self.numbers(self.random.randint(1, 3), 0.1, 1)}"'
        if self.chance(0.3):
            text += f' contype="{self.random.randint(0, 3)}" conaffinity="{self.random.randint(0, 3)}"'
        if self.chance(0.3):
            text += f' condim="{self.random.choice([1, 3, 4, 6])}"'
        if self.chance(0.2):
            text += f' group="{self.random.randint(0, 5)}"'
        return text

    def geom(self):
        kind = self.random.choice(["sphere", "capsule", "cylinder", "box", "ellipsoid"])
        text = f'<geom{self.name("g")} type="{kind}"{self.use_class("class")}{self.surface()}'
        if kind in ("capsule", "cylinder", "box") and self.chance(0.4):
            text += f' fromto="{self.numbers(6)}" size="{self.number(0.02, 0.2)}"'
        else:
            text += f'{self.pose()} size="{self.numbers(3, 0.05, 0.3)}"'
        if self.chance(0.2):
            text += f' mass="{self.number(0.1, 3)}"'
        # MuJoCo approximates the shell of an ellipsoid by a difference.
        if kind != "ellipsoid" and self.chance(0.2):
            text += ' shellinertia="true"'
        return text + "/>"

    def joint(self, kind):
        text = f'<joint{self.name("j")} type="{kind}"{self.use_class("class")} pos="{self.numbers(3)}"'
        text += f' axis="{self.numbers(3)}"'
        if kind != "ball":
            if self.chance(0.4):
                text += f' ref="{self.number()}" springref="{self.number(-2, 2)}"'
            if self.chance(0.4):
                text += f' range="{self.number(-40, -10)} {self.number(10, 30)}"'
            if self.chance(0.3):
                text += f' stiffness="{self.number(0, 9)}"'
            if self.chance(0.2):
                text += ' actuatorfrcrange="-3 3"'
        for attribute in ("damping", "armature", "frictionloss"):
            if self.chance(0.3):
                text += f' {attribute}="{self.number(0, 2)}"'
        return text + "/>"

    def inertial(self):
        text = f'<inertial pos="{self.numbers(3)}" mass="{self.number(0.1, 4)}"'
        if self.chance(0.5):
            moments = f"{self.number(0.5, 0.6)} {self.number(0.6, 0.7)} {self.number(0.7, 0.8)}"
            return text + f'{self.orientation()} diaginertia="{moments}"/>'
        return text + f' fullinertia="{self.numbers(3, 0.5, 0.6)} {self.numbers(3, -0.05, 0.05)}"/>'

    def joints(self, on_world):
        """The joints of a body, and whether it is a mocap body."""
        draw = self.random.random()
        if on_world and draw < 0.2:
            return [self.random.choice(["<freejoint/>", '<joint type="free"/>'])], False
        if on_world and draw < 0.25:
            return [], True
        if draw < 0.4:
            return [], False
        kinds = self.random.choice([
            ["hinge"], ["slide"], ["hinge", "hinge"], ["slide", "ball"], ["ball"], ["slide", "slide", "hinge"],
            ["hinge", "slide", "hinge"],
        ])
        return [self.framed(self.joint(kind)) for kind in kinds], False

    def body(self, depth, on_world):
        joints, mocap = self.joints(on_world)
        text = f'<body{self.name("b")}{self.pose()}{self.use_class("childclass")}'
        if self.chance(0.2):
            text += f' gravcomp="{self.number(0, 1)}"'
        text += ' mocap="true">' if mocap else ">"
        if self.chance(0.3):
            text += self.inertial()
        text += "".join(joints)
        text += "".join(self.framed(self.geom()) for _ in range(self.random.randint(1, 3)))
        if self.chance(0.3):
            text += f'<site{self.name("s")}{self.pose()}/>'
        if depth < 4:
            for _ in range(self.random.choice([0, 1, 1, 2])):
                text += self.framed(self.body(depth + 1, False))
        return text + "</body>"

    def default_classes(self, depth=0):
        text = ""
        for _ in range(self.random.randint(0, 2)):
            name = f"c{len(self.classes)}"
            self.classes.append(name)
            text += f'<default class="{name}"><geom{self.surface()}/>'
            text += f'<joint stiffness="{self.number(0, 3)}" frictionloss="{self.number(0, 1)}"/>'
            text += (self.default_classes(depth + 1) if depth < 2 else "") + "</default>"
        return text

    def compiler(self):
        text = "<compiler"
        if self.chance(0.4):
            text += ' angle="radian"'
        if self.chance(0.4):
            text += f' eulerseq="{"".join(self.random.choice("xyzXYZ") for _ in range(3))}"'
        if self.chance(0.3):
            text += f' inertiafromgeom="{self.random.choice(["true", "auto"])}"'
        if self.chance(0.2):
            text += ' inertiagrouprange="0 3"'
        if self.chance(0.2):
            text += ' boundmass="0.5" boundinertia="0.1"'
        if self.chance(0.3):
            text += ' balanceinertia="true"'
        return text + "/>"

    def document(self):
        text = "<mujoco>" + self.compiler()
        if self.chance(0.3):
            text += '<option><flag filterparent="disable"/></option>'
        text += f'<default><geom{self.surface()}/><joint damping="{self.number(0, 1)}"/>'
        text += self.default_classes() + "</default><worldbody>"
        if self.chance(0.6):
            text += '<geom type="plane" size="1 1 1"/>'
        if self.chance(0.3):
            text += self.geom()
        text += "".join(self.framed(self.body(0, True)) for _ in range(self.random.randint(1, 4)))
        return text + "</worldbody></mujoco>"
