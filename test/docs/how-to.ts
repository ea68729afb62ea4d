/** The how-tos of the documentation, run as they stand there: only host names and the pause between requests are others. */
import { execFile } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { load } from 'js-yaml';
import { PROJECT_ROOT } from '../../src/server/project-root.js';
import { crawlwayCommand } from '../support/crawlway-command.js';
import { SECRETS, ServedCrawl } from '../support/served-crawl.js';

export interface HowTo {
  /** The whole configuration. */
  readonly xml: string;
  /** Blocks for a shell, in their order. */
  readonly commands: readonly string[];
  /** Workflows of GitHub Actions. */
  readonly workflows: readonly string[];
  /** Files beside the configuration, by name. */
  readonly files: ReadonlyMap<string, string>;
}

const blocks = (text: string, language: string): string[] =>
  [...text.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, block = '']) => block);

/** By heading; those without a configuration have an empty one. */
export function howTos(): ReadonlyMap<string, HowTo> {
  const texts = globSync(join(PROJECT_ROOT, 'docs/how-to*.md')).map((file) => readFileSync(file, 'utf8'));
  return new Map(
    texts
      .flatMap((text) => text.split(/^## /m).slice(1))
      .map((section) => {
        const [heading = ''] = section.split('\n', 1);
        const [xml = ''] = blocks(section, 'xml');
        return [
          heading,
          { xml, commands: blocks(section, 'sh'), workflows: blocks(section, 'yaml'), files: filesIn(section) },
        ];
      }),
  );
}

/** Blocks under a line that names the file. */
export const filesIn = (text: string): ReadonlyMap<string, string> =>
  new Map(
    [...text.matchAll(/^`([\w.-]+)`:\n\n```\w+\n([\s\S]*?)```/gm)].map(([, name = '', content = '']) => [
      name,
      content,
    ]),
  );

/** Origins of the documentation and those that take their places. */
export type Addresses = Readonly<Record<string, string>>;

export interface RunningHowTo {
  readonly crawl: ServedCrawl;
  /** Runs the blocks for a shell; what they print. */
  commands(): Promise<string[]>;
}

/** Serves the configuration under that heading until everything is crawled. */
export async function runHowTo(
  heading: string,
  addresses: Addresses,
  edit: (xml: string) => string = (xml) => xml,
): Promise<RunningHowTo> {
  const howTo = howTos().get(heading);
  if (!howTo || howTo.xml === '') throw new Error(`no how-to of docs/ has a configuration under ${heading}`);
  const crawl = await ServedCrawl.start(edit(replaced(howTo.xml, addresses)), howTo.files);
  await crawl.caughtUp();
  const commands = () =>
    runBlocks(
      crawl.folder,
      howTo.commands.map((block) => replaced(block, addresses)),
      { ...SECRETS, CRAWLWAY_PORT: crawl.port },
    );
  return { crawl, commands };
}

export const replaced = (text: string, addresses: Addresses): string =>
  Object.entries(addresses).reduce((left, [name, address]) => left.replaceAll(name, address), text);

/** Blocks for a shell one after the other, in which `crawlway` is this program. @throws at the first command that fails */
export async function runBlocks(
  folder: string,
  commands: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string[]> {
  const bin = join(folder, 'bin');
  mkdirSync(bin, { recursive: true });
  const program = [process.execPath, '--no-warnings', ...crawlwayCommand()].map((word) => `'${word}'`).join(' ');
  writeFileSync(join(bin, 'crawlway'), `#!/bin/sh\nexec ${program} "$@"\n`, { mode: 0o755 });
  writeFileSync(join(bin, 'npx'), '#!/bin/sh\nexec "$@"\n', { mode: 0o755 });
  writeFileSync(join(bin, 'npm'), '#!/bin/sh\ntest "$*" = "install --global crawlway"\n', { mode: 0o755 });
  const printed: string[] = [];
  for (const command of commands) {
    const { stdout } = await promisify(execFile)('bash', ['-e', '-c', command], {
      cwd: folder,
      env: { PATH: `${bin}:${process.env['PATH']}`, HOME: folder, ...env },
    });
    printed.push(stdout);
  }
  return printed;
}

interface Workflow {
  readonly jobs: Readonly<Record<string, Job>>;
}

interface Job {
  readonly strategy?: { readonly matrix: { readonly environment: readonly string[] } };
  readonly env?: Readonly<Record<string, string>>;
  readonly steps: readonly { readonly if?: string; readonly run?: string }[];
}

/** What `${{ … }}` stands for, such as `secrets.CRAWLWAY_API_KEY`, by environment; without a matrix, by an empty name. */
export type WorkflowContext = Readonly<Record<string, Readonly<Record<string, string>>>>;

/**
 * Runs what a workflow has for a shell, as GitHub does for an event: one environment of the matrix after the other, with `bash -e`.
 * @throws at the first step that fails
 */
export async function runWorkflow(
  workflow: string,
  event: string,
  folder: string,
  context: WorkflowContext,
): Promise<string[]> {
  const printed: string[] = [];
  for (const { strategy, env = {}, steps } of Object.values((load(workflow) as Workflow).jobs))
    for (const environment of strategy?.matrix.environment ?? ['']) {
      const fill = (text: string): string =>
        text.replace(/\$\{\{ ([\w.]+) \}\}/g, (whole, name: string) => context[environment]?.[name] ?? whole);
      const commands = steps
        .filter(({ if: condition }) => condition === undefined || condition === `github.event_name == '${event}'`)
        .flatMap(({ run }) => (run === undefined ? [] : [fill(run)]));
      const filled = Object.entries(env).map(([name, value]) => [name, fill(value)]);
      printed.push(...(await runBlocks(folder, commands, Object.fromEntries(filled))));
    }
  return printed;
}
