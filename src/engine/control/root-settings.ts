/** The submitted roots of a crawler are settings with this prefix, followed by the URL. */
export const rootSettingsPrefix = (crawler: string): string => `root/${crawler}/`;
