import { describe, expect, it } from 'vitest';
import { runAtOnce } from '../steps.js';
import { type AclPage, compileAcl, isDecidedByRules, parseAclFile, replacePrincipals } from './acl.js';
import type { AclDefinition, AclRule } from './acl-definition.js';

const rule = (prefix: string, allow: readonly string[], deny: readonly string[] = []): AclRule => ({
  prefix,
  allow,
  deny,
});

const definition = (parts: Partial<AclDefinition> = {}): AclDefinition => ({
  default: ['everyone'],
  rules: [],
  ...parts,
});

const read = (parts: Partial<AclDefinition>, page: Partial<AclPage> & { readonly href: string }) =>
  compileAcl(definition(parts))({ headers: {}, metas: [], ...page });

describe('the rule for a document', () => {
  const rules = [
    rule('https://a.example/', ['all'], ['guests']),
    rule('https://a.example/HR/', ['staff']),
    rule('https://a.example/HR/pay', ['payroll']),
    rule('https://B.Example/x', ['b']),
  ];

  it.each([
    ['the longest prefix decides', 'https://a.example/HR/pay/june', ['payroll'], []],
    ['and it alone: principals of shorter prefixes are not added', 'https://a.example/HR/jobs', ['staff'], []],
    ['a prefix may end within a name', 'https://a.example/HR/payments', ['payroll'], []],
    ['host names are compared in lower case', 'https://b.example/x/y', ['b'], []],
    ['a host without rules has the default', 'https://c.example/HR/', ['everyone'], []],
    ['a page outside the rules of its host is for nobody', 'https://b.example/y', [], []],
    ['on any port', 'https://b.example:8443/x', [], []],
  ])('%s: %s', (_, href, allow, deny) => {
    expect(read({ rules }, { href })).toEqual({ allow, deny });
  });
});

describe('principals', () => {
  const sources = { allowHeader: 'x-allow', denyHeader: 'x-deny', allowMeta: 'audience', denyMeta: 'not-for' };
  const page = {
    href: 'https://a.example/',
    headers: { 'x-allow': 'jane; board', 'x-deny': 'interns', 'x-other': 'mallory' },
    metas: [
      { name: 'audience', value: 'hr, board' },
      { name: 'audience', value: 'it' },
      { name: 'not-for', value: 'press' },
      { name: 'author', value: 'mallory' },
    ],
  };

  it('of rule, header and metas are combined, each once', () => {
    const rules = [rule('https://a.example/', ['staff', 'jane'], ['guests'])];
    expect(read({ ...sources, rules }, page)).toEqual({
      allow: ['staff', 'jane', 'board', 'hr', 'it'],
      deny: ['guests', 'interns', 'press'],
    });
  });

  it('are read only from headers and metas that the configuration names', () => {
    expect(read({}, page)).toEqual({ allow: ['everyone'], deny: [] });
    expect(read({ denyHeader: 'x-deny' }, page)).toEqual({ allow: ['everyone'], deny: ['interns'] });
    expect(read({ denyMeta: 'not-for' }, page)).toEqual({ allow: ['everyone'], deny: ['press'] });
    expect(read({ allowHeader: 'x-missing' }, page)).toEqual({ allow: ['everyone'], deny: [] });
  });

  it('of the default apply only if nobody else is allowed', () => {
    expect(read({ allowMeta: 'audience' }, page).allow).toEqual(['hr', 'board', 'it']);
    expect(read({ default: [] }, page)).toEqual({ allow: [], deny: [] });
  });

  it.each([
    ['a header without names', { 'x-allow': '' }],
    ['only separators', { 'x-allow': ' ; ,' }],
    ['a name that is too long', { 'x-allow': 'x'.repeat(257) }],
    ['a quote that is not closed', { 'x-allow': '"board' }],
  ])('that are stated but not usable mean nobody, not the default: %s', (_, headers) => {
    expect(read(sources, { href: 'https://a.example/', headers })).toEqual({ allow: [], deny: [] });
  });

  it('of a meta without content mean nobody', () => {
    const metas = [{ name: 'audience', value: '' }];
    expect(read(sources, { href: 'https://a.example/', metas }).allow).toEqual([]);
  });

  const manyNames = Array.from({ length: 1_001 }, (_, i) => `p${i}`);

  it.each([
    ['are too many', manyNames.join()],
    ['are too long', `interns,${'x'.repeat(257)}`],
    ['cannot be read', 'interns, CN=A,DC=x'],
  ])('mean nobody if those denied %s', (_, denied) => {
    const { allow } = read(sources, { href: page.href, headers: { 'x-allow': 'board', 'x-deny': denied } });
    expect(allow).toEqual([]);
  });

  it.each([
    ['UTF-8', Buffer.from('Geschäftsführung').toString('latin1')],
    ['Latin-1', 'Geschäftsführung'],
    ['UTF-8 with composed letters apart', Buffer.from('Geschäftsführung'.normalize('NFD')).toString('latin1')],
  ])('of headers are read in %s, also those that are denied', (_, name) => {
    const headers = { 'x-allow': name, 'x-deny': name };
    expect(read(sources, { href: page.href, headers })).toEqual({
      allow: ['Geschäftsführung'],
      deny: ['Geschäftsführung'],
    });
  });

  it('are at most 1,000 from all sources, and nobody may see what is denied to more', () => {
    const [half, rest] = [manyNames.slice(0, 600), manyNames.slice(500)];
    const rules = [rule('https://a.example/', half, half)];
    const both = { 'x-allow': rest.join(), 'x-deny': rest.join() };
    const allowed = read({ ...sources, rules }, { href: page.href, headers: { 'x-allow': rest.join() } });
    expect(allowed.allow).toEqual(manyNames.slice(0, 1_000));
    expect(read({ ...sources, rules }, { href: page.href, headers: both }).allow).toEqual([]);
  });
});

it.each([
  [{}, true],
  [{ rules: [rule('https://a.example/', ['a'])] }, true],
  [{ allowHeader: 'x' }, false],
  [{ denyHeader: 'x' }, false],
  [{ allowMeta: 'x' }, false],
  [{ denyMeta: 'x' }, false],
])('whether rules alone decide with %j: %s', (parts, expected) => {
  expect(isDecidedByRules(definition(parts))).toBe(expected);
});

describe('principals among the metas of a document', () => {
  const metas = [
    { name: 'author', value: 'Jane' },
    { name: 'acl_allow', value: 'a' },
    { name: 'acl_allow', value: 'b' },
    { name: 'acl_deny', value: 'c' },
  ];

  it('are replaced, and other metas are kept', () => {
    expect(replacePrincipals(metas, { allow: ['x'], deny: ['y', 'z'] })).toEqual([
      { name: 'author', value: 'Jane' },
      { name: 'acl_allow', value: 'x' },
      { name: 'acl_deny', value: 'y' },
      { name: 'acl_deny', value: 'z' },
    ]);
  });

  it.each([
    ['one fewer', { allow: ['a'], deny: ['c'] }],
    ['one more', { allow: ['a', 'b', 'c'], deny: ['c'] }],
    ['another name', { allow: ['a', 'x'], deny: ['c'] }],
    ['denied instead of allowed', { allow: ['a'], deny: ['b', 'c'] }],
    ['none', { allow: [], deny: [] }],
  ])('%s is a difference', (_, acl) => {
    const replaced = replacePrincipals(metas, acl);
    expect(replaced).not.toBe(metas);
    expect(replaced).toHaveLength(1 + acl.allow.length + acl.deny.length);
  });

  it('that are the same, in any order, leave the list as it is', () => {
    expect(replacePrincipals(metas, { allow: ['b', 'a'], deny: ['c'] })).toBe(metas);
    const noPrincipals = metas.slice(0, 1);
    expect(replacePrincipals(noPrincipals, { allow: [], deny: [] })).toBe(noPrincipals);
  });
});

describe('an ACL file', () => {
  const readFile = (text: string) => runAtOnce(parseAclFile(text));

  it('is refused where an address is not UTF-8, since that of no page begins with it', () => {
    const text = Buffer.from('# Müller\nallow http://a.example/ staff\ndeny http://a.example/Büro/ staff\n', 'latin1');
    const { problems } = readFile(text.toString());
    expect(problems).toEqual([{ line: 3, message: expect.stringContaining('save the file as UTF-8') }]);
  });

  it('has a line per rule, comments and blank lines; lines with the same prefix are combined', () => {
    const text =
      '# who\r\n\r\n  allow https://a.example/hr/ staff, Pay Masters\rDENY\thttp://a.example/\t guests \nallow https://a.example/hr/ jane\ndeny https://a.example/hr/ interns';
    expect(readFile(text)).toEqual({
      rules: [
        rule('https://a.example/hr/', ['staff', 'Pay Masters', 'jane'], ['interns']),
        rule('http://a.example/', [], ['guests']),
      ],
      problems: [],
    });
  });

  it.each([
    'permit https://a.example/ staff',
    'allow a.example/ staff',
    'allow ftp://a.example/ staff',
    'allow https://a.example/',
    'allow https:// staff',
    'allowhttps://a.example/ staff',
    'please allow https://a.example/ staff',
    'nonsense',
  ])('is reported with the line that cannot be read: %s', (line) => {
    const { rules, problems } = readFile(`# comment\nallow https://b.example/ b\n${line}\n`);
    expect(rules).toEqual([rule('https://b.example/', ['b'])]);
    expect(problems).toEqual([{ line: 3, message: expect.stringContaining('`allow` or `deny`') }]);
  });

  it.each(['', '\ufeff', '\n', '# rules\n#allow https://a.example/ staff\n'])(
    'without rules is an error, because it may be about to be written: %j',
    (text) => {
      expect(readFile(text)).toEqual({
        rules: [],
        problems: [{ line: 1, message: expect.stringContaining('no rules') }],
      });
    },
  );

  it('reports a prefix that is not a URL', () => {
    expect(readFile('allow https://[a/ staff').problems).toEqual([{ line: 1, message: '"https://[a/" is not a URL' }]);
  });

  it('reports principals that it cannot take over', () => {
    expect(readFile(`allow https://a.example/ ${'x'.repeat(300)}`).problems).toEqual([
      { line: 1, message: expect.stringContaining('more than 256 characters') },
    ]);
  });
});
