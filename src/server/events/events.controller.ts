import { finished } from 'node:stream/promises';
import { isDeepStrictEqual } from 'node:util';
import { Controller, Get, Header, HttpException, Inject, type OnModuleDestroy, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiProduces } from '@nestjs/swagger';
import { SkipThrottle } from '@nestjs/throttler';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Instant } from '../../domain/time/units.js';
import { milliseconds, seconds } from '../../domain/time/units.js';
import type { EngineApi } from '../../engine/engine-api.js';
import type { CrawlEvent } from '../../engine/events.js';
import type { Clock } from '../../engine/ports/clock.js';
import { Operation } from '../http/operation.js';
import { toIsoTime } from '../http/time.js';
import { identifyCaller } from '../security/guards.js';
import { KeyRing } from '../security/key-ring.js';
import type { SignIn } from '../sign-in/sign-in.js';
import { API, CLOCK, ENGINE, SIGN_IN } from '../tokens.js';

const MAX_EVENTS_PER_SECOND = 20;
/** Events are sent in small batches, because one write for each would be too expensive. */
const BATCH_INTERVAL = milliseconds(200);
/** Enough for several consoles and a few scripts that use one key. */
const MAX_STREAMS_PER_KEY = 50;
/** Batches between heartbeats (15 s): proxies close idle connections, often after 60 s. */
const BATCHES_PER_HEARTBEAT = 75;
/** Batches between checks (1 s) of whether the key or session of a listener still grants what it did. */
const BATCHES_PER_CHECK = 5;
/** How long a stopping server waits for listeners that do not read. */
const ENDING_TIME = seconds(1);

const EXAMPLE =
  'event: visit\ndata: {"type":"visit","at":"2026-01-31T12:00:00.000Z","crawler":"docs","url":"https://docs.example.com/",…}\n\n';

@Controller(`${API}/events`)
export class EventsController implements OnModuleDestroy {
  private readonly shutdown = new AbortController();
  private readonly openResponses = new Set<Promise<void>>();
  /** Number of open streams by the name of their key. */
  private readonly openStreams = new Map<string, number>();

  constructor(
    @Inject(ENGINE) private readonly engine: EngineApi,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(KeyRing) private readonly ring: KeyRing,
    @Inject(SIGN_IN) private readonly signIn: SignIn | undefined,
  ) {}

  /** Ends the streams properly before the connections are closed. */
  async onModuleDestroy(): Promise<void> {
    this.shutdown.abort();
    const allEnded = new AbortController();
    void Promise.all(this.openResponses).then(() => allEnded.abort());
    await this.clock.sleep(ENDING_TIME, allEnded.signal);
  }

  @Get()
  @SkipThrottle()
  @Header('content-type', 'text/event-stream; charset=utf-8')
  @Header('cache-control', 'no-store')
  @Header('x-accel-buffering', 'no')
  @Operation({
    id: 'streamEvents',
    summary: 'Live events',
    description:
      `Server-sent events: visit, verdict, order, crawler, sink, host, login, configuration. At most ${MAX_EVENTS_PER_SECOND} of each type ` +
      'per second; a `dropped` event says how many of each type were left out.',
    role: 'read',
    crawlers: 'handler',
  })
  @ApiProduces('text/event-stream')
  @ApiOkResponse({
    description:
      'A stream that ends when the server stops, and when the key or session is revoked, expires or has another role.',
    content: { 'text/event-stream': { schema: { type: 'string', example: EXAMPLE } } },
  })
  async stream(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AsyncIterable<string>> {
    this.acquireStream(request.caller?.name ?? '', reply);
    return this.streamEvents(request, reply);
  }

  private async *streamEvents(request: FastifyRequest, reply: FastifyReply): AsyncIterable<string> {
    const { crawlers } = request;
    this.trackConnection(reply);
    const feed = new EventFeed(MAX_EVENTS_PER_SECOND);
    const unsubscribe = this.engine.events.subscribe((event) => {
      const isVisible = !crawlers || ('crawler' in event && crawlers.has(event.crawler));
      if (isVisible) feed.offer(event, this.clock.now());
    });
    try {
      yield 'retry: 2000\n\n';
      // The loop also ends when the client disconnects: Nest then calls the generator's return method.
      for (let round = 1; !this.shutdown.signal.aborted; round++) {
        await this.clock.sleep(BATCH_INTERVAL, this.shutdown.signal);
        if (round % BATCHES_PER_CHECK === 0 && !(await this.hasSameAccess(request))) break;
        const { events, dropped } = feed.drain();
        const batch = events.map(formatEvent).join('') + (dropped ? formatDropped(dropped) : '');
        if (batch !== '') yield batch;
        else if (round % BATCHES_PER_HEARTBEAT === 0) yield ': heartbeat\n\n';
      }
    } finally {
      unsubscribe();
    }
  }

  /** Without the database, nobody is locked out who had access a moment ago. */
  private async hasSameAccess(request: FastifyRequest): Promise<boolean> {
    const { ring, signIn } = this;
    const { caller } = request;
    return isDeepStrictEqual(await identifyCaller(request, { ring, signIn }).catch(() => caller), caller);
  }

  /** A stream may hold its connection indefinitely, so the number of streams for each key is limited. */
  private acquireStream(name: string, { raw }: FastifyReply): void {
    const openCount = this.openStreams.get(name) ?? 0;
    if (openCount >= MAX_STREAMS_PER_KEY) {
      throw new HttpException(
        `A key may have at most ${MAX_STREAMS_PER_KEY} event streams at a time; close one first.`,
        429,
      );
    }
    this.openStreams.set(name, openCount + 1);
    raw.once('close', () => this.openStreams.set(name, this.openStreams.get(name)! - 1));
  }

  private trackConnection({ raw }: FastifyReply): void {
    const response = finished(raw)
      .catch(() => undefined) // the client has disconnected
      .then(() => void this.openResponses.delete(response));
    this.openResponses.add(response);
  }
}

const formatDropped = (dropped: Readonly<Record<string, number>>): string =>
  `event: dropped\ndata: ${JSON.stringify(dropped)}\n\n`;

function formatEvent(event: CrawlEvent): string {
  const until = 'until' in event && event.until !== undefined ? { until: toIsoTime(event.until) } : {};
  return `event: ${event.type}\ndata: ${JSON.stringify({ ...event, at: toIsoTime(event.at), ...until })}\n\n`;
}

/**
 * One client's view of the event stream, reduced to a rate that people and browsers can cope with: at most `maxPerSecond`
 * events of each type per second. Omitted events are counted by type and reported, so that a chart can be scaled up.
 * Memory is bounded: a client that does not read has a short queue, and all further events count as omitted.
 */
const QUEUE_LIMIT = 200;

export class EventFeed {
  private queue: CrawlEvent[] = [];
  private second = Number.NEGATIVE_INFINITY;
  private countsThisSecond = new Map<string, number>();
  private omittedCounts: Record<string, number> = {};

  constructor(private readonly maxPerSecond: number) {}

  /** @returns whether the event will be sent. */
  offer(event: CrawlEvent, now: Instant): boolean {
    const second = Math.floor(now / 1000);
    if (second !== this.second) {
      this.second = second;
      this.countsThisSecond.clear();
    }
    const sentCount = this.countsThisSecond.get(event.type) ?? 0;
    if (sentCount >= this.maxPerSecond || this.queue.length >= QUEUE_LIMIT) {
      this.omittedCounts[event.type] = (this.omittedCounts[event.type] ?? 0) + 1;
      return false;
    }
    this.countsThisSecond.set(event.type, sentCount + 1);
    this.queue.push(event);
    return true;
  }

  /** Removes and returns all queued events, and counts by type those omitted since the last call; undefined if none. */
  drain(): { readonly events: readonly CrawlEvent[]; readonly dropped?: Readonly<Record<string, number>> } {
    const events = this.queue;
    const dropped = Object.keys(this.omittedCounts).length > 0 ? this.omittedCounts : undefined;
    this.queue = [];
    this.omittedCounts = {};
    return { events, dropped };
  }
}
