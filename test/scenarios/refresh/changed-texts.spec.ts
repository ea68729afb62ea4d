/** The texts of changed documents, for crawlers that keep them. */
import { expect, it } from 'vitest';
import { days, instant } from '../../../src/domain/time/units.js';
import { ManualClock } from '../../support/manual-clock.js';
import { start, startSite } from '../../support/scenario.js';

const NOON = instant(Date.parse('2026-06-01T12:00:00Z'));
const DAILY = 'smartRefreshMaxAgeS="86400" smartRefreshMinAgeS="3600"';

async function world(keepTexts: string, index: 'real' | 'none' = 'none') {
  const site = await startSite();
  site.page('/', ['/hours'], 'Welcome to the museum.').page('/hours', [], 'Open daily from nine to five.');
  const crawler = `<Root url="${site.url('/')}"/>${keepTexts}`;
  const started = await start({ attributes: DAILY, crawler, index, clock: new ManualClock(NOON) });
  await started.untilIdle();
  const change = async (text: string): Promise<void> => {
    site.page('/hours', [], text);
    await started.pass(days(2));
  };
  const read = () => started.engine.reports.changes.listTextChanges('test', site.url('/hours'));
  return { ...{ site, change, read, started } };
}

it('are compared with what the sink had, and from then on with each other', async () => {
  const { change, read, site, started } = await world('<cw:KeepTexts/>');
  expect(await read()).toEqual([]);
  await change('Open daily from ten to four.');
  await change('Closed for good, sadly enough.');
  const changes = await read();
  expect(changes.map(({ before, after }) => [before, after])).toEqual([
    [expect.stringContaining('from ten to four'), expect.stringContaining('Closed for good')],
    [expect.stringContaining('from nine to five'), expect.stringContaining('from ten to four')],
  ]);
  expect(changes[0]!.at).toBeGreaterThan(changes[1]!.at);
  expect(await started.engine.reports.changes.listTextChanges('test', site.url('/'))).toEqual([]);
});

it('are compared with what the sink had last, also when the page was gone meanwhile', async () => {
  const { change, read, site, started } = await world('<cw:KeepTexts/>');
  await change('Open daily from ten to four.');
  site.set('/hours', { status: 410 });
  await started.pass(days(2));
  await change('Closed for repairs until spring.');
  await change('Open again from nine to five.');
  const [latest] = await read();
  expect(latest).toMatchObject({
    before: expect.stringContaining('Closed for repairs'),
    after: expect.stringContaining('Open again'),
  });
});

it('have nothing before the first change if no sink returns documents', async () => {
  const { change, read } = await world('<cw:KeepTexts/>', 'real');
  await change('Open daily from ten to four.');
  expect(await read()).toMatchObject([{ after: expect.stringContaining('from ten to four'), isCut: false }]);
  expect((await read())[0]!.before).toBeUndefined();
});

it('are not kept, nor read from a sink, unless the crawler says so', async () => {
  const { change, read, started } = await world('');
  await change('Open daily from ten to four.');
  expect(await read()).toEqual([]);
  expect((await started.store.listSettings('text/')).size).toBe(0);
});

it('are limited in length, number and age, and go when they are no longer to be kept', async () => {
  const { change, read, started, site } = await world('<cw:KeepTexts days="3" maxCharacters="100" maxChanges="2"/>');
  await change(`Open daily from ten to four. ${'More words. '.repeat(50)}`);
  const [only] = await read();
  expect(only!.after).toHaveLength(100);
  expect(only!.isCut).toBe(true);
  // What comes after that is not compared, nor is a title a text.
  const body = (title: string, text: string) => `<title>${title}</title><p>${only!.after} ${text}</p>`;
  for (const title of ['Hours', 'Opening hours']) {
    site.set('/hours', { headers: { 'content-type': 'text/html' }, body: body(title, 'More words. '.repeat(50)) });
    await started.engine.maintenance.refresh('test', { url: site.url('/hours') });
    await started.untilIdle();
  }
  expect(await read()).toHaveLength(1);
  await change('Closed on Mondays, as of late.');
  await change('Closed on Tuesdays, as of late.');
  expect((await read()).length).toBeLessThanOrEqual(2);
  const others = [...(await started.store.listSettings('')).keys()].filter((name) => !name.startsWith('text/'));
  await started.reconfigure({ crawler: `<Root url="${site.url('/')}"/>` });
  await started.pass(days(2));
  expect(await read()).toEqual([]);
  expect([...(await started.store.listSettings('')).keys()]).toEqual(expect.arrayContaining(others));
});
