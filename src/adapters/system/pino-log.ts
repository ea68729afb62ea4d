import { type Logger, pino } from 'pino';
import pretty from 'pino-pretty';
import { redact, redactDeep } from '../../domain/redact.js';
import type { Log } from '../../engine/ports/log.js';

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];
type WritableLevel = Exclude<LogLevel, 'fatal' | 'silent'>;

/** Writes levels as names and times in ISO format, which people and log collectors can read. */
const JSON_OPTIONS = {
  timestamp: pino.stdTimeFunctions.isoTime,
  formatters: { level: (level: string) => ({ level }) },
};

/** What is not an Error (a message, for instance) is written as it is. */
const describeError = (error: unknown): unknown =>
  redactDeep(error instanceof Error ? { ...pino.stdSerializers.err(error) } : error);

/**
 * The engine's log, written by pino: readable lines on a terminal, otherwise one JSON object per line. Secrets in URLs
 * are hidden.
 */
export class PinoLog implements Log {
  private constructor(readonly pino: Logger) {}

  static create(level: LogLevel, forTerminal: boolean): PinoLog {
    const options = { level, base: undefined, serializers: { error: describeError } };
    if (!forTerminal) return new PinoLog(pino({ ...options, ...JSON_OPTIONS }));
    const stream = pretty({
      colorize: true,
      translateTime: 'SYS:HH:MM:ss',
      sync: true,
      errorLikeObjectKeys: ['error'],
    });
    return new PinoLog(pino(options, stream));
  }

  trace(message: string, details?: Readonly<Record<string, unknown>>): void {
    this.write('trace', message, details);
  }

  debug(message: string, details?: Readonly<Record<string, unknown>>): void {
    this.write('debug', message, details);
  }

  info(message: string, details?: Readonly<Record<string, unknown>>): void {
    this.write('info', message, details);
  }

  warn(message: string, details?: Readonly<Record<string, unknown>>): void {
    this.write('warn', message, details);
  }

  error(message: string, details?: Readonly<Record<string, unknown>>): void {
    this.write('error', message, details);
  }

  private write(level: WritableLevel, message: string, details: Readonly<Record<string, unknown>> = {}): void {
    if (this.pino.isLevelEnabled(level)) this.pino[level](redactDeep(details), redact(message));
  }
}
