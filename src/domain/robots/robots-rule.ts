export interface RobotsRule {
  readonly allow: boolean;
  /** In the normal form of path-form.ts; `*` and a `$` at the end are operators. */
  readonly pattern: string;
  /** Where it stands, 1-based. */
  readonly line: number;
}
