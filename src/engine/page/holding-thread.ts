export interface ThreadTools {
  /** See PageProcessor. */
  readonly onReading?: (isRead: boolean) => void;
}

/**
 * Runs work that may block the thread for a long time, and reports its beginning and end. Asynchronous work is awaited
 * outside of it.
 */
export function holdThread<T>({ onReading }: ThreadTools, work: () => T): T {
  onReading?.(true);
  try {
    return work();
  } finally {
    onReading?.(false);
  }
}
