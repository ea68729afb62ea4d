/** The how-tos of the documentation, run as they stand there: only host names and the pause between requests are others. */
import { execFile } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PROJECT_ROOT } from '../../src/server/project-root.js';
import { crawlwayCommand } from '../support/crawlway-command.js';
import { SECRETS, ServedCrawl } from '../support/served-crawl.js';

export interface HowTo {
  /** The whole configuration. */
  readonly xml: string;
  /** Blocks for a shell, in their order. */
  readonly commands: readonly string[];
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
        return [heading, { xml, commands: blocks(section, 'sh'), files: filesIn(section) }];
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
  const printed: string[] = [];
  for (const command of commands) {
    const { stdout } = await promisify(execFile)('sh', ['-e', '-c', command], {
      cwd: folder,
      env: { PATH: `${bin}:${process.env['PATH']}`, HOME: folder, ...env },
    });
    printed.push(stdout);
  }
  return printed;
}
