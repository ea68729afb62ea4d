import { escapeMarkup } from '../search/markup.js';

/** Thrown for a request that the index refuses. The message says what is wrong and what would be right. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: 400 | 401 | 403 | 405;

  constructor(message: string, status: 400 | 401 | 403 | 405 = 400) {
    super(message);
    this.status = status;
  }
}

export const buildRefusalXml = (status: number, message: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<error status="${status}"><message>${escapeMarkup(message)}</message></error>\n`;
