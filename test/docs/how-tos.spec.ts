import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { PROJECT_ROOT } from '../../src/server/project-root.js';
import { FakeSite } from '../support/fake-site.js';
import { MemberSite } from '../support/member-site.js';
import { startElasticsearchReceiver } from '../support/receivers/elasticsearch-receiver.js';
import { startSolrReceiver } from '../support/receivers/solr-receiver.js';
import { pdf } from '../support/sample-documents.js';
import { ServedCrawl } from '../support/served-crawl.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { howTos, replaced, runBlocks, runHowTo, runWorkflow } from './how-to.js';

/** Run by test/engines/how-tos.spec.ts, which has the engines, test/rendering, which has the browser, or test/api. */
const ELSEWHERE = [
  'OpenSearch with a mapping of your own',
  'Kafka',
  'A single-page application',
  'What changed since yesterday?',
];
/** They want root, a container or a cluster; test/deployment-files.spec.ts looks at the files that they name. */
const NOT_RUN = ['Run it under systemd', 'Docker and Kubernetes'];
const RUN: string[] = [];

/** A test that runs the how-to of that heading. */
const howTo = (heading: string, run: (heading: string) => Promise<void>): void => {
  RUN.push(heading);
  it(heading, () => run(heading), 180_000);
};

async function startSite(): Promise<FakeSite> {
  const site = await FakeSite.start();
  onTestFinished(() => site.close());
  return site;
}

const manual = async (): Promise<FakeSite> =>
  (await startSite()).page('/', ['/a.html', '/missing.html', 'https://other.example/']).page('/a.html');

howTo('Elasticsearch', async (heading) => {
  const site = await manual();
  const engine = await startElasticsearchReceiver('elasticsearch', 'web');
  const { commands } = await runHowTo(heading, {
    'https://www.example.com': site.origin,
    'https://search.example.com:9200': engine.url,
  });
  expect([...engine.documents.values()].map(({ uri }) => uri).sort()).toEqual([site.url('/'), site.url('/a.html')]);
  expect(engine.settings()?.mappings.properties['title']).toMatchObject({ type: 'text' });
  expect((await commands()).join()).toMatch(/search.*is responding/s);
});

howTo('Solr', async (heading) => {
  const site = await manual();
  const engine = await startSolrReceiver('web');
  const addresses = { 'https://www.example.com': site.origin, 'https://search.example.com:8983': engine.url };
  await runHowTo(heading, addresses);
  expect([...engine.committed().keys()].sort()).toEqual([site.url('/'), site.url('/a.html')]);
});

howTo('WordPress and Drupal', async (heading) => {
  const site = await startSite();
  const posts = ['/2026/one/', '/2026/two/'];
  site
    .page('/', ['/2026/one/', '/tag/news/', '/author/jane/', '/?s=words', '/search/words', '/user/login'])
    .page('/2026/one/', ['/2026/one/?replytocom=7'])
    .page('/2026/two/')
    .page('/tag/news/', ['/2026/two/'])
    .page('/author/jane/');
  const { crawl } = await runHowTo(heading, { 'https://blog.example.com': site.origin });
  expect(crawl.documents()).toEqual(['/', ...posts]);
  expect(site.fetched.filter((path) => /replytocom|s=|search|user/.test(path))).toEqual([]);
});

howTo('An intranet', async (heading) => {
  const site = await startSite();
  const known = `Basic ${Buffer.from('crawler:right').toString('base64')}`;
  for (const [path, links] of [
    ['/', ['/a.html']],
    ['/a.html', []],
  ] as const)
    site.set(path, ({ headers }) =>
      headers.authorization === known
        ? { headers: { 'content-type': 'text/html' }, body: links.map((href) => `<a href="${href}">x</a>`).join() }
        : { status: 401 },
    );
  const { crawl } = await runHowTo(heading, { 'https://wiki.corp.example': site.origin });
  expect(crawl.documents()).toEqual(['/', '/a.html']);
});

howTo('An intranet with a login form', async (heading) => {
  const site = await MemberSite.start({ kind: 'csrf', pages: ['/', '/members.html'] });
  const { crawl, commands } = await runHowTo(heading, { 'https://members.corp.example': site.origin });
  expect(crawl.documents()).toEqual(['/', '/members.html']);
  expect(site.tried).toEqual(['right']);
  expect((await commands()).join()).toMatch(/login members works[\s\S]*members/);
});

howTo('Who may see a document', async (heading) => {
  const site = await startSite();
  const seenBy = (names: string, body: string) => ({
    headers: { 'content-type': 'text/html', 'x-acl-allow': names },
    body,
  });
  const links = ['/hr/pay.html', '/board.html', '/unnamed.html'].map((href) => `<a href="${href}">x</a>`).join('');
  site.set('/', seenBy('everyone', links)).set('/board.html', seenBy('board', '<p>Minutes</p>'));
  site.page('/hr/pay.html').page('/unnamed.html');
  const { crawl } = await runHowTo(heading, { 'https://www.corp.example': site.origin });
  const rights = Object.fromEntries(
    crawl
      .orders()
      .map(({ uri, document }) => [
        new URL(uri).pathname,
        document?.metas.filter(({ name }) => name.startsWith('acl_')).map(({ name, value }) => `${name}=${value}`),
      ]),
  );
  expect(rights).toEqual({
    '/': ['acl_allow=everyone'],
    '/board.html': ['acl_allow=board'],
    '/hr/pay.html': ['acl_allow=hr', 'acl_allow=board', 'acl_deny=interns'],
    '/unnamed.html': [],
  });
});

howTo('Only the pages of a sitemap', async (heading) => {
  const site = await startSite();
  const listed = ['/a.html', '/b.html'].map((path) => `<url><loc>${site.url(path)}</loc></url>`).join('');
  site.set('/sitemap.xml', {
    headers: { 'content-type': 'application/xml' },
    body: `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${listed}</urlset>`,
  });
  site.page('/a.html', ['/c.html']).page('/b.html').page('/c.html');
  const { crawl } = await runHowTo(heading, { 'https://www.example.com': site.origin });
  expect(crawl.documents()).toEqual(['/a.html', '/b.html']);
});

howTo('A library of PDF files', async (heading) => {
  const site = await startSite();
  const body = pdf();
  site.page('/', ['/shelf/']).page('/shelf/', ['/shelf/Book.PDF']);
  site.set('/shelf/Book.PDF', { headers: { 'content-type': 'application/pdf' }, body });
  const { crawl } = await runHowTo(heading, { 'https://library.example.com': site.origin });
  expect(crawl.documents()).toEqual(['/shelf/Book.PDF']);
  expect(crawl.orders()[0]?.document?.text).toContain('grey heron');
});

howTo('Retrieval for language models', async (heading) => {
  const site = await startSite();
  const body = `<title>Lamps</title><nav><a href="/">Home</a> Menuword</nav><main><h1>Lamps</h1><p>${'A lamp of brass burns oil. '.repeat(9)}</p>
    <h2>Care</h2><p>${'Wipe it with a soft cloth. '.repeat(9)}</p></main><footer>Footword</footer>`;
  site.set('/', { headers: { 'content-type': 'text/html' }, body });
  const { crawl, commands } = await runHowTo(heading, { 'https://docs.example.com': site.origin });
  const document = crawl.orders()[0]?.document;
  expect(document?.chunks?.map(({ path }) => path)).toEqual([['Lamps'], ['Lamps', 'Care']]);
  expect(document?.markdown).toMatch(/^# Lamps[\s\S]*## Care/);
  expect(`${document?.text} ${document?.markdown}`).not.toMatch(/Menuword|Footword/);
  expect(await commands()).toEqual([`${document?.markdown}\n`]);
});

howTo('Several sinks', async (heading) => {
  const site = await manual();
  const engine = await startSolrReceiver('web');
  const addresses = { 'https://www.example.com': site.origin, 'https://search.example.com:8983': engine.url };
  const { crawl } = await runHowTo(heading, addresses);
  expect(engine.committed().size).toBe(2);
  expect(crawl.documents()).toEqual(['/', '/a.html']);
});

RUN.push('Why is a page missing?', 'Backup, upgrade, and moving to PostgreSQL');
it('Why is a page missing, and the backup: the commands against a crawl', async () => {
  const site = await manual();
  const addresses = { 'https://www.example.com': site.origin };
  const { crawl } = await runHowTo('Only the pages of a sitemap', addresses, wholeSite);
  const [ask = ''] = howTos().get('Why is a page missing?')!.commands;
  const lines = replaced(ask, addresses).trim().split('\n');
  // A page that is missing ends `explain` with 3, which is what it is for.
  const answers = await runBlocks(
    crawl.folder,
    lines.map((line) => `${line} || test $? -eq 3`),
    { CRAWLWAY_PORT: crawl.port },
  );
  expect(answers[0]).toMatch(/missing\.html[\s\S]*404/);
  expect(answers[1]).toMatch(/outside-site\s+other\.example/);
  expect(answers[2]).toContain(`${site.origin}/`);
  expect(answers[3]).toMatch(/listed/);
  await crawl.server.close();
  const [backup = ''] = howTos().get('Backup, upgrade, and moving to PostgreSQL')!.commands;
  const moved = backup.replace('postgres://…', `sqlite:${join(crawl.folder, 'moved.sqlite')}`);
  await runBlocks(crawl.folder, [moved]);
  expect(statSync(join(crawl.folder, 'moved.sqlite')).size).toBeGreaterThan(1000);
}, 180_000);

howTo('Remove pages from the index', async (heading) => {
  const site = (await startSite()).page('/', ['/a.html', '/old/b.html']).page('/a.html').page('/old/b.html');
  const addresses = { 'https://www.example.com': site.origin };
  const { crawl: ruled } = await runHowTo(heading, addresses);
  expect(ruled.documents()).toEqual(['/', '/a.html']);
  const { crawl, commands } = await runHowTo(heading, addresses, (xml) => xml.replace(/<Rules>.*<\/Rules>/s, ''));
  expect(crawl.documents()).toEqual(['/', '/a.html', '/old/b.html']);
  expect((await commands()).join()).toBe('1 URL was deleted\n');
});

howTo('Crawl at night only', async (heading) => {
  const site = await manual();
  const addresses = { 'https://www.example.com': site.origin };
  const clock = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 16);
  const nightIsNow = (xml: string) =>
    xml.replace('Europe/Berlin', 'UTC').replace('22:00', clock(-2)).replace('06:00', clock(2));
  const { crawl } = await runHowTo(heading, addresses, nightIsNow);
  expect(crawl.documents()).toEqual(['/', '/a.html']);
});

/** The crawl of a whole site, in place of a sitemap. */
const wholeSite = (xml: string): string =>
  xml.replace(/<cw:Conditions[\s\S]*<\/cw:Conditions>/, '').replace('/sitemap.xml" entireSite="true"', '/"');

howTo('Change the configuration by pull request', async (heading) => {
  const site = await manual();
  const { crawl, commands } = await runHowTo(heading, { 'https://handbook.example.com': site.origin });
  const inForce = readFileSync(join(crawl.folder, 'config', 'CrawlConfig.xml'), 'utf8');
  const rule = '<Rules><Rule><Path value="/drafts/"/><NoIndex/></Rule></Rules>';
  writeFileSync(join(crawl.folder, 'CrawlConfig.xml'), inForce.replace('<cw:PushTo', `${rule}<cw:PushTo`));
  const [checked, applied] = await commands();
  expect(checked).toMatch(/none of the \d stored URLs would change/);
  expect(applied).toMatch(/version 2 is in force\n.*VERSION[^\n]*\n +2 /);
  expect(readFileSync(join(crawl.folder, 'config', 'CrawlConfig.xml'), 'utf8')).toContain(rule);
});

it('the workflow previews pull requests, and applies what is merged', async () => {
  const site = await manual();
  const heading = 'Change the configuration by pull request';
  const { crawl } = await runHowTo(heading, { 'https://handbook.example.com': site.origin });
  const file = join(crawl.folder, 'CrawlConfig.xml');
  const inForce = (): string => readFileSync(join(crawl.folder, 'config', 'CrawlConfig.xml'), 'utf8');
  const before = inForce();
  const write = (rule: string): void => writeFileSync(file, before.replace('<cw:PushTo', `${rule}<cw:PushTo`));
  const run = (event: string): Promise<string[]> => {
    const workflow = replaced(howTos().get(heading)!.workflows[0]!, { 'https://crawl.example.com': crawl.server.url });
    return runWorkflow(workflow, event, crawl.folder, { '': { 'secrets.CRAWLWAY_API_KEY': 'unused' } });
  };
  write('<Rules><Rule><Path value="/a"/><Ignore/></Rule></Rules>');
  expect((await run('pull_request')).join()).toMatch(/1 document/);
  expect(inForce()).toBe(before);
  // Half of the documents would be deleted: by hand only.
  await expect(run('push')).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('--yes') });
  write('<Rules><Rule><Path value="/drafts/"/><NoIndex/></Rule></Rules>');
  expect((await run('push')).join()).toContain('version 2 is in force');
  expect(inForce()).toContain('/drafts/');
  write('<Rules><Rule><Path value="/drafts/"/><Ignor/></Rule></Rules>');
  await expect(run('pull_request')).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/CrawlConfig\.xml:\d+:\d+ .*Ignor/),
  });
});

RUN.push('Commit a configuration to git', 'Move secrets to another machine');
it('Commit a configuration to git, and move its secrets to another machine', async () => {
  const [first, second] = [temporaryDirectory(), temporaryDirectory()];
  const fileIn = (folder: string): string => join(folder, 'config', 'CrawlConfig.xml');
  const write = (folder: string, xml: string): void => {
    mkdirSync(dirname(fileIn(folder)));
    writeFileSync(fileIn(folder), xml);
  };
  const credential = '<cw:Credential url="https://a.example/" user="u" password="hunter2"/>';
  write(
    first,
    `<CrawlConfig xmlns="exa:com.exalead.mercury.mami.crawl.v21" xmlns:cw="urn:crawlway:config:1">
      <Crawler name="a"><Root url="https://a.example/"/><cw:PushTo sink="s"/></Crawler>
      <cw:Fetcher name="default">${credential}</cw:Fetcher><cw:Sink name="s" type="file" url="s.jsonl"/></CrawlConfig>`,
  );
  const env = { CRAWLWAY_PORT: '1' };
  await runBlocks(first, howTos().get('Commit a configuration to git')!.commands, env);
  const xml = readFileSync(fileIn(first), 'utf8');
  expect(xml).toContain(credential.replace('hunter2', `\${secret:fetcher-default-credential-password}`));
  write(second, xml);
  const [move = ''] = howTos().get('Move secrets to another machine')!.commands;
  const [check, set, list] = move.replace('pass show wiki', 'echo hunter2').trim().split('\n') as [
    string,
    string,
    string,
  ];
  const [missing, , , listed] = await runBlocks(second, [`${check} || test $? = 1`, set, check, list], env);
  expect(missing).toContain('there is no secret named fetcher-default-credential-password');
  expect(listed).toMatch(/fetcher-default-credential-password .*config\/CrawlConfig\.xml:3:/);
});

howTo('Staging and production', async (heading) => {
  const folder = temporaryDirectory();
  const { xml, commands } = howTos().get(heading)!;
  mkdirSync(join(folder, 'config'));
  writeFileSync(join(folder, 'config', 'CrawlConfig.xml'), xml);
  const variables = commands[0]!.trim().replaceAll('\n', ' ');
  const [unset, set] = await runBlocks(folder, [
    'crawlway check || test $? = 1',
    `export ${variables}; crawlway check`,
  ]);
  expect(unset).toMatch(/CrawlConfig\.xml:3:\d+.*CRAWLWAY_ENV_SITE is not set/);
  expect(unset).toMatch(/CrawlConfig\.xml:6:\d+.*CRAWLWAY_ENV_SEARCH is not set/);
  expect(set).not.toMatch(/not set|error/);
});

it('the workflow for staging and production applies a change to one after the other', async () => {
  const site = await manual();
  const { xml } = howTos().get('Change the configuration by pull request')!;
  const start = async () =>
    (await ServedCrawl.start(xml.replace('https://handbook.example.com', site.origin))).caughtUp();
  const [staging, production] = [await start(), await start()];
  const text = readFileSync(join(staging.folder, 'config', 'CrawlConfig.xml'), 'utf8');
  writeFileSync(join(staging.folder, 'CrawlConfig.xml'), text.replace('<Crawler ', '<Crawler nthreads="3" '));
  const contextOf = ({ server }: ServedCrawl) => ({
    'secrets.CRAWLWAY_API_KEY': 'unused',
    'vars.CRAWLWAY_SERVER': server.url,
  });
  const [workflow = ''] = howTos().get('Staging and production')!.workflows;
  const contexts = { staging: contextOf(staging), production: contextOf(production) };
  const printed = await runWorkflow(workflow, 'push', staging.folder, contexts);
  expect(printed.filter((lines) => lines.includes('version 2 is in force'))).toHaveLength(2);
  for (const { server } of [staging, production])
    expect(server.engine.definition.crawlers[0]).toMatchObject({ concurrency: 3 });
});

it('every how-to is run here or listed with the suite that runs it', () => {
  const withContent = [...howTos()].filter(([, { xml, commands }]) => xml !== '' || commands.length > 0);
  expect([...RUN, ...ELSEWHERE, ...NOT_RUN].sort()).toEqual(withContent.map(([heading]) => heading).sort());
});

it('every command of the documentation exists, with its options', async () => {
  const [script = ''] = await runBlocks(temporaryDirectory(), ['crawlway completion bash']);
  const known = new Map(
    [...script.matchAll(/^ {6}"([^"]*)"\) candidates="([^"]*)"/gm)].map(([, path = '', words = '']) => [
      path,
      words.split(' '),
    ]),
  );
  const faults = documentedCommands().flatMap(({ place, words }) => {
    const path = [words.slice(0, 2).join(' '), words[0] ?? ''].find((one) => known.has(one));
    if (path === undefined) return [`${place}: there is no command ${words.join(' ')}`];
    const options = words.filter((word) => /^--?[a-z]/.test(word));
    return options
      .filter((option) => !known.get(path)?.includes(option))
      .map((one) => `${place}: ${path} has no ${one}`);
  });
  expect(faults).toEqual([]);
  expect(known.size).toBeGreaterThan(20);
});

/** Lines of blocks for a shell that call the program, as words up to a comment, a pipe or the like. */
function documentedCommands(): { place: string; words: string[] }[] {
  const docs = readdirSync(join(PROJECT_ROOT, 'docs')).filter((name) => name.endsWith('.md'));
  return ['README.md', ...docs.map((name) => join('docs', name))].flatMap((file) =>
    [...readFileSync(join(PROJECT_ROOT, file), 'utf8').matchAll(/```sh\n([\s\S]*?)```/g)]
      .flatMap(([, block = '']) => block.replaceAll('\\\n', ' ').split('\n'))
      .flatMap((line) => {
        const [, command] = /(?:^|\s)crawlway ((?!crawlway )[a-z][^#|>&]*)/.exec(line) ?? [];
        const isCall = command !== undefined && !/kubectl|helm|docker|useradd|npm install|-o crawlway/.test(line);
        return isCall ? [{ place: `${file}: ${line.trim()}`, words: command.trim().split(/\s+/) }] : [];
      }),
  );
}
