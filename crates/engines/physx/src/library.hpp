// PhysX itself: one foundation for the process, whatever the number of worlds. It lives as long as the process does.
#pragma once
#include "algebra.hpp"

// What PhysX says goes into the next sentence that is asked for, and not to the terminal.
class Said : public physx::PxErrorCallback {
  std::string first;

 public:
  void reportError(physx::PxErrorCode::Enum code, const char *message, const char *, int) override {
    using physx::PxErrorCode;
    if (code == PxErrorCode::eDEBUG_INFO || code == PxErrorCode::ePERF_WARNING) return;
    if (first.empty()) first = message;
  }
  // Throws what was said since the last look.
  void look() {
    if (first.empty()) return;
    std::string sentence = "PhysX says: " + first;
    first.clear();
    throw std::runtime_error(sentence);
  }
  void forget() { first.clear(); }
};

class Library {
  physx::PxDefaultAllocator allocator;
  physx::PxFoundation *foundation;

 public:
  Said said;
  physx::PxPhysics *physics;
  // No threads of its own: everything happens in the call, in one order.
  physx::PxDefaultCpuDispatcher *here;

  static Library &get() {
    static Library *only = new Library();
    return *only;
  }

 private:
  Library() {
    foundation = PxCreateFoundation(PX_PHYSICS_VERSION, allocator, said);
    if (!foundation) throw std::runtime_error("PhysX has no foundation");
    physics = PxCreatePhysics(PX_PHYSICS_VERSION, *foundation, physx::PxTolerancesScale());
    if (!physics || !PxInitExtensions(*physics, nullptr)) throw std::runtime_error("PhysX did not begin");
    here = physx::PxDefaultCpuDispatcherCreate(0);
    if (!here) throw std::runtime_error("PhysX has no dispatcher");
  }
};
