/** `crawlway check`: prints the problems of configurations and rule files. */
import { basename, dirname, join } from 'node:path';
import type { ServerDefinition } from '../domain/crawl/definition.js';
import { formatPlace, type Problem } from '../domain/crawl/place.js';
import type { CheckedConfiguration, ConfigurationFile } from '../server/configuration/configuration-file.js';
import { openConfigurationFile } from '../server/engine.module.js';
import { DEFAULT_CONFIG, readStorageOptions, type StorageOptions, UsageError } from '../server/options.js';
import { toPrintable } from '../server/printable.js';
import { escapeXml } from './first-configuration.js';
import { type JsonOption, pluralize, printJson } from './output.js';

type Options = JsonOption & { readonly data?: string };

/** Prints every problem, one per line, in a format that editors and CI understand. */
export async function checkConfigurations(paths: readonly string[], { json, data }: Options = {}): Promise<void> {
  const checkedPaths = paths.length > 0 ? paths : [process.env['CRAWLWAY_CONFIG'] || DEFAULT_CONFIG];
  const allProblems: Problem[] = [];
  for (const path of checkedPaths) {
    const { problems, unsetVariables, definition } = await checkFile(path, data);
    allProblems.push(...problems);
    if (!json) problems.forEach(printProblem);
    const errors = countErrors(problems);
    process.stderr.write(`${path}: ${pluralize(errors, 'error')}, ${pluralize(problems.length - errors, 'warning')}\n`);
    for (const notice of listIdleCrawlers(definition)) process.stderr.write(`${toPrintable(notice)}\n`);
    // A configuration is often checked where its secrets are not, such as in CI.
    if (unsetVariables.length > 0)
      process.stderr.write(`not set here, but needed by the server: ${unsetVariables.join(', ')}\n`);
  }
  if (json) printJson(allProblems);
  process.exitCode = countErrors(allProblems) > 0 ? 1 : 0;
}

const countErrors = (problems: readonly Problem[]): number =>
  problems.filter(({ severity }) => severity === 'error').length;

function printProblem({ place, code, message, severity }: Problem): void {
  const line = `${formatPlace(place)} ${code} ${message}${severity === 'warning' ? ' (warning)' : ''}`;
  process.stdout.write(`${toPrintable(line)}\n`);
}

interface Checked extends Pick<CheckedConfiguration, 'problems' | 'definition'> {
  readonly unsetVariables: readonly string[];
}

/**
 * Reads a configuration as if every secret were set: they are often elsewhere, as in CI. What needs the value of a
 * secret, such as the address of a database in a variable, is not checked then.
 */
export async function checkWithoutSecrets(
  file: ConfigurationFile,
  xml?: string,
): Promise<CheckedConfiguration & Checked> {
  const checked = await file.check(xml);
  const unset = checked.problems.filter(({ code }) => code === 'unset-variable');
  const unsetVariables = [...new Set(unset.flatMap(({ message }) => /CRAWLWAY_SECRET_\w+/.exec(message)?.[0] ?? []))];
  if (unset.length === 0) return { ...checked, unsetVariables };
  for (const name of unsetVariables) process.env[name] = PLACEHOLDER;
  const completed = await file.check(xml).finally(() => {
    for (const name of unsetVariables) delete process.env[name];
  });
  if (completed.definition) return { ...completed, unsetVariables };
  // Without the secrets, some are missing; with the placeholder, some are wrong.
  const alike = new Set(completed.problems.map(toText));
  return { ...checked, problems: checked.problems.filter((problem) => alike.has(toText(problem))), unsetVariables };
}

/** Suits as many kinds of secrets as possible: URLs, logins and headers, and all that may still contain a reference. */
const PLACEHOLDER = `http://secret.invalid/\${}`;

const toText = ({ place, code, message }: Problem): string => `${formatPlace(place)} ${code} ${message}`;

async function checkFile(path: string, data: string | undefined): Promise<Checked> {
  const storage = readStorageOptions({ data }, process.env);
  const wrapper = wrapRuleFile(path);
  return wrapper === undefined
    ? checkWithoutSecrets(openConfigurationFile(path, { storage }))
    : checkRuleFile(path, wrapper, storage);
}

/** Whether rules suit roots and other files is known only from the configuration that names their file. */
const ABOUT_OTHERS: ReadonlySet<string> = new Set(['host-in-no-space', 'host-in-two-spaces', 'root-rejected']);

async function checkRuleFile(path: string, wrapper: string, storage: StorageOptions): Promise<Checked> {
  const { problems } = await openConfigurationFile(join(dirname(path), 'check.xml'), { storage }).check(wrapper);
  const isMissing = problems.find(({ code }) => code === 'unreadable-file' || code === 'refused-file');
  if (isMissing) throw new UsageError(isMissing.message);
  return {
    unsetVariables: [],
    problems: problems
      .filter(({ place, code }) => place.file === basename(path) && !ABOUT_OTHERS.has(code))
      .map((problem) => ({ ...problem, place: { ...problem.place, file: path } })),
  };
}

/** A configuration that does nothing but name the rule file; undefined if the file is a configuration itself. */
function wrapRuleFile(path: string): string | undefined {
  const name = basename(path);
  if (!/\.(?:rules|conf)$/i.test(name)) return undefined;
  const file = escapeXml(name);
  const element = name.toLowerCase().endsWith('.conf')
    ? `<cw:Servers file="${file}"/>`
    : `<cw:CrawlSpace rules="${file}"/>`;
  // The file global.rules is read because it exists.
  return `<CrawlConfig xmlns="exa:com.exalead.mercury.mami.crawl.v21" xmlns:cw="urn:crawlway:config:1"><Crawler name="check" defaultAccept="true">${name === 'global.rules' ? '' : element}</Crawler></CrawlConfig>`;
}

/** A crawl that is started over the API is no mistake, so that this is no warning. */
function listIdleCrawlers(definition: ServerDefinition | undefined): string[] {
  if (!definition) return [];
  if (definition.crawlers.length === 0) return ['there is no Crawler, so that nothing is crawled'];
  return definition.crawlers
    .filter(
      ({ roots, servers }) =>
        roots.length === 0 && (servers?.records ?? []).every(({ url }) => !/^https?:\/\/[^/]/i.test(url)),
    )
    .map(
      ({ name }) =>
        `crawler ${name} has no Root and no server record with a host: it crawls only URLs that are submitted`,
    );
}
