import { describe, expect, it } from 'vitest';
import { isSameDefinition } from '../../domain/secret.js';
import { replaceLiteralSecrets } from './literal-secrets.js';
import { type ReadOptions, readConfiguration } from './read.js';

const XML = `<CrawlConfig xmlns:cw="urn:crawlway:config:1" xmlns:my="urn:my">
  <!-- <cw:Sink name="old" password="comment-secret" url="http://u:comment-pass@h/"/> -->
  <Crawler name="a">
    <Root url="http://a/"/>
    <cw:Servers><cw:Server url="http://a/" authentication="user:server-secret"/></cw:Servers>
    <cw:Conditions>
      <cw:option name="header" value="X-Key: header-secret"/>
      <cw:option name="max-hops" value="3"/>
      <cw:apply-for value="*a*"><cw:option name="credentials" value="u:condition-secret"/>
        <cw:option name="header" value="Accept-Language: de"/><cw:option name="proxy" value="http://u:option-secret@h:1"/></cw:apply-for>
    </cw:Conditions>
    <my:Thing apiToken="foreign-secret" hasToken="true"/>
    <cw:PushTo sink="main"/>
  </Crawler>
  <cw:Fetcher name="default">
    <cw:Proxy url="http://proxy:proxy-secret@10.0.0.1:3128"/>
    <cw:Credential url="https://a.example/" user="u" password="credential-secret"/>
    <cw:Credential url="https://b.example/" user="u" password="&quot;second-secret&quot;"/>
    <cw:Header name="Authorization" value="Bearer bearer-secret"/>
    <cw:Header name="Cookie" value="session=\${COOKIE}"/>
    <cw:Header name="X-Team" value="search"/>
  </cw:Fetcher>
  <cw:Sink name="main" type="papi" url="http://h:8742/?q=1&amp;key=query-secret" login="crawlway" password='sink-secret'/>
  <cw:Sink name="json" type="json" url="http://h/" secret="\${KEY}"/>
  <cw:Sink name="table" type="postgresql" url="postgresql://h/d?sslmode=disable"/>
</CrawlConfig>
`;

const ENV = { KEY: 'k', COOKIE: 'c' };

const read = (xml: string, options: Partial<ReadOptions> = {}) =>
  readConfiguration(xml, { file: 'f', env: ENV, readFile: () => '', ...options });

const replace = (xml: string, options: Partial<ReadOptions> = {}) => {
  const { texts, secrets } = replaceLiteralSecrets(new Map([['f', xml]]), read(xml, options).literalSecrets);
  return { text: texts.get('f') as string, secrets };
};

const inRoot = (element: string): string => XML.replace('</CrawlConfig>', `${element}</CrawlConfig>`);

describe('the literal secrets of a configuration', () => {
  it('are all found, with names from their places, and nothing else is', () => {
    const { text, secrets } = replace(XML);
    expect(secrets.map(({ name, value }) => [name, value])).toEqual([
      ['sink-old-password', 'comment-secret'],
      ['sink-old-url', 'u:comment-pass'],
      ['crawler-a-server-authentication', 'user:server-secret'],
      ['crawler-a-option-header', 'header-secret'],
      ['crawler-a-option-credentials', 'u:condition-secret'],
      ['crawler-a-option-proxy', 'u:option-secret'],
      ['crawler-a-thing-apitoken', 'foreign-secret'],
      ['fetcher-default-proxy-url', 'proxy:proxy-secret'],
      ['fetcher-default-credential-password', 'credential-secret'],
      ['fetcher-default-credential-password-2', '"second-secret"'],
      ['fetcher-default-header-authorization', 'Bearer bearer-secret'],
      ['sink-main-url', 'query-secret'],
      ['sink-main-password', 'sink-secret'],
    ]);
    expect(text).not.toMatch(/secret["&]|-secret|comment-pass/);
    expect(text).toContain(`url="http://\${secret:fetcher-default-proxy-url}@10.0.0.1:3128"`);
    expect(text).toContain(`value="X-Key: \${secret:crawler-a-option-header}"`);
    expect(text.replace(/\$\{secret:[\w-]+\}/g, '').length).toBe(
      XML.length - secrets.reduce((sum, { start, end }) => sum + end - start, 0),
    );
    expect(replace(text)).toEqual({ text, secrets: [] });
  });

  it('mean the same as references', () => {
    const { definition } = read(XML);
    const { text, secrets } = replace(XML);
    const storedSecrets = new Map(secrets.map(({ name, value }) => [name, value]));
    expect(isSameDefinition(read(text, { storedSecrets }).definition, definition, 'place')).toBe(true);
    const otherSecrets = new Map([...storedSecrets, ['sink-main-password', 'other']]);
    expect(isSameDefinition(read(text, { storedSecrets: otherSecrets }).definition, definition, 'place')).toBe(false);
  });

  it('draw one warning in a file, and an error each in a text that was sent', () => {
    const [warning, ...others] = read(XML).problems.filter(({ code }) => code === 'literal-secret');
    expect(others).toEqual([]);
    expect(warning).toMatchObject({ severity: 'warning', place: { file: 'f', line: 2 } });
    expect(warning!.message).toMatch(/^13 secrets .*password of Sink old.*crawlway secrets import/);
    const { definition, problems } = read(XML, { filesWithoutSecrets: new Set(['f']) });
    expect(definition).toBeUndefined();
    const errors = problems.filter(({ severity }) => severity === 'error');
    expect(errors).toHaveLength(13);
    expect(errors.at(-1)).toMatchObject({ code: 'literal-secret', place: { line: 23, column: 109 } });
    expect(errors.at(-1)!.message).toContain(
      `PUT /api/v1/secrets/sink-main-password and write \${secret:sink-main-password}`,
    );
    expect(JSON.stringify(problems)).not.toMatch(/(?:server|header|sink|second|bearer)-secret/);
  });

  it.each([
    '<cw:Proxy url="http://u:p@SECRET@h:1"/>',
    '<cw:Proxy url="http://SECRET@h:1"/>',
    '<cw:Proxy url="http://u:a&#64;SECRET@h:1"/>',
    '<cw:Proxy url="http://u:a&amp;SECRET&#x40;h:1"/>',
    '<cw:Sink name="s" type="json" url="http://h/hook?key=SECRET&amp;api_key=SECRET"/>',
    '<cw:Sink name="s" type="json" url="http://h/hook?SECRET"/>',
    '<cw:Webhook name="w" url="https://h/hook?auth=SECRET"/>',
    '<!-- <cw:Sink pass="SECRET"/> -->',
    '<!-- <cw:Header name="Authorization" value="SECRET"/> -->',
    `<!-- <cw:Header name="Authorization" value='SECRET -->`,
    '<!-- http://SECRET@h/ -->',
    '<!-- password: SECRET -->',
    '<!-- a note\n  token=SECRET\n-->',
    '<![CDATA[ <a pwd="SECRET"/> ]]>',
    '<?note token="SECRET"?>',
    '<my:password>SECRET</my:password>',
    '<cw:CertificateAuthority>-----BEGIN PRIVATE KEY-----SECRET</cw:CertificateAuthority>',
  ])('are found in %s', (element) => {
    const { text, secrets } = replace(inRoot(element));
    expect(text).not.toContain('SECRET');
    expect(secrets.length).toBeGreaterThan(13);
    expect(replace(text).secrets).toEqual([]);
  });

  it.each([
    '<!-- a note on passwords: ask Ada -->',
    '<!-- password: ask Ada -->',
    '<!-- token: -->',
    '<!-- <Root url="http://a/"/> -->',
    `<!-- <cw:Sink password="\${CRAWLWAY_SECRET_X}"/> -->`,
    '<my:Thing useToken="yes" tokens="12"/>',
    '<cw:Sink name="s" type="json" url="http://h/hook?index=web&amp;tenant=5"/>',
    `<cw:Header name="Authorization" value="Bearer \${KEY}"/>`,
    '<cw:Credential url="https://c.example/" user="u" password=""/>',
  ])('are not seen in %s', (element) => {
    const { text, secrets } = replace(inRoot(element));
    expect(text).toContain(element);
    expect(secrets).toHaveLength(13);
  });

  it('have names that differ from those that are taken', () => {
    const xml = inRoot(`<cw:Sink name="s" type="json" url="http://h/" secret="\${secret:sink-main-password}"/>`);
    const { secrets } = replaceLiteralSecrets(new Map([['f', xml]]), read(xml).literalSecrets, [
      'sink-main-password-2',
    ]);
    expect(secrets.at(-1)!.name).toBe('sink-main-password-3');
  });

  it('are not quoted in a problem, also those of a tag that is not well-formed', () => {
    const broken = [
      XML.replace("password='sink-secret'", 'password="ab"sink-secret" x="1"'),
      XML.replace('http://a/" auth', '" period="soon" auth').replace('X-Key: header', 'X Key header'),
    ];
    for (const xml of broken) {
      const { problems } = read(xml);
      expect(problems.some(({ severity }) => severity === 'error')).toBe(true);
      expect(JSON.stringify(problems)).not.toMatch(/(?:sink|header|server)-secret/);
    }
  });
});

const CERTIFICATE = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
const PRIVATE_KEY = '-----BEGIN PRIVATE KEY-----\nSECRET\n-----END PRIVATE KEY-----';

it('a private key inside an element can be a reference', () => {
  const xml = XML.replace(
    `password='sink-secret'/>`,
    `password='sink-secret'><cw:ClientCertificate>\n${CERTIFICATE}${PRIVATE_KEY}\n</cw:ClientCertificate></cw:Sink>`,
  );
  const { text, secrets } = replace(xml);
  expect(text).toContain(`${CERTIFICATE}\${secret:sink-main-clientcertificate-text}\n</cw:ClientCertificate>`);
  expect(secrets.at(-1)!.value).toBe(PRIVATE_KEY);
  const storedSecrets = new Map(secrets.map(({ name, value }) => [name, value]));
  const { definition } = read(text, { storedSecrets });
  expect(isSameDefinition(definition, read(xml).definition, 'place')).toBe(true);
});

describe('references to stored secrets', () => {
  const refer = (name: string, secrets: [string, string][]) =>
    read(XML.replace('"Bearer bearer-secret"', `"Bearer \${secret:${name}}"`), { storedSecrets: new Map(secrets) });

  it('name an unknown one, suggest what was probably meant, and say how to set it', () => {
    const find = (name: string) =>
      refer(name, [['wiki-token', 't']]).problems.find(({ code }) => code === 'unknown-secret');
    expect(find('wiki-tokn')).toMatchObject({
      severity: 'error',
      message: 'there is no secret named wiki-tokn: did you mean wiki-token?',
      place: { line: 19 },
    });
    expect(find('portal')!.message).toBe('there is no secret named portal: set it with crawlway secrets set portal');
    expect(find('wiki-token')).toBeUndefined();
  });

  it('are listed with their places, known or not', () => {
    const { secretUses } = refer('wiki-token', []);
    expect(secretUses).toEqual([{ name: 'wiki-token', place: { file: 'f', line: 19, column: 37 } }]);
  });

  it('stand only where a secret may', () => {
    const { problems } = read(XML.replace('<Root url="http://a/"/>', `<Root url="http://\${secret:x}/"/>`));
    expect(problems.map(({ code }) => code)).toContain('misplaced-variable');
  });
});

describe('a rule file', () => {
  const readFile = (text: string) => (name: string) => (name === 'indexer.conf' ? text : '');
  const withFile = XML.replace('<cw:Servers>', '<cw:Servers file="indexer.conf">');
  const find = (text: string) =>
    read(withFile, { readFile: readFile(text) }).literalSecrets.filter(({ place }) => place.file === 'indexer.conf');
  const hide = (text: string): string =>
    replaceLiteralSecrets(new Map([['indexer.conf', text]]), find(text)).texts.get('indexer.conf')!;

  it.each([
    'AuthBasic u:SECRET',
    'AuthBassic u:SECRET',
    '# AuthBasic u:SECRET',
    '# AuthBasic u:SECRET RET',
    'ProxyAuthBasic u:SECRET',
    'DBAddr mysql://u:SECRET@localhost/search/',
    'HTTPHeader "X-Key: SECRET"',
    'password = SECRET',
    'Server http://SECRET@a/',
    '# Alias http://a/ http://u:p@SECRET@b/',
    'AuthBasic \\\n  u:SECRET',
    'AuthBasic \\\r\n  u:SECRET',
    'authbasic u:SEC\\\nRET',
  ])('has no secret in the line %j when it is shown', (line) => {
    const text = hide(`Tag a\n${line}\nTag b\r\n`);
    expect(text).toMatch(/^Tag a\n[^$]*\$\{secret:[\w-]+\}[^$]*\nTag b\r\n$/);
    expect(text).not.toMatch(/SEC|RET/);
    expect(hide(text)).toBe(text);
  });

  it.each([
    '# Author: Ada Lovelace',
    '# password: ask Ada',
    '# Auth: ask Ada',
    'UseCookie yes',
    'allow prefix http://a/*',
    'Tag AuthBasic',
  ])('shows the line %s', (line) => {
    expect(hide(`${line}\n`)).toBe(`${line}\n`);
  });

  it('refers to a stored secret, and its place is known', () => {
    const text = `Tag a\nAuthBasic \${secret:conf}\nServer http://c.example/\n`;
    const options = { readFile: readFile(text), storedSecrets: new Map([['conf', 'u:pass']]) };
    const { definition, secretUses } = read(withFile, options);
    const { parameters } = definition!.crawlers[0]!.servers!.records.find(({ url }) => url === 'http://c.example/')!;
    expect(JSON.stringify({ parameters })).not.toContain('pass');
    expect(secretUses).toEqual([{ name: 'conf', place: { file: 'indexer.conf', line: 2, column: 1 } }]);
    const { problems } = read(withFile, { readFile: readFile(text), storedSecrets: new Map([['conf', 'no colon']]) });
    expect(problems).toContainEqual(expect.objectContaining({ severity: 'error', code: 'bad-rule-file' }));
  });
});
