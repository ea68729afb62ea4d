import { randomUUID } from 'node:crypto';
import pg from 'pg';
import type { Secret } from '../../../domain/secret.js';
import type { Log } from '../../../engine/ports/log.js';
import type { Nodes, NodesListener, OwnerCommand } from '../../../engine/ports/nodes.js';
import { toConnectionConfig } from '../postgres/connection.js';
import type { PostgresPool } from '../postgres/postgres-pool.js';
import { computePartition, PARTITIONS } from '../shared/partition.js';
import { CommandQueue } from './command-queue.js';
import { PostgresCommands } from './postgres-commands.js';
import { type PostgresPartitions, RENEW_EVERY_MS } from './postgres-partitions.js';
import { type AnswerPiece, Questions } from './questions.js';

/** A message to the other nodes; `from` lets a node ignore its own. */
interface Notice {
  readonly from: string;
  readonly due?: readonly number[];
  readonly commands?: readonly number[];
  readonly control?: boolean;
  readonly nodes?: boolean;
  readonly events?: readonly string[];
  /** A question for the nodes that crawl. */
  readonly ask?: { readonly id: string; readonly text: string };
  readonly answer?: AnswerPiece;
}

const CHANNEL = 'crawlway';
/** A message to one node only. */
const nodeChannel = (node: string): string => `${CHANNEL}_${node}`;
const NOTIFY = 'SELECT pg_notify($1, notice) FROM unnest($2::text[]) AS notice';
/** In bytes; PostgreSQL's limit is 8000. */
const LONGEST_NOTICE = 7_900;
const BUNDLE_EVERY_MS = 200;
/** Maximum number of one node's events in a bundle: not all events, but as many as a person can follow. */
const EVENTS_IN_BUNDLE = 8;
const EARS_WITHIN_MS = 5_000;
const REVISION = 'control-revision';

const RAISE_REVISION = `INSERT INTO setting (name, value) VALUES ('${REVISION}', '1')
  ON CONFLICT (name) DO UPDATE SET value = (setting.value::int8 + 1)::text`;

const SEND = 'INSERT INTO owner_command (part, host, text, delivers) VALUES ($1, $2, $3, $4)';

/**
 * Sends messages between nodes by NOTIFY, and checks the tables every few seconds for anything that a broken connection
 * has missed.
 */
export class PostgresNodes implements Nodes {
  readonly #pool: PostgresPool;
  readonly #url: Secret;
  readonly #partitions: PostgresPartitions;
  readonly #log: Log;
  readonly #self = randomUUID();
  readonly #questions = new Questions();
  readonly #commands: PostgresCommands;
  readonly #queue: CommandQueue;
  readonly #due = new Set<number>();
  #events: string[] = [];
  #listener: NodesListener | undefined;
  #revision: string | undefined;
  #ears: pg.Client | undefined;
  #bundle: NodeJS.Timeout | undefined;
  #poll: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #lookAgain = false;
  #closed = false;

  constructor(pool: PostgresPool, url: Secret, partitions: PostgresPartitions, log: Log) {
    this.#pool = pool;
    this.#url = url;
    this.#partitions = partitions;
    this.#log = log;
    this.#commands = new PostgresCommands(pool);
    this.#queue = new CommandQueue(this.#commands, {
      log,
      ownedPartitions: () => (this.#closed || !this.#listener ? [] : this.#partitions.owned),
      carryOut: async (command) => (await this.#listener?.onCommand(command)) ?? false,
    });
    partitions.onChange = () => void this.#notify({ nodes: true });
  }

  get watched(): boolean {
    return this.#partitions.watched;
  }

  notifyDue(hostKeys: Iterable<string>): void {
    for (const hostKey of hostKeys) this.#due.add(computePartition(hostKey));
    this.#scheduleNotice();
  }

  notifyAllDue(): void {
    for (let part = 0; part < PARTITIONS; part++) this.#due.add(part);
    this.#scheduleNotice();
  }

  async notifyControlChanged(): Promise<void> {
    await this.#pool.rows(RAISE_REVISION);
    await this.#notify({ control: true });
  }

  async send({ hostKey, text, delivers }: OwnerCommand): Promise<void> {
    const part = computePartition(hostKey);
    await this.#pool.rows(SEND, [part, hostKey, text, delivers]);
    if (this.#partitions.owns(hostKey)) this.#checkTables();
    else await this.#notify({ commands: [part] });
  }

  countCommandsSetAside(): Promise<number> {
    return this.#commands.countSetAside();
  }

  sendEvent(text: string): void {
    if (this.#events.length < EVENTS_IN_BUNDLE) this.#events.push(text);
    this.#scheduleNotice();
  }

  ask(text: string): ReturnType<Nodes['ask']> {
    return this.#questions.ask(this.#partitions.others, (id) => void this.#notify({ ask: { id, text } }));
  }

  async open(listener: NodesListener, isWatching: () => boolean): Promise<void> {
    this.#listener = listener;
    this.#partitions.isWatching = isWatching;
    this.#revision = await this.#readRevision();
    await this.#listen();
    this.#schedulePoll();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#bundle);
    clearTimeout(this.#poll);
    await this.#looking;
    await this.#ears?.end().catch(() => undefined);
    await this.#pool.close();
  }

  /**
   * Messages that were sent while no one was listening are lost, so the tables are checked for what they may have
   * announced.
   */
  async #listenAgain(): Promise<void> {
    await this.#listen();
    this.#listener?.onDue(this.#partitions.owned);
  }

  /** Actively tests the connection, which can be dead for minutes before the operating system notices. */
  async #testListener(ears: pg.Client): Promise<void> {
    await ears.query('SELECT 1').catch(() => {
      if (this.#ears === ears) this.#ears = undefined;
      return ears.end().catch(() => undefined);
    });
  }

  async #listen(): Promise<void> {
    const ears = new pg.Client({
      ...toConnectionConfig(this.#url),
      keepAlive: true,
      connectionTimeoutMillis: EARS_WITHIN_MS,
      query_timeout: EARS_WITHIN_MS,
    });
    ears.on('error', () => ears.end().catch(() => undefined));
    ears.on('end', () => {
      if (this.#ears === ears) this.#ears = undefined;
    });
    ears.on('notification', ({ payload }) => this.#onNotice(payload ?? ''));
    await ears.connect();
    await ears.query(`LISTEN ${CHANNEL}; LISTEN "${nodeChannel(this.#self)}"`);
    this.#ears = ears;
  }

  #onNotice(payload: string): void {
    if (this.#closed) return;
    const { from, due, commands, control, nodes, events, ask, answer } = JSON.parse(payload) as Notice;
    if (from === this.#self) return;
    const owned = due || commands ? new Set(this.#partitions.owned) : undefined;
    const mine = due?.filter((part) => owned!.has(part)) ?? [];
    if (mine.length > 0) this.#listener?.onDue(mine);
    if (control || commands?.some((part) => owned!.has(part))) this.#checkTables();
    if (nodes) void this.#partitions.runRound().catch(() => undefined);
    for (const event of events ?? []) this.#listener?.onEvent(event);
    if (ask && this.#partitions.isCrawling) void this.#sendResponse(from, ask).catch(() => undefined);
    if (answer) this.#questions.receivePiece(from, answer);
  }

  #schedulePoll(): void {
    if (this.#closed) return;
    this.#poll = setTimeout(() => {
      if (this.#ears) void this.#testListener(this.#ears);
      else this.#listenAgain().catch(() => undefined);
      this.#queue.retryDeferred();
      this.#checkTables();
      this.#schedulePoll();
    }, RENEW_EVERY_MS);
  }

  /** Reads the tables. Only one check runs at a time, followed by one more if it was requested in the meantime. */
  #checkTables(): void {
    if (this.#looking) {
      this.#lookAgain = true;
      return;
    }
    this.#lookAgain = false;
    this.#looking = this.#readTables()
      .catch((error: unknown) =>
        this.#log.warn('requests from other nodes could not be read', { error: String(error) }),
      )
      .finally(() => {
        this.#looking = undefined;
        if (this.#lookAgain && !this.#closed) this.#checkTables();
      });
  }

  /** A configuration that this node cannot put into force must not hold up commands. */
  async #readTables(): Promise<void> {
    try {
      await this.#readControl();
    } finally {
      await this.#queue.start();
    }
  }

  async #readControl(): Promise<void> {
    const revision = await this.#readRevision();
    if (revision === this.#revision) return;
    await this.#listener?.onControlChanged();
    this.#revision = revision;
  }

  async #readRevision(): Promise<string | undefined> {
    const [row] = await this.#pool.rows<{ value: string }>('SELECT value FROM setting WHERE name = $1', [REVISION]);
    return row?.value;
  }

  #scheduleNotice(): void {
    if (this.#closed) return;
    this.#bundle ??= setTimeout(() => {
      this.#bundle = undefined;
      const due = [...this.#due];
      const events = this.#events;
      this.#due.clear();
      this.#events = [];
      if (due.length > 0) void this.#notify({ due });
      if (events.length > 0) void this.#notifyEvents(events);
    }, BUNDLE_EVERY_MS);
  }

  async #notifyEvents(events: readonly string[]): Promise<void> {
    let bundle: string[] = [];
    let length = 0;
    for (const event of events) {
      if (length + event.length * 2 > LONGEST_NOTICE / 2 && bundle.length > 0) {
        await this.#notify({ events: bundle });
        bundle = [];
        length = 0;
      }
      bundle.push(event);
      length += event.length * 2;
    }
    await this.#notify({ events: bundle });
  }

  async #sendResponse(asker: string, { id, text }: NonNullable<Notice['ask']>): Promise<void> {
    const answer = await this.#listener?.onQuestion(text);
    if (answer === undefined) return;
    const notices = Questions.splitIntoPieces(id, answer).map((piece) =>
      JSON.stringify({ from: this.#self, answer: piece }),
    );
    await this.#pool.rows(NOTIFY, [nodeChannel(asker), notices]);
  }

  /** A lost notification costs seconds, not correctness, because the tables are checked anyway. */
  async #notify(notice: Omit<Notice, 'from'>): Promise<void> {
    const text = JSON.stringify({ from: this.#self, ...notice });
    if (Buffer.byteLength(text) > LONGEST_NOTICE) return;
    await this.#pool.rows(NOTIFY, [CHANNEL, [text]]).catch(() => undefined);
  }
}
