// A report, the page of two runs, or a viewer of traces in Debian's Chromium, without network.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
// The packages of the tests are those of web/.
export const require = createRequire(join(root, 'web/package.json'));
const { default: puppeteer } = await import(pathToFileURL(require.resolve('puppeteer-core')).href);

const report = pathToFileURL(resolve(process.env.SPILLOVER_REPORT ?? join(root, 'build/web/run/report.html'))).href;
export const comparison = pathToFileURL(resolve(process.env.SPILLOVER_COMPARISON ?? join(root, 'build/web/compare.html'))).href;
const shots = join(root, 'build/web/screenshots');
mkdirSync(shots, { recursive: true });

export function shotFile(name) {
  return join(shots, name);
}

/** With a fresh profile, which puppeteer makes and removes, and `more` arguments. */
export function launch(more = []) {
  return puppeteer.launch({
    executablePath: '/usr/bin/chromium',
    headless: true,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      ...more,
    ],
  });
}

/** Opens a page, and waits for its `last` plot; `complaints` gets whatever goes wrong while it is open. */
export async function open(browser, { width = 1200, height = 900, scheme = 'light', touch = false, url = report, last = '#billed canvas' } = {}) {
  const page = await browser.newPage();
  const complaints = [];
  page.on('console', (x) => {
    // The tests read pixels back, the report does not.
    if (['error', 'warn'].includes(x.type()) && !x.text().includes('willReadFrequently')) complaints.push(`console: ${x.text()}`);
  });
  page.on('pageerror', (x) => complaints.push(`error: ${x.message}`));
  page.on('request', (x) => {
    if (!/^(file|data|blob):/.test(x.url())) complaints.push(`asks for ${x.url()}`);
  });
  await page.setOfflineMode(true);
  await page.setViewport({ width, height, hasTouch: touch, isMobile: touch });
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
  await page.goto(url);
  await page.waitForSelector(last);
  await frames(page);
  return { page, complaints };
}

/** What axe-core finds wrong with a page. */
export async function violations(page) {
  await page.evaluate(readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8'));
  const { violations: found } = await page.evaluate(() => window.axe.run(document));
  return found.map((x) => `${x.id}: ${x.nodes.map((y) => `${y.html.slice(0, 150)} ${y.failureSummary}`).join('; ')}`);
}

/** Waits until what was asked for is drawn. */
export function frames(page) {
  return page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)))));
}

/** How many pixels of a plot have a colour of the style sheet, give or take what lies upon it. */
export function pixels(page, plot, property) {
  return page.evaluate(
    (selector, name) => {
      const canvas = document.querySelector(`${selector} canvas`);
      const hex = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
      const wanted = [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      let count = 0;
      for (let i = 0; i < data.length; i += 4)
        if (data[i + 3] > 200 && wanted.every((x, j) => Math.abs(data[i + j] - x) < 40)) ++count;
      return count;
    },
    plot,
    property,
  );
}

/** What each plot shows, so short that it can be compared. */
export function pictures(page) {
  return page.evaluate(() =>
    [...document.querySelectorAll('.plot')].map((plot) => {
      const canvas = plot.querySelector('canvas');
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      let hash = 0;
      for (let i = 0; i < data.length; ++i) hash = (hash * 31 + data[i]) | 0;
      return `${plot.id} ${hash}`;
    }),
  );
}

/** The middle of what the pointer can be over in a plot. */
export async function area(page, plot) {
  const element = await page.$(`${plot} .u-over`);
  await element.evaluate((x) => x.scrollIntoView({ block: 'center' }));
  await frames(page);
  return element.boundingBox();
}

export function rangeText(page) {
  return page.$eval('.range', (x) => x.textContent);
}

/** Drags over a plot from a quarter of its width to its half, and finds that every plot then shows another picture. */
export async function zoomToSecondQuarter(page, plot, before) {
  const box = await area(page, plot);
  await page.mouse.move(box.x + box.width * 0.25, box.y + 50);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.5, box.y + 50, { steps: 4 });
  await page.mouse.up();
  await page.mouse.move(5, 5);
  await frames(page);
  assert.equal(await rangeText(page), '5m to 10m');
  const after = await pictures(page);
  assert.equal(after.length, before.length);
  for (const [i, x] of after.entries()) assert.notEqual(x, before[i]);
}
