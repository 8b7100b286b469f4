import { render } from 'preact';
import 'uplot/dist/uPlot.min.css';
import './colors.css';
import './style.css';
import { App } from './app';
import { readPage } from './data';
import { followTheme } from './theme';
import { View } from './view';

const root = document.getElementById('report') as HTMLElement;
try {
  const page = readPage();
  const known = new Set(page.events.rows.map((x) => x[0]));
  const view = new View({ from: 0, to: Math.max(page.run.end_us / 1e6, 1) }, known);
  followTheme(view);
  document.title = `${page.summary.exit_code === 0 ? 'PASS' : 'FAIL'} ${page.summary.name}`;
  render(<App page={page} view={view} />, root);
} catch (problem) {
  root.textContent = problem instanceof Error ? problem.message : String(problem);
}
