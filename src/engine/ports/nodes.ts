/**
 * Communication between the nodes of one crawl. Messages that must not be lost go through the database; all others are
 * hints.
 */
import type { UrlId } from '../../domain/crawl/url-state.js';

/**
 * A request that only the owner of a host may carry out. It is kept until it has been carried out, and set aside after
 * too many failures.
 */
export interface OwnerCommand {
  readonly hostKey: string;
  /** True if the command may have to wait for sinks; other commands may overtake it meanwhile. */
  readonly delivers: boolean;
  /** The command as JSON. */
  readonly text: string;
}

export interface NodesListener {
  /** Called when URLs of these partitions have become due. */
  onDue(partitions: readonly number[]): void;
  /** Called when another node is about to make these URLs due because someone requested it. */
  onRequested(ids: readonly UrlId[]): void;
  /** Called when the configuration, roots or crawler states have changed. */
  onControlChanged(): Promise<void>;
  /**
   * Carries out a command for a host that is owned here. Resolves to false if that is not possible now; the command is
   * then offered again later, and other commands in the meantime.
   */
  onCommand(command: OwnerCommand): Promise<boolean>;
  /** Called with an event of another node, as JSON. */
  onEvent(text: string): void;
  /** Answers another node's question; question and answer are JSON. */
  onQuestion(text: string): Promise<string>;
}

interface NodeAnswer {
  /** The node's name, valid as long as its process. */
  readonly from: string;
  readonly text: string;
}

export interface Nodes {
  /** The name of this node, valid as long as its process; empty for a single node. */
  readonly name: string;
  /** Notifies the owners of these hosts that URLs have become due. */
  notifyDue(hostKeys: Iterable<string>): void;
  notifyAllDue(): void;
  /** Notifies the other nodes that these URLs are about to be made due because someone requested it. */
  notifyRequested(ids: readonly UrlId[]): void;
  /** Must be called after the change is in the database. */
  notifyControlChanged(): Promise<void>;
  send(command: OwnerCommand): Promise<void>;
  /** Number of commands of all nodes that were set aside after too many failures. */
  countCommandsSetAside(): Promise<number>;
  /** True if someone is watching the events of another node, so that this node's events are needed there. */
  readonly isWatched: boolean;
  sendEvent(text: string): void;
  /** The answers of the other nodes that crawl. `complete` is true if each of them has answered within a second. */
  ask(question: string): Promise<{ readonly answers: readonly NodeAnswer[]; readonly complete: boolean }>;
  /** @param isWatching says whether someone is watching the events on this node */
  open(listener: NodesListener, isWatching: () => boolean): Promise<void>;
  close(): Promise<void>;
}
