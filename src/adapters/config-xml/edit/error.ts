import type { Problem } from '../../../domain/crawl/place.js';

/** Thrown if an edit is not possible; nothing has been changed. */
export class EditError extends Error {
  override readonly name = 'EditError';
  constructor(
    readonly code: 'unknown-crawler' | 'unknown-rule' | 'unknown-root' | 'bad-index' | 'bad-rule' | 'bad-attribute',
    message: string,
    readonly problems: readonly Problem[] = [],
  ) {
    super(message);
  }
}
