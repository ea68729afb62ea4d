/** CrawlConfig.xml on disk, which the server reads when it starts. */
import { createHash, randomBytes } from 'node:crypto';
import { constants, existsSync, mkdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import type { ServerDefinition } from '../../domain/crawl/definition.js';
import { formatPlace, type Problem } from '../../domain/crawl/place.js';
import { FileRefused, RULE_FILE_EXTENSIONS, type RuleFileKind } from '../../domain/crawl/rule-file.js';
import { toFileError } from '../fail.js';
import { UsageError } from '../options.js';
import type { ConfigurationFormat } from './configuration-format.js';

/** The configuration has errors; none of it is used. */
export class InvalidConfiguration extends Error {
  override readonly name = 'InvalidConfiguration';
  constructor(readonly problems: readonly Problem[]) {
    const lines = problems.map((problem) => `${formatPlace(problem.place)} ${problem.code} ${problem.message}`);
    super(`the configuration has errors:\n${lines.join('\n')}`);
  }
}

/** A file that the configuration names. */
interface NamedFile {
  readonly name: string;
  /** Absent if it is not a rule file. */
  readonly kind?: RuleFileKind;
  readonly text: string;
}

export type RuleFile = NamedFile & { readonly kind: RuleFileKind };

export interface LoadedConfiguration {
  readonly xml: string;
  readonly definition: ServerDefinition;
  /** Warnings. */
  readonly problems: readonly Problem[];
  readonly ruleFiles: readonly RuleFile[];
  /** Full paths of all files that the configuration names. */
  readonly paths: readonly string[];
  /** SHA-256 over the text and all the files that it names, in hex; if it is equal, nothing has changed. */
  readonly fingerprint: string;
}

/** Takes effect as soon as it exists, so creating or deleting it changes the configuration. */
const GLOBAL_RULES = 'global.rules';

/** The part that the API may write. */
export type Texts = Pick<LoadedConfiguration, 'xml' | 'ruleFiles'>;

/** New contents, written beside their files and ready to replace them. */
export interface StagedWrite {
  commit(): Promise<void>;
  discard(): Promise<void>;
}

export class ConfigurationFile {
  readonly folder: string;
  /** Folder that contains the plug-ins. */
  private readonly pluginFolder: string;

  constructor(
    readonly path: string,
    private readonly format: ConfigurationFormat,
    private readonly fileSinkFolder: string,
    pluginFolder?: string,
  ) {
    this.folder = dirname(resolve(path));
    this.pluginFolder = pluginFolder || this.folder;
  }

  /** @throws UsageError if the file does not exist or cannot be read. */
  readText(): string {
    if (!existsSync(this.path)) {
      throw new UsageError(
        `there is no configuration ${this.path}: name an existing one, or create one with crawlway init`,
      );
    }
    try {
      return readFileSync(this.path, 'utf8');
    } catch (error) {
      throw toFileError(`the configuration ${this.path}`, 'read', error);
    }
  }

  /**
   * @param ruleTexts contents that replace those on disk, by name
   * @throws InvalidConfiguration with all problems.
   */
  load(xml: string = this.readText(), ruleTexts?: ReadonlyMap<string, string>): LoadedConfiguration {
    const { definition, problems, files } = this.check(xml, ruleTexts);
    if (!definition) throw new InvalidConfiguration(problems);
    return {
      xml,
      definition,
      problems,
      ruleFiles: files.filter((file): file is RuleFile => file.kind !== undefined),
      paths: [...new Set([...files.map(({ name }) => name), GLOBAL_RULES])].map((name) => join(this.folder, name)),
      fingerprint: computeFingerprint(xml, files),
    };
  }

  /** Whether the files on disk differ from these texts; missing files do not count, since nothing could be lost. */
  hasDiskChanged({ xml, ruleFiles }: Texts): boolean {
    const isDifferent = (path: string, text: string): boolean => (tryReadFile(path) ?? text) !== text;
    return isDifferent(this.path, xml) || ruleFiles.some(({ name, text }) => isDifferent(this.resolvePath(name), text));
  }

  /** What is on disk in place of these texts, whether or not it is valid. */
  readDiskTexts({ ruleFiles }: Texts): Texts & { readonly fingerprint: string } {
    const xml = tryReadFile(this.path) ?? '';
    const filesOnDisk = ruleFiles.map((file) => ({ ...file, text: tryReadFile(this.resolvePath(file.name)) ?? '' }));
    return { xml, ruleFiles: filesOnDisk, fingerprint: computeFingerprint(xml, filesOnDisk) };
  }

  /** Like load, but returns the problems instead of throwing; the files are those that could be read, by name. */
  check(
    xml: string,
    ruleTexts: ReadonlyMap<string, string> = new Map(),
  ): ReturnType<ConfigurationFormat['read']> & { readonly files: readonly NamedFile[] } {
    const files = new Map<string, NamedFile>();
    const result = this.format.read(xml, {
      file: this.path,
      fileSinks: this.fileSinkFolder,
      plugins: this.pluginFolder,
      pathOf: (name) => this.resolvePath(name),
      readFile: (name, kind) => {
        if (kind) requireRuleFileName(name);
        const path = this.resolvePath(name);
        const text = (kind && ruleTexts.get(name)) ?? readFileSync(path, 'utf8');
        files.set(name, { name, ...(kind ? { kind } : {}), text });
        return text;
      },
    });
    return { ...result, files: [...files.values()].sort((a, b) => (a.name < b.name ? -1 : 1)) };
  }

  /**
   * Makes the new contents durable before they replace the old ones, so that a crash leaves each file either old or
   * new, never incomplete. The rule files are written first: a new configuration may name new ones.
   * @throws UsageError for a file that cannot be written.
   */
  async stage({ xml, ruleFiles }: Texts): Promise<StagedWrite> {
    const changed = ruleFiles.filter(({ name, text }) => tryReadFile(this.resolvePath(name)) !== text);
    const texts = [
      ...changed.map(({ name, text }) => [this.resolvePath(name), text] as const),
      [this.path, xml] as const,
    ];
    const stagedWrites: StagedWrite[] = [];
    const discard = async (): Promise<void> => {
      for (const write of stagedWrites) await write.discard();
    };
    try {
      for (const [path, text] of texts) {
        const pendingWrite = stageText(path, text).catch((error: unknown) => {
          throw toFileError(path, 'written', error);
        });
        stagedWrites.push(await pendingWrite);
      }
    } catch (error) {
      await discard();
      throw error;
    }
    return {
      discard,
      commit: async () => {
        for (const write of stagedWrites) await write.commit();
      },
    };
  }

  /**
   * Files that the configuration names are in its folder or below, so that a configuration sent to the API cannot read
   * any others.
   */
  private resolvePath(name: string): string {
    const path = resolve(join(this.folder, name));
    const configurationPath = resolveLinks(resolve(this.path));
    const folders = [resolveLinks(this.folder), dirname(configurationPath)];
    const realPath = resolveLinks(path);
    if (realPath === configurationPath) throw new FileRefused(`${name} is the configuration itself: name another file`);
    if (path.startsWith(this.folder + sep) && folders.some((folder) => realPath.startsWith(folder + sep))) return path;
    throw new FileRefused(`${name} is outside the folder of the configuration: only files inside it are read`);
  }
}

function requireRuleFileName(name: string): void {
  if (RULE_FILE_EXTENSIONS.some((extension) => name.toLowerCase().endsWith(extension))) return;
  throw new FileRefused(
    `${name} is not accepted as the name of a rule file: give it a name that ends in ${RULE_FILE_EXTENSIONS.join(', ')}`,
  );
}

function computeFingerprint(xml: string, files: readonly NamedFile[]): string {
  const hash = createHash('sha256').update(xml);
  for (const { name, text } of files) hash.update(`\0${name}\0${text}`);
  return hash.digest('hex');
}

function tryReadFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** Resolves symbolic links, because people edit the target. */
export function resolveLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(resolveLinks(parent), basename(path));
  }
}

/** Flags for creating a file; they never open a file or link that someone else has put there. */
const NEW_FILE_FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

async function stageText(path: string, text: string): Promise<StagedWrite> {
  const target = resolveLinks(path);
  mkdirSync(dirname(target), { recursive: true });
  const stagedPath = `${target}.${randomBytes(6).toString('hex')}.new`;
  const discard = (): Promise<void> => rm(stagedPath, { force: true });
  try {
    const handle = await open(stagedPath, NEW_FILE_FLAGS, 0o600);
    try {
      await handle.writeFile(text, 'utf8');
      await preserveAccess(target, handle);
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    await discard();
    throw error;
  }
  return {
    discard,
    commit: async () => {
      await rename(stagedPath, target);
      await syncFolder(dirname(target));
    },
  };
}

/** Users who could edit the old file can edit the new one. Only root may change a file's owner. */
async function preserveAccess(target: string, handle: FileHandle): Promise<void> {
  const stat = statSync(target, { throwIfNoEntry: false });
  if (!stat) return;
  await handle.chown(stat.uid, stat.gid).catch(() => undefined);
  await handle.chmod(stat.mode & 0o777);
}

/** Makes the rename itself durable, which some file systems do not support. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}
