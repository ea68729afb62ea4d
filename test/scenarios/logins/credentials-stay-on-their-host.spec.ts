import { expect, it } from 'vitest';
import { type FakeSite, html } from '../../support/fake-site.js';
import { crawl, startSite } from '../../support/scenario.js';

const HOSTS = 8;
const NAMES = Object.fromEntries(
  Array.from({ length: HOSTS }, (_, index) => [`h${index}.corp.example`, '127.0.0.1'] as const),
);

/** Every host sets cookies, for itself and for all, and sends visitors to every other host. */
function lead(site: FakeSite, own: number, sites: readonly FakeSite[]): void {
  const others = sites.map((_, other) => other).filter((other) => other !== own);
  const setCookie = [`s${own}=secret${own}; Path=/`, `all${own}=secret${own}; Path=/; Domain=corp.example`];
  const page = (path: string, links: readonly string[]) =>
    site.set(path, { headers: { 'content-type': 'text/html', 'set-cookie': setCookie }, body: html(path, links) });
  page('/', ['/in/', '/free/', ...others.flatMap((other) => [`/to/${other}`, `/free/to/${other}`])]);
  page('/in/', []);
  page('/free/', []);
  for (const other of others) {
    site.set(`/to/${other}`, {
      status: 302,
      headers: { location: sites[other]!.url(`/in/by-${own}`), 'set-cookie': setCookie },
    });
    page(`/in/by-${other}`, []);
    const location = sites[other]!.url(`/free/by-${own}`);
    site.set(`/free/to/${other}`, { status: 302, headers: { location, 'set-cookie': setCookie } });
    page(`/free/by-${other}`, []);
  }
}

const basic = (index: number): string => `Basic ${Buffer.from(`user${index}:secret${index}`).toString('base64')}`;

it('hosts that redirect to each other receive their own credentials and cookies, and no others', async () => {
  const sites: FakeSite[] = [];
  for (const name of Object.keys(NAMES)) sites.push(await startSite('127.0.0.1', name));
  for (const [own, site] of sites.entries()) lead(site, own, sites);
  const logins = sites.map((site, index) => {
    const user = `insecure="true" user="user${index}" password="secret${index}"`;
    return [
      `<cw:Login name="outer${index}" type="header" insecure="true" url="${site.url('/to/')}" header="x-outer" value="outer-secret${index}"/>`,
      `<cw:Login name="inner${index}" type="basic" ${user} url="${site.url('/in/')}"/>`,
    ].join('');
  });
  const world = await crawl({
    index: 'none',
    names: NAMES,
    attributes: 'ignoreRobotsTxt="true" nthreads="40"',
    crawler: sites.map((site) => `<Root url="${site.url('/')}" site="false"/>`).join(''),
    more: `<cw:Fetcher name="default"><cw:AllowAddress cidr="127.0.0.0/8"/>${logins.join('')}</cw:Fetcher>`,
  });
  for (const [own, site] of sites.entries()) {
    expect(site.requests.length).toBeGreaterThanOrEqual(2 * HOSTS);
    // Pages without a login send the cookies of their host back to it.
    const cookies = site.requests.filter(({ headers }) => headers['cookie']?.includes(`all${own}=secret${own}`));
    expect(cookies.length).toBeGreaterThanOrEqual(HOSTS);
    for (const { path, headers } of site.requests) {
      const inner = path.startsWith('/in/');
      expect([path, headers['authorization']]).toEqual([path, inner ? basic(own) : undefined]);
      expect([path, headers['x-outer']]).toEqual([path, path.startsWith('/to/') ? `outer-secret${own}` : undefined]);
      const seen = JSON.stringify(headers).matchAll(/secret(\d+)/g);
      expect([...new Set([...seen].map(([, number]) => Number(number)))].filter((number) => number !== own)).toEqual(
        [],
      );
    }
  }
  expect(await world.state(sites[0]!.url('/in/by-1'))).toMatchObject({ status: 'indexed' });
});
