/**
 * Secrets that are neither in the configuration nor in the environment: they are read from files in folders that the
 * operator specifies (`${file:/run/secrets/x}`), or come from a helper whose command line the operator sets
 * (`${helper:x}`). A configuration selects them by name; it cannot determine which program runs or which folders are
 * read.
 */
import { execFile, execFileSync } from 'node:child_process';
import { closeSync, fstatSync, openSync, readSync, realpathSync } from 'node:fs';
import { isAbsolute, join, sep } from 'node:path';
import { promisify } from 'node:util';
import { UnreadableSecret } from '../../domain/secret.js';

export interface SecretPlaces {
  readonly folders: readonly string[];
  /** Program and arguments; the secret's name is appended as the last argument. */
  readonly helper?: readonly string[];
}

const MAX_BYTES = 65_536;
const HELPER_TIMEOUT_MS = 5_000;
const MAX_SECRETS = 500;
/** Excludes command-line options and paths that lead upwards. */
const HELPER_NAME = /^[A-Za-z0-9_][\w./@:#=+-]{0,199}$/;

export class ExternalSecrets {
  /** The values that were read last, by reference. */
  private readonly values = new Map<string, string>();

  constructor(
    private readonly places: SecretPlaces,
    private readonly env: NodeJS.ProcessEnv,
  ) {}

  /**
   * Reads a file each time, but calls the helper only the first time; `reloadAndCompare` calls it again.
   * @param reference `file:PATH` or `helper:NAME`
   * @throws UnreadableSecret with a message for the operator that reveals nothing of a secret
   */
  read(reference: string): string {
    const { kind, name } = parseReference(reference);
    if (kind === 'file') return this.remember(reference, this.readFile(name));
    const cached = this.values.get(reference);
    return cached ?? this.remember(reference, this.runHelperSync(name));
  }

  /**
   * Reads all known secrets again and resolves with whether any of them changed. Those that cannot be read now are
   * treated as unchanged.
   */
  async reloadAndCompare(): Promise<boolean> {
    const changes = await Promise.all(
      [...this.values].map(([reference, previous]) => this.updateIfChanged(reference, previous)),
    );
    return changes.includes(true);
  }

  private async updateIfChanged(reference: string, previous: string): Promise<boolean> {
    const { kind, name } = parseReference(reference);
    const current = await (kind === 'file' ? tryRead(() => this.readFile(name)) : this.runHelper(name));
    if (current === undefined || current === previous) return false;
    this.values.set(reference, current);
    return true;
  }

  private remember(reference: string, value: string): string {
    if (!this.values.has(reference) && this.values.size >= MAX_SECRETS)
      throw new UnreadableSecret(`more than ${MAX_SECRETS} secrets are read from files and the helper`);
    this.values.set(reference, value);
    return value;
  }

  private readFile(path: string): string {
    const { folders } = this.places;
    const realPath = isAbsolute(path) ? resolveRealPath(path) : undefined;
    const isInside = (folder: string, inner = realPath!): boolean =>
      inner.startsWith(join(resolveRealPath(folder) ?? folder, sep));
    if (
      !isAbsolute(path) ||
      !(realPath === undefined
        ? folders.some((folder) => path.startsWith(join(folder, sep)))
        : folders.some((folder) => isInside(folder)))
    )
      throw new UnreadableSecret(
        `secrets are read only from files below ${folders.join(', ')}; the operator can add folders in CRAWLWAY_SECRETS_FOLDERS`,
      );
    if (realPath === undefined) throw new UnreadableSecret(`the file ${path} does not exist`);
    const isAllowed = (opened: string): boolean => folders.some((folder) => isInside(folder, opened));
    return normalizeValue(readSecretFile(realPath, path, isAllowed), path);
  }

  private runHelperSync(name: string): string {
    const [program, args] = this.findHelperCommand(name);
    try {
      return normalizeValue(
        execFileSync(program, args, { ...this.createExecOptions(), stdio: ['ignore', 'pipe', 'ignore'] }),
        name,
      );
    } catch (error) {
      throw error instanceof UnreadableSecret ? error : toUnreadableSecret(name, error);
    }
  }

  private async runHelper(name: string): Promise<string | undefined> {
    try {
      const [program, args] = this.findHelperCommand(name);
      const { stdout } = await promisify(execFile)(program, args, this.createExecOptions());
      return normalizeValue(stdout, name);
    } catch {
      return undefined;
    }
  }

  private findHelperCommand(name: string): readonly [program: string, args: readonly string[]] {
    const [program, ...args] = this.places.helper ?? [];
    if (program === undefined)
      throw new UnreadableSecret('no helper is set: the operator can set its command line in CRAWLWAY_SECRETS_HELPER');
    if (!HELPER_NAME.test(name))
      throw new UnreadableSecret(
        'the name of a secret may contain letters, digits and . _ / @ : # = + -, at most 200 characters',
      );
    return [program, [...args, name]];
  }

  /** The helper's environment does not contain the server's own secrets. */
  private createExecOptions() {
    const env = Object.fromEntries(Object.entries(this.env).filter(([name]) => !name.startsWith('CRAWLWAY_')));
    return { env, encoding: 'utf8', timeout: HELPER_TIMEOUT_MS, maxBuffer: MAX_BYTES, killSignal: 'SIGKILL' } as const;
  }
}

function parseReference(reference: string): { readonly kind: string; readonly name: string } {
  const colon = reference.indexOf(':');
  return { kind: reference.slice(0, colon), name: reference.slice(colon + 1) };
}

function tryRead(read: () => string): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function resolveRealPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

/** @param isAllowed judges the file that was opened, because whoever may write its folder may have replaced it */
function readSecretFile(realPath: string, path: string, isAllowed: (opened: string) => boolean): string {
  let file: number;
  try {
    file = openSync(realPath, 'r');
  } catch (error) {
    throw new UnreadableSecret(`${path} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'error'})`);
  }
  try {
    if (!isAllowed(findOpenedPath(file) ?? realPath))
      throw new UnreadableSecret(`${path} was replaced while it was read`);
    if (!fstatSync(file).isFile()) throw new UnreadableSecret(`${path} is not a file`);
    const bytes = Buffer.alloc(MAX_BYTES + 1);
    const size = readSync(file, bytes);
    if (size > MAX_BYTES) throw new UnreadableSecret(`${path} is larger than ${MAX_BYTES} bytes`);
    return bytes.toString('utf8', 0, size);
  } finally {
    closeSync(file);
  }
}

/** The path of an open file; undefined on systems that do not tell. */
const findOpenedPath = (file: number): string | undefined => resolveRealPath(`/proc/self/fd/${file}`);

/** Editors and programs usually end a file with a line feed, which is removed. */
function normalizeValue(text: string, source: string): string {
  const value = text.replace(/\r?\n$/, '');
  if (value === '') throw new UnreadableSecret(`${source} is empty`);
  return value;
}

function toUnreadableSecret(name: string, error: unknown): UnreadableSecret {
  const { code, status } = error as NodeJS.ErrnoException & { status?: number | null };
  const reason =
    code === 'ETIMEDOUT'
      ? `returned nothing within ${HELPER_TIMEOUT_MS / 1000} s`
      : code === 'ENOBUFS'
        ? `returned more than ${MAX_BYTES} bytes`
        : typeof status === 'number'
          ? `ended with exit code ${status}`
          : `could not be run (${code ?? 'killed'})`;
  return new UnreadableSecret(`the helper for secrets ${reason} when it was called for ${name}`);
}

/**
 * Reads `CRAWLWAY_SECRETS_FOLDERS` (comma-separated, default: /run/secrets) and `CRAWLWAY_SECRETS_HELPER` (separated by
 * spaces, or a JSON list).
 */
export function readSecretPlaces(env: NodeJS.ProcessEnv): SecretPlaces {
  const folders = (env['CRAWLWAY_SECRETS_FOLDERS'] || '/run/secrets').split(',').map((folder) => folder.trim());
  const commandLine = (env['CRAWLWAY_SECRETS_HELPER'] ?? '').trim();
  return {
    folders: folders.filter(isAbsolute),
    ...(commandLine === '' ? {} : { helper: parseCommandLine(commandLine) }),
  };
}

/** @throws Error if the value begins like a JSON list but is not a list of strings. */
function parseCommandLine(commandLine: string): string[] {
  if (!commandLine.startsWith('[')) return commandLine.split(/\s+/);
  const list: unknown = JSON.parse(commandLine);
  if (Array.isArray(list) && list.length > 0 && list.every((part) => typeof part === 'string')) return list;
  throw new Error('CRAWLWAY_SECRETS_HELPER must be a command line or a JSON list of strings');
}
