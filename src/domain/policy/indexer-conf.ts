/**
 * Reads an indexer.conf of mnoGoSearch: the commands that have a meaning here become Server records, the others are warned
 * about by line. A value set before several Server commands holds for those that follow.
 */
import type { ServerParameters, ServerRecord, ServersDefinition } from '../crawl/definition.js';
import type { Place, Problem } from '../crawl/place.js';
import { NOT_UTF8, NOT_UTF8_MESSAGE } from './not-utf8.js';
import { parsePeriod } from './period.js';

export interface IndexerConf {
  /** The switches have mnoGoSearch's defaults where the file does not name them. */
  readonly servers: ServersDefinition;
  readonly problems: readonly Problem[];
}

interface Reading {
  readonly records: ServerRecord[];
  readonly aliases: { readonly from: string; readonly to: string; readonly place: Place }[];
  readonly problems: Problem[];
  inForce: ServerParameters;
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
    followOutside: false,
    deleteNoServer: true,
  };
  for (const command of commandsOf(text, file)) {
    const read = COMMANDS.get(command.name.toLowerCase());
    if (read && command.words.some((text) => text.includes(NOT_UTF8))) reading.problems.push(notUtf8(command));
    else if (read) read(command, reading);
    else reading.problems.push(unknownCommand(command));
  }
  for (const alias of reading.aliases) applyAlias(alias, reading);
  const { records, inForce, followOutside, deleteNoServer, problems } = reading;
  const place = { file, line: 1, column: 1 };
  return { servers: { followOutside, deleteNoServer, records, defaults: inForce, place }, problems };
}

/** A backslash at the end of a line continues it; `#` begins a comment line. */
function commandsOf(text: string, file: string): Command[] {
  const commands: Command[] = [];
  let begun = '';
  let start = 1;
  for (const [index, line] of text.split(/\r\n|\n|\r/).entries()) {
    if (begun === '') start = index + 1;
    if (begun === '' && /^\s*#/.test(line)) continue;
    begun += line.replace(/\\$/, ' ');
    if (line.endsWith('\\')) continue;
    const [name, ...words] = begun.trim().split(/\s+/);
    const column = begun.search(/\S/) + 1;
    if (name) commands.push({ name, words: words.map(unquoted), place: { file, line: start, column } });
    begun = '';
  }
  return commands;
}

const unquoted = (word: string): string => word.replace(/^(["'])(.*)\1$/, '$2');

type Reader = (command: Command, reading: Reading) => void;

const set = (reading: Reading, parameters: ServerParameters): void => {
  reading.inForce = { ...reading.inForce, ...parameters };
};

/** A command with one value; `parse` says undefined when the value is not right. */
const value =
  <T>(wanted: string, parse: (text: string) => T | undefined, use: (parsed: T, reading: Reading) => void): Reader =>
  (command, reading) => {
    const text = command.words.join(' ');
    const parsed = parse(text);
    if (parsed === undefined) reading.problems.push(badValue(command, text, wanted));
    else use(parsed, reading);
  };

const period = (use: (parsed: NonNullable<ServerParameters['period']>, reading: Reading) => void): Reader =>
  value('seconds, or a period such as 1d12h (s, M, h, d, m, y; M is a minute, m a month)', parsePeriod, use);

const count = (use: (parsed: number, reading: Reading) => void): Reader =>
  value('a whole number', (text) => (/^\d{1,9}$/.test(text) ? Number(text) : undefined), use);

const yesNo = (use: (parsed: boolean, reading: Reading) => void): Reader =>
  value('yes or no', (text) => ({ yes: true, no: false })[text.toLowerCase()], use);

const word = (use: (parsed: string, reading: Reading) => void): Reader =>
  value('a value', (text) => (text === '' ? undefined : text), use);

/** By name in lower case. */
const COMMANDS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['server', server],
  ['alias', alias],
  ['period', period((parsed, reading) => set(reading, { period: parsed }))],
  ['tag', word((tag, reading) => set(reading, { tag }))],
  ['category', word((category, reading) => set(reading, { category }))],
  ['maxhops', count((maxHops, reading) => set(reading, { maxHops }))],
  ['readtimeout', period((readTimeout, reading) => set(reading, { readTimeout }))],
  ['doctimeout', period((documentTimeout, reading) => set(reading, { documentTimeout }))],
  ['robots', yesNo((robots, reading) => set(reading, { robots }))],
  ['index', yesNo((index, reading) => set(reading, { index }))],
  ['follow', yesNo((follow, reading) => set(reading, { follow }))],
  ['maxneterrors', count((maxNetworkErrors, reading) => set(reading, { maxNetworkErrors }))],
  ['neterrordelaytime', period((networkErrorDelay, reading) => set(reading, { networkErrorDelay }))],
  [
    'authbasic',
    value(
      'user:password',
      (text) => (text.includes(':') ? text : undefined),
      (authentication, reading) => set(reading, { authentication }),
    ),
  ],
  ['followoutside', yesNo((parsed, reading) => (reading.followOutside = parsed))],
  ['deletenoserver', yesNo((parsed, reading) => (reading.deleteNoServer = parsed))],
]);

/** `Server URL [ALIAS]` */
function server(command: Command, reading: Reading): void {
  const [url = '', mirror, more] = command.words;
  if (!/^https?:\/\/[^/]/i.test(url) || more !== undefined) {
    reading.problems.push(
      badValue(
        command,
        command.words.join(' '),
        'a URL that begins with http:// or https://, and at most an alias after it',
      ),
    );
    return;
  }
  const parameters = mirror === undefined ? reading.inForce : { ...reading.inForce, alias: mirror };
  reading.records.push({ url, place: command.place, parameters });
}

function alias(command: Command, reading: Reading): void {
  const [from, to, more] = command.words;
  if (!from || !to || more !== undefined) {
    reading.problems.push(
      badValue(command, command.words.join(' '), 'two URLs: what stands in links, and where to fetch it'),
    );
  } else reading.aliases.push({ from, to, place: command.place });
}

/** An alias covers the records below it; inside a record it makes one of its own, with the parameters of that record. */
function applyAlias({ from, to, place }: Reading['aliases'][number], { records, problems }: Reading): void {
  const around = records.filter((record) => from.startsWith(record.url)).sort((a, b) => b.url.length - a.url.length)[0];
  if (around && around.url !== from) records.push({ url: from, place, parameters: around.parameters });
  let used = false;
  for (const [index, record] of records.entries()) {
    if (!record.url.startsWith(from)) continue;
    used = true;
    records[index] = { ...record, parameters: { ...record.parameters, alias: to + record.url.slice(from.length) } };
  }
  if (used) return;
  const message = `no Server record has URLs that begin with ${from}, so this Alias has no effect`;
  problems.push({ severity: 'warning', code: 'ignored-command', message, place });
}

/** The value is told, but for passwords. */
function badValue({ name, place }: Command, text: string, wanted: string): Problem {
  const shown = name.toLowerCase() === 'authbasic' ? 'this value' : `"${text.slice(0, 200)}"`;
  return { severity: 'error', code: 'bad-rule-file', message: `${name} cannot have ${shown}: give ${wanted}`, place };
}

const notUtf8 = ({ name, place }: Command): Problem => {
  return { severity: 'error', code: 'bad-rule-file', message: `${name}: ${NOT_UTF8_MESSAGE}`, place };
};

const FILTERS = /^(?:allow|disallow|checkonly|hrefonly|skip)/i;

function unknownCommand({ name, place }: Command): Problem {
  const hint = FILTERS.test(name) ? '; URLs that it kept out are crawled: write it as a crawl rule' : '';
  const message = `${name} has no meaning here and is passed over${hint}`;
  return { severity: 'warning', code: 'ignored-command', message, place };
}
