/**
 * What a page says to robots about itself, in `<meta name=robots>` (or a meta named like the agent) and in X-Robots-Tag
 * lines. All of it adds up: what any of them forbids is forbidden.
 */
export interface RobotsDirectives {
  readonly index: boolean;
  readonly follow: boolean;
  /** false: the index should show no copy of the page. */
  readonly archive: boolean;
}

export interface RobotsMeta {
  /** Name of the meta element. */
  readonly agent: string;
  readonly directives: string;
}

const FORBIDS: ReadonlyMap<string, Partial<RobotsDirectives>> = new Map([
  ['noindex', { index: false }],
  ['nofollow', { follow: false }],
  ['none', { index: false, follow: false }],
  ['noarchive', { archive: false }],
]);

/** Directives with a value: a word before a colon that is none of these names an agent. */
const WITH_VALUE: ReadonlySet<string> = new Set([
  'unavailable_after',
  'max-snippet',
  'max-image-preview',
  'max-video-preview',
]);
const MOST_WORDS = 1000;

/** `headerLines`: one per X-Robots-Tag field received; `agent`: product token of this crawler. */
export function robotsDirectives(
  metas: readonly RobotsMeta[],
  headerLines: readonly string[],
  agent: string,
): RobotsDirectives {
  let sum: RobotsDirectives = { index: true, follow: true, archive: true };
  const own = agent.toLowerCase();
  const speaksTo = (name: string): boolean => name === own || name === 'robots' || name === '*';
  for (const meta of metas) {
    if (!speaksTo(meta.agent.trim().toLowerCase())) continue;
    for (const word of words(meta.directives)) sum = { ...sum, ...FORBIDS.get(word) };
  }
  for (const line of headerLines) {
    for (const word of headerWords(line, speaksTo)) sum = { ...sum, ...FORBIDS.get(word) };
  }
  return sum;
}

const words = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[\s,;]+/, MOST_WORDS)
    .filter((word) => word !== '');

/** Words of one line that concern us. `name:` opens the words for one agent, up to the next name. */
function headerWords(line: string, speaksTo: (name: string) => boolean): string[] {
  const concerned: string[] = [];
  let listening = true;
  for (const part of line.toLowerCase().split(',', MOST_WORDS)) {
    const colon = part.indexOf(':');
    const name = part.slice(0, Math.max(colon, 0)).trim();
    if (WITH_VALUE.has(name)) continue;
    if (name !== '' && !/\s/.test(name)) listening = speaksTo(name);
    if (listening) concerned.push(...words(part.slice(colon + 1)));
  }
  return concerned;
}
