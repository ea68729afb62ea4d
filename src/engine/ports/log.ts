/** Structured log: the subject first, then its particulars. Values are never secrets. */
export interface Log {
  /** Absent: nobody wants to know that much. */
  trace?(message: string, particulars?: Readonly<Record<string, unknown>>): void;
  debug(message: string, particulars?: Readonly<Record<string, unknown>>): void;
  info(message: string, particulars?: Readonly<Record<string, unknown>>): void;
  warn(message: string, particulars?: Readonly<Record<string, unknown>>): void;
  error(message: string, particulars?: Readonly<Record<string, unknown>>): void;
}
