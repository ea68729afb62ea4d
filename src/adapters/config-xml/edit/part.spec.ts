import { describe, expect, it } from 'vitest';
import { readPart, widenPart } from './part.js';

const WHOLE = `<?xml version="1.0"?>
<!-- sales plans -->
<CrawlConfig xmlns="exa:com.exalead.mercury.mami.crawl.v20" xmlns:cw="urn:crawlway:config:1">
  <Crawler name="sales"><Root url="https://sales.example/"/><cw:PushTo sink="shared"/><cw:PushTo sink="theirs"/></Crawler>
  <Crawler name="hr" nthreads="2"><Root url="https://hr.example/"/><cw:PushTo sink="own"/><cw:PushTo sink="shared"/>
    <cw:FetchWith fetcher="hr"/>
  </Crawler>
  <cw:Fetcher name="hr"/><cw:Fetcher name="sales"/><cw:Fetcher name="default"/>
  <cw:Sink name="own" type="papi" url="https://index.example/hr" password="\${secret:hr.index}"/>
  <cw:Sink name="shared" type="papi" url="https://index.example/all"/>
  <cw:Sink name="theirs" type="papi" url="https://index.example/sales" password="\${secret:sales.index}"/>
</CrawlConfig>
`;
const HR = new Set(['hr']);
const PART = readPart(WHOLE, HR);
const widen = (part: string) => widenPart(WHOLE, HR, part, (name) => name.startsWith('hr.'));
const refusalsOf = (from: string, to: string): string[] => {
  const part = PART.replace(from, () => to);
  expect(part).not.toBe(PART);
  return widen(part).problems.map(({ code, message, place }) => `${place.line} ${code} ${message}`);
};

describe('the part of some crawlers', () => {
  it('has their elements and the sinks that are theirs alone, and not a word of the rest', () => {
    expect(PART.match(/<(?:cw:)?(?:Crawler|Sink|Fetcher) name="\w+"/g)).toEqual([
      '<Crawler name="hr"',
      '<cw:Sink name="own"',
    ]);
    expect(PART).not.toContain('sales');
    expect(readPart(WHOLE, new Set())).not.toMatch(/Crawler |Sink/);
  });

  it('is put back where it was, and everything else stays as it is', () => {
    expect(widen(PART)).toMatchObject({ xml: WHOLE, problems: [], sinks: new Set(['own']) });
    const { xml, problems } = widen(
      PART.replace('nthreads="2"', 'nthreads="3"')
        .replace('papi" url', 'papi" timeoutMS="9" url')
        .replace('hr.index', 'hr.other'),
    );
    expect(problems).toEqual([]);
    expect(xml).toBe(
      WHOLE.replace('nthreads="2"', 'nthreads="3"')
        .replace('papi" url="https://index.example/hr', 'papi" timeoutMS="9" url="https://index.example/hr')
        .replace('hr.index', 'hr.other'),
    );
  });

  it('says where in it a place of the whole is', () => {
    // A sink that is not in use any more has no effect on the places behind it.
    const { toPart } = widen(PART.replace('<cw:PushTo sink="own"/>', ''));
    const at = (line: number, column: number) => toPart({ file: 'CrawlConfig.xml', line, column });
    const fetchWith = PART.split('\n').findIndex((line) => line.includes('FetchWith')) + 1;
    expect(at(6, 5)).toEqual({ file: 'CrawlConfig.xml', line: fetchWith, column: 5 });
    expect([at(5, 3), at(9, 9)]).toMatchObject([
      { line: 2, column: 3 },
      { line: 5, column: 9 },
    ]);
    expect([at(4, 20), at(8, 4), at(11, 10)]).toEqual([undefined, undefined, undefined]);
  });

  it.each([
    ['<Crawler name="hr"', '<Crawler name="sales"', 'Crawler hr is missing'],
    ['<Crawler name="hr"', '<Crawler xmlns:x="urn:x" x:name="hr" name="sales"', 'Crawler hr is missing'],
    [
      '<Crawler name="hr" nthreads="2">',
      '<x:Crawler xmlns:x="urn:x" name="hr"/><Crawler name="y">',
      'Crawler hr is missing',
    ],
    ['</CrawlConfig>', '<Crawler name="new"/></CrawlConfig>', 'Crawler new is new or belongs to others'],
    ['</CrawlConfig>', '<cw:Quota name="hr"/></CrawlConfig>', 'Quota hr is new or belongs to others'],
    ['</CrawlConfig>', '<cw:Fetcher name="hr"/></CrawlConfig>', 'Fetcher hr is new or belongs to others'],
    ['index.example/hr', 'index.example/sales', 'the url of Sink own differs'],
    ['type="papi"', 'type="file"', 'the type of Sink own differs'],
    ['sink="own"', 'sink="theirs"', 'sink="theirs" is new here'],
    ['fetcher="hr"', 'fetcher="sales"', 'fetcher="sales" is new here'],
    ['<cw:FetchWith fetcher="hr"/>', '', 'fetcher="default" is new here'],
    ['secret:hr.index', 'secret:sales.index', `\${secret:sales.index} is new here`],
    ['secret:hr.index', 'file:/etc/passwd', `\${file:/etc/passwd} is new here`],
    ['<Root', '<CrawlSpace file="sales.rules"/><Root', 'file="sales.rules" is new here'],
    [
      '<Root',
      '<cw:Conditions><cw:option name="proxy" value="http://10.0.0.1/"/></cw:Conditions><Root',
      'proxy="http://10.0.0.1/" is new here',
    ],
    [
      'url="https://index',
      '><cw:AllowAddress value="10.0.0.0/8"/></cw:Sink><a b="',
      'AllowAddress 10.0.0.0/8 is new here',
    ],
    ['<CrawlConfig ', '<CrawlConfig xmlns:ar="exa:com.exalead.actionrules.v21" ', 'the tag CrawlConfig differs'],
  ])('cannot reach beyond it: %s → %s', (from, to, message) => {
    expect(refusalsOf(from, to).join('\n')).toContain(
      `beyond-role ${message}: only an administrator of the whole server may change this`,
    );
  });

  it('says at which line it is not well-formed', () => {
    expect(refusalsOf('</Crawler>', '')).toEqual([expect.stringMatching(/^\d+ xml-not-well-formed /)]);
  });
});
