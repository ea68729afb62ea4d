import type { SettingsPage } from '../../../engine/ports/frontier-store.js';

/** The last code point, which no setting's name contains. */
const LAST_CODE_POINT = '\u{10ffff}';

/** Computes a name that sorts after all names with the prefix, in byte order. */
export const computeSettingsEnd = (prefix: string): string => prefix + LAST_CODE_POINT;

/** Effectively no limit. */
const NO_LIMIT = 2 ** 31 - 1;

export const allSettings = (prefix: string): SettingsPage => ({ from: prefix, limit: NO_LIMIT });
