/** `cw:Map`: changes to individual fields of a document on its way to one sink. */
export const MAP_TYPES = ['text', 'integer', 'number', 'boolean', 'date'] as const;

/** The attributes of one `Map` element, which are applied in this order. */
export interface MapStep {
  /** Name of a meta; `*` at its end matches any characters. `text` is the extracted text. */
  readonly field: string;
  readonly default?: string;
  readonly split?: string;
  readonly join?: string;
  readonly dateFormat?: string;
  readonly type?: (typeof MAP_TYPES)[number];
  readonly lowerCase: boolean;
  readonly hash?: 'sha256';
  readonly copyTo?: string;
  readonly rename?: string;
  readonly drop: boolean;
}
