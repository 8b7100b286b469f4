// What speedscope makes of an exported trace. scripts/test.sh makes it and calls this.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, extname, join, normalize, resolve, sep } from 'node:path';
import { after, before, test } from 'node:test';
import { frames, launch, require, root, shotFile } from './browser.mjs';

const app = join(dirname(require.resolve('speedscope/package.json')), 'dist/release');
const trace = resolve(process.env.SPILLOVER_TRACE ?? join(root, 'build/web/trace.json'));
const tables = resolve(process.env.SPILLOVER_TABLES ?? join(root, 'build/web/tables'));
const types = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.json': 'application/json', '.woff2': 'font/woff2' };

let browser;
let server;
before(async () => {
  // speedscope draws by WebGL.
  browser = await launch(['--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader']);
  server = createServer((request, response) => {
    const path = new URL(request.url, 'http://localhost').pathname;
    const file = path === '/trace.json' ? trace : normalize(join(app, path === '/' ? 'index.html' : path));
    try {
      if (file !== trace && !file.startsWith(app + sep)) throw new Error('not of the app');
      const body = readFileSync(file);
      response.writeHead(200, { 'content-type': types[extname(file)] ?? 'application/octet-stream' }).end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
});
after(async () => {
  await browser?.close();
  server?.close();
});

/** Opens the trace; `complaints` gets whatever goes wrong meanwhile. */
async function open() {
  const page = await browser.newPage();
  const complaints = [];
  const here = `http://127.0.0.1:${server.address().port}`;
  page.on('console', (x) => {
    // What a driver in software says of its own speed is no word of speedscope's.
    if (['error', 'warn'].includes(x.type()) && !x.text().includes('GL Driver Message')) complaints.push(`console: ${x.text().slice(0, 300)}`);
  });
  page.on('pageerror', (x) => complaints.push(`error: ${x.message}`));
  page.on('request', (x) => {
    if (!x.url().startsWith(here) && !/^(data|blob):/.test(x.url())) complaints.push(`asks for ${x.url()}`);
  });
  await page.setViewport({ width: 1200, height: 700 });
  // What it saves is kept for the test.
  await page.evaluateOnNewDocument(() => {
    const make = URL.createObjectURL;
    URL.createObjectURL = (blob) => {
      window.saved = blob;
      return make.call(URL, blob);
    };
  });
  await page.goto(`${here}/#profileURL=${encodeURIComponent(`${here}/trace.json`)}`);
  await page.waitForFunction(() => /\(\d+\/\d+\)/.test(document.body.innerText), { timeout: 60_000 });
  await frames(page);
  return { page, complaints };
}

/** What it understood, in its own format. */
async function understood(page) {
  await page.evaluate(() => [...document.querySelectorAll('div')].find((x) => /^\S*Export$/.test(x.innerText.trim()) && x.children.length <= 1).click());
  await page.waitForFunction(() => window.saved !== undefined);
  return JSON.parse(await page.evaluate(() => window.saved.text()));
}

/** The spans of a profile by their frames, in microseconds. Ends without a beginning are an error. */
function spansOf(profile, frameNames) {
  const open = [];
  const result = [];
  for (const x of profile.events)
    if (x.type === 'O') open.push(x);
    else {
      const begun = open.pop();
      assert.equal(begun?.frame, x.frame, profile.name);
      result.push({ name: frameNames[x.frame].name, lasts: x.at - begun.at });
    }
  assert.deepEqual(open, [], profile.name);
  return result;
}

/** The hops of each request that take time, from the table beside the trace. */
function hops() {
  const [head, ...rows] = readFileSync(join(tables, 'hops.csv'), 'utf8').trimEnd().split('\n');
  const column = (name) => head.split(',').indexOf(name);
  const result = new Map();
  for (const row of rows) {
    const x = row.split(',');
    const lasts = Number(x[column('duration_ns')]);
    const request = Number(x[column('request')]);
    if (lasts > 0) result.set(request, [...(result.get(request) ?? []), { kind: x[column('kind')], region: x[column('region')], lasts }]);
  }
  return result;
}

test('opens in speedscope without a warning, each hop a span', async () => {
  const { page, complaints } = await open();
  assert.match(await page.evaluate(() => document.body.innerText), /director \(pid 1\), faults that last/);
  const { profiles, shared } = await understood(page);
  const names = profiles.map((x) => x.name);
  for (const name of [/^director \(pid 1\), faults that last/, /^clients-east \(pid \d+\), clients \(tid/, /clients-east \(pid \d+\), lb \(tid/, /^us-west1 \(pid \d+\), checkout\/web queue/])
    assert.ok(names.some((x) => name.test(x)), `${name} is none of ${names.slice(0, 20).join('; ')}`);
  const spans = profiles.flatMap((x) => spansOf(x, shared.frames));
  assert.ok(spans.some((x) => x.name.startsWith('instances us-east1/checkout/web: 50 % silent')));

  const found = new Map();
  for (const { name, lasts } of spans) {
    const request = Number(/"request":(\d+)/.exec(name)?.[1]);
    if (request) found.set(request, [...(found.get(request) ?? []), { name, lasts }]);
  }
  const expected = hops();
  assert.ok(expected.size > 100);
  assert.deepEqual([...found.keys()].sort(), [...expected.keys()].sort());
  const sorted = (list) => list.sort((a, b) => (a < b ? -1 : 1));
  for (const [request, all] of expected) {
    const title = ({ kind, region }) => (kind === 'request' ? `request ${request}` : kind === 'balancer_try' ? `try in ${region}` : kind.replaceAll('_', ' '));
    assert.deepEqual(
      sorted(found.get(request).map((x) => `${x.name.slice(0, x.name.indexOf(' {')).replaceAll(',', '')} ${Math.round(x.lasts * 1000)}`)),
      sorted(all.map((x) => `${title(x)} ${x.lasts}`)),
    );
  }
  assert.deepEqual(complaints, []);
  // To look at: requests in an instance.
  for (let i = names.findIndex((x) => /checkout\/web\/\d+ \(tid/.test(x)); i > 0; --i) await page.keyboard.press('n');
  await frames(page);
  await page.screenshot({ path: shotFile('speedscope.png') });
  await page.close();
});
