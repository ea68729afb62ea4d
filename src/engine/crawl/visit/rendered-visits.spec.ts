import { expect, it } from 'vitest';
import { ManualClock } from '../../../../test/support/manual-clock.js';
import { state } from '../../../../test/support/url-states.js';
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
