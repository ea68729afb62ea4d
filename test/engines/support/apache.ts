/** Apache httpd with its modules for logins. */
import { createHash } from 'node:crypto';
import { type DebianServer, firstMissing, startDebianServer } from './debian-server.js';

export const MODULES = '/usr/lib/apache2/modules';
const NEEDED = [
  'mpm_event',
  'authn_core',
  'authn_file',
  'authz_core',
  'authz_user',
  'auth_digest',
  'auth_form',
  'session',
  'session_cookie',
  'session_crypto',
  'request',
  'ssl',
  'socache_shmcb',
  'dir',
  'mime',
];

/** Why its tests are left out; undefined when they run. */
export const apacheIsMissing = (): string | undefined => {
  const missing = firstMissing(['/usr/sbin/apache2', '/usr/bin/htpasswd', ...NEEDED.map(moduleFile)]);
  return missing && `${missing} is missing: apt-get install apache2 apache2-utils`;
};

/** As apacheIsMissing, for Kerberos. */
export const gssapiIsMissing = (): string | undefined => {
  const missing = firstMissing([moduleFile(GSSAPI)]);
  return missing && `${missing} is missing: apt-get install libapache2-mod-auth-gssapi`;
};

const GSSAPI = 'auth_gssapi';
/** A directive that loads the module for Kerberos. */
export const LOAD_GSSAPI = `LoadModule ${GSSAPI}_module ${MODULES}/mod_${GSSAPI}.so`;

const moduleFile = (name: string): string => `${MODULES}/mod_${name}.so`;

/** @param more directives; `FOLDER` stands for the folder with its files, `PORT` for its port */
export function startApache(more: string, files: Readonly<Record<string, string>>): Promise<DebianServer> {
  return startDebianServer({
    program: '/usr/sbin/apache2',
    args: ({ folder }) => ['-f', `${folder}/httpd.conf`, '-DFOREGROUND'],
    files: ({ port, folder }) => ({ ...files, 'httpd.conf': configuration(port, folder, more) }),
  });
}

const configuration = (port: number, folder: string, more: string): string => `
${NEEDED.map((name) => `LoadModule ${name}_module ${moduleFile(name)}`).join('\n')}
ServerRoot ${folder}
DefaultRuntimeDir ${folder}
ServerName 127.0.0.1
Listen 127.0.0.1:${port}
PidFile ${folder}/httpd.pid
ErrorLog ${folder}/error.log
LogFormat "%U %>s" short
CustomLog ${folder}/access.log short
User www-data
Group www-data
ServerLimit 2
ThreadsPerChild 8
MaxRequestWorkers 16
StartServers 1
TypesConfig /etc/mime.types
DocumentRoot ${folder}
DirectoryIndex index.html
AddType text/html .html
${more.replaceAll('FOLDER', folder).replaceAll('PORT', String(port))}
`;

/** A line of a password file for Digest (RFC 7616, MD5). */
export function digestLine(user: string, realm: string, password: string): string {
  const hash = createHash('md5').update(`${user}:${realm}:${password}`).digest('hex');
  return `${user}:${realm}:${hash}`;
}
