import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiWorld } from '../api/api-world.js';

const DOCS = join(import.meta.dirname, '..', '..', 'docs');

interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets?: readonly { readonly expr: string }[] }[];
}

interface Alerts {
  readonly groups: readonly { readonly rules: readonly { readonly alert: string; readonly expr: string }[] }[];
}

const dashboard = JSON.parse(readFileSync(join(DOCS, 'grafana-dashboard.json'), 'utf8')) as Dashboard;
const alerts = load(readFileSync(join(DOCS, 'prometheus-alerts.yaml'), 'utf8')) as Alerts;

const queries = [
  ...dashboard.panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [title, expr] as const)),
  ...alerts.groups.flatMap(({ rules }) => rules.map(({ alert, expr }) => [alert, expr] as const)),
];

describe('dashboard and alert rules in docs/', () => {
  let world: ApiWorld;
  /** Names of series, as Prometheus stores them. */
  let series: Set<string>;
  let labels: Map<string, Set<string>>;

  beforeAll(async () => {
    world = await ApiWorld.start({
      fetcher:
        '<cw:Login name="intranet" type="basic" url="http://127.0.0.1:9/" insecure="true" user="u" password="p"/>',
      more: '<cw:Plugin file="plugins/quiet.mjs"/><cw:Quota name="all" maxUrls="100"><cw:Covers crawler="test"/></cw:Quota>',
      files: { 'plugins/quiet.mjs': 'export default { apiVersion: 1, onDocument() {} }' },
    });
    await world.caughtUp();
    const lines = (await world.get('/metrics')).text.split('\n').filter((line) => line && !line.startsWith('#'));
    series = new Set(lines.map((line) => /^\w+/.exec(line)![0]));
    labels = new Map([...series].map((name) => [name, labelsOf(lines, name)]));
  });

  afterAll(() => world.stop());

  it.each(queries)('%s asks for metrics and labels that exist', (_title, expr) => {
    const selectors = [...expr.matchAll(/\b(crawlway_\w+)(?:\{([^}]*)\})?/g)];
    for (const [, name, matchers = ''] of selectors) {
      expect(series).toContain(name);
      for (const [, label] of matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)) expect(labels.get(name!)).toContain(label);
    }
    expect(selectors.length > 0 || expr.startsWith('up{')).toBe(true);
  });

  it("there is at least one panel for each of the server's own metrics", () => {
    const own = [...series].filter((name) => !/^crawlway_(process|nodejs)_/.test(name)).map(withoutSuffix);
    const asked = queries.map(([, expr]) => expr).join('\n');
    expect(own.filter((name) => !asked.includes(name))).toEqual([]);
  });
});

const labelsOf = (lines: readonly string[], name: string): Set<string> =>
  new Set(
    lines
      .filter((line) => line.startsWith(`${name}{`))
      .flatMap((line) => [...line.matchAll(/[{,](\w+)="/g)].map(([, label]) => label!)),
  );

const withoutSuffix = (name: string): string => name.replace(/_(?:bucket|sum|count)$/, '');
