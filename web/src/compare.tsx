import type { ComponentChildren, FunctionComponent } from 'preact';
import { Keys, ThemeChoice, Toolbar } from './app';
import { Changes, Partings, Sections } from './compared';
import { BacklogPlot, CostPlot, ErrorsPlot, InstancesPlot, LatencyPlot, QueuePlot, RevisionsPlot, TrafficPlot, type Props } from './curves';
import { reasonsOf, regionsOf, type Comparison, type Page, type RunOutline } from './data';
import { timeText } from './format';
import { groupsOf, RibbonGroup, RibbonLegend } from './ribbons';
import type { View } from './view';

export type Runs = [Page, Page];

const sides = ['A', 'B'] as const;

function union(lists: string[][]): string[] {
  return [...new Set(lists.flat())];
}

/** The pages of two runs with the same regions and reasons, so that these have the same colours in both. */
export function joinedPages(runs: Runs): Runs {
  const regions = union(runs.map(regionsOf)).sort();
  const reasons = union(runs.map(reasonsOf));
  return runs.map((page) => ({
    ...page,
    regions,
    reasons,
    // A fault that lasts ends with its run, where the other run goes on.
    faults: page.faults.map((x) => ({ ...x, to_us: x.to_us ?? page.run.end_us })),
  })) as Runs;
}

function Run({ side, of }: { side: string; of: RunOutline }) {
  const good = of.exit_code === 0;
  // As the text says it: a run whose books do not balance has no verdict.
  const verdict = good ? '✓ PASS' : of.exit_code === 1 ? '✗ FAIL' : '✗ NO RESULT';
  return (
    <tr>
      <th scope="row">{side}</th>
      <td data-side="">{of.label}</td>
      <td data-side="">
        {of.name}, seed {of.seed}, {timeText(of.end_ns / 1e9)}
      </td>
      <td data-side="" class={good ? 'good' : 'bad'}>
        <span class="badge">{verdict}</span> {of.expected > 0 && `${of.met} of ${of.expected} met`}
      </td>
    </tr>
  );
}

function Head({ of }: { of: Comparison }) {
  const worse = of.sections.some((x) => x.kind === 'expectations' && x.rows.some((row) => row.grade === 'worse'));
  return (
    <section aria-labelledby="verdict" class={worse ? 'verdict bad' : 'verdict good'}>
      <h2 id="verdict">{of.same ? 'The same: every event and the whole scenario' : 'What differs most'}</h2>
      {!of.same && of.headline.length === 0 && <p>Verdict, failover, capacity, failback, errors, p99 and bill are the same.</p>}
      <ul>
        {of.headline.map((x) => (
          <li>{x}</li>
        ))}
      </ul>
      {of.notes.map((x) => (
        <p class="warning">Note: {x}</p>
      ))}
      <table class="compared runs">
        <thead>
          <tr>
            <th scope="col">
              <span class="hidden">side</span>
            </th>
            <th scope="col">run</th>
            <th scope="col">scenario</th>
            <th scope="col">verdict</th>
          </tr>
        </thead>
        <tbody>
          <Run side="A" of={of.a} />
          <Run side="B" of={of.b} />
        </tbody>
      </table>
    </section>
  );
}

/** A plot of both runs, one above the other. */
function Pair({ of: One, runs, view }: { of: FunctionComponent<Props>; runs: Runs; view: View }) {
  return (
    <div class="pair">
      {runs.map((page, i) => (
        <One page={page} view={view} side={sides[i]} />
      ))}
    </div>
  );
}

/** Of each name that one of the runs has, what both have of it. */
function Pairs({ names, runs, part }: { names: string[]; runs: Runs; part: (page: Page, side: string, name: string) => ComponentChildren }) {
  return (
    <>
      {names.map((name) => (
        <div class="pair" key={name}>
          {runs.map((page, i) => part(page, sides[i] ?? '', name))}
        </div>
      ))}
    </>
  );
}

function Plots({ runs, view }: { runs: Runs; view: View }) {
  const groups = runs.map(groupsOf);
  const coarse = runs.map((x) => x.curves.grid.step);
  return (
    <>
      <Keys />
      {runs.map(
        (page, i) =>
          page.faults.length > 0 && (
            <p class="muted">
              Shaded in {sides[i]}:{' '}
              {page.faults.map((x) => `${x.name || x.words}, ${timeText(x.from_us / 1e6)} to ${timeText((x.to_us ?? 0) / 1e6)}`).join('; ')}.
            </p>
          ),
      )}
      {coarse.some((x) => x > 1) && (
        <p class="muted">
          Each point of a curve stands for {coarse.join(' s in A and ')} s in B: it shows the mean, and the band the least and the greatest second.
        </p>
      )}
      <section aria-labelledby="health">
        <h2 id="health">Health and routes</h2>
        <RibbonLegend />
        <Pairs
          names={union(groups.map((x) => [...x.keys()]))}
          runs={runs}
          part={(page, side, name) => {
            const rows = groups[runs.indexOf(page)]?.get(name);
            return rows && <RibbonGroup page={page} view={view} side={side} group={name} rows={rows} />;
          }}
        />
      </section>
      <section aria-labelledby="load">
        <h2 id="load">Load and capacity</h2>
        <Pair of={TrafficPlot} runs={runs} view={view} />
        <Pair of={RevisionsPlot} runs={runs} view={view} />
        <Pairs
          names={union(runs.map((x) => x.curves.backends.map((y) => y.entity)))}
          runs={runs}
          part={(page, side, name) => {
            const backend = page.curves.backends.find((x) => x.entity === name);
            return backend && <InstancesPlot page={page} view={view} side={side} backend={backend} />;
          }}
        />
        <Pair of={QueuePlot} runs={runs} view={view} />
        <Pair of={BacklogPlot} runs={runs} view={view} />
      </section>
      <section aria-labelledby="requests">
        <h2 id="requests">What consumers saw, second by second</h2>
        <Pair of={LatencyPlot} runs={runs} view={view} />
        <Pair of={ErrorsPlot} runs={runs} view={view} />
      </section>
      <section aria-labelledby="cost">
        <h2 id="cost">Cost, second by second</h2>
        <Pair of={CostPlot} runs={runs} view={view} />
      </section>
    </>
  );
}

/** Two runs side by side. */
export function CompareApp({ comparison, runs, view }: { comparison: Comparison; runs: Runs; view: View }) {
  return (
    <>
      <a class="skip" href="#verdict">
        Skip to what differs
      </a>
      <header>
        <div>
          <h1>
            {comparison.a.label} and {comparison.b.label}
          </h1>
          <p class="muted">Differences are B less A. {runs[0].program}</p>
        </div>
        <ThemeChoice view={view} />
      </header>
      <Toolbar view={view} />
      <main>
        <Head of={comparison} />
        <Sections of={comparison} />
        <Partings of={comparison} view={view} />
        <Changes of={comparison} />
        <Plots runs={runs} view={view} />
      </main>
    </>
  );
}
