import { expect, it } from 'vitest';
import { openStoreInThisThread } from '../../../test/support/store-in-this-thread.js';
import type { Crawler } from '../crawl/crawler.js';
import { ABANDONED, createPageCommand } from '../crawl/outcome/owner-commands.js';
import type { PageView } from '../views/url-views.js';
import { type CommandServices, NodeCommands } from './node-commands.js';

const page = { crawler: 'test', url: 'http://site.test/', render: false };

async function answerPage(before: string | undefined) {
  const store = await openStoreInThisThread();
  const answered = Promise.withResolvers<PageView>();
  const services = { store } as unknown as CommandServices;
  const commands = new NodeCommands(
    services,
    { findStored: () => ({}) as Crawler },
    { viewPage: () => answered.promise },
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
