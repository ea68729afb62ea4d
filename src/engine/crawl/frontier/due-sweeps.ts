/** Repeatedly loads URLs that are becoming due from the store into the frontier. */
import { after, minutes } from '../../../domain/time/units.js';
import type { Clock } from '../../ports/clock.js';
import type { Log } from '../../ports/log.js';
import type { Frontier } from './frontier.js';

const SWEEP_INTERVAL = minutes(5);
const SWEEP_HORIZON = minutes(10);

export class DueSweeps {
  private hasSwept = false;
  private cancelTimer: (() => void) | undefined;
  private closed = false;

  constructor(
    private readonly crawler: string,
    private readonly frontier: Pick<Frontier, 'sweep'>,
    private readonly services: { readonly clock: Clock; readonly log: Log },
  ) {}

  /** True once the frontier has been filled, so that an empty frontier means that nothing is due. */
  get isFrontierFilled(): boolean {
    return this.hasSwept;
  }

  /** Resolves when the frontier has been filled; sweeps continue from then on, even after one fails. */
  async start(): Promise<void> {
    if (!this.hasSwept) await this.sweep();
  }

  /** To be called when URLs of these partitions may have become due. */
  async sweepPartitions(partitions: readonly number[]): Promise<void> {
    if (this.hasSwept) await this.frontier.sweep(after(this.services.clock.now(), SWEEP_HORIZON), partitions);
  }

  close(): void {
    this.closed = true;
    this.cancelTimer?.();
  }

  private async sweep(): Promise<void> {
    const { clock } = this.services;
    const now = clock.now();
    try {
      await this.frontier.sweep(after(now, SWEEP_HORIZON));
      this.hasSwept = true;
    } finally {
      this.cancelTimer?.();
      if (!this.closed) this.cancelTimer = clock.at(after(now, SWEEP_INTERVAL), () => this.sweepAgain());
    }
  }

  private sweepAgain(): void {
    this.sweep().catch((error: unknown) =>
      this.services.log.error('searching for due URLs failed', { crawler: this.crawler, error: String(error) }),
    );
  }
}
