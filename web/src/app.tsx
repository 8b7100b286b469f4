import { useState } from 'preact/hooks';
import { BacklogPlot, CostPlot, ErrorsPlot, InstancePlots, LatencyPlot, QueuePlot, RevisionsPlot, TrafficPlot } from './curves';
import type { Page } from './data';
import { Events } from './events';
import { decimalsFor, timeText } from './format';
import { Ribbons } from './ribbons';
import { chooseTheme, themeChoice, type Choice } from './theme';
import { Anatomy, Bills, Verdict } from './verdict';
import { useStore, type View } from './view';

interface Props {
  page: Page;
  view: View;
}

export function Toolbar({ view }: { view: View }) {
  const range = useStore(view.range);
  const decimals = decimalsFor(range.to - range.from);
  const whole = range.from <= view.whole.from && range.to >= view.whole.to;
  return (
    <nav class="toolbar screen" aria-label="Range of all plots">
      <button type="button" aria-label="Earlier" title="Earlier" disabled={whole} onClick={() => view.pan(-0.4)}>
        ◀
      </button>
      <button type="button" aria-label="Zoom in" title="Zoom in" onClick={() => view.zoom(0.5)}>
        +
      </button>
      <button type="button" aria-label="Zoom out" title="Zoom out" disabled={whole} onClick={() => view.zoom(2)}>
        −
      </button>
      <button type="button" aria-label="Later" title="Later" disabled={whole} onClick={() => view.pan(0.4)}>
        ▶
      </button>
      <button type="button" disabled={whole} onClick={() => view.reset()}>
        Whole run
      </button>
      <output class="range">
        {timeText(range.from, decimals)} to {timeText(range.to, decimals)}
      </output>
    </nav>
  );
}

export function ThemeChoice({ view }: { view: View }) {
  const [choice, setChoice] = useState(themeChoice());
  return (
    <label class="theme screen">
      Colours{' '}
      <select
        value={choice}
        onChange={(e) => {
          const x = e.currentTarget.value as Choice;
          setChoice(x);
          chooseTheme(x, view);
        }}
      >
        <option value="auto">as the system</option>
        <option value="light">light</option>
        <option value="dark">dark</option>
      </select>
    </label>
  );
}

/** Text that can be copied, where the browser lets a page do so. */
function Copied({ text, what }: { text: string; what: string }) {
  const [done, setDone] = useState(false);
  const copy = () => {
    void navigator.clipboard?.writeText(text).then(
      () => setDone(true),
      () => setDone(false),
    );
  };
  return (
    <button type="button" class="screen" onClick={copy}>
      {done ? 'Copied' : `Copy ${what}`}
    </button>
  );
}

function Scenario({ page }: { page: Page }) {
  return (
    <section aria-labelledby="scenario">
      <h2 id="scenario">Scenario</h2>
      <p>
        This run again, in the folder that this page was written to: <code>{page.command}</code> <Copied text={page.command} what="command" />
      </p>
      <details>
        <summary>scenario.yaml, with the seed that was used</summary>
        <Copied text={page.scenario} what="scenario" />
        <pre>{page.scenario}</pre>
      </details>
    </section>
  );
}

/** What plots obey. */
export function Keys() {
  return (
    <p id="keys" class="muted screen">
      Drag in a plot to zoom all of them; double-click for the whole run. With a wheel: Ctrl zooms, Shift pans; one finger pans, two zoom. With keys, in a
      plot: arrows move the cursor, Shift and arrows pan, + and − zoom, 0 shows the whole run, n and p go to the next and the previous decision or change.
    </p>
  );
}

export function App({ page, view }: Props) {
  const { summary } = page;
  const { step } = page.curves.grid;
  return (
    <>
      <a class="skip" href="#verdict">
        Skip to the verdict
      </a>
      <header>
        <div>
          <h1>{summary.name || 'A run'}</h1>
          <p>{summary.description}</p>
          <p class="muted">
            seed {summary.seed}, {timeText(page.run.end_us / 1e6)} of emulated time
            {page.run.warm_up_us > 0 && `, of which ${timeText(page.run.warm_up_us / 1e6)} warm up`}, {page.program}
          </p>
        </div>
        <ThemeChoice view={view} />
      </header>
      <Toolbar view={view} />
      <main>
        <Verdict page={page} view={view} />
        <Anatomy page={page} view={view} />
        <Keys />
        {page.faults.length > 0 && (
          <p class="muted">
            Shaded: {page.faults.map((x) => `${x.name || x.words}, ${timeText(x.from_us / 1e6)} to ${x.to_us === null ? 'the end' : timeText(x.to_us / 1e6)}`).join('; ')}
            {page.run.warm_up_us > 0 && '; grey: the warm-up'}.
          </p>
        )}
        {step > 1 && (
          <p class="muted">
            Each point of a curve stands for {step} s: it shows the mean, and the band the least and the greatest second. Peaks are kept.
          </p>
        )}
        <section aria-labelledby="health">
          <h2 id="health">Health and routes</h2>
          <Ribbons page={page} view={view} />
        </section>
        <section aria-labelledby="load">
          <h2 id="load">Load and capacity</h2>
          <TrafficPlot page={page} view={view} />
          <RevisionsPlot page={page} view={view} />
          <InstancePlots page={page} view={view} />
          <QueuePlot page={page} view={view} />
          <BacklogPlot page={page} view={view} />
        </section>
        <section aria-labelledby="requests">
          <h2 id="requests">What consumers saw</h2>
          <LatencyPlot page={page} view={view} />
          <ErrorsPlot page={page} view={view} />
        </section>
        <section aria-labelledby="cost">
          <h2 id="cost">Cost</h2>
          <Bills page={page} />
          <CostPlot page={page} view={view} />
        </section>
        <Events page={page} view={view} />
        <Scenario page={page} />
      </main>
    </>
  );
}
