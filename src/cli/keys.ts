import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { CreatedKeyDto, KeyDto } from '../../client/index.js';
import { generateSigningKey } from '../server/engine.module.js';
import { toFileError } from '../server/fail.js';
import { UsageError } from '../server/options.js';
import { GRANT_FORM, parseGrant } from '../server/security/api-keys.js';
import { ServerClient, type ServerOption, toJsonBody } from './client.js';
import { type JsonOption, printJson } from './output.js';
import { formatTable } from './table.js';

/** Prints only the new key on standard output, so that a script can read it. */
export async function createKey(
  name: string,
  role: string,
  options: ServerOption & JsonOption & { readonly expires?: string },
): Promise<void> {
  const grant = parseGrant(role);
  if (!grant) throw new UsageError(`unknown role ${role}; use one of ${GRANT_FORM}`);
  const expiresAt = options.expires === undefined ? undefined : parseExpiry(options.expires);
  const body = toJsonBody({ name, ...grant, expiresAt });
  const createdKey = await new ServerClient(options).call<CreatedKeyDto>('POST', '/keys', body);
  if (options.json) return printJson(createdKey);
  process.stderr.write(`key ${name} (${role}) is shown only once; save it:\n`);
  process.stdout.write(`${createdKey.key}\n`);
}

/**
 * Prints only the private key on standard output, unless it is written to a file; instructions go to standard error.
 */
export function createSigningKey({ out, json }: JsonOption & { readonly out?: string }): void {
  const { pem, id, publicJwk } = generateSigningKey();
  // Fails if the file exists, because it may contain a key that is in use.
  if (out !== undefined) writeKeyFile(out, pem);
  if (json) {
    printJson({ id, publicKey: publicJwk, ...(out === undefined ? { privateKey: pem } : { file: out }) });
    return;
  }
  const keyReference = `\${file:${out === undefined ? 'PATH' : resolve(out)}}`;
  process.stderr.write(
    `key ${id}\nIn the Fetcher: <cw:BotAuth key="${keyReference}" agent="https://crawlway.example.com/"/>, with the URL at which sites can reach this server.\n`,
  );
  if (out === undefined) process.stdout.write(pem);
}

function writeKeyFile(path: string, pem: string): void {
  try {
    writeFileSync(path, pem, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    throw toFileError(path, 'written', error);
  }
}

export async function listKeys(options: ServerOption & JsonOption): Promise<void> {
  const keys = await new ServerClient(options).list<KeyDto>('/keys');
  if (options.json) return printJson(keys);
  if (keys.length === 0) {
    process.stdout.write('there are no keys: the API is only available on this machine\n');
    return;
  }
  const rows = keys.map(({ name, role, crawlers, from, createdAt = '', createdBy = '', expiresAt = '', expired }) => [
    name,
    crawlers ? `${role}@${crawlers.join('+')}` : role,
    from,
    createdAt,
    createdBy,
    expired ? `${expiresAt} (expired)` : expiresAt,
  ]);
  process.stdout.write(`${formatTable(['KEY', 'ROLE', 'FROM', 'CREATED', 'BY', 'EXPIRES'], rows)}\n`);
}

export async function revokeKey(name: string, options: ServerOption & JsonOption): Promise<void> {
  await new ServerClient(options).call('DELETE', `/keys/${encodeURIComponent(name)}`);
  if (options.json) printJson({ name, revoked: true });
  else process.stderr.write(`key ${name} has been revoked\n`);
}

/** Parses `90d` or an ISO 8601 time. */
function parseExpiry(text: string): string {
  const days = /^(\d{1,5})d$/.exec(text)?.[1];
  const expiresAt = days === undefined ? Date.parse(text) : Date.now() + Number(days) * 86_400_000;
  if (Number.isNaN(expiresAt))
    throw new UsageError(`--expires ${text} is neither a number of days like 90d nor a time like 2027-01-31T00:00:00Z`);
  return new Date(expiresAt).toISOString();
}
