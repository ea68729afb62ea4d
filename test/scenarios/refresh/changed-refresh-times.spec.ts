import { describe, expect, it } from 'vitest';
import { INDEX } from '../../../src/domain/frontier/sources.js';
import { days, milliseconds } from '../../../src/domain/time/units.js';
import { crawl, startSite } from '../../support/scenario.js';

const YEAR = 'smartRefreshMinAgeS="31536000" smartRefreshMaxAgeS="31536000"';
const DAY = 'smartRefreshMinAgeS="3600" smartRefreshMaxAgeS="86400"';
const OFF = 'smartRefresh="false"';
const cron = (times: string): string => `<CrawlSchedulerConfig><cw:Refresh cron="${times}"/></CrawlSchedulerConfig>`;
const period = (text: string): string => `<cw:Servers><cw:Server url="http://" period="${text}"/></cw:Servers>`;

describe('a change of the refresh times applies to stored pages', () => {
  it.each([
    ['smart refresh is turned on', { attributes: OFF }, { attributes: DAY }],
    ['a schedule is given', { attributes: OFF }, { attributes: OFF, more: cron('0 3 * * *') }],
    [
      'a schedule is closer',
      { attributes: OFF, more: cron('0 3 1 12 *') },
      { attributes: OFF, more: cron('0 3 * * *') },
    ],
    ['the maximum age is lower', { attributes: YEAR }, { attributes: DAY }],
    ['smart refresh gives way to a schedule', { attributes: YEAR }, { attributes: OFF, more: cron('0 3 * * *') }],
    ['the period of a server record is shorter', { more: period('1y') }, { more: period('1d') }],
  ])('%s', async (_name, before: Times, after: Times) => {
    const site = await startSite();
    site.page('/', ['/a']).page('/a');
    const root = `<Root url="${site.url('/')}"/>`;
    const options = ({ attributes = '', more = '' }: Times) => ({ attributes, crawler: root + more });
    const world = await crawl(options(before));
    await world.pass(days(3));
    site.forgetRequests();
    await world.reconfigure(options(after));
    await world.pass(days(2));
    expect(site.fetched).toEqual(['/', '/a']);
  });

  it('smart refresh is turned off: what it had planned is not visited', async () => {
    const site = await startSite();
    site.page('/', ['/a', '/gone']).page('/a');
    const crawler = `<Root url="${site.url('/')}"/>`;
    const world = await crawl({ attributes: DAY, crawler });
    site.forgetRequests();
    await world.reconfigure({ attributes: OFF, crawler });
    await world.pass(days(30));
    expect(site.fetched).toEqual([]);
    await world.reconfigure({ attributes: DAY, crawler });
    await world.pass(days(2));
    expect(site.fetched).toEqual(expect.arrayContaining(['/', '/a', '/gone']));
  });

  it('smart refresh gives way to a later schedule: nothing is visited before it', async () => {
    const site = await startSite();
    site.page('/', ['/a']).page('/a');
    const crawler = `<Root url="${site.url('/')}"/>`;
    const world = await crawl({ attributes: DAY, crawler });
    site.forgetRequests();
    await world.reconfigure({ attributes: OFF, crawler: crawler + cron('0 3 1 * *') });
    await world.untilIdle();
    const due = (await world.state(site.url('/a')))!;
    expect(due).toMatchObject({ source: INDEX });
    expect(new Date(due.dueAt).getDate()).toBe(1);
    await world.pass(milliseconds(due.dueAt - world.clock.now() - 60_000));
    expect(site.fetched).toEqual([]);
    await world.pass(days(1));
    expect(site.fetched).toEqual(['/', '/a']);
  });

  it('another change of the configuration does not move them', async () => {
    const site = await startSite();
    site.page('/', ['/a']).page('/a');
    const crawler = `<Root url="${site.url('/')}"/>`;
    const world = await crawl({ crawler });
    await world.pass(days(3));
    const due = async () => (await world.state(site.url('/a')))?.dueAt;
    const before = await due();
    await world.reconfigure({ crawler: `${crawler}<cw:LinkRules maxUrlLength="1000"/>` });
    await world.untilIdle();
    expect(await due()).toBe(before);
  });
});

interface Times {
  readonly attributes?: string;
  readonly more?: string;
}
