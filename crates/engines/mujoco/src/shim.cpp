// MuJoCo behind veracity_shim.h: the scene is written as MJCF, in memory, and compiled by MuJoCo itself.
#include <mujoco/mujoco.h>

#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "veracity_shim.hpp"

using namespace vs;

namespace {

// By default MuJoCo writes a log file into the current folder and ends the process: here it only prints and ends the
// process.
void on_error(const char *text) {
  std::fprintf(stderr, "MuJoCo: %s\n", text);
  std::fflush(stderr);
  std::_Exit(1);
}
void on_warning(const char *) {}

std::string numbers(std::initializer_list<double> list) {
  std::string out;
  char text[40];
  for (double x : list) {
    std::snprintf(text, sizeof text, "%.17g ", x);
    out += text;
  }
  return out;
}
std::string attribute(const char *name, std::initializer_list<double> list) {
  return std::string(" ") + name + "=\"" + numbers(list) + "\"";
}
std::string placed(const Pose &p) {
  return attribute("pos", {p.p.x, p.p.y, p.p.z}) + attribute("quat", {p.q.w, p.q.x, p.q.y, p.q.z});
}

// One joint and the offsets of its numbers in MuJoCo's arrays.
struct Joint {
  int kind, q, v, nv;
  int qpos = 0, dof = 0;
  Pose parent;  // frame of a free joint in the world
};

class Mujoco {
  mjModel *model = nullptr;
  mjData *data = nullptr;
  std::vector<Joint> joints;
  std::vector<int> body_of_piece, shape_of_geom;
  uint64_t failed = 0;
  bool rk4 = false;

 public:
  static const char *version() {
    static std::string text = std::string("MuJoCo ") + mj_versionString();
    return text.c_str();
  }

  static vs_abilities abilities(const Settings &) {
    return {VS_REDUCED | VS_CONTACT | VS_LIMITS | VS_DRY_FRICTION | VS_ARMATURE | VS_JOINT_DAMPING | VS_JOINT_SPRINGS |
                VS_SPRINGS | VS_LOOPS | VS_COUPLINGS,
            0.0};
  }

  Mujoco(const vs_scene &scene, const Settings &settings, Refusals &refusals) {
    mju_user_error = on_error;
    mju_user_warning = on_warning;
    check(scene, refusals);
    if (refusals.any) return;
    std::string xml = write(scene, settings);
    char error[1000] = "";
    mjVFS vfs;
    mj_defaultVFS(&vfs);
    mj_addBufferVFS(&vfs, "scene.xml", xml.data(), int(xml.size()));
    model = mj_loadXML("scene.xml", &vfs, error, sizeof error);
    mj_deleteVFS(&vfs);
    if (!model) throw std::runtime_error(std::string("MuJoCo cannot compile the scene:  ") + error);
    data = mj_makeData(model);
    rk4 = model->opt.integrator == mjINT_RK4;
    find(scene);
  }

  ~Mujoco() {
    if (data) mj_deleteData(data);
    if (model) mj_deleteModel(model);
  }
  Mujoco(const Mujoco &) = delete;

  void set_state(double, const double *q, const double *v, const vs_motion *) {
    mj_resetData(model, data);
    failed = 0;
    for (const Joint &j : joints) {
      double *qpos = data->qpos + j.qpos, *qvel = data->qvel + j.dof;
      if (j.kind == VS_FREE) {
        Pose world = j.parent * Pose(V3(q + j.q), Q(q + j.q + 3));
        world.p.put(qpos);
        world.q.put(qpos + 3);
        (j.parent.q * V3(v + j.v + 3)).put(qvel);
        V3(v + j.v).put(qvel + 3);
      } else {
        std::memcpy(qpos, q + j.q, sizeof(double) * (j.kind == VS_BALL ? 4 : j.nv));
        std::memcpy(qvel, v + j.v, sizeof(double) * j.nv);
      }
    }
  }

  void step(const vs_inputs &inputs) {
    for (const Joint &j : joints) {
      double *out = data->qfrc_applied + j.dof;
      const double *e = inputs.efforts + j.v;
      if (j.kind == VS_FREE) {
        (j.parent.q * V3(e + 3)).put(out);
        V3(e).put(out + 3);
      } else {
        std::memcpy(out, e, sizeof(double) * j.nv);
      }
    }
    for (size_t i = 1; i < body_of_piece.size(); i++) {
      double *out = data->xfrc_applied + 6 * body_of_piece[i];
      if (inputs.any_wrench)
        std::memcpy(out, inputs.wrenches + 6 * i, 6 * sizeof(double));
      else
        std::memset(out, 0, 6 * sizeof(double));
    }
    mj_step(model, data);
    if (data->nefc > 0 && data->solver_niter[0] >= model->opt.iterations) failed++;
    for (int w : {mjWARN_BADQPOS, mjWARN_BADQVEL, mjWARN_BADQACC})
      if (data->warning[w].number)
        throw std::runtime_error("the state is no longer finite or beyond 1e10 (MuJoCo's bound); use a smaller step");
  }

  void read(double *q, double *v, vs_motion *) {
    for (const Joint &j : joints) {
      const double *qpos = data->qpos + j.qpos, *qvel = data->qvel + j.dof;
      if (j.kind == VS_FREE) {
        Pose ours = j.parent.inverse() * Pose(V3(qpos), Q(qpos + 3));
        ours.p.put(q + j.q);
        ours.q.put(q + j.q + 3);
        V3(qvel + 3).put(v + j.v);
        (j.parent.q.inverse() * V3(qvel)).put(v + j.v + 3);
      } else {
        std::memcpy(q + j.q, qpos, sizeof(double) * (j.kind == VS_BALL ? 4 : j.nv));
        std::memcpy(v + j.v, qvel, sizeof(double) * j.nv);
      }
    }
  }

  size_t contacts(vs_contact *out, size_t room) {
    size_t count = 0;
    for (int i = 0; i < int(data->ncon); i++) {
      const mjContact &c = data->contact[i];
      if (c.exclude || c.efc_address < 0) continue;
      if (count < room) {
        vs_contact &o = out[count];
        o.a = shape_of_geom[c.geom[0]], o.b = shape_of_geom[c.geom[1]];
        mjtNum force[6];
        mj_contactForce(model, data, i, force);
        double h = model->opt.timestep;
        for (int k = 0; k < 3; k++) {
          o.point[k] = c.pos[k];
          o.normal[k] = -c.frame[k];
          // Along the rows of the frame, on the second; ours is on the first.
          o.impulse[k] = -h * (c.frame[k] * force[0] + c.frame[3 + k] * force[1] + c.frame[6 + k] * force[2]);
        }
        o.gap = c.dist;
      }
      count++;
    }
    return count;
  }

  void solver(vs_solver &out) {
    out = {uint64_t(data->nefc > 0 ? data->solver_niter[0] : 0), failed, 0.0};
    if (rk4) out.iterations += 4;
  }
  double energy() { return std::nan(""); }
  std::vector<std::string> warnings() {
    std::vector<std::string> out;
    if (failed) out.push_back(std::to_string(failed) + " steps reached the iteration limit of the solver");
    return out;
  }

  void save(Writer &w) {
    std::vector<mjtNum> state(mj_stateSize(model, mjSTATE_INTEGRATION));
    mj_getState(model, data, state.data(), mjSTATE_INTEGRATION);
    w.put(failed);
    w.put(state.data(), state.size());
  }

  void restore(Reader &r) {
    std::vector<mjtNum> state(mj_stateSize(model, mjSTATE_INTEGRATION));
    failed = r.take<uint64_t>();
    r.take(state.data(), state.size());
    mj_resetData(model, data);
    mj_setState(model, data, state.data(), mjSTATE_INTEGRATION);
  }

 private:
  static bool has_limits(const vs_dof &d) { return !std::isinf(d.lower) || !std::isinf(d.upper); }

  void check(const vs_scene &scene, Refusals &refusals) {
    for (size_t i = 1; i < scene.piece_count; i++) {
      const vs_piece &p = scene.pieces[i];
      const double *m = p.moments;
      std::string name = std::string("'") + p.name + "'";
      if (!(p.mass > 1e-15) || !(m[0] > 1e-15 && m[1] > 1e-15 && m[2] > 1e-15))
        refusals.add(name + ", which has no mass or no moment of inertia about some axis",
                     "give it some: MuJoCo needs three positive moments");
      else if (m[0] + m[1] < m[2] * (1 - 1e-9) || m[0] + m[2] < m[1] * (1 - 1e-9) || m[1] + m[2] < m[0] * (1 - 1e-9))
        refusals.add("the moments of " + name + ", which no solid can have", "correct its inertia: `veracity check` names it");
    }
    for (size_t i = 0; i < scene.joint_count; i++) {
      const vs_joint &j = scene.joints[i];
      std::string name = std::string(kind_name(j.kind)) + " joint '" + j.name + "'";
      if (j.kind == VS_SCREW) refusals.add("the " + name, "couple a revolute and a prismatic joint instead");
      if (j.kind == VS_FREE && j.parent != 0)
        refusals.add("the " + name + " on a moving body", "attach it to the world");
      for (int k = 0; k < j.nv; k++)
        if (has_limits(scene.dofs[j.v + k]) && (j.kind == VS_BALL || j.kind == VS_FREE))
          refusals.add("the limits of the " + name, "MuJoCo supports them along revolute and prismatic joints only");
    }
    for (size_t i = 0; i < scene.loop_count; i++) {
      const vs_loop &l = scene.loops[i];
      if (l.kind != VS_LOOP_WELD && l.kind != VS_LOOP_BALL && l.kind != VS_LOOP_DISTANCE)
        refusals.add(std::string("the ") + loop_name(l.kind) + " joint '" + l.name + "' that closes a loop",
                     "close it with a ball, weld or distance joint");
    }
    for (size_t i = 0; i < scene.coupling_count; i++) {
      const vs_coupling &c = scene.couplings[i];
      const vs_joint &f = scene.joints[c.follower];
      bool one = f.nv == 1 && (c.leader < 0 || scene.joints[c.leader].nv == 1);
      if (c.count > 5 || !one)
        refusals.add(std::string("the coupling '") + c.name + "'", "MuJoCo couples joints with one degree of freedom by polynomials of degree up to four");
    }
    if (!scene.contact) return;
    SurfaceAbilities can;
    can.torsional = can.rolling = true;
    can.restitution = false;
    for (size_t i = 0; i < scene.shape_count; i++) {
      const vs_shape &s = scene.shapes[i];
      check_surface(s, refusals, can);
      std::string name = std::string("the ") + shape_name(s.kind) + " '" + s.name + "'";
      if (s.kind == VS_PLANE && s.piece != 0) refusals.add(name + " on a body that moves", "make it a large box, or fix the body");
      if (s.kind == VS_MESH) refusals.add(name + " that collides without being convex", "MuJoCo uses its hull: make it a convex mesh, or several");
      if (s.kind == VS_HEIGHTFIELD || s.kind == VS_DISC) refusals.add(name + " that collides", "use a sphere, box, capsule, cylinder or convex mesh");
    }
  }

  std::string write(const vs_scene &scene, const Settings &settings) {
    auto text = [&](const char *key) { return settings.text(key); };
    auto flag = [&](const char *name, const char *key) {
      return std::string(" ") + name + "=\"" + (settings.is(key, "on") ? "enable" : "disable") + "\"";
    };
    std::ostringstream out;
    out << "<mujoco model=\"scene\"><compiler angle=\"radian\" autolimits=\"true\" inertiafromgeom=\"false\""
        << " boundmass=\"0\" boundinertia=\"0\" balanceinertia=\"false\"/>";
    static const std::pair<const char *, const char *> integrators[] = {
        {"euler", "Euler"}, {"implicitfast", "implicitfast"}, {"implicit", "implicit"}, {"rk4", "RK4"}};
    std::string integrator;
    for (auto &[ours, theirs] : integrators)
      if (text("integrator") == ours) integrator = theirs;
    std::string solver = text("solver") == "newton" ? "Newton" : text("solver") == "cg" ? "CG" : "PGS";
    out << "<option" << attribute("timestep", {scene.step}) << attribute("gravity", {scene.gravity[0], scene.gravity[1], scene.gravity[2]})
        << " integrator=\"" << integrator << "\" cone=\"" << text("cone") << "\" solver=\"" << solver << "\" jacobian=\"" << text("jacobian") << "\""
        << " iterations=\"" << text("iters") << "\" ls_iterations=\"" << text("ls_iters") << "\" noslip_iterations=\""
        << text("noslip_iters") << "\" ccd_iterations=\"" << text("ccd_iters") << "\"" << attribute("tolerance", {settings.real("tolerance")})
        << attribute("ls_tolerance", {settings.real("ls_tolerance")}) << attribute("noslip_tolerance", {settings.real("noslip_tolerance")})
        << attribute("ccd_tolerance", {settings.real("ccd_tolerance")}) << attribute("impratio", {settings.real("impratio")}) << ">";
    out << "<flag filterparent=\"disable\" autoreset=\"disable\"" << (scene.contact ? "" : " contact=\"disable\"")
        << flag("multiccd", "multiccd") << flag("warmstart", "warmstart") << flag("eulerdamp", "eulerdamp") << flag("refsafe", "refsafe")
        << "/></option>";
    double time = settings.real("solref_time_s"), ratio = settings.real("solref_ratio");
    std::string imp = numbers({settings.real("solimp_min"), settings.real("solimp_max"), settings.real("solimp_width_m"), 0.5, 2});
    std::string ref = numbers({time, ratio});
    std::string soft = " solref=\"" + ref + "\" solimp=\"" + imp + "\"";
    out << "<default><geom" << soft << "/><joint solreflimit=\"" << ref << "\" solimplimit=\"" << imp << "\" solreffriction=\"" << ref
        << "\" solimpfriction=\"" << imp << "\"/><equality" << soft << "/></default>";

    // Contact filters by bits where these suffice; else every pair is written out.
    int32_t friction = scene.friction_rule;
    bool even = true;
    for (size_t i = 1; i < scene.shape_count; i++) {
      const vs_shape &a = scene.shapes[0], &b = scene.shapes[i];
      even &= a.friction[0] == b.friction[0] && a.torsional == b.torsional && a.rolling == b.rolling;
    }
    bool bits = scene.bits_fit && (friction == VS_MAX || (even && friction != VS_MULTIPLY));
    double margin = settings.real("margin_m");

    out << "<asset>";
    for (size_t i = 0; scene.contact && i < scene.shape_count; i++) {
      const vs_shape &s = scene.shapes[i];
      if (s.kind != VS_CONVEX) continue;
      out << "<mesh name=\"m" << i << "\" vertex=\"";
      for (size_t k = 0; k < 3 * s.point_count; k++) out << numbers({s.points[k]});
      out << "\"/>";
    }
    out << "</asset><worldbody>";
    write_sites(scene, 0, Pose(), out);
    if (scene.contact) write_geoms(scene, 0, Pose(), bits, margin, out);
    for (size_t i = 0; i < scene.joint_count; i++)
      if (scene.joints[i].parent == 0) write_body(scene, i, Pose(), bits, margin, out);
    out << "</worldbody>";

    out << "<contact>";
    for (size_t a = 0; scene.contact && !bits && a < scene.shape_count; a++)
      for (size_t b = a + 1; b < scene.shape_count; b++) {
        if (!scene.touch[a * scene.shape_count + b]) continue;
        const vs_shape &x = scene.shapes[a], &y = scene.shapes[b];
        double slide = combine(friction, x.friction[0], y.friction[0]), turn = combine(friction, x.torsional, y.torsional),
               roll = combine(friction, x.rolling, y.rolling);
        out << "<pair geom1=\"g" << a << "\" geom2=\"g" << b << "\" condim=\"" << condim(turn, roll) << "\""
            << attribute("friction", {slide, slide, turn, roll, roll}) << attribute("margin", {margin}) << soft << "/>";
      }
    out << "</contact><tendon>";
    for (size_t i = 0; i < scene.spring_count; i++) {
      const vs_spring &s = scene.springs[i];
      out << "<spatial name=\"spring" << i << "\"" << attribute("stiffness", {s.stiffness}) << attribute("damping", {s.damping})
          << attribute("springlength", {s.rest}) << "><site site=\"sa" << i << "\"/><site site=\"sb" << i << "\"/></spatial>";
    }
    for (size_t i = 0; i < scene.loop_count; i++)
      if (scene.loops[i].kind == VS_LOOP_DISTANCE)
        out << "<spatial name=\"rod" << i << "\"><site site=\"la" << i << "\"/><site site=\"lb" << i << "\"/></spatial>";
    out << "</tendon><equality>";
    for (size_t i = 0; i < scene.loop_count; i++) {
      const vs_loop &l = scene.loops[i];
      if (l.kind == VS_LOOP_DISTANCE)
        out << "<tendon name=\"loop" << i << "\" tendon1=\"rod" << i << "\" polycoef=\"0 0 0 0 0\"/>";
      else
        out << (l.kind == VS_LOOP_BALL ? "<connect" : "<weld") << " name=\"loop" << i << "\" site1=\"la" << i << "\" site2=\"lb" << i << "\"/>";
    }
    for (size_t i = 0; i < scene.coupling_count; i++) {
      const vs_coupling &c = scene.couplings[i];
      double p[5] = {};
      for (size_t k = 0; k < c.count; k++) p[k] = c.coefficients[k];
      out << "<joint joint1=\"j" << c.follower << "_0\"";
      if (c.leader >= 0) out << " joint2=\"j" << c.leader << "_0\"";
      out << attribute("polycoef", {p[0], p[1], p[2], p[3], p[4]}) << "/>";
    }
    out << "</equality></mujoco>";
    return out.str();
  }

  static int condim(double torsional, double rolling) { return rolling > 0 ? 6 : torsional > 0 ? 4 : 3; }

  // The body that a joint carries: its frame is the joint's.
  void write_body(const vs_scene &scene, size_t joint, const Pose &parent_body_from_piece, bool bits, double margin, std::ostringstream &out) {
    const vs_joint &j = scene.joints[joint];
    const vs_piece &piece = scene.pieces[j.child];
    Pose body_from_piece = Pose(j.child_from_joint).inverse();
    out << "<body name=\"p" << j.child << "\"" << placed(parent_body_from_piece * Pose(j.parent_from_joint));
    if (piece.gravity_scale != 1) out << attribute("gravcomp", {1 - piece.gravity_scale});
    out << ">";
    const double *m = piece.moments;
    Pose inertial = body_from_piece * Pose({}, Q(piece.principal));
    out << "<inertial" << placed(inertial) << attribute("mass", {piece.mass}) << attribute("diaginertia", {m[0], m[1], m[2]}) << "/>";
    V3 x(j.axis), y(j.axis2);
    switch (j.kind) {
      case VS_FREE: out << "<freejoint name=\"j" << joint << "_0\"/>"; break;
      case VS_BALL: write_joint(scene, joint, 0, "ball", {0, 0, 1}, out); break;
      case VS_REVOLUTE: write_joint(scene, joint, 0, "hinge", x, out); break;
      case VS_CONTINUOUS: write_joint(scene, joint, 0, "hinge", x, out); break;
      case VS_PRISMATIC: write_joint(scene, joint, 0, "slide", x, out); break;
      case VS_UNIVERSAL:
        write_joint(scene, joint, 0, "hinge", x, out);
        write_joint(scene, joint, 1, "hinge", y, out);
        break;
      case VS_PLANAR:
        write_joint(scene, joint, 0, "slide", x, out);
        write_joint(scene, joint, 1, "slide", y, out);
        write_joint(scene, joint, 2, "hinge", cross(x, y), out);
        break;
    }
    write_sites(scene, j.child, body_from_piece, out);
    if (scene.contact) write_geoms(scene, j.child, body_from_piece, bits, margin, out);
    for (size_t i = 0; i < scene.joint_count; i++)
      if (scene.joints[i].parent == j.child) write_body(scene, i, body_from_piece, bits, margin, out);
    out << "</body>";
  }

  void write_joint(const vs_scene &scene, size_t joint, int k, const char *type, V3 axis, std::ostringstream &out) {
    const vs_dof &d = scene.dofs[scene.joints[joint].v + k];
    out << "<joint name=\"j" << joint << "_" << k << "\" type=\"" << type << "\"";
    if (std::strcmp(type, "ball")) out << attribute("axis", {axis.x, axis.y, axis.z});
    if (has_limits(d) && scene.joints[joint].kind != VS_CONTINUOUS) {
      // An infinite limit: beyond any motion.
      double low = std::isinf(d.lower) ? -1e9 : d.lower, high = std::isinf(d.upper) ? 1e9 : d.upper;
      out << attribute("range", {low, high});
    }
    out << attribute("damping", {d.damping}) << attribute("stiffness", {d.stiffness}) << attribute("springref", {d.reference})
        << attribute("frictionloss", {d.friction}) << attribute("armature", {d.armature}) << "/>";
  }

  void write_sites(const vs_scene &scene, int piece, const Pose &body_from_piece, std::ostringstream &out) {
    auto site = [&](const char *name, size_t i, const Pose &pose) {
      out << "<site name=\"" << name << i << "\"" << placed(body_from_piece * pose) << "/>";
    };
    for (size_t i = 0; i < scene.spring_count; i++) {
      const vs_spring &s = scene.springs[i];
      if (s.a == piece) site("sa", i, Pose(V3(s.point_a), Q()));
      if (s.b == piece) site("sb", i, Pose(V3(s.point_b), Q()));
    }
    for (size_t i = 0; i < scene.loop_count; i++) {
      const vs_loop &l = scene.loops[i];
      if (l.a == piece) site("la", i, Pose(l.a_from_frame));
      if (l.b == piece) site("lb", i, Pose(l.b_from_frame));
    }
  }

  void write_geoms(const vs_scene &scene, int piece, const Pose &body_from_piece, bool bits, double margin, std::ostringstream &out) {
    for (size_t i = 0; i < scene.shape_count; i++) {
      const vs_shape &s = scene.shapes[i];
      if (s.piece != piece) continue;
      out << "<geom name=\"g" << i << "\"" << placed(body_from_piece * Pose(s.piece_from_shape));
      const double *z = s.size;
      switch (s.kind) {
        case VS_SPHERE: out << " type=\"sphere\"" << attribute("size", {z[0]}); break;
        case VS_BOX: out << " type=\"box\"" << attribute("size", {z[0] / 2, z[1] / 2, z[2] / 2}); break;
        case VS_CAPSULE: out << " type=\"capsule\"" << attribute("size", {z[0], z[1] / 2}); break;
        case VS_CYLINDER: out << " type=\"cylinder\"" << attribute("size", {z[0], z[1] / 2}); break;
        case VS_ELLIPSOID: out << " type=\"ellipsoid\"" << attribute("size", {z[0], z[1], z[2]}); break;
        case VS_PLANE: out << " type=\"plane\" size=\"0 0 1\""; break;
        case VS_CONVEX: out << " type=\"mesh\" mesh=\"m" << i << "\""; break;
      }
      out << attribute("friction", {s.friction[0], s.torsional, s.rolling}) << attribute("margin", {margin}) << " condim=\""
          << condim(s.torsional, s.rolling) << "\" contype=\"" << (bits ? int32_t(s.member) : 0) << "\" conaffinity=\""
          << (bits ? int32_t(s.filter) : 0) << "\"/>";
    }
  }

  void find(const vs_scene &scene) {
    for (size_t i = 0; i < scene.joint_count; i++) {
      const vs_joint &j = scene.joints[i];
      Joint made{j.kind, j.q, j.v, j.nv, 0, 0, Pose()};
      std::string name = "j" + std::to_string(i) + "_0";
      int id = mj_name2id(model, mjOBJ_JOINT, name.c_str());
      made.qpos = model->jnt_qposadr[id];
      made.dof = model->jnt_dofadr[id];
      made.parent = Pose(j.parent_from_joint);
      joints.push_back(made);
    }
    body_of_piece.assign(scene.piece_count, 0);
    for (size_t i = 1; i < scene.piece_count; i++)
      body_of_piece[i] = mj_name2id(model, mjOBJ_BODY, ("p" + std::to_string(i)).c_str());
    shape_of_geom.assign(model->ngeom, -1);
    for (size_t i = 0; scene.contact && i < scene.shape_count; i++)
      shape_of_geom[mj_name2id(model, mjOBJ_GEOM, ("g" + std::to_string(i)).c_str())] = int(i);
    for (size_t i = 0; i < scene.loop_count; i++)
      if (scene.loops[i].kind == VS_LOOP_DISTANCE) {
        // The equality keeps the length at that of the reference position plus this.
        int eq = mj_name2id(model, mjOBJ_EQUALITY, ("loop" + std::to_string(i)).c_str());
        int rod = mj_name2id(model, mjOBJ_TENDON, ("rod" + std::to_string(i)).c_str());
        model->eq_data[mjNEQDATA * eq] = scene.loops[i].length - model->tendon_length0[rod];
      }
  }
};

}  // namespace

extern "C" const vs_api *vs_shim(void) { return table<Mujoco>(); }
