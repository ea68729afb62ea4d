import type { Nodes } from '../ports/nodes.js';
import type { PartitionListener, Partitions } from '../ports/partitions.js';

const SOLE_FENCE = { partition: 0, epoch: 0 };

/** A single node owns every host permanently. */
export const SOLE_OWNER: Partitions = {
  shared: false,
  getPartition: () => 0,
  owned: undefined,
  owns: () => true,
  findFence: () => SOLE_FENCE,
  holds: () => true,
  sendBy: undefined,
  isLeader: true,
  open: (_: PartitionListener) => Promise.resolve(),
  close: () => Promise.resolve(),
};

/** Used by a single node: there are no others to notify. */
export const NO_OTHERS: Nodes = {
  name: '',
  notifyDue: () => undefined,
  notifyAllDue: () => undefined,
  notifyRequested: () => undefined,
  notifyControlChanged: () => Promise.resolve(),
  send: () => Promise.reject(new Error('a single node has no commands for others')),
  countCommandsSetAside: () => Promise.resolve(0),
  isWatched: false,
  sendEvent: () => undefined,
  ask: () => Promise.resolve({ answers: [], complete: true }),
  open: () => Promise.resolve(),
  close: () => Promise.resolve(),
};
