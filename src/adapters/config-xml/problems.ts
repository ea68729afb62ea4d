/**
 * Everything that can be wrong with a configuration file, as data: stable code → severity and meaning. docs/REFERENCE.md
 * lists this table.
 */
import { formatPlace, type Place, type Problem } from '../../domain/crawl/place.js';
import { redact } from '../../domain/redact.js';

const error = (meaning: string) => ({ severity: 'error', meaning }) as const;
const warning = (meaning: string) => ({ severity: 'warning', meaning }) as const;

export const PROBLEM_CODES = {
  'xml-too-large': error('The file exceeds a limit on size, depth or number of elements.'),
  'xml-declaration-forbidden': error('A document type or entity declaration, which Crawlway never reads.'),
  'xml-not-well-formed': error('The file is not well-formed XML.'),
  'wrong-root': error('The outermost element is not CrawlConfig, or its namespace is unknown.'),
  'unknown-element': error('An unknown element, which would silently have no effect.'),
  'unknown-attribute': error('An attribute that is unknown on its element and would silently have no effect.'),
  'ignored-element': warning('An element of the product or of another vendor that Crawlway does not use; it is kept.'),
  'ignored-attribute': warning(
    'An attribute of the product or of another vendor that Crawlway does not use; it is kept.',
  ),
  'ignored-text': warning('Text where none is expected; it is kept but ignored.'),
  'undeclared-prefix': warning('A namespace prefix that is not declared with xmlns; its usual meaning is assumed.'),
  'missing-attribute': error('An attribute that the element requires.'),
  'duplicate-attribute': error('One attribute set under two names, for example val and value.'),
  'bad-value': error('A value that is not valid for the attribute.'),
  'missing-variable': error(
    'A reference to a variable that is not set or that configurations may not use (CRAWLWAY_ALLOW_VARIABLES), or to an external secret that cannot be read.',
  ),
  'misplaced-variable': error('A reference to a variable in a value that is not a secret.'),
  'duplicate-element': error('An element that may appear only once in its parent.'),
  'duplicate-name': error('Two crawlers, sinks, fetchers, URL sources or roots with the same name.'),
  'unknown-reference': error('A sink or fetcher that is referred to but not defined.'),
  'no-sink': warning('A crawler without a sink: its documents go nowhere.'),
  'ambiguous-browser': error('A Renderer with both a program and the URL of a browser that runs elsewhere.'),
  'ambiguous-sink': error('A crawler without PushTo although there are several sinks.'),
  'empty-rule': error(
    'A rule without a match element or an action, or a Not or condition that does not have exactly one subject.',
  ),
  'contradictory-actions': warning('Two actions of a rule that set the same aspect differently; the later one wins.'),
  'no-effect': warning(
    'A setting that has no effect in combination with others, or a different effect from what it suggests.',
  ),
  'no-browser': warning('Pages are to be rendered, but the browser is missing or cannot start here.'),
  'robots-ignored': warning('A crawler that ignores robots.txt and robots meta tags of every site.'),
  'missing-package': error('A feature that requires a package that is not installed.'),
  'bad-range': error('A minimum that is greater than its maximum.'),
  'bad-pattern': error('A regular expression or wildcard that cannot be compiled to run in linear time.'),
  'unreadable-file': error('A file that the configuration names but that cannot be read.'),
  'refused-file': error(
    'A file that the configuration must not use because it is of the wrong kind or outside its folder.',
  ),
  'bad-rule-file': error('A mistake in crawl.rules, global.rules or indexer.conf.'),
  'unnamed-file': error('Content was sent for a file that the configuration does not name as a rule file.'),
  'ignored-command': warning('A command in indexer.conf that has no effect in Crawlway.'),
  'too-many-problems': error('There are more problems than are listed; a warning if all of them are warnings.'),
} as const satisfies Record<string, { severity: Problem['severity']; meaning: string }>;

export type ProblemCode = keyof typeof PROBLEM_CODES;

/** Maximum number of problems; more would not help anyone. */
const MOST = 500;

/** Thrown if there are too many errors to continue, which the last problem says. */
export class TooManyProblems extends Error {
  override readonly name = 'TooManyProblems';
}

/** Collects problems, so that reading continues after each. */
export class Problems {
  readonly list: Problem[] = [];
  readonly #told = new Set<string>();
  readonly #counts = { error: 0, warning: 0 };

  /** @throws TooManyProblems */
  add(code: ProblemCode, message: string, place: Place): void {
    this.addFound({ severity: PROBLEM_CODES[code].severity, code, message, place });
  }

  /**
   * A problem found by another part. Duplicates are reported once.
   * @throws TooManyProblems
   */
  addFound(found: Problem): void {
    const problem = { ...found, message: redact(found.message) };
    const identity = `${problem.code} ${formatPlace(problem.place)} ${problem.message}`;
    if (this.#counts[problem.severity] > MOST || this.#told.has(identity)) return;
    this.#told.add(identity);
    this.#counts[problem.severity]++;
    if (this.#counts[problem.severity] <= MOST) this.list.push(problem);
    else this.#countOmitted(problem);
  }

  #countOmitted({ severity, place }: Problem): void {
    const message = `more than ${MOST} ${severity}s: the rest are left out`;
    this.list.push({ severity, code: 'too-many-problems', message, place });
    if (severity === 'error') throw new TooManyProblems();
  }

  get hasErrors(): boolean {
    return this.#counts.error > 0;
  }

  /** Sorts the problems by file and position in the text. */
  sort(): Problem[] {
    const files = [...new Set(this.list.map(({ place }) => place.file))];
    const rank = ({ place }: Problem): number => files.indexOf(place.file);
    const compareByPosition = (a: Problem, b: Problem): number =>
      a.place.line - b.place.line || a.place.column - b.place.column;
    return [...this.list].sort((a, b) => rank(a) - rank(b) || compareByPosition(a, b));
  }
}
