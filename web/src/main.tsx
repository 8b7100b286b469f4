import { render } from 'preact';
import 'uplot/dist/uPlot.min.css';
import './colors.css';
import './style.css';
import { App } from './app';
import { CompareApp, joinedPages } from './compare';
import { readPage, type ComparisonPage, type Page } from './data';
import { followTheme } from './theme';
import { View } from './view';

const root = document.getElementById('report') as HTMLElement;

function showRun(page: Page): void {
  const known = new Set(page.events.rows.map((x) => x[0]));
  const view = new View({ from: 0, to: Math.max(page.run.end_us / 1e6, 1) }, known);
  followTheme(view);
  document.title = `${page.summary.exit_code === 0 ? 'PASS' : 'FAIL'} ${page.summary.name}`;
  render(<App page={page} view={view} />, root);
}

function showComparison(page: ComparisonPage): void {
  const runs = joinedPages(page.runs);
  const view = new View({ from: 0, to: Math.max(...runs.map((x) => x.run.end_us / 1e6), 1) });
  followTheme(view);
  document.title = `${page.comparison.a.label} | ${page.comparison.b.label}`;
  render(<CompareApp comparison={page.comparison} runs={runs} view={view} />, root);
}

try {
  const page = readPage();
  if ('comparison' in page) showComparison(page);
  else showRun(page);
} catch (problem) {
  root.textContent = problem instanceof Error ? problem.message : String(problem);
}
