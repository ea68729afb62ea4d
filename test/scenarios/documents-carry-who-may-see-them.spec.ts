import { expect, it } from 'vitest';
import { minutes } from '../../src/domain/time/units.js';
import { html } from '../support/fake-site.js';
import { start, startSite } from '../support/scenario.js';

const acl = (inside: string, attributes = ''): string =>
  `<cw:Acl default="everyone" header="X-Acl" denyHeader="X-Deny" meta="audience" file="acl.txt" ${attributes}>${inside}</cw:Acl>`;

it('documents carry who may see them, and a change of a rule reaches the index', async () => {
  const site = await startSite();
  site.page('/', ['/hr/', '/hr/pay/', '/open']).page('/open').page('/hr/pay/');
  site.set('/hr/', {
    headers: { 'content-type': 'text/html', 'x-acl': 'board; jane', 'x-deny': 'interns' },
    body: html('/hr/', []).replace(
      '<head>',
      '<head><meta name="audience" content="hr"><meta name="acl_deny" content="jane">',
    ),
  });
  const crawler = (rules: string) => ({
    crawler: `<Root url="${site.url('/')}"/>${acl(rules)}`,
    files: { 'acl.txt': `# who\nallow ${site.url('/hr/pay/')} payroll, Pay Masters\n` },
  });
  const world = await start({ index: 'none', ...crawler(`<cw:AclRule url="${site.url('/hr/')}" allow="staff"/>`) });
  await world.untilIdle();
  const seen = (path: string): string[] =>
    world
      .pushed()
      .get(site.url(path))!
      .metas.filter(({ name }) => name.startsWith('acl_'))
      .map(({ name, value }) => `${name}=${value}`);
  expect(seen('/open')).toEqual(['acl_allow=everyone']);
  expect(seen('/hr/')).toEqual([
    'acl_allow=staff',
    'acl_allow=board',
    'acl_allow=jane',
    'acl_allow=hr',
    'acl_deny=interns',
  ]);
  expect(seen('/hr/pay/')).toEqual(['acl_allow=payroll', 'acl_allow=Pay Masters']);
  await world.reconfigure(crawler(`<cw:AclRule url="${site.url('/open')}" allow="staff" deny="guests"/>`));
  await world.untilIdle(minutes(5));
  expect(seen('/open')).toEqual(['acl_allow=staff', 'acl_deny=guests']);
});
