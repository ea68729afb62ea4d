import { expect, it } from 'vitest';
import { ManualClock } from '../../../../test/support/manual-clock.js';
import type { UrlState } from '../../../domain/crawl/url-state.js';
import { PageMoves } from './page-moves.js';

it('three pages of a host that redirect to addresses of their own are a move, which is reported once', async () => {
  const settings = new Map<string, string>();
  const events: object[] = [];
  const services = {
    store: {
      getSetting: async (name: string) => settings.get(name),
      putSetting: async (name: string, value: string) => void settings.set(name, value),
    },
    clock: new ManualClock(),
    events: { emit: (event: object) => void events.push(event) },
    log: { info: () => undefined },
  } as never;
  const moves = new PageMoves('docs', services);
  for (const page of ['a', 'b', 'b', 'c', 'd']) {
    expect(events).toHaveLength(page === 'd' ? 1 : 0);
    const state = { url: `http://old.example/x/${page}`, hostKey: 'old.example' } as UrlState;
    await moves.noteDeparture(state, `https://new.example/${page}`);
  }
  const facts = { crawler: 'docs', root: 'http://old.example/x/', target: 'https://new.example/*' };
  expect(events).toEqual([{ type: 'move', ...facts, reason: 'redirected' }]);
});
