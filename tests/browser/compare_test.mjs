// What the page of two runs does in a browser. scripts/test.sh makes it and calls this.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { area, comparison, frames, launch, open, pictures, pixels, rangeText, shotFile, violations, zoomToSecondQuarter } from './browser.mjs';

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

const openComparison = (options = {}) => open(browser, { ...options, url: comparison, last: '#b-billed canvas' });

test('opens from a file without network and without complaint', async () => {
  const { page, complaints } = await openComparison();
  assert.deepEqual(complaints, []);
  assert.match(await page.title(), / \| /);
  assert.equal(await page.$eval('#verdict', (x) => x.textContent), 'What differs most');
  // What matters most stands first.
  const headings = await page.$$eval('main h2', (all) => all.map((x) => x.id));
  assert.deepEqual(headings, ['verdict', 'expectations', 'clocks', 'outcome', 'decisions', 'parting', 'changes', 'health', 'load', 'requests', 'cost']);
  const changes = await page.$eval('section[aria-labelledby=changes]', (x) => x.innerText);
  assert.match(changes, /producers\.checkout\.backend_services\.web\.autoscaling\.min_instances\s+10\s+2\b/);
  await page.screenshot({ path: shotFile('compare-light.png'), fullPage: true });
  await page.close();
});

for (const scheme of ['light', 'dark'])
  test(`draws every plot of both runs, ${scheme}`, async () => {
    const { page, complaints } = await openComparison({ scheme });
    for (const side of ['a', 'b'])
      for (const [plot, property, least] of [
        ['ribbon-clients-east', '--region-0', 1000],
        ['ribbon-us-east1-checkout', '--healthy', 5000],
        ['ribbon-us-east1-checkout', '--unhealthy', 500],
        ['traffic', '--region-0', 5000],
        ['traffic', '--region-1', 2000],
        ['instances-us-west1-checkout-web', '--ready', 5000],
        ['queue', '--region-1', 50],
        ['latency', '--p50', 500],
        ['latency', '--heat-many', 20],
        ['errors', '--error-0', 20],
        ['billed', '--region-0', 5000],
      ]) {
        const count = await pixels(page, `#${side}-${plot}`, property);
        assert.ok(count >= least, `#${side}-${plot} has ${count} pixels like ${property}`);
      }
    assert.deepEqual(complaints, []);
    await page.screenshot({ path: shotFile(`compare-${scheme}.png`), fullPage: true });
    await page.close();
  });

test('shows the clocks of both runs on one scale', async () => {
  const { page } = await openComparison();
  const bars = await page.$$eval('.timelines', (all) =>
    all.map((x) => [...x.querySelectorAll('.timeline')].map((bar) => [...bar.querySelectorAll('.clock')].reduce((sum, y) => sum + y.getBoundingClientRect().width, 0))),
  );
  const both = bars.find((x) => x.length === 2);
  assert.ok(both, 'no failover with clocks in both');
  const widths = await page.$$eval('.timelines .timeline', (all) => all.map((x) => x.clientWidth));
  // The longer one fills its line, the other one is as long as its clocks ran.
  assert.ok(Math.abs(Math.max(...both) - widths[0]) < 12, `${both} of ${widths}`);
  await page.close();
});

test('both runs share the vertical axes, too', async () => {
  const { page } = await openComparison();
  // The labels of the axis are drawn at the left, and nothing else is.
  const axis = (plot) =>
    page.evaluate((id) => {
      const canvas = document.querySelector(`#${id} canvas`);
      const width = document.querySelector(`#${id} .u-over`).offsetLeft * devicePixelRatio - 2;
      const { data } = canvas.getContext('2d').getImageData(0, 0, width, canvas.height - 26 * devicePixelRatio);
      let hash = 0;
      for (let i = 0; i < data.length; ++i) hash = (hash * 31 + data[i]) | 0;
      return hash;
    }, plot);
  for (const plot of ['traffic', 'instances-us-west1-checkout-web', 'instances-us-east1-checkout-web', 'queue', 'latency', 'errors', 'billed'])
    assert.equal(await axis(`a-${plot}`), await axis(`b-${plot}`), plot);
  await page.close();
});

test('zooms all plots of both runs at once', async () => {
  const { page, complaints } = await openComparison();
  const before = await pictures(page);
  assert.equal(await rangeText(page), '0s to 20m');
  await zoomToSecondQuarter(page, '#a-traffic', before);
  await page.screenshot({ path: shotFile('compare-zoomed.png'), fullPage: true });
  // With keys in a plot of the other run.
  await page.focus('#b-traffic .canvas');
  await page.keyboard.press('0');
  await frames(page);
  assert.equal(await rangeText(page), '0s to 20m');
  assert.deepEqual(await pictures(page), before);
  // From where they part.
  await page.click('section[aria-labelledby=parting] button.link');
  await frames(page);
  assert.notEqual(await rangeText(page), '0s to 20m');
  assert.deepEqual(complaints, []);
  await page.close();
});

test('points at the same instant in both runs', async () => {
  const { page } = await openComparison();
  const box = await area(page, '#b-traffic');
  await page.mouse.move(box.x + box.width / 2, box.y + 20);
  await frames(page);
  const said = await page.$$eval('.legend .at', (all) => [...new Set(all.map((x) => x.textContent))]);
  assert.equal(said.length, 1);
  assert.match(said[0], /^at \d/);
  await page.close();
});

for (const width of [390, 320])
  test(`fits a phone of ${width} pixels`, async () => {
    const { page, complaints } = await openComparison({ width, height: 800, touch: true });
    await page.$$eval('details', (all) => all.forEach((x) => (x.open = true)));
    await frames(page);
    const wide = await page.evaluate(() =>
      [...document.querySelectorAll('body *')]
        .filter((x) => x.getBoundingClientRect().right > innerWidth + 0.5 && !x.closest('.scroll') && !x.closest('.skip'))
        .map((x) => `${x.tagName}.${x.className}`),
    );
    assert.deepEqual(wide, []);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
    assert.deepEqual(complaints, []);
    await page.$$eval('details', (all) => all.forEach((x) => (x.open = false)));
    await page.screenshot({ path: shotFile(`compare-phone-${width}.png`), fullPage: true });
    await page.close();
  });

for (const scheme of ['light', 'dark'])
  test(`has nothing that axe-core finds wrong, ${scheme}`, async () => {
    const { page } = await openComparison({ scheme });
    assert.deepEqual(await violations(page), []);
    await page.$$eval('details', (all) => all.forEach((x) => (x.open = true)));
    await frames(page);
    assert.deepEqual(await violations(page), []);
    await page.close();
  });
