import { clockNames, type ClockName, type ComparedRow, type ComparedSection, type ComparedValue, type Comparison, type Parting, type PartingSide, type ToldEvent } from './data';
import { instantText } from './format';
import { clocksTotal, Timeline, type Clocks } from './verdict';
import type { View } from './view';

const sides = ['a', 'b'] as const;
type Side = (typeof sides)[number];

function Grade({ of }: { of: ComparedRow['grade'] }) {
  if (of === 'worse')
    return (
      <span class="bad">
        <span class="badge">✗ worse</span>
      </span>
    );
  if (of === 'better')
    return (
      <span class="good">
        <span class="badge">✓ better</span>
      </span>
    );
  return null;
}

function Value({ of, side, detail }: { of: ComparedValue | null; side: string; detail: boolean }) {
  return (
    <td data-side={side}>
      {of ? of.text : '–'}
      {detail && of?.detail && <div class="muted">{of.detail}</div>}
    </td>
  );
}

function Rows({ title, rows }: { title: string; rows: ComparedRow[] }) {
  return (
    <table class="compared">
      <thead>
        <tr>
          <th scope="col">
            <span class="hidden">{title}</span>
          </th>
          <th scope="col">A</th>
          <th scope="col">B</th>
          <th scope="col">B − A</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((x) => {
          const detail = x.grade !== 'same' && x.a?.detail !== x.b?.detail;
          return (
            <tr>
              <th scope="row">{x.name}</th>
              <Value of={x.a} side="A" detail={detail} />
              <Value of={x.b} side="B" detail={detail} />
              <td data-side="">
                {x.grade === 'same' ? <span class="muted">the same</span> : x.change} <Grade of={x.grade} />
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** The names that a failover's rows have for the clocks. */
const rowNames: Record<ClockName, string> = {
  detect: 'detected',
  aggregate: 'aggregated',
  propagate: 'propagated',
  route: 'routed',
  capacity: 'capacity',
};

function clocksOf(section: ComparedSection, side: Side): Clocks {
  const clocks = {} as Clocks['clocks'];
  for (const name of clockNames) {
    const value = section.rows.find((x) => x.name === rowNames[name])?.[side];
    clocks[name] = { ns: value?.number ?? null, text: value?.text ?? '' };
  }
  return { clocks };
}

/** The clocks of both runs, on one scale. */
function Timelines({ of }: { of: ComparedSection }) {
  const both = sides.map((side) => clocksOf(of, side));
  const whole = Math.max(...both.map(clocksTotal));
  return (
    <div class="timelines" aria-hidden="true">
      {both.map((clocks, i) => (
        <>
          <b>{i === 0 ? 'A' : 'B'}</b>
          {clocksTotal(clocks) > 0 ? <Timeline of={clocks} whole={whole} /> : <span class="muted">no clock ended</span>}
        </>
      ))}
    </div>
  );
}

/** What of a section differs, and below it, folded, what does not. */
function Section({ of, alone }: { of: ComparedSection; alone: boolean }) {
  const differing = of.kind === 'failover' ? of.rows : of.rows.filter((x) => x.grade !== 'same');
  const same = of.kind === 'failover' ? [] : of.rows.filter((x) => x.grade === 'same');
  return (
    <article class="failover">
      {!alone && <h3>{of.title}</h3>}
      {of.kind === 'failover' && <Timelines of={of} />}
      {differing.length > 0 ? <Rows title={of.title} rows={differing} /> : <p class="muted">Nothing differs.</p>}
      {same.length > 0 && (
        <details>
          <summary>
            {same.length} the same<span class="hidden"> of {of.title}</span>
          </summary>
          <Rows title={`${of.title}, the same`} rows={same} />
        </details>
      )}
    </article>
  );
}

const headings: [string, string, string[]][] = [
  ['expectations', 'Expectations', ['expectations']],
  ['clocks', 'Clocks', ['failover']],
  ['outcome', 'What consumers saw, and what it cost', ['errors', 'latency', 'cost']],
  ['decisions', 'Decisions', ['decisions']],
];

/** Every number that both runs have, what matters most first. */
export function Sections({ of }: { of: Comparison }) {
  return (
    <>
      {headings.map(([id, title, kinds]) => {
        const all = of.sections.filter((x) => kinds.includes(x.kind));
        if (all.length === 0) return null;
        return (
          <section aria-labelledby={id}>
            <h2 id={id}>{title}</h2>
            {all.map((x) => (
              <Section of={x} alone={x.title === id} />
            ))}
          </section>
        );
      })}
    </>
  );
}

function Told({ of }: { of: ToldEvent }) {
  return (
    <>
      {of.sentence} <span class="muted">{instantText(of.at_ns / 1000)}</span> <span class="muted">{of.id}</span>
      {of.by_time && <div class="muted">by time, not by cause: {of.by_time}</div>}
    </>
  );
}

function PartingPart({ side, of }: { side: string; of: PartingSide | null }) {
  return (
    <div class="side">
      <h4>{side}</h4>
      {of ? (
        <>
          <p>
            <Told of={of.event} />
          </p>
          {of.event.numbers.length > 0 && <div class="muted lines">{of.event.numbers.join('\n')}</div>}
          {of.causes.length > 0 && (
            <ol class="chain">
              {of.causes.map((x) => (
                <li>
                  ← <Told of={x} />
                </li>
              ))}
            </ol>
          )}
        </>
      ) : (
        <p>Nothing of the kind until its end.</p>
      )}
    </div>
  );
}

function PartingView({ title, of, view }: { title: string; of: Parting; view: View }) {
  const at = of.at_ns / 1e9;
  return (
    <article class="failover">
      <h3>
        {title} at {instantText(of.at_ns / 1000)}{' '}
        <button
          type="button"
          class="link screen"
          onClick={() => {
            view.show({ from: at - 15, to: at + 15 });
            document.getElementById('health')?.scrollIntoView({ block: 'start' });
          }}
        >
          Zoom all plots to it
        </button>
      </h3>
      <div class="sides">
        <PartingPart side="A" of={of.a} />
        <PartingPart side="B" of={of.b} />
      </div>
    </article>
  );
}

/** Where the two logs part, and why. */
export function Partings({ of, view }: { of: Comparison; view: View }) {
  if (!of.first_event) return null;
  return (
    <section aria-labelledby="parting">
      <h2 id="parting">Where they part</h2>
      {of.first_health && <PartingView title="After the warm-up, health or routes first differ" of={of.first_health} view={view} />}
      {of.first_decision && of.first_decision.at_ns !== of.first_health?.at_ns && (
        <PartingView title="They first decide differently" of={of.first_decision} view={view} />
      )}
      {!of.first_decision && <p>Every decision is the same.</p>}
      <p class="muted">The first event that differs at all, numbers of a second included, is at {instantText(of.first_event.at_ns / 1000)}.</p>
    </section>
  );
}

/** What changed in the scenario. */
export function Changes({ of }: { of: Comparison }) {
  const all = of.scenario_changes;
  return (
    <section aria-labelledby="changes">
      <h2 id="changes">What changed in the scenario</h2>
      {all.length === 0 ? (
        <p>Nothing.</p>
      ) : (
        <table class="compared">
          <thead>
            <tr>
              <th scope="col">where</th>
              <th scope="col">A</th>
              <th scope="col">B</th>
            </tr>
          </thead>
          <tbody>
            {all.map((x) => (
              <tr>
                <th scope="row">
                  <code>{x.path}</code>
                </th>
                <td data-side="A">{x.change === 'only_b' ? '–' : x.a_text}</td>
                <td data-side="B">{x.change === 'only_a' ? '–' : x.b_text}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
