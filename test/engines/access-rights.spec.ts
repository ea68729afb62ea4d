/** Who may see a document, as a search by the filter of docs/acl.md finds it in a real OpenSearch. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { minutes } from '../../src/domain/time/units.js';
import { describeUnless } from '../support/left-out.js';
import { start, startSite } from '../support/scenario.js';
import { type SearchEngine, searchEngineIsMissing, startSearchEngine } from './support/search-engine.js';

const missing = searchEngineIsMissing('opensearch');

/** The query of the page, which names Jane of the department hr; here for others, and without its words. */
function documentedQuery(principals: readonly string[]): object {
  const page = readFileSync(new URL('../../docs/acl.md', import.meta.url), 'utf8');
  const [, json] = /```json\n([\s\S]*?)```/.exec(page)!;
  const jane = '["jane", "hr", "everyone"]';
  expect(json!.split(jane)).toHaveLength(3);
  const forMe = json!.replaceAll(jane, JSON.stringify(principals));
  return JSON.parse(forMe.replace('travel expenses', 'expenses')) as object;
}

describeUnless(missing, 'access rights in OpenSearch', () => {
  let engine: SearchEngine;
  const index = `crawlway-acl-${process.pid}`;

  beforeAll(async () => {
    engine = await startSearchEngine('opensearch');
  }, 900_000);
  afterAll(async () => {
    await engine?.call('DELETE', index);
    await engine?.close();
  });

  async function foundBy(...principals: string[]): Promise<string[]> {
    await engine.call('POST', `${index}/_refresh`);
    const { hits } = (await engine.call('POST', `${index}/_search`, documentedQuery(principals))) as {
      hits: { hits: { _source: { uri: string } }[] };
    };
    return hits.hits.map(({ _source }) => new URL(_source.uri).pathname).sort();
  }

  it('two users find different documents, and others after a change of the rules without any request to the site', async () => {
    const site = await startSite();
    const text = 'All about expenses.';
    site.page('/', ['/hr/pay', '/hr/travel', '/board', '/open'], text);
    for (const path of ['/hr/pay', '/hr/travel', '/board', '/open']) site.page(path, [], `${text} ${path}`);
    const rule = (path: string, principals: string) => `<cw:AclRule url="${site.url(path)}" ${principals}/>`;
    const configuration = (rules: string) => ({
      crawler: `<Crawler name="test" nthreads="8" aggressive="true" defaultAccept="true" crawlSitemaps="false" nearDuplicateDetector="false">
        <Root url="${site.url('/')}"/><cw:Acl>${rule('/', 'allow="everyone"')}${rules}</cw:Acl><cw:PushTo sink="search"/></Crawler>`,
      more: `<cw:Sink name="search" type="opensearch" url="${engine.url}" index="${index}"/>`,
    });
    const rules = `${rule('/hr/', 'allow="Human Resources" deny="interns"')}${rule('/board', 'allow="board"')}`;
    const world = await start({ index: 'none', ...configuration(rules) });
    await world.untilIdle();
    expect(await foundBy('jane', 'Human Resources', 'everyone')).toEqual(['/', '/hr/pay', '/hr/travel', '/open']);
    expect(await foundBy('tom', 'Human Resources', 'interns', 'everyone')).toEqual(['/', '/open']);
    expect(await foundBy('ada', 'board', 'everyone')).toEqual(['/', '/board', '/open']);
    expect(await foundBy('Human')).toEqual([]);
    const asked = site.requests.length;
    const before = await versions();
    await world.reconfigure(configuration(`${rules}${rule('/hr/travel', 'allow="everyone"')}`));
    await world.pass(minutes(2));
    expect(await foundBy('tom', 'Human Resources', 'interns', 'everyone')).toEqual(['/', '/hr/travel', '/open']);
    expect(site.requests.slice(asked)).toEqual([]);
    const after = await versions();
    expect([...after].filter(([path, version]) => before.get(path) !== version)).toEqual([['/hr/travel', 2]]);
  });

  /** How often each document was written. */
  async function versions(): Promise<Map<string, number>> {
    await engine.call('POST', `${index}/_refresh`);
    const { hits } = (await engine.call('POST', `${index}/_search`, { version: true })) as {
      hits: { hits: { _version: number; _source: { uri: string } }[] };
    };
    return new Map(hits.hits.map(({ _version, _source }) => [new URL(_source.uri).pathname, _version]));
  }
});
