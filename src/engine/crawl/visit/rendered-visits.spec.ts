import { expect, it } from 'vitest';
import { ManualClock } from '../../../../test/support/manual-clock.js';
import { state } from '../../../../test/support/url-states.js';
import { toRenderPattern } from '../../../domain/render/learning.js';
import { milliseconds } from '../../../domain/time/units.js';
import type { PageResult } from '../../ports/page-task.js';
import { RenderedVisits } from './rendered-visits.js';

const RESULT = {} as PageResult;

/** Visits with rendering that last until they are ended, and how many of them wait in addition to the pages being fetched. */
function rendering() {
  const visits = new RenderedVisits(
    { getSetting: async () => undefined, putSetting: async () => {} },
    new ManualClock(),
  );
  const ends: (() => void)[] = [];
  let alongside = 0;
  const attempt = { state: state(), effects: { options: {} }, onWait: () => alongside++ } as never;
  const begin = (count: number): Promise<unknown>[] =>
    Array.from({ length: count }, () =>
      visits.run(attempt, 'always', () => new Promise((resolve) => ends.push(() => resolve(RESULT)))),
    );
  const endAll = (): void => {
    for (const end of ends.splice(0)) end();
  };
  return { begin, endAll, countAlongside: () => alongside };
}

it('32 visits wait for the browser in addition to the pages being fetched, and any more take the place of fetches', () => {
  const { begin, countAlongside } = rendering();
  begin(40);
  expect(countAlongside()).toBe(32);
});

it('a visit that has ended makes room for another one', async () => {
  const { begin, endAll, countAlongside } = rendering();
  for (let round = 1; round <= 3; round++) {
    const begun = begin(32);
    endAll();
    await Promise.all(begun);
    expect(countAlongside()).toBe(round * 32);
  }
});

it.each([
  ['never', {}, undefined, {}],
  ['always', {}, undefined, { render: 'always', renderFailures: 0 }],
  ['always', { reason: 'render-timeout', temporaryErrors: 2 }, undefined, { render: 'always', renderFailures: 2 }],
  ['always', { reason: 'http-503', temporaryErrors: 2 }, undefined, { render: 'always', renderFailures: 0 }],
  ['auto', {}, undefined, { render: 'always', renderFailures: 0 }],
  ['auto', {}, 'never', { render: 'never', renderFailures: 0 }],
  ['auto', {}, 'always', { render: 'always', renderFailures: 0 }],
  ['always', {}, 'never', { render: 'always', renderFailures: 0 }],
] as const)(
  'with render="%s", a URL in the state %o that an operator has set to %s is visited as %o',
  async (...row) => {
    const [mode, parts, override, expected] = row;
    const settings = new Map<string, string>();
    const store = {
      getSetting: async (name: string) => settings.get(name),
      putSetting: async (name: string, value?: string) => void settings.set(name, value!),
    };
    const visits = new RenderedVisits(store, new ManualClock());
    const url = state(parts as never);
    if (override) await visits.overrides.set(url.hostKey, toRenderPattern(url.url), override);
    const attempt = { state: url, effects: { options: {} }, onWait: () => undefined };
    const tasks: unknown[] = [];
    await visits.run(attempt as never, mode, async (task) => {
      tasks.push(task);
      return RESULT;
    });
    expect(tasks).toEqual([expected]);
    expect(await visits.needsBrowser(attempt as never, mode)).toBe(
      'render' in expected && expected.render === 'always',
    );
  },
);

it.each([
  [undefined, 1],
  [0, 1],
  [3, 4],
  [50, 10],
])(
  'after a page whose scripts made %s requests to its host, the host rests %d times as long',
  (ownRequests, factor) => {
    const visits = new RenderedVisits({} as never, new ManualClock());
    const result = { rendering: ownRequests === undefined ? undefined : { ownRequests } } as PageResult;
    expect(visits.extendPause(milliseconds(100), result)).toBe(100 * factor);
  },
);
