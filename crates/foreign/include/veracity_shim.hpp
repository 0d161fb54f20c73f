// The C++ side of veracity_shim.h: small algebra, settings by name, bytes, and a table made of one class.
#pragma once
#include "veracity_shim.h"
#include <dlfcn.h>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

namespace vs {

struct V3 {
  double x = 0, y = 0, z = 0;
  V3() = default;
  V3(double x, double y, double z) : x(x), y(y), z(z) {}
  explicit V3(const double *p) : x(p[0]), y(p[1]), z(p[2]) {}
  void put(double *p) const { p[0] = x, p[1] = y, p[2] = z; }
};
inline V3 operator+(V3 a, V3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline V3 operator-(V3 a, V3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline V3 operator*(double s, V3 a) { return {s * a.x, s * a.y, s * a.z}; }
inline double dot(V3 a, V3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline V3 cross(V3 a, V3 b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
inline double norm(V3 a) { return std::sqrt(dot(a, a)); }

// w x y z.
struct Q {
  double w = 1, x = 0, y = 0, z = 0;
  Q() = default;
  Q(double w, double x, double y, double z) : w(w), x(x), y(y), z(z) {}
  explicit Q(const double *p) : w(p[0]), x(p[1]), y(p[2]), z(p[3]) {}
  void put(double *p) const { p[0] = w, p[1] = x, p[2] = y, p[3] = z; }
  Q inverse() const { return {w, -x, -y, -z}; }
};
inline Q operator*(Q a, Q b) {
  return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
          a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}
inline V3 operator*(Q q, V3 v) {
  V3 u{q.x, q.y, q.z};
  V3 t = 2.0 * cross(u, v);
  return v + q.w * t + cross(u, t);
}

struct Pose {
  V3 p;
  Q q;
  Pose() = default;
  Pose(V3 p, Q q) : p(p), q(q) {}
  explicit Pose(const vs_pose &o) : p(o.p), q(o.q) {}
  Pose inverse() const { return {q.inverse() * (-1.0 * p), q.inverse()}; }
};
inline Pose operator*(const Pose &a, const Pose &b) { return {a.p + a.q * b.p, a.q * b.q}; }
inline V3 operator*(const Pose &a, V3 b) { return a.p + a.q * b; }

// A rotation that takes the unit vector `from` to the unit vector `to`.
inline Q between(V3 from, V3 to) {
  double c = dot(from, to);
  if (c < -1 + 1e-14) {
    V3 side = std::fabs(from.x) < 0.6 ? cross(from, {1, 0, 0}) : cross(from, {0, 1, 0});
    double n = norm(side);
    return {0, side.x / n, side.y / n, side.z / n};
  }
  V3 s = cross(from, to);
  Q q{1 + c, s.x, s.y, s.z};
  double n = std::sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
  return {q.w / n, q.x / n, q.y / n, q.z / n};
}

// Settings by key: all that the Rust side lists.
class Settings {
  const vs_setting *list;
  size_t count;

 public:
  Settings(const vs_setting *list, size_t count) : list(list), count(count) {}
  std::string text(const char *key) const {
    for (size_t i = 0; i < count; i++)
      if (!std::strcmp(list[i].key, key)) return list[i].value;
    throw std::runtime_error(std::string("the shim reads the setting '") + key + "', which the engine does not list");
  }
  double real(const char *key) const { return std::stod(text(key)); }
  long integer(const char *key) const { return std::stol(text(key)); }
  bool is(const char *key, const char *word) const { return text(key) == word; }
};

// Coefficient of a pair by a rule of the scene.
inline double combine(int32_t rule, double a, double b) {
  switch (rule) {
    case VS_AVERAGE: return 0.5 * (a + b);
    case VS_MIN: return a < b ? a : b;
    case VS_MULTIPLY: return a * b;
    case VS_MAX: return a > b ? a : b;
    case VS_GEOMETRIC_MEAN: return std::sqrt(a * b);
  }
  throw std::runtime_error("the scene has an unknown combination rule");
}

// The file of the shared library that holds a function, without its folder: "libode.so.8.0.2".
inline std::string library_of(const void *function) {
  Dl_info info;
  if (!dladdr(function, &info) || !info.dli_fname) return "unknown library";
  char *resolved = realpath(info.dli_fname, nullptr);
  std::string path = resolved ? resolved : info.dli_fname;
  std::free(resolved);
  return path.substr(path.rfind('/') + 1);
}

// Collects all refusals of a load.
class Refusals {
  vs_report *report;

 public:
  bool any = false;
  explicit Refusals(vs_report *report) : report(report) {}
  void add(const std::string &feature, const std::string &hint) {
    any = true;
    vs_refuse(report, feature.c_str(), hint.c_str());
  }
};

// Numbers to bytes and back, bit for bit.
class Writer {
 public:
  std::vector<uint8_t> bytes;
  template <typename T>
  void put(const T &x) {
    auto p = reinterpret_cast<const uint8_t *>(&x);
    bytes.insert(bytes.end(), p, p + sizeof(T));
  }
  template <typename T>
  void put(const T *x, size_t n) {
    auto p = reinterpret_cast<const uint8_t *>(x);
    bytes.insert(bytes.end(), p, p + n * sizeof(T));
  }
};
class Reader {
  const uint8_t *at, *end;

 public:
  Reader(const uint8_t *bytes, size_t n) : at(bytes), end(bytes + n) {}
  template <typename T>
  void take(T *x, size_t n) {
    if (size_t(end - at) < n * sizeof(T)) throw std::runtime_error("it is truncated");
    std::memcpy(x, at, n * sizeof(T));
    at += n * sizeof(T);
  }
  template <typename T>
  T take() {
    T x;
    take(&x, 1);
    return x;
  }
  bool done() const { return at == end; }
};

inline const char *kind_name(int32_t kind) {
  const char *names[] = {"", "revolute", "continuous", "prismatic", "screw", "universal", "ball", "planar", "free"};
  return kind >= 1 && kind <= 8 ? names[kind] : "unknown";
}
inline const char *shape_name(int32_t kind) {
  const char *names[] = {"", "sphere", "box", "capsule", "cylinder", "plane", "convex mesh", "mesh", "height field", "ellipsoid", "disc"};
  return kind >= 1 && kind <= 10 ? names[kind] : "unknown shape";
}
inline const char *loop_name(int32_t kind) {
  const char *names[] = {"", "weld", "ball", "revolute", "prismatic", "universal", "distance"};
  return kind >= 1 && kind <= 6 ? names[kind] : "unknown";
}

// A simulation is a class `S` with the methods that `table` calls. Errors are exceptions.
template <typename S>
struct Held {
  S sim;
  std::string error;
  std::string said;
  std::vector<uint8_t> saved;
  Held(const vs_scene &scene, const Settings &settings, Refusals &refusals) : sim(scene, settings, refusals) {}
};

template <typename S>
const vs_api *table() {
  using H = Held<S>;
  static const size_t sizes[] = VS_SIZES;
  static const vs_api api = {
      VS_ABI,
      sizeof sizes / sizeof *sizes,
      []() -> const size_t * { return sizes; },
      []() -> const char * { return S::version(); },
      [](const vs_setting *list, size_t n) -> vs_abilities {
        try {
          return S::abilities(Settings(list, n));
        } catch (...) {
          return {0, -1.0};
        }
      },
      [](const vs_scene *scene, const vs_setting *list, size_t n, vs_report *report) -> vs_sim * {
        try {
          Refusals refusals(report);
          H *held = new H(*scene, Settings(list, n), refusals);
          if (!refusals.any) return reinterpret_cast<vs_sim *>(held);
          delete held;
        } catch (const std::exception &e) {
          vs_fail(report, e.what());
        } catch (...) {
          vs_fail(report, "the engine threw an unknown exception");
        }
        return nullptr;
      },
      [](vs_sim *s) { delete reinterpret_cast<H *>(s); },
      [](vs_sim *s, double time, const double *q, const double *v, const vs_motion *pieces) -> int32_t {
        H *h = reinterpret_cast<H *>(s);
        try {
          h->sim.set_state(time, q, v, pieces);
          return 0;
        } catch (const std::exception &e) {
          h->error = e.what();
        } catch (...) {
          h->error = "the engine threw an unknown exception";
        }
        return 1;
      },
      [](vs_sim *s, const vs_inputs *inputs) -> int32_t {
        H *h = reinterpret_cast<H *>(s);
        try {
          h->sim.step(*inputs);
          return 0;
        } catch (const std::exception &e) {
          h->error = e.what();
        } catch (...) {
          h->error = "the engine threw an unknown exception";
        }
        return 1;
      },
      [](vs_sim *s, double *q, double *v, vs_motion *pieces) { reinterpret_cast<H *>(s)->sim.read(q, v, pieces); },
      [](vs_sim *s, vs_contact *out, size_t room) -> size_t {
        return reinterpret_cast<H *>(s)->sim.contacts(out, room);
      },
      [](vs_sim *s, vs_solver *out) { reinterpret_cast<H *>(s)->sim.solver(*out); },
      [](vs_sim *s) -> double { return reinterpret_cast<H *>(s)->sim.energy(); },
      [](vs_sim *s, uint8_t *out, size_t room) -> size_t {
        H *h = reinterpret_cast<H *>(s);
        Writer w;
        h->sim.save(w);
        if (w.bytes.size() <= room) std::memcpy(out, w.bytes.data(), w.bytes.size());
        return w.bytes.size();
      },
      [](vs_sim *s, const uint8_t *bytes, size_t n) -> int32_t {
        H *h = reinterpret_cast<H *>(s);
        try {
          Reader r(bytes, n);
          h->sim.restore(r);
          return 0;
        } catch (const std::exception &e) {
          h->error = e.what();
          return 1;
        }
      },
      [](vs_sim *s) -> const char * { return reinterpret_cast<H *>(s)->error.c_str(); },
      [](vs_sim *s, size_t number) -> const char * {
        H *h = reinterpret_cast<H *>(s);
        std::vector<std::string> all = h->sim.warnings();
        if (number >= all.size()) return nullptr;
        h->said = all[number];
        return h->said.c_str();
      },
  };
  return &api;
}

}  // namespace vs

namespace vs {

// Surface properties an engine can express beyond one coefficient of friction and one of restitution.
struct SurfaceAbilities {
  bool anisotropic = false, torsional = false, rolling = false, restitution = true, compliant = false;
};

inline void check_surface(const vs_shape &shape, Refusals &refusals, SurfaceAbilities can) {
  auto refuse = [&](bool wrong, const char *what, const char *hint) {
    if (wrong) refusals.add(std::string(what) + " of the surface of '" + shape.name + "'", hint);
  };
  refuse(!can.anisotropic && shape.friction[0] != shape.friction[1], "friction that depends on direction",
         "give both directions one coefficient");
  refuse(!can.torsional && shape.torsional != 0, "torsional friction", "set torsional_friction to zero");
  refuse(!can.rolling && shape.rolling != 0, "rolling friction", "set rolling_friction to zero");
  refuse(!can.restitution && shape.restitution != 0, "restitution", "set restitution to zero");
  refuse(!can.compliant && (!std::isinf(shape.stiffness) || shape.dissipation != 0), "stiffness or dissipation",
         "leave the surface rigid");
}

// Combined surface of two shapes by the rules of the scene.
struct PairSurface {
  double friction, restitution;
  bool operator==(const PairSurface &o) const { return friction == o.friction && restitution == o.restitution; }
};
inline PairSurface pair_surface(const vs_scene &scene, size_t a, size_t b) {
  const vs_shape &x = scene.shapes[a], &y = scene.shapes[b];
  return {combine(scene.friction_rule, x.friction[0], y.friction[0]), combine(scene.restitution_rule, x.restitution, y.restitution)};
}

// For engines that store one friction and one restitution per shape and combine them by their own rule: a shape becomes
// one copy for every different surface it has with the shapes it may touch. Two copies may touch if the surface of
// their pair is that of both; any rule that preserves equal numbers then gives the pair's surface.
class PairSurfaces {
  std::vector<int> of_pair;  // number in `list`; -1 where shapes may not touch
  size_t count;

 public:
  std::vector<PairSurface> list;
  explicit PairSurfaces(const vs_scene &scene) : of_pair(scene.shape_count * scene.shape_count, -1), count(scene.shape_count) {
    for (size_t a = 0; a < count; a++)
      for (size_t b = 0; b < count; b++) {
        if (!scene.touch[a * count + b]) continue;
        PairSurface s = pair_surface(scene, a, b);
        size_t k = 0;
        while (k < list.size() && !(list[k] == s)) k++;
        if (k == list.size()) list.push_back(s);
        of_pair[a * count + b] = int(k);
      }
  }
  bool touch(size_t a, size_t b, int surface) const { return of_pair[a * count + b] == surface; }
  bool has(size_t shape, int surface) const {
    for (size_t b = 0; b < count; b++)
      if (touch(shape, b, surface)) return true;
    return false;
  }
};

}  // namespace vs
