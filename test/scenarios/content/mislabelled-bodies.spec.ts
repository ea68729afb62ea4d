import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { html } from '../../support/fake-site.js';
import { crawl, startSite } from '../../support/scenario.js';

const PAGE = 'text/html; charset=UTF-8';
const BODIES: Readonly<Record<string, readonly [body: Uint8Array | string, state: object]>> = {
  '/manual': ['%PDF-1.4\n1 0 obj << /Type /Catalog >> endobj', { contentType: 'application/pdf' }],
  '/packed': [gzipSync(html('Packed', [])), { reason: 'mime-type-excluded' }],
  '/logo': [Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1'), { reason: 'mime-type-excluded' }],
  '/noise': [
    Buffer.from(Array.from({ length: 900 }, (_, index) => (index * 167) % 256)),
    { reason: 'mime-type-excluded' },
  ],
};

it('bodies are what their bytes say, not what the server calls them, and binary ones have no text', async () => {
  const site = await startSite();
  site.page('/', [...Object.keys(BODIES), '/article']);
  for (const [path, [body]] of Object.entries(BODIES)) site.set(path, { headers: { 'content-type': PAGE }, body });
  site.page('/article', [], 'GIF89a is the first line of an image, %PDF-1.4 that of a manual.');
  const world = await crawl({ index: 'none', crawler: `<Root url="${site.url('/')}"/>` });
  for (const [path, [, state]] of Object.entries(BODIES)) {
    expect(await world.state(site.url(path))).toMatchObject(state);
    expect(world.pushed().get(site.url(path))?.text ?? '').toBe('');
  }
  expect(await world.state(site.url('/article'))).toMatchObject({ status: 'indexed', contentType: 'text/html' });
  const explanation = await world.engine.explanations.explain('test', site.url('/noise'));
  expect(JSON.stringify(explanation)).toContain(
    'the crawler does not accept binary content that the server calls text/html',
  );
});
