import { useState } from 'preact/hooks';
import { decimalsFor, shortText, timeText } from './format';
import type { Layer, PlotProps } from './plot_props';
import { useStore } from './view';

/** The last point that begins at an instant or before; -1 before the first. */
export function lastPoint(x: number[], at: number): number {
  let low = 0;
  let high = x.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((x[middle] ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return low - 1;
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
export function Table(props: PlotProps) {
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
export function Legend(props: PlotProps) {
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
            {props.shares && point >= 0 && total > 0 && x !== null && (
              <span class="muted"> {Math.round((x / total) * 100)} %</span>
            )}
          </li>
        );
      })}
    </ul>
  );
}
