import { type Logger, pino } from 'pino';
import pretty from 'pino-pretty';
import type { Log } from '../../engine/ports/log.js';

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** The engine's log on pino: lines for a person on a terminal, one JSON object a line otherwise. */
export class PinoLog implements Log {
  private constructor(readonly pino: Logger) {}

  static create(level: LogLevel, forTerminal: boolean): PinoLog {
    const options = { level, base: undefined, serializers: { error: pino.stdSerializers.err } };
    if (!forTerminal) return new PinoLog(pino(options));
    const stream = pretty({
      colorize: true,
      translateTime: 'SYS:HH:MM:ss',
      sync: true,
      errorLikeObjectKeys: ['error'],
    });
    return new PinoLog(pino(options, stream));
  }

  debug(message: string, particulars?: Readonly<Record<string, unknown>>): void {
    this.pino.debug(particulars ?? {}, message);
  }

  info(message: string, particulars?: Readonly<Record<string, unknown>>): void {
    this.pino.info(particulars ?? {}, message);
  }

  warn(message: string, particulars?: Readonly<Record<string, unknown>>): void {
    this.pino.warn(particulars ?? {}, message);
  }

  error(message: string, particulars?: Readonly<Record<string, unknown>>): void {
    this.pino.error(particulars ?? {}, message);
  }
}
