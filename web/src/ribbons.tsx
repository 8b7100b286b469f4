import uPlot from 'uplot';
import { useMemo } from 'preact/hooks';
import { regionsOf, runAt, type Page, type Ribbon } from './data';
import { instantText, timeText } from './format';
import { Plot } from './plot';
import type { Tip } from './plot_props';
import { color, regionColor } from './theme';
import type { View } from './view';

const kinds: Record<Ribbon['kind'], string> = {
  composite: 'composite',
  source: 'source',
  endpoint: 'endpoint',
  route: 'route',
  neg: 'PSC NEG',
};

/** A name that fits beside a row. */
function labelOf(x: Ribbon): string {
  const parts = x.entity.split('/');
  switch (x.kind) {
    case 'source':
      return `source ${parts[2] ?? ''}`;
    case 'endpoint':
      return parts.slice(2).join('/');
    case 'neg':
      return x.entity.split(' ').pop() ?? '';
    default:
      return kinds[x.kind];
  }
}

/** The wide rows of what decides, and narrower ones of endpoints, the narrower the more there are. */
function heightsOf(rows: Ribbon[]): number[] {
  const endpoints = rows.filter((x) => x.kind === 'endpoint').length;
  const narrow = endpoints <= 24 ? 15 : endpoints <= 60 ? 9 : endpoints <= 150 ? 5 : 3;
  return rows.map((x) => (x.kind === 'endpoint' ? narrow : 18));
}

function stateColor(row: Ribbon, state: string, regions: string[]): string {
  if (row.kind === 'route') return regionColor(regions, state.split('+')[0] ?? '');
  switch (state) {
    case 'HEALTHY':
      return '--healthy';
    case 'UNHEALTHY':
      return '--unhealthy';
    case 'UNKNOWN':
      return '--unknown';
    default:
      return '--gone';
  }
}

/** Stripes, so that nobody needs to tell red from green. */
function stripes(ctx: CanvasRenderingContext2D, x: number, y: number, width: number, height: number, ratio: number): void {
  ctx.save();
  ctx.beginPath();
  ctx.rect(x, y, width, height);
  ctx.clip();
  ctx.strokeStyle = color('--stripe');
  ctx.lineWidth = ratio;
  ctx.beginPath();
  for (let at = x - height; at < x + width; at += 5 * ratio) {
    ctx.moveTo(at, y + height);
    ctx.lineTo(at + height, y);
  }
  ctx.stroke();
  ctx.restore();
}

function fitted(ctx: CanvasRenderingContext2D, text: string, width: number): string {
  if (ctx.measureText(text).width <= width) return text;
  let kept = text;
  while (kept.length > 1 && ctx.measureText(`…${kept}`).width > width) kept = kept.slice(1);
  return `…${kept}`;
}

/** @param runEnd in seconds; a state lasts no longer, where another run goes on. */
function draw(u: uPlot, rows: Ribbon[], heights: number[], regions: string[], runEnd: number): void {
  const { ctx, bbox } = u;
  const ratio = uPlot.pxRatio;
  const end = Math.min(bbox.left + bbox.width, u.valToPos(runEnd, 'x', true));
  let top = bbox.top;
  ctx.save();
  ctx.textBaseline = 'middle';
  rows.forEach((row, i) => {
    const height = (heights[i] ?? 15) * ratio;
    const gap = height > 8 * ratio ? 2 * ratio : ratio * 0.5;
    row.runs.forEach(([from, state], j) => {
      if (state === '') return;
      const next = row.runs[j + 1];
      const x0 = Math.max(u.valToPos(from / 1e6, 'x', true), bbox.left);
      const x1 = Math.min(next ? u.valToPos(next[0] / 1e6, 'x', true) : end, end);
      if (x1 < bbox.left || x0 > end || x1 < x0) return;
      const width = Math.max(x1 - x0, ratio);
      ctx.fillStyle = color(stateColor(row, state, regions));
      ctx.fillRect(x0, top, width, height - gap);
      if (state === 'UNHEALTHY' || state.includes('+')) stripes(ctx, x0, top, width, height - gap, ratio);
      if (row.kind === 'route' && width > 60 * ratio) {
        ctx.font = `${11 * ratio}px system-ui, sans-serif`;
        ctx.textAlign = 'left';
        ctx.fillStyle = color('--on-region');
        ctx.fillText(fitted(ctx, state, width - 8 * ratio), x0 + 4 * ratio, top + (height - gap) / 2);
      }
    });
    if (height >= 13 * ratio) {
      ctx.font = `${11 * ratio}px system-ui, sans-serif`;
      ctx.textAlign = 'right';
      ctx.fillStyle = color('--muted');
      ctx.fillText(fitted(ctx, labelOf(row), bbox.left - 8 * ratio), bbox.left - 5 * ratio, top + (height - gap) / 2);
    }
    top += height;
  });
  ctx.restore();
}

function tipOf(row: Ribbon, at: number): Tip | null {
  const place = runAt(row, at);
  const run = row.runs[place];
  if (!run || run[1] === '') return null;
  const next = row.runs[place + 1];
  return {
    title: `${row.kind === 'route' ? `${row.entity} prefers` : `${kinds[row.kind]} ${row.entity}:`} ${run[1]}`,
    lines: [`from ${instantText(run[0])} ${next ? `to ${instantText(next[0])}` : 'to the end'}`],
    event: run[2] || undefined,
  };
}

export function RibbonGroup(props: { page: Page; view: View; side?: string; group: string; rows: Ribbon[] }) {
  const { page, view, side, group, rows } = props;
  const regions = useMemo(() => regionsOf(page), [page]);
  const heights = useMemo(() => heightsOf(rows), [rows]);
  const total = heights.reduce((x, y) => x + y, 0);
  const x = useMemo(() => [0, view.whole.to], [view]);
  const none = useMemo(() => [], []);
  const rowAt = (top: number): Ribbon | undefined => {
    let y = 0;
    return rows.find((_, i) => top < (y += heights[i] ?? 0));
  };
  const unhealthy = rows.filter((row) => row.runs.some((run) => run[1] === 'UNHEALTHY')).length;
  const stops = useMemo(
    () =>
      rows
        .flatMap((row) => row.runs.filter((run) => run[2]).map((run) => ({ at: run[0] / 1e6, row })))
        .sort((a, b) => a.at - b.at)
        .map(({ at, row }) => ({ at, tip: tipOf(row, at) ?? { title: `${row.entity} is gone`, lines: [] } })),
    [rows],
  );
  const counted = (kind: Ribbon['kind']) => rows.filter((row) => row.kind === kind).length;
  const parts = (Object.keys(kinds) as Ribbon['kind'][])
    .filter((kind) => counted(kind) > 0)
    .map((kind) => `${counted(kind)} ${kinds[kind]}${counted(kind) === 1 ? '' : 's'}`);
  return (
    <Plot
      view={view}
      side={side}
      id={`ribbon-${group.replace(/[^\w-]/g, '-')}`}
      title={group}
      summary={`${parts.join(', ')}. ${unhealthy === 0 ? 'None was unhealthy.' : `${unhealthy} of the rows ${unhealthy === 1 ? 'was' : 'were'} unhealthy at some time.`}`}
      x={x}
      layers={none}
      rows
      height={total + 36}
      bounds={[0, 1]}
      faults={page.faults}
      warmUp={page.run.warm_up_us / 1e6}
      under={(u) => draw(u, rows, heights, regions, page.run.end_us / 1e6)}
      tip={(u, left, top) => {
        const row = rowAt(top);
        return row ? tipOf(row, u.posToVal(left, 'x')) : null;
      }}
      stops={stops}
      table={(from, to) => ({
        head: ['who', 'state', 'from', 'to'],
        rows: rows.flatMap((row) =>
          row.runs.flatMap((run, i) => {
            const next = row.runs[i + 1];
            if (run[1] === '' || run[0] / 1e6 > to || (next && next[0] / 1e6 < from)) return [];
            return [[`${kinds[row.kind]} ${row.entity}`, run[1], timeText(run[0] / 1e6, 1), next ? timeText(next[0] / 1e6, 1) : 'end']];
          }),
        ),
      })}
    />
  );
}

/** The rows of a page by what they stand under. */
export function groupsOf(page: Page): Map<string, Ribbon[]> {
  const all = new Map<string, Ribbon[]>();
  for (const x of page.ribbons) all.set(x.group, [...(all.get(x.group) ?? []), x]);
  return all;
}

export function RibbonLegend() {
  return (
    <ul class="legend">
      <li>
        <span class="swatch" style={{ '--of': 'var(--healthy)' }} />
        healthy
      </li>
      <li>
        <span class="swatch striped" style={{ '--of': 'var(--unhealthy)' }} />
        unhealthy
      </li>
      <li>
        <span class="swatch" style={{ '--of': 'var(--unknown)' }} />
        unknown
      </li>
    </ul>
  );
}

/** Who was how healthy when, and which region consumers preferred. */
export function Ribbons({ page, view }: { page: Page; view: View }) {
  const groups = useMemo(() => [...groupsOf(page)], [page]);
  if (groups.length === 0) return <p>Nothing in this run has health that is checked.</p>;
  return (
    <>
      <RibbonLegend />
      {groups.map(([group, rows]) => (
        <RibbonGroup key={group} page={page} view={view} group={group} rows={rows} />
      ))}
    </>
  );
}
