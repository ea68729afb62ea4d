import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { minutes } from '../../src/domain/time/units.js';
import { anyText } from '../support/any-text.js';
import { CrawlWorld } from '../support/crawl-world.js';
import { FakeSite } from '../support/fake-site.js';

const FETCHER =
  '<cw:Fetcher name="default" headerTimeoutMS="300" bodyTimeoutMS="300" totalTimeoutMS="1000"><cw:AllowAddress cidr="127.0.0.0/8"/></cw:Fetcher>';

const status = fc.oneof(
  fc.integer({ min: 100, max: 999 }).map((code) => `HTTP/1.1 ${code} Why`),
  fc.string({ maxLength: 20 }),
);
const header = fc.oneof(
  fc.constantFrom(
    'content-type: text/html',
    'content-type: application/pdf',
    'content-type: \u00e9\u0000',
    'content-encoding: gzip',
    'content-encoding: br, gzip, zstd',
    'content-length: 5',
    'content-length: -1',
    'transfer-encoding: chunked',
    'location: /',
    'location: //',
    'location: http://[',
    'retry-after: 99999999999999',
    'retry-after: Thu, 01 Jan 1970 00:00:00 GMT',
    'link: <<>>; rel="next"',
    'x-robots-tag: noindex, : , unavailable_after: never',
    'last-modified: tomorrow',
    'etag: W/"\u00ff',
  ),
  fc.string({ maxLength: 30 }),
);
const body = fc.oneof(
  anyText(200),
  fc
    .array(
      fc.constantFrom(
        '<a href=',
        '"',
        '/x',
        '>',
        '<base href="',
        '<meta http-equiv=refresh content="0;url=',
        '<title>',
        '\u0000',
        '<!--',
        '<script>',
        '&#x110000;',
        '5\r\n',
        '0\r\n\r\n',
      ),
      { maxLength: 30 },
    )
    .map((parts) => parts.join('')),
);
const answer = fc
  .record({ status, headers: fc.array(header, { maxLength: 6 }), body })
  .map(({ status, headers, body }) => [status, ...headers, '', body].join('\r\n'));

describe('whatever bytes a site returns', () => {
  it('every page is settled, and the program never fails', async () => {
    const answers = fc.sample(answer, { numRuns: 120, seed: 20_260_101 });
    const site = await FakeSite.start();
    const paths = answers.map((_, i) => `/fuzz${i}`);
    site.page('/', paths);
    answers.forEach((bytes, i) => {
      site.set(paths[i]!, ({ socket }) => void socket.end(bytes, 'latin1'));
    });
    const world = await CrawlWorld.start({
      attributes: 'nearDuplicateDetector="false" nthreads="32"',
      crawler: `<Root url="${site.url('/')}"/><cw:ErrorPolicy maxTemporaryErrors="1000" retryDelayS="86400" maxRetryDelayS="86400"/>`,
      more: FETCHER,
    });
    await world.pass(minutes(30));
    expect(world.errors).toEqual([]);
    const states = await Promise.all(paths.map((path) => world.state(site.url(path))));
    expect(
      states.map((state) => state?.status).filter((status) => status === undefined || status === 'waiting'),
    ).toEqual([]);
    await world.close();
    await site.close();
  });
});
