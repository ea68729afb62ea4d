/** What the nodes of one crawl send each other. What must not be lost goes through the database; the rest is a hint. */

/** Something that only the owner of a host may do. Kept until it is done, or has failed too often and is set aside. */
export interface OwnerCommand {
  readonly hostKey: string;
  /** It may wait for sinks until it ends; others overtake it. */
  readonly delivers: boolean;
  /** JSON. */
  readonly text: string;
}

export interface NodesListener {
  /** URLs of these partitions have become due. */
  onDue(partitions: readonly number[]): void;
  /** Configuration, roots or states of crawlers have changed. */
  onControlChanged(): Promise<void>;
  /** A command for a host that is owned here; false: not now, offer it again. Other commands are offered meanwhile. */
  onCommand(command: OwnerCommand): Promise<boolean>;
  /** Something that happened on another node, as JSON. */
  onEvent(text: string): void;
  /** What another node wants to know from this one; the answer is JSON, too. */
  onQuestion(text: string): Promise<string>;
}

export interface NodeAnswer {
  /** The name of the node, valid as long as its process. */
  readonly from: string;
  readonly text: string;
}

export interface Nodes {
  /** Notifies the owners of these hosts that URLs have become due. */
  notifyDue(hostKeys: Iterable<string>): void;
  notifyAllDue(): void;
  /** Must be called after the change is in the database. */
  notifyControlChanged(): Promise<void>;
  send(command: OwnerCommand): Promise<void>;
  /** Commands of all nodes that failed too often. */
  countCommandsSetAside(): Promise<number>;
  /** Somebody watches the events of another node, so that those of this one are needed there. */
  readonly watched: boolean;
  sendEvent(text: string): void;
  /** The answers of the other nodes that crawl. `complete`: each of them has answered within a second. */
  ask(question: string): Promise<{ readonly answers: readonly NodeAnswer[]; readonly complete: boolean }>;
  /** Whether somebody watches the events of this node. */
  open(listener: NodesListener, isWatching: () => boolean): Promise<void>;
  close(): Promise<void>;
}
