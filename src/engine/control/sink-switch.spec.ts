import { expect, it } from 'vitest';
import { SinkSwitch } from './sink-switch.js';

it('a switch compares the new index before it moves the alias, and repairs nothing', async () => {
  const runs: unknown[][] = [];
  const moved: unknown[] = [];
  const alias = {
    name: 'docs',
    index: 'docs-2',
    read: async () => ['docs-1'],
    move: async (to: unknown) => void moved.push(to),
  };
  const settings = new Map<string, string>();
  let missing = { count: 1, samples: ['http://a.example/x'] };
  const services = {
    findSink: () => ({ alias }),
    log: { info: () => undefined },
    backfills: { list: async () => [] },
    store: {
      getSetting: async (name: string) => settings.get(name),
      putSetting: async (name: string, value: string) => void settings.set(name, value),
    },
    reconciliation: {
      run: async (...parts: unknown[]) => {
        runs.push(parts);
        return { compared: 3, missing, stale: { count: 0, samples: [] }, inFlight: 0 };
      },
    },
  } as unknown as ConstructorParameters<typeof SinkSwitch>[0];
  const sinkSwitch = new SinkSwitch(services);
  await expect(sinkSwitch.run('main', {})).rejects.toThrow('1 documents are missing and 0 are out of date');
  expect([moved, settings.size]).toEqual([[], 0]);
  missing = { count: 0, samples: [] };
  expect(await sinkSwitch.run('main', {})).toMatchObject({ from: ['docs-1'], to: ['docs-2'], compared: 3 });
  expect(moved).toEqual([['docs-2']]);
  expect(runs).toEqual(Array(2).fill(['main', false]));
});
