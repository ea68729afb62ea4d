import { expect, it } from 'vitest';
import { SinkAdoption } from './sink-adoption.js';

it("what is shown about a sink is checked again after another program's documents were taken over", async () => {
  let checks = 0;
  const foreign = {
    async *list() {
      yield* Array.from({ length: 30 }, (_, i) => ({ id: `file ${i}`, uri: '' }));
    },
  };
  const sink = { name: 'main', foreign, checkSchema: async () => void checks++ };
  const adoption = new SinkAdoption({
    findSink: (name: string) => (name === 'main' ? sink : undefined),
    crawlers: { list: () => [] },
    log: { info: () => expect(checks).toBe(1) },
  } as never);
  const kept = { count: 30, samples: Array.from({ length: 20 }, (_, i) => `file ${i}`) };
  expect(await adoption.run('main', 'url')).toEqual({ sink: 'main', found: 30, replaced: 0, waiting: 0, kept });
  expect(checks).toBe(1);
  await expect(adoption.run('other', 'url')).rejects.toThrow('there is no sink other');
});
