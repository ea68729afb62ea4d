/** A crawler's submitted roots are stored as settings whose names are this prefix followed by the URL. */
export const getRootSettingsPrefix = (crawler: string): string => `root/${crawler}/`;
