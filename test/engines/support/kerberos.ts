/** A Kerberos realm of the tests' own: MIT's KDC on a port of this machine, with databases and keytabs in its folder. */
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import { type DebianServer, firstMissing, startDebianServer } from './debian-server.js';

const PROGRAMS = ['/usr/sbin/krb5kdc', '/usr/sbin/kdb5_util', '/usr/sbin/kadmin.local'];
const REALM = 'CRAWL.TEST';

/** Why its tests are left out; undefined when they run. */
export function kerberosIsMissing(): string | undefined {
  const missing = firstMissing(PROGRAMS);
  if (missing !== undefined) return `${missing} is missing: apt-get install krb5-kdc krb5-admin-server`;
  try {
    createRequire(import.meta.url)('kerberos');
    return undefined;
  } catch {
    return 'the package kerberos is not installed: see .ci/run';
  }
}

export interface Realm extends DebianServer {
  /** A line for kadmin. */
  admin(line: string): void;
  /** Writes new keys of the principal to a file of its folder; keys that it had are worth nothing from then on. */
  keytab(principal: string, name: string): void;
  /** Tickets to begin with that the KDC was asked for, by what it answered. */
  asked(principal: string): readonly string[];
}

/** In force for this process, and for those that it starts, until the test ends. */
export async function startRealm(): Promise<Realm> {
  const environment = (folder: string): Record<string, string> => ({
    KRB5_CONFIG: join(folder, 'krb5.conf'),
    KRB5_KDC_PROFILE: join(folder, 'kdc.conf'),
  });
  const run = (program: string, folder: string, ...args: string[]): void =>
    void execFileSync(program, args, { env: { ...process.env, ...environment(folder) }, stdio: 'pipe' });
  const server = await startDebianServer({
    program: '/usr/sbin/krb5kdc',
    args: ({ folder }) => ['-n', '-P', `${folder}/kdc.pid`],
    environment: ({ folder }) => environment(folder),
    files: ({ port, folder }) => ({
      'krb5.conf': `[libdefaults]
 default_realm = ${REALM}
 dns_lookup_kdc = false
 dns_lookup_realm = false
 dns_canonicalize_hostname = false
 rdns = false
 clockskew = 1
[realms]
 ${REALM} = {
  kdc = 127.0.0.1:${port}
 }
[domain_realm]
 .test = ${REALM}
`,
      'kdc.conf': `[kdcdefaults]
 kdc_listen = 127.0.0.1:${port}
 kdc_tcp_listen = 127.0.0.1:${port}
[realms]
 ${REALM} = {
  database_name = ${folder}/principals
  key_stash_file = ${folder}/stash
  default_principal_flags = +preauth
 }
[logging]
 kdc = FILE:${folder}/kdc.log
`,
    }),
    prepare: ({ folder }) => run('/usr/sbin/kdb5_util', folder, 'create', '-s', '-P', 'master', '-r', REALM),
  });
  const { folder } = server;
  for (const [name, value] of Object.entries(environment(folder))) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  const admin = (line: string): void => run('/usr/sbin/kadmin.local', folder, '-r', REALM, '-q', line);
  const keytab = (principal: string, name: string): void => {
    rmSync(join(folder, name), { force: true });
    admin(`ktadd -k ${join(folder, name)} ${principal}`);
  };
  const asked = (principal: string): string[] =>
    server
      .read('kdc.log')
      .split('\n')
      .filter((line) => line.includes('AS_REQ') && line.includes(` ${principal}@${REALM} for krbtgt/`))
      .map((line) => /127\.0\.0\.1: ([A-Z_ ]+):/.exec(line)?.[1] ?? line);
  return { ...server, admin, keytab, asked };
}
