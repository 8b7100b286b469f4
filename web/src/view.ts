import { useEffect, useState } from 'preact/hooks';

/** A value that others follow. */
export class Store<T> {
  private listeners = new Set<(x: T) => void>();

  constructor(private value: T) {}

  get(): T {
    return this.value;
  }

  set(x: T): void {
    if (Object.is(x, this.value)) return;
    this.value = x;
    for (const listener of [...this.listeners]) listener(x);
  }

  follow(listener: (x: T) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}

export function useStore<T>(store: Store<T>): T {
  const [value, set] = useState(store.get());
  useEffect(() => {
    set(store.get());
    return store.follow(set);
  }, [store]);
  return value;
}

/** What all plots show, in seconds. */
export interface Range {
  from: number;
  to: number;
}

/** Closer than this nothing is left to see. */
export const leastSpan = 0.2;

/** The range moved, and if need be widened or narrowed, until it lies within the whole. */
export function clamp(x: Range, whole: Range): Range {
  const span = Math.min(Math.max(x.to - x.from, leastSpan), whole.to - whole.from);
  const middle = (x.from + x.to) / 2;
  const from = Math.min(Math.max(middle - span / 2, whole.from), whole.to - span);
  return { from, to: from + span };
}

/** The range made smaller (factor below 1) or larger; `at` stays where it is. */
export function zoomed(x: Range, factor: number, at: number, whole: Range): Range {
  const span = Math.max((x.to - x.from) * factor, leastSpan);
  const share = (at - x.from) / (x.to - x.from);
  return clamp({ from: at - span * share, to: at + span * (1 - share) }, whole);
}

/** The range moved by a share of what it shows. */
export function panned(x: Range, share: number, whole: Range): Range {
  const by = (x.to - x.from) * share;
  return clamp({ from: x.from + by, to: x.to + by }, whole);
}

/** What a plot reaches on its vertical axis within a range of time. */
export type Reach = (range: Range) => [number, number];

/** A vertical axis of several plots: each shows what the widest of them needs. */
export class Axis {
  private readonly plots = new Set<Reach>();
  /** Counts what changed which plots there are. */
  readonly changes = new Store(0);

  /** @returns what takes the plot away again. */
  add(x: Reach): () => void {
    this.plots.add(x);
    this.changes.set(this.changes.get() + 1);
    return () => {
      this.plots.delete(x);
      this.changes.set(this.changes.get() + 1);
    };
  }

  reach(range: Range): [number, number] {
    const all = [...this.plots].map((x) => x(range));
    return [Math.min(...all.map((x) => x[0])), Math.max(...all.map((x) => x[1]))];
  }
}

/** What the plots of a page share: the range that they show, and the instant that they point at. */
export class View {
  readonly range: Store<Range>;
  readonly cursor = new Store<number | null>(null);
  /** Counts changes of colours and of the medium, after which everything is drawn again. */
  readonly look = new Store(0);
  readonly printing = new Store(false);
  /** The event that the table should show. */
  readonly wanted = new Store<{ id: string } | null>(null);
  /** Vertical axes that plots of several runs share, by name. */
  private readonly axes = new Map<string, Axis>();
  /** What is chosen beside plots, by the plot: the same for all runs of a page. */
  private readonly choices = new Map<string, Store<string>>();

  /**
   * @param whole the run
   * @param known ids of the events that have a row in the table of events
   */
  constructor(
    readonly whole: Range,
    readonly known: ReadonlySet<string> = new Set(),
  ) {
    this.range = new Store(whole);
  }

  axis(name: string): Axis {
    let result = this.axes.get(name);
    if (!result) this.axes.set(name, (result = new Axis()));
    return result;
  }

  choice(plot: string): Store<string> {
    let result = this.choices.get(plot);
    if (!result) this.choices.set(plot, (result = new Store('')));
    return result;
  }

  show(x: Range): void {
    this.range.set(clamp(x, this.whole));
  }

  zoom(factor: number, at = (this.range.get().from + this.range.get().to) / 2): void {
    this.range.set(zoomed(this.range.get(), factor, at, this.whole));
  }

  pan(share: number): void {
    this.range.set(panned(this.range.get(), share, this.whole));
  }

  reset(): void {
    this.range.set(this.whole);
  }
}
