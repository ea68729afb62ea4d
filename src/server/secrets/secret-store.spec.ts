import { expect, it } from 'vitest';
import { instant } from '../../domain/time/units.js';
import type { SecretStore } from '../../engine/ports/administration.js';
import { requireStorable } from './secret-store.js';

/** A store with this number of secrets, named `secret-0` and so on. */
const storeOf = (count: number): SecretStore => ({
  storesSecrets: true,
  listSecrets: async () =>
    Array.from({ length: count }, (_, i) => ({ name: `secret-${i}`, setAt: instant(0), setBy: 'admin' })),
  putSecret: async () => undefined,
  removeSecret: async () => false,
});

it('a thousand secrets are stored, and no more', async () => {
  await requireStorable(storeOf(999), 'one-more', 'x');
  await expect(requireStorable(storeOf(1_000), 'one-more', 'x')).rejects.toThrow('already 1000 secrets');
});

it('one of a thousand secrets can be replaced', async () => {
  await requireStorable(storeOf(1_000), 'secret-999', 'y');
});
