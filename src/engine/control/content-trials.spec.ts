import { expect, it } from 'vitest';
import { crawlerDefinition } from '../../../test/support/crawler-definition.js';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { state } from '../../../test/support/url-states.js';
import { minutes } from '../../domain/time/units.js';
import { compileContexts } from '../page/crawl-context.js';
import type { PageTask } from '../ports/page-task.js';
import { ContentTrials } from './content-trials.js';

const URL = 'http://a.example/x';
const CONTENT = { include: [], exclude: [], markers: [], fields: [], metas: true };

/** Trials on pages of one site, of which the store knows only /known, three links below its root. */
function startTrials() {
  const clock = new ManualClock();
  const crawler = crawlerDefinition();
  const definition = { crawlers: [crawler], fetchers: [{ name: crawler.fetcher }], sinks: [] } as never;
  const context = compileContexts(definition).get(crawler.name);
  const fetched: PageTask[] = [];
  let [opened, closed] = [0, 0];
  const process = async (task: PageTask) => {
    if (!task.trial) fetched.push(task);
    return { answer: { status: 200, body: new Uint8Array(9) }, outcome: { kind: 'document', facts: { title: '' } } };
  };
  const services = {
    clock,
    getDefinition: () => definition,
    crawlers: { get: () => ({ name: crawler.name, context, findRepeatedBlocks: async () => undefined }) },
    store: { find: async (_: string, url: string) => (url.endsWith('known') ? state({ url, hops: 3 }) : undefined) },
    processor: { process },
    partitions: { owns: () => true },
    hosts: { get: () => ({}), recordRequestStart: async () => undefined, releaseAfterRequest: () => undefined },
    slots: { claimHost: async () => ({}) },
  };
  const reader = { process, configure: async () => undefined, close: async () => void closed++ };
  const trials = new ContentTrials(services as never, () => {
    opened++;
    return reader as never;
  });
  const attempt = (parts: object = {}) =>
    trials.run(crawler.name, { who: 'ann', url: URL, content: CONTENT as never, ...parts });
  return { clock, trials, attempt, fetched, readers: () => [opened, closed] };
}

it('a page is fetched once in ten minutes for each key, unless it is to be fetched again', async () => {
  const { clock, attempt, fetched } = startTrials();
  for (const parts of [{}, { content: undefined }, { who: 'eve' }, { who: 'eve' }, { fresh: true }, { render: true }])
    await attempt(parts);
  expect(fetched.map(({ render }) => render)).toEqual([undefined, undefined, undefined, 'always']);
  clock.advance((minutes(10) - 1) as never);
  await attempt();
  expect(fetched).toHaveLength(4);
  clock.advance(minutes(1));
  await attempt();
  expect(fetched).toHaveLength(5);
});

it('a page that is not known is judged like one without links to it, and another by its distance from its root', async () => {
  const { attempt, fetched } = startTrials();
  for (const url of [URL, 'http://a.example/known']) await attempt({ url });
  expect(fetched.map(({ hops }) => hops)).toEqual([0, 3]);
  await expect(attempt({ url: 'http://' })).rejects.toThrow('"http://" is not a URL with a host');
});

it('the reader is closed two minutes after the last trial, and when the server ends', async () => {
  const { clock, trials, attempt, readers } = startTrials();
  await attempt({ content: undefined });
  expect(readers()).toEqual([0, 0]);
  for (let i = 0; i < 3; i++) {
    await attempt();
    await clock.pass(minutes(1.5));
  }
  expect(readers()).toEqual([1, 0]);
  await clock.pass(minutes(1));
  expect(readers()).toEqual([1, 1]);
  await attempt();
  await trials.close();
  await clock.pass(minutes(5));
  expect(readers()).toEqual([2, 2]);
});
