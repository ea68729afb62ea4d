import { expect, it } from 'vitest';
import { crawlerDefinition } from '../../../test/support/crawler-definition.js';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { minutes, seconds } from '../../domain/time/units.js';
import { Surveys } from './url-lists.js';

it('a survey is made once a minute at most, and again at once if it failed', async () => {
  const clock = new ManualClock();
  let made = 0;
  let fails = false;
  const store = {
    survey: async () => {
      made++;
      if (fails) throw new Error('the store is down');
      return { reasons: [], ages: [] };
    },
  };
  const crawlers = { get: () => ({ context: { definition: crawlerDefinition() } }) };
  const surveys = new Surveys({ store, clock, crawlers } as never);
  await Promise.all([surveys.get('docs'), surveys.get('docs')]);
  clock.advance(seconds(59));
  await surveys.get('docs');
  expect(made).toBe(1);
  clock.advance(minutes(1));
  fails = true;
  await expect(surveys.get('docs')).rejects.toThrow('the store is down');
  fails = false;
  await surveys.get('docs');
  expect(made).toBe(3);
});

it('a survey lists the reasons of most URLs first', async () => {
  const reasons = [2, 7, 5].map((urls) => ({ status: 'excluded', reason: `reason-${urls}`, urls, indexed: 0 }));
  const store = { survey: async () => ({ reasons, ages: [] }) };
  const crawlers = { get: () => ({ context: { definition: crawlerDefinition() } }) };
  const view = await new Surveys({ store, clock: new ManualClock(), crawlers } as never).get('docs');
  expect(view.reasons.map(({ urls }) => urls)).toEqual([7, 5, 2]);
});
