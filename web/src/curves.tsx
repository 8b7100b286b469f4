import type uPlot from 'uplot';
import { useMemo } from 'preact/hooks';
import { expand, instanceStates, reasonsOf, regionsOf, sum, type Backend, type EventRow, type Latency, type Page } from './data';
import { instantText, latencyText, shortText, words } from './format';
import { heat } from './heat';
import { Plot } from './plot';
import type { Layer, Tip } from './plot_props';
import { color, regionColor } from './theme';
import { useStore, type View } from './view';

export interface Props {
  page: Page;
  view: View;
  /** Of several runs on a page the one that this is of. */
  side?: string;
}

function usePoints(page: Page): number[] {
  const { step, points } = page.curves.grid;
  return useMemo(() => Array.from({ length: points }, (_, i) => i * step), [step, points]);
}

function common({ page, view, side }: Props) {
  return { view, side, faults: page.faults, warmUp: page.run.warm_up_us / 1e6 };
}

function Choice(props: { label: string; all: string[]; value: string; change: (x: string) => void }) {
  if (props.all.length < 2) return null;
  return (
    <label class="choice">
      {props.label}{' '}
      <select value={props.value} onChange={(e) => props.change(e.currentTarget.value)}>
        {props.all.map((x) => (
          <option value={x}>{x === '' ? 'all' : x}</option>
        ))}
      </select>
    </label>
  );
}

/** What is chosen beside a plot, of what its run has, and what chooses for all runs of the page. */
function useChoice({ view }: Props, plot: string, all: string[]): [string, (x: string) => void] {
  const store = view.choice(plot);
  const chosen = useStore(store);
  return [all.includes(chosen) ? chosen : (all[0] ?? ''), (x) => store.set(x)];
}

/** The consumers of a page; "", all of them, first where there are several. */
function choices(names: string[]): string[] {
  const all = [...new Set(names)].sort();
  return all.length > 1 ? ['', ...all] : all;
}

export function TrafficPlot(props: Props) {
  const { page } = props;
  const x = usePoints(page);
  const consumers = useMemo(() => choices(page.curves.traffic.map((y) => y.consumer)), [page]);
  const [consumer, setConsumer] = useChoice(props, 'traffic', consumers);
  const regions = useMemo(() => regionsOf(page), [page]);
  const layers = useMemo(
    () =>
      regions.map((region): Layer => {
        const of = page.curves.traffic.filter((y) => y.region === region && (consumer === '' || y.consumer === consumer));
        const total = sum(of.map((y) => expand(y.sent, x.length)), x.length);
        return { label: region, color: regionColor(regions, region), values: total.mean, lo: total.lo, hi: total.hi };
      }),
    [page, consumer, x],
  );
  return (
    <Plot
      {...common(props)}
      id="traffic"
      title="Traffic by region"
      summary="Tries a second that load balancers send to each region, one upon the other; the share of each beside its rate."
      x={x}
      layers={layers}
      stacked
      shares
      stepped
      height={200}
      valueText={(y) => `${shortText(y)}/s`}
    >
      <Choice label="Consumer" all={consumers} value={consumer} change={setConsumer} />
    </Plot>
  );
}

const stateColors = {
  ready: '--ready',
  starting: '--starting',
  deprioritised: '--deprioritised',
  draining: '--draining',
  crashed: '--crashed',
};

interface Decision {
  at: number;
  change: [number, number];
  tip: Tip;
}

/** What an autoscaler decided of a backend service or one of its revisions. */
function decisionsOf(page: Page, entity: string): Decision[] {
  const result: Decision[] = [];
  page.events.rows.forEach((row: EventRow) => {
    const of = page.events.entities[row[3]] ?? '';
    if (!row[7] || (of !== entity && !of.startsWith(`${entity}/`))) return;
    const lines = row[5].split('\n').filter(Boolean);
    if (row[8]) lines.push(`answers to ${row[8]}`);
    result.push({
      at: row[1] / 1e6,
      change: row[7],
      tip: { title: `${instantText(row[1])}: ${row[4]}`, lines, event: row[0] },
    });
  });
  return result;
}

const markSize = 6;

function drawDecisions(u: uPlot, all: Decision[]): void {
  const { ctx, bbox } = u;
  const ratio = window.devicePixelRatio || 1;
  const size = markSize * ratio;
  ctx.save();
  ctx.fillStyle = color('--text');
  for (const x of all) {
    if (x.change[0] === x.change[1]) continue;
    const left = u.valToPos(x.at, 'x', true);
    if (left < bbox.left || left > bbox.left + bbox.width) continue;
    const up = x.change[1] > x.change[0];
    const base = bbox.top + (up ? size * 1.4 : size * 0.4);
    ctx.beginPath();
    ctx.moveTo(left - size / 1.5, base);
    ctx.lineTo(left + size / 1.5, base);
    ctx.lineTo(left, up ? base - size : base + size);
    ctx.fill();
  }
  ctx.restore();
}

/** The decision whose mark is pointed at, or, further down, the last one before. */
function decisionAt(u: uPlot, all: Decision[], left: number, top: number): Tip | null {
  let best: Decision | null = null;
  let distance = markSize * 1.5;
  for (const x of all) {
    const away = Math.abs(u.valToPos(x.at, 'x') - left);
    if (away <= distance && (x.change[0] !== x.change[1] || top < 20)) {
      best = x;
      distance = away;
    }
  }
  return best?.tip ?? null;
}

export function InstancesPlot(props: Props & { backend: Backend }) {
  const { page, backend } = props;
  const x = usePoints(page);
  const layers = useMemo(
    () =>
      instanceStates
        .map((state): Layer => {
          const curve = expand(backend[state], x.length);
          return { label: state, color: stateColors[state], values: curve.mean, lo: curve.lo, hi: curve.hi };
        })
        .filter((y) => y.label === 'ready' || (y.hi ?? y.values).some((n) => (n ?? 0) > 0)),
    [backend, x],
  );
  const decisions = useMemo(() => decisionsOf(page, backend.entity), [page, backend]);
  const stops = useMemo(() => decisions.filter((y) => y.change[0] !== y.change[1]), [decisions]);
  return (
    <Plot
      {...common(props)}
      id={`instances-${backend.entity.replace(/[^\w-]/g, '-')}`}
      title={`Instances of ${backend.entity}`}
      summary={
        stops.length > 0
          ? `By state. ${stops.length === 1 ? 'A triangle marks the decision' : `Triangles mark the ${stops.length} decisions`} that changed their number: point at one to see why.`
          : 'By state. No decision changed their number.'
      }
      x={x}
      layers={layers}
      stacked
      stepped
      height={150}
      over={(u) => drawDecisions(u, decisions)}
      tip={(u, left, top) => decisionAt(u, decisions, left, top)}
      stops={stops}
    />
  );
}

export function InstancePlots(props: Props) {
  return (
    <>
      {props.page.curves.backends.map((backend) => (
        <InstancesPlot key={backend.entity} {...props} backend={backend} />
      ))}
    </>
  );
}

export function QueuePlot(props: Props) {
  const { page } = props;
  const x = usePoints(page);
  const regions = useMemo(() => regionsOf(page), [page]);
  const layers = useMemo(
    () =>
      page.curves.backends.map((backend, i): Layer => {
        const peak = expand(backend.queue_peak, x.length);
        // The greatest of each point: a queue that is full for a second matters.
        return {
          label: backend.entity,
          color: regionColor(regions, backend.region),
          values: peak.hi ?? peak.mean,
          dash: page.curves.backends.findIndex((y) => y.region === backend.region) === i ? undefined : [6, 3],
        };
      }),
    [page, x],
  );
  return (
    <Plot
      {...common(props)}
      id="queue"
      title="Pending requests"
      summary="The most that waited for an instance within each second."
      x={x}
      layers={layers}
      stepped
      height={150}
      valueText={(y) => shortText(y)}
    />
  );
}

export function BacklogPlot(props: Props) {
  const { page } = props;
  const x = usePoints(page);
  const layers = useMemo(
    () =>
      page.curves.subscriptions.map((y, i): Layer => {
        const curve = expand(y.backlog, x.length);
        return { label: `${y.consumer} load ${y.load}`, color: `--region-${i % 8}`, values: curve.mean, lo: curve.lo, hi: curve.hi };
      }),
    [page, x],
  );
  if (layers.length === 0) return null;
  return (
    <Plot {...common(props)} id="backlog" title="Backlog of subscriptions" summary="Messages that wait to be pushed." x={x} layers={layers} stepped height={150} />
  );
}

export function RevisionsPlot(props: Props) {
  const { page } = props;
  const x = usePoints(page);
  const layers = useMemo(
    () =>
      page.curves.revisions.map((y, i): Layer => {
        const curve = expand(y.arrivals, x.length);
        return { label: y.entity, color: `--region-${i % 8}`, values: curve.mean, lo: curve.lo, hi: curve.hi };
      }),
    [page, x],
  );
  if (layers.length === 0) return null;
  return (
    <Plot
      {...common(props)}
      id="revisions"
      title="Requests by revision"
      summary="Requests a second that come to each revision of backend services that have several."
      x={x}
      layers={layers}
      stepped
      height={170}
      valueText={(y) => `${shortText(y)}/s`}
    />
  );
}

const quantiles: [keyof Latency & ('p50' | 'p90' | 'p99' | 'max'), string, number, number[] | undefined][] = [
  ['p50', '--p50', 2, undefined],
  ['p90', '--p90', 1.5, [3, 3]],
  ['p99', '--p99', 2, [7, 3]],
  ['max', '--max', 1, [1, 2]],
];

export function LatencyPlot(props: Props) {
  const { page } = props;
  const x = usePoints(page);
  const all = page.curves.latency;
  const [consumer, setConsumer] = useChoice(props, 'latency', all.map((y) => y.consumer));
  const of = all.find((y) => y.consumer === consumer);
  const layers = useMemo(
    () =>
      of ? quantiles.map(([name, paint, width, dash]): Layer => ({ label: name, color: paint, values: of[name], width, dash })) : [],
    [of],
  );
  if (!of || of.heat.bounds.length === 0) return null;
  const bounds = of.heat.bounds;
  const least = Math.max((bounds[0] ?? 1) * 0.9, 1);
  return (
    <Plot
      {...common(props)}
      id="latency"
      title="Latency"
      summary="How fast requests were answered: the stronger the colour, the more of them. Lines are quantiles of each point; “max” keeps the slowest."
      x={x}
      layers={layers}
      stepped
      log
      height={260}
      bounds={[least, Math.max((bounds[bounds.length - 1] ?? 10) * 1.1, least * 10)]}
      valueText={latencyText}
      under={(u) => heat(u, of.heat)}
    >
      <Choice label="Consumer" all={all.map((y) => y.consumer)} value={consumer} change={setConsumer} />
    </Plot>
  );
}

export function ErrorsPlot(props: Props) {
  const { page } = props;
  const x = usePoints(page);
  const consumers = useMemo(() => choices(page.curves.requests.map((y) => y.consumer)), [page]);
  const [consumer, setConsumer] = useChoice(props, 'errors', consumers);
  const layers = useMemo(() => {
    const of = page.curves.requests.filter((y) => consumer === '' || y.consumer === consumer);
    const all = reasonsOf(page);
    const reasons = all.filter((reason) => of.some((y) => y.ended[reason]));
    return reasons.map((reason): Layer => {
      const curves = of.flatMap((y) => (y.ended[reason] ? [expand(y.ended[reason], x.length)] : []));
      const total = sum(curves, x.length);
      return { label: words(reason), color: `--error-${all.indexOf(reason) % 6}`, values: total.mean, lo: total.lo, hi: total.hi };
    });
  }, [page, consumer, x]);
  if (layers.length === 0) return <p id={props.side ? undefined : 'errors'}>{props.side && `${props.side}: `}Every request that ended was answered.</p>;
  return (
    <Plot
      {...common(props)}
      id="errors"
      title="Errors by reason"
      summary="Requests a second that ended without an answer, one reason upon the other."
      x={x}
      layers={layers}
      stacked
      stepped
      height={150}
      valueText={(y) => `${shortText(y)}/s`}
    >
      <Choice label="Consumer" all={consumers} value={consumer} change={setConsumer} />
    </Plot>
  );
}

export function CostPlot(props: Props) {
  const { page } = props;
  const x = usePoints(page);
  const regions = useMemo(() => regionsOf(page), [page]);
  const layers = useMemo(
    () =>
      regions
        .map((region): Layer => {
          const of = page.curves.backends.filter((y) => y.region === region);
          const total = sum(of.map((y) => expand(y.billed, x.length)), x.length);
          return { label: region, color: regionColor(regions, region), values: total.mean, lo: total.lo, hi: total.hi };
        })
        .filter((y) => y.values.some((n) => (n ?? 0) > 0)),
    [page, x],
  );
  if (layers.length === 0) return null;
  return (
    <Plot {...common(props)} id="billed" title="Billed" summary="vCPU seconds that each second adds to the bill of each region." x={x} layers={layers} stacked stepped height={130} />
  );
}
