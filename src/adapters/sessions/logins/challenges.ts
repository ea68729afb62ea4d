/** Parses WWW-Authenticate and Authentication-Info (RFC 9110, 11.6): lists of schemes with their parameters. */
export interface Challenge {
  /** In lower case. */
  readonly scheme: string;
  /** Names in lower case. */
  readonly parameters: ReadonlyMap<string, string>;
}

const MAX_PARTS = 200;
const PART = /\s*(?:([\w!#$%&'*+.^`|~-]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s",]*)))?|,)/y;

/** The challenges of a response form one list; a name without a value begins the next challenge. */
export function parseChallenges(header: string | undefined): Challenge[] {
  const challenges: { scheme: string; parameters: Map<string, string> }[] = [];
  const text = (header ?? '').slice(0, 16_384);
  PART.lastIndex = 0;
  for (let partCount = 0; partCount < MAX_PARTS; partCount++) {
    const match = PART.exec(text);
    if (!match || match[0] === '') break;
    const [, name, quotedValue, plainValue] = match;
    if (name === undefined) continue;
    const value = quotedValue?.replace(/\\(.)/g, '$1') ?? plainValue;
    if (value === undefined) challenges.push({ scheme: name.toLowerCase(), parameters: new Map() });
    else challenges.at(-1)?.parameters.set(name.toLowerCase(), value);
  }
  return challenges;
}

/** Parses a list of parameters without a scheme, as in Authentication-Info. */
export const parseParameters = (header: string | undefined): ReadonlyMap<string, string> =>
  parseChallenges(`x ${header ?? ''}`)[0]?.parameters ?? new Map();

export const listSchemes = (header: string | undefined): string =>
  parseChallenges(header)
    .map(({ scheme }) => scheme)
    .join(', ');
