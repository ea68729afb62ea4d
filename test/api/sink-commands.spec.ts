/** `crawlway sinks switch`, `sinks reconcile`, `sinks adopt` and `orders retry`, from the command line to the index. */
import { expect, it, onTestFinished } from 'vitest';
import type { SinkDto } from '../../client/index.js';
import { adoptDocuments, reconcileSink, retryOrders, switchSink } from '../../src/cli/sinks.js';
import { add, enumerate, post, runningIndex } from '../support/push-index.js';
import { type ElasticsearchReceiver, startElasticsearchReceiver } from '../support/receivers/elasticsearch-receiver.js';
import { ApiWorld, type Problem } from './api-world.js';
import { printed } from './printed.js';

/** Ignores another host, so that it is outside the crawl space. */
const crawlerFor = (sink: string): string =>
  `<Root url="SITE/"/><Rules><Rule><Host value="elsewhere.example"/><Ignore/></Rule></Rules><cw:PushTo sink="${sink}"/>`;

async function start(attributes = '', prepare: (engine: ElasticsearchReceiver) => void = () => {}) {
  const engine = await startElasticsearchReceiver('elasticsearch', 'pages');
  prepare(engine);
  const sink = `<cw:Sink name="search" type="elasticsearch" url="${engine.url}" index="pages" ${attributes}/>`;
  const world = await ApiWorld.start({ crawler: crawlerFor('search'), more: sink });
  onTestFinished(() => world.stop());
  const view = async (): Promise<SinkDto> =>
    (await world.get<{ items: SinkDto[] }>('sinks')).body.items.find(({ name }) => name === 'search')!;
  return { engine, world, view, server: { server: world.server.url } };
}

it('an alias is moved to the index of the sink, and back', async () => {
  const { engine, world, view, server } = await start('alias="web"', ({ aliasIndexes }) => aliasIndexes.add('web-1'));
  await world.caughtUp(4);
  expect((await view()).warning).toContain('The alias web is on web-1, and pages is filled beside');
  expect(await printed(() => switchSink('search', server))).toBe(
    'the alias web was moved from web-1 to pages (4 documents compared)\n',
  );
  expect([...engine.aliasIndexes]).toEqual(['pages']);
  expect(await view()).toMatchObject({ alias: 'web', adoptable: true });
  expect((await view()).warning ?? '').not.toContain('is filled beside');
  const again = await world.send<Problem>('POST', 'sinks/search/switch');
  expect([again.status, again.body.detail]).toEqual([422, expect.stringContaining('is on pages already')]);
  const back = JSON.parse(await printed(() => switchSink('search', { ...server, rollback: true, json: true })));
  expect(back).toEqual({ sink: 'search', alias: 'web', from: ['pages'], to: ['web-1'], compared: 0 });
  expect([...engine.aliasIndexes]).toEqual(['web-1']);
  expect((await world.send('POST', 'sinks/nobody/switch')).status).toBe(404);
  expect((await world.send<Problem>('POST', 'sinks/main/switch')).body.detail).toContain('no alias');
  await expect(switchSink('main', server)).rejects.toThrow('no alias');
});

it("another program's documents are replaced, and what is kept is listed", async () => {
  const { engine, world, server } = await start();
  await world.caughtUp(4);
  engine.foreign.set('old-1', { url: world.site.url('/a.html') });
  engine.foreign.set('old-2', { url: 'http://elsewhere.example/' });
  expect(await printed(() => adoptDocuments('search', { ...server, field: 'url' }))).toBe(
    '2 documents of another program: 1 replaced, 0 wait for a visit, 1 kept\n  kept: http://elsewhere.example/\n',
  );
  expect([...engine.foreign.keys()]).toEqual(['old-2']);
  const answer = await world.send('POST', 'sinks/search/adopt?field=url');
  expect(answer.body).toMatchObject({ found: 1, replaced: 0, kept: { count: 1 } });
  expect((await world.send('POST', 'sinks/main/adopt?field=url')).status).toBe(422);
});

it('a sink is compared with what the server knows, and repaired', async () => {
  const index = await runningIndex();
  const sink = `<cw:Sink name="cloud" type="papi" url="${index.url}" connector="docs"/>`;
  const world = await ApiWorld.start({ crawler: crawlerFor('cloud'), more: sink });
  onTestFinished(() => world.stop());
  onTestFinished(() => {
    process.exitCode = 0;
  });
  await world.caughtUp(4);
  const compare = async (options = {}) => [
    await printed(() => reconcileSink('cloud', { server: world.server.url, ...options })),
    process.exitCode,
  ];
  const equal = ['4 documents compared: 0 missing, 0 extra, 0 stale\n', 0];
  expect(await compare()).toEqual(equal);
  await add(index, { uri: 'http://left.example/' }, { uri: world.site.url('/a.html'), stamp: 'old' });
  await post(index, 'delete_documents', [['PAPI_uri', world.site.url('/b.html')]]);
  await post(index, 'set_checkpoint?PAPI_checkpoint=1&PAPI_name=old&PAPI_sync=true', []);
  const samples = `  missing: ${world.site.url('/b.html')}\n  extra: http://left.example/\n  stale: ${world.site.url('/a.html')}\n`;
  const found = '4 documents compared: 1 missing, 1 extra, 1 stale';
  expect(await compare()).toEqual([`${found}; --repair repairs this\n${samples}`, 2]);
  expect(await compare({ repair: true })).toEqual([`${found}; repaired\n${samples}`, 0]);
  await expect.poll(() => compare()).toEqual(equal);
});

it('documents that another program has pushed to the connector are taken over, and what is kept is listed', async () => {
  const index = await runningIndex();
  const sink = `<cw:Sink name="cloud" type="papi" url="${index.url}" connector="docs"/>`;
  const world = await ApiWorld.start({ crawler: crawlerFor('cloud'), more: sink });
  onTestFinished(() => world.stop());
  await world.caughtUp(4);
  world.site.page('/old.html');
  await add(index, { uri: world.site.url('/old.html'), stamp: 'old' }, { uri: 'http://elsewhere.example/' });
  await post(index, 'set_checkpoint?PAPI_checkpoint=1&PAPI_name=old&PAPI_sync=true', []);
  expect(await printed(() => adoptDocuments('cloud', { server: world.server.url, field: 'url' }))).toBe(
    '2 documents of another program: 0 replaced, 1 waits for a visit, 1 kept\n  kept: http://elsewhere.example/\n',
  );
  const isReplaced = async () => !(await enumerate(index)).includes('old.html old');
  while (!(await isReplaced())) await new Promise((resolve) => setTimeout(resolve, 20));
  await world.caughtUp(5);
  expect((await world.send('POST', 'sinks/cloud/adopt')).body).toMatchObject({
    found: 1,
    waiting: 0,
    kept: { count: 1, samples: ['http://elsewhere.example/'] },
  });
  expect((await enumerate(index)).trim().split('\n')).toHaveLength(6);
  const { items } = (await world.get<{ items: SinkDto[] }>('sinks')).body;
  expect(items.find(({ name }) => name === 'cloud')).toMatchObject({ adoptable: true });
});

it('refused orders are sent again: those of one sink, or with one answer', async () => {
  const { engine, world, view } = await start();
  await world.caughtUp(4);
  const refused = async (count: number): Promise<void> => {
    while ((await world.get('orders?state=refused')).body.items.length < count)
      await new Promise((resolve) => setTimeout(resolve, 20));
  };
  const title = { headers: { 'content-type': 'text/html' }, body: '<title>a bad title</title><p>New text.' };
  world.site.set('/b.html', title);
  // A document that is refused while others are accepted is at fault itself.
  for (const path of ['/a.html', '/c.html']) world.site.page(path, [], 'New text.');
  for (const path of ['/a.html', '/b.html', '/c.html'])
    await world.send('POST', 'crawlers/test/refresh', { url: world.site.url(path) });
  await refused(1);
  expect(await view()).toMatchObject({ refused: 1, lacking: 1 });
  await world.restart();
  expect(await view()).toMatchObject({ refused: 0, lacking: 1 });

  const retry = (choice: object) => printed(() => retryOrders({ server: world.server.url, ...choice }));
  expect(await retry({ sink: 'main' })).toBe('0 refused orders will be sent again\n');
  expect(await retry({ sink: 'search', answer: 'disk full' })).toBe('0 refused orders will be sent again\n');
  await expect(retry({ sink: 'serach' })).rejects.toThrow('there is no sink "serach"; configured: main, search');
  expect((await world.send<Problem>('POST', 'orders/retry?sink=serach&crawler=test')).status).toBe(404);
  world.site.page('/b.html', [], 'Better text.');
  expect(await retry({ sink: 'search', answer: 'cannot parse title' })).toBe('1 refused order will be sent again\n');
  const isBetter = () => [...engine.documents.values()].some(({ text }) => String(text).includes('Better text.'));
  while (!isBetter()) await new Promise((resolve) => setTimeout(resolve, 20));
  expect((await world.send('POST', 'orders/retry?sink=search')).body).toEqual({ count: 0 });
  expect(await view()).toMatchObject({ lacking: 0 });
});
