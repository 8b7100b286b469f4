import uPlot from 'uplot';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Fault } from './data';
import { decimalsFor, shortText, timeText } from './format';
import { followFingers, followWheel, takeKey } from './input';
import { lastPoint, Legend, Table } from './numbers';
import type { Layer, PlotProps, Tip } from './plot_props';
import { decades } from './scale';
import { color } from './theme';
import type { Range } from './view';

const font = '12px system-ui, sans-serif';

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

/** What a plot needs of its vertical axis: its bounds, or from 0 to the greatest value of the range. */
function reachOf(props: PlotProps, range: Range): [number, number] {
  if (props.bounds) return props.bounds;
  const tops = props.stacked ? stack(props.layers).slice(-1) : props.layers.map((x) => x.hi ?? x.values);
  const last = lastPoint(props.x, range.to);
  let most = 0;
  for (let i = Math.max(lastPoint(props.x, range.from), 0); i <= last; ++i) for (const values of tops) most = Math.max(most, values[i] ?? 0);
  return [0, most > 0 ? most * 1.08 : 1];
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
          if (props.side && !props.rows) return view.axis(props.id).reach(view.range.get());
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

/** The id of a plot's element; those of several runs differ. */
function idOf(props: PlotProps): string {
  return props.side ? `${props.side.toLowerCase()}-${props.id}` : props.id;
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
    const leave = latest.current.side ? view.axis(latest.current.id).add((range) => reachOf(latest.current, range)) : () => undefined;
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
    const rescale = () => {
      const { from, to } = view.range.get();
      plot.current?.setScale('x', { min: from, max: to });
    };
    const observer = new ResizeObserver(resize);
    observer.observe(element);
    const ends = [
      () => observer.disconnect(),
      leave,
      view.axis(latest.current.id).changes.follow(rescale),
      view.range.follow(rescale),
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
  const title = props.side ? `${props.side}: ${props.title}` : props.title;
  return (
    <figure id={idOf(props)} class="plot">
      <figcaption>
        <h3>{title}</h3>
        <p class="muted">{props.summary}</p>
        {props.children}
        {props.layers.length > 0 && <Legend {...props} />}
      </figcaption>
      <div
        class="canvas"
        tabIndex={0}
        role="group"
        aria-roledescription="plot"
        aria-label={`${title}. ${props.summary}`}
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
      <Table {...props} title={title} />
    </figure>
  );
}
