/** The submitted roots of a crawler are settings with this prefix, followed by the URL. */
export const rootSettings = (crawler: string): string => `root/${crawler}/`;
