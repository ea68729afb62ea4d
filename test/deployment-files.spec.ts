/** No container engine runs in these tests, so the files are held against what they name: each other, the program, the API. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load, loadAll, YAML11_SCHEMA } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { readConfiguration } from '../src/adapters/config-xml/read.js';
import { readServerOptions } from '../src/server/options.js';
import { itUnless } from './support/left-out.js';
import { temporaryDirectory } from './support/temporary-directory.js';

const ROOT = join(import.meta.dirname, '..');
const text = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const launcher = text('scripts/launch.mjs');
const PATHS = Object.keys((load(text('openapi.yaml')) as { paths: object }).paths);
const KEY = `me:admin:${'k'.repeat(48)}`;

/** Do the options that the server reads out of this environment make sense? */
function readOptions(environment: Readonly<Record<string, string>>): void {
  const known = text('src/server/options.ts') + text('src/server/engine.module.ts');
  // Whatever begins with CRAWLWAY_SECRET_ is for the configuration.
  const options = Object.keys(environment).filter((name) => !name.startsWith('CRAWLWAY_SECRET_'));
  for (const name of options) expect(known, name).toContain(name);
  readServerOptions({}, { CRAWLWAY_HOST: '0.0.0.0', CRAWLWAY_API_KEYS: KEY, ...environment });
}

describe('Dockerfile', () => {
  const instructions = text('Dockerfile')
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => /^([A-Z]+)\s+(.*)$/.exec(line)!.slice(1) as [string, string]);
  const of = (name: string): string[] => instructions.filter(([each]) => each === name).map(([, rest]) => rest);
  const final = instructions.slice(instructions.findLastIndex(([name]) => name === 'FROM'));

  it('builds in one stage and runs in another, both with the Node version that the launcher pins', () => {
    const pinned = /PINNED_NODE = '([\d.]+)'/.exec(launcher)![1];
    const images = of('FROM');
    expect(images.length).toBeGreaterThan(1);
    for (const image of images)
      expect(image).toMatch(new RegExp(`^node:${pinned!.replaceAll('.', '\\.')}-\\S+-slim\\b`));
  });

  it('does not run as root: it sets a numeric user first', () => {
    // Without an entry in /etc/passwd its home is unknown, and with that no browser starts.
    expect(final.find(([name]) => name === 'ENV')![1]).toMatch(/\bHOME=\/tmp\b/);
    const user = final.findIndex(([name, rest]) => name === 'USER' && /^[1-9]\d*:[1-9]\d*$/.test(rest));
    expect(user).toBeGreaterThan(0);
    expect(user).toBeLessThan(final.findIndex(([name]) => name === 'ENTRYPOINT'));
  });

  it('copies only existing files', () => {
    for (const sources of of('COPY').filter((rest) => !rest.startsWith('--')))
      for (const source of sources.split(/\s+/).slice(0, -1)) expect(existsSync(join(ROOT, source)), source).toBe(true);
    const built = ['node_modules', 'dist/package'];
    for (const sources of of('COPY').filter((rest) => rest.startsWith('--from=build')))
      for (const source of sources.split(/\s+/).slice(1, -1)) {
        const path = source.replace('/build/', '');
        expect(built.includes(path) || existsSync(join(ROOT, path)), path).toBe(true);
      }
  });

  it("starts the program in exec form with the launcher's flags, and has a health check", () => {
    const [entry] = of('ENTRYPOINT').map((rest) => JSON.parse(rest) as string[]);
    const flags = /RUNTIME_FLAGS = \[(.*?)\]/s.exec(launcher)![1]!.matchAll(/'(--max[^']+|--heap[^']+)'/g);
    for (const [, flag] of flags) expect(entry).toContain(flag);
    expect(launcher).toContain(`'${entry!.at(-1)}'`);
    expect(of('HEALTHCHECK')[0]).toContain('/health/ready');
    const environment = Object.fromEntries(
      of('ENV').flatMap((rest) =>
        [...rest.matchAll(/(CRAWLWAY_\w+)=(\S+)/g)].map(([, name, value]) => [name!, value!]),
      ),
    );
    readOptions(environment);
    expect(of('EXPOSE')).toEqual([environment['CRAWLWAY_PORT']]);
  });
});

describe('compose.yaml', () => {
  interface Service {
    readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
    readonly healthcheck?: object;
    readonly build?: string;
    readonly image: string;
    readonly volumes?: readonly string[];
    readonly entrypoint?: readonly string[];
    readonly environment?: Readonly<Record<string, string>>;
  }
  const compose = load(text('compose.yaml'), { schema: YAML11_SCHEMA }) as {
    services: Record<string, Service>;
    volumes: object;
  };
  const services = Object.entries(compose.services);

  it('has a server, further nodes, PostgreSQL and the index, each waiting for what it needs', () => {
    expect(Object.keys(compose.services).sort()).toEqual(['index', 'node', 'postgres', 'server']);
    for (const [name, { depends_on: needs = {} }] of services)
      for (const [needed, { condition }] of Object.entries(needs)) {
        expect(compose.services, name).toHaveProperty(needed);
        if (condition === 'service_healthy') expect(compose.services[needed]).toHaveProperty('healthcheck');
      }
  });

  it('mounts existing files, and pins third-party images', () => {
    for (const [name, { volumes = [], build, image }] of services) {
      for (const source of volumes.map((volume) => volume.split(':')[0]!))
        if (source.startsWith('.')) expect(existsSync(join(ROOT, source)), name).toBe(true);
        else if (!source.startsWith('/')) expect(compose.volumes).toHaveProperty(source);
      if (build === undefined) expect(image).toMatch(/:\d+/);
    }
  });

  it('gives the servers valid options and a valid configuration', () => {
    for (const name of ['server', 'node']) {
      const { environment } = compose.services[name]!;
      const filled = Object.entries(environment!).map(([key, value]) => [key, value.replace(/\$\{\w+:\?[^}]*\}/, KEY)]);
      readOptions(Object.fromEntries(filled));
    }
    const read = readConfiguration(text('deploy/compose/CrawlConfig.xml'), {
      file: 'CrawlConfig.xml',
      env: { CRAWLWAY_SECRET_INDEX: 'pass' },
      readFile: () => '',
    });
    expect(read.problems).toEqual([]);
    const { port, hostname } = new URL(read.definition!.sinks[0]!.url!);
    expect(compose.services[hostname]!.entrypoint).toContain(port);
  });
});

describe('the bundled index in compose.yaml', () => {
  it('starts with its command, and is healthy with its login only', async () => {
    const { entrypoint, environment, healthcheck } = (
      load(text('compose.yaml'), { schema: YAML11_SCHEMA }) as {
        services: {
          index: { entrypoint: string[]; environment: Record<string, string>; healthcheck: { test: string[] } };
        };
      }
    ).services.index;
    const env = { PATH: process.env['PATH'], INDEX_LOGIN: environment['INDEX_LOGIN'], INDEX_PASSWORD: 'pass' };
    const place: Record<string, string> = { '/var/lib/crawlway': temporaryDirectory(), '8741': '0' };
    const args = entrypoint.slice(1).map((word) => place[word] ?? word);
    const index = spawn(process.execPath, args, { cwd: ROOT, env });
    try {
      const [said] = await once(index.stdout.setEncoding('utf8'), 'data');
      const port = /:(\d+)/.exec(said)![1]!;
      const probe = healthcheck.test.slice(2).map((word) => word.replace('8741', port));
      const healthy = async (password: string): Promise<unknown> => {
        const check = spawn(process.execPath, probe, { env: { ...env, INDEX_PASSWORD: password } });
        return (await once(check, 'exit'))[0];
      };
      expect([await healthy('pass'), await healthy('wrong')]).toEqual([0, 1]);
    } finally {
      index.kill();
    }
  });
});

describe('deploy/systemd/crawlway.service', () => {
  const analyze = (...args: string[]) =>
    spawnSync('systemd-analyze', [...args, 'deploy/systemd/crawlway.service'], { cwd: ROOT, encoding: 'utf8' });

  const noSystemd = analyze('verify').error && 'systemd-analyze is not installed';
  itUnless(noSystemd, 'is understood by systemd, which finds little exposed', () => {
    const { status, stderr } = analyze('verify');
    expect([status, stderr]).toEqual([0, '']);
    // Tenths: up to 2.0 of 10 points of exposure.
    expect(analyze('security', '--offline=true', '--threshold=20', '--no-pager').status).toBe(0);
  });
});

describe('deploy/kubernetes/crawlway.yaml', () => {
  type Labels = Readonly<Record<string, string>>;
  interface Container {
    readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
    readonly env: readonly { readonly name: string; readonly value?: string; readonly valueFrom?: object }[];
    readonly volumeMounts: readonly { readonly name: string }[];
    readonly resources: { readonly requests: object; readonly limits: object };
    readonly securityContext: object;
    readonly [probe: `${string}Probe`]: { readonly httpGet: { readonly path: string; readonly port: string } };
  }
  interface Manifest {
    readonly kind: string;
    readonly metadata: { readonly name: string };
    readonly spec: {
      readonly selector: Labels & { readonly matchLabels?: Labels };
      readonly ports?: readonly { readonly targetPort: string }[];
      readonly template?: {
        readonly metadata: { readonly labels: Labels };
        readonly spec: {
          readonly securityContext: object;
          readonly terminationGracePeriodSeconds: number;
          readonly containers: readonly Container[];
          readonly volumes: readonly { readonly name: string }[];
        };
      };
    };
  }
  const manifests = loadAll(text('deploy/kubernetes/crawlway.yaml')) as Manifest[];
  const deployments = manifests.filter(({ kind }) => kind === 'Deployment');
  const pods = deployments.map(({ metadata, spec }) => ({ name: metadata.name, ...spec.template!.spec }));

  it('selects the pods that it creates', () => {
    for (const { metadata, spec } of manifests) {
      const wanted = spec.selector.matchLabels ?? spec.selector;
      const found = deployments.filter(({ spec: { template } }) =>
        Object.entries(wanted).every(([label, value]) => template!.metadata.labels[label] === value),
      );
      expect(found.length, metadata.name).toBe(1);
      for (const { targetPort } of spec.ports ?? [])
        expect(found[0]!.spec.template!.spec.containers[0]!.ports.map(({ name }) => name)).toContain(targetPort);
    }
  });

  it.each(pods)('$name: valid probes, no root, limits, time to hand over', (pod) => {
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true });
    const drain = Number(/DRAIN_TIME = seconds\((\d+)\)/.exec(text('src/server/serve.ts'))![1]);
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(drain);
    for (const container of pod.containers) {
      for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'] as const) {
        const { path, port } = container[probe]!.httpGet;
        expect(PATHS).toContain(path);
        expect(container.ports.map(({ name }) => name)).toContain(port);
      }
      expect(container.securityContext).toMatchObject({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
      });
      expect(container.resources).toMatchObject({
        requests: { cpu: expect.anything() },
        limits: { memory: expect.anything() },
      });
      const volumes = pod.volumes.map(({ name }) => name);
      for (const { name } of container.volumeMounts) expect(volumes).toContain(name);
      const values = container.env.map(({ name, value }) => [
        name,
        value ?? (name === 'CRAWLWAY_DATABASE_URL' ? 'postgres://postgres/crawlway' : KEY),
      ]);
      readOptions(Object.fromEntries(values));
    }
  });
});

describe('deploy/helm/crawlway', () => {
  const helm = (...args: string[]) => spawnSync('helm', args, { cwd: ROOT, encoding: 'utf8' });
  const template = (...values: string[]) =>
    helm('template', 'crawlway', 'deploy/helm/crawlway', '--kube-version', '1.30', ...values);

  const noHelm = helm('version').error && 'helm is not installed';
  itUnless(noHelm, 'is rendered to the plain files, and asks for a configuration', () => {
    expect(template().stderr).toContain('a configuration is needed: --set-file configuration=CrawlConfig.xml');
    expect(helm('lint', '--strict', 'deploy/helm/crawlway').status).toBe(0);
    type Rendered = {
      kind: string;
      metadata: { name: string };
      data?: object;
      spec: { template?: { spec: { containers: { env: { name: string }[] }[]; volumes: object[] } } };
    };
    const rendered = (...values: string[]) => loadAll(template(...values).stdout) as Rendered[];
    const own = rendered('--set-file', 'configuration=CrawlConfig.xml.example');
    expect(own.find(({ kind }) => kind === 'ConfigMap')?.data).toEqual({
      'CrawlConfig.xml': text('CrawlConfig.xml.example'),
    });
    const plain = loadAll(text('deploy/kubernetes/crawlway.yaml')) as Rendered[];
    const environments = (manifests: Rendered[]) =>
      manifests.flatMap(({ metadata, spec }) =>
        (spec?.template?.spec.containers ?? []).map(({ env }) => [metadata.name, env.map(({ name }) => name)]),
      );
    expect(environments(own)).toEqual(environments(plain));
    const others = rendered('--set', 'existingConfigMap=mine');
    expect(others.map(({ kind }) => kind)).not.toContain('ConfigMap');
    const mounted = others.flatMap(({ spec }) => spec.template?.spec.volumes ?? []);
    expect(mounted).toContainEqual({ name: 'configuration', configMap: { name: 'mine' } });
  });
});
