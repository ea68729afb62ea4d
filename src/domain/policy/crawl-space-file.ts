/**
 * Reads crawl.rules and global.rules (reference: OmniFind): one rule per line, `allow|forbid domain|address|prefix TARGET`, with `#`
 * comments and blank lines. All errors are reported at once.
 */

import type { Place, Problem } from '../crawl/place.js';
import type { CrawlSpaceRule } from '../crawl/policy-definition.js';
import { normalizeCidr } from '../net/address.js';
import { createForeignFileProblem } from './foreign-file.js';
import { NOT_UTF8, NOT_UTF8_MESSAGE } from './not-utf8.js';

/** A global crawl space has domain rules only, as its sole purpose is to divide hosts between crawlers. */
export type CrawlSpaceKind = 'local' | 'global';

export interface CrawlSpaceFile {
  readonly rules: readonly CrawlSpaceRule[];
  readonly problems: readonly Problem[];
}

interface UrlCommand {
  readonly text: string;
  readonly place: Place;
}

/** A longer line is not a rule, as URLs of that length are not crawled. */
const MAX_LINE = 8192;

class BadLine extends Error {
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
  const strange: Place[] = [];
  let all = 0;
  for (const [index, line] of text.split(/\r\n|\n|\r/).entries()) {
    const place = { file, line: index + 1, column: 1 };
    try {
      const words = splitWords(line, place);
      if (words.length === 0) continue;
      all++;
      if (isUnrecognized(words)) strange.push(place);
      rules.push(parseRule(words, kind));
    } catch (error) {
      if (!(error instanceof BadLine)) throw error;
      problems.push({ severity: 'error', code: 'bad-rule-file', message: error.message, place: error.place });
    }
  }
  if (!strange[0] || strange.length <= all / 2) return { rules, problems };
  return { rules, problems: [createForeignFileProblem(strange[0], 'crawl.rules', { strange: strange.length, all })] };
}

/** Whether a line is not even a misspelt rule. */
const isUnrecognized = ([first, second]: readonly UrlCommand[]): boolean =>
  !/^(?:allow|forbid)$/i.test(first?.text ?? '') && !/^(?:domain|address|prefix)$/i.test(second?.text ?? '');

function splitWords(line: string, place: Place): UrlCommand[] {
  if (line.length > MAX_LINE) throw new BadLine(`a line may have at most ${MAX_LINE} characters`, place);
  const comment = /(?:^|\s)#/.exec(line)?.index ?? line.length;
  const code = line.slice(0, comment).replace(/^\uFEFF/, ' ');
  if (code.includes(NOT_UTF8)) throw new BadLine(NOT_UTF8_MESSAGE, { ...place, column: code.indexOf(NOT_UTF8) + 1 });
  return [...code.matchAll(/\S+/g)].map((match) => ({ text: match[0], place: { ...place, column: match.index + 1 } }));
}

function parseRule(words: readonly UrlCommand[], space: CrawlSpaceKind): CrawlSpaceRule {
  const [first, second, target, ...more] = words;
  const verdict = first?.text.toLowerCase();
  if (!first || (verdict !== 'allow' && verdict !== 'forbid')) {
    throw new BadLine(`a rule must begin with allow or forbid, not "${first?.text}"`, getPlace(first));
  }
  const kind = second?.text.toLowerCase();
  if (kind !== 'domain' && kind !== 'address' && kind !== 'prefix') {
    const message = `${verdict} must be followed by domain, address or prefix, not "${second?.text ?? 'the end of the line'}"`;
    throw new BadLine(message, getPlace(second ?? first));
  }
  if (space === 'global' && kind !== 'domain') {
    const message = `a global crawl space may contain domain rules only; move this ${kind} rule to a crawl.rules file`;
    throw new BadLine(message, getPlace(second));
  }
  if (!target) throw new BadLine(`${verdict} ${kind} needs a target after it`, getPlace(second));
  const place = first.place;
  if (kind === 'address') return { verdict, kind, target: parseAddressTarget(target, more), place };
  if (more[0])
    throw new BadLine(`"${more[0].text}" is one word too many: a rule consists of three words`, more[0].place);
  return { verdict, kind, target: kind === 'domain' ? parseDomainTarget(target) : parsePrefixTarget(target), place };
}

const getPlace = (word: UrlCommand | undefined): Place => word?.place ?? { file: '', line: 1, column: 1 };

function parseAddressTarget(first: UrlCommand, more: readonly UrlCommand[]): string {
  const text = [first, ...more].map((word) => word.text).join(' ');
  const cidr = normalizeCidr(text);
  if (cidr !== undefined) return cidr;
  throw new BadLine(`"${text}" is not an address: write IP, IP/BITS or IP NETMASK`, first.place);
}

/** A host name, possibly with wildcards, and with a port if only that server is meant. */
function parseDomainTarget({ text, place }: UrlCommand): string {
  if (/^[^\s/:?#@\\]+(?::(?:\d{1,5}|\*))?$/u.test(text)) return text.toLowerCase().replace(/:\*$/, '');
  const meant = /^[a-z]+:\/\/([^/]+)\/?$/i.exec(text)?.[1];
  const hint = meant ? `: write ${meant}` : ': write a host name such as www.example.com or *.example.com';
  throw new BadLine(`"${text}" is not a host name${hint}`, place);
}

function parsePrefixTarget({ text, place }: UrlCommand): string {
  if (/^(?:https?:\/\/|\*)/i.test(text)) return text;
  throw new BadLine(`prefix "${text}" cannot match any URL: begin it with http://, https:// or *`, place);
}
