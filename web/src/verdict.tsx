import { clockNames, type ClockName, type Failover, type Page } from './data';
import { instantText, latencyText, numberText, shareText, vcpuText, words } from './format';
import type { View } from './view';

interface Props {
  page: Page;
  view: View;
}

/** A link to an event in the table of events; the numbers of a second have no row there. */
export function EventLink({ id, view }: { id: string; view: View }) {
  if (!id) return null;
  if (!view.known.has(id)) return <span class="muted">{id}</span>;
  return (
    <button type="button" class="link" onClick={() => view.wanted.set({ id })} title="Show this event">
      {id}
    </button>
  );
}

/** The verdict: the first thing to see. */
export function Verdict({ page, view }: Props) {
  const { summary } = page;
  const met = summary.judgements.filter((x) => x.met).length;
  const good = summary.exit_code === 0;
  const all = summary.judgements.length;
  return (
    <section aria-labelledby="verdict" class={good ? 'verdict good' : 'verdict bad'}>
      <h2 id="verdict">
        <span class="badge">{good ? '✓ PASS' : '✗ FAIL'}</span>{' '}
        {all === 0 ? 'no expectations' : `${met} of ${all} expectation${all === 1 ? '' : 's'} met`}
      </h2>
      {!page.run.complete && (
        <p class="warning">The run broke off: its log ends at {instantText(page.run.end_us)}.</p>
      )}
      {summary.stopped && (
        <p class="warning">
          Stopped at {instantText(summary.stopped.at_ns / 1000)}: {summary.stopped.reason}
        </p>
      )}
      {summary.imbalances.map((x) => (
        <p class="warning">The books do not balance: {x}</p>
      ))}
      <ul class="judgements">
        {[...summary.judgements]
          .sort((a, b) => Number(a.met) - Number(b.met))
          .map((x) => (
            <li class={x.met ? 'good' : 'bad'}>
              <span class="badge">{x.met ? '✓ met' : '✗ not met'}</span>
              <span>
                {x.name && <b>{x.name}: </b>}
                {x.what}
              </span>
              <span class="measured">
                {x.measured}
                {!x.met && x.at_ns !== null && `, at ${instantText(x.at_ns / 1000)}`}
              </span>
              <EventLink id={x.by} view={view} />
            </li>
          ))}
      </ul>
      {summary.notes.map((x) => (
        <p class="muted">Note: {x}</p>
      ))}
      <Requests page={page} />
    </section>
  );
}

function Requests({ page }: { page: Page }) {
  const { requests } = page.summary;
  const ended = Object.values(requests.ended).reduce((x, y) => x + y, 0);
  const figures: [string, string][] = [['requests', numberText(requests.started)]];
  for (const [name, count] of Object.entries(requests.ended))
    if (name === 'ok' || count > 0) figures.push([words(name), shareText(count, ended)]);
  for (const [name, ns] of Object.entries(requests.latency_ns))
    if (ns !== null) figures.push([name, latencyText(ns / 1000)]);
  return (
    <dl class="figures">
      {figures.map(([name, value]) => (
        <div>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

export const clockWords: Record<ClockName, string> = {
  detect: 'detected',
  aggregate: 'aggregated',
  propagate: 'propagated',
  route: 'routed',
  capacity: 'capacity recovered',
};

/** The clocks of a failover, as far as a timeline shows them. */
export interface Clocks {
  clocks: Record<ClockName, { ns: number | null; text: string }>;
}

/** How long the clocks of a failover ran together, in nanoseconds. */
export function clocksTotal(of: Clocks): number {
  return clockNames.reduce((x, name) => x + (of.clocks[name].ns ?? 0), 0);
}

/** The clocks one after the other, as long as they ran; `whole`, in nanoseconds, is the width. */
export function Timeline({ of, whole = 0 }: { of: Clocks; whole?: number }) {
  const ran = clocksTotal(of);
  const total = Math.max(ran, whole);
  if (ran === 0) return null;
  return (
    <div class="timeline" aria-hidden="true">
      {clockNames.map((name) => {
        const ns = of.clocks[name].ns;
        if (ns === null) return null;
        return (
          <div class="clock" style={{ flexGrow: Math.max(ns / total, 0.0001), '--of': `var(--clock-${name})` }} title={`${clockWords[name]} +${of.clocks[name].text}`}>
            {ns / total > 0.12 && (
              <span>
                {clockWords[name]} {of.clocks[name].text}
              </span>
            )}
          </div>
        );
      })}
      {total > ran && <div style={{ flexGrow: (total - ran) / total }} />}
    </div>
  );
}

function FailoverPart({ of, view }: { of: Failover; view: View }) {
  const start = of.fault.at_ns / 1e9;
  const ran = clockNames.reduce((x, name) => x + (of.clocks[name].ns ?? 0), 0) / 1e9;
  const zoom = () => {
    const margin = Math.max(ran * 0.2, 5);
    view.show({ from: start - margin, to: start + Math.max(ran, 5) + margin });
    document.getElementById('health')?.scrollIntoView({ block: 'start' });
  };
  let at = of.fault.at_ns / 1000;
  return (
    <article class="failover">
      <h3>
        {of.from} {of.to ? `→ ${of.to}` : 'has no successor'} <span class="total">{of.failover.text}</span>
      </h3>
      <p>
        Fault at {instantText(of.fault.at_ns / 1000)}: {of.fault.detail} <EventLink id={of.fault.event} view={view} />{' '}
        <button type="button" class="link screen" onClick={zoom}>
          Zoom all plots to it
        </button>
      </p>
      <Timeline of={of} />
      <table class="clocks">
        <thead>
          <tr>
            <th scope="col">clock</th>
            <th scope="col">took</th>
            <th scope="col">until</th>
            <th scope="col">what happened</th>
          </tr>
        </thead>
        <tbody>
          {clockNames.map((name) => {
            const clock = of.clocks[name];
            if (clock.ns !== null) at += clock.ns / 1000;
            return <ClockRow name={clockWords[name]} swatch={`--clock-${name}`} clock={clock} until={clock.ns === null ? '–' : instantText(at)} view={view} />;
          })}
          <ClockRow
            name="failback"
            clock={of.failback}
            until={of.failback.ns !== null && of.fault.end_ns !== null ? instantText((of.fault.end_ns + of.failback.ns) / 1000) : '–'}
            view={view}
            beside={of.fault.end_ns === null ? '' : `fault over at ${instantText(of.fault.end_ns / 1000)}`}
          />
          <tr>
            <th scope="row">cost</th>
            <td>{of.cost.text}</td>
            <td>–</td>
            <td>
              {vcpuText(of.cost.spent.full_vcpu_milli + of.cost.spent.idle_minimum_vcpu_milli)} vCPU-s in {of.cost.seconds} s
              {of.cost.usual && (
                <span class="muted">
                  ; {vcpuText(of.cost.usual.full_vcpu_milli + of.cost.usual.idle_minimum_vcpu_milli)} at the rate before
                </span>
              )}
            </td>
          </tr>
        </tbody>
      </table>
    </article>
  );
}

function ClockRow(props: { name: string; swatch?: string; clock: Failover['failback']; until: string; view: View; beside?: string }) {
  const { clock } = props;
  const beside = [clock.basis, props.beside].filter(Boolean).join(', ');
  return (
    <tr>
      <th scope="row">
        {props.swatch && <span class="swatch" style={{ '--of': `var(${props.swatch})` }} />}
        {props.name}
      </th>
      <td>{clock.ns === null ? clock.text : `+${clock.text}`}</td>
      <td>{props.until}</td>
      <td>
        {clock.detail} {beside && <span class="muted">{beside}</span>} <EventLink id={clock.by} view={props.view} />
      </td>
    </tr>
  );
}

/** Every failover, taken apart. */
export function Anatomy({ page, view }: Props) {
  const { failovers } = page.summary;
  return (
    <section aria-labelledby="anatomy">
      <h2 id="anatomy">Failover anatomy</h2>
      {failovers.length === 0 && <p>No failover: no fault turned a composite health check UNHEALTHY.</p>}
      {failovers.map((x) => (
        <FailoverPart of={x} view={view} />
      ))}
    </section>
  );
}

/** What each region cost. */
export function Bills({ page }: { page: Page }) {
  const { regions } = page.summary.billing;
  if (regions.length === 0) return <p>This run has no bill.</p>;
  return (
    <table class="bills">
      <thead>
        <tr>
          <th scope="col">region</th>
          <th scope="col">instance seconds</th>
          <th scope="col">vCPU-s</th>
          <th scope="col">of idle minimum instances</th>
        </tr>
      </thead>
      <tbody>
        {regions.map((x) => (
          <tr>
            <th scope="row">{x.region}</th>
            <td>{vcpuText(x.instance_milli)}</td>
            <td>{vcpuText(x.cost.full_vcpu_milli + x.cost.idle_minimum_vcpu_milli)}</td>
            <td>{vcpuText(x.cost.idle_minimum_vcpu_milli)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
