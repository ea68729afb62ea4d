import { afterAll, expect, it, vi } from 'vitest';
import { accepts, file, importAndLoad, linesOf, SITE, verdicts } from '../../test/support/imported.js';
import { createOriginal } from '../original/index.js';

vi.stubEnv('CRAWLWAY_SECRET_SINK', 'x');
afterAll(() => vi.unstubAllEnvs());

type Child = Record<string, unknown>;
const child = (type: string, value?: string | Child[], attributes: Record<string, string> = {}): Child => ({
  _type_: type,
  ...(typeof value === 'string' ? { _value_: value } : value ? { _children_: value } : {}),
  ...Object.fromEntries(Object.entries(attributes).map(([name, text]) => [`_attribute_${name}`, text])),
});
const jobs = (specification: Child[], ...settings: Child[]) => {
  const job = [
    child('description', 'Pages'),
    child('repository_connection', 'Web'),
    child('document_specification', specification),
    ...settings,
  ];
  return file('jobs.json', JSON.stringify({ job: { _children_: job } }, null, 1));
};
const seeds = child('seeds', `# first\n${SITE}/\nftp://example.com/\n`);
const connection = (...configuration: Child[]) =>
  file(
    'connections.json',
    JSON.stringify({
      repositoryconnection: {
        _children_: [
          child('name', 'Web'),
          child('class_name', 'org.apache.manifoldcf.crawler.connectors.webcrawler.WebcrawlerConnector'),
          child('max_connections', '7'),
          child('configuration', configuration),
          child('throttle', [child('match', ''), child('rate', '1.6666667E-4')]),
        ],
      },
    }),
  );

it('one of the inclusions has to be found in a URL, and no exclusion', () => {
  const given = jobs([
    seeds,
    child('includes', '^https?://www\\.example\\.com/\n\n# more\n^http://b\\.example/'),
    child('excludes', '/private/\n(?i)\\.zip$'),
    child('excludesindex', '/lists/'),
    child('map', undefined, { match: 'https://(.*)', map: 'http://$(1)' }),
  ]);
  const urls = {
    '/a': true,
    '/private/': false,
    '/a.ZIP': false,
    'http://b.example/': true,
    'http://c.example/': false,
  };
  verdicts(accepts('manifoldcf', given), urls);
  const original = createOriginal('manifoldcf', [given]);
  verdicts((url) => original.judge(new URL(url, SITE)).accepted, urls);
  const { xml } = importAndLoad('manifoldcf', given);
  expect(xml).toMatch(/value="\/lists\/"[^>]*\/><NoIndex\/>/);
  // What no map matches as a whole is not indexed.
  expect(xml).toMatch(/<ar:Not><ar:Atom [^>]*value="\^\(\?:https:[^>]*\/><\/ar:Not><NoIndex\/>/);
});

it.each([
  ['no includes', [seeds], true, true],
  ['empty includes', [seeds, child('includes', '\n')], false, false],
  ['the hosts of the seeds', [seeds, child('limittoseeds', '', { value: 'true' })], true, false],
])('%s', (_, specification, own, other) => {
  const given = jobs(specification);
  const urls = { '/a': own, 'http://elsewhere.test/': other };
  verdicts(accepts('manifoldcf', given), urls);
  const original = createOriginal('manifoldcf', [given]);
  verdicts((url) => original.judge(new URL(url, SITE)).accepted, urls);
});

it('the connection says how servers are asked; its secrets are not shown', () => {
  const text = [
    jobs([seeds, child('access', '', { token: 'hr, board' })]),
    connection(
      child('_PARAMETER_', 'crawl@example.com', { name: 'Email address' }),
      child('_PARAMETER_', 'none', { name: 'Robots usage' }),
      child('_PARAMETER_', 'secret-1', { name: 'Proxy authentication password' }),
      child('bindesc', [child('maxfetchesperminute', '', { value: '60' })], {
        binregexp: 'INTRA',
        caseinsensitive: 'true',
      }),
      child(
        'bindesc',
        [child('maxfetchesperminute', '', { value: '12' }), child('maxkbpersecond', '', { value: '64' })],
        {
          binregexp: '',
        },
      ),
      child('accesscredential', undefined, {
        urlregexp: '^http://a',
        type: 'basic',
        username: 'u',
        password: 'secret-2',
      }),
      child('trust', undefined, { urlregexp: '.*', truststore: 'secret-3' }),
    ),
  ];
  const { xml, report } = importAndLoad('manifoldcf', ...text);
  expect(JSON.stringify(report.lines) + xml).not.toContain('secret-');
  // Of all rules for every server, the longest pause.
  expect(xml).toContain('throttleTimeMS="6000"');
  expect(xml).toMatch(/case-sensitive="false" value="INTRA">\s*<cw:option name="throttle-ms" value="1000"\/>/);
  expect(xml).toMatch(/ignoreRobotsTxt="true".* nthreads="7"/);
  expect(xml).toContain('<cw:Acl default="&#34;hr, board&#34;"/>');
  expect(xml).toContain('contact="crawl@example.com"');
  expect(linesOf(report, 'not taken')).toEqual([
    'jobs.json:15 ftp://example.com/',
    'connections.json:1 Proxy authentication password',
    'connections.json:1 maxkbpersecond 64',
    'connections.json:1 accesscredential ^http://a',
    'connections.json:1 trust .*',
  ]);
});

it('continuous jobs, hops, canonicalization and an output to Solr', () => {
  const output = {
    name: 'Solr',
    class_name: 'org.apache.manifoldcf.agents.output.solr.SolrConnector',
    configuration: {
      _PARAMETER_: [
        { _attribute_name: 'Server name', _value_: 'solr.test' },
        { _attribute_name: 'Solr core name', _value_: 'docs' },
        { _attribute_name: 'User ID', _value_: 'me' },
      ],
    },
  };
  const given = jobs(
    [
      seeds,
      child('urlspec', '', { regexp: '.*', reorder: 'yes', lowercase: 'yes' }),
      child('urlspec', '', { regexp: 'x' }),
    ],
    child('run_mode', 'continuous'),
    child('recrawl_interval', '7200000'),
    child('max_recrawl_interval', '86400000'),
    child('hopcount', [child('link_type', 'link'), child('count', '3')]),
    child('hopcount', [child('link_type', 'redirect'), child('count', '2')]),
    child('pipelinestage', [child('stage_isoutput', 'true'), child('stage_connectionname', 'Solr')]),
  );
  const { xml, report } = importAndLoad(
    'manifoldcf',
    given,
    file('out.json', JSON.stringify({ outputconnection: [output] })),
  );
  expect(xml).toContain('smartRefreshMinAgeS="7200" smartRefreshMaxAgeS="86400"');
  expect(xml).toContain('<cw:option name="max-hops" value="3"/>');
  expect(xml).toContain(
    'steps="remove-trailing-dot lower-case-path collapse-slashes remove-empty-query sort-parameters"',
  );
  expect(xml).toContain('type="solr" url="http://solr.test:8983/solr" index="docs" login="me"');
  expect(linesOf(report, 'not taken').map((line) => line.split(' ').slice(1).join(' '))).toEqual(
    expect.arrayContaining(['urlspec x', 'hopcount', 'Web']),
  );
});

it('reads the XML of the database, and leaves other jobs out', () => {
  const specification = file(
    'spec.xml',
    `<specification><seeds>${SITE}/\nhttp://b.example/</seeds><excludes>/x/</excludes><limittoseeds value="true"/></specification>`,
  );
  const configuration = file(
    'conf.xml',
    '<configuration><bindesc binregexp=".*"><maxfetchesperminute value="30"/></bindesc></configuration>',
  );
  verdicts(accepts('manifoldcf', specification, configuration), {
    '/a': true,
    '/x/': false,
    'http://b.example/': true,
    'http://c.example/': false,
  });
  expect(importAndLoad('manifoldcf', specification, configuration).xml).toContain('throttleTimeMS="2000"');
  const files = file(
    'jobs.json',
    '{"job":[{"description":"F","document_specification":{"startpoint":{"_attribute_path":"/x"}}}]}',
  );
  expect(() => importAndLoad('manifoldcf', files)).toThrow('no job with seeds');
});
