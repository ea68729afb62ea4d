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

const EVENTS_PER_SECOND = 20;
/** Events are sent in small batches, because one write for each would be too expensive. */
const BUNDLE_EVERY = milliseconds(200);
/** Enough for several consoles and a few scripts that use one key. */
const STREAMS_OF_ONE_KEY = 50;
/** Batches between heartbeats (15 s): proxies close idle connections, often after 60 s. */
const HEARTBEATS_EVERY = 75;
/** How long a stopping server waits for listeners that do not read. */
const ENDING_TIME = seconds(1);

const EXAMPLE =
  'event: visit\ndata: {"type":"visit","at":"2026-01-31T12:00:00.000Z","crawler":"docs","url":"https://docs.example.com/",…}\n\n';

@ApiTags('Events')
@Controller(`${API}/events`)
export class EventsController implements OnModuleDestroy {
  private readonly ending = new AbortController();
  private readonly answers = new Set<Promise<void>>();
  /** Number of open streams by the name of their key. */
  private readonly open = new Map<string, number>();

  constructor(
    @Inject(ENGINE) private readonly engine: EngineApi,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Ends the streams properly before the connections are closed. */
  async onModuleDestroy(): Promise<void> {
    this.ending.abort();
    const ended = new AbortController();
    void Promise.all(this.answers).then(() => ended.abort());
    await this.clock.sleep(ENDING_TIME, ended.signal);
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
      `Server-sent events: visit, verdict, order, crawler, sink, host, configuration. At most ${EVENTS_PER_SECOND} of each type ` +
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
    const feed = new EventFeed(EVENTS_PER_SECOND);
    const unsubscribe = this.engine.subscribe((event) => feed.offer(event, this.clock.now()));
    try {
      yield 'retry: 2000\n\n';
      // Also ends when the client disconnects: Nest then returns from the generator.
      for (let round = 1; !this.ending.signal.aborted; round++) {
        await this.clock.sleep(BUNDLE_EVERY, this.ending.signal);
        const { events, dropped } = feed.drain();
        const bundle = events.map(formatEvent).join('') + (dropped ? formatDropped(dropped) : '');
        if (bundle !== '') yield bundle;
        else if (round % HEARTBEATS_EVERY === 0) yield ': heartbeat\n\n';
      }
    } finally {
      unsubscribe();
    }
  }

  /** A stream may hold its connection indefinitely, so the number of streams for each key is limited. */
  private acquireStream(name: string, { raw }: FastifyReply): void {
    const open = this.open.get(name) ?? 0;
    if (open >= STREAMS_OF_ONE_KEY) {
      throw new HttpException(
        `A key may have at most ${STREAMS_OF_ONE_KEY} event streams at a time; close one first.`,
        429,
      );
    }
    this.open.set(name, open + 1);
    raw.once('close', () => this.open.set(name, this.open.get(name)! - 1));
  }

  private trackConnection({ raw }: FastifyReply): void {
    const answer = finished(raw)
      .catch(() => undefined) // the client has disconnected
      .then(() => void this.answers.delete(answer));
    this.answers.add(answer);
  }
}

const formatDropped = (dropped: Readonly<Record<string, number>>): string =>
  `event: dropped\ndata: ${JSON.stringify(dropped)}\n\n`;

function formatEvent(event: CrawlEvent): string {
  const until = 'until' in event && event.until !== undefined ? { until: toIsoTime(event.until) } : {};
  return `event: ${event.type}\ndata: ${JSON.stringify({ ...event, at: toIsoTime(event.at), ...until })}\n\n`;
}
