/**
 * Parses crawl.rules and global.rules (reference: OmniFind): one rule per line, `allow|forbid domain|address|prefix
 * TARGET`, with `#` comments and blank lines. All errors are reported at once.
 */
import type { Place, Problem } from '../crawl/place.js';
import type { CrawlSpaceRule } from '../crawl/policy-definition.js';
import { normalizeCidr } from '../net/address.js';
import { stripUserInfo } from '../url/crawl-url.js';
import { createForeignFileProblem, NOT_UTF8_MESSAGE, REPLACEMENT_CHARACTER } from './rule-file-problems.js';

/** A global crawl space has only domain rules, because its sole purpose is to divide hosts between crawlers. */
export type CrawlSpaceKind = 'local' | 'global';

export interface CrawlSpaceFile {
  readonly rules: readonly CrawlSpaceRule[];
  readonly problems: readonly Problem[];
}

interface Word {
  readonly text: string;
  readonly place: Place;
}

/** Longer lines are rejected: URLs of that length are not crawled. */
const MAX_LINE_LENGTH = 8192;

class InvalidLineError extends Error {
  constructor(
    message: string,
    readonly place: Place,
  ) {
    super(message);
  }
}

export function parseCrawlSpace(text: string, file: string, kind: CrawlSpaceKind = 'local'): CrawlSpaceFile {
  const rules: CrawlSpaceRule[] = [];
  const problems: Problem[] = [];
  const unrecognized: Place[] = [];
  let totalCount = 0;
  for (const [index, line] of text.split(/\r\n|\n|\r/).entries()) {
    const place = { file, line: index + 1, column: 1 };
    try {
      const words = splitWords(line, place);
      if (words.length === 0) continue;
      totalCount++;
      if (isUnrecognized(words)) unrecognized.push(place);
      rules.push(parseRule(words, kind));
    } catch (error) {
      if (!(error instanceof InvalidLineError)) throw error;
      problems.push({ severity: 'error', code: 'bad-rule-file', message: error.message, place: error.place });
    }
  }
  if (!unrecognized[0] || unrecognized.length <= totalCount / 2) return { rules, problems };
  return {
    rules,
    problems: [
      createForeignFileProblem(unrecognized[0], 'crawl.rules', { unrecognizedCount: unrecognized.length, totalCount }),
    ],
  };
}

/** Whether a line is not even a misspelt rule. */
const isUnrecognized = ([first, second]: readonly Word[]): boolean =>
  !/^(?:allow|forbid)$/i.test(first?.text ?? '') && !/^(?:domain|address|prefix)$/i.test(second?.text ?? '');

function splitWords(line: string, place: Place): Word[] {
  if (line.length > MAX_LINE_LENGTH)
    throw new InvalidLineError(`a line may have at most ${MAX_LINE_LENGTH} characters`, place);
  const commentStart = /(?:^|\s)#/.exec(line)?.index ?? line.length;
  const ruleText = line.slice(0, commentStart);
  if (ruleText.includes(REPLACEMENT_CHARACTER))
    throw new InvalidLineError(NOT_UTF8_MESSAGE, { ...place, column: ruleText.indexOf(REPLACEMENT_CHARACTER) + 1 });
  return [...ruleText.matchAll(/\S+/g)].map((match) => ({
    text: match[0],
    place: { ...place, column: match.index + 1 },
  }));
}

function parseRule(words: readonly Word[], spaceKind: CrawlSpaceKind): CrawlSpaceRule {
  const [first, second, target, ...extraWords] = words;
  const verdict = first?.text.toLowerCase();
  if (!first || (verdict !== 'allow' && verdict !== 'forbid')) {
    throw new InvalidLineError(`a rule must begin with allow or forbid, not "${first?.text}"`, getPlace(first));
  }
  const kind = second?.text.toLowerCase();
  if (kind !== 'domain' && kind !== 'address' && kind !== 'prefix') {
    const message = `${verdict} must be followed by domain, address or prefix, not ${second ? `"${second.text}"` : 'the end of the line'}`;
    throw new InvalidLineError(message, getPlace(second ?? first));
  }
  if (spaceKind === 'global' && kind !== 'domain') {
    const message = `a global crawl space may contain only domain rules; move this ${kind} rule to a crawl.rules file`;
    throw new InvalidLineError(message, getPlace(second));
  }
  if (!target) throw new InvalidLineError(`${verdict} ${kind} must be followed by a target`, getPlace(second));
  const place = first.place;
  if (kind === 'address') return { verdict, kind, target: parseAddressTarget(target, extraWords), place };
  if (extraWords[0])
    throw new InvalidLineError(
      `unexpected "${extraWords[0].text}": a rule consists of three words`,
      extraWords[0].place,
    );
  return { verdict, kind, target: kind === 'domain' ? parseDomainTarget(target) : parsePrefixTarget(target), place };
}

const getPlace = (word: Word | undefined): Place => word?.place ?? { file: '', line: 1, column: 1 };

function parseAddressTarget(first: Word, extraWords: readonly Word[]): string {
  const text = [first, ...extraWords].map((word) => word.text).join(' ');
  const cidr = normalizeCidr(text);
  if (cidr !== undefined) return cidr;
  throw new InvalidLineError(`"${text}" is not an address: write IP, IP/BITS or IP NETMASK`, first.place);
}

/** Parses a host name, possibly with wildcards, and with a port if only that server is meant. */
function parseDomainTarget({ text, place }: Word): string {
  if (/^[^\s/:?#@\\]+(?::(?:\d{1,5}|\*))?$/u.test(text)) return text.toLowerCase().replace(/:\*$/, '');
  const host = /^[a-z]+:\/\/([^/]+)\/?$/i.exec(text)?.[1];
  const hint = host ? `: write ${host}` : ': write a host name such as www.example.com or *.example.com';
  throw new InvalidLineError(`"${text}" is not a host name${hint}`, place);
}

function parsePrefixTarget({ text, place }: Word): string {
  // It is not part of a canonical URL, and must not be shown.
  const prefix = stripUserInfo(text);
  if (/^(?:https?:\/\/|\*)/i.test(prefix)) return prefix;
  throw new InvalidLineError(
    `prefix "${prefix}" cannot match any URL: it must begin with http://, https:// or *`,
    place,
  );
}
