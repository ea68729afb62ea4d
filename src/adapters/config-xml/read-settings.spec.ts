import { describe, expect, it } from 'vitest';
import { fileOf, HEAD, read } from '../../../test/support/read-xml.js';
import { lintLists } from '../../domain/policy/linter.js';
import { runAtOnce } from '../../domain/steps.js';
import { readConfiguration } from './read.js';

describe('files of rules beside the configuration', () => {
  const withFiles = (inside: string, files: Readonly<Record<string, string>>) =>
    readConfiguration(`<CrawlConfig><Crawler name="a">${inside}</Crawler></CrawlConfig>`, {
      file: 'CrawlConfig.xml',
      env: {},
      readFile: (name) => fileOf(files, name),
    });
  const errors = (result: ReturnType<typeof readConfiguration>) =>
    result.problems.filter(({ severity }) => severity === 'error').map(({ place, message }) => [place.file, message]);
  const SERVERS = '<Servers file="indexer.conf"/>';
  const utf16 = (text: string): string => Buffer.from(`\uFEFF${text}`, 'utf16le').toString('utf8');

  it('"the presence of a global.rules file enables the global crawl space"', () => {
    const { definition } = withFiles('', { 'global.rules': 'allow domain foo.com' });
    expect(definition?.globalCrawlSpace).toMatchObject({ file: 'global.rules', rules: [{ target: 'foo.com' }] });
    expect(withFiles('', {}).definition?.globalCrawlSpace).toBeUndefined();
    expect(errors(withFiles('', { 'global.rules': 'allow prefix http://foo.com/' }))).toEqual([
      ['global.rules', expect.stringContaining('only domain rules')],
    ]);
  });

  it.each(['Server http://foo.com/', '# nothing but a comment'])('in UTF-16 is refused: %s', (text) => {
    for (const [inside, name] of [
      [SERVERS, 'indexer.conf'],
      ['<CrawlSpace rules="crawl.rules"/>', 'crawl.rules'],
      ['', 'global.rules'],
    ] as const) {
      const said = errors(withFiles(inside, { [name]: utf16(text) }));
      expect(said).toEqual([[name, 'the file is not UTF-8 but looks like UTF-16: save it as UTF-8']]);
    }
  });

  it('an indexer.conf that has lost its servers is refused, unless its switches are for all URLs', () => {
    const lost = (text: string) => errors(withFiles(SERVERS, { 'indexer.conf': text }));
    expect(lost('# all gone\nPeriod 7d')).toEqual([['indexer.conf', expect.stringContaining('has no Server command')]]);
    expect(lost('FollowOutside yes')).toEqual([]);
    expect(lost('DeleteNoServer no')).toEqual([]);
    expect(lost('\uFEFFServer http://foo.com/')).toEqual([]);
  });
});

describe('settings without effect, or with another one than they seem to have', () => {
  const warnings = (attributes: string, inside = '') =>
    read(`<CrawlConfig><Crawler name="a" ${attributes}>${inside}</Crawler></CrawlConfig>`)
      .problems.filter(({ code }) => code === 'no-effect')
      .map(({ message }) => message);
  const SCHEDULE = '<CrawlSchedulerConfig><Refresh cron="0 3 * * *"/></CrawlSchedulerConfig>';

  it('warns of smart refresh that is off without a schedule, and of a schedule beside smart refresh', () => {
    expect(warnings('smartRefresh="false"')).toEqual([expect.stringContaining('never revisits documents on its own')]);
    expect(warnings('smartRefresh="false"', SCHEDULE)).toEqual([]);
    expect(warnings('', SCHEDULE)).toEqual([expect.stringContaining('while smartRefresh is on')]);
    expect(warnings('')).toEqual([]);
  });

  it.each([
    [
      'Header X-A',
      '<cw:Fetcher><cw:Header name="X-A" value="1"/><cw:Header name="x-a" value="2"/></cw:Fetcher>',
      'no-effect',
    ],
    [
      'of two servers',
      `<cw:Fetcher>${['a', 'b'].map((host) => `<cw:Header name="X" value="1" url="http://${host}/"/>`).join('')}</cw:Fetcher>`,
    ],
    ['User-Agent', '<cw:Fetcher><cw:Header name="User-Agent" value="1"/></cw:Fetcher>', 'no-effect'],
    [
      'Credential',
      `<cw:Fetcher>${'<cw:Credential url="http://a/" user="u" password="%P"/>'.repeat(2)}</cw:Fetcher>`,
      'no-effect',
    ],
    ['contact', '<cw:Fetcher userAgent="me/1" contact="https://a.example/bot"/>', 'no-effect'],
    ['an address as contact', '<cw:Fetcher userAgent="me/1" contact="a@a.example"/>'],
    ['no types', '<Crawler name="a" mimeTypesMode="include"><MimeTypes types=" "/></Crawler>', 'no-effect'],
    ['no types that are excluded', '<Crawler name="a"><MimeTypes types=""/></Crawler>'],
    ['Tika', '<cw:Extractor type="tika" url="http://a/" ocr="eng"/>', 'ignored-attribute'],
    ['documents', '<cw:Extractor type="documents" mediaTypes="a/b"/>', 'ignored-attribute'],
    [
      'LoginStep',
      '<cw:Fetcher><cw:Login name="l" type="bearer" url="https://a/" token="%P"><cw:LoginStep/></cw:Login></cw:Fetcher>',
      'ignored-element',
    ],
    [
      'Error',
      '<Crawler name="a"><ErrorPolicy><Error code="http-404" class="temporary"/><Error code="http-404" class="permanent"/></ErrorPolicy></Crawler>',
      'no-effect',
    ],
    [
      'the last login of records',
      '<Crawler name="a" defaultAccept="true"><Servers><Server url="http://a/"/><Parameters authentication="%P"/></Servers></Crawler>',
      'no-effect',
    ],
    [
      'a replaced login of records',
      `<Crawler name="a" defaultAccept="true"><Servers>${'<Parameters authentication="%P"/>'.repeat(2)}<Server url="http://a/"/></Servers></Crawler>`,
      'no-effect',
    ],
  ])('tells of what only seems to be set: %s', (_, xml, ...codes) => {
    const { problems } = read(
      `<CrawlConfig xmlns:cw="urn:crawlway:config:1">${xml.replaceAll('%P', `\${CRAWLWAY_SECRET_P}`)}</CrawlConfig>`,
      { CRAWLWAY_SECRET_P: 'u:p' },
    );
    expect(problems.map(({ code }) => code).filter((code) => code !== 'no-sink')).toEqual(codes);
  });

  it('mimeTypesMode include without MimeTypes accepts every type that can be read', () => {
    const types = (attributes: string, inside = '') =>
      read(`<CrawlConfig><Crawler name="a" ${attributes}>${inside}</Crawler></CrawlConfig>`).definition?.crawlers[0]
        ?.mimeTypes;
    expect(types('mimeTypesMode="include"')).toEqual(expect.arrayContaining(['text/html', 'application/pdf']));
    expect(types('mimeTypesMode="include"')).not.toContain('image/*');
    expect(types('')).toContain('image/*');
    expect(types('mimeTypesMode="include"', '<MimeTypes types="text/plain"/>')).toEqual(['text/plain']);
  });

  it('a default list is overridden by a rule or condition that names one of its entries', () => {
    const crawler = (inside: string) =>
      read(`<CrawlConfig><Crawler name="a">${inside}</Crawler></CrawlConfig>`).definition?.crawlers[0];
    const rule = (match: string, action = '<Index/><Accept/>') => `<Rules><Rule>${match}${action}</Rule></Rules>`;
    const ignored = (inside: string) => crawler(inside)?.linkRules.ignoreLinksTo;
    expect(ignored('')).toEqual(expect.arrayContaining(['zip', 'gz', 'mp4']));
    const zip = rule('<Ext val="\\.(zip|tar\\.gz)"/>');
    for (const extension of ['zip', 'tar', 'gz']) expect(ignored(zip)).not.toContain(extension);
    expect(ignored(zip)).toContain('mp4');
    expect(crawler(zip)?.mimeTypes).not.toContain('application/zip');
    expect(crawler(zip)?.mimeTypes).toContain('video/*');
    expect(ignored(rule('<Ext val=".zip"/>', '<Ignore/>'))).toContain('zip');
    expect(ignored(rule('<Host val="a.example"/>'))).toContain('zip');
    expect(
      ignored('<Conditions><apply-for test="wildcard-set" field="path" value="*.mp4"/></Conditions>'),
    ).not.toContain('mp4');
    const written = crawler(`<LinkRules ignoreLinksTo="zip"/>${rule('<Ext val=".zip"/>')}`);
    expect(written?.linkRules.ignoreLinksTo).toEqual(['zip']);
    expect(runAtOnce(lintLists(written!))).toMatchObject([
      { code: 'list-before-rule', message: expect.stringContaining('remove zip from that list') },
    ]);
  });

  it('an unknown action is a warning, and the rule works without it', () => {
    const rule = (inside: string) =>
      read(`<CrawlConfig ${HEAD}><Crawler name="a"><Rules><Rule>${inside}</Rule></Rules></Crawler></CrawlConfig>`);
    const known = rule('<ar:Domain val="foo.com"/><Accept/><Boost factor="2"/>');
    expect(known.problems.map(({ code, severity }) => [code, severity])).toContainEqual(['ignored-element', 'warning']);
    expect(known.definition?.crawlers[0]?.rules).toMatchObject([{ actions: { accept: true } }]);
    expect(rule('<ar:Domain val="foo.com"/><Boost factor="2"/>').definition?.crawlers[0]?.rules).toEqual([]);
    // Without one of its match elements, a rule would match more than it says.
    expect(rule('<ar:Domain val="foo.com"/><ar:Country val="fr"/><Accept/>').definition).toBeUndefined();
    expect(rule('<ar:Domain val="foo.com"/><Acept/>').definition).toBeUndefined();
    const plain = (inside: string) =>
      read(`<CrawlConfig><Crawler name="a"><Rules><Rule>${inside}</Rule></Rules></Crawler></CrawlConfig>`);
    expect(plain('<Domain val="foo.com"/><Accept/><Boost/>').definition?.crawlers[0]?.rules).toHaveLength(1);
    expect(plain('<Domain val="foo.com"/><Accept/><Boost factor="2"/>').definition).toBeUndefined();
    expect(plain('<Domain val="foo.com"/><Accept/><Both><Domain val="b"/></Both>').definition).toBeUndefined();
  });

  it('starts at the server records of a crawler without a Root, and reports when none is a start URL', () => {
    const servers = (...urls: string[]) =>
      read(
        `<CrawlConfig><Crawler name="a"><Servers>${urls.map((url) => `<Server url="${url}"/>`).join('')}</Servers></Crawler></CrawlConfig>`,
      );
    const { definition } = servers('http://www/', 'http://www/news/', 'HTTP://WWW', 'http://*.x/', 'http://');
    expect(definition?.crawlers[0]?.roots.map(({ url, site }) => [url, site])).toEqual([
      ['http://www/', false],
      ['http://www/news/', false],
    ]);
    expect(servers('http://').problems).toContainEqual(
      expect.objectContaining({ code: 'no-effect', message: expect.stringContaining('neither a Root nor') }),
    );
  });

  it('reports once what a key or certificate lacks', () => {
    const empty = read(
      '<CrawlConfig><Fetcher name="default"><BotAuth key="" agent="https://a.test/"/></Fetcher></CrawlConfig>',
    );
    expect(empty.problems.filter(({ severity }) => severity === 'error')).toHaveLength(1);
    const certificate = '<ClientCertificate file="absent.pem"/>';
    const absent = read(
      `<CrawlConfig><Sink name="s" type="solr" url="https://h/" index="i">${certificate}</Sink></CrawlConfig>`,
    );
    expect(absent.problems.filter(({ severity }) => severity === 'error')).toHaveLength(1);
  });

  it('reads the rendering settings of a crawler, a condition, a rule and the browser', () => {
    const { definition, problems } = read(
      `<CrawlConfig><Crawler name="a" render="auto"><Rules><Rule><Path value="/app"/><Render mode="always" readyWhen="#list" steps="click .more; wait 0.5"/></Rule></Rules>
        <Conditions><option name="render-mode" value="never"/></Conditions></Crawler><Renderer maxShare="0.25" sandbox="false"/></CrawlConfig>`,
    );
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
    const [crawler] = definition!.crawlers;
    expect(crawler).toMatchObject({ render: 'auto', conditions: { options: { renderMode: 'never' } } });
    expect(crawler!.rules[0]!.actions.render).toEqual({
      renderMode: 'always',
      renderReadyWhen: '#list',
      renderSteps: 'click .more; wait 0.5',
    });
    expect(definition!.renderer).toMatchObject({ maxShare: 0.25, sandbox: false, timeLimit: 20_000 });
  });

  it('warns of a crawler that ignores robots.txt', () => {
    const codes = (rogue: string) =>
      read(`<CrawlConfig><Crawler name="a"><LinkRules rogue="${rogue}"/></Crawler></CrawlConfig>`).problems.map(
        ({ code }) => code,
      );
    expect(codes('1')).toContain('robots-ignored');
    expect(codes('0')).not.toContain('robots-ignored');
  });

  it("says what to write instead of CloudView's fetcher attribute", () => {
    const { problems } = read('<CrawlConfig><Crawler name="a" fetcher="intranet"/></CrawlConfig>');
    expect(problems).toContainEqual(
      expect.objectContaining({
        code: 'ignored-attribute',
        message: expect.stringContaining('<cw:FetchWith fetcher='),
      }),
    );
  });
});

describe('Extractor', () => {
  it('names the languages of OCR by codes', () => {
    const extractor = (ocr: string) => read(`<CrawlConfig><cw:Extractor type="documents" ocr="${ocr}"/></CrawlConfig>`);
    expect(extractor('eng, chi_sim').definition?.extractors).toMatchObject([
      { type: 'documents', ocr: { languages: ['eng', 'chi_sim'], pagesPerDay: 1_000 } },
    ]);
    expect(extractor('').definition?.extractors?.[0]).not.toHaveProperty('ocr');
    expect(extractor('../../etc').problems).toContainEqual(
      expect.objectContaining({ severity: 'error', message: expect.stringContaining('code of a Tesseract language') }),
    );
  });
});

it.each(['history.json', './Sample.json', '../orders.jsonl', 'orders.txt'])('a file sink cannot write to %s', (url) => {
  const sink = (path: string) =>
    readConfiguration(`<CrawlConfig><Sink name="s" type="file" url="${path}"/></CrawlConfig>`, {
      file: 'c.xml',
      env: {},
      readFile: () => '',
      pathOf: (name) => name,
      fileSinks: '/data',
    }).problems.filter(({ message }) => message.startsWith('url of sink s: specify'));
  expect(sink(url)).toHaveLength(1);
  expect(sink('sub/history.json')).toEqual([]);
});
