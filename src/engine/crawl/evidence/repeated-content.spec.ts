import { expect, it } from 'vitest';
import { ManualClock } from '../../../../test/support/manual-clock.js';
import { MIN_PAGES } from '../../../domain/content/repeated-blocks.js';
import { minutes } from '../../../domain/time/units.js';
import { RepeatedContent } from './repeated-content.js';

/** What is known about a host whose pages all have block 1, which is learned from the last of them. */
async function learnBlock(omitRepeated = true) {
  const clock = new ManualClock();
  const settings = new Map<string, string>();
  const store = {
    getSetting: async (name: string) => settings.get(name),
    putSetting: async (name: string, value: string | undefined) => void settings.set(name, value!),
  };
  const definition = omitRepeated ? { contents: [{ omitRepeated: false }, { omitRepeated }] } : {};
  const open = () => new RepeatedContent('docs', { store, clock }, () => definition as never);
  const repeated = open();
  const note = (id: number, outcome: object, more: object = { blocks: [1, 100 + id] }) =>
    repeated.note({ id, hostKey: 'h' }, { outcome, ...more } as never);
  for (let id = 1; id < MIN_PAGES; id++) await note(id, { kind: 'document', index: true });
  const learned = async (from = repeated) => [...((await from.find('h'))?.blocks ?? ['off'])];
  expect(await learned()).toEqual(omitRepeated ? [] : ['off']);
  clock.advance(minutes(7));
  await note(MIN_PAGES, { kind: 'document', index: true });
  const pages = () => (JSON.parse(settings.get('repeated/docs/h')!) as { pages: unknown[] }).pages.length;
  return { clock, repeated, note, learned, open, settings, pages };
}

it('a block that most pages of a host have is learned, kept over a restart, and dates from when it was learned', async () => {
  const { clock, repeated, learned, open } = await learnBlock();
  const since = clock.now();
  clock.advance(minutes(1));
  expect(await learned()).toEqual([1]);
  expect((await repeated.find('h'))?.since).toBe(since);
  expect(await learned(open())).toEqual([1]);
  expect((await open().find('h'))?.since).toBe(since);
});

it('nothing is learned or stored for a crawler that leaves out no repeated blocks', async () => {
  const { learned, settings } = await learnBlock(false);
  expect(await learned()).toEqual(['off']);
  expect(settings.size).toBe(0);
});

it('what another node has learned about a host counts once the host was taken over from it', async () => {
  const { repeated, learned, settings } = await learnBlock();
  settings.clear();
  expect(await learned()).toEqual([1]);
  repeated.reset();
  expect(await learned()).toEqual([]);
});

it('what pages say is stored after sixteen of them', async () => {
  const { note, pages } = await learnBlock();
  const before = pages();
  for (let i = 1; i < 16; i++) {
    await note(MIN_PAGES + i, { kind: 'document', index: true });
    await note(999, { kind: 'error' }, { status: 404 }); // changes nothing
  }
  expect(pages()).toBe(before);
  await note(MIN_PAGES + 16, { kind: 'document', index: true });
  expect(pages()).toBe(before + 16);
});

it.each([
  ['is gone', { kind: 'error' }, { status: 404 }, -1],
  ['is gone for good', { kind: 'error' }, { status: 410 }, -1],
  ['does not belong in the index', { kind: 'document', index: false }, { blocks: [1] }, -1],
  ['redirects', { kind: 'redirect' }, {}, -1],
  ['fails for now', { kind: 'error' }, { status: 503 }, 0],
  ['does not respond', { kind: 'error' }, {}, 0],
  ['is unchanged', { kind: 'unchanged' }, {}, 0],
])('a page that %s is forgotten or counts as before', async (_, outcome, more, change) => {
  const { note, pages } = await learnBlock();
  const before = pages();
  await note(1, outcome, more);
  // A page that is forgotten is one of the sixteen after which all is stored.
  for (let i = 1; i <= 16 + change; i++) await note(MIN_PAGES + i, { kind: 'document', index: true });
  expect(pages()).toBe(before + 16 + 2 * change);
});
