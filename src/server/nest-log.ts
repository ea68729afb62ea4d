import type { LoggerService } from '@nestjs/common';
import type { Log } from '../engine/ports/log.js';

/**
 * Writes Nest's own messages to the server's log, except those about modules and routes, which are useless to
 * operators.
 */
export class NestLog implements LoggerService {
  constructor(private readonly target: Log) {}

  log(): void {}

  debug(): void {}

  warn(message: unknown, ...rest: unknown[]): void {
    this.target.warn(String(message), { nest: rest.at(-1) });
  }

  error(message: unknown, ...rest: unknown[]): void {
    // The code that starts the server reports a port that cannot be opened.
    if (message instanceof Error && (message as NodeJS.ErrnoException).syscall === 'listen') return;
    this.target.error(String(message), { nest: rest.at(-1), error: message instanceof Error ? message : undefined });
  }
}
