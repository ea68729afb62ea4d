/** Who may see a document, as a search by the filter of docs/acl.md finds it in a real OpenSearch. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
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

  async function foundBy(where: string, principals: readonly string[]): Promise<string[]> {
    await engine.call('POST', `${where}/_refresh`);
    const query = { ...documentedQuery(principals), size: 100 };
    const { hits } = (await engine.call('POST', `${where}/_search`, query)) as {
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
    expect(await foundBy(index, ['jane', 'Human Resources', 'everyone'])).toEqual([
      '/',
      '/hr/pay',
      '/hr/travel',
      '/open',
    ]);
    expect(await foundBy(index, ['tom', 'Human Resources', 'interns', 'everyone'])).toEqual(['/', '/open']);
    expect(await foundBy(index, ['ada', 'board', 'everyone'])).toEqual(['/', '/board', '/open']);
    expect(await foundBy(index, ['Human'])).toEqual([]);
    const asked = site.requests.length;
    const before = await versions();
    await world.reconfigure(configuration(`${rules}${rule('/hr/travel', 'allow="everyone"')}`));
    await world.pass(minutes(2));
    expect(await foundBy(index, ['tom', 'Human Resources', 'interns', 'everyone'])).toEqual([
      '/',
      '/hr/travel',
      '/open',
    ]);
    expect(site.requests.slice(asked)).toEqual([]);
    const after = await versions();
    expect([...after].filter(([path, version]) => before.get(path) !== version)).toEqual([['/hr/travel', 2]]);
  });

  it('ten people see exactly the documents that are theirs, through every change', async () => {
    const site = await startSite();
    const people = Array.from({ length: 10 }, (_, i) => [
      `user${i}`,
      `team${i % 4}`,
      ...(i % 3 === 0 ? ['staff'] : []),
      'everyone',
    ]);
    // Twenty pages by rules, and twenty that name their readers in a header.
    const byRule = Array.from({ length: 20 }, (_, i) => `/r${i % 5}/d${i}`);
    const byHeader = Array.from({ length: 20 }, (_, i) => `/h/d${i}`);
    const headers = new Map(
      byHeader.map((path, i) => [path, [`team${i % 4}, user${i % 10}`, 'everyone', '', 'staff'][i % 4]!]),
    );
    site.page('/', [...byRule, ...byHeader]);
    for (const path of [...byRule, ...byHeader])
      site.set(path, (request, response) => {
        const acl = headers.get(path);
        const fields = { 'content-type': 'text/html', etag: '"1"', ...(acl === undefined ? {} : { 'x-acl': acl }) };
        const isKnown = request.headers['if-none-match'] === '"1"';
        response
          .writeHead(isKnown ? 304 : 200, fields)
          .end(isKnown ? '' : `<title>${path}</title><p>All about expenses: ${path}.`);
        return undefined;
      });
    const rules = new Map([
      ['/r0/', { allow: ['team0'], deny: ['user4'] }],
      ['/r1/', { allow: ['staff', 'user1'], deny: [] }],
      ['/r2/', { allow: ['everyone'], deny: ['team1'] }],
      ['/r3/', { allow: ['user3', 'user7'], deny: ['staff'] }],
      ['/', { allow: [] as string[], deny: [] as string[] }],
    ]);
    const expected = (person: readonly string[]): string[] => {
      const sees = (allow: readonly string[], deny: readonly string[]): boolean =>
        allow.some((name) => person.includes(name)) && !deny.some((name) => person.includes(name));
      const ofRule = byRule.filter((path) => {
        const rule = rules.get(path.slice(0, 4)) ?? { allow: [], deny: [] };
        return sees(rule.allow, rule.deny);
      });
      return [...ofRule, ...byHeader.filter((path) => sees((headers.get(path) ?? '').split(', '), []))].sort();
    };
    const crawler = () => {
      const elements = [...rules].map(
        ([path, { allow, deny }]) =>
          `<cw:AclRule url="${site.url(path)}" allow="${allow.join()}" deny="${deny.join()}"/>`,
      );
      return {
        crawler: `<Crawler name="test" nthreads="8" aggressive="true" defaultAccept="true" crawlSitemaps="false" nearDuplicateDetector="false" smartRefreshMinAgeS="60">
          <Root url="${site.url('/')}"/><cw:Acl default="everyone" header="X-Acl">${elements.join('')}</cw:Acl><cw:PushTo sink="search"/></Crawler>`,
        more: `<cw:Sink name="search" type="opensearch" url="${engine.url}" index="${index}-people"/>`,
      };
    };
    const compare = async (when: string): Promise<void> => {
      await engine.call('POST', `${index}-people/_refresh`);
      for (const person of people)
        expect(await foundBy(`${index}-people`, person), `${person[0]} ${when}`).toEqual(expected(person));
    };
    const visitAll = async (): Promise<void> => {
      await world.engine.maintenance.refresh('test', { like: '%' });
      await world.untilIdle(minutes(5));
    };
    const world = await start({ index: 'none', ...crawler() });
    onTestFinished(() => engine.call('DELETE', `${index}-people`).then(() => undefined));
    await world.untilIdle(minutes(5));
    await compare('at first');

    rules.set('/r0/', { allow: ['team0', 'team2'], deny: [] }).set('/r2/', { allow: ['user9'], deny: ['everyone'] });
    rules.delete('/r3/');
    await world.reconfigure(crawler());
    await world.pass(minutes(5));
    await compare('after a change of the rules');

    for (const [i, path] of byHeader.entries()) headers.set(path, i % 2 === 0 ? `user${i % 10}` : 'team3, staff');
    await visitAll();
    await compare('after a change of the headers');

    site.set('/h/d3', { status: 403 });
    headers.delete('/h/d3');
    headers.set('/h/d5', '').set('/h/d7', 'x'.repeat(300));
    for (let round = 0; round < 3; round++) await visitAll();
    await compare('after pages have become restricted');
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
