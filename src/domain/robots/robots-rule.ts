export interface RobotsRule {
  readonly allow: boolean;
  /** In the normal form of path-form.ts; `*` and a `$` at the end are operators. */
  readonly pattern: string;
  /** Its line, 1-based. */
  readonly line: number;
}
