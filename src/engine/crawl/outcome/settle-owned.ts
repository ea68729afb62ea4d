import type { Settlement, UrlQueue } from '../../ports/frontier-store.js';
import { type Fence, FencedOut } from '../../ports/partitions.js';
import type { Settled } from './decision.js';

/** Writes a batch of settlements, leaving out those whose partitions another node owns by now. */
export async function settleOwned(
  store: Pick<UrlQueue, 'settle'>,
  settlements: readonly Settlement[],
): Promise<Settled[]> {
  const lost = new Set<string>();
  const getFenceName = (fence: Fence | undefined): string => (fence ? `${fence.partition} ${fence.epoch}` : '');
  for (;;) {
    try {
      const own = settlements.filter(({ fence }) => !lost.has(getFenceName(fence)));
      if (own.length > 0) await store.settle(own);
      return settlements.map(({ fence }) => (lost.has(getFenceName(fence)) ? 'fenced out' : 'written'));
    } catch (error) {
      if (!(error instanceof FencedOut) || error.fences.length === 0) throw error;
      for (const fence of error.fences) lost.add(getFenceName(fence));
    }
  }
}
