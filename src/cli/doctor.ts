/** `crawlway doctor`: checks everything outside Crawlway that a crawl needs, and says what to do if a check fails. */
import { lookup } from 'node:dns/promises';
import { accessSync, constants, existsSync, readFileSync, statfsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { ServerDefinition } from '../domain/crawl/definition.js';
import { formatPlace } from '../domain/crawl/place.js';
import { openConfigurationFile, testSink } from '../server/engine.module.js';
import { DEFAULT_CONFIG, readDataDirectory, type ServerFlags } from '../server/options.js';
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

const ok = (what: string, message: string): Finding => ({ what, state: 'ok', message });
const warning = (what: string, message: string): Finding => ({ what, state: 'warning', message });
const failed = (what: string, message: string): Finding => ({ what, state: 'failed', message });

const LITTLE_DISK_BYTES = 1_000_000_000;
/** With a clock that is wrong by more than this, certificates, robots.txt dates and leases stop working. */
const CLOCK_OFF_MS = 120_000;
const CLOCK_TIMEOUT_MS = 10_000;
/** Each host needs a DNS query. */
const MOST_HOSTS = 20;

export async function runDoctor(options: DoctorOptions): Promise<void> {
  const file = options.config || process.env['CRAWLWAY_CONFIG'] || DEFAULT_CONFIG;
  const data = readDataDirectory(options, process.env);
  const { definition, findings } = checkConfiguration(file);
  findings.unshift(checkNode());
  findings.push(checkDisk(data));
  if (definition) {
    findings.push(
      ...(await Promise.all([
        ...listHosts(definition).map(checkHostName),
        ...definition.sinks.map((sink) => checkSink(sink, data)),
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
  return ok('Node', `${process.versions.node}; ${engines.node} is required`);
}

function checkConfiguration(file: string): { definition?: ServerDefinition; findings: Finding[] } {
  try {
    const checked = openConfigurationFile(file);
    const { problems } = checked.check(checked.readText());
    const errors = problems.filter(({ severity }) => severity === 'error');
    if (errors.length > 0) {
      const [{ place, message }] = errors as [(typeof errors)[0]];
      return {
        findings: [
          failed(
            'configuration',
            `${pluralize(errors.length, 'error')}; the first one: ${formatPlace(place)} ${message}`,
          ),
        ],
      };
    }
    const { definition } = checked.load();
    const text = `${file}: ${pluralize(definition.crawlers.length, 'crawler')}, ${pluralize(definition.sinks.length, 'sink')}`;
    const finding =
      problems.length > 0
        ? warning('configuration', `${text}; ${pluralize(problems.length, 'warning')}, see crawlway check`)
        : ok('configuration', text);
    return { definition, findings: [finding] };
  } catch (error) {
    return { findings: [failed('configuration', (error as Error).message)] };
  }
}

function checkDisk(data: string): Finding {
  let folder = resolve(data);
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  try {
    accessSync(folder, constants.W_OK);
    const { bavail, bsize } = statfsSync(folder);
    const free = bavail * bsize;
    const text = `${folder} is writable, ${(free / 1e9).toFixed(1)} GB free`;
    return free < LITTLE_DISK_BYTES
      ? warning('disk', `${text}; a crawl of a million URLs needs about 1 GB`)
      : ok('disk', text);
  } catch {
    return failed('disk', `${folder} is not writable by this user: choose a folder with --data or CRAWLWAY_DATA`);
  }
}

const listHosts = ({ crawlers }: ServerDefinition): string[] =>
  [...new Set(crawlers.flatMap(({ roots }) => roots.map(({ url }) => new URL(url).hostname)))].slice(0, MOST_HOSTS);

async function checkHostName(host: string): Promise<Finding> {
  const began = performance.now();
  try {
    const found = await lookup(host.replace(/^\[|\]$/g, ''), { all: true });
    const took = Math.round(performance.now() - began);
    return ok('DNS', `${host}: ${found.map(({ address }) => address).join(', ')} (${took} ms)`);
  } catch (error) {
    return failed(
      'DNS',
      `${host} was not found (${(error as NodeJS.ErrnoException).code}): check the name and the name servers`,
    );
  }
}

async function checkSink(definition: ServerDefinition['sinks'][number], data: string): Promise<Finding> {
  const { ok: works, message, milliseconds } = await testSink(definition);
  const what = `sink ${definition.name}`;
  if (works) return ok(what, `${message} (${milliseconds} ms)`);
  return isBundledIndex(definition.url, data)
    ? warning(what, 'the bundled index is not running: crawlway serve starts it')
    : failed(what, message);
}

/** The crawled servers and the sinks provide the time, in the Date header of any response. */
async function checkClock({ sinks, crawlers }: ServerDefinition): Promise<Finding> {
  const urls = [...sinks.map(({ url }) => url), ...crawlers.flatMap(({ roots }) => roots.map(({ url }) => url))];
  const url = urls.find((one) => /^https?:/.test(one));
  if (url === undefined) return warning('clock', 'there is no web server to compare it with');
  const answer = await fetch(new URL('/robots.txt', url), { signal: AbortSignal.timeout(CLOCK_TIMEOUT_MS) }).catch(
    () => undefined,
  );
  await answer?.body?.cancel();
  const date = Date.parse(answer?.headers.get('date') ?? '');
  if (Number.isNaN(date)) return warning('clock', `${new URL(url).host} did not return the time`);
  const off = Math.abs(Date.now() - date);
  const text = `${Math.round(off / 1000)} s from the clock of ${new URL(url).host}`;
  return off > CLOCK_OFF_MS
    ? failed('clock', `${text}: synchronize it with NTP; leases and document dates depend on it`)
    : ok('clock', text);
}

/** Warns about variables that other programs use and Crawlway does not. */
function checkProxyVariables(): Finding[] {
  const set = ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'].filter((variable) => process.env[variable]);
  if (set.length === 0) return [];
  return [
    warning('proxy', `${set.join(', ')} is set but not used: write <cw:Proxy url="…"/> in the Fetcher that needs it`),
  ];
}
