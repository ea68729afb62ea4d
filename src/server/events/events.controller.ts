import { finished } from 'node:stream/promises';
import { Controller, Get, Header, HttpException, Inject, type OnModuleDestroy, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiProduces, ApiTags } from '@nestjs/swagger';
import { SkipThrottle } from '@nestjs/throttler';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { milliseconds, seconds } from '../../domain/time/units.js';
import type { EngineApi } from '../../engine/engine-api.js';
import type { CrawlEvent } from '../../engine/events.js';
import type { Clock } from '../../engine/ports/clock.js';
import { Operation } from '../http/operation.js';
import { toIsoTime } from '../http/time.js';
import { API, CLOCK, ENGINE } from '../tokens.js';
import { EventFeed } from './event-feed.js';

const MAX_EVENTS_PER_SECOND = 20;
/** Events are sent in small batches, because one write for each would be too expensive. */
const BATCH_INTERVAL = milliseconds(200);
/** Enough for several consoles and a few scripts that use one key. */
const MAX_STREAMS_PER_KEY = 50;
/** Batches between heartbeats (15 s): proxies close idle connections, often after 60 s. */
const BATCHES_PER_HEARTBEAT = 75;
/** How long a stopping server waits for listeners that do not read. */
const ENDING_TIME = seconds(1);

const EXAMPLE =
  'event: visit\ndata: {"type":"visit","at":"2026-01-31T12:00:00.000Z","crawler":"docs","url":"https://docs.example.com/",…}\n\n';

@ApiTags('Events')
@Controller(`${API}/events`)
export class EventsController implements OnModuleDestroy {
  private readonly shutdown = new AbortController();
  private readonly openResponses = new Set<Promise<void>>();
  /** Number of open streams by the name of their key. */
  private readonly openStreams = new Map<string, number>();

  constructor(
    @Inject(ENGINE) private readonly engine: EngineApi,
    @Inject(CLOCK) private readonly clock: Clock,
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
  })
  @ApiProduces('text/event-stream')
  @ApiOkResponse({
    description: 'A stream that ends when the server stops.',
    content: { 'text/event-stream': { schema: { type: 'string', example: EXAMPLE } } },
  })
  async stream(
    @Req() { caller }: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AsyncIterable<string>> {
    this.acquireStream(caller?.name ?? '', reply);
    return this.streamEvents(reply);
  }

  private async *streamEvents(reply: FastifyReply): AsyncIterable<string> {
    this.trackConnection(reply);
    const feed = new EventFeed(MAX_EVENTS_PER_SECOND);
    const unsubscribe = this.engine.events.subscribe((event) => feed.offer(event, this.clock.now()));
    try {
      yield 'retry: 2000\n\n';
      // The loop also ends when the client disconnects: Nest then calls the generator's return method.
      for (let round = 1; !this.shutdown.signal.aborted; round++) {
        await this.clock.sleep(BATCH_INTERVAL, this.shutdown.signal);
        const { events, dropped } = feed.drain();
        const batch = events.map(formatEvent).join('') + (dropped ? formatDropped(dropped) : '');
        if (batch !== '') yield batch;
        else if (round % BATCHES_PER_HEARTBEAT === 0) yield ': heartbeat\n\n';
      }
    } finally {
      unsubscribe();
    }
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
