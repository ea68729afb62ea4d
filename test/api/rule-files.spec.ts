import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiWorld, type Problem } from './api-world.js';

const CRAWLER = `<Root url="SITE/" site="true"/>
    <cw:CrawlSpace rules="crawl.rules"/>
    <cw:Servers file="indexer.conf"/>`;
const SECRET = 'user:open sesame';
/** A busy machine may take its time. */

describe('the calls for rule files', () => {
  let world: ApiWorld;
  beforeAll(async () => {
    world = await ApiWorld.start({
      crawler: CRAWLER,
      files: {
        'crawl.rules': '# everything of the site\nallow prefix *\n',
        'indexer.conf': `FollowOutside yes\nAuthBasic ${SECRET}\nServer https://intranet.example/\n# AuthBasic ${SECRET}\n`,
      },
    });
    await world.caughtUp();
  });
  afterAll(() => world.stop());

  const onDisk = (name: string): string => readFileSync(join(dirname(world.configFile), name), 'utf8');
  const put = async <T = never>(body: object, query = '') =>
    world.send<T>('PUT', `config${query}`, body, { 'if-match': await world.etag() });
  const narrow = (): string => `forbid prefix ${world.site.url('/a')}*\nallow prefix *\n`;

  it('list them with their purpose, without passwords', async () => {
    const { body, headers } = await world.get('config/files');
    expect(body.items).toMatchObject([
      { name: 'crawl.rules', kind: 'crawl-space', text: '# everything of the site\nallow prefix *\n' },
      { name: 'indexer.conf', kind: 'server-records' },
    ]);
    expect(JSON.stringify(body)).not.toContain('sesame');
    expect(headers.get('etag')).toBe(await world.etag());
  });

  it('check a text, report mistakes with their places, and change nothing', async () => {
    const files = { 'crawl.rules': 'allow prefix *\nforbid domian a.example\n' };
    const { body } = await world.send('POST', 'config/check', { files });
    expect(body.valid).toBe(false);
    expect(body.problems).toMatchObject([
      { file: 'crawl.rules', line: 2, column: 8, code: 'bad-rule-file' },
      { file: 'indexer.conf', line: 2, code: 'literal-secret', severity: 'warning' },
    ]);
    expect((await put<Problem>({ files })).status).toBe(422);
    expect(onDisk('crawl.rules')).toContain('# everything');
  });

  it('preview a text, require confirmation of many deletions, and apply it', async () => {
    const before = await world.etag();
    const files = { 'crawl.rules': narrow() };
    const { body } = await world.send('POST', 'config/preview', { files });
    expect(body.crawlers[0].documentsDeleted.samples[0].url).toBe(world.site.url('/a.html'));
    expect((await put({ files })).status).toBe(409);
    expect((await put({ files }, '?confirm=true')).status).toBe(200);
    expect(onDisk('crawl.rules')).toBe(narrow());
    expect(await world.etag()).not.toBe(before);
    await world.caughtUp(3);
    expect(world.pushed).toContain('delete /a.html');
    const excluded = await world.get('crawlers/test/urls?status=760');
    expect(excluded.body.items).toMatchObject([
      { url: world.site.url('/a.html'), status: 'excluded', lastStatus: 760 },
    ]);
    expect((await world.get('crawlers/test/urls?status=761')).body.items).toEqual([]);
    expect(readdirSync(dirname(world.configFile)).sort()).toEqual(['CrawlConfig.xml', 'crawl.rules', 'indexer.conf']);
    const { body: audit } = await world.get('audit');
    expect(JSON.stringify(audit.items[0])).toContain('crawl.rules');
  });

  it('accept a new file together with the element that names it', async () => {
    const { text: xml } = await world.get('config');
    const named = xml.replace('</CrawlConfig>', '  <cw:GlobalCrawlSpace rules="global.rules"/>\n</CrawlConfig>');
    const files = { 'global.rules': 'allow domain *\n' };
    expect((await put({ xml: named, files })).status).toBe(200);
    expect(onDisk('global.rules')).toBe('allow domain *\n');
    expect((await world.get('config/files')).body.items).toHaveLength(3);
    writeFileSync(join(dirname(world.configFile), 'global.rules'), 'allow domain *\n# by hand\n');
    const texts = async () => JSON.stringify((await world.get('config/files')).body.items);
    await expect.poll(texts).toContain('# by hand');
  });

  it('accept texts of several megabytes, as large as a configuration may be', async () => {
    const before = onDisk('crawl.rules');
    const line = '# said again and again\n';
    const long = before + line.repeat((3 << 20) / line.length);
    expect((await put({ files: { 'crawl.rules': long } })).status).toBe(200);
    expect(onDisk('crawl.rules')).toBe(long);
    const { body } = await world.send('POST', 'config/check', { files: { 'crawl.rules': long } });
    expect(body.valid).toBe(true);
    expect((await put({ files: { 'crawl.rules': before } })).status).toBe(200);
    expect((await put({ files: { 'crawl.rules': 'x'.repeat(17 << 20) } })).status).toBe(413);
    const rule = { xml: 'x'.repeat(2 << 20) };
    expect((await world.send('POST', 'config/crawlers/test/rules', rule)).status).toBe(413);
  });

  it('refuse a file that the configuration does not name, or that is outside of its folder', async () => {
    for (const name of ['other.rules', '../outside.rules', '/etc/crontab']) {
      const { status, body } = await put<Problem>({ files: { [name]: 'allow domain *\n' } });
      expect(status).toBe(422);
      expect(body.errors![0]!.detail).toContain('names no rule file');
    }
    expect((await put({ files: { 'crawl.rules': 7 } })).status).toBe(400);
    expect((await put({ file: {} })).status).toBe(400);
  });

  it('refuse a password in a text that is sent, and take a reference to it once it is stored', async () => {
    const { text } = (await world.get('config/files')).body.items.find(
      ({ name }: { name: string }) => name === 'indexer.conf',
    );
    const changed = `${text}Server https://stranger.example/\n`;
    const unknown = await put<Problem>({ files: { 'indexer.conf': changed } });
    expect([unknown.status, unknown.body.errors]).toEqual([
      422,
      [expect.objectContaining({ code: 'unknown-secret', file: 'indexer.conf', line: 2 })],
    ]);
    const literal = changed.replace(`\${secret:indexer-conf-authbasic}`, SECRET);
    const refused = await put<Problem>({ files: { 'indexer.conf': literal } });
    expect([refused.status, refused.body.errors!.map(({ line }) => line)]).toEqual([422, [2]]);
    expect(refused.body.errors![0]!.detail).toContain('PUT /api/v1/secrets/indexer-conf-authbasic');
    await world.send('PUT', 'secrets/indexer-conf-authbasic', { value: SECRET });
    expect((await put({ files: { 'indexer.conf': changed } })).status).toBe(200);
    expect(onDisk('indexer.conf')).not.toContain('sesame');
    expect((await world.get('secrets')).body.items).toMatchObject([
      { name: 'indexer-conf-authbasic', uses: [{ file: 'indexer.conf', line: 2 }] },
    ]);
  });

  it('keep the texts with every version and restore them with it', async () => {
    const versions = (await world.get('config/versions')).body.items;
    const first = versions.at(-1).version;
    const { body } = await world.get(`config/versions/${first}/files`);
    expect(body.items.map(({ name }: { name: string }) => name)).toEqual(['crawl.rules', 'indexer.conf']);
    expect(JSON.stringify(body)).not.toContain('sesame');
    expect((await world.send('POST', `config/versions/${first}/restore`)).status).toBe(200);
    expect(onDisk('crawl.rules')).toContain('# everything');
    expect(onDisk('indexer.conf')).toContain(`AuthBasic \${secret:indexer-conf-authbasic}`);
    await world.caughtUp(4);
  });

  it('reject other files: the configuration, a key, or the target of a link to the outside', async () => {
    const config = dirname(world.configFile);
    writeFileSync(join(config, 'tls.key'), 'PRIVATE-KEY-WORDS\n');
    writeFileSync(join(config, 'notes.txt'), 'PRIVATE-NOTE-WORDS one\nPRIVATE-NOTE-WORDS two\n');
    writeFileSync(join(world.folder, 'outside.rules'), 'OUTSIDE-WORDS\n');
    symlinkSync(join(world.folder, 'outside.rules'), join(config, 'link.rules'));
    for (const [name, problem] of [
      ['CrawlConfig.xml', 'refused-file'],
      ['tls.key', 'refused-file'],
      ['link.rules', 'refused-file'],
      ['notes.txt', 'bad-rule-file'],
    ] as const) {
      for (const element of [`<cw:Servers file="${name}"/>`, `<cw:CrawlSpace rules="${name}"/>`]) {
        const xml = world.configuration({ crawler: element });
        const answer = await world.sendXml('POST', 'config/check', xml);
        const found = answer.body.problems.filter(({ severity }: { severity: string }) => severity === 'error');
        expect(
          found.map(({ code }: { code: string }) => code),
          `${element} ${answer.text}`,
        ).toEqual([problem]);
        expect(answer.text).not.toMatch(/PRIVATE|OUTSIDE|hunter/);
        expect((await world.sendXml('PUT', 'config', xml)).status).toBe(422);
      }
    }
  });

  it('a file sink writes below one folder only, and only lines of JSON', async () => {
    for (const url of ['/etc/cron.d/x.jsonl', '../../x.jsonl', '.bashrc', 'a/../../../x.json']) {
      const xml = world.configuration().replace(/type="file" url="[^"]*"/, `type="file" url="${url}"`);
      const answer = await world.sendXml('PUT', 'config', xml);
      expect([answer.status, answer.body.errors?.[0]?.detail], url).toEqual([
        422,
        expect.stringContaining('url of sink main: specify a file'),
      ]);
    }
  });
});
