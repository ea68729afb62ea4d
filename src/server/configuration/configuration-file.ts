/**
 * CrawlConfig.xml on disk: the truth that a restart starts from.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import type { ServerDefinition } from '../../domain/crawl/definition.js';
import { type Problem, placeText } from '../../domain/crawl/place.js';
import type { ConfigurationFormat } from './configuration-format.js';

/** The configuration has errors; none of it is used. */
export class InvalidConfiguration extends Error {
  override readonly name = 'InvalidConfiguration';
  constructor(readonly problems: readonly Problem[]) {
    const lines = problems.map((problem) => `${placeText(problem.place)} ${problem.code} ${problem.message}`);
    super(`the configuration has errors:\n${lines.join('\n')}`);
  }
}

export interface LoadedConfiguration {
  readonly xml: string;
  readonly definition: ServerDefinition;
  /** Warnings. */
  readonly problems: readonly Problem[];
  /** Full paths of the files that the configuration names. */
  readonly files: readonly string[];
  /** SHA-256 over the text and all the files that it names, hex: the same means that nothing has changed. */
  readonly fingerprint: string;
}

/** A text that is written beside the file and waits to take its place. */
export interface StagedText {
  commit(): Promise<void>;
  discard(): Promise<void>;
}

export class ConfigurationFile {
  readonly folder: string;

  constructor(
    readonly path: string,
    private readonly format: ConfigurationFormat,
  ) {
    this.folder = dirname(resolve(path));
  }

  text(): string {
    return readFileSync(this.path, 'utf8');
  }

  /** @throws InvalidConfiguration with everything that is wrong. */
  load(xml: string = this.text()): LoadedConfiguration {
    const read = new Map<string, string>();
    const { definition, problems } = this.check(xml, read);
    if (!definition) throw new InvalidConfiguration(problems);
    const hash = createHash('sha256').update(xml);
    for (const [name, text] of [...read].sort()) hash.update(`\0${name}\0${text}`);
    return { xml, definition, problems, files: [...read.keys()], fingerprint: hash.digest('hex') };
  }

  check(xml: string, read = new Map<string, string>()): ReturnType<ConfigurationFormat['read']> {
    return this.format.read(xml, {
      file: this.path,
      readFile: (name) => {
        const path = this.beside(name);
        const text = readFileSync(path, 'utf8');
        read.set(path, text);
        return text;
      },
    });
  }

  /** Durable before it takes the place of the old text, so that a crash leaves one or the other, never a half. */
  async stage(xml: string): Promise<StagedText> {
    mkdirSync(this.folder, { recursive: true });
    const staged = `${this.path}.${process.pid}.new`;
    const handle = await open(staged, 'w', 0o600);
    try {
      await handle.writeFile(xml, 'utf8');
      await handle.sync();
    } finally {
      await handle.close();
    }
    return {
      commit: async () => {
        await rename(staged, this.path);
        await syncFolder(this.folder);
      },
      discard: () => rm(staged, { force: true }),
    };
  }

  /** Other files stand in the configuration's folder or below; a configuration over the API cannot read others. */
  private beside(name: string): string {
    const path = resolve(join(this.folder, name));
    if (!path.startsWith(this.folder + sep)) throw new Error(`${name} is outside ${this.folder}`);
    return path;
  }
}

/** Makes the rename itself durable; some file systems cannot, and then do without. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}

export const digestOf = (xml: string): string => createHash('sha256').update(xml).digest('hex');
