import { expect, it } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { minutes } from '../../domain/time/units.js';
import { createCanonicalizer, DEFAULT_CANONICALIZATION } from '../../domain/url/canonicalize.js';
import { Explanations } from './explanations.js';

/** A page whose host belongs to another node: what the user is shown, and what is left in the store. */
async function viewAtOwner(answer: object | undefined) {
  const clock = new ManualClock();
  const settings = new Map<string, string | undefined>();
  const context = { canonicalize: createCanonicalizer(DEFAULT_CANONICALIZATION) };
  const services = {
    clock,
    crawlers: { get: (name: string) => ({ name, context }) },
    partitions: { owns: () => false },
    nodes: {
      send: async ({ text }: { text: string }) => {
        const command = JSON.parse(text) as { answer: string };
        if (answer) settings.set(command.answer, JSON.stringify(answer));
      },
    },
    store: {
      find: async () => undefined,
      getSetting: async (name: string) => settings.get(name),
      putSetting: async (name: string, value: string | undefined) => void settings.set(name, value),
    },
  };
  const shown = new Explanations(services as never, {} as never)
    .viewPage('docs', 'http://a.example/x')
    .catch((error: Error) => error.message);
  await new Promise((resolve) => setImmediate(resolve));
  await clock.pass(minutes(2));
  return { shown: await shown, left: [...settings.values()] };
}

it.each([
  ['shows its page', { page: { url: 'u' } }, { url: 'u' }],
  ['says why it shows none', { error: 'the host is paused' }, 'the host is paused'],
  ['says neither', {}, 'the node that owns the host did not respond'],
])('the node that owns the host %s, and its answer is not kept', async (_, answer, shown) =>
  expect(await viewAtOwner(answer)).toEqual({ shown, left: [undefined] }),
);

it('a node that owns the host and does not answer within a minute is told that nobody waits any more', async () => {
  const { shown, left } = await viewAtOwner(undefined);
  expect(shown).toMatch(/^timed out while another node was fetching http:\/\/a.example\/x;/);
  expect(left).toEqual(['abandoned']);
});
