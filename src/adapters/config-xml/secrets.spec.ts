import { describe, expect, it } from 'vitest';
import { readConfiguration } from './read.js';
import { redactRules } from './rule-secrets.js';
import { redactConfiguration, restoreSecrets } from './secrets.js';

const XML = `<CrawlConfig xmlns:cw="urn:crawlway:config:1" xmlns:my="urn:my">
  <!-- <cw:Sink name="old" password="comment-secret" url="http://u:comment-pass@h/"/> -->
  <Crawler name="a">
    <cw:Servers><cw:Server url="http://a/" authentication="user:server-secret"/></cw:Servers>
    <cw:Conditions>
      <cw:option name="header" value="X-Key: header-secret"/>
      <cw:option name="max-hops" value="3"/>
      <cw:apply-for value="*a*"><cw:option name="credentials" value="u:condition-secret"/></cw:apply-for>
    </cw:Conditions>
    <my:Thing apiToken="stranger-secret"/>
    <cw:PushTo sink="main"/>
  </Crawler>
  <cw:Fetcher name="default">
    <cw:Proxy url="http://proxy:proxy-secret@10.0.0.1:3128"/>
    <cw:Credential url="https://a.example/" user="u" password="credential-secret"/>
    <cw:Credential url="https://b.example/" user="u" password="&quot;second-secret&quot;"/>
    <cw:Header name="Authorization" value="Bearer bearer-secret"/>
    <cw:Header name="X-Team" value="search"/>
  </cw:Fetcher>
  <cw:Sink name="main" type="papi" url="http://h:8742" login="crawlway" password='sink-secret' apiKey="\${API_KEY}"/>
</CrawlConfig>
`;

describe('secrets stay inside', () => {
  it('hides every secret, and nothing else', () => {
    const redacted = redactConfiguration(XML);
    expect(redacted).not.toMatch(/secret"|-secret|comment-pass/);
    expect(redacted).toMatch(/apiKey="\$\{API_KEY\}"/);
    expect(redacted).toContain('<cw:Header name="X-Team" value="search"/>');
    expect(redacted).toContain('value="X-Key: ********"');
    expect(redacted).toContain('url="http://********@10.0.0.1:3128"');
    expect(redacted).toContain('<!-- ******** hidden 1 of 1 -->');
    expect(redacted.match(/\*{8}/g)).toHaveLength(10);
    expect(redactConfiguration(redacted)).toBe(redacted);
  });

  it('restores every secret when the text comes back with changes elsewhere', () => {
    expect(restoreSecrets(redactConfiguration(XML), XML)).toBe(XML);
    const edit = (xml: string) =>
      xml
        .replace('<Crawler name="a">', '<Crawler name="new"/>\n<Crawler name="a" nthreads="3">')
        .replace(/^.*b\.example.*\n/m, '');
    expect(restoreSecrets(edit(redactConfiguration(XML)), XML)).toBe(edit(XML));
  });

  it('restores no secret for another address', () => {
    const stolen = redactConfiguration(XML)
      .replace('http://h:8742', 'http://evil.example')
      .replace('https://a.example/', 'https://evil.example/');
    const restored = restoreSecrets(stolen, XML);
    expect(restored).not.toContain('sink-secret');
    expect(restored).not.toContain('credential-secret');
    const { problems } = readConfiguration(restored, { file: 'f', env: { API_KEY: 'k' }, readFile: () => '' });
    expect(problems.filter(({ message }) => message.includes('asterisks'))).toHaveLength(2);
  });

  it.each([
    ['http://evil.example?@h:8742', 'sink-secret', 'http://h:8742'],
    ['http://evil.example#@h:8742', 'sink-secret', 'http://h:8742'],
    ['http://evil.example\\@h:8742', 'sink-secret', 'http://h:8742'],
    ['https://evil.example?@a.example/', 'credential-secret', 'https://a.example/'],
    ['http://h:8742/other', 'sink-secret', 'http://h:8742'],
  ])('restores no secret for %s, which only resembles its address', (url, secret, before) => {
    expect(restoreSecrets(redactConfiguration(XML).replace(`url="${before}"`, `url="${url}"`), XML)).not.toContain(
      secret,
    );
  });

  it.each([
    ['another type of sink', 'type="papi"', 'type="json"', ['sink-secret']],
    [
      'another proxy',
      '@10.0.0.1:3128',
      '@evil.example:3128',
      ['proxy-secret', 'credential-secret', 'bearer-secret', 'server-secret'],
    ],
    [
      'a proxy in a condition',
      '<cw:option name="max-hops" value="3"/>',
      '<cw:option name="proxy" value="http://evil.example"/>',
      ['credential-secret', 'condition-secret', 'header-secret', 'server-secret'],
    ],
    [
      'certificates that are not looked at',
      '<cw:Fetcher name="default">',
      '<cw:Fetcher name="default" verifyCertificates="false">',
      ['credential-secret', 'bearer-secret'],
    ],
    ['another site', '<cw:PushTo', '<Root url="http://evil.example/"/><cw:PushTo', ['bearer-secret']],
  ])('requires secrets again when there is %s', (_, before, after, secrets) => {
    const restored = restoreSecrets(redactConfiguration(XML).replace(before, after), XML);
    for (const secret of secrets) expect(restored).not.toContain(secret);
  });

  it('is not misled by text that only looks like a comment', () => {
    const odd = XML.replace('<CrawlConfig', '<?note <!-- ?><CrawlConfig').replace(
      '</Crawler>',
      '<![CDATA[<!--]]></Crawler>',
    );
    expect(redactConfiguration(odd)).not.toMatch(/-secret|comment-pass/);
    expect(restoreSecrets(redactConfiguration(odd), odd)).toBe(odd);
  });

  it.each([
    '<cw:Proxy url="http://u:p@SECRET@h:1"/>',
    '<cw:Proxy url="http://SECRET@h:1"/>',
    '<cw:Proxy url="http://u:a&#64;SECRET@h:1"/>',
    '<cw:Proxy url="http://u:a&amp;SECRET&#x40;h:1"/>',
    '<cw:Sink name="s" type="json" url="http://h/hook?key=SECRET&amp;to=SECRET"/>',
    '<cw:Webhook name="w" url="https://h/hook?code=SECRET"/>',
    '<!-- <cw:Sink pass="SECRET"/> -->',
    '<!-- <cw:Header name="Authorization" value="SECRET"/> -->',
    '<!-- <cw:Header name="Authorization" value=SECRET -->',
    '<!-- password: SECRET -->',
    '<!-- http://SECRET@h/ -->',
    '<![CDATA[ <a pwd="SECRET"/> ]]>',
    '<?note token="SECRET"?>',
    '<my:password>SECRET</my:password>',
    '<cw:CertificateAuthority>-----BEGIN PRIVATE KEY-----SECRET</cw:CertificateAuthority>',
  ])('hides the secret of %s, and restores it', (element) => {
    const xml = XML.replace('</CrawlConfig>', `${element}</CrawlConfig>`);
    expect(redactConfiguration(xml)).not.toContain('SECRET');
    expect(redactConfiguration(redactConfiguration(xml))).toBe(redactConfiguration(xml));
    expect(restoreSecrets(redactConfiguration(xml), xml)).toBe(xml);
  });

  it('shows comments that hold no secret', () => {
    for (const comment of [
      '<!-- a note -->',
      '<!-- <Root url="http://a/"/> -->',
      '<!-- <cw:PushTo sink="a"/> x="1" -->',
    ])
      expect(redactConfiguration(XML.replace('</CrawlConfig>', `${comment}</CrawlConfig>`))).toContain(comment);
  });

  it.each([
    'AuthBassic u:SECRET',
    'ProxyAuthBasic u:SECRET',
    'DBAddr mysql://u:SECRET@localhost/search/',
    'HTTPHeader "X-Key: SECRET"',
    'password = SECRET',
    'Server http://SECRET@a/',
    '# Alias http://a/ http://u:p@SECRET@b/',
  ])('hides the secret of the line %s', (line) => {
    expect(redactRules(`Tag a\n${line}\nTag b\r\n`)).toMatch(/^Tag a\n[^\n]*\*{8}[^\n]*\nTag b\r\n$/);
    expect(redactRules(`${line}`)).not.toContain('SECRET');
  });

  it('quotes nothing of a tag with a stray quote', () => {
    const { problems } = readConfiguration(XML.replace("password='sink-secret'", 'password="ab"SECRET" x="1"'), {
      file: 'f',
      env: {},
      readFile: () => '',
    });
    expect(problems).toHaveLength(1);
    expect(JSON.stringify(problems)).not.toContain('SECRET');
  });

  it('accepts a new secret as written', () => {
    const changed = redactConfiguration(XML).replace("password='********'", "password='changed'");
    expect(restoreSecrets(changed, XML)).toBe(XML.replace('sink-secret', 'changed'));
  });

  it('does not touch text that is not XML, which the reader refuses', () => {
    expect(restoreSecrets('<a ********', XML)).toBe('<a ********');
    expect(() => redactConfiguration('<a password="x"')).toThrow();
  });

  it('hides the passwords of an indexer.conf, commented-out and continued ones too', () => {
    const conf =
      'authbasic u:conf-secret\nAuthBasic \\\n  u:con\\\nf-secret\r\n# AuthBasic u:conf-secret\nServer http://u:conf-secret@a/\n';
    const hidden = redactRules(conf);
    expect(hidden).not.toMatch(/secret/);
    expect(hidden).toContain('Server http://********@a/');
    expect(redactRules('allow prefix http://a/*\nTag AuthBasic\n')).toBe('allow prefix http://a/*\nTag AuthBasic\n');
  });

  it('never shows a secret in a problem', () => {
    const { problems } = readConfiguration(
      XML.replace('http://a/" auth', '" period="soon" auth').replace('X-Key: header', 'X Key header'),
      {
        file: 'f',
        env: { API_KEY: 'env-secret' },
        readFile: () => '',
      },
    );
    expect(problems.length).toBeGreaterThan(1);
    expect(JSON.stringify(problems)).not.toMatch(/secret/);
  });
});
