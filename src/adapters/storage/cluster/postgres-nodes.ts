import { randomUUID } from 'node:crypto';
import pg from 'pg';
import type { UrlId } from '../../../domain/crawl/url-state.js';
import type { Secret } from '../../../domain/secret.js';
import type { Log } from '../../../engine/ports/log.js';
import type { Nodes, NodesListener, OwnerCommand } from '../../../engine/ports/nodes.js';
import type { Partitions } from '../../../engine/ports/partitions.js';
import { toConnectionConfig } from '../postgres/connection.js';
import { PostgresPool } from '../postgres/postgres-pool.js';
import { computePartition, PARTITIONS } from '../shared/partition.js';
import { CommandQueue, PostgresCommands } from './command-queue.js';
import { Leases } from './leases.js';
import { LEASE_MS, type PartitionsOptions, PostgresPartitions, RENEW_EVERY_MS } from './postgres-partitions.js';
import { type AnswerPiece, Questions } from './questions.js';

/** A message to the other nodes; `from` lets a node ignore its own. */
interface Notice {
  readonly from: string;
  readonly due?: readonly number[];
  /** Ids of URLs whose visit someone has requested. */
  readonly requested?: readonly UrlId[];
  readonly commands?: readonly number[];
  readonly control?: boolean;
  readonly nodes?: boolean;
  readonly events?: readonly string[];
  /** A question for the nodes that crawl. */
  readonly ask?: { readonly id: string; readonly text: string };
  readonly answer?: AnswerPiece;
}

/** The channel for messages to one node only. */
const getNodeChannel = (node: string): string => `crawlway_${node}`;
/** The channel of all nodes. Channels belong to the database, in which each schema may hold a crawl of its own. */
const CHANNEL = `CASE current_schema() WHEN 'public' THEN 'crawlway' ELSE 'crawlway_' || left(md5(current_schema()), 12) END`;
const NOTIFY = `SELECT pg_notify(coalesce($1, ${CHANNEL}), notice) FROM unnest($2::text[]) AS notice`;
/** In bytes; PostgreSQL's limit is 8000. */
const MAX_NOTICE_BYTES = 7_900;
/** Maximum number of ids, of up to 16 digits each, in a notice. */
const MAX_NOTICE_IDS = 400;
const BUNDLE_EVERY_MS = 200;
/** Maximum number of events in a bundle, as many as a user can follow; a node drops any more of its events. */
const MAX_BUNDLED_EVENTS = 8;
const LISTEN_TIMEOUT_MS = 5_000;
const REVISION_SETTING = 'control-revision';

const INCREMENT_REVISION = `INSERT INTO setting (name, value) VALUES ('${REVISION_SETTING}', '1')
  ON CONFLICT (name) DO UPDATE SET value = (setting.value::int8 + 1)::text`;

const SEND = 'INSERT INTO owner_command (part, host, text, delivers) VALUES ($1, $2, $3, $4)';

/**
 * Sends messages between nodes by NOTIFY, and checks the tables every few seconds for anything that was missed because
 * of a broken connection.
 */
class PostgresNodes implements Nodes {
  readonly #pool: PostgresPool;
  readonly #url: Secret;
  readonly #partitions: PostgresPartitions;
  readonly #log: Log;
  readonly name = randomUUID();
  readonly #questions = new Questions();
  readonly #commands: PostgresCommands;
  readonly #queue: CommandQueue;
  readonly #duePartitions = new Set<number>();
  #events: string[] = [];
  #listener: NodesListener | undefined;
  /** Undefined until the first check: another node may have changed something since the configuration was read. */
  #revision: string | undefined;
  #listenClient: pg.Client | undefined;
  #bundleTimer: NodeJS.Timeout | undefined;
  #pollTimer: NodeJS.Timeout | undefined;
  #runningCheck: Promise<void> | undefined;
  #needsRecheck = false;
  #closed = false;

  constructor(pool: PostgresPool, url: Secret, partitions: PostgresPartitions, log: Log) {
    this.#pool = pool;
    this.#url = url;
    this.#partitions = partitions;
    this.#log = log;
    this.#commands = new PostgresCommands(pool);
    this.#queue = new CommandQueue(this.#commands, {
      log,
      getOwnedPartitions: () => (this.#closed || !this.#listener ? [] : this.#partitions.owned),
      carryOut: async (command) => (await this.#listener?.onCommand(command)) ?? false,
    });
    partitions.onChange = () => void this.#notify({ nodes: true });
  }

  get isWatched(): boolean {
    return this.#partitions.watched;
  }

  notifyDue(hostKeys: Iterable<string>): void {
    for (const hostKey of hostKeys) this.#duePartitions.add(computePartition(hostKey));
    this.#scheduleNotice();
  }

  notifyAllDue(): void {
    for (let part = 0; part < PARTITIONS; part++) this.#duePartitions.add(part);
    this.#scheduleNotice();
  }

  notifyRequested(ids: readonly UrlId[]): void {
    if (this.#partitions.others === 0) return;
    for (let start = 0; start < ids.length; start += MAX_NOTICE_IDS)
      void this.#notify({ requested: ids.slice(start, start + MAX_NOTICE_IDS) });
  }

  async notifyControlChanged(): Promise<void> {
    await this.#pool.rows(INCREMENT_REVISION);
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
    if (this.#events.length < MAX_BUNDLED_EVENTS) this.#events.push(text);
    this.#scheduleNotice();
  }

  ask(text: string): ReturnType<Nodes['ask']> {
    return this.#questions.ask(this.#partitions.others, (id) => void this.#notify({ ask: { id, text } }));
  }

  async open(listener: NodesListener, isWatching: () => boolean): Promise<void> {
    this.#listener = listener;
    this.#partitions.isWatching = isWatching;
    await this.#listen();
    this.#schedulePoll();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#bundleTimer);
    clearTimeout(this.#pollTimer);
    await this.#runningCheck;
    await this.#listenClient?.end().catch(() => undefined);
    await this.#pool.close();
  }

  /**
   * Messages that were sent while this node was not listening are lost, so the tables are checked for what they may
   * have announced.
   */
  async #resumeListening(): Promise<void> {
    await this.#listen();
    this.#listener?.onDue(this.#partitions.owned);
  }

  /** Actively tests the connection, which can be dead for minutes before the operating system notices. */
  async #testConnection(client: pg.Client): Promise<void> {
    await client.query('SELECT 1').catch(() => {
      if (this.#listenClient === client) this.#listenClient = undefined;
      return client.end().catch(() => undefined);
    });
  }

  async #listen(): Promise<void> {
    const client = new pg.Client({
      ...toConnectionConfig(this.#url),
      keepAlive: true,
      connectionTimeoutMillis: LISTEN_TIMEOUT_MS,
      query_timeout: LISTEN_TIMEOUT_MS,
    });
    client.on('error', () => client.end().catch(() => undefined));
    client.on('end', () => {
      if (this.#listenClient === client) this.#listenClient = undefined;
    });
    client.on('notification', ({ payload }) => this.#onNotice(payload ?? ''));
    await client.connect();
    const { rows } = await client.query<{ channel: string }>(`SELECT ${CHANNEL} AS channel`);
    await client.query(`LISTEN ${rows[0]!.channel}; LISTEN "${getNodeChannel(this.name)}"`);
    this.#listenClient = client;
  }

  #onNotice(payload: string): void {
    if (this.#closed) return;
    const { from, due, requested, commands, control, nodes, events, ask, answer } = JSON.parse(payload) as Notice;
    if (from === this.name) return;
    const ownedPartitions = due || commands ? new Set(this.#partitions.owned) : undefined;
    const ownedDue = due?.filter((part) => ownedPartitions!.has(part)) ?? [];
    if (ownedDue.length > 0) this.#listener?.onDue(ownedDue);
    if (requested) this.#listener?.onRequested(requested);
    if (control || commands?.some((part) => ownedPartitions!.has(part))) this.#checkTables();
    if (nodes) void this.#partitions.runRound().catch(() => undefined);
    for (const event of events ?? []) this.#listener?.onEvent(event);
    if (ask && this.#partitions.isCrawling) void this.#sendResponse(from, ask).catch(() => undefined);
    if (answer) this.#questions.receivePiece(from, answer);
  }

  #schedulePoll(): void {
    if (this.#closed) return;
    this.#pollTimer = setTimeout(() => {
      if (this.#listenClient) void this.#testConnection(this.#listenClient);
      else this.#resumeListening().catch(() => undefined);
      this.#queue.retryDeferred();
      this.#checkTables();
      this.#schedulePoll();
    }, RENEW_EVERY_MS);
  }

  /** Reads the tables. Only one check runs at a time, followed by one more if it was requested in the meantime. */
  #checkTables(): void {
    if (this.#runningCheck) {
      this.#needsRecheck = true;
      return;
    }
    this.#needsRecheck = false;
    this.#runningCheck = this.#readTables()
      .catch((error: unknown) =>
        this.#log.warn('could not read the commands and control changes of other nodes', { error: String(error) }),
      )
      .finally(() => {
        this.#runningCheck = undefined;
        if (this.#needsRecheck && !this.#closed) this.#checkTables();
      });
  }

  /** Starts commands even if this node cannot put a new configuration into force. */
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
    const [row] = await this.#pool.rows<{ value: string }>('SELECT value FROM setting WHERE name = $1', [
      REVISION_SETTING,
    ]);
    return row?.value;
  }

  #scheduleNotice(): void {
    if (this.#closed) return;
    this.#bundleTimer ??= setTimeout(() => {
      this.#bundleTimer = undefined;
      const due = [...this.#duePartitions];
      const events = this.#events;
      this.#duePartitions.clear();
      this.#events = [];
      if (due.length > 0) void this.#notify({ due });
      if (events.length > 0) void this.#notifyEvents(events);
    }, BUNDLE_EVERY_MS);
  }

  async #notifyEvents(events: readonly string[]): Promise<void> {
    let bundle: string[] = [];
    let length = 0;
    for (const event of events) {
      if (length + event.length * 2 > MAX_NOTICE_BYTES / 2 && bundle.length > 0) {
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
      JSON.stringify({ from: this.name, answer: piece }),
    );
    await this.#pool.rows(NOTIFY, [getNodeChannel(asker), notices]);
  }

  /** A lost notification only causes a delay of seconds, because the tables are checked anyway. */
  async #notify(notice: Omit<Notice, 'from'>): Promise<void> {
    const text = JSON.stringify({ from: this.name, ...notice });
    if (Buffer.byteLength(text) > MAX_NOTICE_BYTES) return;
    await this.#pool.rows(NOTIFY, [null, [text]]).catch(() => undefined);
  }
}

/** Connections for leases and messages, separate from those of the crawl: a busy store must not cost a node its lease. */
const CONNECTIONS = 2;

/** Opens what a server needs to share a crawl with others on the same database, whose tables must be up to date. */
export function openPostgresNodes(
  url: Secret,
  options: Pick<PartitionsOptions, 'crawls' | 'log' | 'onTime'>,
): { partitions: Partitions; nodes: Nodes } {
  const pool = new PostgresPool(url, { connections: CONNECTIONS, queryTimeoutMs: LEASE_MS / 2 });
  const partitions = new PostgresPartitions(new Leases(pool), options);
  return { partitions, nodes: new PostgresNodes(pool, url, partitions, options.log) };
}
