import type { ConfigurationDraftDto } from '../../api/schema.js';

/** A configuration that is not in force yet: a changed CrawlConfig.xml, changed rule files, or both. */
export type Draft = ConfigurationDraftDto;

/** The request body for a draft. XML alone is sent as XML, for which the server accepts a larger body. */
export const toRequestBody = (draft: Draft): string | Draft =>
  draft.xml !== undefined && Object.keys(draft.files ?? {}).length === 0 ? draft.xml : draft;
