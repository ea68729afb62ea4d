import { expect, it } from 'vitest';
import { startElasticsearchReceiver } from '../support/receivers/elasticsearch-receiver.js';
import { tryDialog } from './accessible.js';
import { describeInBrowser } from './browser.js';

describeInBrowser('the index of a search sink', {}, (stage) => {
  it('its alias is switched and moved back, and documents of others are replaced', async () => {
    const { page, open, world, complaints } = stage();
    await world.caughtUp();
    const engine = await startElasticsearchReceiver('elasticsearch', 'pages');
    engine.aliasIndexes.add('web-1');
    engine.foreign.set('old', { address: world.site.url('/') });
    const current = await fetch(`${world.server.url}/api/v1/config`);
    const sink = `<cw:Sink name="search" type="elasticsearch" url="${engine.url}" index="pages" alias="web"/>`;
    const xml = (await current.text())
      .replace('<cw:PushTo', '<cw:PushTo sink="search"/><cw:PushTo')
      .replace('</CrawlConfig>', `${sink}</CrawlConfig>`);
    const headers = { 'if-match': current.headers.get('etag')!, 'content-type': 'application/xml' };
    const changed = await fetch(`${world.server.url}/api/v1/config`, { method: 'PUT', headers, body: xml });
    expect(changed.status).toBe(200);

    await open('/push');
    const panel = page.getByRole('region', { name: 'search' });
    await panel.getByText(/The sink has received what docs has indexed/).waitFor();
    for (const name of ['Switch the alias…', 'Roll back…', 'Replace documents of others…'])
      expect(await tryDialog(page, panel.getByRole('button', { name }))).toEqual([]);
    await panel.getByRole('button', { name: 'Switch the alias…' }).click();
    await page.getByRole('dialog', { name: 'Switch web' }).getByRole('button', { name: 'Compare and switch' }).click();
    await panel.getByText(/The alias web was moved from web-1 to pages \(\d+ documents compared\)\./).waitFor();
    expect([...engine.aliasIndexes]).toEqual(['pages']);

    await panel.getByRole('button', { name: 'Switch the alias…' }).click();
    const refused = page.getByRole('dialog', { name: 'Switch web' });
    await refused.getByRole('button', { name: 'Compare and switch' }).click();
    await refused.getByText(/is on pages already/).waitFor();
    await refused.getByRole('button', { name: 'Cancel' }).click();

    await panel.getByRole('button', { name: 'Roll back…' }).click();
    await page.getByRole('dialog', { name: 'Roll back web' }).getByRole('button', { name: 'Move it back' }).click();
    await panel.getByText(/moved from pages to web-1\./).waitFor();
    expect([...engine.aliasIndexes]).toEqual(['web-1']);

    await panel.getByRole('button', { name: 'Replace documents of others…' }).click();
    const adopting = page.getByRole('dialog', { name: 'Replace documents of others in search' });
    await adopting.getByLabel('Field with the URL of their documents').fill('address');
    await adopting.getByRole('button', { name: 'Replace them' }).click();
    await panel.getByText('1 document of another program: 1 replaced, 0 wait for a visit, 0 kept.').waitFor();
    expect(engine.foreign.size).toBe(0);
    const main = page.getByRole('region', { name: 'main' });
    expect(await main.getByRole('button', { name: /alias/ }).count()).toBe(0);
    // The refused switch is the only complaint: the browser reports its status.
    expect(complaints.filter((text) => !text.includes('422'))).toEqual([]);
  });
});
