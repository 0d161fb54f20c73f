// PhysX itself: one foundation per process, for any number of worlds. It lives as long as the process.
#pragma once
#include "algebra.hpp"

// Keeps the first message of PhysX for the next error instead of printing it.
class Messages : public physx::PxErrorCallback {
  std::string first;

 public:
  void reportError(physx::PxErrorCode::Enum code, const char *message, const char *, int) override {
    using physx::PxErrorCode;
    if (code == PxErrorCode::eDEBUG_INFO || code == PxErrorCode::ePERF_WARNING) return;
    if (first.empty()) first = message;
  }
  // Throws the first message since the last call.
  void check() {
    if (first.empty()) return;
    std::string sentence = "PhysX reports: " + first;
    first.clear();
    throw std::runtime_error(sentence);
  }
  void forget() { first.clear(); }
};

class Library {
  physx::PxDefaultAllocator allocator;
  physx::PxFoundation *foundation;

 public:
  Messages messages;
  physx::PxPhysics *physics;
  // No worker threads: everything runs in the call, in a fixed order.
  physx::PxDefaultCpuDispatcher *here;

  static Library &get() {
    static Library *only = new Library();
    return *only;
  }

 private:
  Library() {
    foundation = PxCreateFoundation(PX_PHYSICS_VERSION, allocator, messages);
    if (!foundation) throw std::runtime_error("PhysX failed to create its foundation");
    physics = PxCreatePhysics(PX_PHYSICS_VERSION, *foundation, physx::PxTolerancesScale());
    if (!physics || !PxInitExtensions(*physics, nullptr)) throw std::runtime_error("PhysX failed to initialise");
    here = physx::PxDefaultCpuDispatcherCreate(0);
    if (!here) throw std::runtime_error("PhysX failed to create a dispatcher");
  }
};
