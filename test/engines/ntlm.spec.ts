/** Logins by NTLM: Samba's ntlm_auth, behind Squid as the server that people see. */
import { expect, it, vi } from 'vitest';
import { describeUnless } from '../support/left-out.js';
import { crawl, startSite } from '../support/scenario.js';
import { type DebianServer, firstMissing, startDebianServer } from './support/debian-server.js';
import { aDayOfRefusals, allIsCurrent, indexedPaths, PATHS, visitAgain } from './support/protected-site.js';

const SQUID = '/usr/sbin/squid';
const NTLM_AUTH = '/usr/bin/ntlm_auth';
const absent = firstMissing([SQUID, NTLM_AUTH]);
const missing = absent && `${absent} is missing: apt-get install squid winbind`;

/** A site that Squid serves to those who log in at Samba's helper, by a password that the helper is started with. */
async function startIntranet() {
  const site = await startSite();
  site.page('/', ['/a.html']).page('/a.html', ['/b.html']).page('/b.html');
  const configuration = (port: number, folder: string, password: string): string => `
http_port 127.0.0.1:${port} accel defaultsite=127.0.0.1:${port} no-vhost
cache_peer 127.0.0.1 parent ${new URL(site.url('/')).port} 0 no-query originserver connection-auth=off
auth_param ntlm program ${NTLM_AUTH} --helper-protocol=squid-2.5-ntlmssp --configfile=${folder}/smb.conf --domain=CRAWL --username=robot --password=${password}
auth_param ntlm children 8 startup=8 idle=1
auth_param ntlm keep_alive on
acl known proxy_auth REQUIRED
http_access allow known
http_access deny all
cache deny all
logformat who %un %>Hs %rp
access_log stdio:${folder}/access.log who
cache_log ${folder}/cache.log
pid_filename ${folder}/squid.pid
coredump_dir ${folder}
visible_hostname intranet.test
shutdown_lifetime 0 seconds
`;
  const squid = await startDebianServer({
    program: SQUID,
    args: ({ folder }) => ['-N', '-f', `${folder}/squid.conf`],
    files: ({ port, folder }) => ({
      'squid.conf': configuration(port, folder, 'first'),
      'smb.conf': `[global]
  workgroup = CRAWL
  netbios name = INTRANET
  ntlm auth = ntlmv2-only
  private dir = ${folder}
  lock directory = ${folder}
  state directory = ${folder}
  cache directory = ${folder}
`,
    }),
  });
  /** In force when Squid says that it has read its configuration again. */
  const setPassword = async (password: string): Promise<void> => {
    const before = started(squid);
    squid.write('squid.conf', configuration(squid.port, squid.folder, password));
    squid.signal('SIGHUP');
    await vi.waitFor(() => expect(started(squid)).toBeGreaterThan(before), { timeout: 30_000 });
  };
  return { squid, origin: `http://127.0.0.1:${squid.port}`, setPassword };
}

const started = (squid: DebianServer): number => squid.read('cache.log').split('Accepting reverse-proxy').length;

describeUnless(missing, "NTLM by Samba's ntlm_auth", () => {
  it('a site is crawled completely, across closed connections and a changed password', async () => {
    const { squid, origin, setPassword } = await startIntranet();
    const configuration = (password: string) => ({
      crawler: `<Root url="${origin}/"/>`,
      more: `<cw:Fetcher name="default"><cw:AllowAddress cidr="127.0.0.0/8"/><cw:Login name="site" url="${origin}/" insecure="true"
        type="ntlm" user="CRAWL\\robot" password="${password}"/></cw:Fetcher>`,
    });
    const world = await crawl(configuration('first'));
    await allIsCurrent(world, origin);
    expect(served(squid, 'CRAWL\\robot')).toEqual(['/', ...PATHS]);
    // Squid starts its helpers anew, and ends the connections that they have spoken for.
    await setPassword('first');
    await visitAgain(world);

    await allIsCurrent(world, origin);
    await setPassword('second');
    await aDayOfRefusals(world);
    expect(await indexedPaths(world)).toEqual(PATHS);
    await world.reconfigure(configuration('second'));
    await visitAgain(world);
    await allIsCurrent(world, origin);
  });

  it('no page without a login', async () => {
    const { squid, origin } = await startIntranet();
    const world = await crawl({ crawler: `<Root url="${origin}/"/>` });
    expect(await world.indexed()).toEqual([]);
    expect(served(squid, '-')).toEqual([]);
  });
});

/** Pages that were served to the user. */
const served = (squid: DebianServer, user: string): string[] =>
  squid
    .read('access.log')
    .split('\n')
    .map((line) => line.split(' '))
    .filter(([name, status]) => name === user && status === '200')
    .map(([, , path]) => path!);
