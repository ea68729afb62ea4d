import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readConfiguration } from './read.js';

const noFiles = (name: string): string => {
  throw new Error(`no file ${name}`);
};

const read = (xml: string, env: Record<string, string> = {}) =>
  readConfiguration(xml, { file: 'CrawlConfig.xml', env, readFile: noFiles });

describe('a configuration is read', () => {
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
          rules: [{ number: 1, actions: { accept: true, index: true, follow: true } }],
        },
      ],
      fetchers: [{ name: 'default', allowedAddresses: ['127.0.0.0/8'] }],
      sinks: [{ name: 'main', type: 'papi', connector: 'crawlway' }],
    });
  });

  it('tells ten mistakes at once, each at its line', () => {
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
});
