// What the program writes into the page: docs/page.schema.json.

/** One number for each point of the grid, or one for all. */
export type Values = number | number[];

/** A curve; `lo` and `hi` where a point stands for several seconds. */
export interface Curve {
  mean: Values;
  lo?: Values;
  hi?: Values;
}

export interface Traffic {
  consumer: string;
  region: string;
  sent: Curve;
}

export interface Requests {
  consumer: string;
  started: Curve;
  retried: Curve;
  ended: Record<string, Curve>;
}

export const instanceStates = ['ready', 'starting', 'deprioritised', 'draining', 'crashed'] as const;
export type InstanceState = (typeof instanceStates)[number];

export type Backend = Record<InstanceState, Curve> & {
  entity: string;
  region: string;
  arrivals: Curve;
  failures: Curve;
  queue: Curve;
  queue_peak: Curve;
  recommended: Curve;
  billed: Curve;
};

export interface Latency {
  consumer: string;
  p50: (number | null)[];
  p90: (number | null)[];
  p99: (number | null)[];
  max: (number | null)[];
  heat: { step: number; first_row: number; bounds: number[]; columns: number[][] };
}

export interface Ribbon {
  group: string;
  kind: 'composite' | 'source' | 'endpoint' | 'route' | 'neg';
  entity: string;
  /** From when (microseconds), in which state ("": gone), by which event. */
  runs: [number, string, string][];
}

/** Id, microseconds, kind, entity, sentence, numbers, cause's row, change of a decision, its reason. */
export type EventRow = [
  string,
  number,
  number,
  number,
  string,
  string,
  number | null,
  ([number, number] | null)?,
  string?,
];

export interface Clock {
  ns: number | null;
  text: string;
  by: string;
  detail: string;
  basis: string;
}

export const clockNames = ['detect', 'aggregate', 'propagate', 'route', 'capacity'] as const;
export type ClockName = (typeof clockNames)[number];

export interface Failover {
  service: string;
  from: string;
  to: string;
  fault: { event: string; at_ns: number; end_ns: number | null; detail: string };
  clocks: Record<ClockName, Clock>;
  failover: { ns: number | null; text: string };
  failback: Clock;
  cost: { text: string; seconds: number; spent: Cost; usual: Cost | null };
}

export interface Cost {
  full_vcpu_milli: number;
  idle_minimum_vcpu_milli: number;
}

export interface Judgement {
  name: string;
  what: string;
  met: boolean;
  measured: string;
  at_ns: number | null;
  by: string;
}

export interface Summary {
  name: string;
  description: string;
  seed: number;
  exit_code: number;
  stopped: { at_ns: number; reason: string } | null;
  failovers: Failover[];
  judgements: Judgement[];
  requests: {
    started: number;
    in_flight: number;
    ended: Record<string, number>;
    latency_ns: Record<string, number | null>;
  };
  billing: {
    regions: { region: string; instance_milli: number; cost: Cost }[];
    consumers: { consumer: string; service: string; cost: Cost }[];
  };
  imbalances: string[];
  notes: string[];
}

export interface Fault {
  from_us: number;
  to_us: number | null;
  name: string;
  words: string;
  target: string;
  event: string;
}

export interface Page {
  /** Regions and reasons of all runs on a page, so that they have the same colours; not in the data. */
  regions?: string[];
  reasons?: string[];
  version: number;
  program: string;
  command: string;
  scenario: string;
  run: { end_us: number; warm_up_us: number; complete: boolean; unreached: string };
  summary: Summary;
  faults: Fault[];
  curves: {
    grid: { seconds: number; step: number; points: number };
    traffic: Traffic[];
    requests: Requests[];
    backends: Backend[];
    revisions: { entity: string; arrivals: Curve; failures: Curve }[];
    subscriptions: { consumer: string; load: number; backlog: Curve; oldest_age_s: Curve }[];
    latency: Latency[];
  };
  ribbons: Ribbon[];
  events: {
    all: number;
    shown: number;
    of_kinds: { kind: string; all: number; shown: number }[];
    kinds: string[];
    entities: string[];
    rows: EventRow[];
  };
}

/** What one run says to a row of a comparison. */
export interface ComparedValue {
  text: string;
  number: number | null;
  detail: string;
}

export interface ComparedRow {
  name: string;
  a: ComparedValue | null;
  b: ComparedValue | null;
  change: string;
  grade: 'same' | 'worse' | 'better' | 'differs';
}

export interface ComparedSection {
  kind: string;
  title: string;
  unit: string;
  differs: boolean;
  rows: ComparedRow[];
}

export interface ToldEvent {
  id: string;
  at_ns: number;
  entity: string;
  kind: string;
  sentence: string;
  numbers: string[];
  by_time: string;
}

export interface PartingSide {
  event: ToldEvent;
  later: boolean;
  causes: ToldEvent[];
}

export interface Parting {
  at_ns: number;
  a: PartingSide | null;
  b: PartingSide | null;
}

export interface RunOutline {
  label: string;
  name: string;
  seed: number;
  end_ns: number;
  complete: boolean;
  exit_code: number;
  met: number;
  expected: number;
}

export interface Comparison {
  a: RunOutline;
  b: RunOutline;
  same: boolean;
  headline: string[];
  notes: string[];
  sections: ComparedSection[];
  first_health: Parting | null;
  first_decision: Parting | null;
  first_event: Parting | null;
  scenario_changes: { path: string; change: 'only_a' | 'only_b' | 'changed'; a_text: string; b_text: string }[];
}

/** Two runs on one page. */
export interface ComparisonPage {
  comparison: Comparison;
  runs: [Page, Page];
}

/** A curve with a value for every point. */
export interface Expanded {
  mean: number[];
  lo?: number[];
  hi?: number[];
}

function list(x: Values, points: number): number[] {
  return typeof x === 'number' ? new Array<number>(points).fill(x) : x;
}

export function expand(x: Curve, points: number): Expanded {
  const mean = list(x.mean, points);
  return x.lo === undefined || x.hi === undefined
    ? { mean }
    : { mean, lo: list(x.lo, points), hi: list(x.hi, points) };
}

/**
 * Adds curves up. Of several the least and the greatest are bounds: they need not have been reached in
 * the same second.
 */
export function sum(curves: Expanded[], points: number): Expanded {
  const add = (get: (x: Expanded) => number[]) => {
    const result = new Array<number>(points).fill(0);
    for (const curve of curves)
      get(curve).forEach((x, i) => {
        result[i] = (result[i] ?? 0) + x;
      });
    return result;
  };
  const mean = add((x) => x.mean);
  return curves.some((x) => x.hi)
    ? { mean, lo: add((x) => x.lo ?? x.mean), hi: add((x) => x.hi ?? x.mean) }
    : { mean };
}

/** The rows of the chain from an event to what led to it, the event first. */
export function chainOf(rows: EventRow[], row: number): number[] {
  const result = [row];
  for (let next = rows[row]?.[6]; next != null && !result.includes(next); next = rows[next]?.[6])
    result.push(next);
  return result;
}

/** The rows whose text, entity, kind or id have all words of a question, whatever their case. */
export function search(events: Page['events'], question: string, kind: string): number[] {
  const words = question.toLowerCase().split(/\s+/).filter(Boolean);
  const result: number[] = [];
  events.rows.forEach((row, i) => {
    if (kind !== '' && events.kinds[row[2]] !== kind) return;
    if (words.length > 0) {
      const text =
        `${row[0]} ${events.kinds[row[2]]} ${events.entities[row[3]]} ${row[4]} ${row[5]} ${row[8] ?? ''}`.toLowerCase();
      if (!words.every((word) => text.includes(word))) return;
    }
    result.push(i);
  });
  return result;
}

/** The regions of a page, in an order that all its parts share. */
export function regionsOf(page: Page): string[] {
  if (page.regions) return page.regions;
  const all = new Set<string>();
  for (const x of page.curves.traffic) all.add(x.region);
  for (const x of page.curves.backends) all.add(x.region);
  return [...all].sort();
}

/** The state of a ribbon at a time in seconds, with the run that it belongs to. */
export function runAt(ribbon: Ribbon, seconds: number): number {
  let result = -1;
  for (let i = 0; i < ribbon.runs.length && (ribbon.runs[i]?.[0] ?? 0) <= seconds * 1e6; ++i) result = i;
  return result;
}

/** The ways to end without an answer that a page has, in an order that all its parts share. */
export function reasonsOf(page: Page): string[] {
  return page.reasons ?? [...new Set(page.curves.requests.flatMap((y) => Object.keys(y.ended)))].filter((y) => y !== 'ok');
}

/** What the page shows: one run, or two that are compared. */
export function readPage(): Page | ComparisonPage {
  const text = document.getElementById('data')?.textContent;
  if (!text) throw new Error('this page has no data in it: write it by "spillover report RUN"');
  return JSON.parse(text) as Page | ComparisonPage;
}
