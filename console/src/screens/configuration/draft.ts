import type { ConfigurationDraftDto } from '../../api/schema.js';

/** A configuration that is not in force yet: another CrawlConfig.xml, other rule files, or both. */
export type Draft = ConfigurationDraftDto;

/** As the server takes it: XML alone goes as such and may be larger. */
export const toRequestBody = (draft: Draft): string | Draft =>
  draft.xml !== undefined && Object.keys(draft.files ?? {}).length === 0 ? draft.xml : draft;
