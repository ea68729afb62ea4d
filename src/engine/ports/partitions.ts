/**
 * Who crawls what. Every host belongs to one partition permanently, and a partition is owned by one node at a time, so that one
 * node controls the politeness towards a host, its queue and the order of its documents. A single node owns everything.
 */

/** The right under which a visit began: it ends with the ownership, and anything with an outdated fence is refused. */
export interface Fence {
  readonly partition: number;
  /** Increased whenever the partition changes owners. */
  readonly epoch: number;
}

export interface Partitions {
  /** False: this process is alone and owns everything. */
  readonly shared: boolean;
  partitionOf(hostKey: string): number;
  /** Owned now; undefined: all. */
  readonly owned: readonly number[] | undefined;
  /** Certainly owned at this moment, so that a visit may begin. */
  owns(hostKey: string): boolean;
  /** For a visit that begins now; undefined when the host is not owned. */
  fenceFor(hostKey: string): Fence | undefined;
  /** Whether the fence still proves ownership, even while the partition is being given away. */
  holds(fence: Fence): boolean;
  /** Latest time to send a request, in milliseconds of the machine's monotonic clock; undefined: any. */
  readonly sendBy: number | undefined;
  /** Whether this node does what one node has to do for all: judging again, pruning, looking after roots. */
  readonly leads: boolean;
  /** Starts to own partitions. Resolves when the listener has accepted what was free. */
  open(listener: PartitionListener): Promise<void>;
  /** Gives everything away and stops. */
  close(): Promise<void>;
}

export interface PartitionListener {
  /** These are about to be owned. `abruptly`: their previous owner is dead or silent and could not hand them over properly. */
  onAssigning(partitions: readonly number[], abruptly: readonly number[]): Promise<void>;
  onAssigned(partitions: readonly number[]): void;
  /**
   * Nothing of them may begin any more. Resolves when what was in flight has ended; the caller need not wait. `lapsed`: they may
   * already belong to another node, so nothing of them may be written either.
   */
  onRevoking(partitions: readonly number[], lapsed: boolean): Promise<void>;
}

/** The partition has another owner by now: nothing was written, and this node must not try again. */
export class FencedOut extends Error {
  override readonly name = 'FencedOut';

  constructor(
    readonly fences: readonly Fence[],
    /** An order may have reached a sink after one of the new owner: the document must be checked again. */
    readonly uncertain = false,
  ) {
    super(`another node owns partition ${fences.map(({ partition }) => partition).join(', ')}`);
  }
}

/** The live nodes parse some URLs differently from this one: a page would have two names, and two owners. */
export class NodesDiffer extends Error {
  override readonly name = 'NodesDiffer';

  /** @param version of Node.js that this process runs on. */
  constructor(version: string) {
    super(
      `This server cannot join the others on its database: they run a version of Node.js that reads some URLs differently (this is ${version}). Run the same version on all of them, or stop the others first; a server that was killed counts for ten seconds more.`,
    );
  }
}
