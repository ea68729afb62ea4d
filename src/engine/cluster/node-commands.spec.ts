import { expect, it } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { openStoreInThisThread } from '../../../test/support/store-in-this-thread.js';
import type { UrlState } from '../../domain/crawl/url-state.js';
import type { Crawler } from '../crawl/crawler.js';
import {
  ABANDONED,
  createDecideCommand,
  createPageCommand,
  createVerifyCommand,
} from '../crawl/outcome/owner-commands.js';
import type { PageView } from '../views/url-views.js';
import { type CommandServices, NodeCommands } from './node-commands.js';

const NO_LOGINS = { test: () => Promise.reject() };
const page = { crawler: 'test', url: 'http://site.test/', render: false };

async function answerPage(before: string | undefined) {
  const store = await openStoreInThisThread();
  const answered = Promise.withResolvers<PageView>();
  const services = { store } as unknown as CommandServices;
  const commands = new NodeCommands(
    services,
    { findStored: () => ({}) as Crawler },
    { viewPage: () => answered.promise },
    NO_LOGINS,
  );
  await commands.run(createPageCommand('site.test', { ...page, answer: 'answer/1' }));
  await store.putSetting('answer/1', before);
  answered.resolve({ url: page.url } as PageView);
  return { read: () => store.getSetting('answer/1') };
}

it('returns the page to the node that asked', async () => {
  const { read } = await answerPage(undefined);
  await expect.poll(read).toBe('{"page":{"url":"http://site.test/"}}');
});

it('leaves nothing behind when the asking node has stopped waiting', async () => {
  const { read } = await answerPage(ABANDONED);
  await expect.poll(read).toBeUndefined();
});

it('visits a URL that another node may have sent out of order, also if it is no longer stored', async () => {
  const store = await openStoreInThisThread();
  const corrected: UrlState[] = [];
  const crawler = {
    name: 'test',
    context: { definition: { name: 'test' }, roots: { findLikely: () => undefined } },
    applyCorrection: async (state: UrlState) => corrected.push(state) > 0,
  } as unknown as Crawler;
  const services = { store, clock: new ManualClock() } as unknown as CommandServices;
  const commands = new NodeCommands(
    services,
    { findStored: () => crawler },
    { viewPage: () => Promise.reject() },
    NO_LOGINS,
  );
  const command = createVerifyCommand({ hostKey: 'site.test', crawler: 'test', url: 'http://site.test/gone' });
  expect(await commands.run(command)).toBe(true);
  expect(await commands.run(command)).toBe(true);
  expect(corrected).toMatchObject([
    { url: 'http://site.test/gone', status: 'waiting', hops: 1, redirects: 0, visits: 0 },
    { id: corrected[0]!.id },
  ]);
  await store.close();
});

it('counts a command that sends orders as one that may take as long as its sinks', () => {
  const url = { hostKey: 'site.test', crawler: 'test', url: 'http://site.test/' };
  const commands = [createDecideCommand(url, { do: 'judge' }), createVerifyCommand(url)];
  expect(commands.map((command) => command.delivers)).toEqual([true, false]);
});
