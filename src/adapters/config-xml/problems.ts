/**
 * The table of everything that can be wrong with a configuration file: stable code → severity and meaning.
 * docs/reference.md lists it.
 */
import { formatPlace, type Place, type Problem } from '../../domain/crawl/place.js';
import { redact } from '../../domain/redact.js';

const defineError = (meaning: string) => ({ severity: 'error', meaning }) as const;
const defineWarning = (meaning: string) => ({ severity: 'warning', meaning }) as const;

export const PROBLEM_CODES = {
  'xml-too-large': defineError('The file exceeds a limit on size, depth or number of elements.'),
  'xml-declaration-forbidden': defineError('A document type or entity declaration, which Crawlway never reads.'),
  'xml-not-well-formed': defineError('The file is not well-formed XML.'),
  'wrong-root': defineError('The outermost element is not CrawlConfig, or its namespace is unknown.'),
  'unknown-element': defineError('An unknown element, which would silently have no effect.'),
  'unknown-attribute': defineError('An attribute that is unknown on its element and would silently have no effect.'),
  'ignored-element': defineWarning(
    'An element of CloudView or of another vendor that Crawlway does not use; it is kept.',
  ),
  'ignored-attribute': defineWarning(
    'An attribute of CloudView or of another vendor that Crawlway does not use; it is kept.',
  ),
  'ignored-text': defineWarning('Text where none is expected; it is kept but ignored.'),
  'undeclared-prefix': defineWarning(
    'A namespace prefix that is not declared with xmlns; its usual meaning is assumed.',
  ),
  'missing-attribute': defineError('An attribute that the element requires.'),
  'duplicate-attribute': defineError('One attribute set under two names, for example val and value.'),
  'bad-value': defineError('A value that is not valid for the attribute.'),
  'missing-variable': defineError(
    `A reference to a variable that configurations must not use (CRAWLWAY_ALLOW_VARIABLES), to one for \`\${env:NAME}\` that is not set, or to an external secret that cannot be read.`,
  ),
  'unset-variable': defineError(
    'A reference to a CRAWLWAY_SECRET_… variable that is not set. `crawlway check` only lists such variables, because a file is often checked where they are not set.',
  ),
  'unknown-secret': defineError('A reference to a stored secret that does not exist or cannot be read.'),
  'literal-secret': defineWarning(
    'A secret that is written in the file instead of in the store of secrets; `crawlway secrets import` moves it there. Over the API, this is an error.',
  ),
  'misplaced-variable': defineError(
    `A reference to a variable in a value that is not a secret; \`\${env:NAME}\` works everywhere.`,
  ),
  'duplicate-element': defineError('An element that may appear only once in its parent.'),
  'beyond-role': defineError(
    'A change of something that is not part of the crawlers to which the role of the caller is limited.',
  ),
  'duplicate-name': defineError('Two crawlers, sinks, fetchers, URL sources or roots with the same name.'),
  'unknown-reference': defineError('A sink or fetcher that is referred to but not defined.'),
  'no-sink': defineWarning('A crawler without a sink: its documents go nowhere.'),
  'ambiguous-browser': defineError('A Renderer with both a program and the URL of a browser that runs elsewhere.'),
  'ambiguous-sink': defineError('A crawler without PushTo although there are several sinks.'),
  'empty-rule': defineError(
    'A rule without a match element or without an action, an And or Or without a match element, or a Not that does not contain exactly one.',
  ),
  'contradictory-actions': defineWarning(
    'Two actions of a rule that set the same aspect differently; the later one wins.',
  ),
  'no-effect': defineWarning(
    'A setting that has no effect in combination with others, or a different effect from what its name suggests.',
  ),
  'no-session-test': defineWarning(
    'A form login with nothing that shows for certain whether its session is alive: an element or text for members only, or a page in `check`.',
  ),
  'no-browser': defineWarning('Pages should be rendered, but the browser is missing or cannot start on this machine.'),
  'no-ocr-package': defineWarning(
    'Scanned pages should be read by OCR, but a package that this needs is not installed on this machine.',
  ),
  'robots-ignored': defineWarning('A crawler that ignores robots.txt and robots meta tags of every site.'),
  'missing-package': defineError('A feature that requires a package that is not installed.'),
  'bad-range': defineError('A minimum that is greater than its maximum.'),
  'bad-pattern': defineError('A regular expression or wildcard that cannot be compiled to run in linear time.'),
  'unreadable-file': defineError('A file that the configuration names but that cannot be read.'),
  'refused-file': defineError(
    'A file that the configuration must not use because it is of the wrong kind or outside its folder.',
  ),
  'bad-rule-file': defineError('A mistake in crawl.rules, global.rules or indexer.conf.'),
  'unnamed-file': defineError('Content was sent for a file that the configuration does not name as a rule file.'),
  'ignored-command': defineWarning('A command in indexer.conf that has no effect in Crawlway.'),
  'too-many-problems': defineError('There are more problems than are listed; a warning if all of them are warnings.'),
} as const satisfies Record<string, { severity: Problem['severity']; meaning: string }>;

export type ProblemCode = keyof typeof PROBLEM_CODES;

/** Maximum number of listed problems of each severity. */
const MAX_PROBLEMS = 500;

/** Thrown if there are too many errors to continue. The last problem in the list says that. */
export class TooManyProblems extends Error {
  override readonly name = 'TooManyProblems';
}

/** Collects problems so that reading can continue. */
export class Problems {
  readonly list: Problem[] = [];
  readonly #reported = new Set<string>();
  readonly #counts = { error: 0, warning: 0 };

  /** @throws TooManyProblems */
  add(code: ProblemCode, message: string, place: Place): void {
    this.addProblem({ severity: PROBLEM_CODES[code].severity, code, message, place });
  }

  /**
   * Adds a problem that another module has found. Duplicates are ignored.
   * @throws TooManyProblems
   */
  addProblem(found: Problem): void {
    const problem = { ...found, message: redact(found.message) };
    const identity = `${problem.code} ${formatPlace(problem.place)} ${problem.message}`;
    if (this.#counts[problem.severity] > MAX_PROBLEMS || this.#reported.has(identity)) return;
    this.#reported.add(identity);
    this.#counts[problem.severity]++;
    if (this.#counts[problem.severity] <= MAX_PROBLEMS) this.list.push(problem);
    else this.#reportOmitted(problem);
  }

  #reportOmitted({ severity, place }: Problem): void {
    const message = `more than ${MAX_PROBLEMS} ${severity}s: the rest are left out`;
    this.list.push({ severity, code: 'too-many-problems', message, place });
    if (severity === 'error') throw new TooManyProblems();
  }

  get hasErrors(): boolean {
    return this.#counts.error > 0;
  }

  /** Sorts the problems by file and position in the text. */
  toSorted(): Problem[] {
    const files = [...new Set(this.list.map(({ place }) => place.file))];
    const getFileRank = ({ place }: Problem): number => files.indexOf(place.file);
    const compareByPosition = (a: Problem, b: Problem): number =>
      a.place.line - b.place.line || a.place.column - b.place.column;
    return [...this.list].sort((a, b) => getFileRank(a) - getFileRank(b) || compareByPosition(a, b));
  }
}
