/** What is delivered beside the text: a change of it is a change, and it holds nothing that a plug-in has removed. */
import { expect, it } from 'vitest';
import { TestPlugins } from '../../support/plugins.js';
import { crawl, startSite } from '../../support/scenario.js';

const CONTENT = '<cw:Content><cw:Output headings="true" markdown="true" chunks="60"/></cw:Content>';
const html = (body: string) => ({
  headers: { 'content-type': 'text/html; charset=utf-8' },
  body: `<!doctype html><html><head><title>Page</title></head><body>${body}</body></html>`,
});

it('a moved link, indented code and another level of a heading are changes where they are delivered', async () => {
  const site = await startSite();
  const first = '<h2>Use</h2><p>See <a href="/old">the manual</a>.</p><pre>if a:\n  b()\nc()</pre>';
  const versions = [
    first.replace('/old', '/new'),
    first.replace('\nc()', '\n  c()'),
    first.replaceAll('h2>', 'h3>'),
    first.replace('<h2>Use</h2>', '<p>Use</p>'),
  ];
  site.set('/', html(first));
  const world = await crawl({ crawler: `<Root url="${site.url('/')}"/>${CONTENT}`, index: 'none' });
  for (const version of versions) {
    const before = world.orders().length;
    for (const body of [version, version.replace('<p>', '<p class="x">'), first]) {
      site.set('/', html(body));
      await world.engine.maintenance.refresh('test', { url: site.url('/') });
      await world.untilIdle();
    }
    // One order for the change, none for what is not delivered, and one for the way back.
    expect(world.orders().length - before).toBe(2);
  }
});

it('documents that are no pages are delivered in chunks, too, and another size of them is a change', async () => {
  const site = await startSite();
  const lines = ['Herons eat fish.', 'They stand in the lake for hours.', 'Nobody knows why they do not fall over.'];
  site.set('/', html('<a href="/herons.txt">herons</a>'));
  site.set('/herons.txt', { headers: { 'content-type': 'text/plain' }, body: lines.join('\n') });
  const configure = (size: number) => ({
    crawler: `<Root url="${site.url('/')}"/><cw:Content><cw:Output chunks="${size}"/></cw:Content>`,
    index: 'none' as const,
  });
  const world = await crawl(configure(20));
  const uri = site.url('/herons.txt');
  const readChunks = () =>
    world
      .pushed()
      .get(uri)!
      .chunks!.map(({ text }) => text);
  expect(readChunks()).toEqual([`${lines[0]}\n${lines[1]}`, lines[2]]);
  const before = world.orders().length;
  const visit = async (): Promise<void> => {
    await world.engine.maintenance.refresh('test', { url: uri });
    await world.untilIdle();
  };
  await visit();
  expect(world.orders()).toHaveLength(before);
  await world.reconfigure(configure(40));
  await visit();
  expect(readChunks()).toEqual([lines.join('\n')]);
});

it('documents that have headings are delivered with them, and in chunks below them', async () => {
  const site = await startSite();
  site.set('/', html('<a href="/lake.md">the lake</a>'));
  const body = '# The lake\n\n## Birds\n\nHerons *stand*.\n\nFish\n----\nNone.\n';
  site.set('/lake.md', { headers: { 'content-type': 'text/markdown' }, body });
  const configure = (output: string) => ({
    crawler: `<Root url="${site.url('/')}"/><cw:Content><cw:Output ${output}/></cw:Content>`,
    index: 'none' as const,
  });
  const world = await crawl(configure('headings="true" chunks="40"'));
  const uri = site.url('/lake.md');
  const { headings, chunks, text } = world.pushed().get(uri)!;
  expect(headings).toEqual([
    { level: 1, text: 'The lake', start: text.indexOf('# The') },
    { level: 2, text: 'Birds', start: text.indexOf('## Birds') },
    { level: 2, text: 'Fish', start: text.indexOf('Fish') },
  ]);
  expect(chunks).toMatchObject([
    { path: ['The lake', 'Birds'], text: '# The lake\n## Birds\nHerons *stand*.', id: expect.any(String) },
    { path: ['The lake', 'Fish'], text: 'Fish\n----\nNone.' },
  ]);
  const visit = async (): Promise<number> => {
    const before = world.orders().length;
    await world.engine.maintenance.refresh('test', { url: uri });
    await world.untilIdle();
    return world.orders().length - before;
  };
  expect(await visit()).toBe(0);
  await world.reconfigure(configure('chunks="40"'));
  expect([await visit(), await visit()]).toEqual([1, 0]);
  expect(world.pushed().get(uri)).not.toHaveProperty('headings');
  expect(world.pushed().get(uri)!.chunks).toEqual(chunks);
});

const MAIL = /[\w.]+@[\w.]+/g;
const PAGE = html(
  `<h2>Ask ann@a.example</h2><p>Write to bob@a.example about herons.</p><section><h3>Carl</h3><p>${'carl@a.example '.repeat(20)}</p></section>`,
);

/** Everything that sinks get of the documents, as text. */
const readAll = (document: { readonly master: { readonly bytes: string } }): string =>
  JSON.stringify(document) + Buffer.from(document.master.bytes, 'base64').toString();

it.each([
  ['onDocument', CONTENT, true],
  ['onDocument', CONTENT.replace('<cw:Output', '<cw:Split select="section"/><cw:Output'), true],
  ['onOrder', CONTENT, false],
])('nothing that %s removes from the text is delivered in another form (%s)', async (hook, content, hasChunks) => {
  const plugins = new TestPlugins();
  const site = await startSite();
  site.set('/', PAGE);
  const file = plugins.write(
    'redact.mjs',
    `export default { apiVersion: 1, ${hook}({ text, kind }) { return { text: (text ?? '').replace(${MAIL}, '[mail]') }; } };`,
  );
  const world = await crawl({
    crawler: `<Root url="${site.url('/')}"/>${content}`,
    index: 'none',
    more: `<cw:Plugin file="${file}"/>`,
    plugins: plugins.host,
  });
  const documents = [...world.pushed().values()];
  expect(documents).toHaveLength(content.includes('Split') ? 2 : 1);
  for (const document of documents) {
    expect(document.text).toContain('[mail]');
    expect(readAll(document)).not.toContain('@a.example');
    expect(document.chunks !== undefined).toBe(hasChunks);
    for (const { text, start, end } of document.chunks ?? []) expect(document.text.slice(start, end)).toBe(text);
  }
});

it('a plug-in may keep the bytes of a page beside another text', async () => {
  const plugins = new TestPlugins();
  const site = await startSite();
  site.set('/', PAGE);
  const file = plugins.write(
    'short.mjs',
    'export default { apiVersion: 1, onDocument({ text }) { return { text: text.slice(0, 5), bytes: true }; } };',
  );
  const world = await crawl({
    crawler: `<Root url="${site.url('/')}"/>`,
    index: 'none',
    more: `<cw:Plugin file="${file}"/>`,
    plugins: plugins.host,
  });
  const [document] = [...world.pushed().values()];
  expect(Buffer.from(document!.master.bytes, 'base64').toString()).toBe(PAGE.body);
  expect(document!.text).toHaveLength(5);
});
