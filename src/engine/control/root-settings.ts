/** The submitted roots of a crawler are settings whose names begin so; the URL follows. */
export const rootSettings = (crawler: string): string => `root/${crawler}/`;
