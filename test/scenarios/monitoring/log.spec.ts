/** An outage, held deletions and refused documents each leave one line in the log, not thousands and not none. */
import { describe, expect, it } from 'vitest';
import { days, hours } from '../../../src/domain/time/units.js';
import type { Log } from '../../../src/engine/ports/log.js';
import { EventLog } from '../../../src/server/log/event-log.js';
import { FlakyReceiver } from '../../support/flaky-receiver.js';
import { start, startSite } from '../../support/scenario.js';

describe('the log of a server', () => {
  it('reports an outage and its end, refused documents and held deletions, each once', async () => {
    const site = await startSite();
    const receiver = await FlakyReceiver.start();
    const paths = Array.from({ length: 20 }, (_, i) => `/p${i}`);
    site.page('/', [...paths, '/poison']).page('/poison', [], 'Poisonous');
    for (const path of paths) site.page(path);
    receiver.fate = (body) => (body.includes('Poisonous') ? 'refuse' : 'pass');
    const world = await start({
      attributes: 'nearDuplicateDetector="false"',
      crawler: `<Root url="${site.url('/')}"/>`,
      through: receiver,
    });
    const lines: { level: string; message: string; host?: unknown; count?: unknown }[] = [];
    world.engine.events.observe(new EventLog(collecting(lines)).logEvent);
    await world.untilIdle();
    expect(lines.filter(({ level }) => level === 'debug')).toHaveLength(paths.length + 2);
    const reported = () =>
      lines.filter(({ level }) => level === 'warn' || level === 'info').map(({ message }) => message);
    expect(reported()).toEqual(['a sink is refusing orders; they are set aside']);

    lines.length = 0;
    for (const path of ['/', ...paths]) site.set(path, { status: 500 });
    await world.engine.maintenance.refresh('test', { like: '%' });
    // One page is well: what fails alike waits for a day.
    await world.pass(hours(36));
    for (const message of [
      'deletions are waiting, because the host may have a fault',
      'deletions are held until an operator releases or drops them',
    ]) {
      const told = lines.filter((line) => line.message === message);
      expect(told[0]).toMatchObject({ level: 'warn', count: 1 });
      expect(told.length).toBeLessThan(3);
    }

    // Server errors slow the host down, too: that outage ends first.
    for (const path of ['/', ...paths]) site.page(path);
    await world.engine.maintenance.refresh('test', { like: '%' });
    await world.pass(hours(6));
    lines.length = 0;
    await site.goDown();
    await world.pass(days(1));
    await world.engine.maintenance.refresh('test', { like: '%' });
    await world.pass(hours(2));
    await site.comeBack();
    await world.engine.maintenance.refresh('test', { like: '%' });
    await world.pass(hours(3));
    const outage = reported();
    expect(outage).toContain('a host is not responding, and is left alone');
    expect(outage).toContain('the host is responding again');
  });

  it('reports a start URL that cannot be crawled, once, and no other pages', async () => {
    const site = await startSite();
    site.page('/ok', ['/missing']);
    const world = await start({ crawler: `<Root url="${site.url('/mistyped')}"/><Root url="${site.url('/ok')}"/>` });
    const lines: { level: string; message: string; url?: unknown; reason?: unknown; meaning?: unknown }[] = [];
    world.engine.events.observe(new EventLog(collecting(lines)).logEvent);
    await world.untilIdle();
    await world.pass(days(2));
    expect(lines.filter(({ level }) => level === 'warn')).toMatchObject([
      {
        message: 'a start URL could not be crawled',
        url: site.url('/mistyped'),
        reason: 'http-404',
        meaning: expect.stringContaining('404'),
      },
    ]);
  });
});

function collecting(lines: object[]): Log {
  const at = (level: string) => (message: string, particulars?: object) =>
    void lines.push({ level, message, ...particulars });
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error'), trace: at('trace') };
}
