/**
 * Reads an indexer.conf of mnoGoSearch: the commands that have a meaning here become Server records; each of the others
 * causes a warning with its line number. A value applies to all Server commands that follow it.
 */

import type { Place, Problem } from '../crawl/place.js';
import type { ServerParameters, ServerRecord, ServersDefinition } from '../crawl/policy-definition.js';
import { Secret } from '../secret.js';
import { hasUserInfo } from '../url/crawl-url.js';
import { createForeignFileProblem } from './foreign-file.js';
import { NOT_UTF8, NOT_UTF8_MESSAGE } from './not-utf8.js';
import { parsePeriod } from './period.js';
import { toRecordPrefix } from './server-records.js';

export interface IndexerConf {
  /** Switches that the file does not set have mnoGoSearch's defaults. */
  readonly servers: ServersDefinition;
  readonly problems: readonly Problem[];
}

interface Reading {
  readonly records: ServerRecord[];
  readonly aliases: { readonly from: string; readonly to: string; readonly place: Place }[];
  problems: Problem[];
  inForce: ServerParameters;
  /** Applies to the next Server only. */
  login: { readonly authentication: Secret; readonly place: Place } | undefined;
  followOutside: boolean;
  deleteNoServer: boolean;
}

interface Command {
  readonly name: string;
  readonly words: readonly string[];
  readonly place: Place;
}

export function parseIndexerConf(text: string, file: string): IndexerConf {
  const reading: Reading = {
    records: [],
    aliases: [],
    problems: [],
    inForce: {},
    login: undefined,
    followOutside: false,
    deleteNoServer: true,
  };
  const commands = parseCommands(text, file);
  for (const command of commands) {
    const read = COMMANDS.get(command.name.toLowerCase());
    if (read && command.words.some((text) => text.includes(NOT_UTF8)))
      reading.problems.push(createNotUtf8Problem(command));
    else if (read) read(command, reading);
    else reading.problems.push(createUnknownCommandProblem(command));
  }
  reportUnusedLogin(reading);
  const strange = commands.filter(({ name }) => !COMMANDS.has(name.toLowerCase()) && !FILTERS.test(name));
  if (strange[0] && strange.length > commands.length * MOSTLY)
    reading.problems = [
      createForeignFileProblem(strange[0].place, 'indexer.conf', { strange: strange.length, all: commands.length }),
    ];
  for (const alias of reading.aliases) applyAlias(alias, reading);
  const { records, inForce, followOutside, deleteNoServer, problems } = reading;
  const place = { file, line: 1, column: 1 };
  return { servers: { followOutside, deleteNoServer, records, defaults: inForce, place }, problems };
}

/**
 * Splits a text into commands. A backslash at the end of a line continues it on the next one; `#` begins a comment
 * line.
 */
function parseCommands(text: string, file: string): Command[] {
  const commands: Command[] = [];
  let startedAt = '';
  let start = 1;
  for (const [index, line] of text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\n|\r/)
    .entries()) {
    if (startedAt === '') start = index + 1;
    if (startedAt === '' && /^\s*#/.test(line)) continue;
    startedAt += line.replace(/\\$/, ' ');
    if (line.endsWith('\\')) continue;
    const [name, ...words] = startedAt.match(/"[^"]*"|'[^']*'|\S+/g) ?? [];
    const column = startedAt.search(/\S/) + 1;
    if (name) commands.push({ name, words: words.map(unquote), place: { file, line: start, column } });
    startedAt = '';
  }
  return commands;
}

const unquote = (word: string): string => word.replace(/^(["'])(.*)\1$/, '$2');

type Reader = (command: Command, reading: Reading) => void;

const setParameters = (reading: Reading, parameters: ServerParameters): void => {
  reading.inForce = { ...reading.inForce, ...parameters };
};

/** Creates the reader of a command with one value; `parse` returns undefined if the value is not valid. */
const createValueReader =
  <T>(
    wanted: string,
    parse: (text: string) => T | undefined,
    use: (parsed: T, reading: Reading, place: Place) => void,
  ): Reader =>
  (command, reading) => {
    const text = command.words.join(' ');
    const parsed = parse(text);
    if (parsed === undefined) reading.problems.push(createInvalidValueProblem(command, text, wanted));
    else use(parsed, reading, command.place);
  };

const createPeriodReader = (use: (parsed: NonNullable<ServerParameters['period']>, reading: Reading) => void): Reader =>
  createValueReader(
    'seconds, or a period such as 1d12h (s, M, h, d, m, y; M is a minute, m a month)',
    parsePeriod,
    use,
  );

const createCountReader = (use: (parsed: number, reading: Reading) => void): Reader =>
  createValueReader('a whole number', (text) => (/^\d{1,9}$/.test(text) ? Number(text) : undefined), use);

const createBooleanReader = (use: (parsed: boolean, reading: Reading) => void): Reader =>
  createValueReader('yes or no', (text) => ({ yes: true, no: false })[text.toLowerCase()], use);

const createWordReader = (use: (parsed: string, reading: Reading) => void): Reader =>
  createValueReader('a value', (text) => (text === '' ? undefined : text), use);

/** Readers by command name in lower case. */
const COMMANDS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['server', readServer],
  ['alias', readAlias],
  ['period', createPeriodReader((parsed, reading) => setParameters(reading, { period: parsed }))],
  ['tag', createWordReader((tag, reading) => setParameters(reading, { tag }))],
  ['category', createWordReader((category, reading) => setParameters(reading, { category }))],
  ['maxhops', createCountReader((maxHops, reading) => setParameters(reading, { maxHops }))],
  ['readtimeout', createPeriodReader((readTimeout, reading) => setParameters(reading, { readTimeout }))],
  ['doctimeout', createPeriodReader((documentTimeout, reading) => setParameters(reading, { documentTimeout }))],
  ['robots', createBooleanReader((robots, reading) => setParameters(reading, { robots }))],
  ['index', createBooleanReader((index, reading) => setParameters(reading, { index }))],
  ['follow', createBooleanReader((follow, reading) => setParameters(reading, { follow }))],
  ['maxneterrors', createCountReader((maxNetworkErrors, reading) => setParameters(reading, { maxNetworkErrors }))],
  [
    'neterrordelaytime',
    createPeriodReader((networkErrorDelay, reading) => setParameters(reading, { networkErrorDelay })),
  ],
  [
    'authbasic',
    createValueReader(
      'user:password',
      (text) => (text.includes(':') ? text : undefined),
      (authentication, reading, place) => {
        reportUnusedLogin(reading);
        reading.login = { authentication: new Secret(authentication), place };
      },
    ),
  ],
  ['followoutside', createBooleanReader((parsed, reading) => (reading.followOutside = parsed))],
  ['deletenoserver', createBooleanReader((parsed, reading) => (reading.deleteNoServer = parsed))],
]);

/**
 * mnoGoSearch's words between Server and the URL, which determine the scope of a record, with what to write instead.
 */
const SUBSECTIONS: Readonly<Record<string, string>> = {
  path: '; leave out path: a record applies to all URLs that begin with its URL',
  site: '; leave out site and write the URL of the home page',
  page: '; leave out page and write the URL of the page, or write a Root with followLinks="false"',
  world: '; leave out world and write FollowOutside yes',
};

/** Reads `Server URL [ALIAS]`. */
function readServer(command: Command, reading: Reading): void {
  const [url = '', mirror, more] = command.words;
  if (!/^https?:\/\/[^/]/i.test(url) || more !== undefined) {
    reading.problems.push(
      createInvalidValueProblem(
        command,
        command.words.join(' '),
        `a URL that begins with http:// or https://, and at most an alias after it${SUBSECTIONS[url.toLowerCase()] ?? ''}`,
      ),
    );
    return;
  }
  if (rejectUserInfo(command, reading, [url, mirror])) return;
  const { inForce, login } = reading;
  const parameters = {
    ...inForce,
    ...(mirror === undefined ? {} : { alias: mirror }),
    ...(login && { authentication: login.authentication }),
  };
  reading.login = undefined;
  reading.records.push({ url, place: command.place, parameters });
}

/** Reports a login that no Server command followed. */
function reportUnusedLogin(reading: Reading): void {
  if (!reading.login) return;
  const message = 'AuthBasic applies only to the next Server, and none follows, so it has no effect';
  reading.problems.push({ severity: 'warning', code: 'ignored-command', message, place: reading.login.place });
  reading.login = undefined;
}

function rejectUserInfo(
  { name, place }: Command,
  { problems }: Reading,
  urls: readonly (string | undefined)[],
): boolean {
  if (!urls.some((url) => url !== undefined && hasUserInfo(url))) return false;
  const message = `the URL of ${name} must not contain a user name or password: write them as AuthBasic user:password before the Server`;
  problems.push({ severity: 'error', code: 'bad-rule-file', message, place });
  return true;
}

function readAlias(command: Command, reading: Reading): void {
  const [from, to, more] = command.words;
  if (!from || !to || more !== undefined) {
    reading.problems.push(
      createInvalidValueProblem(
        command,
        command.words.join(' '),
        'two URLs: the one in links, and the one from which to fetch it',
      ),
    );
  } else if (!/^https?:\/\/[^/]/i.test(to)) {
    reading.problems.push(
      createInvalidValueProblem(command, command.words.join(' '), 'an alias that begins with http:// or https://'),
    );
  } else if (!rejectUserInfo(command, reading, [from, to])) reading.aliases.push({ from, to, place: command.place });
}

/**
 * An alias covers the records below its URL; if that URL lies within a record, it gets a record of its own with the
 * same parameters.
 */
function applyAlias({ from, to, place }: Reading['aliases'][number], { records, problems }: Reading): void {
  const prefix = toRecordPrefix(from);
  const around = records
    .filter((record) => prefix.startsWith(toRecordPrefix(record.url)))
    .sort((a, b) => b.url.length - a.url.length)[0];
  if (around && toRecordPrefix(around.url) !== prefix)
    records.push({ url: from, place, parameters: around.parameters });
  let used = false;
  for (const [index, record] of records.entries()) {
    const url = toRecordPrefix(record.url);
    if (!url.startsWith(prefix)) continue;
    used = true;
    records[index] = { ...record, parameters: { ...record.parameters, alias: to + url.slice(prefix.length) } };
  }
  if (used) return;
  const message = `no Server record covers URLs that begin with ${from}, so this Alias has no effect`;
  problems.push({ severity: 'warning', code: 'ignored-command', message, place });
}

/** The message contains the value, except for passwords. */
function createInvalidValueProblem({ name, place }: Command, text: string, wanted: string): Problem {
  const isSecret = name.toLowerCase() === 'authbasic' || text.includes('@');
  const shown = isSecret ? '(hidden)' : `"${text.slice(0, 200)}"`;
  return {
    severity: 'error',
    code: 'bad-rule-file',
    message: `invalid value ${shown} for ${name}: expected ${wanted}`,
    place,
  };
}

const createNotUtf8Problem = ({ name, place }: Command): Problem => {
  return { severity: 'error', code: 'bad-rule-file', message: `${name}: ${NOT_UTF8_MESSAGE}`, place };
};

/** Real files contain many mnoGoSearch commands that mean nothing here, but also a few that do. */
const MOSTLY = 0.95;

const FILTERS = /^(?:allow|disallow|checkonly|hrefonly|skip)/i;

/** mnoGoSearch commands whose purpose Crawlway serves in a different way. */
const HINTS: Readonly<Record<string, string>> = {
  realm: ': write a Server for each prefix, or a crawl rule with the pattern',
  subnet: ': write a crawl space with address rules',
  url: ': write the URL as a Root of the crawler, or submit it',
  servertable: ': write the records as Server commands',
  urltable: ': submit the URLs as a list',
  include: ': write its commands into this file, because other files are not read',
};

/** Suggests what was probably meant: `Serv` and `Servers` are most likely Server. */
function suggestCommand(name: string): string {
  const typed = name.toLowerCase();
  const meant = [...COMMANDS.keys()].find(
    (known) => typed.length > 2 && (known.startsWith(typed) || (known.length > 3 && typed.startsWith(known))),
  );
  return meant === undefined ? '' : `: did you mean ${meant[0]?.toUpperCase()}${meant.slice(1)}?`;
}

function createUnknownCommandProblem({ name, place }: Command): Problem {
  const hint = FILTERS.test(name)
    ? '; the URLs that it excluded will be crawled: write it as a crawl rule'
    : (HINTS[name.toLowerCase()] ?? suggestCommand(name));
  const message = `${name} has no effect in Crawlway and is ignored${hint}`;
  return { severity: 'warning', code: 'ignored-command', message, place };
}
