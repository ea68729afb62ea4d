/** Structured log: the subject first, then its details. Values are never secrets. */
export interface Log {
  /** Absent if this level is switched off. */
  trace?(message: string, details?: Readonly<Record<string, unknown>>): void;
  debug(message: string, details?: Readonly<Record<string, unknown>>): void;
  info(message: string, details?: Readonly<Record<string, unknown>>): void;
  warn(message: string, details?: Readonly<Record<string, unknown>>): void;
  error(message: string, details?: Readonly<Record<string, unknown>>): void;
}
