/**
 * What a caller whose role is limited to crawlers has of the configuration: their elements and the sinks that are theirs alone,
 * as if that were the whole file. Changes are put into the whole, where everything else stays as it is.
 */
import { basename } from 'node:path';
import { ForbiddenException } from '@nestjs/common';
import { formatPlace, type Place, type Problem } from '../../domain/crawl/place.js';
import type { ConfigurationDraft } from './configuration-draft.js';
import type { LoadedConfiguration } from './configuration-file.js';
import type { ConfigurationFormat, DraftPart } from './configuration-format.js';
import { createInvalidProblem } from './write-conditions.js';

interface Whole {
  readonly current: Pick<LoadedConfiguration, 'publicTexts' | 'secretUses' | 'definition'>;
  readonly format: ConfigurationFormat;
  readonly file: { readonly path: string };
}

type Crawlers = ReadonlySet<string>;

/** CrawlConfig.xml as the caller sees it; all of it without a limit. */
export function readOwnText({ current, format }: Whole, crawlers: Crawlers | undefined): string {
  const { xml } = current.publicTexts;
  return crawlers ? format.readPart(xml, crawlers) : xml;
}

const RULE_FILES_REFUSED =
  'Your role is limited to crawlers, and several crawlers may share a rule file: only an administrator of the whole server may change it.';

const widen = (whole: Whole, crawlers: Crawlers, xml: string, part: string) =>
  whole.format.widenPart(xml, crawlers, part, (name) => isSecretOf(whole, name, crawlers));

/** @throws ForbiddenException if the draft has rule files, which may be shared */
export function widenDraft(
  whole: Whole,
  draft: ConfigurationDraft,
  crawlers: Crawlers | undefined,
): ConfigurationDraft {
  if (!crawlers) return draft;
  if (draft.files.size > 0) throw new ForbiddenException(RULE_FILES_REFUSED);
  const part = draft.xml ?? readOwnText(whole, crawlers);
  const widened = widen(whole, crawlers, whole.current.publicTexts.xml, part);
  return { xml: widened.xml, files: new Map(), part: toDraftPart(whole, widened) };
}

function toDraftPart({ file: { path } }: Whole, { sinks, problems, toPart }: DraftPart): DraftPart {
  const toOwnFile = <P extends Place>(place: P): P => ({ ...place, file: basename(path) });
  return {
    sinks,
    problems: problems.map((problem) => ({ ...problem, place: toOwnFile(problem.place) })),
    toPart: (place) => {
      const own = place.file === path ? toPart(place) : undefined;
      return own && toOwnFile(own);
    },
  };
}

/** A change of one element, such as a rule; to a caller with a limit, as if the caller had sent the whole part. */
export const createEdit = (
  whole: Whole,
  before: string,
  after: string,
  crawlers: Crawlers | undefined,
): ConfigurationDraft => ({
  xml: after,
  files: new Map(),
  isEditOfFile: true,
  ...(crawlers && { part: toDraftPart(whole, widen(whole, crawlers, before, whole.format.readPart(after, crawlers))) }),
});

/** @throws ForbiddenException if the draft changes what its sender may not change; ProblemException if it is not well-formed */
export function requireOwnPart({ part }: ConfigurationDraft): void {
  const [problem] = part?.problems ?? [];
  if (problem?.code === 'beyond-role')
    throw new ForbiddenException(`${formatPlace(problem.place)} ${problem.message}.`);
  if (part && problem) throw createInvalidProblem(part.problems);
}

/** As seen in the part. Warnings about the rest are none of the caller's business. */
export const limitToPart = (problems: readonly Problem[], part: DraftPart | undefined): readonly Problem[] =>
  part ? problems.flatMap((problem) => placeInPart(problem, part)) : problems;

function placeInPart(problem: Problem, { toPart }: DraftPart): Problem[] {
  const place = toPart(problem.place);
  if (place) return [{ ...problem, place }];
  if (problem.severity === 'warning') return [];
  const message = 'the change does not fit a part of the configuration that your role does not see';
  return [{ ...problem, message, place: { file: basename(problem.place.file), line: 1, column: 1 } }];
}

/** With what the names of a crawler's new secrets begin. */
export const toSecretPrefix = (crawler: string): string => `${crawler.replace(/[^A-Za-z0-9._-]+/g, '-')}.`;

/** The places at which the part of the crawlers refers to a secret. */
export function findOwnUses(whole: Whole, uses: readonly Place[], crawlers: Crawlers): readonly Place[] {
  const { part } = widenDraft(whole, { files: new Map() }, crawlers);
  return uses.flatMap((place) => part?.toPart(place) ?? []);
}

/**
 * Whether a secret belongs to the crawlers: only their part refers to it, or nothing does and its name begins with the name
 * of one of them and a dot.
 */
export function isSecretOf(whole: Whole, name: string, crawlers: Crawlers): boolean {
  const { secretUses, definition } = whole.current;
  const uses = secretUses.filter((use) => use.name === name);
  if (uses.length === 0) {
    const known = new Set([...definition.crawlers.map((crawler) => crawler.name), ...crawlers]);
    const prefixes = [...known].map((crawler) => ({ crawler, prefix: toSecretPrefix(crawler) }));
    const matching = prefixes.filter(({ prefix }) => name.startsWith(prefix));
    const longest = Math.max(...matching.map(({ prefix }) => prefix.length));
    const owners = matching.filter(({ prefix }) => prefix.length === longest);
    return owners.length > 0 && owners.every(({ crawler }) => crawlers.has(crawler));
  }
  const places = uses.map(({ place }) => place);
  return findOwnUses(whole, places, crawlers).length === places.length;
}
