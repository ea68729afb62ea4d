import type { Settlement, UrlQueue } from '../../ports/frontier-store.js';
import { type Fence, FencedOut } from '../../ports/partitions.js';
import type { Settled } from './decision.js';

/** Writes a batch of settlements, leaving out those whose partitions another node owns by now. */
export async function settleOwned(
  store: Pick<UrlQueue, 'settle'>,
  settlements: readonly Settlement[],
): Promise<Settled[]> {
  const lostFences = new Set<string>();
  const getFenceName = (fence: Fence | undefined): string => (fence ? `${fence.partition} ${fence.epoch}` : '');
  for (;;) {
    try {
      const ownSettlements = settlements.filter(({ fence }) => !lostFences.has(getFenceName(fence)));
      if (ownSettlements.length > 0) await store.settle(ownSettlements);
      return settlements.map(({ fence }) => (lostFences.has(getFenceName(fence)) ? 'fenced out' : 'written'));
    } catch (error) {
      if (!(error instanceof FencedOut) || error.fences.length === 0) throw error;
      for (const fence of error.fences) lostFences.add(getFenceName(fence));
    }
  }
}
