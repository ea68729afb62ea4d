import { it } from 'vitest';
import { accepts, file, SITE, verdicts } from '../../test/support/imported.js';

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

it('without prefixes, the rule for everything else is about every URL', () => {
  verdicts(accepts('heritrix', job('NotSurtPrefixedDecideRule', ''), seeds), { '/a': false });
  verdicts(accepts('heritrix', job('NotSurtPrefixedDecideRule', '+http://(com,example,'), seeds), {
    '/a': true,
    'http://a.test/': false,
  });
});
