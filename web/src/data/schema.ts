// The data of the page. Mirrors crates/report/src/data.rs and its modules, where every field is documented.

/** A number that may be non-finite. */
export type Real = number | "nan" | "inf" | "-inf";
/** An array as text, see pack.ts. */
export type Packed = string;

export const VERDICTS = ["accepted", "rejected", "cannot_tell", "not_expressible", "too_slow", "failed"] as const;
export type Verdict = (typeof VERDICTS)[number];

export const STANDINGS = ["passed", "failed", "error", "skipped"] as const;
export type Standing = (typeof STANDINGS)[number];

/** A whole report, as in `report.json`. */
export interface ReportData {
  schema: number;
  title: string;
  provenance: Provenance;
  outcome: Outcome;
  engines: Engine[];
  scenarios: Scenario[];
}

export interface Outcome {
  as_expected: boolean;
  headline: string;
  summary: string;
}

/** What the page reads first; each scenario is inflated when it is opened. Mirrors crates/report/src/index.rs. */
export interface Index {
  schema: number;
  title: string;
  provenance: Provenance;
  outcome: Outcome;
  engines: Engine[];
  specs: string[];
  headings: Heading[];
}

/** A scenario's line. */
export interface Heading {
  name: string;
  title: string;
  finding: AuditFinding["severity"] | null;
  answer: string | null;
  metrics: string[];
  trials: TrialHead[];
}

/** What the tables of verdicts need of a trial. */
export interface TrialHead {
  spec: string;
  step_s: number | null;
  verdict: Verdict;
  expected: Verdict[];
  standing: Standing | null;
}

export interface Provenance {
  when: string;
  version: string;
  commit: string | null;
  command: string | null;
  machine: Fact[];
}

export interface Fact {
  name: string;
  value: string;
}

export interface Engine {
  name: string;
  version: string;
  about: string;
  present: boolean;
  specs: string[];
  capabilities: Fact[];
  missing: { feature: string; hint: string }[];
  how_to_get: string | null;
}

export interface Scenario {
  /** Its place in the report, set when it is read. */
  at: number;
  name: string;
  title: string;
  about: string;
  source: { file: string; text: string } | null;
  reference: { kind: string; about: string; own_error: string | null } | null;
  audit: AuditFinding[];
  /** Absent in reports of earlier versions. */
  answer?: string[];
  trials: Trial[];
  leaderboard: Leaderboard | null;
  /** Absent in reports of earlier versions, as are the next two. */
  range?: RangePlace[];
  maps?: VerdictMap[];
  boundaries?: string[];
  errors: ErrorOverTime[];
  speed: SpeedAgainstAccuracy[];
  convergence: Convergence[];
  /** Absent in reports of earlier versions, as is the next. */
  signals?: Signal[];
  signals_left_out?: string[];
  replay: Replay | null;
}

/** A recorded number over time; the kind is the text before the first `/` of its name. */
export interface Signal {
  name: string;
  unit: string;
  curves: { trial: number; time_s: Packed; value: Packed }[];
  reference: { time_s: Packed; value: Packed } | null;
}

export interface Leaderboard {
  metric: string;
  places: { rank: number | null; trial: number; check: number | null }[];
}

/** One engine spec at one step, over all variations of a study. */
export interface RangePlace {
  rank: number;
  spec: string;
  step_s: number;
  accepted: number;
  trials: number;
  /** The largest error as a fraction of its bound. */
  worst_of_bound: number | null;
  worst_at: string;
  cpu_per_simulated_s: number | null;
}

/** Verdicts over two varied dimensions. */
export interface VerdictMap {
  fixed: Fact[];
  columns: MapSide;
  rows: MapSide;
  cells: MapCell[][];
  /** Boundaries of acceptance; a column of 1.5 is half way between the values of columns 1 and 2. */
  ends: { row: number; column: number; text: string }[];
}

export interface MapSide {
  name: string;
  unit: string;
  labels: string[];
}

export interface MapCell {
  verdict: Verdict | null;
  accepted: number;
  count: number;
  trial: number | null;
}

export interface AuditFinding {
  severity: "error" | "warning" | "note";
  code: string;
  text: string;
  place: string | null;
}

export interface Trial extends TrialHead {
  /** Its place in the scenario, set when it is read. */
  at: number;
  reason: string;
  expected_reason: string | null;
  checks: Check[];
  cost: { cpu_s: number; steps: number; real_time_factor: number } | null;
  digest: string | null;
}

export interface Check {
  metric: string;
  value: Real;
  uncertainty: Real | null;
  bound: Bound | null;
  unit: string;
  outcome: "held" | "broken" | "undecided" | "shown";
  reason: string;
}

export interface Bound {
  value: Real;
  side: "at_most" | "at_least";
  reason: string;
}

export interface ErrorOverTime {
  metric: string;
  unit: string;
  bound: Bound | null;
  log: boolean;
  curves: { trial: number; time_s: Packed; value: Packed }[];
}

export interface SpeedAgainstAccuracy {
  metric: string;
  unit: string;
  bound: Bound | null;
  points: { trial: number; cpu_per_simulated: number; error: Real; uncertainty: Real | null }[];
}

export interface Convergence {
  metric: string;
  unit: string;
  bound: Bound | null;
  lines: ConvergenceLine[];
}

export interface ConvergenceLine {
  spec: string;
  points: { trial: number | null; step_s: number; error: Real }[];
  fit: Fit | null;
}

export interface Fit {
  order: number;
  uncertainty: number | null;
  expected: number | null;
  factor: number;
  from_step_s: number;
  to_step_s: number;
}

export interface Replay {
  duration_s: number;
  position_step_m: number;
  rotation_step: number;
  /** Absent in reports of earlier versions, as is the next and `contacts`. */
  force_step_n?: number;
  contact_points?: number;
  bodies: Body[];
  tracks: { trial: number | null; time_s: Packed; poses: Packed; contacts?: Packed }[];
}

export interface Body {
  name: string;
  fixed: boolean;
  shapes: { body_from_shape: Pose; geometry: Geometry }[];
}

export interface Pose {
  position_m: [number, number, number];
  rotation_wxyz: [number, number, number, number];
}

export type Geometry =
  | { kind: "box"; size_m: [number, number, number] }
  | { kind: "sphere"; radius_m: number }
  | { kind: "ellipsoid"; radii_m: [number, number, number] }
  | { kind: "cylinder"; radius_m: number; length_m: number }
  | { kind: "capsule"; radius_m: number; length_m: number }
  | { kind: "plane" }
  | { kind: "mesh"; vertices_m: Packed; triangles: Packed };
