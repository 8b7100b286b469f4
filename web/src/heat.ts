import type uPlot from 'uplot';
import type { Latency } from './data';
import { color } from './theme';

function rgb(hex: string): [number, number, number] {
  const x = parseInt(hex.slice(1), 16);
  return [(x >> 16) & 255, (x >> 8) & 255, x & 255];
}

/** A shade for each count: by its logarithm, so that single slow answers are seen beside the many. */
export function shade(count: number, most: number, from: string, to: string): string {
  const share = most <= 1 ? 1 : 0.12 + 0.88 * (Math.log(count) / Math.log(most));
  const a = rgb(from);
  const b = rgb(to);
  const mixed = a.map((x, i) => Math.round(x + ((b[i] ?? 0) - x) * Math.min(Math.max(share, 0), 1)));
  return `rgb(${mixed.join()})`;
}

/** Draws how many answers were how fast. */
export function heat(u: uPlot, x: Latency['heat']): void {
  const { ctx, bbox } = u;
  let most = 1;
  for (const column of x.columns) for (let i = 1; i < column.length; i += 2) most = Math.max(most, column[i] ?? 0);
  const from = color('--heat-few');
  const to = color('--heat-many');
  const shades = new Map<number, string>();
  const tops = x.bounds.map((bound) => u.valToPos(bound, 'y', true));
  // Eight rows double the latency.
  const bottom = u.valToPos(Math.max((x.bounds[0] ?? 1) / 2 ** (1 / 8), 1), 'y', true);
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  x.columns.forEach((column, i) => {
    const left = Math.floor(u.valToPos(i * x.step, 'x', true));
    const right = Math.ceil(u.valToPos((i + 1) * x.step, 'x', true));
    if (right < bbox.left || left > bbox.left + bbox.width) return;
    for (let j = 0; j + 1 < column.length; j += 2) {
      const row = (column[j] ?? 0) - x.first_row;
      const count = column[j + 1] ?? 0;
      let fill = shades.get(count);
      if (!fill) shades.set(count, (fill = shade(count, most, from, to)));
      ctx.fillStyle = fill;
      const top = Math.floor(tops[row] ?? bbox.top);
      ctx.fillRect(left, top, right - left, Math.ceil(row > 0 ? (tops[row - 1] ?? bottom) : bottom) - top);
    }
  });
  ctx.restore();
}
