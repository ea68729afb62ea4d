import { expect, it } from 'vitest';
import { accepts, file, importAndLoad, linesOf, SITE, verdicts } from '../../test/support/imported.js';
import { convert } from '../index.js';
import { createOriginal } from '../original/index.js';

const DOCS = 'https://docs.example.com';

it('the domains of a crawl are one crawler, which follows the links between them by the rules of each', () => {
  const crawl = file(
    'c.yml',
    `domains:
  - url: ${SITE}
    exclude_tags: [nav]
    crawl_rules: [{ policy: deny, type: begins, pattern: /old }]
    extraction_rulesets:
      - url_filters: [{ type: begins, pattern: /news }]
        rules: [{ action: extract, field_name: author, selector: .author, join_as: array, source: html }]
  - url: ${DOCS}
    seed_urls: ['${DOCS}/start']
    extraction_rulesets:
      - rules: [{ action: extract, field_name: version, selector: .version, join_as: array, source: html }]
`,
  );
  const { xml, definition } = importAndLoad('elastic', crawl);
  expect(definition.crawlers.map(({ roots }) => roots.map(({ url }) => url))).toEqual([[`${SITE}/`, `${DOCS}/start`]]);
  const urls = { '/old': false, '/a': true, [`${DOCS}/old`]: true, 'https://elsewhere.test/': false };
  verdicts(accepts('elastic', crawl), urls);
  const original = createOriginal('elastic', [crawl]);
  verdicts((url) => original.judge(new URL(url, SITE)).accepted, urls);
  const contents = [...xml.matchAll(/<cw:Content name="(.*?)">\s*(.*?)\s*<\/cw:Content>/gs)].map((match) => match[2]!);
  expect(contents.map((text) => [...text.matchAll(/"(nav|author|version)"/g)].map(([, name]) => name))).toEqual([
    ['nav'],
    ['nav', 'author'],
    ['version'],
  ]);
  expect(xml).toContain(`value="^https://docs\\.example\\.com/">`);
});

it('what a crawl sets overrides the connection, whatever is given first, and each crawl has an index and a secret of its own', () => {
  const connection = file(
    'elasticsearch.yml',
    'output_index: shared\nmax_crawl_depth: 9\nelasticsearch:\n  host: http://shared.example:9200\n  username: crawl\n',
  );
  const one = file(
    'one.yml',
    `output_index: one\nmax_crawl_depth: 3\nelasticsearch.host: http://one.example:9200\ndomains:\n  - url: ${SITE}\n`,
  );
  const other = file('other.yml', `domains:\n  - url: ${DOCS}\n`);
  for (const files of [
    [one, connection, other],
    [connection, one, other],
  ]) {
    const { xml } = convert('elastic', files);
    const sinks = [...xml.matchAll(/<cw:Sink name="(\S+)" type="\w+" url="(\S+)" index="(\S+)" login="crawl"/g)];
    expect(sinks.map((match) => match.slice(1))).toEqual([
      ['main', 'http://one.example:9200', 'one'],
      ['main-2', 'http://shared.example:9200', 'shared'],
    ]);
    expect([...xml.matchAll(/password="(\S+)"/g)].map(([, secret]) => secret)).toEqual([
      `$${'{CRAWLWAY_SECRET_SINK}'}`,
      `$${'{CRAWLWAY_SECRET_SINK_2}'}`,
    ]);
    expect([...xml.matchAll(/PushTo sink="(\S+)"/g)].map(([, name]) => name)).toEqual(['main', 'main-2']);
    expect([...xml.matchAll(/max-hops" value="(\d)"/g)].map(([, hops]) => hops)).toEqual(['2', '8']);
  }
});

it('numbers may have underscores', () => {
  const { xml } = importAndLoad(
    'elastic',
    file('c.yml', `max_response_size: 10_485_760\ndomains:\n  - url: ${SITE}\n`),
  );
  expect(xml).toContain('maxSizeBytes="10485760"');
});

it('a seed that is not a URL is reported, and the crawl does not begin elsewhere instead', () => {
  const text = `domains:\n  - url: ${SITE}\n    seed_urls: ["<%= ENV['START'] %>"]\n`;
  const { xml, report } = convert('elastic', [file('c.yml', text)]);
  expect(xml).not.toContain('<Root');
  expect(linesOf(report, 'not taken')).toContain(`c.yml:3 seed_urls <%= ENV['START'] %>`);
  expect(() => convert('elastic', [file('c.yml', 'domains:\n  - url: "<%= ENV[1] %>"\n')])).toThrow(
    'the address that it stands for',
  );
});

it('a domain overrides what it merges', () => {
  const text = `domains:
  - &first
    url: ${SITE}
    crawl_rules: [{ policy: deny, type: begins, pattern: /old }]
  - <<: *first
    url: ${DOCS}
`;
  verdicts(accepts('elastic', file('c.yml', text)), {
    '/old': false,
    [`${DOCS}/old`]: false,
    [`${DOCS}/a`]: true,
    '/a': true,
  });
});

it('a field may be read from the URL by an expression that begins with a slash', () => {
  const rule = (name: string, selector: string) =>
    `          - {action: extract, field_name: ${name}, selector: "${selector}", join_as: array, source: url}`;
  const rules = [rule('year', '/blog/([0-9]+)/'), rule('b', '/(?=b)'), rule('c', '/c/(.*)')].join('\n');
  const text = `domains:\n  - url: ${SITE}\n    extraction_rulesets:\n      - rules:\n${rules}\n`;
  const { xml, report } = importAndLoad('elastic', file('c.yml', text));
  expect(xml).toContain('<cw:Field name="year" url="url" match="/blog/([0-9]+)/"/>');
  expect(linesOf(report, 'not taken')).toContain('c.yml:6 extraction rule b');
});
