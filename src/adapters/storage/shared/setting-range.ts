import type { SettingsPage } from '../../../engine/ports/frontier-store.js';

/** The last code point: no name of a setting has it. */
const LAST = '\u{10ffff}';

/** Names that begin with the prefix are before this one, in the order of their bytes. */
export const endOfSettings = (prefix: string): string => prefix + LAST;

/** All there can be. */
const MOST = 2 ** 31 - 1;

export const allSettings = (prefix: string): SettingsPage => ({ from: prefix, limit: MOST });
