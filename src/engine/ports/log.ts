/** Structured log: the subject first, then its details. Values are never secrets. */
export interface Log {
  /** Absent if this level is switched off. */
  trace?(message: string, particulars?: Readonly<Record<string, unknown>>): void;
  debug(message: string, particulars?: Readonly<Record<string, unknown>>): void;
  info(message: string, particulars?: Readonly<Record<string, unknown>>): void;
  warn(message: string, particulars?: Readonly<Record<string, unknown>>): void;
  error(message: string, particulars?: Readonly<Record<string, unknown>>): void;
}
