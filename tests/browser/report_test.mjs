// What a report of the default scenario does in a browser. scripts/test.sh makes the report and calls this.
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { area, frames, launch, open, pictures, pixels, rangeText, shotFile, violations, zoomToSecondQuarter } from './browser.mjs';

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

const survivor = '#instances-us-west1-checkout-web';

test('opens from a file without network and without complaint', async () => {
  const { page, complaints } = await open(browser);
  assert.deepEqual(complaints, []);
  assert.equal(await page.title(), 'PASS us-east1-brownout');
  assert.match(await page.$eval('#verdict', (x) => x.textContent), /PASS 5 of 5 expectations met/);
  await page.screenshot({ path: shotFile('light.png'), fullPage: true });
  await page.close();
});

for (const scheme of ['light', 'dark'])
  test(`draws every plot, ${scheme}`, async () => {
    const { page, complaints } = await open(browser, { scheme });
    // At least so many pixels: a curve of some width, or an area.
    for (const [plot, property, least] of [
      ['#ribbon-clients-east', '--region-0', 1000],
      ['#ribbon-clients-east', '--region-1', 1000],
      ['#ribbon-us-east1-checkout', '--healthy', 10000],
      ['#ribbon-us-east1-checkout', '--unhealthy', 2000],
      ['#traffic', '--region-0', 10000],
      ['#traffic', '--region-1', 5000],
      [survivor, '--ready', 10000],
      [survivor, '--deprioritised', 2000],
      ['#queue', '--region-1', 100],
      ['#latency', '--heat-many', 50],
      ['#latency', '--p50', 500],
      ['#latency', '--p99', 100],
      ['#errors', '--error-0', 20],
      ['#billed', '--region-0', 10000],
      // Faults are shaded everywhere; their edges are two lines.
      ['#errors', '--fault', 100],
    ]) {
      const count = await pixels(page, plot, property);
      assert.ok(count >= least, `${plot} has ${count} pixels like ${property}`);
    }
    assert.deepEqual(complaints, []);
    await page.screenshot({ path: shotFile(`${scheme}-plots.png`), fullPage: true });
    await page.close();
  });

test('explains a decision that the pointer is on', async () => {
  const { page } = await open(browser);
  const box = await area(page, survivor);
  let text = '';
  for (let x = 0; x < box.width && text === ''; x += 3) {
    await page.mouse.move(box.x + x, box.y + 8);
    text = await page.$eval(`${survivor} .tips`, (y) => y.innerText);
  }
  assert.match(text, /us-west1\/checkout\/web wants \d+ instances, \d+ before/);
  assert.match(text, /driver (ON_DEMAND|CPU)/);
  assert.match(text, /answers to the last change of route towards us-west1/);
  await page.screenshot({ path: shotFile('decision.png') });
  // The other plots point at the same instant.
  const others = await page.$$eval('.legend .at', (all) => new Set(all.map((x) => x.textContent)).size);
  assert.equal(others, 1);
  await page.mouse.move(5, 5);
  await frames(page);
  assert.equal(await page.$eval(`${survivor} .tips`, (y) => y.innerText), '');
  await page.close();
});

test('zooms and pans all plots at once', async () => {
  const { page, complaints } = await open(browser);
  const before = await pictures(page);
  assert.equal(await rangeText(page), '0s to 20m');
  await zoomToSecondQuarter(page, '#traffic', before);
  await page.screenshot({ path: shotFile('zoomed.png'), fullPage: true });

  await page.click('button[aria-label="Later"]');
  assert.equal(await rangeText(page), '7m to 12m');
  await page.click('button[aria-label="Zoom out"]');
  assert.equal(await rangeText(page), '4m30s to 14m30s');
  const again = await area(page, '#latency');
  await page.mouse.click(again.x + 100, again.y + 50, { clickCount: 2 });
  await page.mouse.move(5, 5);
  await frames(page);
  assert.equal(await rangeText(page), '0s to 20m');
  assert.deepEqual(await pictures(page), before);
  assert.deepEqual(complaints, []);
  await page.close();
});

test('does all that with keys, too', async () => {
  const { page } = await open(browser);
  await page.focus(`${survivor} .canvas`);
  await page.keyboard.press('n');
  await frames(page);
  const tip = () => page.$eval(`${survivor} .tips`, (x) => x.innerText);
  // The cursor began in the middle, at 10m; the next decision is that after failback.
  assert.match(await tip(), /^675\.000 s: us-west1\/checkout\/web wants 7 instances, 8 before/);
  await page.keyboard.press('p');
  await frames(page);
  assert.match(await tip(), /us-west1\/checkout\/web wants 8 instances/);
  for (const [key, range] of [
    ['+', /^3m8s to 13m8s$/],
    ['0', /^0s to 20m$/],
  ]) {
    await page.keyboard.press(key);
    await frames(page);
    assert.match(await rangeText(page), range);
  }
  await page.keyboard.press('Escape');
  await frames(page);
  assert.equal(await tip(), '');
  await page.close();
});

test('finds events and follows their causes', async () => {
  const { page } = await open(browser);
  await page.type('.search input', 'prefers us-west1');
  await frames(page);
  assert.equal(await page.$eval('.search [role=status]', (x) => x.textContent), '3 events');
  const texts = await page.$$eval('.events tbody tr', (all) => all.map((x) => x.innerText));
  const row = texts.findIndex((x) => x.includes('clients-east/lb prefers us-west1, us-east1 before'));
  assert.ok(row >= 0, texts.join('\n'));
  // The whole chain, and then the row of the cause.
  const buttons = await page.$$(`.events tbody tr:nth-child(${row + 1}) button`);
  await buttons[2].click();
  await frames(page);
  const chain = await page.$eval('.chain', (x) => x.innerText);
  assert.match(chain, /composite of us-east1\/checkout turns UNHEALTHY/);
  assert.match(chain, /fault sets in: /);
  await buttons[1].click();
  await page.waitForSelector('.events .marked');
  assert.match(await page.$eval('.events .marked', (x) => x.innerText), /clients-east learns that us-east1 is UNHEALTHY/);
  assert.ok(await page.$eval('.events .marked', (x) => x === document.activeElement));
  // From the verdict, too.
  await page.click('.clocks button.link');
  await page.waitForFunction(() => document.querySelector('.events .marked')?.innerText.includes('probers find'));
  await page.close();
});

for (const width of [390, 320])
  test(`fits a phone of ${width} pixels`, async () => {
    const { page, complaints } = await open(browser, { width, height: 800, touch: true });
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
    await page.screenshot({ path: shotFile(`phone-${width}.png`), fullPage: true });
    await page.close();
  });

for (const scheme of ['light', 'dark'])
  test(`has nothing that axe-core finds wrong, ${scheme}`, async () => {
    const { page } = await open(browser, { scheme });
    assert.deepEqual(await violations(page), []);
    await page.$$eval('details', (all) => all.forEach((x) => (x.open = true)));
    await frames(page);
    assert.deepEqual(await violations(page), []);
    await page.close();
  });

test('prints light, and as wide as paper, whatever the screen is', async () => {
  const { page, complaints } = await open(browser);
  await page.select('.theme select', 'dark');
  await frames(page);
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
  // What is there when paper is drawn: this listener comes after that of the page.
  await page.evaluate(() => {
    window.addEventListener('beforeprint', () => {
      window.printed = { theme: document.documentElement.dataset.theme };
    });
  });
  const file = shotFile('report.pdf');
  await page.pdf({ path: file, format: 'A4', margin: { top: '12mm', bottom: '12mm', left: '12mm', right: '12mm' } });
  assert.ok(statSync(file).size > 50_000);
  assert.equal(await page.evaluate(() => window.printed?.theme), 'light');
  await frames(page);
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
  // The same again, to look at.
  await page.emulateMediaType('print');
  await page.setViewport({ width: 700, height: 1000 });
  await frames(page);
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'light');
  assert.ok((await pixels(page, '#traffic', '--region-0')) > 5000);
  assert.ok((await page.$eval('#traffic canvas', (x) => x.clientWidth)) <= 660);
  assert.equal(await page.$eval('.toolbar', (x) => getComputedStyle(x).display), 'none');
  await page.screenshot({ path: shotFile('print.png'), fullPage: true });
  await page.emulateMediaType('screen');
  await frames(page);
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
  assert.deepEqual(complaints, []);
  await page.close();
});
