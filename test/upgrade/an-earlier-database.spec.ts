import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { serverOptions } from '../../src/server/options.js';
import { serve } from '../../src/server/serve.js';
import { FakeSite } from '../support/fake-site.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const DATABASE = join(import.meta.dirname, 'first-release.sqlite.gz');
const SITE = 'http://127.0.0.1:8741';
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** The example configuration of that time, with a sink that is there. */
const CONFIGURATION = `<CrawlConfig xmlns="exa:com.exalead.mercury.mami.crawl.v21" xmlns:ar="exa:com.exalead.actionrules.v21" xmlns:cw="urn:crawlway:config:1">
  <Crawler name="sample" throttleTimeMS="20" smartRefreshMinAgeS="3600" smartRefreshMaxAgeS="86400">
    <Root url="${SITE}/" site="true"/>
    <Rules group="default">
      <Rule><ar:Domain val="127.0.0.1"/><Index/><Follow/><Accept/></Rule>
      <Rule><ar:Path val="/drafts/"/><Ignore/></Rule>
    </Rules>
    <cw:PushTo sink="main"/>
  </Crawler>
  <cw:Fetcher name="default"><cw:AllowAddress cidr="127.0.0.0/8"/></cw:Fetcher>
  <cw:Sink name="main" type="papi" url="PUSH"/>
</CrawlConfig>`;

it('a server starts on the database and the configuration of version 0.1.0, and knows what was known', async () => {
  const folder = temporaryDirectory();
  const data = join(folder, 'data');
  mkdirSync(data);
  writeFileSync(join(data, 'crawlway.sqlite'), gunzipSync(readFileSync(DATABASE)));
  const push = await FakeSite.start();
  const config = join(folder, 'CrawlConfig.xml');
  writeFileSync(config, CONFIGURATION.replace('PUSH', push.origin));
  const options = serverOptions({ config, data, port: '0' }, {});
  const server = await serve(options, { log: silent, withSample: false });
  try {
    const get = async (path: string) => (await fetch(`${server.url}/api/v1/${path}`)).json();
    expect(await get('crawlers/sample')).toMatchObject({ indexed: 30, state: 'running' });
    const history = await get(`crawlers/sample/url?url=${encodeURIComponent(`${SITE}/`)}`);
    expect(history).toMatchObject({
      state: { status: 'indexed', visits: 1 },
      visits: [{ outcome: 'document', status: 200 }],
    });
    const roots = await get('crawlers/sample/roots');
    expect(roots).toMatchObject({ items: [{ url: `${SITE}/`, state: { status: 'indexed' } }] });
  } finally {
    await server.close();
    await push.close();
  }
});
