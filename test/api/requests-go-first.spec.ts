import { expect, it, onTestFinished, vi } from 'vitest';
import { apiPriority } from '../../src/server/engine.module.js';
import { ApiWorld } from './api-world.js';

it('an API request has priority over crawl results until it is answered', async () => {
  const world = await ApiWorld.start();
  onTestFinished(() => world.stop());
  const [start, end] = [vi.spyOn(apiPriority, 'startRequest'), vi.spyOn(apiPriority, 'endRequest')];
  await world.get('api/v1/crawlers');
  await world.get('nowhere');
  await expect.poll(() => end.mock.calls.length).toBe(2);
  expect(start).toHaveBeenCalledTimes(2);
});
