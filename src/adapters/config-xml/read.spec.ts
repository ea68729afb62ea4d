import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { holding } from '../../../test/support/holding.js';
import { fileOf, HEAD, read } from '../../../test/support/read-xml.js';
import { readConfiguration } from './read.js';

describe('reading a configuration', () => {
  it('reads the example without a problem', () => {
    const { definition, problems } = read(readFileSync('CrawlConfig.xml.example', 'utf8'));
    expect(problems).toEqual([]);
    expect(definition).toMatchObject({
      crawlers: [
        {
          name: 'sample',
          throttle: 20,
          fetcher: 'default',
          pushTo: ['main'],
          roots: [{ url: 'http://127.0.0.1:8741/', site: true, priority: 0 }],
          rules: [{ number: 1, actions: { accept: false, index: false, follow: false } }],
        },
      ],
      fetchers: [{ name: 'default', allowedAddresses: ['127.0.0.0/8'] }],
      sinks: [{ name: 'main', type: 'papi' }],
    });
  });

  it('reports ten mistakes at once, each with its line', () => {
    const { definition, problems } =
      read(`<CrawlConfig xmlns="exa:com.exalead.mercury.mami.crawl.v21" xmlns:cw="urn:crawlway:config:1">
  <Crawler name="docs" nthreads="many" thorttleTimeMS="2500">
    <CrawlSchedulerConfig>
      <cw:Refresh cron="0 25 * * *"/>
    </CrawlSchedulerConfig>
    <Root url="docs.example.com"/>
    <Rules>
      <Rule>
        <Lenght field="path" val="[30:]"/>
        <NoIndex/>
      </Rule>
      <Rule>
        <Atom field="pth" kind="prefix" value="/watch"/>
        <Index/>
      </Rule>
      <Rule>
        <Path val="/(unclosed"/>
        <Index/>
      </Rule>
      <Rule>
        <Host/>
        <Accept/>
      </Rule>
    </Rules>
    <cw:PushTo sink="mian"/>
  </Crawler>
  <cw:Sink name="main" type="papi" url="http://127.0.0.1:8742" password="\${NOT_SET}"/>
</CrawlConfig>`);
    expect(definition).toBeUndefined();
    expect(problems.map(({ place, code }) => `${place.line}:${place.column} ${code}`)).toEqual([
      '2:24 bad-value',
      '2:40 unknown-attribute',
      '4:19 bad-value',
      '6:11 bad-value',
      '9:9 unknown-element',
      '13:15 bad-value',
      '17:9 bad-pattern',
      '21:9 missing-attribute',
      '25:5 unknown-reference',
      '27:64 missing-variable',
    ]);
    const messages = problems.map(({ message }) => message);
    expect(messages[1]).toBe('unknown attribute thorttleTimeMS on Crawler: did you mean throttleTimeMS?');
    expect(messages[4]).toBe('unknown element Lenght: did you mean Length?');
    expect(messages[5]).toContain('did you mean path?');
    expect(messages[8]).toBe('there is no Sink named mian: did you mean main?');
  });

  it.each([
    ['<CrawlConfig><Crawler name="a"></CrawlConfig>', '1:32', '<Crawler>, which is opened in line 1: write </Crawler>'],
    ['<CrawlConfig>\n  <Crawler name="a/>\n</CrawlConfig>', '2:17', 'no closing quote'],
    ['<CrawlConfig>\n  <Crawler name="a>\n<Root url="b"/></Crawler></CrawlConfig>', '3:1', 'is a quote missing'],
    ['<CrawlConfig>\n<!-- never closed </CrawlConfig>', '2:1', 'never closed'],
    ['<CrawlConfig>\n  <Root url="a" url="b"/></CrawlConfig>', '2:17', "'url' is repeated"],
    ['<CrawlConfig>\n a &nbsp; b</CrawlConfig>', '2:4', 'write &amp;'],
    ['<CrawlConfig/>\n<CrawlConfig/>', '2:1', 'second root'],
    ['<!DOCTYPE x>\n<CrawlConfig/>', '1:1', 'not allowed'],
    [`${'<CrawlConfig>'.repeat(65)}${'</CrawlConfig>'.repeat(65)}`, '1:833', 'nested deeper than 64'],
    ['<CrawlConfg/>', '1:1', 'did you mean CrawlConfig?'],
    ['<CrawlConfig xmlns="urn:other"/>', '1:1', 'urn:other'],
  ])('points at the mistake in what is not a configuration: %.60s', (xml, place, message) => {
    const { problems } = read(xml);
    expect(problems.map((problem) => `${problem.place.line}:${problem.place.column}`)).toEqual([place]);
    expect(problems[0]?.message).toContain(message);
  });

  it.each(['', ' '])('a blank switch (%j) has its default value, without a warning', (blank) => {
    const switches = `aggressive="${blank}" defaultFollow="${blank}"`;
    const { definition, problems } = read(`<CrawlConfig ${HEAD}><Crawler name="a" ${switches}/></CrawlConfig>`);
    expect(definition?.crawlers[0]).toMatchObject({ aggressive: false, defaultFollow: true });
    expect(problems.filter(({ message }) => /aggressive|defaultFollow/.test(message))).toEqual([]);
  });

  it('ignores attributes of foreign namespaces', () => {
    const { definition, problems } = read(
      '<CrawlConfig xmlns:my="urn:my"><Crawler my:name="b" name="a" my:nthreads="3"/></CrawlConfig>',
    );
    expect(definition?.crawlers).toMatchObject([{ name: 'a', concurrency: 20 }]);
    expect(problems.map(({ code }) => code)).toEqual(['no-sink', 'ignored-attribute', 'ignored-attribute']);
  });

  it.each([
    ['<Crawler name="a"/><Crawler name="a"/>', 'duplicate-name'],
    ['<Crawler name="a"><Root url="http://a"/><Root url="http://A/"/></Crawler>', 'duplicate-name'],
    ['<Crawler name="a" smartRefreshMinAgeS="9" smartRefreshMaxAgeS="8"/>', 'bad-range'],
    ['<Crawler name="a"><Rules><Rule><Path val="/"/></Rule></Rules></Crawler>', 'empty-rule'],
    ['<Crawler name="a"><Rules><Rule><Not/><Index/></Rule></Rules></Crawler>', 'empty-rule'],
    [
      '<Crawler name="a"><Rules><Rule><Path val="/" value="/"/><Index/></Rule></Rules></Crawler>',
      'duplicate-attribute',
    ],
    ['<Crawler name="a"><Rules><Rule><Path val="(?=x)"/><Index/></Rule></Rules></Crawler>', 'bad-pattern'],
    ['<Crawler name="a"><Root url="http://a"><Rules/></Root></Crawler>', 'unknown-element'],
    ['<Crawler name="a"><SoftErrors><SoftError title="ok" content="("/></SoftErrors></Crawler>', 'bad-pattern'],
    ['<Crawler name="a"><Conditions><option name="credentials" value="nocolon"/></Conditions></Crawler>', 'bad-value'],
    [
      '<Crawler name="a"><Conditions><option name="refresh-minimum-age-s" value="9"/><option name="refresh-maximum-age-s" value="8"/></Conditions></Crawler>',
      'bad-range',
    ],
    ['<Crawler name="a"><LinkRules ignoreLinksTo="gif,jpg;css"/></Crawler>', 'bad-value'],
    ['<Crawler name="a"><Conditions><option name="render-mode" value="often"/></Conditions></Crawler>', 'bad-value'],
    ['<Crawler name="a"><Rules><Rule><Path value="/"/><Render steps="jump 3"/></Rule></Rules></Crawler>', 'bad-value'],
    ['<Crawler name="a"/><Renderer maxShare="2"/>', 'bad-value'],
    ['<Crawler name="a"/><Renderer path="/usr/bin/chromium" url="ws://browser:9222/"/>', 'ambiguous-browser'],
    ['<Crawler name="a"><SoftErrors><SoftError status="404"/></SoftErrors></Crawler>', 'missing-attribute'],
    ['<Crawler name="a"><SoftErrors><SoftError title="x" field="url"/></SoftErrors></Crawler>', 'missing-attribute'],
    ['<Crawler name="a"><SoftErrors><SoftError field="title" pattern="("/></SoftErrors></Crawler>', 'bad-pattern'],
    ['<Crawler name="a"><Content><Include select="p:("/></Content></Crawler>', 'bad-value'],
    ['<Crawler name="a"><Content><Field name="f" url="path" match="(?=x)"/></Content></Crawler>', 'bad-value'],
    ['<Crawler name="a"><Content><Field name="f"/></Content></Crawler>', 'missing-attribute'],
    ['<Crawler name="a"><Content><Field name="f" url="path" meta="m"/></Content></Crawler>', 'bad-value'],
    ['<Crawler name="a"><Content><Output chunks="100" chunkOverlap="60"/></Content></Crawler>', 'bad-range'],
    [
      '<Crawler name="a"><Content name="x"/><Conditions><option name="content" value="y"/></Conditions></Crawler>',
      'unknown-reference',
    ],
    ['<Crawler name="a"><LinkRules/><LinkRules/></Crawler>', 'duplicate-element'],
    ['<Crawler name="a"><FetchWith fetcher="none"/></Crawler>', 'unknown-reference'],
    [
      '<Crawler name="a"><Conditions><apply-for field="url" value="*"><option name="fetcher" value="none"/></apply-for></Conditions></Crawler>',
      'unknown-reference',
    ],
    ['<Crawler name="a"><CrawlSpace rules="crawl.rules"/></Crawler>', 'unreadable-file'],
    ['<Crawler name="a"><CrawlSpace rules="../secret"/></Crawler>', 'bad-value'],
    ['<Crawler name="a"/><Sink name="s" type="file" url="f"/><Sink name="t" type="file" url="g"/>', 'ambiguous-sink'],
    ['<Crawler name="a"/><Sink name="s" type="file" url="file:///srv/documents.jsonl"/>', 'bad-value'],
    ['<Sink name="s" type="json" url="not a url"/>', 'bad-value'],
    ['<Sink name="s" type="solr" url="http://h/"/>', 'missing-attribute'],
    ['<Fetcher><AllowAddress cidr="10.0.0.0/33"/></Fetcher>', 'bad-value'],
    ['<Fetcher><CertificateAuthority>no pem</CertificateAuthority></Fetcher>', 'bad-value'],
  ])('refuses %s', (inside, code) => {
    const { definition, problems } = read(`<CrawlConfig>${inside}</CrawlConfig>`);
    expect(definition).toBeUndefined();
    expect(problems.filter(({ severity }) => severity === 'error').map((problem) => problem.code)).toEqual([code]);
  });

  it.each(['\u0000', '\u001f', '\ud800', '\udc00', '\uffff'])(
    'refuses %j, which XML does not allow, at its place',
    (strange) => {
      const { definition, problems } = read(`<CrawlConfig>\n<!--${strange}--></CrawlConfig>`);
      expect(definition).toBeUndefined();
      expect(problems).toMatchObject([{ code: 'xml-not-well-formed', place: { line: 2, column: 5 } }]);
    },
  );

  it('reads a Domain as a plain name whether its dots are escaped or not', () => {
    const rule = (val: string) =>
      read(
        `<CrawlConfig><Crawler name="a"><Rules><Rule><Domain val="${val}"/><Index/></Rule></Rules></Crawler></CrawlConfig>`,
      ).definition?.crawlers[0]?.rules[0]?.match;
    expect(rule('Foo\\.com')).toMatchObject({ type: 'domain', value: 'foo.com' });
    expect(rule('foo.com')).toMatchObject({ type: 'domain', value: 'foo.com' });
    expect(rule('foo[.]com')).toMatchObject({ type: 'or' });
  });

  it('refuses a text that was not saved as UTF-8 where it would change what a rule means', () => {
    const latin1 = (text: string): string => Buffer.from(text, 'latin1').toString('utf8');
    const files = {
      'crawl.rules': '# à part\nforbid prefix http://a/privé/\n',
      'indexer.conf': '# été\nServer http://a/privé/\n',
    };
    const readFile = (name: string): string => latin1(fileOf(files, name));
    const xml = `<?xml version="1.0" encoding="ISO-8859-1"?>
<CrawlConfig><!-- privé --><Crawler name="a" defaultAccept="true">
<Rules><Rule><Path val="/privé/"/><Ignore/></Rule></Rules>
<CrawlSpace rules="crawl.rules"/><Servers file="indexer.conf"/></Crawler></CrawlConfig>`;
    const { definition, problems } = readConfiguration(latin1(xml), { file: 'CrawlConfig.xml', env: {}, readFile });
    expect(definition).toBeUndefined();
    const utf8 = problems.filter(({ message }) => message.includes('UTF-8'));
    expect(utf8.map(({ place: { file, line } }) => [file, line])).toEqual([
      ['CrawlConfig.xml', 3],
      ['crawl.rules', 2],
      ['indexer.conf', 2],
    ]);
  });

  it('ignores blanks around the patterns of rules and conditions: no URL has any', () => {
    const { definition, problems } = read(`<CrawlConfig><Crawler name="a"><Rules><Rule>
      <Domain val=" foo.com "/><Ext val="
        \\.gif "/><Ignore/></Rule></Rules>
      <Conditions><may-not-have field="path" value=" *.png "/></Conditions></Crawler></CrawlConfig>`);
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(definition?.crawlers[0]).toMatchObject({
      rules: [{ match: { children: [{ value: 'foo.com' }, { value: '\\.gif' }] } }],
      conditions: { rules: [{ test: { value: '*.png' } }] },
    });
  });

  it('reports attributes of a sink that its type does not have', () => {
    const { problems } = read(
      `<CrawlConfig xmlns:cw="urn:crawlway:config:1"><Crawler name="a"/><cw:Sink name="s" type="json" url="http://h/" index="i" login="l"/></CrawlConfig>`,
    );
    expect(problems.map(({ message }) => message)).toEqual([
      'a sink of type json does not use the attribute index; it uses login, password, apiKey, fingerprint, secret',
    ]);
  });

  it.each([
    ['postgresql://db.example/docs', undefined],
    ['postgresql://u:p@[::1]:5433/d%20e?sslmode=require', undefined],
    ['postgresql://db.example/', 'a URL like postgresql://host:5432/database'],
    ['http://db.example/docs', 'a URL like postgresql://host:5432/database'],
    ['postgresql://db.example/docs?sslrootcert=/etc/passwd', 'without the parameter sslrootcert'],
    ['postgresql://db.example/docs?sslmode=prefer', 'sslmode as one of disable, require, verify-full'],
  ])('reads the address of a database: %s', (url, fault) => {
    const { definition, problems } = read(
      `<CrawlConfig xmlns:cw="urn:crawlway:config:1"><Crawler name="a"/><cw:Sink name="s" type="postgresql" url="${url}" table="a.b"/></CrawlConfig>`,
    );
    const shown = url.replace('u:p@', '');
    const login = url === shown ? {} : { login: 'u', password: holding('p') };
    if (fault === undefined)
      expect(definition?.sinks).toMatchObject([{ url: shown, options: { table: 'a.b', ...login } }]);
    else expect(problems.map(({ message }) => message)).toEqual([expect.stringContaining(fault)]);
  });

  it.each([
    ['contact="https://a.example/bot"', 'Crawlway/0.1 (+https://a.example/bot)', {}],
    ['contact="ops@a.example"', 'Crawlway/0.1 (ops@a.example)', { from: 'ops@a.example' }],
    ['contact="ops@a.example" userAgent="Mine/1"', 'Mine/1', { from: 'ops@a.example' }],
    ['userAgent=" "', 'Crawlway/0.1', {}],
    ['acceptLanguage="de, en;q=0.5"', 'Crawlway/0.1', { 'accept-language': 'de, en;q=0.5' }],
  ])('identifies the crawler with %s', (attributes, userAgent, headers) => {
    const { definition } = read(`<CrawlConfig><Crawler name="a"/><cw:Fetcher ${attributes}/></CrawlConfig>`);
    expect(definition?.fetchers[0]).toMatchObject({ userAgent });
    expect(definition?.fetchers[0]?.headers).toEqual(headers);
  });

  it('substitutes environment variables in secrets and in the URLs of sinks and proxies', () => {
    const xml = `<CrawlConfig><Crawler name="a"/><cw:Fetcher><cw:Proxy url="http://$USER:$PASS@p.example/"/><cw:Header name="X" value="$PASS"/>
      <cw:Credential url="http://h.example/" user="$USER" password="$PASS"/></cw:Fetcher>
      <cw:Sink name="s" type="json" url="https://$HOST/" login="$USER" secret="$PASS"/></CrawlConfig>`;
    const { definition } = read(xml.replace(/\$(\w+)/g, '$${$1}'), { USER: 'u', PASS: 'p', HOST: 'h.example' });
    expect(definition?.sinks).toMatchObject([
      { url: 'https://h.example/', options: { login: 'u', secret: holding('p') } },
    ]);
    expect(definition?.fetchers).toMatchObject([
      {
        proxies: [{ url: holding('http://u:p@p.example/'), noProxy: [] }],
        headers: { X: holding('p') },
        credentials: [{ user: 'u', password: holding('p') }],
      },
    ]);
  });

  it.each([
    '<Root url="http://h.example/?$X"/>',
    '<Rules><Rule><Host value="$X"/><Ignore/></Rule></Rules>',
    '<Rules group="$X"/>',
    '<cw:FetchWith fetcher="$X"/>',
  ])('substitutes no variable where its value would be shown or sent to a site: %s', (element) => {
    const xml = `<CrawlConfig><Crawler name="a">${element.replace('$X', ['$', '{X}'].join(''))}</Crawler></CrawlConfig>`;
    const { definition, problems } = read(xml, { X: 'hunter2' });
    expect(definition).toBeUndefined();
    expect(problems.map(({ code }) => code)).toContain('misplaced-variable');
    expect(JSON.stringify(problems)).not.toContain('hunter2');
  });

  it('substitutes public variables everywhere, and names those that are not set', () => {
    const xml = `<CrawlConfig><Crawler name="a">
      <Root url="https://\${env:SITE}/docs/"/><Rules><Rule><Host value="\${env:SITE}"/><Ignore/></Rule></Rules>
      <cw:PushTo sink="s"/></Crawler><cw:Sink name="s" type="elasticsearch" url="https://\${env:SEARCH}/" index="i"/></CrawlConfig>`;
    const env = { CRAWLWAY_ENV_SITE: 'staging.example.com', CRAWLWAY_ENV_SEARCH: 'search.example.com' };
    const { definition } = read(xml, env);
    expect(definition?.crawlers[0]?.roots[0]?.url).toBe('https://staging.example.com/docs/');
    expect(JSON.stringify(definition?.crawlers[0]?.rules)).toContain('staging.example.com');
    expect(definition?.sinks[0]?.url).toBe('https://search.example.com/');
    const { definition: none, problems } = read(xml, { CRAWLWAY_ENV_SITE: 'staging.example.com', SEARCH: 'no' });
    expect(none).toBeUndefined();
    expect(problems.filter(({ severity }) => severity === 'error')).toMatchObject([
      {
        code: 'missing-variable',
        place: { line: 3 },
        message: expect.stringContaining('CRAWLWAY_ENV_SEARCH is not set'),
      },
    ]);
  });

  it('never takes a secret for a public variable', () => {
    for (const name of ['CRAWLWAY_SECRET_X', 'X', '__proto__']) {
      const { definition, problems } = read(
        `<CrawlConfig><Crawler name="a"><Root url="http://h.example/?\${env:${name}}"/></Crawler></CrawlConfig>`,
        { CRAWLWAY_SECRET_X: 'hunter2', X: 'hunter2' },
      );
      expect(definition).toBeUndefined();
      expect(JSON.stringify(problems)).not.toContain('hunter2');
    }
  });

  it('points into crawl.rules and indexer.conf for mistakes in them', () => {
    const { problems } = readConfiguration(
      '<CrawlConfig><Crawler name="a"><CrawlSpace rules="crawl.rules"/><Servers file="indexer.conf"/></Crawler></CrawlConfig>',
      {
        file: 'CrawlConfig.xml',
        env: {},
        readFile: (name) =>
          fileOf({ 'crawl.rules': '\nalow domain a', 'indexer.conf': 'Period soon\nMirrorRoot x' }, name),
      },
    );
    expect(problems.map(({ code, place }) => `${place.file}:${place.line} ${code}`).sort()).toEqual([
      'CrawlConfig.xml:1 no-sink',
      'crawl.rules:2 bad-rule-file',
      'indexer.conf:1 bad-rule-file',
      'indexer.conf:2 ignored-command',
    ]);
  });
});

it('a blank attribute of a crawler is an absent one', () => {
  const blank = ATTRIBUTES_WITH_DEFAULTS.map((name) => `${name}=""`).join(' ');
  const read = (attributes: string) =>
    readConfiguration(`<CrawlConfig><Crawler name="a" ${attributes}><Root url="http://a/"/></Crawler></CrawlConfig>`, {
      file: 'c.xml',
      env: {},
      readFile: () => '',
    });
  const { definition, problems } = read(blank);
  const plain = read('');
  expect(problems.map(({ code }) => code)).toEqual(plain.problems.map(({ code }) => code));
  expect(JSON.stringify(definition?.crawlers, withoutPlaces)).toBe(
    JSON.stringify(plain.definition?.crawlers, withoutPlaces),
  );
});

it('so are blank numbers, times, choices and switches of every other element, but not blank texts and lists', () => {
  const readWith = (inside: string) =>
    read(`<CrawlConfig ${HEAD}><Crawler name="a"><Root url="http://a/"/>${inside}</Crawler></CrawlConfig>`);
  const blank = readWith(
    '<cw:Traps maxPathDepth="" maxQueryVariants=" "/><cw:Refresh objective=""/><cw:SoftErrors probe=""/><cw:ErrorPolicy retryDelayS=""/>',
  );
  const plain = readWith('<cw:Traps/><cw:Refresh/><cw:SoftErrors/><cw:ErrorPolicy/>');
  expect(blank.problems.map(({ code }) => code)).toEqual(plain.problems.map(({ code }) => code));
  expect(JSON.stringify(blank.definition?.crawlers, withoutPlaces)).toBe(
    JSON.stringify(plain.definition?.crawlers, withoutPlaces),
  );
  for (const wrong of ['<Root url=""/>', '<cw:Acl meta=""/>', '<cw:FetchWith fetcher=""/>'])
    expect(
      readWith(wrong).problems.map(({ code }) => code),
      wrong,
    ).toContain('bad-value');
});

const ATTRIBUTES_WITH_DEFAULTS = [
  'nthreads',
  'throttleTimeMS',
  'mimeTypesMode',
  'aggressive',
  'smartRefresh',
  'ignoreRobotsTxt',
];
const withoutPlaces = (key: string, value: unknown): unknown => (key === 'place' ? undefined : value);
