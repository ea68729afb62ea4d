export interface RobotsRule {
  readonly allow: boolean;
  /** In the normal form of path-form.ts; `*` and a `$` at the end are operators. */
  readonly pattern: string;
  /** 1-based line number in robots.txt. */
  readonly line: number;
}
