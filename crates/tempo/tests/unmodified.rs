//! Ordinary programs see virtual time: a second of sleeping or computing is a second of simulated time.

mod support;

use std::path::{Path, PathBuf};
use std::process::Command;
use support::{client, config, python, run_with, stats_of};
use veracity_tempo::config::{ClientConfig, ClientKind};
use veracity_tempo::{Run, RunOptions};

/// 2 %: a Python start-up of 20 ms of CPU, or one slice of overshoot, is within it; a wall clock, which runs at another
/// rate next to a planner on the same core, is not.
const NEAR: f64 = 0.02;

/// The preload library, next to this test program.
fn library() -> PathBuf {
    let folder = std::env::current_exe().unwrap().parent().unwrap().to_path_buf();
    folder.join("libveracity_preload.so")
}

fn unmodified(program: &str, arguments: &[&str]) -> ClientConfig {
    ClientConfig { program: program.to_string(), kind: ClientKind::Unmodified, ..client("it", arguments, None, &[]) }
}

/// Runs a program together with a planner that computes forever; returns the run and what the program printed.
fn next_to_hog(it: ClientConfig, folder: &Path) -> (Run, String) {
    std::fs::create_dir_all(folder).unwrap();
    let config = config(vec![it, client("hog", &["hog"], None, &[])], 2.0);
    let options =
        RunOptions { preload: Some(library()), output: Some(folder.to_path_buf()), ..RunOptions::default() };
    let run = run_with(&config, &options).unwrap();
    let printed = std::fs::read_to_string(folder.join("it.stdout")).unwrap();
    let complained = std::fs::read_to_string(folder.join("it.stderr")).unwrap();
    assert_eq!(complained, "", "{:?}", stats_of(&run, "it"));
    (run, printed)
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("unmodified-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

fn sees_a_second(name: &str, printed: &str) {
    let numbers: Vec<f64> = printed.split_whitespace().filter_map(|n| n.parse().ok()).collect();
    assert!(!numbers.is_empty(), "{printed}");
    for seconds in &numbers {
        assert!((seconds - 1.0).abs() < NEAR, "{name}: {printed}");
    }
    println!("ACCEPT tempo-unmodified-{name}: {numbers:?} s");
}

#[test]
fn sleep_takes_a_second() {
    let (run, _) = next_to_hog(unmodified("sleep", &["1"]), &folder("sleep"));
    let it = stats_of(&run, "it");
    assert!(it.ended.as_ref().unwrap().contains("exit status: 0"), "{it:?}");
    let seconds = it.progress_ns as f64 * 1e-9;
    sees_a_second("sleep", &seconds.to_string());
    assert!(it.waited_ns > 950_000_000, "{it:?}");
}

#[test]
fn rust_sees_a_second() {
    let (_, printed) = next_to_hog(unmodified(env!("CARGO_BIN_EXE_tempo-client"), &["--instant"]), &folder("rust"));
    sees_a_second("rust", &printed);
}

#[test]
fn python_sees_a_second() {
    let code = "import time\n\
                for clock in (time.time, time.monotonic, time.perf_counter):\n    \
                    t = clock(); time.sleep(0.2)\n    \
                    while clock() < t + 0.3: pass\n    \
                    print((clock() - t) / 0.3)\n\
                import select\n\
                t = time.monotonic(); select.select([], [], [], 0.25); print((time.monotonic() - t) / 0.25)\n";
    let (_, printed) = next_to_hog(unmodified(&python(), &["-c", code]), &folder("python"));
    sees_a_second("python", &printed);
    assert_eq!(printed.lines().count(), 4, "{printed}");
}

#[test]
fn cpp_sees_a_second() {
    let folder = folder("cpp");
    std::fs::create_dir_all(&folder).unwrap();
    let (source, program) = (folder.join("chrono.cpp"), folder.join("chrono"));
    std::fs::write(
        &source,
        "#include <chrono>\n#include <cstdio>\n#include <thread>\nusing namespace std::chrono;\n\
         template <class C> void one() {\n  auto t = C::now();\n  std::this_thread::sleep_for(milliseconds(300));\n\
         while (C::now() < t + milliseconds(500)) {}\n  std::printf(\"%.6f\\n\", duration<double>(C::now() - t).count() / 0.5);\n}\n\
         int main() { one<steady_clock>(); one<system_clock>(); }\n",
    )
    .unwrap();
    let built = Command::new("c++").arg("-O1").arg("-o").arg(&program).arg(&source).status();
    assert!(built.is_ok_and(|s| s.success()), "a C++ compiler builds the test's program");
    let (_, printed) = next_to_hog(unmodified(program.to_str().unwrap(), &[]), &folder);
    sees_a_second("cpp", &printed);
}

/// A program that looks up the functions of the kernel's clock page by itself, past the C library.
#[test]
fn the_kernels_clock_page_shows_a_second() {
    let folder = folder("page");
    std::fs::create_dir_all(&folder).unwrap();
    let (source, program) = (folder.join("page.c"), folder.join("page"));
    std::fs::write(
        &source,
        "#define _GNU_SOURCE\n#include <dlfcn.h>\n#include <stdio.h>\n#include <sys/time.h>\n#include <time.h>\n#include <unistd.h>\n\
         static int (*get)(clockid_t, struct timespec *);\nstatic int (*day)(struct timeval *, void *);\n\
         static double now(void) { struct timespec t; get(CLOCK_MONOTONIC, &t); return t.tv_sec + 1e-9 * t.tv_nsec; }\n\
         static double date(void) { struct timeval t; day(&t, 0); return t.tv_sec + 1e-6 * t.tv_usec; }\n\
         int main(void) {\n  void *page = dlopen(\"linux-vdso.so.1\", RTLD_LAZY | RTLD_NOLOAD);\n\
         if (!page || !(get = dlsym(page, \"__vdso_clock_gettime\")) || !(day = dlsym(page, \"__vdso_gettimeofday\"))) return 1;\n\
         struct timespec t;\n  if (get(99, &t) != -22) return 2;\n\
         double a = now(), b = date();\n  usleep(300000);\n  while (now() < a + 0.5) {}\n\
         printf(\"%.6f %.6f\\n\", (now() - a) / 0.5, (date() - b) / 0.5);\n  return 0;\n}\n",
    )
    .unwrap();
    let built = Command::new("cc").args(["-O1", "-o"]).arg(&program).arg(&source).arg("-ldl").status();
    assert!(built.is_ok_and(|s| s.success()), "a C compiler builds the test's program");
    let (run, printed) = next_to_hog(unmodified(program.to_str().unwrap(), &[]), &folder);
    assert!(!printed.is_empty(), "{:?}", stats_of(&run, "it"));
    sees_a_second("kernel-page", &printed);
}

/// Prints the rate of the processor's time stamp counter by its own clock; as `late` it reads the counter first in a thread
/// that it starts after many waits.
const COUNTER: &str = r#"
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}
static void *rate(void *unused) {
  unsigned core;
  double begun = now();
  unsigned long long from = __rdtsc(), to;
  usleep(150000);
  while (now() < begun + 0.3) {}
  to = __rdtscp(&core);
  printf("%.1f\n", (to - from) / (now() - begun));
  return unused;
}
int main(int count, char **words) {
  pthread_t thread;
  if (count == 1) return rate(words) == 0;
  for (int i = 0; i < 300; i++) usleep(1000);
  pthread_create(&thread, NULL, rate, NULL);
  return pthread_join(thread, NULL);
}
"#;

#[test]
fn the_time_stamp_counter_counts_virtual_time() {
    if !cfg!(target_arch = "x86_64") {
        return;
    }
    let folder = folder("counter");
    std::fs::create_dir_all(&folder).unwrap();
    let (source, program) = (folder.join("counter.c"), folder.join("counter"));
    std::fs::write(&source, COUNTER).unwrap();
    let built = Command::new("cc").args(["-O1", "-pthread", "-o"]).arg(&program).arg(&source).status();
    assert!(built.is_ok_and(|s| s.success()), "a C compiler builds the test's program");
    let number = |text: &str| text.trim().parse::<f64>().unwrap_or_else(|_| panic!("{text}"));
    let alone = Command::new(&program).output().unwrap();
    let rate = number(&String::from_utf8(alone.stdout).unwrap());
    let (run, printed) = next_to_hog(unmodified(program.to_str().unwrap(), &[]), &folder);
    let it = stats_of(&run, "it");
    // 1 %: the rate is measured over 10 ms. In wall time next to a planner it would be about twice as much.
    assert!((number(&printed) / rate - 1.0).abs() < 0.01, "{printed} of {rate}: {it:?}");
    assert!(it.troubles.is_empty(), "{it:?}");
    println!("ACCEPT tempo-unmodified-counter: {} of {rate} per second", printed.trim());
    // A shell that faults starts programs, whose loaders read the counter.
    let script = format!("sleep 0.01; {0} && exec {0}", program.display());
    let (run, printed) = next_to_hog(unmodified("/bin/sh", &["-c", &script]), &folder);
    let rates: Vec<f64> = printed.lines().map(number).collect();
    assert!(
        rates.len() == 2 && rates.iter().all(|r| (r / rate - 1.0).abs() < 0.01),
        "{printed}: {:?}",
        stats_of(&run, "it")
    );
    // Readings that could not be seen from the beginning are named.
    let (run, _) = next_to_hog(unmodified(program.to_str().unwrap(), &["late"]), &folder);
    let it = stats_of(&run, "it");
    assert!(it.troubles.iter().any(|t| t.finding.code == "time-stamp-counter"), "{it:?}");
    assert_eq!(it.verdict.as_ref().map(|v| v.verdict), Some(veracity_measure::Verdict::CannotTell), "{it:?}");
}

/// A controller with the client library used to read wall clocks: its time steps were those of this machine, not of the
/// robot, and it was accepted all the same.
#[test]
fn a_controller_with_the_client_library_sees_virtual_time() {
    let folder = folder("integrate");
    let it = client("it", &["integrate"], Some(500.0), &["efforts/hinge"]);
    let (run, printed) = next_to_hog(it, &folder);
    let numbers: Vec<f64> = printed.split_whitespace().filter_map(|n| n.parse().ok()).collect();
    // Its period is 2 ms. A wall clock next to a planner on the same core shows about twice that, or whatever the
    // machine's speed makes of it.
    assert!((numbers[0] / 2.0 - 1.0).abs() < NEAR, "{printed}");
    // A sleep of 0.5 ms ends with it, up to one slice.
    assert!((0.5..1.0).contains(&numbers[1]), "{printed}");
    let it = stats_of(&run, "it");
    // The sleep is a part of the activation, not its end.
    assert!(it.activations > 900 && it.worst_response_ns >= 500_000, "{it:?}");
    assert!(it.troubles.is_empty(), "{it:?}");
    println!("ACCEPT tempo-clocks: mean time step {:.6} ms of 2 ms", numbers[0]);
}

#[test]
fn a_statically_linked_program_is_rejected() {
    let folder = folder("static");
    std::fs::create_dir_all(&folder).unwrap();
    let (source, program) = (folder.join("static.c"), folder.join("static"));
    let (trace, main) = (folder.join("it_ran"), "int main(int n, char **a) { return !fopen(a[1], \"w\"); }\n");
    std::fs::write(&source, format!("#include <stdio.h>\n{main}")).unwrap();
    let built = Command::new("cc").args(["-static", "-o"]).arg(&program).arg(&source).status();
    assert!(built.is_ok_and(|s| s.success()), "a C compiler builds the test's program");
    let config = config(vec![unmodified(program.to_str().unwrap(), &[trace.to_str().unwrap()])], 0.5);
    let options = RunOptions { preload: Some(library()), ..RunOptions::default() };
    let error = run_with(&config, &options).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("statically linked"), "{error}");
    assert!(!trace.exists(), "it is rejected before it runs");
    // The program would have created the file.
    assert!(Command::new(&program).arg(&trace).status().unwrap().success() && trace.exists());
}
