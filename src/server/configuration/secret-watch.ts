import { after, type Duration } from '../../domain/time/units.js';
import type { CrawlEvent } from '../../engine/events.js';
import type { Clock } from '../../engine/ports/clock.js';
import type { Log } from '../../engine/ports/log.js';

export interface SecretWatchParts {
  /** Rereads external secrets and puts changes in force. */
  readonly renew: () => Promise<void>;
  readonly interval: Duration;
  readonly clock: Clock;
  readonly log: Log;
}

/** Rereads external secrets on a schedule, and as soon as a login fails, since its password may have been changed. */
export class SecretWatch {
  private cancelCheck: (() => void) | undefined;
  private runningCheck: Promise<void> | undefined;
  private closed = false;

  constructor(private readonly parts: SecretWatchParts) {
    this.scheduleCheck();
  }

  readonly onEvent = (event: CrawlEvent): void => {
    if (event.type === 'login' && (event.state === 'failing' || event.state === 'stopped')) void this.checkNow();
  };

  /** Runs one check at a time; resolves when changes are in force. Never rejects. */
  checkNow(): Promise<void> {
    this.runningCheck ??= this.renewSecrets().finally(() => {
      this.runningCheck = undefined;
    });
    return this.runningCheck;
  }

  close(): void {
    this.closed = true;
    this.cancelCheck?.();
  }

  private async renewSecrets(): Promise<void> {
    try {
      await this.parts.renew();
    } catch (error) {
      this.parts.log.warn('external secrets could not be reloaded; the previous values stay in use', {
        error: String(error),
      });
    }
  }

  private scheduleCheck(): void {
    const { clock, interval } = this.parts;
    this.cancelCheck = clock.at(after(clock.now(), interval), () => {
      void this.checkNow().then(() => {
        if (!this.closed) this.scheduleCheck();
      });
    });
  }
}
