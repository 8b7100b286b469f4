import uPlot from 'uplot';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { ComponentChildren } from 'preact';
import type { Fault } from './data';
import { decimalsFor, shortText, timeText } from './format';
import { color } from './theme';
import { useStore, type View } from './view';

/** One curve of a plot. */
export interface Layer {
  label: string;
  /** A custom property of the style sheet. */
  color: string;
  values: (number | null)[];
  lo?: number[];
  hi?: number[];
  dash?: number[];
  width?: number;
}

/** What a plot says of the place that is pointed at. */
export interface Tip {
  title: string;
  lines: string[];
  event?: string;
}

export interface PlotProps {
  view: View;
  id: string;
  title: string;
  /** What there is to see, in a sentence; for those who cannot see it, too. */
  summary: string;
  /** Beginnings of the points, in seconds. */
  x: number[];
  layers: Layer[];
  stacked?: boolean;
  /** Values hold until the next point. */
  stepped?: boolean;
  log?: boolean;
  height: number;
  faults: Fault[];
  warmUp: number;
  /** Bounds of the vertical axis; by default from 0 to what is shown. */
  bounds?: [number, number];
  valueText?: (x: number) => string;
  /** Draws below the curves. */
  under?: (u: uPlot) => void;
  /** Draws above the curves. */
  over?: (u: uPlot) => void;
  /** Labels of rows, instead of the numbers of a vertical axis. */
  rows?: boolean;
  tip?: (u: uPlot, left: number, top: number) => Tip | null;
  /** Instants, in seconds, to which the keys n and p go, each with what is said of it. */
  stops?: { at: number; tip: Tip }[];
  /** The table for those who cannot see the plot; by default the values of the curves. */
  table?: (from: number, to: number) => { head: string[]; rows: string[][] };
  children?: ComponentChildren;
}

const font = '12px system-ui, sans-serif';

function lastPoint(x: number[], at: number): number {
  let low = 0;
  let high = x.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((x[middle] ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** What the curves of a stack reach, from its lowest layer up. */
function stack(layers: Layer[]): (number | null)[][] {
  const result: (number | null)[][] = [];
  layers.forEach((layer, i) => {
    result.push(layer.values.map((x, j) => (x ?? 0) + (i > 0 ? (result[i - 1]?.[j] ?? 0) : 0)));
  });
  return result;
}

/** Shades the warm-up and the faults. */
function shade(u: uPlot, faults: Fault[], warmUp: number, end: number): void {
  const { ctx } = u;
  const { left, top, width, height } = u.bbox;
  const ratio = uPlot.pxRatio;
  const bar = (from: number, to: number, fill: string, edge: string) => {
    const x0 = Math.max(u.valToPos(from, 'x', true), left);
    const x1 = Math.min(u.valToPos(to, 'x', true), left + width);
    if (x1 <= left || x0 >= left + width) return;
    ctx.globalAlpha = 0.13;
    ctx.fillStyle = fill;
    ctx.fillRect(x0, top, Math.max(x1 - x0, ratio), height);
    ctx.globalAlpha = 0.8;
    ctx.fillStyle = edge;
    for (const x of [u.valToPos(from, 'x', true), u.valToPos(to, 'x', true)])
      if (x >= left && x <= left + width) ctx.fillRect(Math.round(x), top, ratio, height);
    ctx.globalAlpha = 1;
  };
  ctx.save();
  if (warmUp > 0) bar(0, warmUp, color('--warm-up'), color('--grid'));
  for (const x of faults) bar(x.from_us / 1e6, (x.to_us ?? end * 1e6) / 1e6, color('--fault'), color('--fault'));
  ctx.restore();
}

function series(props: PlotProps): { data: (number | null)[][]; series: uPlot.Series[]; bands: uPlot.Band[] } {
  const data: (number | null)[][] = [props.x];
  const list: uPlot.Series[] = [{}];
  const bands: uPlot.Band[] = [];
  const paths = props.stepped ? uPlot.paths.stepped?.({ align: 1 }) : uPlot.paths.linear?.();
  if (props.stacked) {
    const sums = stack(props.layers);
    // The highest first: each of the lower ones is drawn over it.
    for (let i = props.layers.length - 1; i >= 0; --i) {
      const layer = props.layers[i];
      const values = sums[i];
      if (!layer || !values) continue;
      data.push(values);
      // The stroke keeps what lasts less than a pixel from fading away.
      const paint = () => color(layer.color);
      list.push({ scale: 'y', paths, fill: paint, stroke: paint, width: 1, points: { show: false } });
    }
    return { data, series: list, bands };
  }
  for (const layer of props.layers) {
    if (layer.lo && layer.hi) {
      data.push(layer.hi, layer.lo);
      list.push({ scale: 'y', paths, width: 0, points: { show: false } });
      list.push({ scale: 'y', paths, width: 0, points: { show: false } });
      bands.push({ series: [data.length - 2, data.length - 1], fill: () => `${color(layer.color)}44` });
    }
    data.push(layer.values);
    list.push({
      scale: 'y',
      paths,
      stroke: () => color(layer.color),
      width: layer.width ?? 1.75,
      dash: layer.dash,
      points: { show: false },
    });
  }
  return { data, series: list, bands };
}

/** 1, 2, 5, 10 and so on, as far as they lie within bounds; of many decades 1 and 10 only. */
export function decades(min: number, max: number): number[] {
  const result: number[] = [];
  const steps = max / min > 2000 ? [1] : max / min > 100 ? [1, 3] : [1, 2, 5];
  for (let power = 10 ** Math.floor(Math.log10(min)); power <= max; power *= 10)
    for (const step of steps) if (step * power >= min && step * power <= max) result.push(step * power);
  return result;
}

function axes(props: PlotProps, narrow: boolean): uPlot.Axis[] {
  const text = props.valueText ?? shortText;
  const look = {
    stroke: () => color('--muted'),
    font,
    grid: { stroke: () => color('--grid'), width: 1 },
    ticks: { stroke: () => color('--grid'), width: 1, size: 4 },
  };
  return [
    {
      ...look,
      size: 26,
      space: 70,
      incrs: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21600, 86400],
      values: (u, splits) => {
        const { min = 0, max = 1 } = u.scales.x ?? {};
        return splits.map((x) => timeText(x, decimalsFor((max ?? 1) - (min ?? 0))));
      },
    },
    {
      ...look,
      size: narrow ? (props.rows ? 66 : 52) : 76,
      scale: 'y',
      ...(props.rows
        ? { values: () => [], splits: () => [], grid: { show: false }, ticks: { show: false } }
        : { values: (_: uPlot, splits: (number | null)[]) => splits.map((x) => (x == null ? '' : text(x))) }),
      ...(props.log
        ? {
            splits: (_: uPlot, __: number, min: number, max: number) => decades(min, max),
            // By default only powers of ten would be named.
            filter: (_: uPlot, splits: number[]) => splits,
          }
        : {}),
    },
  ];
}

function options(props: PlotProps, width: number, narrow: boolean, hooks: uPlot.Hooks.Arrays): uPlot.Options {
  const { view } = props;
  const made = series(props);
  return {
    width,
    height: props.height,
    legend: { show: false },
    padding: [6, 24, 0, 0],
    series: made.series,
    bands: made.bands,
    axes: axes(props, narrow),
    scales: {
      x: { time: false, range: () => [view.range.get().from, view.range.get().to] },
      y: {
        distr: props.log ? 3 : 1,
        range: (_, __, max) => {
          if (props.bounds) return props.bounds;
          return [0, max > 0 ? max * 1.08 : 1];
        },
      },
    },
    cursor: {
      y: false,
      points: { show: false },
      drag: { x: true, y: false, setScale: false },
      bind: {
        dblclick: () => () => {
          view.reset();
          return null;
        },
      },
    },
    hooks,
  };
}

/** Fingers pan, two of them zoom; the page still scrolls up and down. */
function followFingers(over: HTMLElement, view: View): void {
  const fingers = new Map<number, number>();
  over.addEventListener('pointerdown', (e) => {
    if (e.pointerType === 'touch') fingers.set(e.pointerId, e.clientX);
  });
  over.addEventListener('pointermove', (e) => {
    const before = fingers.get(e.pointerId);
    if (before === undefined) return;
    const { from, to } = view.range.get();
    const perPixel = (to - from) / Math.max(over.clientWidth, 1);
    if (fingers.size === 1) {
      view.show({ from: from - (e.clientX - before) * perPixel, to: to - (e.clientX - before) * perPixel });
    } else {
      const other = [...fingers].find(([id]) => id !== e.pointerId)?.[1] ?? before;
      const was = Math.max(Math.abs(before - other), 10);
      const is = Math.max(Math.abs(e.clientX - other), 10);
      view.zoom(was / is, from + (other - over.getBoundingClientRect().left) * perPixel);
    }
    fingers.set(e.pointerId, e.clientX);
  });
  for (const end of ['pointerup', 'pointercancel', 'pointerleave'])
    over.addEventListener(end, (e) => fingers.delete((e as PointerEvent).pointerId));
}

function followWheel(over: HTMLElement, view: View): void {
  over.addEventListener(
    'wheel',
    (e) => {
      if (e.ctrlKey) {
        const { from, to } = view.range.get();
        const share = (e.clientX - over.getBoundingClientRect().left) / Math.max(over.clientWidth, 1);
        view.zoom(e.deltaY > 0 ? 1.25 : 0.8, from + (to - from) * share);
      } else if (e.shiftKey) {
        view.pan((e.deltaY || e.deltaX) > 0 ? 0.1 : -0.1);
      } else {
        return;
      }
      e.preventDefault();
    },
    { passive: false },
  );
}

/** @returns whether the key meant something to the plot. */
function takeKey(key: string, shift: boolean, props: PlotProps, tell: (x: Tip | null) => void): boolean {
  const { view } = props;
  const { from, to } = view.range.get();
  const at = view.cursor.get() ?? (from + to) / 2;
  const go = (x: number) => {
    const bounded = Math.min(Math.max(x, view.whole.from), view.whole.to);
    if (bounded < from || bounded > to) view.pan((bounded < from ? bounded - from : bounded - to) / (to - from));
    view.cursor.set(bounded);
  };
  const stop = (forward: boolean) => {
    const stops = props.stops ?? [];
    const found = forward ? stops.find((x) => x.at > at + 1e-6) : [...stops].reverse().find((x) => x.at < at - 1e-6);
    if (!found) return;
    go(found.at);
    tell(found.tip);
  };
  switch (key) {
    case 'ArrowLeft':
    case 'ArrowRight': {
      const sign = key === 'ArrowLeft' ? -1 : 1;
      if (shift) view.pan(sign * 0.2);
      else {
        tell(null);
        go(at + (sign * (to - from)) / 100);
      }
      return true;
    }
    case '+':
    case '=':
      view.zoom(0.5, at);
      return true;
    case '-':
      view.zoom(2, at);
      return true;
    case '0':
    case 'Home':
      view.reset();
      return true;
    case 'n':
      stop(true);
      return true;
    case 'p':
      stop(false);
      return true;
    case 'Escape':
      tell(null);
      view.cursor.set(null);
      return true;
    default:
      return false;
  }
}

function valuesTable(props: PlotProps, from: number, to: number): { head: string[]; rows: string[][] } {
  const first = Math.max(lastPoint(props.x, from), 0);
  const last = Math.max(lastPoint(props.x, to - 1e-9), first);
  const text = props.valueText ?? shortText;
  const step = Math.max(Math.ceil((last - first + 1) / 30), 1);
  const rows: string[][] = [];
  for (let i = first; i <= last; i += step)
    rows.push([
      timeText(props.x[i] ?? 0),
      ...props.layers.map((layer) => {
        const x = layer.values[i];
        return x == null ? '–' : text(x);
      }),
    ]);
  return { head: ['at', ...props.layers.map((x) => x.label)], rows };
}

/** The numbers of a plot, made when somebody opens them. */
function Table(props: PlotProps) {
  const [open, setOpen] = useState(false);
  const range = useStore(props.view.range);
  const { head, rows } = open
    ? (props.table ?? ((from, to) => valuesTable(props, from, to)))(range.from, range.to)
    : { head: [], rows: [] };
  return (
    <details class="numbers" onToggle={(e) => setOpen((e.currentTarget as HTMLDetailsElement).open)}>
      <summary>
        As a table<span class="hidden"> of {props.title}</span>
      </summary>
      {open && (
        <div class="scroll" tabIndex={0} role="region" aria-label={`${props.title} as a table`}>
          <table>
            <thead>
              <tr>
                {head.map((x) => (
                  <th scope="col">{x}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <tr>
                  {row.map((x) => (
                    <td>{x}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </details>
  );
}

/** The layers' names with their values where the cursor is, or else the greatest ones shown. */
function Legend(props: PlotProps) {
  const at = useStore(props.view.cursor);
  const range = useStore(props.view.range);
  const text = props.valueText ?? shortText;
  const point = at === null ? -1 : lastPoint(props.x, at);
  const greatest = (layer: Layer) => {
    let result: number | null = null;
    const values = layer.hi ?? layer.values;
    const last = lastPoint(props.x, range.to);
    for (let i = Math.max(lastPoint(props.x, range.from), 0); i <= last; ++i) {
      const x = values[i];
      if (x != null && (result === null || x > result)) result = x;
    }
    return result;
  };
  const total = props.layers.reduce((result, x) => result + (x.values[point] ?? 0), 0);
  return (
    <ul class="legend">
      <li class="at">{at === null ? 'greatest' : `at ${timeText(at, decimalsFor(range.to - range.from))}`}</li>
      {props.layers.map((layer) => {
        const x = point < 0 ? greatest(layer) : (layer.values[point] ?? null);
        const lo = layer.lo?.[point];
        const hi = layer.hi?.[point];
        return (
          <li key={layer.label}>
            <span class={layer.dash ? 'swatch dashed' : 'swatch'} style={{ '--of': `var(${layer.color})` }} />
            {layer.label} <b>{x === null ? '–' : text(x)}</b>
            {lo !== undefined && hi !== undefined && hi > lo && (
              <span class="muted">
                {' '}
                ({text(lo)} to {text(hi)})
              </span>
            )}
            {props.stacked && point >= 0 && total > 0 && x !== null && props.layers.length > 1 && (
              <span class="muted"> {Math.round((x / total) * 100)} %</span>
            )}
          </li>
        );
      })}
    </ul>
  );
}

/** A plot over time that shares its range and its cursor with all others. */
export function Plot(props: PlotProps) {
  const { view } = props;
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const pointed = useRef(false);
  const [tip, setTip] = useState<{ what: Tip; left: number } | null>(null);
  const latest = useRef(props);
  latest.current = props;
  const layers = useMemo(() => props.layers.map((x) => x.label).join(), [props.layers]);

  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const width = () => (view.printing.get() ? 660 : Math.max(element.clientWidth, 120));
    const narrow = () => width() < 560;
    let wasNarrow = narrow();
    const hooks: uPlot.Hooks.Arrays = {
      drawAxes: [(u) => latest.current.under?.(u)],
      draw: [
        (u) => {
          const now = latest.current;
          now.over?.(u);
          shade(u, now.faults, now.warmUp, view.whole.to);
        },
      ],
      setSelect: [
        (u) => {
          if (u.select.width < 4) return;
          view.show({ from: u.posToVal(u.select.left, 'x'), to: u.posToVal(u.select.left + u.select.width, 'x') });
          u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
        },
      ],
      setCursor: [
        (u) => {
          if (!pointed.current) return;
          const { left = -1, top = -1 } = u.cursor;
          if (left < 0) return;
          view.cursor.set(u.posToVal(left, 'x'));
          const what = latest.current.tip?.(u, left, top) ?? null;
          setTip(what && { what, left: left + u.over.offsetLeft });
        },
      ],
    };
    const make = () => {
      plot.current?.destroy();
      const u = new uPlot(options(latest.current, width(), narrow(), hooks), series(latest.current).data as uPlot.AlignedData, element);
      u.root.setAttribute('aria-hidden', 'true');
      u.over.addEventListener('mouseenter', () => (pointed.current = true));
      u.over.addEventListener('mouseleave', () => {
        pointed.current = false;
        view.cursor.set(null);
        setTip(null);
      });
      followFingers(u.over, view);
      followWheel(u.over, view);
      plot.current = u;
    };
    make();
    const resize = () => {
      if (narrow() !== wasNarrow) {
        wasNarrow = narrow();
        make();
      } else if (plot.current && plot.current.width !== width()) {
        plot.current.setSize({ width: width(), height: latest.current.height });
      }
    };
    const observer = new ResizeObserver(resize);
    observer.observe(element);
    const ends = [
      () => observer.disconnect(),
      view.range.follow((x) => plot.current?.setScale('x', { min: x.from, max: x.to })),
      view.look.follow(() => {
        resize();
        plot.current?.redraw(false, true);
      }),
      view.cursor.follow((x) => {
        const u = plot.current;
        if (!u || pointed.current) return;
        u.setCursor({ left: x === null ? -10 : u.valToPos(x, 'x'), top: x === null ? -10 : 1 }, false);
      }),
    ];
    return () => {
      for (const end of ends) end();
      plot.current?.destroy();
      plot.current = null;
    };
    // What is drawn anew by itself: `under`, `over` and `tip`.
  }, [view, props.x, layers, props.layers, props.height]);

  const tell = (what: Tip | null) => {
    const u = plot.current;
    const at = view.cursor.get();
    setTip(what && u && at !== null ? { what, left: u.valToPos(at, 'x') + u.over.offsetLeft } : null);
  };
  const width = box.current?.clientWidth ?? 600;
  return (
    <figure id={props.id} class="plot">
      <figcaption>
        <h3>{props.title}</h3>
        <p class="muted">{props.summary}</p>
        {props.children}
        {props.layers.length > 0 && <Legend {...props} />}
      </figcaption>
      <div
        class="canvas"
        tabIndex={0}
        role="group"
        aria-roledescription="plot"
        aria-label={`${props.title}. ${props.summary}`}
        aria-describedby="keys"
        onKeyDown={(e) => {
          if (!e.ctrlKey && !e.metaKey && !e.altKey && takeKey(e.key, e.shiftKey, props, tell)) e.preventDefault();
        }}
        onBlur={() => setTip(null)}
      >
        <div ref={box} style={{ minHeight: `${props.height}px` }} />
        <div aria-live="polite" class="tips">
          {tip && (
            <div class="tip" style={{ left: `${Math.max(Math.min(tip.left + 12, width - 300), 0)}px` }}>
              <b>{tip.what.title}</b>
              {tip.what.lines.map((x) => (
                <div>{x}</div>
              ))}
              {tip.what.event && <div class="muted">{tip.what.event}</div>}
            </div>
          )}
        </div>
      </div>
      <Table {...props} />
    </figure>
  );
}
