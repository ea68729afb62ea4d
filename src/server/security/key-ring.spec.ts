import { expect, it, onTestFinished } from 'vitest';
import { ADMIN_DATABASES } from '../../../test/support/database.js';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { AdminStore } from '../../adapters/storage/shared/admin-store.js';
import { after, days, milliseconds, seconds } from '../../domain/time/units.js';
import { parseApiKeys } from './api-keys.js';
import { KeyRing } from './key-ring.js';

const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

it.each(ADMIN_DATABASES)(
  'a key is valid on all servers of a $name, and is withdrawn on all of them',
  async ({ open }) => {
    const store = new AdminStore(await open(), (error) => error);
    onTestFinished(() => store.close());
    const clock = new ManualClock();
    const [one, other] = [0, 1].map(
      () => new KeyRing(parseApiKeys('root:admin:0123456789abcdef'), store, { clock, log }),
    );
    const made = await one!.create('ci', { role: 'operate' }, 'root');
    const expiring = await one!.create(
      'short',
      { role: 'read', crawlers: ['hr', 'a+b'] },
      'root',
      after(clock.now(), days(1)),
    );
    expect(await one!.create('ci', { role: 'admin' }, 'root')).toBeUndefined();
    expect((await other!.list()).map(({ name }) => name)).toEqual(['ci', 'short']);
    expect(await other!.authenticate(made!.key)).toEqual({ name: 'ci', grants: [{ role: 'operate' }] });
    expect(await other!.authenticate(expiring!.key)).toEqual({
      name: 'short',
      grants: [{ role: 'read', crawlers: ['hr', 'a+b'] }],
    });
    expect(await other!.authenticate('0123456789abcdef')).toEqual({ name: 'root', grants: [{ role: 'admin' }] });
    expect(await other!.authenticate(undefined)).toBeUndefined();
    expect(await one!.revoke('ci')).toBe(true);
    expect(await one!.authenticate(made!.key)).toBeUndefined();
    clock.advance(seconds(10));
    expect(await other!.authenticate(made!.key)).toBeUndefined();
    clock.advanceTo(after(clock.now(), milliseconds(days(1) - seconds(10))));
    expect(await other!.authenticate(expiring!.key)).toBeUndefined();
  },
);

it('keys are read every ten seconds at most, and a database that does not respond locks out no one', async () => {
  const clock = new ManualClock();
  let broken = false;
  let read = 0;
  const kept: Parameters<AdminStore['addKey']>[0][] = [];
  const store = {
    listKeys: async () => {
      read++;
      if (broken) throw new Error('away');
      return kept;
    },
    addKey: async (key: (typeof kept)[0]) => kept.push(key) > 0,
    removeKey: async () => false,
  };
  const ring = new KeyRing(parseApiKeys('root:admin:0123456789abcdef'), store, { clock, log });
  const made = await ring.create('ci', { role: 'operate' }, 'root');
  clock.advance(seconds(10));
  read = 0;
  for (const _again of [1, 2]) await Promise.all([1, 2].map(() => ring.authenticate(made!.key)));
  expect(read).toBe(1);
  broken = true;
  clock.advance(seconds(60));
  expect(await ring.authenticate(made!.key)).toEqual({ name: 'ci', grants: [{ role: 'operate' }] });
});

it('no more keys are made than anybody could keep an eye on', async () => {
  const key = { role: 'read', digest: '', createdAt: new ManualClock().now(), createdBy: 'root' };
  const kept = Array.from({ length: 999 }, (_, i) => ({ ...key, name: `key-${i}` }));
  const store = { listKeys: async () => kept, addKey: async (key: (typeof kept)[0]) => kept.push(key) > 0 };
  const ring = () => new KeyRing([], store as never, { clock: new ManualClock(), log });
  expect(await ring().create('last', { role: 'read' }, 'root')).toBeDefined();
  await expect(ring().create('more', { role: 'read' }, 'root')).rejects.toThrow(
    'there are already 1000 keys: revoke some',
  );
});
