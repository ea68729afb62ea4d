import type { SettingsPage } from '../../../engine/ports/frontier-store.js';

/** The last code point: no name of a setting contains it. */
const LAST = '\u{10ffff}';

/** Names with the prefix sort before this one, in byte order. */
export const settingsEnd = (prefix: string): string => prefix + LAST;

/** All there can be. */
const MOST = 2 ** 31 - 1;

export const allSettings = (prefix: string): SettingsPage => ({ from: prefix, limit: MOST });
