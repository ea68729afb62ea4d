import { expect, it } from 'vitest';
import { INDEXED, NOW } from '../../../../test/support/url-states.js';
import { REFRESH, USER } from '../../../domain/frontier/sources.js';
import { after, days } from '../../../domain/time/units.js';
import { SinksRemoved } from '../../delivery/delivery.js';
import { FencedOut } from '../../ports/partitions.js';
import type { UrlCommand } from './decision.js';
import { type Place, UrlDecisions } from './url-decisions.js';

const CLEAR: UrlCommand = { do: 'clear' };
const FENCE = { partition: 1, epoch: 1 };
/** Where the store says that the URL waits; what was read of it before may be out of date. */
const STORED: Place = { source: REFRESH, dueAt: after(NOW, days(1)) };
const SOON: Place = { source: USER, dueAt: NOW };
const PAGE = { ...INDEXED, source: REFRESH, dueAt: after(NOW, days(2)) };
const READ: Place = { source: REFRESH, dueAt: PAGE.dueAt };

/** A URL; the settlement ends with an error if there is one. */
function oneUrl({
  isOwned = true,
  isHeld = false,
  error,
}: {
  isOwned?: boolean;
  isHeld?: boolean;
  error?: Error;
} = {}) {
  const places: (Place | undefined)[] = [];
  const sent: object[] = [];
  const decided: UrlCommand[] = [];
  const logged: string[] = [];
  const requested: UrlCommand[] = [];
  const inFlight = new Set();
  const settle = async () => {
    expect(inFlight.size).toBe(1);
    if (error) throw error;
    return { removed: false, next: SOON };
  };
  const nothing = () => undefined;
  const services = {
    partitions: { findFence: () => (isOwned ? FENCE : undefined) },
    nodes: { send: async (command: object) => sent.push(command) },
    store: {
      get: async () => [{ ...PAGE, ...STORED }],
      settle: async () => {
        if (error) throw error;
      },
    },
    processor: { forget: nothing },
    discovery: { noteGone: nothing },
    log: { error: (text: string) => logged.push(text) },
    inDoubt: { applyDoubt: (state: object) => state, keepInDoubt: (_: object, disposition: object) => disposition },
    urlCommands: {
      decide: async (command: UrlCommand) => {
        decided.push(command);
        return command.do === 'clear' ? { disposition: { remove: false, changed: false, changes: {} } } : undefined;
      },
    },
  };
  const target = {
    frontier: {
      hold: () => !isHeld,
      requeue: (_: object, place: Place | undefined) => places.push(place),
      wake: nothing,
    },
    inFlight,
    current: { context: {}, settlement: { settle } },
    requested: { takeRequested: () => requested.shift() },
    documents: { noteSettled: nothing },
    sameTexts: { noteSettled: nothing },
    rediscovery: { noteRemoval: nothing },
    reconsiderAfter: nothing,
  };
  const decisions = new UrlDecisions(
    services as unknown as ConstructorParameters<typeof UrlDecisions>[0],
    target as unknown as ConstructorParameters<typeof UrlDecisions>[1],
  );
  return { decisions, places, sent, decided, logged, requested, inFlight };
}

it('a command is carried out, and the URL waits where the settlement says', async () => {
  const { decisions, places, inFlight } = oneUrl();
  expect(await decisions.decide(PAGE, CLEAR)).toBe(true);
  expect([places, inFlight.size]).toEqual([[SOON], 0]);
});

it('a command that means nothing for the URL leaves it where it waits by now', async () => {
  const { decisions, places } = oneUrl();
  expect(await decisions.decide(PAGE, { do: 'forget-error' })).toBe(true);
  expect(places).toEqual([STORED]);
});

it('a command for a URL of another node is sent to that node, also if it has taken the host over meanwhile', async () => {
  for (const world of [oneUrl({ isOwned: false }), oneUrl({ error: new FencedOut([FENCE]) })]) {
    expect(await world.decisions.decide(PAGE, CLEAR)).toBe(true);
    expect(world.sent).toMatchObject([{ hostKey: PAGE.hostKey }]);
    expect(world.inFlight.size).toBe(0);
  }
});

it('a URL in flight is left to its visit', async () => {
  const { decisions, places, sent } = oneUrl({ isHeld: true });
  expect(await decisions.decide(PAGE, CLEAR)).toBe(false);
  expect(await decisions.requeue(PAGE, SOON)).toBe(false);
  expect(await decisions.applyCorrection(PAGE, SOON)).toBe(false);
  await decisions.runWhileHeld(PAGE, () => Promise.reject(new Error('not held')));
  expect([places, sent]).toEqual([[], []]);
});

it('a decision that fails leaves the URL where it was; a command whose sinks were removed has to be repeated', async () => {
  const broken = oneUrl({ error: new Error('disk full') });
  await expect(broken.decisions.decide(PAGE, CLEAR)).rejects.toThrow('disk full');
  await expect(broken.decisions.requeue(PAGE, SOON)).rejects.toThrow('disk full');
  expect([broken.places, broken.inFlight.size]).toEqual([[READ, READ], 0]);
  const removed = oneUrl({ error: new SinksRemoved() });
  expect(await removed.decisions.decide(PAGE, CLEAR)).toBe(false);
  expect(removed.places).toEqual([READ]);
});

it('a visit is brought forward unless the host belongs to another node', async () => {
  const own = oneUrl();
  expect(await own.decisions.requeue(PAGE, SOON)).toBe(true);
  expect(own.places).toEqual([SOON]);
  const lost = oneUrl({ error: new FencedOut([FENCE]) });
  expect(await lost.decisions.requeue(PAGE, SOON)).toBe(false);
  expect(lost.places).toEqual([READ]);
  expect(await oneUrl({ isOwned: false }).decisions.requeue(PAGE, SOON)).toBe(false);
});

it('after work on a URL it waits where the work says, otherwise where it did', async () => {
  const { decisions, places, inFlight } = oneUrl();
  await decisions.runWhileHeld(PAGE, async () => SOON);
  await decisions.runWhileHeld(PAGE, async () => undefined);
  await expect(decisions.runWhileHeld(PAGE, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect([places, inFlight.size]).toEqual([[SOON, STORED, STORED], 0]);
});

it('a visit that was requested while something else was in flight is decided then; a failure is logged', async () => {
  const { decisions, requested, decided, logged } = oneUrl({ error: new Error('disk full') });
  requested.push(CLEAR);
  await decisions.runWhileHeld(PAGE, async () => undefined);
  await new Promise((resolve) => setImmediate(resolve));
  expect(logged).toEqual(['a requested visit of a URL was not made; request it again']);
  expect(decided).toEqual([CLEAR]);
});
