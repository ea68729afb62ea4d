import type { LoginDto } from '../../client/index.js';
import { toPrintable } from '../server/printable.js';
import { ServerClient, type ServerOption } from './client.js';
import { type JsonOption, printJson } from './output.js';
import { formatTable } from './table.js';

/** Logs in on the running server and shows each step; exit code 2 if the login fails. */
export async function testLogin(name: string, options: ServerOption & JsonOption): Promise<void> {
  const client = new ServerClient(options);
  const login = await client.call<LoginDto>('POST', `/logins/${encodeURIComponent(name)}/test`);
  if (login.state !== 'logged-in') process.exitCode = 2;
  if (options.json) return printJson(login);
  for (const [index, { what, url, status, detail }] of login.steps.entries()) {
    const statusText = status === undefined ? '' : ` -> ${status}`;
    process.stdout.write(`${toPrintable(`${index + 1}. ${what}${url === undefined ? '' : ` ${url}`}${statusText}`)}\n`);
    if (detail !== undefined) process.stdout.write(`   ${toPrintable(detail)}\n`);
  }
  if (login.state === 'logged-in') {
    process.stdout.write(`login ${name} works\n`);
    return;
  }
  process.stdout.write(
    `${toPrintable(`login ${name} failed (${login.failure ?? login.state}): ${login.detail ?? 'no details'}`)}\n`,
  );
}

export async function listLogins(options: ServerOption & JsonOption): Promise<void> {
  const logins = await new ServerClient(options).list<LoginDto>('/logins');
  if (options.json) return printJson(logins);
  if (logins.length === 0) {
    process.stdout.write('the configuration has no logins\n');
    return;
  }
  const rows = logins.map((login) => [
    login.name,
    login.type,
    login.url,
    login.state,
    login.lastSuccessAt ?? '',
    login.detail ?? '',
  ]);
  process.stdout.write(`${formatTable(['LOGIN', 'TYPE', 'URL', 'STATE', 'LAST SUCCESS', 'MESSAGE'], rows)}\n`);
}
