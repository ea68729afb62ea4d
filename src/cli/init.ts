/** `crawlway init`: asks what to crawl and where documents go, and writes a first configuration. */
import { lookup } from 'node:dns/promises';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface, type Interface } from 'node:readline/promises';
import type { Readable } from 'node:stream';
import axios, { type AxiosError } from 'axios';
import { isPublicAddress } from '../domain/net/address.js';
import { toLookupName } from '../domain/net/local-names.js';
import { getSinkOptions, listSecretOptions, SINK_TYPE_NAMES, type SinkType } from '../domain/push/sink-types.js';
import { openConfigurationFile } from '../server/engine.module.js';
import { toFileError } from '../server/fail.js';
import { DEFAULT_CONFIG, parseSiteUrl, UsageError } from '../server/options.js';
import { PROJECT_ROOT } from '../server/project-root.js';
import { BUNDLED_INDEX, buildFirstConfiguration, type FirstSink, toCrawlerName } from './first-configuration.js';

export interface InitOptions {
  readonly config?: string;
  readonly name?: string;
  readonly folder?: boolean;
  readonly sink?: string;
  readonly sinkUrl?: string;
  readonly index?: string;
  readonly login?: string;
  readonly secret?: string;
  readonly contact?: string;
  readonly offline?: boolean;
  readonly force?: boolean;
  readonly json?: boolean;
}

/** Without a URL and without a terminal to ask on, writes the configuration of the bundled sample (site and index). */
export async function init(url: string | undefined, options: InitOptions): Promise<void> {
  const file = options.config || process.env['CRAWLWAY_CONFIG'] || DEFAULT_CONFIG;
  if (existsSync(file) && !options.force)
    throw new UsageError(`${file} already exists: edit it, or overwrite it with --force`);
  const isInteractive = url === undefined && options.sink === undefined && process.stdin.isTTY && process.stdout.isTTY;
  if (url === undefined && !isInteractive) requireNoSiteOptions(options);
  const answers = isInteractive ? await askForOptions(options) : { url, options };
  const { text, notes } =
    answers.url === undefined
      ? { text: readFileSync(join(PROJECT_ROOT, 'CrawlConfig.xml.example'), 'utf8'), notes: [] }
      : await createConfiguration(answers.url, answers.options, isInteractive ? askForConfirmation : async () => true);
  const problems = (await openConfigurationFile(file).check(text)).problems.filter(
    ({ severity }) => severity === 'error',
  );
  const unsetVariables = problems.filter(({ code }) => code === 'missing-variable' || code === 'unset-variable');
  if (problems.length > unsetVariables.length) throw new UsageError(problems.map(({ message }) => message).join('\n'));
  writeConfiguration(file, text);
  printResult(file, answers.options, { sample: answers.url === undefined, variables: findVariables(text), notes });
}

/** Throws if an option is given that does not apply to the sample, which has its own sink and name. */
function requireNoSiteOptions({ folder, name, sink, sinkUrl, index, login, secret, contact }: InitOptions): void {
  const given = Object.entries({ folder, name, sink, sinkUrl, index, login, secret, contact });
  const option = given
    .find(([, value]) => value !== undefined)?.[0]
    .replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  if (option) throw new UsageError(`--${option} applies only when crawling a site: specify its URL as well`);
}

function writeConfiguration(file: string, text: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text, { mode: 0o600 });
  } catch (error) {
    throw toFileError(file, 'written', error);
  }
}

/** Comments explain what variables are. */
const findVariables = (xml: string): string[] => [
  ...new Set(
    [...xml.replace(/<!--[\s\S]*?-->/g, '').matchAll(/\$\{(CRAWLWAY_SECRET_\w+)\}/g)].map(([, name]) => name!),
  ),
];

interface InitResult {
  readonly sample: boolean;
  readonly variables: readonly string[];
  /** What the operator has to know about the names of the site and the sink. */
  readonly notes: readonly string[];
}

function printResult(file: string, { json }: InitOptions, result: InitResult): void {
  if (json) {
    process.stdout.write(`${JSON.stringify({ file, ...result })}\n`);
    return;
  }
  const config = file === DEFAULT_CONFIG ? '' : ` --config ${file}`;
  process.stdout.write(
    [
      `Wrote ${file}${result.sample ? '; it crawls the sample site that comes with Crawlway' : ''}.`,
      ...result.notes,
      ...result.variables.map((name) => `First, set the secret: export ${name}=…`),
      `Next: ${process.env['npm_command'] === 'exec' ? 'npx ' : ''}crawlway serve${config}`,
      '',
    ].join('\n'),
  );
}

async function createConfiguration(
  input: string,
  options: InitOptions,
  confirm: Confirm,
): Promise<{ text: string; notes: string[] }> {
  const start = parseStartUrl(input);
  const sink = parseSinkOptions(options);
  const [site, destination] = [
    await resolvePrivateAddresses(start, confirm),
    await resolvePrivateAddresses(URL.parse(sink.url), confirm),
  ];
  // A single word can be a name of the intranet, but only if it has an address.
  if (site.hasNoAddress && /^[^.:/]+$/.test(input)) throw createAddressError(input);
  const text = buildFirstConfiguration({
    name: options.name ?? toCrawlerName(start),
    start,
    scope: options.folder ? 'folder' : 'site',
    sink,
    contact: options.contact,
    allowedAddresses: { site: site.allowed, sink: destination.allowed },
  });
  const problem = options.offline || !site.isKnown ? undefined : await findReachProblem(start);
  return { text, notes: [...new Set([site.note, destination.note, problem])].filter((note) => note !== undefined) };
}

/** Milliseconds within which a site that can be reached answers. */
const REACH_TIMEOUT_MS = 5_000;

/** Requests the start page once, as a crawl would; returns what is wrong, in words for the operator. */
async function findReachProblem(start: URL): Promise<string | undefined> {
  try {
    const { status, data } = await axios.get<Readable>(start.href, {
      headers: { 'user-agent': 'Crawlway/0.1' },
      signal: AbortSignal.timeout(REACH_TIMEOUT_MS),
      maxRedirects: 0,
      proxy: false,
      responseType: 'stream',
      validateStatus: null,
    });
    data.destroy();
    return status < 400 ? undefined : `${start.href} answers ${status}: check the URL, or whether it needs a login.`;
  } catch (error) {
    return `${start.href} cannot be reached from here (${(error as AxiosError).code ?? String(error)}): check that the site is running, and proxies.`;
  }
}

function parseStartUrl(input: string): URL {
  const url = parseSiteUrl(input);
  if (!url) throw createAddressError(input);
  return url;
}

const createAddressError = (input: string): UsageError =>
  new UsageError(`${input} is not a web site address such as https://www.example.com/`);

function parseSinkOptions({ sink = 'bundled', sinkUrl, index, login, secret }: InitOptions): FirstSink {
  if (sink === 'bundled') return { type: 'papi', url: sinkUrl ?? BUNDLED_INDEX };
  if (!isSinkType(sink))
    throw new UsageError(`unknown sink type ${sink}; use one of bundled, ${SINK_TYPE_NAMES.join(', ')}`);
  const url = sinkUrl ?? (sink === 'file' ? 'orders.jsonl' : undefined);
  if (url === undefined) throw new UsageError(`--sink ${sink} needs --sink-url, the address of the ${sink} sink`);
  const needsIndex = getSinkOptions(sink)['index']?.required;
  if (secret !== undefined && !/^CRAWLWAY_SECRET_\w+$/.test(secret))
    throw new UsageError(`--secret ${secret}: the name of the environment variable must begin with CRAWLWAY_SECRET_`);
  return { type: sink, url, login, secret, index: index ?? (needsIndex ? 'crawlway' : undefined) };
}

const isSinkType = (text: string): text is SinkType => (SINK_TYPE_NAMES as readonly string[]).includes(text);

/** Asks a question that is answered with yes or no. */
type Confirm = (question: string) => Promise<boolean>;

/** A private server that the user specifies is intentional: its exact addresses are allowed, on a terminal once that is confirmed. */
async function resolvePrivateAddresses(
  url: URL | null,
  confirm: Confirm,
): Promise<{ allowed: string[]; note?: string; isKnown: boolean; hasNoAddress?: boolean }> {
  if (!url?.hostname || url.href.startsWith(BUNDLED_INDEX)) return { allowed: [], isKnown: false };
  const { hostname } = url;
  const found = await lookup(toLookupName(hostname.replace(/^\[|\]$/g, '')), { all: true }).catch(() => []);
  const refuse = (note: string) => ({ allowed: [], note: `${hostname} ${note}`, isKnown: false });
  if (found.length === 0) return { ...refuse('has no address: check the name, or DNS.'), hasNoAddress: true };
  const allowed = found
    .filter(({ address }) => !isPublicAddress(address))
    .map(({ address, family }) => `${address}/${family === 4 ? 32 : 128}`);
  if (allowed.length === 0) return { allowed, isKnown: true };
  const list = allowed.join(', ');
  if (!(await confirm(`${hostname} is not public (${list}). May this server connect to it?`)))
    return refuse('is not public, and not allowed: nothing of it is crawled.');
  return { allowed, note: `${hostname} is not public: the configuration allows ${list}.`, isKnown: true };
}

const CONTACT_QUESTION =
  'Where can site operators reach you, or read about this crawl? A URL or an email address (Enter: none) ';

const ask = async (terminal: Interface, question: string): Promise<string> =>
  (await terminal.question(question)).trim();

async function askForOptions(options: InitOptions): Promise<{ url: string | undefined; options: InitOptions }> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const url = await ask(terminal, 'Which site should be crawled? (Enter: the sample site that comes with Crawlway) ');
    if (url === '') return { url: undefined, options };
    const start = parseStartUrl(url);
    const folder =
      start.pathname !== '/' &&
      (await ask(terminal, 'Crawl 1 the whole site, or 2 only this folder and below? [1] ')) === '2';
    const sink = await askForSink(terminal);
    const contact = options.contact ?? (await ask(terminal, CONTACT_QUESTION));
    return { url, options: { ...options, folder, ...sink, contact: contact || undefined } };
  } finally {
    terminal.close();
  }
}

async function askForConfirmation(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return !/^n/i.test(await ask(terminal, `${question} [Y/n] `));
  } finally {
    terminal.close();
  }
}

async function askForSink(terminal: Interface): Promise<InitOptions> {
  const sinkTypes = ['bundled', ...SINK_TYPE_NAMES];
  const list = sinkTypes.map((kind, i) => `  ${i + 1} ${kind}`).join('\n');
  const question = `Where should documents be sent?\n${list}\n[1, a small index that comes with Crawlway] `;
  const answer = await ask(terminal, question);
  const sink = sinkTypes[Number(answer || 1) - 1] ?? answer;
  if (sink === 'bundled') return { sink };
  if (!isSinkType(sink)) throw new UsageError(`unknown sink type ${sink}; use one of ${sinkTypes.join(', ')}`);
  const sinkUrl = await ask(terminal, sink === 'file' ? 'Path of the file [orders.jsonl] ' : 'Address of the sink? ');
  const askIfSupported = async (name: string, text: string): Promise<string | undefined> =>
    name in getSinkOptions(sink) ? (await ask(terminal, text)) || undefined : undefined;
  const index = await askIfSupported('index', 'Index [crawlway] ');
  const login = await askIfSupported('login', 'User name (Enter: none, or an API key is used) ');
  const wantsSecret = listSecretOptions(sink).length > 0;
  const secret =
    wantsSecret && /^y/i.test(await ask(terminal, 'Does it require an API key or a password? [y/N] '))
      ? 'CRAWLWAY_SECRET_SINK'
      : undefined;
  return { sink, sinkUrl: sinkUrl || undefined, index, login, secret };
}
