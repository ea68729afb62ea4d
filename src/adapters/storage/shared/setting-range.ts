import type { SettingsPage } from '../../../engine/ports/frontier-store.js';

/** The last code point, which no setting's name contains. */
const LAST = '\u{10ffff}';

/** Names with the prefix sort before this one, in byte order. */
export const computeSettingsEnd = (prefix: string): string => prefix + LAST;

/** No limit in practice. */
const MOST = 2 ** 31 - 1;

export const allSettings = (prefix: string): SettingsPage => ({ from: prefix, limit: MOST });
