/** A crawler that pushes to two sinks, of which one refuses what the other takes. */
import { beforeEach, describe, expect, it } from 'vitest';
import { minutes } from '../../../src/domain/time/units.js';
import type { CrawlWorld } from '../../support/crawl-world.js';
import type { FakeSite } from '../../support/fake-site.js';
import { type HttpReceiver, startReceiver } from '../../support/receivers/http-receiver.js';
import { start, startSite } from '../../support/scenario.js';

interface Sent {
  readonly kind: 'add' | 'delete';
  readonly uri: string;
  readonly document?: { readonly stamp: string };
}

describe('a crawler with two sinks', () => {
  let site: FakeSite;
  let world: CrawlWorld;
  let other: HttpReceiver;
  /** What the other sink holds: stamps by path. */
  let taken: Map<string, string>;
  let refuses: (order: Sent) => boolean;

  beforeEach(async () => {
    site = await startSite();
    site.page('/', ['/a']).page('/a');
    taken = new Map();
    refuses = () => false;
    other = await startReceiver(({ body }) => {
      const { orders } = JSON.parse(body.toString()) as { orders: Sent[] };
      if (orders.some((order) => refuses(order))) return { status: 422, body: 'not this one' };
      for (const { uri, document } of orders)
        if (document) taken.set(new URL(uri).pathname, document.stamp);
        else taken.delete(new URL(uri).pathname);
      return { status: 200 };
    });
    const attributes =
      'name="test" aggressive="true" defaultAccept="true" crawlSitemaps="false" nearDuplicateDetector="false"';
    const crawler = `<Crawler ${attributes}><Root url="${site.url('/')}" site="false"/><cw:PushTo sink="main"/><cw:PushTo sink="other"/></Crawler>`;
    world = await start({ crawler, more: `<cw:Sink name="other" type="json" url="${other.url}/"/>` });
  });

  async function visit(): Promise<void> {
    await world.engine.maintenance.refresh('test', { like: '%' });
    await world.pass(minutes(5));
  }
  const held = async () => ({
    main: await world.indexed(),
    other: [...taken.keys()].map((path) => site.url(path)).sort(),
  });
  const everything = (...paths: string[]) => paths.map((path) => site.url(path)).sort();

  it('deletes a refused document from the other sink when its page is gone', async () => {
    refuses = ({ kind, uri }) => kind === 'add' && uri.endsWith('/a');
    await world.untilIdle();
    expect(await held()).toEqual({ main: everything('/', '/a'), other: everything('/') });
    site.set('/a', { status: 404 });
    await visit();
    expect(await held()).toEqual({ main: everything('/'), other: everything('/') });
  });

  it('restores a document in the sink that deleted it when the other one refused the deletion and the page is unchanged', async () => {
    await world.untilIdle();
    refuses = ({ kind }) => kind === 'delete';
    site.set('/a', { status: 404 });
    await visit();
    expect(await held()).toEqual({ main: everything('/'), other: everything('/', '/a') });
    site.page('/a');
    await visit();
    expect(await held()).toEqual({ main: everything('/', '/a'), other: everything('/', '/a') });
  });

  it('reverts a change in the sink that accepted it when the other one refused it and the page is as before', async () => {
    await world.untilIdle();
    refuses = ({ kind, uri }) => kind === 'add' && uri.endsWith('/a');
    site.page('/a', [], 'Closed for today.');
    await visit();
    expect(await world.engine.reconciliation.run('main', false)).toMatchObject({ missing: { count: 0 } });
    refuses = () => false;
    site.page('/a');
    await visit();
    const { stamp } = (await world.state(site.url('/a')))!;
    expect(taken.get('/a')).toBe(stamp);
    expect(await world.engine.reconciliation.run('main', false)).toMatchObject({
      stale: { count: 0 },
      missing: { count: 0 },
    });
  });

  it('deletes a document that is gone from both during the reconciliation of one', async () => {
    await world.untilIdle();
    await fetch(`${world.index!.url}/papi/4/connectors/test/delete_documents`, {
      method: 'POST',
      body: new URLSearchParams({ PAPI_uri: site.url('/a') }),
    });
    site.set('/a', { status: 404 });
    expect(await world.during(world.engine.reconciliation.run('main', true))).toMatchObject({ missing: { count: 1 } });
    await world.pass(minutes(5));
    expect(await held()).toEqual({ main: everything('/'), other: everything('/') });
  });
});
