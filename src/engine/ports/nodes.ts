/** What the nodes of one crawl tell each other. What must not be lost goes through the database; the rest is a hint. */

/** Something that only the owner of a host may do. Kept until it is done, or has failed too often and is set aside. */
export interface OwnerCommand {
  readonly hostKey: string;
  /** Its end may wait for sinks; others overtake it. */
  readonly delivers: boolean;
  /** JSON. */
  readonly text: string;
}

export interface NodesListener {
  /** URLs of these partitions have become due. */
  due(partitions: readonly number[]): void;
  /** Configuration, roots or states of crawlers have changed. */
  controlChanged(): Promise<void>;
  /** A command for a host that is owned here; false: not now, it will be brought again. Others are brought meanwhile. */
  command(command: OwnerCommand): Promise<boolean>;
  /** Something that happened on another node, as JSON. */
  event(text: string): void;
  /** What another node wants to know of this one; the answer is JSON too. */
  question(text: string): Promise<string>;
}

export interface NodeAnswer {
  /** The name of the node for as long as its process lives. */
  readonly from: string;
  readonly text: string;
}

export interface Nodes {
  /** Tells the owners of these hosts that URLs have become due. */
  due(hostKeys: Iterable<string>): void;
  allDue(): void;
  /** To be called after the change is in the database. */
  controlChanged(): Promise<void>;
  send(command: OwnerCommand): Promise<void>;
  /** Commands of all nodes that failed too often. */
  commandsSetAside(): Promise<number>;
  /** Somebody looks at the events of another node, so that those of this one are wanted there. */
  readonly watched: boolean;
  event(text: string): void;
  /** The answers of the other nodes that crawl. `complete`: none of them has failed to answer in a second. */
  ask(question: string): Promise<{ readonly answers: readonly NodeAnswer[]; readonly complete: boolean }>;
  /** Whether somebody looks at the events of this node. */
  open(listener: NodesListener, isWatching: () => boolean): Promise<void>;
  close(): Promise<void>;
}
