import { expect, it } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { state } from '../../../test/support/url-states.js';
import { seconds } from '../../domain/time/units.js';
import { Backfills } from './backfills.js';

/** A crawler with 250 documents whose sink is being filled; the first hundred are on their way. */
async function startFilling() {
  const pages = Array.from({ length: 250 }, (_, i) => state({ id: i + 1, url: `http://a.example/${i}`, stamp: 's' }));
  const clock = new ManualClock();
  const settings = new Map<string, string>();
  const sent: number[] = [];
  const answers: (() => void)[] = [];
  const crawler = {
    name: 'docs',
    context: { definition: { pushTo: ['main'] } },
    decide: async ({ id }: { id: number }) => {
      sent.push(id);
      if (sent.length <= 100) await new Promise<void>((resolve) => answers.push(resolve));
      return true;
    },
  };
  const services = {
    clock,
    log: { info: () => undefined, error: () => expect.unreachable() },
    partitions: { isLeader: true },
    nodes: { notifyControlChanged: async () => undefined },
    crawlers: { list: () => [crawler] },
    findSink: (name: string) => ({ name, type: 'solr', url: 'http://solr/', options: {} }),
    store: {
      count: async ({ indexed }: { indexed: boolean }) => (indexed ? pages.length : 0),
      getSetting: async (name: string) => settings.get(name),
      putSetting: async (name: string, value: string | undefined) =>
        void (value === undefined ? settings.delete(name) : settings.set(name, value)),
      listSettings: async (prefix: string) => [...settings].filter(([name]) => name.startsWith(prefix)),
      get: async (ids: readonly number[]) => pages.filter(({ id }) => ids.includes(id)),
      list: async ({ indexed }: { indexed?: boolean }, after: number, limit: number) =>
        indexed ? pages.slice(after, after + limit) : [],
    },
  };
  const backfills = new Backfills(services as never);
  const elsewhere = new Backfills({ ...services, partitions: { isLeader: false } } as never);
  await backfills.startOrResume(crawler as never);
  await backfills.pushAgain('main');
  await clock.pass(seconds(1));
  expect(sent).toHaveLength(100);
  const finish = async () => {
    for (const answer of answers) answer();
    await clock.pass(seconds(30));
    return sent.length;
  };
  return { backfills, elsewhere, crawler, finish };
}

it('all that is indexed is sent once, and the first time once more if that is asked for meanwhile', async () => {
  const once = await startFilling();
  expect(await once.finish()).toBe(250);
  expect(await once.backfills.list()).toMatchObject([{ crawler: 'docs', sink: 'main', state: 'done', sent: 250 }]);
  const again = await startFilling();
  await again.backfills.pushAgain('main');
  expect(await again.finish()).toBe(100 + 250);
});

it('all is sent once more if that is asked of another node meanwhile', async () => {
  const { backfills, elsewhere, finish } = await startFilling();
  await elsewhere.pushAgain('main');
  expect(await finish()).toBe(100 + 250);
  expect(await backfills.list()).toMatchObject([{ state: 'done', sent: 250 }]);
});

it.each([
  ['the crawler is removed', 'stop', 'running'],
  ['the server ends', 'stopAll', 'running'],
  ['the sink is removed from the crawler', 'drop', undefined],
])('no more is sent when %s', async (_, what, left) => {
  const { backfills, crawler, finish } = await startFilling();
  if (what === 'stop') backfills.stop('docs');
  if (what === 'stopAll') backfills.stopAll();
  if (what === 'drop') {
    crawler.context.definition.pushTo = [];
    await backfills.startOrResume(crawler as never);
  }
  expect(await finish()).toBe(100);
  expect((await backfills.list())[0]?.state).toBe(left);
});

it('a sink is not filled again on behalf of another crawler', async () => {
  const { backfills, finish } = await startFilling();
  backfills.stop('doc');
  await expect(backfills.pushAgain('main', 'other')).rejects.toThrow(
    'the crawler other does not push to the sink main',
  );
  await expect(backfills.pushAgain('second')).rejects.toThrow('no crawler pushes to the sink second');
  expect(await finish()).toBe(250);
});
