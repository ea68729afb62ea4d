/** CrawlConfig.xml on disk, which the server reads when it starts. */

import { createHash, randomBytes } from 'node:crypto';
import { constants, existsSync, mkdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { ServerDefinition } from '../../domain/crawl/definition.js';
import { formatPlace, type Problem } from '../../domain/crawl/place.js';
import { FileRefused, RULE_FILE_EXTENSIONS, type RuleFileKind } from '../../domain/crawl/rule-file.js';
import { runWithPauses } from '../../domain/steps.js';
import type { ConfigurationTexts } from '../../engine/ports/administration.js';
import type { ReadConfiguration, SecretUse } from '../../engine/ports/configuration-reading.js';
import { toFileError } from '../fail.js';
import { UsageError } from '../options.js';
import type { ConfigurationFormat } from './configuration-format.js';
import { declareUtf8, decodeConfiguration } from './configuration-text.js';

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
  /** The texts that are shown and stored: with references in place of secrets that the files contain as plain text. */
  readonly publicTexts: ConfigurationTexts;
  /** Like `fingerprint`, but over the public texts. */
  readonly digest: string;
  readonly secretUses: readonly SecretUse[];
}

export interface CheckedConfiguration extends ReadConfiguration {
  readonly xml: string;
  /** The files that could be read, by name. */
  readonly files: readonly NamedFile[];
}

/** Takes effect as soon as it exists, so creating or deleting it changes the configuration. */
const GLOBAL_RULES = 'global.rules';

/** The part that the API may write. */
export type Texts = Pick<LoadedConfiguration, 'xml' | 'ruleFiles'>;

/** Returns the stored secrets by name. */
export type StoredSecretsReader = () => Promise<ReadonlyMap<string, string>>;

/** New contents, written beside their files and ready to replace them. */
export interface StagedWrite {
  commit(): Promise<void>;
  discard(): Promise<void>;
}

export class ConfigurationFile {
  readonly folder: string;
  /** Folder that contains the plug-ins. */
  private readonly pluginFolder: string;
  private readonly readStoredSecrets: StoredSecretsReader | undefined;
  /** Private at runtime, too, so that no log prints it. */
  #storedSecrets: ReadonlyMap<string, string> = new Map();
  private hasChangedSecrets = false;

  constructor(
    readonly path: string,
    private readonly format: ConfigurationFormat,
    private readonly fileSinkFolder: string,
    { pluginFolder, readStoredSecrets }: { pluginFolder?: string; readStoredSecrets?: StoredSecretsReader } = {},
  ) {
    this.folder = dirname(resolve(path));
    this.pluginFolder = pluginFolder || this.folder;
    this.readStoredSecrets = readStoredSecrets;
  }

  /**
   * Reads the stored secrets again; returns whether any has changed.
   * @throws StoreUnavailable if they cannot be read; those that were read last stay in use
   */
  async refreshSecrets(): Promise<boolean> {
    const previous = this.#storedSecrets;
    const current = (await this.readStoredSecrets?.()) ?? previous;
    this.#storedSecrets = current;
    const names = [...new Set([...previous.keys(), ...current.keys()])];
    const hasChanged = names.some((name) => previous.get(name) !== current.get(name));
    this.hasChangedSecrets ||= hasChanged;
    return hasChanged;
  }

  /** Whether any stored secret has changed since the last call. */
  takeSecretChanges(): boolean {
    const { hasChangedSecrets } = this;
    this.hasChangedSecrets = false;
    return hasChangedSecrets;
  }

  /**
   * Loads a configuration as it would be if these secrets were stored, too.
   * @throws InvalidConfiguration with all problems
   */
  async loadWith({ xml, ruleFiles }: Texts, secrets: ReadonlyMap<string, string>): Promise<LoadedConfiguration> {
    const storedSecrets = new Map([...this.#storedSecrets, ...secrets]);
    const ruleTexts = new Map(ruleFiles.map((file) => [file.name, file.text]));
    return this.toLoaded(await this.checkOnce(xml, ruleTexts, undefined, storedSecrets));
  }

  /** @throws UsageError if the file does not exist or cannot be read. */
  readText(): string {
    if (!existsSync(this.path)) {
      throw new UsageError(
        `there is no configuration ${this.path}: name an existing one, or create one with crawlway init`,
      );
    }
    try {
      return decodeConfiguration(readFileSync(this.path));
    } catch (error) {
      throw toFileError(`the configuration ${this.path}`, 'read', error);
    }
  }

  /**
   * @param ruleTexts contents that replace those on disk, by name
   * @throws InvalidConfiguration with all problems.
   */
  async load(xml: string = this.readText(), ruleTexts?: ReadonlyMap<string, string>): Promise<LoadedConfiguration> {
    return this.toLoaded(await this.check(xml, ruleTexts));
  }

  /** @throws InvalidConfiguration with all problems. */
  toLoaded({
    xml,
    definition,
    problems,
    files,
    literalSecrets,
    secretUses,
  }: CheckedConfiguration): LoadedConfiguration {
    if (!definition) throw new InvalidConfiguration(problems);
    const ruleFiles = files.filter((file): file is RuleFile => file.kind !== undefined);
    const texts = new Map([[this.path, xml], ...ruleFiles.map(({ name, text }) => [name, text] as const)]);
    const { texts: publicTexts } = this.format.replaceLiteralSecrets(texts, literalSecrets);
    const publicXml = publicTexts.get(this.path) as string;
    const publicFiles = files.map((file) => ({ ...file, text: publicTexts.get(file.name) ?? file.text }));
    return {
      xml,
      definition,
      problems,
      ruleFiles,
      paths: [...new Set([...files.map(({ name }) => name), GLOBAL_RULES])].map((name) => join(this.folder, name)),
      fingerprint: computeFingerprint(xml, files),
      publicTexts: {
        xml: publicXml,
        files: new Map(publicFiles.filter(({ kind }) => kind).map(({ name, text }) => [name, text])),
      },
      digest: computeFingerprint(publicXml, publicFiles),
      secretUses,
    };
  }

  /** Whether the files on disk differ from these texts; missing files do not count, since nothing could be lost. */
  hasDiskChanged({ xml, ruleFiles }: Texts): boolean {
    const isDifferent = (current: string | undefined, text: string): boolean =>
      current !== undefined && current !== text;
    return (
      isDifferent(tryReadFile(this.path, decodeConfiguration), xml) ||
      ruleFiles.some(({ name, text }) => isDifferent(tryReadFile(this.resolvePath(name)), text))
    );
  }

  /**
   * Like load, but returns the problems instead of throwing. The stored secrets are read only if there is a reference to
   * one that is not known yet.
   * @param filesWithoutSecrets the path of the configuration, or names of rule files, in which literal secrets are errors
   */
  async check(
    xml: string = this.readText(),
    ruleTexts?: ReadonlyMap<string, string>,
    filesWithoutSecrets?: ReadonlySet<string>,
  ): Promise<CheckedConfiguration> {
    const result = await this.checkOnce(xml, ruleTexts, filesWithoutSecrets);
    const isOutdated = result.secretUses.some(({ name }) => !this.#storedSecrets.has(name));
    return isOutdated && (await this.refreshSecrets()) ? this.checkOnce(xml, ruleTexts, filesWithoutSecrets) : result;
  }

  /** A long configuration is read in steps, between which other requests are answered. */
  private async checkOnce(
    text: string,
    ruleTexts: ReadonlyMap<string, string> = new Map(),
    filesWithoutSecrets?: ReadonlySet<string>,
    storedSecrets: ReadonlyMap<string, string> = this.#storedSecrets,
  ): Promise<CheckedConfiguration> {
    const xml = declareUtf8(text);
    const files = new Map<string, NamedFile>();
    const steps = this.format.readInSteps(xml, {
      file: this.path,
      fileSinks: this.fileSinkFolder,
      plugins: this.pluginFolder,
      storedSecrets,
      ...(filesWithoutSecrets ? { filesWithoutSecrets } : {}),
      pathOf: (name) => this.resolvePath(name),
      readFile: (name, kind) => {
        if (kind) requireRuleFileName(name);
        const path = this.resolvePath(name);
        const fileText = (kind && ruleTexts.get(name)) ?? readFileSync(path, 'utf8');
        files.set(name, { name, ...(kind ? { kind } : {}), text: fileText });
        return fileText;
      },
    });
    const result = await runWithPauses(steps, setImmediate);
    return { ...result, xml, files: [...files.values()].sort((a, b) => (a.name < b.name ? -1 : 1)) };
  }

  /**
   * Makes the new contents durable before they replace the old ones, so that a crash leaves each file either old or
   * new, never incomplete. The rule files are written first: a new configuration may name new ones.
   * @param keepsOld whether the old contents are kept beside each file, with `.rejected` at the end of its name
   * @throws UsageError for a file that cannot be written.
   */
  async stage({ xml, ruleFiles }: Texts, keepsOld = false): Promise<StagedWrite> {
    const changed = ruleFiles.filter(({ name, text }) => tryReadFile(this.resolvePath(name)) !== text);
    const texts = [
      ...changed.map(({ name, text }) => [resolveLinks(this.resolvePath(name)), text] as const),
      [resolveLinks(this.path), xml] as const,
    ];
    const stagedWrites: StagedWrite[] = [];
    const discard = async (): Promise<void> => {
      for (const write of stagedWrites) await write.discard();
    };
    try {
      for (const [path, text] of texts) {
        const decode = text === xml ? decodeConfiguration : decodeUtf8;
        const oldText = keepsOld ? tryReadFile(path, decode) : undefined;
        const writes = oldText === undefined ? [] : [[findUnusedPath(`${path}.rejected`), oldText] as const];
        for (const [file, content] of [...writes, [path, text] as const]) {
          const pendingWrite = stageText(file, content, path).catch((error: unknown) => {
            throw toFileError(file, 'written', error);
          });
          stagedWrites.push(await pendingWrite);
        }
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

const decodeUtf8 = (bytes: Buffer): string => bytes.toString('utf8');

function tryReadFile(path: string, decode: (bytes: Buffer) => string = decodeUtf8): string | undefined {
  try {
    return decode(readFileSync(path));
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

function findUnusedPath(path: string): string {
  let unusedPath = path;
  for (let suffix = 2; existsSync(unusedPath); suffix++) unusedPath = `${path}-${suffix}`;
  return unusedPath;
}

/** @param model file whose access the new file gets */
async function stageText(target: string, text: string, model: string): Promise<StagedWrite> {
  await requireReplaceable(target);
  mkdirSync(dirname(target), { recursive: true });
  const stagedPath = `${target}.${randomBytes(6).toString('hex')}.new`;
  const discard = (): Promise<void> => rm(stagedPath, { force: true });
  try {
    const handle = await open(stagedPath, NEW_FILE_FLAGS, 0o600);
    try {
      await handle.writeFile(text, 'utf8');
      await copyAccess(model, handle);
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
      await rename(stagedPath, target).catch(async (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EBUSY') throw error;
        await overwrite(target, text);
        await discard();
      });
      await syncFolder(dirname(target));
    },
  };
}

/** Finds out before the new contents are in force what would fail afterwards: a folder, a mount that is read-only. */
async function requireReplaceable(target: string): Promise<void> {
  const handle = await open(target, 'r+').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EISDIR' || error.code === 'EROFS') throw error;
  });
  await handle?.close();
}

/** Nothing can take the place of a file that is mounted by itself, as many mount it into a container. */
async function overwrite(target: string, text: string): Promise<void> {
  const handle = await open(target, 'r+');
  try {
    await handle.writeFile(text, 'utf8');
    await handle.truncate(Buffer.byteLength(text));
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Users who could edit the old file can edit the new one. Only root may change a file's owner. */
async function copyAccess(model: string, handle: FileHandle): Promise<void> {
  const stat = statSync(model, { throwIfNoEntry: false });
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
