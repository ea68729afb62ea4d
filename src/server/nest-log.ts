import type { LoggerService } from '@nestjs/common';
import type { Log } from '../engine/ports/log.js';

/** Messages of Nest itself, in the server's log. Its lines about modules and routes are useless to operators. */
export class NestLog implements LoggerService {
  constructor(private readonly target: Log) {}

  log(): void {}

  debug(): void {}

  warn(message: unknown, ...rest: unknown[]): void {
    this.target.warn(String(message), { nest: rest.at(-1) });
  }

  error(message: unknown, ...rest: unknown[]): void {
    // A port that cannot be had is told by whoever starts the server.
    if (message instanceof Error && (message as NodeJS.ErrnoException).syscall === 'listen') return;
    this.target.error(String(message), { nest: rest.at(-1), error: message instanceof Error ? message : undefined });
  }
}
