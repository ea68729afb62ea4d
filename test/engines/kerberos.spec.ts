/** Logins by Kerberos: MIT's KDC, and Apache httpd with mod_auth_gssapi. */
import { chmodSync } from 'node:fs';
import { expect, it, vi } from 'vitest';
import { hours } from '../../src/domain/time/units.js';
import { describeUnless } from '../support/left-out.js';
import { crawl } from '../support/scenario.js';
import { apacheIsMissing, gssapiIsMissing, LOAD_GSSAPI, startApache } from './support/apache.js';
import { kerberosIsMissing, type Realm, startRealm } from './support/kerberos.js';
import { aDayOfRefusals, allIsCurrent, indexedPaths, PAGES, PATHS, visitAgain } from './support/protected-site.js';

const missing = apacheIsMissing() ?? gssapiIsMissing() ?? kerberosIsMissing();

/** A realm with an account `robot`, and a site `intranet.test` that is open to its people. */
async function startIntranet(account = '') {
  const realm = await startRealm();
  realm.admin(`addprinc -randkey ${account} robot`);
  realm.keytab('robot', 'robot.keytab');
  realm.admin('addprinc -randkey HTTP/intranet.test');
  realm.keytab('HTTP/intranet.test', 'http.keytab');
  // Apache reads it as www-data.
  chmodSync(`${realm.folder}/http.keytab`, 0o644);
  const directives = `${LOAD_GSSAPI}
    <Location />
      AuthType GSSAPI
      AuthName intranet
      GssapiCredStore keytab:${realm.folder}/http.keytab
      GssapiAllowedMech krb5
      Require valid-user
    </Location>`;
  const server = await startApache(directives, PAGES);
  const origin = `http://intranet.test:${server.port}`;
  const configuration = (more = '') => ({
    crawler: `<Root url="${origin}/"/>`,
    names: { 'intranet.test': '127.0.0.1' },
    more: `<cw:Fetcher name="default"><cw:AllowAddress cidr="127.0.0.0/8"/><cw:Login name="site" type="negotiate" insecure="true"
      url="${origin}/" keytab="robot.keytab" ${more}/></cw:Fetcher>`,
    folder: realm.folder,
  });
  return { realm, origin, configuration };
}

/** Tickets live by the clock of the machine. */
async function untilTicketsHaveEnded(milliseconds: number, meanwhile: () => Promise<void> = async () => {}) {
  const end = Date.now() + milliseconds;
  await vi.waitFor(
    async () => {
      await meanwhile();
      expect(Date.now()).toBeGreaterThan(end);
    },
    { timeout: 30_000, interval: 100 },
  );
}

const issued = (realm: Realm): number => realm.asked('robot').filter((answer) => answer === 'ISSUE').length;

describeUnless(missing, 'Kerberos', () => {
  it('a site is crawled completely with a keytab, and not at all without', async () => {
    const { realm, origin, configuration } = await startIntranet();
    const world = await crawl(configuration());
    await allIsCurrent(world, origin);
    // One ticket to begin with served them all.
    expect(realm.asked('robot')).toEqual(['NEEDED_PREAUTH', 'ISSUE']);
    const { visits } = await world.engine.explanations.getUrlHistory('test', `${origin}/a.html`);
    expect(visits[0]?.detail).toBe('sent with login site');
    const anonymous = await crawl({
      ...configuration(),
      more: '<cw:Fetcher name="default"><cw:AllowAddress cidr="127.0.0.0/8"/></cw:Fetcher>',
    });
    expect(await anonymous.indexed()).toEqual([]);
  });

  it('a ticket that expires during the crawl is replaced', async () => {
    const { realm, origin, configuration } = await startIntranet('-maxlife "4 seconds"');
    const world = await crawl(configuration('principal="robot@CRAWL.TEST"'));
    const first = issued(realm);
    await untilTicketsHaveEnded(6_000, () => visitAgain(world));
    await visitAgain(world);
    expect(issued(realm)).toBeGreaterThan(first);
    await allIsCurrent(world, origin);
  });

  it("after a change of the account's keys: three attempts with the old ones, no document lost, and all current with the new ones", async () => {
    const { realm, origin, configuration } = await startIntranet('-maxlife "2 seconds"');
    const world = await crawl(configuration());
    await allIsCurrent(world, origin);
    realm.keytab('robot', 'renewed.keytab');
    await untilTicketsHaveEnded(4_000);
    await aDayOfRefusals(world);
    expect(world.engine.logins.list()).toMatchObject([{ detail: expect.stringContaining('Preauthentication failed') }]);
    // Once as the library renews its ticket, and then by three logins.
    const refusals = realm.asked('robot').filter((answer) => answer === 'PREAUTH_FAILED');
    expect(refusals).toHaveLength(4);
    const tried = realm.asked('robot').length;
    await world.engine.maintenance.refresh('test', { like: '%' });
    await world.pass(hours(48));
    expect(realm.asked('robot')).toHaveLength(tried);
    expect(await indexedPaths(world)).toEqual(PATHS);
    // The same name, other keys: as a server does when the file has changed.
    realm.keytab('robot', 'robot.keytab');
    await world.reconfigure(configuration());
    await visitAgain(world);
    await allIsCurrent(world, origin);
  });

  it('a login test distinguishes an unknown service, an unknown account, a locked one, and an unavailable KDC', async () => {
    const { realm, configuration } = await startIntranet();
    const tested = async (more = '') => {
      const world = await crawl({ ...configuration(more), crawler: '' });
      return world.engine.logins.test('site');
    };
    expect(await tested('service="HTTP@other.test"')).toMatchObject({
      failure: 'changed',
      detail: expect.stringContaining('Server HTTP/other.test@CRAWL.TEST not found'),
    });
    realm.keytab('robot', 'robot.keytab'); // another digest, so that no ticket is there
    expect(await tested('principal="other@CRAWL.TEST"')).toMatchObject({ failure: 'changed' });
    realm.admin('modprinc -allow_tix robot');
    expect(await tested()).toMatchObject({ state: 'stopped', failure: 'locked' });
    realm.admin('delprinc -force robot');
    expect(await tested()).toMatchObject({ state: 'failing', failure: 'refused' });
    vi.stubEnv('KRB5_CONFIG', '/dev/null');
    expect(await tested()).toMatchObject({ state: 'failing', failure: 'unreachable' });
  });
});
