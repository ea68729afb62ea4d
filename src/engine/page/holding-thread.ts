export interface ThreadTools {
  /** See PageProcessor. */
  readonly reading?: (isRead: boolean) => void;
}

/** Runs work that may block the thread for a long time. Work that is done elsewhere is awaited outside of it. */
export function holdThread<T>({ reading }: ThreadTools, work: () => T): T {
  reading?.(true);
  try {
    return work();
  } finally {
    reading?.(false);
  }
}
