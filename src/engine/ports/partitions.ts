/**
 * Determines which node crawls what. Every host belongs to one partition permanently, and a partition is owned by one
 * node at a time, so that one node controls the politeness towards a host, its queue and the order of its documents. A
 * single node owns everything.
 */

/** The right under which a visit began: it ends with the ownership, and any write with an outdated fence is refused. */
export interface Fence {
  readonly partition: number;
  /** Increased whenever the partition changes owners. */
  readonly epoch: number;
}

export interface Partitions {
  /** False if this process is alone and owns everything. */
  readonly shared: boolean;
  getPartition(hostKey: string): number;
  /** The partitions owned now; undefined for all. */
  readonly owned: readonly number[] | undefined;
  /** True if the host is certainly owned at this moment, so that a visit may begin. */
  owns(hostKey: string): boolean;
  /** The fence for a visit that begins now; undefined if the host is not owned. */
  findFence(hostKey: string): Fence | undefined;
  /** Whether the fence still proves ownership, even while the partition is being given up. */
  holds(fence: Fence): boolean;
  /** The latest time to send a request, in milliseconds of the machine's monotonic clock; undefined for no limit. */
  readonly sendBy: number | undefined;
  /** True if this node does the work that a single node does for all: rejudging, pruning, maintaining roots. */
  readonly isLeader: boolean;
  /** Starts to own partitions. Resolves when the listener has accepted those that were free. */
  open(listener: PartitionListener): Promise<void>;
  /** Gives up all partitions and stops. */
  close(): Promise<void>;
}

export interface PartitionListener {
  /**
   * Called when these partitions are about to be owned.
   * @param abandoned those whose previous owner is dead or unresponsive and could not hand them over properly
   */
  onAssigning(partitions: readonly number[], abandoned: readonly number[]): Promise<void>;
  onAssigned(partitions: readonly number[]): void;
  /**
   * Called when nothing may begin in these partitions any longer. Resolves when what was in flight has ended; the
   * caller need not wait.
   * @param lapsed true if they may already belong to another node, so that nothing may be written to them either
   */
  onRevoking(partitions: readonly number[], lapsed: boolean): Promise<void>;
}

/** The partition has another owner by now: nothing was written, and this node must not retry. */
export class FencedOut extends Error {
  override readonly name = 'FencedOut';

  constructor(
    readonly fences: readonly Fence[],
    /**
     * True if an order may have reached a sink after one from the new owner: the document must then be checked again.
     */
    readonly uncertain = false,
  ) {
    super(`another node owns partition ${fences.map(({ partition }) => partition).join(', ')}`);
  }
}

/** The live nodes parse some URLs differently from this one: a page would have two names and two owners. */
export class NodesDiffer extends Error {
  override readonly name = 'NodesDiffer';

  /** @param version the version of Node.js that this process runs on */
  constructor(version: string) {
    super(
      `This server cannot join the others on its database: they run a version of Node.js that parses some URLs differently (this server runs ${version}). Run the same version on all of them, or stop the others first; a server that was killed is still considered running for ten seconds.`,
    );
  }
}
