import { lookup } from 'node:dns/promises';
/** `crawlway doctor`: checks everything outside Crawlway that a crawl needs, and says what to do if a check fails. */
import { accessSync, constants, existsSync, readFileSync, statfsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { ServerDefinition } from '../domain/crawl/definition.js';
import type { FetcherDefinition } from '../domain/crawl/fetcher-definition.js';
import { formatPlace } from '../domain/crawl/place.js';
import { isInAnyCidr, isPublicAddress } from '../domain/net/address.js';
import { toLookupName } from '../domain/net/local-names.js';
import { openConfigurationFile, testSink } from '../server/engine.module.js';
import { DEFAULT_CONFIG, readDataDirectory, readStorageOptions, type ServerFlags } from '../server/options.js';
import { toPrintable } from '../server/printable.js';
import { PROJECT_ROOT } from '../server/project-root.js';
import { isBundledIndex } from '../server/sample.js';
import { type JsonOption, pluralize, printJson } from './output.js';
import { formatTable } from './table.js';

interface DoctorOptions extends JsonOption, Pick<ServerFlags, 'config' | 'data'> {}

interface Finding {
  readonly what: string;
  readonly state: 'ok' | 'warning' | 'failed';
  readonly message: string;
}

const createOkFinding = (what: string, message: string): Finding => ({ what, state: 'ok', message });
const createWarning = (what: string, message: string): Finding => ({ what, state: 'warning', message });
const createFailure = (what: string, message: string): Finding => ({ what, state: 'failed', message });

const MIN_FREE_BYTES = 1_000_000_000;
/** If the clock is wrong by more than this, certificates, robots.txt dates and leases stop working. */
const MAX_CLOCK_OFFSET_MS = 120_000;
const CLOCK_TIMEOUT_MS = 10_000;
/** Servers that are asked for the time, at the same time; the first in the order of the configuration counts. */
const MAX_CLOCK_SERVERS = 5;
/** Maximum number of hosts to check: each one needs a DNS query. */
const MAX_HOSTS = 20;

/** Warnings of the configuration that are about this machine. */
const NEEDED_ON_THE_MACHINE: ReadonlyMap<string, string> = new Map([
  ['no-browser', 'browser'],
  ['no-ocr-package', 'OCR'],
]);

export async function runDoctor(options: DoctorOptions): Promise<void> {
  const file = options.config || process.env['CRAWLWAY_CONFIG'] || DEFAULT_CONFIG;
  const dataDirectory = readDataDirectory(options, process.env);
  const { definition, findings } = await examineConfiguration(file, options);
  findings.unshift(checkNode());
  findings.push(checkDisk(dataDirectory));
  if (definition) {
    findings.push(
      ...(await Promise.all([
        ...listHosts(definition).map(checkHostName),
        ...definition.sinks.map((sink) => checkSink(sink, dataDirectory)),
        checkClock(definition),
      ])),
      ...checkProxyVariables(),
    );
  }
  if (options.json) printJson(findings);
  else
    process.stdout.write(
      `${formatTable(
        ['CHECK', 'STATE', 'RESULT'],
        findings.map(({ what, state, message }) => [what, state, toPrintable(message)]),
      )}\n`,
    );
  process.exitCode = findings.some(({ state }) => state === 'failed') ? 1 : 0;
}

function checkNode(): Finding {
  const { engines } = JSON.parse(readFileSync(join(PROJECT_ROOT, 'package.json'), 'utf8')) as {
    engines: { node: string };
  };
  const { node } = process.versions;
  const minimum = engines.node.replace(/[^\d.]/g, '');
  const isOld = node.localeCompare(minimum, 'en', { numeric: true }) < 0;
  return isOld
    ? createFailure('Node', `${node} is too old: ${engines.node} is required`)
    : createOkFinding('Node', `${node}; ${engines.node} is required`);
}

async function examineConfiguration(
  file: string,
  { data }: DoctorOptions,
): Promise<{ definition?: ServerDefinition; findings: Finding[] }> {
  try {
    const configurationFile = openConfigurationFile(file, { storage: readStorageOptions({ data }, process.env) });
    const { problems } = await configurationFile.check();
    const errors = problems.filter(({ severity }) => severity === 'error');
    if (errors.length > 0) {
      const [{ place, message }] = errors as [(typeof errors)[0]];
      return {
        findings: [
          createFailure(
            'configuration',
            `${pluralize(errors.length, 'error')}; the first one: ${formatPlace(place)} ${message}`,
          ),
        ],
      };
    }
    const { definition } = await configurationFile.load();
    const text = `${file}: ${pluralize(definition.crawlers.length, 'crawler')}, ${pluralize(definition.sinks.length, 'sink')}`;
    const finding =
      problems.length > 0
        ? createWarning('configuration', `${text}; ${pluralize(problems.length, 'warning')}, see crawlway check`)
        : createOkFinding('configuration', text);
    const lacking = problems.flatMap(({ code, message }) => {
      const what = NEEDED_ON_THE_MACHINE.get(code);
      return what === undefined ? [] : [createWarning(what, message)];
    });
    return { definition, findings: [finding, ...lacking] };
  } catch (error) {
    return { findings: [createFailure('configuration', (error as Error).message)] };
  }
}

function checkDisk(dataDirectory: string): Finding {
  let folder = resolve(dataDirectory);
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  try {
    accessSync(folder, constants.W_OK);
    const { bavail, bsize } = statfsSync(folder);
    const freeBytes = bavail * bsize;
    const text = `${folder} is writable, ${(freeBytes / 1e9).toFixed(1)} GB free`;
    return freeBytes < MIN_FREE_BYTES
      ? createWarning('disk', `${text}; a crawl of a million URLs needs about 1 GB`)
      : createOkFinding('disk', text);
  } catch {
    return createFailure(
      'disk',
      `${folder} is not writable by this user: choose a folder with --data or CRAWLWAY_DATA`,
    );
  }
}

/** The hosts of start URLs, each with the fetcher of a crawler that requests it. */
const listHosts = ({ crawlers, fetchers }: ServerDefinition): [host: string, fetcher: FetcherDefinition][] => {
  const hosts = crawlers.flatMap(({ roots, fetcher }) =>
    roots.map(({ url }) => [new URL(url).hostname, fetchers.find(({ name }) => name === fetcher)!] as const),
  );
  return [...new Map(hosts)].slice(0, MAX_HOSTS);
};

async function checkHostName([host, fetcher]: [host: string, fetcher: FetcherDefinition]): Promise<Finding> {
  const startedAt = performance.now();
  try {
    const addresses = await lookup(toLookupName(host.replace(/^\[|\]$/g, '')), { all: true });
    const duration = Math.round(performance.now() - startedAt);
    const isAllowed = (ip: string): boolean => isPublicAddress(ip) || isInAnyCidr(ip, fetcher.allowedAddresses);
    const forbidden = addresses.find(({ address }) => !isAllowed(address))?.address;
    if (forbidden !== undefined)
      return createFailure(
        'DNS',
        `${host}: ${forbidden} is not public, and no AllowAddress of the fetcher ${fetcher.name} allows it`,
      );
    return createOkFinding('DNS', `${host}: ${addresses.map(({ address }) => address).join(', ')} (${duration} ms)`);
  } catch (error) {
    return createFailure(
      'DNS',
      `${host} was not found (${(error as NodeJS.ErrnoException).code}): check the name and the DNS servers`,
    );
  }
}

async function checkSink(definition: ServerDefinition['sinks'][number], dataDirectory: string): Promise<Finding> {
  const { ok: works, message, milliseconds } = await testSink(definition);
  const what = `sink ${definition.name}`;
  if (works) return createOkFinding(what, `${message} (${milliseconds} ms)`);
  return isBundledIndex(definition.url, dataDirectory)
    ? createWarning(what, 'the bundled index is not running: crawlway serve starts it')
    : createFailure(what, message);
}

async function readServerTime(url: string): Promise<{ url: string; serverTime: number } | undefined> {
  const response = await fetch(new URL('/robots.txt', url), { signal: AbortSignal.timeout(CLOCK_TIMEOUT_MS) }).catch(
    () => undefined,
  );
  await response?.body?.cancel();
  const serverTime = Date.parse(response?.headers.get('date') ?? '');
  return Number.isNaN(serverTime) ? undefined : { url, serverTime };
}

/** Compares the clock with the Date header of a response from a sink or a crawled server. */
async function checkClock({ sinks, crawlers }: ServerDefinition): Promise<Finding> {
  const urls = [...sinks.map(({ url }) => url), ...crawlers.flatMap(({ roots }) => roots.map(({ url }) => url))];
  const servers = urls.filter((candidate) => /^https?:/.test(candidate)).slice(0, MAX_CLOCK_SERVERS);
  const [answer] = (await Promise.all(servers.map(readServerTime))).filter((one) => one !== undefined);
  if (!answer) return createWarning('clock', 'no web server returned the time, so the clock was not checked');
  const { url, serverTime } = answer;
  const offset = Math.abs(Date.now() - serverTime);
  const text = `differs by ${Math.round(offset / 1000)} s from the clock of ${new URL(url).host}`;
  return offset > MAX_CLOCK_OFFSET_MS
    ? createFailure('clock', `${text}: synchronize it with NTP; leases and document dates depend on it`)
    : createOkFinding('clock', text);
}

/** Warns about variables that other programs use but Crawlway ignores. */
function checkProxyVariables(): Finding[] {
  const variables = ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'].filter(
    (variable) => process.env[variable],
  );
  if (variables.length === 0) return [];
  return [
    createWarning(
      'proxy',
      `Crawlway ignores ${variables.join(', ')}: write <cw:Proxy url="…"/> in the Fetcher that needs a proxy`,
    ),
  ];
}
