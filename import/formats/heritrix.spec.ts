import { describe, expect, it } from 'vitest';
import { accepts, file, importAndLoad, linesOf, SITE, verdicts } from '../../test/support/imported.js';
import { convert } from '../index.js';
import { createHeritrix } from '../original/heritrix.js';

const job = (kind: string, prefixes: string) =>
  file(
    'crawler-beans.cxml',
    `<beans><bean id="scope" class="org.archive.modules.deciderules.DecideRuleSequence"><property name="rules"><list>
<bean class="org.archive.modules.deciderules.${kind === 'SurtPrefixedDecideRule' ? 'Reject' : 'Accept'}DecideRule"/>
<bean class="org.archive.modules.deciderules.surt.${kind}">
  <property name="decision" value="${kind === 'SurtPrefixedDecideRule' ? 'ACCEPT' : 'REJECT'}"/>
  <property name="seedsAsSurtPrefixes" value="false"/>
  <property name="surtsSource"><bean class="org.archive.spring.ConfigString"><property name="value"><value>
${prefixes}
  </value></property></bean></property>
</bean></list></property></bean></beans>`,
  );
const seeds = file('seeds.txt', `${SITE}/\n`);

it('hosts and URLs that are written in the job are SURT prefixes', () => {
  verdicts(accepts('heritrix', job('SurtPrefixedDecideRule', 'example.org\nhttp://docs.example.com/a/'), seeds), {
    'http://www.example.org/x': true,
    'http://docs.example.com/a/b': true,
    'http://docs.example.com/b': false,
  });
});

it('lines with a sign among the seeds are prefixes for the rules that accept or reject', () => {
  const rules = ['ACCEPT', 'REJECT'].map(
    (decision) =>
      `<bean class="org.archive.modules.deciderules.surt.SurtPrefixedDecideRule"><property name="decision" value="${decision}"/><property name="seedsAsSurtPrefixes" value="${decision === 'ACCEPT'}"/></bean>`,
  );
  const scope = `<beans><bean id="scope" class="org.archive.modules.deciderules.DecideRuleSequence"><property name="rules"><list><bean class="org.archive.modules.deciderules.RejectDecideRule"/>${rules.join('')}</list></property></bean></beans>`;
  const lines = file('seeds.txt', `${SITE}/\n+http://(com,example,docs,\n-www.example.com/private/\n`);
  const files = [file('crawler-beans.cxml', scope), lines];
  verdicts(accepts('heritrix', ...files), {
    '/a': true,
    '/private/a': false,
    'https://docs.example.com/a': true,
    'https://example.org/': false,
  });
  const { definition, report } = importAndLoad('heritrix', ...files);
  expect(definition.crawlers[0]!.roots.map(({ url }) => url)).toEqual([`${SITE}/`]);
  expect(linesOf(report, 'not taken')).toEqual([]);
});

it('of several lists of seeds, only the one that the job names is used', () => {
  const named = file(
    'crawler-beans.cxml',
    job('SurtPrefixedDecideRule', '')
      .text.replace(
        '</beans>',
        '<bean id="seeds" class="org.archive.modules.seeds.TextSeedModule"><property name="textSource"><bean class="org.archive.spring.ConfigFile"><property name="path" value="lists/seeds.txt"/></bean></property></bean></beans>',
      )
      .replace('name="seedsAsSurtPrefixes" value="false"', 'name="seedsAsSurtPrefixes" value="true"'),
  );
  const files = [named, file('seeds-2012.txt', 'http://old.test/\n'), seeds];
  const { xml, report } = convert('heritrix', files);
  expect([...xml.matchAll(/<Root url="(\S+)"/g)].map(([, url]) => url)).toEqual([`${SITE}/`]);
  expect(linesOf(report, 'not taken')).toContain('seeds-2012.txt:1 seeds-2012.txt');
  const urls = { '/a': true, 'http://old.test/': false };
  verdicts(accepts('heritrix', ...files), urls);
  verdicts((path) => createHeritrix(files).judge(new URL(path, SITE)).accepted, urls);
});

it('without prefixes, the rule for everything else is about every URL', () => {
  verdicts(accepts('heritrix', job('NotSurtPrefixedDecideRule', ''), seeds), { '/a': false });
  verdicts(accepts('heritrix', job('NotSurtPrefixedDecideRule', '+http://(com,example,'), seeds), {
    '/a': true,
    'http://a.test/': false,
  });
});

describe('rules about the hosts and domains of the seeds', () => {
  const DECIDE = 'org.archive.modules.deciderules';
  const scope = (kind: string, first: string, decision: string, source = '') =>
    file(
      'crawler-beans.cxml',
      `<beans><bean id="scope" class="${DECIDE}.DecideRuleSequence"><property name="rules"><list>
<bean class="${DECIDE}.${first}DecideRule"/>
<bean class="${DECIDE}.surt.${kind}DecideRule"><property name="decision" value="${decision}"/>${source}</bean>
</list></property></bean></beans>`,
    );
  const job = [`${SITE}/docs/a`, 'http://example.org:8080/x/', 'http://www.example.net/'].join('\n');
  const onHosts = {
    '/other': true,
    'http://www.example.com/': true,
    'http://shop.example.com/': false,
    'http://example.com/': false,
    'http://example.org:8080/y': true,
    'http://example.org/': false,
    'http://notexample.net/': false,
  };
  const onDomains = {
    ...onHosts,
    'http://shop.example.com/': true,
    'http://example.com/': true,
    'http://a.b.example.net/': true,
  };
  const negate = (urls: Readonly<Record<string, boolean>>) =>
    Object.fromEntries(Object.entries(urls).map(([url, accepted]) => [url, !accepted]));

  it.each([
    ['OnHosts', onHosts],
    ['OnDomains', onDomains],
  ])('%s: the same rule may accept them, reject them, or reject everything else', (kind, urls) => {
    const seeds = file('seeds.txt', job);
    const judge = (name: string, first: string, decision: string) => {
      const files = [scope(name, first, decision), seeds];
      const original = createHeritrix(files);
      const inOriginal = (url: string) => original.judge(new URL(url, SITE)).accepted;
      return [accepts('heritrix', ...files), inOriginal];
    };
    for (const accepted of judge(kind, 'Reject', 'ACCEPT')) verdicts(accepted, urls);
    for (const accepted of judge(kind, 'Accept', 'REJECT')) verdicts(accepted, negate(urls));
    for (const accepted of judge(`Not${kind}`, 'Accept', 'REJECT')) verdicts(accepted, urls);
  });

  it('prefixes of another source count by their host or domain, and seeds may be left out', () => {
    const source = `<property name="seedsAsSurtPrefixes" value="false"/><property name="surtsSource">
<bean class="org.archive.spring.ConfigString"><property name="value"><value>
+http://(com,example,www,)/docs/
</value></property></bean></property>`;
    const seeds = file('seeds.txt', 'http://www.example.net/');
    verdicts(accepts('heritrix', scope('OnHosts', 'Reject', 'ACCEPT', source), seeds), {
      '/other': true,
      'http://example.com/': false,
      'http://www.example.net/other': false,
    });
    verdicts(accepts('heritrix', scope('OnDomains', 'Reject', 'ACCEPT', source), seeds), {
      '/other': true,
      'http://example.com/': true,
      'http://www.example.net/other': false,
    });
  });
});

describe('values from elsewhere', () => {
  const DECIDE = 'org.archive.modules.deciderules';
  const scope = (rules: string, more = '') => `<beans><bean id="simpleOverrides" class="x.PropertyOverrideConfigurer">
<property name="properties"><value>
metadata.jobName=news
scope.rules[2].maxPathDepth=3
scope.rules[3].decision=ACCEPT
denied.enabled=false
</value></property></bean>
<bean id="scope" class="${DECIDE}.DecideRuleSequence"><property name="rules"><list>
<bean class="${DECIDE}.AcceptDecideRule"/>
<bean class="${DECIDE}.surt.SurtPrefixedDecideRule"><property name="surtsSource"><bean class="org.archive.spring.ConfigFile"/></property></bean>
<bean class="${DECIDE}.TooManyPathSegmentsDecideRule"/>
<ref bean="kept"/><ref bean="denied"/>${rules}</list></property></bean>
<bean id="kept" class="${DECIDE}.MatchesRegexDecideRule"><property name="decision" value="REJECT"/><property name="regex" value=".*/kept/.*"/></bean>
<bean id="denied" class="${DECIDE}.MatchesRegexDecideRule"><property name="decision" value="REJECT"/><property name="regex" value=".*/denied"/></bean>
${more}</beans>`;
  const both = (...files: ReturnType<typeof file>[]) => {
    const original = createHeritrix([...files, seeds]);
    const accepted = accepts('heritrix', ...files, seeds);
    return (path: string) => {
      expect(original.judge(new URL(SITE + path)).accepted, path).toBe(accepted(path));
      return accepted(path);
    };
  };

  it('overrides are about rules by their place in the scope, or by their name', () => {
    const accepted = both(file('crawler-beans.cxml', scope('')));
    expect(['/a/b/c', '/a/b/c/d', '/kept/b/c/d', '/denied'].map(accepted)).toEqual([true, false, true, true]);
  });

  it('a list of another file counts, and the lack of this file is an error', () => {
    const list = `<bean class="${DECIDE}.MatchesListRegexDecideRule"><property name="decision" value="REJECT"/><property name="regexList" ref="excludes"/></bean>`;
    const job = file('crawler-beans.cxml', scope(list));
    const excludes = file(
      'excludes.xml',
      '<beans><util:list id="excludes"><value>.*/calendar</value></util:list></beans>',
    );
    expect(['/calendar', '/a'].map(both(job, excludes))).toEqual([false, true]);
    expect(() => convert('heritrix', [job, seeds])).toThrow('there is no excludes: specify the file that has it, too');
  });

  it('variables have their defaults, and a rule with another placeholder is not taken', () => {
    const depth = (value: string) =>
      `<bean class="${DECIDE}.TooManyPathSegmentsDecideRule"><property name="maxPathDepth" value="${value}"/></bean>`;
    const job = (value: string) => file('crawler-beans.cxml', scope(depth(value)));
    for (const value of ["#{systemEnvironment['DEPTH'] ?: 2}", `\${DEPTH:2}`])
      expect(['/a/b', '/a/b/c'].map(both(job(value)))).toEqual([true, false]);
    const { report } = convert('heritrix', [job('%{DEPTH}'), seeds]);
    expect(report.lines).toContainEqual(
      expect.objectContaining({ kind: 'not taken', setting: 'TooManyPathSegmentsDecideRule %{DEPTH}' }),
    );
  });
});

it('a prefix of a file may end within a name, and the lack of the file is reported', () => {
  const scope = file(
    'crawler-beans.cxml',
    job('SurtPrefixedDecideRule', '').text.replace(
      /<property name="surtsSource">[\s\S]*?<\/bean><\/property>/,
      '<property name="surtsSourceFile" value="lists/surts.txt"/>',
    ),
  );
  verdicts(accepts('heritrix', scope, seeds, file('surts.txt', 'http://(com,,exam\nhttp://(org,a.b,)/x-y/+/\n')), {
    'http://exam.com/': true,
    'http://www.example.com/a': true,
    'http://notexample.com/': false,
    'http://a.b.org/x-y/+/z': true,
    'http://a.b.org/x-y/': false,
  });
  const { report } = convert('heritrix', [scope, seeds]);
  expect(linesOf(report, 'not taken')).toEqual(['crawler-beans.cxml:6 surtsSource lists/surts.txt']);
});

it('a pattern of files is about all kinds unless one is chosen', () => {
  const rule = (preset = '') =>
    file(
      'crawler-beans.cxml',
      job('NotSurtPrefixedDecideRule', '').text.replace(
        /<bean class="\S+\.surt\.[\s\S]*?<\/bean><\/property>\s*<\/bean>/,
        `<bean class="x.MatchesFilePatternDecideRule"><property name="decision" value="REJECT"/>${preset}</bean>`,
      ),
    );
  verdicts(accepts('heritrix', rule(), seeds), { '/a.PDF': false, '/a.mp3': false, '/a.html': true });
  const images = '<property name="usePreset" value="IMAGES"/>';
  verdicts(accepts('heritrix', rule(images), seeds), { '/a.pdf': true, '/a.jpeg': false });
});

it.each([
  ['maxLengthBytes', '1000', /left out instead of truncated/],
  ['maxLengthBytes', '0', /no limit/],
  ['robotsPolicyName', 'robotsTxtOnly', /^robots\.txt is obeyed, and so are the directives of pages$/],
  ['robotsPolicyName', 'ignore', /^ignoreRobotsTxt, and/],
])('%s %s: the report says what is different', (name, value, note) => {
  const bean = `<beans><bean class="org.archive.modules.A"><property name="${name}" value="${value}"/></bean></beans>`;
  const files = [file('crawler-beans.cxml', bean), file('seeds.txt', `${SITE}/\n`)];
  const { report, xml } = importAndLoad('heritrix', ...files);
  expect(report.lines.find(({ setting }) => setting === `${name} = ${value}`)).toMatchObject({
    kind: 'taken differently',
    note: expect.stringMatching(note),
  });
  expect(xml).not.toContain('maxSizeBytes=');
});
