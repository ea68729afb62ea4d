/**
 * Random configurations and random URLs: what the original product's own rules say, written down from its
 * documentation, against what the imported configuration says. They differ only where the report says so.
 */
import fc from 'fast-check';
import { describe, it } from 'vitest';
import {
  checkProperty,
  domain,
  expression,
  host,
  quote,
  seeds,
  signed,
  some,
  word,
} from '../test/support/import-proof.js';
import { file, SITE } from '../test/support/imported.js';

describe('the original and the imported configuration say the same', () => {
  it('for Nutch', () => {
    const lines = (items: fc.Arbitrary<string>) =>
      fc.array(items, { minLength: 1, maxLength: 6 }).map((list) => list.join('\n'));
    const suffixes = fc
      .tuple(
        fc.constantFrom('+', '-', '+I\n+P', '-P', '-I'),
        lines(fc.constantFrom('.pdf', '.html', '.HTML', 'docs', '.php', '/')),
      )
      .map((parts) => parts.join('\n'));
    const fast = lines(
      fc.oneof(
        domain.map((name) => `Domain ${name}`),
        host.map((name) => `Host ${name}`),
        word.map((text) => `  DenyPath ^/${quote(text)}`),
        word.map((text) => `  DenyPathQuery ${quote(text)}`),
        fc.constantFrom('  DenyPathQuery [?&]q=', '  DenyPath \\.pdf$', '  DenyPathQuery ^/docs\\?', 'Domain .'),
      ),
    );
    return checkProperty(
      'nutch',
      some(
        signed.map((list) => file('regex-urlfilter.txt', list.join('\n'))),
        lines(
          fc.oneof(
            host.map((name) => `https://${name}/`),
            host.map((name) => `http://${name}`),
            fc.constant('http'),
          ),
        ).map((text) => file('prefix-urlfilter.txt', text)),
        suffixes.map((text) => file('suffix-urlfilter.txt', text)),
        lines(fc.oneof(domain, host)).map((text) => file('domain-urlfilter.txt', text)),
        lines(fc.oneof(domain, host)).map((text) => file('domaindenylist-urlfilter.txt', text)),
        fast.map((text) => file('fast-urlfilter.txt', text)),
      ).map((files) => [seeds, ...files]),
    );
  });

  it('for Heritrix', () => {
    const property = (name: string, value: string) => `<property name="${name}" value="${value}"/>`;
    const bean = (kind: string, inner: string) =>
      `<bean class="org.archive.modules.deciderules.${kind}">${inner}</bean>`;
    const decision = fc.constantFrom('', property('decision', 'ACCEPT'), property('decision', 'REJECT'));
    const xml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
    const regexes = fc.array(
      expression.map((text) => `.*${text.replace(/^\^|\$$/g, '')}.*`),
      { minLength: 1, maxLength: 3 },
    );
    const surts = fc.constantFrom(
      'http://(com,example,',
      'http://(com,example,docs,)/',
      'http://(com,exam',
      '+http://(org,example,)/docs',
      'http://(uk,co,shop,www,:8080)/',
      '(com,example,)',
    );
    const rule = fc.oneof(
      fc.constantFrom('RejectDecideRule', 'AcceptDecideRule').map((kind) => bean(kind, '')),
      fc
        .tuple(decision, regexes, fc.constantFrom('true', 'false'))
        .map(([first, list, isOr]) =>
          bean(
            'MatchesListRegexDecideRule',
            `${first}${property('listLogicalOr', isOr)}<property name="regexList"><list>${list.map((one) => `<value>${xml(one)}</value>`).join('')}</list></property>`,
          ),
        ),
      fc
        .tuple(decision, regexes)
        .map(([first, [one]]) =>
          bean('NotMatchesRegexDecideRule', first + property('regex', xml(one!).replaceAll('"', '&quot;'))),
        ),
      fc
        .tuple(decision, fc.constantFrom('SurtPrefixed', 'OnHosts', 'NotOnHosts', 'OnDomains', 'NotOnDomains'))
        .map(([first, kind]) => bean(`surt.${kind}DecideRule`, first)),
      fc
        .tuple(decision, fc.array(surts, { minLength: 1, maxLength: 3 }))
        .map(([first, list]) =>
          bean(
            'surt.SurtPrefixedDecideRule',
            `${first}${property('seedsAsSurtPrefixes', 'false')}<property name="surtsSource"><bean class="org.archive.spring.ConfigString"><property name="value"><value>\n${list.join('\n')}\n</value></property></bean></property>`,
          ),
        ),
      decision.map((first) => bean('MatchesFilePatternDecideRule', first)),
      fc.constant(bean('TooManyPathSegmentsDecideRule', property('maxPathDepth', '3'))),
    );
    const job = fc.array(rule, { minLength: 1, maxLength: 6 }).map(
      (
        rules,
      ) => `<beans><bean id="longerOverrides"><property name="properties"><props><prop key="seeds.textSource.value">
https://www.example.com/docs/a
http://example.org/
shop.co.uk
+http://(com,example,docs,
-example.com/private/
</prop></props></property></bean><bean id="scope" class="org.archive.modules.deciderules.DecideRuleSequence"><property name="rules"><list>${rules.join('')}</list></property></bean></beans>`,
    );
    return checkProperty(
      'heritrix',
      job.map((text) => [file('crawler-beans.cxml', text)]),
    );
  });

  it('for StormCrawler', () => {
    const pattern = fc
      .tuple(
        fc.constantFrom('AllowPath', 'DenyPath', 'AllowPathQuery', 'DenyPathQuery'),
        fc.oneof(
          word.map((text) => `^/${quote(text)}`),
          word.map(quote),
          fc.constantFrom('.+', '[?&]q=', '\\.pdf$', 'example\\.com'),
        ),
      )
      .map((parts) => parts.join(' '));
    const scope = fc.record({
      scope: fc.oneof(
        fc.constant('GLOBAL'),
        domain.map((name) => `domain:${name}`),
        host.map((name) => `host:${name}`),
      ),
      patterns: fc.array(pattern, { minLength: 1, maxLength: 4 }),
    });
    const scopes = fc.uniqueArray(scope, { selector: (one) => one.scope, minLength: 1, maxLength: 4 });
    const filters = fc.record({
      regex: fc.option(signed),
      host: fc.option(fc.constantFrom('host', 'domain')),
      fast: fc.option(scopes),
      basic: fc.boolean(),
    });
    return checkProperty(
      'stormcrawler',
      filters.map(({ regex, host: by, fast, basic }) => {
        const list = [
          ...(regex ? [{ class: 'x.RegexURLFilter', params: { urlFilters: regex } }] : []),
          ...(by
            ? [{ class: 'x.HostURLFilter', params: { ignoreOutsideHost: by === 'host', ignoreOutsideDomain: true } }]
            : []),
          ...(fast ? [{ class: 'x.FastURLFilter', params: { file: 'fast.json' } }] : []),
          ...(basic ? [{ class: 'x.BasicURLFilter', params: { maxPathRepetition: 3, maxLength: 60 } }] : []),
        ];
        const more = fast ? [file('fast.json', JSON.stringify(fast))] : [];
        return [file('urlfilters.json', JSON.stringify({ 'x.URLFilters': list })), ...more, seeds];
      }),
    );
  });

  it('for Open Crawler', () => {
    const rule = fc.record({
      policy: fc.constantFrom('allow', 'deny'),
      type: fc.constantFrom('begins', 'ends', 'contains', 'regex'),
      pattern: fc.oneof(
        word,
        word.map((text) => `/${text}`),
        word.map((text) => `/*/${text}`),
        fc.constantFrom('.pdf', '/', '.*', '/docs/.+|/news', '.com', 'http'),
      ),
    });
    const domains = fc.uniqueArray(
      fc.record({
        url: fc.tuple(fc.constantFrom('http', 'https'), host).map(([scheme, name]) => `${scheme}://${name}`),
        crawl_rules: fc.array(rule, { maxLength: 5 }),
      }),
      { selector: (one) => one.url, minLength: 4, maxLength: 10 },
    );
    return checkProperty(
      'elastic',
      domains.map((list) => [file('c.json', JSON.stringify({ domains: list }))]),
    );
  });

  it('for Norconex', () => {
    const xml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
    const onMatch = fc.constantFrom('include', 'exclude');
    const whole = expression.map((text) => `.*${text.replace(/^\^|\$$/g, '')}.*`);
    const filter = fc.oneof(
      fc
        .tuple(onMatch, whole, fc.constantFrom('', ' caseSensitive="true"'))
        .map(
          ([on, text, more]) => `<filter class="x.RegexReferenceFilter" onMatch="${on}"${more}>${xml(text)}</filter>`,
        ),
      fc
        .tuple(
          onMatch,
          fc.constantFrom('regex', 'wildcard', 'basic', 'csv'),
          fc.constantFrom('', ' partial="true"', ' ignoreCase="true"'),
          fc.oneof(
            word,
            word.map((text) => `*${text}*`),
            host.map((name) => `https://${name}/`),
          ),
        )
        .map(
          ([on, method, more, text]) =>
            `<filter class="ReferenceFilter" onMatch="${on}"><valueMatcher method="${method}"${more}>${xml(method === 'regex' ? text.replaceAll('*', '.*') : text)}</valueMatcher></filter>`,
        ),
      onMatch.map((on) => `<filter class="ExtensionReferenceFilter" onMatch="${on}">pdf, html</filter>`),
    );
    const scope = fc.subarray(['stayOnDomain', 'stayOnPort', 'stayOnProtocol', 'includeSubdomains']);
    return checkProperty(
      'norconex',
      fc
        .tuple(scope, fc.array(filter, { maxLength: 4 }))
        .map(([names, filters]) => [
          file(
            'c.xml',
            `<crawlers><crawler id="a"><startURLs ${names.map((name) => `${name}="true"`).join(' ')}><url>https://example.com/</url><url>http://example.org:8080/</url></startURLs><referenceFilters>${filters.join('')}</referenceFilters></crawler></crawlers>`,
          ),
        ]),
    );
  });

  it('for mnoGoSearch', () => {
    const options = fc.subarray(['NoMatch', 'Case', 'Regex', 'Regexp']).map((list) => list.join(' '));
    const glob = fc.oneof(
      word.map((text) => `*${text}*`),
      host.map((name) => `http?://${name}/*`),
      fc.constantFrom('*.pdf', '*', '*?id=1'),
    );
    const argument = (given: string, text: string, regex: string): string => (given.includes('Regex') ? regex : text);
    const line = fc.oneof(
      fc
        .tuple(fc.constantFrom('Allow', 'Disallow', 'Skip', 'HrefOnly', 'CheckOnly'), options, glob, expression)
        .map(([name, given, text, regex]) => `${name} ${given} ${argument(given, text, regex)}`),
      fc
        .tuple(
          fc.constantFrom('', 'Disallow'),
          fc.constantFrom(...',page,site,path,world,no,nofollow,yes,Case,page Case'.split(',')),
          fc.oneof(
            fc.tuple(host, word).map(([name, text]) => `https://${name}/${text}`),
            fc.constantFrom('https://www.example.com', 'https://WWW.example.com', 'https://www.example.com/Docs/a'),
          ),
        )
        .map(([method, options, url]) => `Server ${method} ${options} ${url}`),
      fc
        .tuple(fc.constantFrom('', 'Disallow'), options, glob, expression)
        .map(([method, given, text, regex]) => `Realm ${method} ${given} ${argument(given, text, regex)}`),
      fc.constantFrom('Follow site', 'Follow path', 'Follow no', 'Follow yes', 'FollowOutside no', 'MaxHops 3'),
    );
    return checkProperty(
      'mnogosearch',
      fc
        .array(line, { minLength: 2, maxLength: 12 })
        .map((list) => [file('indexer.conf', `${list.join('\n')}\nServer https://www.example.com/\n`)]),
    );
  });

  it('for Velocity', () => {
    const field = fc.constantFrom('url', 'host', 'path', 'query', 'protocol');
    const how = fc.constantFrom('wc', 'wc-set', 'regex', 'case-insensitive-regex');
    const pattern = fc.oneof(
      word,
      word.map((text) => `*${text}*`),
      host,
      fc.constant('docs news'),
    );
    const createTree = (inner: fc.Arbitrary<string[]>): fc.Arbitrary<string> =>
      fc
        .tuple(
          fc.constantFrom('condition-when', 'condition-except', 'may-not-have', 'must-have'),
          field,
          how,
          pattern,
          fc.constantFrom('', 'allow', 'disallow'),
          inner,
        )
        .map(([kind, part, test, text, allow, nested]) => {
          const value = /regex/.test(test) ? text.replaceAll('*', '.*').replace(' ', '|') : text;
          const option =
            allow === '' ? '' : `<curl-options><curl-option name="default-allow">${allow}</curl-option></curl-options>`;
          const rest = kind.endsWith('have') ? '' : option + nested.join('');
          return `<crawl-${kind} field="${part}" how="${test}"><crawl-pattern>${value}</crawl-pattern>${rest}</crawl-${kind}>`;
        });
    const leaf = createTree(fc.constant([]));
    const tree = createTree(fc.array(createTree(fc.array(leaf, { maxLength: 2 })), { maxLength: 2 }));
    return checkProperty(
      'velocity',
      fc
        .tuple(fc.constantFrom('allow', 'disallow'), fc.array(tree, { minLength: 1, maxLength: 4 }))
        .map(([allow, list]) => [
          file(
            'c.xml',
            `<vse-collection name="a"><crawler><crawl-options><curl-option name="default-allow">${allow}</curl-option></crawl-options><call-function name="vse-crawler-seed-urls"><with name="urls">${SITE}/</with></call-function>${list.join('')}</crawler></vse-collection>`,
          ),
        ]),
    );
  });

  it('for DocSearch', () => {
    const url = fc
      .tuple(host, fc.constantFrom('/', '/docs/', '/docs$', '/a.*/', '/[ab]', '/x.pdf'))
      .map(([name, path]) => `https://${name}${path}`);
    const stop = fc.oneof(expression, url, word);
    return checkProperty(
      'docsearch',
      fc
        .tuple(fc.array(url, { minLength: 1, maxLength: 4 }), fc.array(stop, { maxLength: 4 }))
        .map(([start_urls, stop_urls]) => [
          file('config.json', JSON.stringify({ index_name: 'a', start_urls: [`${SITE}/`, ...start_urls], stop_urls })),
        ]),
    );
  });

  it('for Algolia Crawler', () => {
    const glob = fc
      .tuple(
        fc.constantFrom('', '!'),
        host,
        fc.constantFrom('/**', '/docs/**', '/*', '**/**', '/{docs,news}/**', '/**/*.html', '/?(a|docs)/*'),
      )
      .map(([not, name, path]) => `${not}https://${name}${path}`);
    const globs = fc.array(glob, { minLength: 1, maxLength: 4 });
    return checkProperty(
      'algolia',
      fc
        .record({
          paths: globs,
          discoveryPatterns: globs,
          exclusionPatterns: globs,
          maxDepth: fc.constantFrom(1, 2, 9),
        })
        .map(({ paths, ...rest }) => {
          const actions = [{ indexName: 'a', pathsToMatch: [`${SITE}/**`, ...paths] }];
          return [file('crawler.json', JSON.stringify({ startUrls: [`${SITE}/`], actions, ...rest }))];
        }),
    );
  });

  it('for ManifoldCF', () => {
    const lines = fc.array(expression, { maxLength: 3 }).map((list) => list.join('\n'));
    const element = (name: string, list: fc.Arbitrary<string>): fc.Arbitrary<string> =>
      fc.option(list).map((text) => (text === null ? '' : `<${name}><![CDATA[${text}]]></${name}>`));
    const limit = fc.constantFrom('', '<limittoseeds value="true"/>', '<limittoseeds value="false"/>');
    return checkProperty(
      'manifoldcf',
      fc
        .tuple(element('includes', lines), element('excludes', lines), element('excludesindex', lines), limit)
        .map((parts) => [file('spec.xml', `<specification><seeds>${SITE}/</seeds>${parts.join('')}</specification>`)]),
    );
  });

  it('for OmniFind', () => {
    const rule = fc.oneof(
      fc
        .tuple(
          fc.constantFrom('allow', 'forbid'),
          fc.oneof(
            host,
            domain.map((name) => `*.${name}`),
            host.map((name) => `${name}:8080`),
            fc.constant('*'),
          ),
        )
        .map(([verb, name]) => `${verb} domain ${name}`),
      fc
        .tuple(fc.constantFrom('allow', 'forbid'), host, word)
        .map(([verb, name, text]) => `${verb} prefix https://${name}/${text}`),
      fc.tuple(fc.constantFrom('allow', 'forbid'), expression).map(([verb, text]) => `${verb} regexp ${text}`),
    );
    return checkProperty(
      'omnifind',
      fc
        .array(rule, { minLength: 1, maxLength: 6 })
        .map((list) => [file('crawl.rules', `${list.join('\n')}\n`), file('starts', `${SITE}/`)]),
    );
  });
});
