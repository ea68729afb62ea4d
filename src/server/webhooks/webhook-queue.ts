import type { WebhookDefinition } from '../../domain/crawl/sink-definition.js';
import { type Duration, milliseconds, minutes, seconds } from '../../domain/time/units.js';
import type { Clock } from '../../engine/ports/clock.js';
import type { Log } from '../../engine/ports/log.js';

export interface WebhookMessage {
  readonly id: string;
  readonly body: string;
}

/** Sends messages to one receiver. */
export interface WebhookChannel {
  send(message: WebhookMessage, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** Maximum number of messages waiting for one receiver; beyond that, the oldest are dropped. */
const MAX_WAITING = 1_000;
/** Pauses between ten attempts over two and a half hours, after which a message is dropped. */
const RETRY_PAUSES: readonly Duration[] = [
  seconds(5),
  seconds(30),
  minutes(2),
  minutes(5),
  minutes(10),
  minutes(20),
  minutes(30),
  minutes(40),
  minutes(45),
];

/**
 * Sends the messages of one webhook one after the other, so that a slow or unavailable receiver does not hold up
 * others.
 */
export class WebhookQueue {
  private readonly waitingMessages: WebhookMessage[] = [];
  private readonly abortController = new AbortController();
  private running = false;
  private lostCount = 0;

  constructor(
    readonly definition: WebhookDefinition,
    private readonly channel: WebhookChannel,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  add(message: WebhookMessage): void {
    this.waitingMessages.push(message);
    if (this.waitingMessages.length > MAX_WAITING) {
      this.waitingMessages.shift();
      this.lostCount++;
    }
    if (!this.running) void this.run();
  }

  async close(): Promise<void> {
    this.abortController.abort();
    await this.channel.close();
  }

  private async run(): Promise<void> {
    this.running = true;
    while (this.waitingMessages.length > 0 && !this.abortController.signal.aborted)
      await this.deliver(this.waitingMessages.shift()!);
    this.running = false;
  }

  private async deliver(message: WebhookMessage): Promise<void> {
    const webhook = this.definition.name;
    for (let attempt = 0; !this.abortController.signal.aborted; attempt++) {
      try {
        await this.channel.send(message, this.abortController.signal);
        if (attempt > 0)
          this.log.info('a webhook receiver is accepting messages again', { webhook, lost: this.lostCount });
        this.lostCount = 0;
        return;
      } catch (error) {
        const pause = RETRY_PAUSES[attempt];
        const details = { webhook, attempt: attempt + 1, error: (error as Error).message };
        if (pause === undefined) {
          this.lostCount++;
          this.log.warn('a webhook message was not accepted after ten attempts and is dropped', details);
          return;
        }
        if (attempt === 0) this.log.warn('a webhook message was not accepted; it will be sent again', details);
        // Receivers that were down at the same time should not all be called at the same time.
        await this.clock.sleep(
          milliseconds(Math.round(pause * (1 + this.waitingMessages.length / 10_000))),
          this.abortController.signal,
        );
      }
    }
  }
}
