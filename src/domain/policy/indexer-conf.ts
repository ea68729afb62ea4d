/**
 * Parses mnoGoSearch's indexer.conf. Commands that Crawlway supports become Server records or their settings; every
 * other command causes a warning with its line number. A value applies to all Server commands that follow it.
 */
import type { Place, Problem } from '../crawl/place.js';
import type { ServerParameters, ServerRecord, ServersDefinition } from '../crawl/policy-definition.js';
import { Secret } from '../secret.js';
import { suggestSpelling } from '../spelling.js';
import { forEachInSteps, type Steps } from '../steps.js';
import { hasUserInfo } from '../url/crawl-url.js';
import { parsePeriod } from './period.js';
import { createForeignFileProblem, NOT_UTF8_MESSAGE, REPLACEMENT_CHARACTER } from './rule-file-problems.js';
import { toRecordPrefix } from './server-records.js';

export interface IndexerConf {
  /** Switches that the file does not set have mnoGoSearch's defaults. */
  readonly servers: ServersDefinition;
  readonly problems: readonly Problem[];
}

interface ParseState {
  readonly records: ServerRecord[];
  readonly aliases: { readonly from: string; readonly to: string; readonly place: Place }[];
  problems: Problem[];
  currentParameters: ServerParameters;
  /** Applies to the next Server only. */
  login: { readonly authentication: Secret; readonly place: Place } | undefined;
  followOutside: boolean;
  deleteNoServer: boolean;
  readonly expandVariables: ExpandVariables;
}

/** Replaces references to secrets; returns undefined if one is missing, after reporting that. */
type ExpandVariables = (text: string, place: Place) => string | undefined;

interface Command {
  readonly name: string;
  readonly words: readonly string[];
  readonly place: Place;
}

export function* parseIndexerConfInSteps(
  text: string,
  file: string,
  expandVariables: ExpandVariables = (value) => value,
): Steps<IndexerConf> {
  const reading: ParseState = {
    records: [],
    aliases: [],
    problems: [],
    currentParameters: {},
    login: undefined,
    followOutside: false,
    deleteNoServer: true,
    expandVariables,
  };
  const commands = yield* parseCommands(text, file);
  yield* forEachInSteps(commands, (command) => {
    const readCommand = READERS.get(command.name.toLowerCase());
    if (readCommand && command.words.some((text) => text.includes(REPLACEMENT_CHARACTER)))
      reading.problems.push(createNotUtf8Problem(command));
    else if (readCommand) readCommand(command, reading);
    else reading.problems.push(createUnknownCommandProblem(command));
  });
  reportUnusedLogin(reading);
  const unknownCommands = commands.filter(({ name }) => !READERS.has(name.toLowerCase()) && !FILTER_COMMAND.test(name));
  if (unknownCommands[0] && unknownCommands.length > commands.length * MAX_UNKNOWN_SHARE)
    reading.problems = [
      createForeignFileProblem(unknownCommands[0].place, 'indexer.conf', {
        unrecognizedCount: unknownCommands.length,
        totalCount: commands.length,
      }),
    ];
  for (const alias of reading.aliases) applyAlias(alias, reading);
  const { records, currentParameters, followOutside, deleteNoServer, problems } = reading;
  const place = { file, line: 1, column: 1 };
  return { servers: { followOutside, deleteNoServer, records, defaults: currentParameters, place }, problems };
}

/**
 * Splits a text into commands. A line that ends with a backslash continues on the next line; `#` begins a comment line.
 */
function* parseCommands(text: string, file: string): Steps<Command[]> {
  const commands: Command[] = [];
  let logicalLine = '';
  let startLine = 1;
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/);
  yield* forEachInSteps(lines.entries(), ([index, line]) => {
    if (logicalLine === '') startLine = index + 1;
    if (logicalLine === '' && /^\s*#/.test(line)) return;
    logicalLine += line.replace(/\\$/, ' ');
    if (line.endsWith('\\') && index < lines.length - 1) return;
    const [name, ...words] = logicalLine.match(/"[^"]*"|'[^']*'|\S+/g) ?? [];
    const column = logicalLine.search(/\S/) + 1;
    if (name) commands.push({ name, words: words.map(unquote), place: { file, line: startLine, column } });
    logicalLine = '';
  });
  return commands;
}

const unquote = (word: string): string => word.replace(/^(["'])(.*)\1$/, '$2');

type Reader = (command: Command, reading: ParseState) => void;

const setParameters = (reading: ParseState, parameters: ServerParameters): void => {
  reading.currentParameters = { ...reading.currentParameters, ...parameters };
};

/** Creates the reader of a command with one value; `parse` returns undefined if the value is not valid. */
const createValueReader =
  <T>(
    expected: string,
    parse: (text: string) => T | undefined,
    use: (parsed: T, reading: ParseState, place: Place) => void,
  ): Reader =>
  (command, reading) => {
    const text = command.words.join(' ');
    const parsed = parse(text);
    if (parsed === undefined) reading.problems.push(createInvalidValueProblem(command, text, expected));
    else use(parsed, reading, command.place);
  };

const createPeriodReader = (
  use: (parsed: NonNullable<ServerParameters['period']>, reading: ParseState) => void,
): Reader =>
  createValueReader(
    'seconds, or a period such as 1d12h (s, M, h, d, m, y; M is a minute, m a month)',
    parsePeriod,
    use,
  );

const createCountReader = (use: (parsed: number, reading: ParseState) => void): Reader =>
  createValueReader('a whole number', (text) => (/^\d{1,9}$/.test(text) ? Number(text) : undefined), use);

const createBooleanReader = (use: (parsed: boolean, reading: ParseState) => void): Reader =>
  createValueReader('yes or no', (text) => ({ yes: true, no: false })[text.toLowerCase()], use);

const createWordReader = (use: (parsed: string, reading: ParseState) => void): Reader =>
  createValueReader('a value', (text) => (text === '' ? undefined : text), use);

/** The commands, as they are usually written, with their readers. */
const COMMANDS: readonly (readonly [name: string, reader: Reader])[] = [
  ['Server', readServer],
  ['Alias', readAlias],
  ['Period', createPeriodReader((parsed, reading) => setParameters(reading, { period: parsed }))],
  ['Tag', createWordReader((tag, reading) => setParameters(reading, { tag }))],
  ['Category', createWordReader((category, reading) => setParameters(reading, { category }))],
  ['MaxHops', createCountReader((maxHops, reading) => setParameters(reading, { maxHops }))],
  ['ReadTimeOut', createPeriodReader((readTimeout, reading) => setParameters(reading, { readTimeout }))],
  ['DocTimeOut', createPeriodReader((documentTimeout, reading) => setParameters(reading, { documentTimeout }))],
  ['Robots', createBooleanReader((robots, reading) => setParameters(reading, { robots }))],
  ['Index', createBooleanReader((index, reading) => setParameters(reading, { index }))],
  ['Follow', createBooleanReader((follow, reading) => setParameters(reading, { follow }))],
  ['MaxNetErrors', createCountReader((maxNetworkErrors, reading) => setParameters(reading, { maxNetworkErrors }))],
  [
    'NetErrorDelayTime',
    createPeriodReader((networkErrorDelay, reading) => setParameters(reading, { networkErrorDelay })),
  ],
  ['AuthBasic', readLogin],
  ['FollowOutside', createBooleanReader((parsed, reading) => (reading.followOutside = parsed))],
  ['DeleteNoServer', createBooleanReader((parsed, reading) => (reading.deleteNoServer = parsed))],
];

/** The case of a command does not matter. */
const READERS = new Map(COMMANDS.map(([name, reader]) => [name.toLowerCase(), reader]));

/**
 * mnoGoSearch's keywords between Server and the URL, which determine the scope of a record, and what to write instead.
 */
const SUBSECTION_HINTS: Readonly<Record<string, string>> = {
  path: '; leave out path: a record applies to all URLs that begin with its URL',
  site: '; leave out site and write the URL of the home page',
  page: '; leave out page and write the URL of the page, or write a Root with followLinks="false"',
  world: '; leave out world and write FollowOutside yes',
};

const HTTP_URL = /^https?:\/\/[^/]/i;
const HTTP_ALIAS = 'an alias that begins with http:// or https://';

/** Reads `Server URL [ALIAS]`. */
function readServer(command: Command, reading: ParseState): void {
  const [url = '', mirror, extraWord] = command.words;
  if (!HTTP_URL.test(url) || extraWord !== undefined) {
    reading.problems.push(
      createInvalidValueProblem(
        command,
        command.words.join(' '),
        `a URL that begins with http:// or https://, and at most an alias after it${SUBSECTION_HINTS[url.toLowerCase()] ?? ''}`,
      ),
    );
    return;
  }
  if (mirror !== undefined && !HTTP_URL.test(mirror)) {
    reading.problems.push(createInvalidValueProblem(command, command.words.join(' '), HTTP_ALIAS));
    return;
  }
  if (reportUserInfo(command, reading, [url, mirror])) return;
  const { currentParameters, login } = reading;
  const parameters = {
    ...currentParameters,
    ...(mirror === undefined ? {} : { alias: mirror }),
    ...(login && { authentication: login.authentication }),
  };
  reading.login = undefined;
  reading.records.push({ url, place: command.place, parameters });
}

function readLogin(command: Command, reading: ParseState): void {
  reportUnusedLogin(reading);
  const login = reading.expandVariables(command.words.join(' '), command.place);
  if (login?.includes(':')) reading.login = { authentication: new Secret(login), place: command.place };
  else if (login !== undefined) reading.problems.push(createInvalidValueProblem(command, '', 'user:password'));
}

/** Reports a login that no Server command followed. */
function reportUnusedLogin(reading: ParseState): void {
  if (!reading.login) return;
  const message = 'AuthBasic applies only to the next Server, and none follows, so it has no effect';
  reading.problems.push({ severity: 'warning', code: 'ignored-command', message, place: reading.login.place });
  reading.login = undefined;
}

function reportUserInfo(
  { name, place }: Command,
  { problems }: ParseState,
  urls: readonly (string | undefined)[],
): boolean {
  if (!urls.some((url) => url !== undefined && hasUserInfo(url))) return false;
  const message = `the URL of ${name} must not contain a user name or password: write them as AuthBasic user:password before the Server`;
  problems.push({ severity: 'error', code: 'bad-rule-file', message, place });
  return true;
}

function readAlias(command: Command, reading: ParseState): void {
  const [from, to, extraWord] = command.words;
  if (!from || !to || extraWord !== undefined) {
    reading.problems.push(
      createInvalidValueProblem(
        command,
        command.words.join(' '),
        'two URLs: the one that appears in links, and the one to fetch instead',
      ),
    );
  } else if (!HTTP_URL.test(to)) {
    reading.problems.push(createInvalidValueProblem(command, command.words.join(' '), HTTP_ALIAS));
  } else if (!reportUserInfo(command, reading, [from, to])) reading.aliases.push({ from, to, place: command.place });
}

/**
 * An alias applies to the records below its URL; if that URL is itself covered by a record, it gets a record of its own
 * with the same parameters.
 */
function applyAlias({ from, to, place }: ParseState['aliases'][number], { records, problems }: ParseState): void {
  const prefix = toRecordPrefix(from);
  const enclosingRecord = records
    .filter((record) => prefix.startsWith(toRecordPrefix(record.url)))
    .sort((a, b) => b.url.length - a.url.length)[0];
  if (enclosingRecord && toRecordPrefix(enclosingRecord.url) !== prefix)
    records.push({ url: from, place, parameters: enclosingRecord.parameters });
  let isUsed = false;
  for (const [index, record] of records.entries()) {
    const url = toRecordPrefix(record.url);
    if (!url.startsWith(prefix)) continue;
    isUsed = true;
    records[index] = { ...record, parameters: { ...record.parameters, alias: to + url.slice(prefix.length) } };
  }
  if (isUsed) return;
  const message = `no Server record covers URLs that begin with ${from}, so this Alias has no effect`;
  problems.push({ severity: 'warning', code: 'ignored-command', message, place });
}

/**
 * The message quotes the first word of the value only: what follows it may be another command, and a password. It is also left
 * out if it may be a login itself.
 */
function createInvalidValueProblem({ name, place, words }: Command, text: string, expected: string): Problem {
  const [firstWord = text, secondWord] = words.join(' ').split(/\s+/);
  const mayBeLogin = firstWord.includes('@') || (firstWord.includes(':') && !/^[a-z]+:\/\//i.test(firstWord));
  const isSecret = name.toLowerCase() === 'authbasic' || mayBeLogin;
  const shownValue = isSecret ? '(hidden)' : `"${firstWord.slice(0, 200)}${secondWord === undefined ? '' : ' …'}"`;
  return {
    severity: 'error',
    code: 'bad-rule-file',
    message: `invalid value ${shownValue} for ${name}: expected ${expected}`,
    place,
  };
}

const createNotUtf8Problem = ({ name, place }: Command): Problem => {
  return { severity: 'error', code: 'bad-rule-file', message: `${name}: ${NOT_UTF8_MESSAGE}`, place };
};

/** Real files contain many mnoGoSearch commands that are not supported, but also a few that are. */
const MAX_UNKNOWN_SHARE = 0.95;

const FILTER_COMMAND = /^(?:allow|disallow|checkonly|hrefonly|skip)/i;

/** mnoGoSearch commands whose purpose Crawlway serves in a different way. */
const COMMAND_HINTS: Readonly<Record<string, string>> = {
  realm: ': write a Server for each prefix, or a crawl rule with the pattern',
  subnet: ': write a crawl space with address rules',
  url: ': write the URL as a Root of the crawler, or submit it',
  servertable: ': write the records as Server commands',
  urltable: ': submit the URLs as a list',
  include: ': write its commands into this file, because other files are not read',
};

/** Suggests what was probably meant: `Serv` and `Servers` are most likely Server, and so is `Servr`. */
function suggestCommand(name: string): string {
  const typedName = name.toLowerCase();
  const names = COMMANDS.map(([command]) => command);
  const extended = names.find((command) => {
    const known = command.toLowerCase();
    return typedName.length > 2 && (known.startsWith(typedName) || (known.length > 3 && typedName.startsWith(known)));
  });
  return extended === undefined ? suggestSpelling(name, names) : `: did you mean ${extended}?`;
}

function createUnknownCommandProblem({ name, place }: Command): Problem {
  const hint = FILTER_COMMAND.test(name)
    ? '; the URLs that it excluded will be crawled: write it as a crawl rule'
    : (COMMAND_HINTS[name.toLowerCase()] ?? suggestCommand(name));
  const message = `${name} has no effect in Crawlway and is ignored${hint}`;
  return { severity: 'warning', code: 'ignored-command', message, place };
}
