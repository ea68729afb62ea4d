/**
 * Secrets that are neither in the configuration nor in the environment: they are in files in folders that the operator
 * names (`${file:/run/secrets/x}`), or come from a helper whose command line the operator sets (`${helper:x}`). A
 * configuration selects them by name; it cannot determine which program runs or which folders are read.
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

const MOST_BYTES = 65_536;
const HELPER_WITHIN_MS = 5_000;
const MOST_NAMES = 500;
/** Excludes command-line options and paths that lead upwards. */
const HELPER_NAME = /^[A-Za-z0-9_][\w./@:#=+-]{0,199}$/;

export class OutsideSecrets {
  /** The values that were read last, by reference. */
  private readonly known = new Map<string, string>();

  constructor(
    private readonly places: SecretPlaces,
    private readonly env: NodeJS.ProcessEnv,
  ) {}

  /**
   * Reads a file each time, but calls the helper only the first time; `reloadAndCompare` calls it again.
   * @param reference `file:PATH` or `helper:NAME`
   * @throws UnreadableSecret with a sentence for the operator that contains nothing of a secret
   */
  read(reference: string): string {
    const { kind, name } = parseReference(reference);
    if (kind === 'file') return this.remember(reference, this.readFile(name));
    const known = this.known.get(reference);
    return known ?? this.remember(reference, this.runHelperSync(name));
  }

  /**
   * Reads again everything that was read before, and resolves with whether anything changed. What cannot be read now
   * counts as unchanged.
   */
  async reloadAndCompare(): Promise<boolean> {
    const changes = await Promise.all([...this.known].map(([reference, before]) => this.hasChanged(reference, before)));
    return changes.includes(true);
  }

  private async hasChanged(reference: string, before: string): Promise<boolean> {
    const { kind, name } = parseReference(reference);
    const now = await (kind === 'file' ? readOrUndefined(() => this.readFile(name)) : this.runHelper(name));
    if (now === undefined || now === before) return false;
    this.known.set(reference, now);
    return true;
  }

  private remember(reference: string, value: string): string {
    if (!this.known.has(reference) && this.known.size >= MOST_NAMES)
      throw new UnreadableSecret(`more than ${MOST_NAMES} secrets from files and the helper`);
    this.known.set(reference, value);
    return value;
  }

  private readFile(path: string): string {
    const { folders } = this.places;
    const real = isAbsolute(path) ? resolveRealPath(path) : undefined;
    const isInside = (folder: string): boolean => real!.startsWith(join(resolveRealPath(folder) ?? folder, sep));
    if (
      !isAbsolute(path) ||
      !(real === undefined ? folders.some((one) => path.startsWith(join(one, sep))) : folders.some(isInside))
    )
      throw new UnreadableSecret(
        `secrets are read only from files below ${folders.join(', ')}; the operator can name further folders in CRAWLWAY_SECRETS_FOLDERS`,
      );
    if (real === undefined) throw new UnreadableSecret(`there is no file ${path}`);
    return normalizeValue(readSecretFile(real, path), path);
  }

  private runHelperSync(name: string): string {
    const [program, args] = this.findHelperCommand(name);
    try {
      return normalizeValue(
        execFileSync(program, args, { ...this.execOptions(), stdio: ['ignore', 'pipe', 'ignore'] }),
        name,
      );
    } catch (error) {
      throw error instanceof UnreadableSecret ? error : toUnreadableSecret(name, error);
    }
  }

  private async runHelper(name: string): Promise<string | undefined> {
    try {
      const [program, args] = this.findHelperCommand(name);
      const { stdout } = await promisify(execFile)(program, args, this.execOptions());
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
  private execOptions() {
    const env = Object.fromEntries(Object.entries(this.env).filter(([name]) => !name.startsWith('CRAWLWAY_')));
    return { env, encoding: 'utf8', timeout: HELPER_WITHIN_MS, maxBuffer: MOST_BYTES, killSignal: 'SIGKILL' } as const;
  }
}

function parseReference(reference: string): { readonly kind: string; readonly name: string } {
  const colon = reference.indexOf(':');
  return { kind: reference.slice(0, colon), name: reference.slice(colon + 1) };
}

function readOrUndefined(read: () => string): string | undefined {
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

function readSecretFile(real: string, path: string): string {
  let file: number;
  try {
    file = openSync(real, 'r');
  } catch (error) {
    throw new UnreadableSecret(`${path} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'error'})`);
  }
  try {
    if (!fstatSync(file).isFile()) throw new UnreadableSecret(`${path} is not a file`);
    const bytes = Buffer.alloc(MOST_BYTES + 1);
    const size = readSync(file, bytes);
    if (size > MOST_BYTES) throw new UnreadableSecret(`${path} is larger than ${MOST_BYTES} bytes`);
    return bytes.toString('utf8', 0, size);
  } finally {
    closeSync(file);
  }
}

/** Editors and programs usually end a file with a line feed, which is removed. */
function normalizeValue(text: string, from: string): string {
  const value = text.replace(/\r?\n$/, '');
  if (value === '') throw new UnreadableSecret(`${from} is empty`);
  return value;
}

function toUnreadableSecret(name: string, error: unknown): UnreadableSecret {
  const { code, status } = error as NodeJS.ErrnoException & { status?: number | null };
  const why =
    code === 'ETIMEDOUT'
      ? `returned nothing within ${HELPER_WITHIN_MS / 1000} s`
      : code === 'ENOBUFS'
        ? `returned more than ${MOST_BYTES} bytes`
        : typeof status === 'number'
          ? `ended with exit code ${status}`
          : `could not be run (${code ?? 'killed'})`;
  return new UnreadableSecret(`the helper for secrets ${why} when it was called for ${name}`);
}

/**
 * Reads `CRAWLWAY_SECRETS_FOLDERS` (comma-separated, default: /run/secrets) and `CRAWLWAY_SECRETS_HELPER` (separated by
 * spaces, or a JSON list).
 */
export function readSecretPlaces(env: NodeJS.ProcessEnv): SecretPlaces {
  const folders = (env['CRAWLWAY_SECRETS_FOLDERS'] || '/run/secrets').split(',').map((folder) => folder.trim());
  const line = (env['CRAWLWAY_SECRETS_HELPER'] ?? '').trim();
  return { folders: folders.filter(isAbsolute), ...(line === '' ? {} : { helper: parseCommandLine(line) }) };
}

/** @throws Error if the value begins like a JSON list but is not a list of strings. */
function parseCommandLine(line: string): string[] {
  if (!line.startsWith('[')) return line.split(/\s+/);
  const list: unknown = JSON.parse(line);
  if (Array.isArray(list) && list.length > 0 && list.every((part) => typeof part === 'string')) return list;
  throw new Error('CRAWLWAY_SECRETS_HELPER is not a list of strings');
}
