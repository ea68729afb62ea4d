/** Heritrix 3: the decide rules of the scope are asked one after the other, and the last that decides wins. */
import { findById, findSeedFile, parseJob } from '../formats/heritrix.js';
import { type ImportFile, ImportReport } from '../model.js';
import { findAll, type Node } from '../tree.js';
import { compileExpression, type Original } from './original.js';

/** Whether a rule has something to say about the URL; its decision is fixed. */
type Test = (url: URL) => boolean;

interface DecideRule {
  readonly accepts: boolean;
  readonly test: Test;
  readonly label: string;
}

export function createHeritrix(files: readonly ImportFile[]): Original {
  const { tree } = parseJob(files, new ImportReport());
  const named = findSeedFile(tree, files);
  const lists = files.filter(
    ({ name, text }) => !/^\s*</.test(text) && (named === undefined || name === named || /surt|negative/i.test(name)),
  );
  const seeds = [
    ...findAll(tree, 'prop', 'bean').flatMap(listSeeds),
    ...lists.filter(({ name }) => !/surt|negative/i.test(name)).flatMap(({ text }) => text.split('\n')),
  ]
    .map((line) => line.trim())
    .map((line) => (/^\w[\w-]*\.[\w.-]+(?:[/:]|$)/.test(line) ? `http://${line}` : line))
    .filter((line) => /^(?:https?:|[+-])/.test(line));
  const beans = findAll(tree, 'bean');
  const sequences = beans.filter(({ attributes }) => /DecideRuleSequence$/.test(attributes['class'] ?? ''));
  const scope = sequences.find(({ attributes }) => attributes['id'] === 'scope') ?? sequences[0];
  const rules = (scope ? listRules(scope, beans) : beans).flatMap((bean) => toRule(bean, tree, seeds, lists));
  return {
    judge(url) {
      const rule = rules.findLast(({ test }) => test(url));
      return { accepted: rule?.accepts ?? false, by: rule?.label ?? 'no decide rule' };
    },
  };
}

/** A rule may be named where it applies, and written elsewhere. */
const listRules = (scope: Node, beans: readonly Node[]): Node[] =>
  findAll(scope, 'bean', 'ref').flatMap((node) =>
    node.name === 'ref' ? beans.filter(({ attributes }) => attributes['id'] === node.attributes['bean']) : [node],
  );

function listSeeds(node: Node): string[] {
  if (node.name === 'prop') return /^seeds/.test(node.attributes['key'] ?? '') ? node.text.split('\n') : [];
  const isSeedModule = /SeedModule$/.test(node.attributes['class'] ?? '');
  return isSeedModule ? findAll(node, 'value').flatMap(({ text }) => text.split('\n')) : [];
}

function toRule(bean: Node, tree: Node, seeds: readonly string[], lists: readonly ImportFile[]): DecideRule[] {
  const kind = bean.attributes['class']?.split('.').at(-1) ?? '';
  if (!kind.endsWith('DecideRule')) return [];
  const property = (name: string): Node | undefined =>
    bean.children.find((child) => child.name === 'property' && child.attributes['name'] === name);
  const value = (name: string): string | undefined =>
    property(name)?.attributes['value'] ?? property(name)?.children.find(({ name }) => name === 'value')?.text;
  const values = (name: string): string[] => {
    const id = property(name)?.attributes['ref'];
    const node = id === undefined ? property(name) : findById(tree, id);
    return node ? findAll(node, 'value').map(({ text }) => text) : [];
  };
  if (value('enabled') === 'false') return [];
  const standard = /^(?:Reject|TooMany|Pathological|SchemeNot)/.test(kind) ? 'REJECT' : 'ACCEPT';
  const accepts = (value('decision') ?? standard) === 'ACCEPT';
  const label = `${bean.place} ${kind}`;
  const isNegated = kind.startsWith('Not');
  const test = createTest(isNegated ? kind.slice(3) : kind.replace(/^\w+(?=SurtPrefixedDecideRule)/, ''), {
    value,
    values,
    property,
    seeds,
    lists,
    place: bean.place,
  });
  return test ? [{ accepts, test: isNegated ? (url) => !test(url) : test, label }] : [];
}

interface Settings {
  readonly value: (name: string) => string | undefined;
  readonly values: (name: string) => string[];
  readonly property: (name: string) => Node | undefined;
  readonly seeds: readonly string[];
  readonly lists: readonly ImportFile[];
  readonly place: string;
}

const FILES: Readonly<Record<string, string>> = {
  IMAGES: 'bmp|gif|jpe?g|png|svg|tiff?',
  AUDIO: 'aac|aiff?|m3u|m4a|midi?|mp2|mp3|mp4|mpa|ogg|ra|ram|wav|wma',
  VIDEO: 'asf|asx|avi|flv|mov|mp4|mpeg|mpg|qt|ram|rm|smil|wmv',
  MISC: 'doc|pdf|ppt|swf',
};

/** Rules about how a URL was found have nothing to say about a URL alone, and are left out. */
function createTest(kind: string, settings: Settings): Test | undefined {
  const { value, values, place } = settings;
  const whole = (source: string): RegExp => compileExpression(source, place, { whole: true });
  const depth = Number(value('maxPathDepth') ?? 20);
  const repetitions = Number(value('maxRepetitions') ?? 2);
  switch (kind) {
    case 'AcceptDecideRule':
    case 'RejectDecideRule':
      return () => true;
    case 'MatchesRegexDecideRule':
      return createRegexTest([whole(value('regex') ?? '')], true);
    case 'MatchesListRegexDecideRule':
      return createRegexTest(values('regexList').map(whole), value('listLogicalOr') !== 'false');
    case 'MatchesFilePatternDecideRule': {
      const preset = value('usePreset') ?? 'ALL';
      const names = FILES[preset] ?? Object.values(FILES).join('|');
      return createRegexTest(
        [preset === 'CUSTOM' ? whole(value('regex') ?? '') : new RegExp(`\\.(?:${names})$`, 'i')],
        true,
      );
    }
    case 'SurtPrefixedDecideRule':
      return createSurtTest(settings);
    case 'OnHostsDecideRule':
      return createSurtTest(settings, (prefix) =>
        prefix.includes(')') ? prefix.slice(0, prefix.indexOf(')') + 1) : `${prefix.replace(/,?$/, ',')})`,
      );
    case 'OnDomainsDecideRule':
      return createSurtTest(settings, (prefix) => prefix.replace(/\).*$/, '').replace(/www,$/, ''));
    case 'TooManyPathSegmentsDecideRule':
      return ({ pathname }) => pathname.split('/').length - 1 > depth;
    case 'PathologicalPathDecideRule':
      return ({ href }) => new RegExp(`^.*?/(.*?/)\\1{${repetitions},}.*`).test(href);
    default:
      return undefined;
  }
}

const createRegexTest =
  (expressions: readonly RegExp[], isOr: boolean): Test =>
  ({ href }) =>
    expressions.length > 0 &&
    (isOr ? expressions.some((one) => one.test(href)) : expressions.every((one) => one.test(href)));

function createSurtTest(
  { value, property, seeds, lists }: Settings,
  widen: (prefix: string) => string = (prefix) => prefix,
): Test {
  const prefixes: string[] = [];
  // Among the seeds, `+` is for rules that accept, and `-` for those that reject.
  const sign = value('decision') === 'REJECT' ? '-' : '+';
  for (const line of seeds) if (line.startsWith(sign)) prefixes.push(...readPrefixes(line.slice(1)));
  if (value('seedsAsSurtPrefixes') !== 'false')
    for (const seed of seeds.filter((line) => !/^[+-]/.test(line))) prefixes.push(toPrefix(toSurt(new URL(seed).href)));
  const source = property('surtsSource') ?? property('surtsSourceFile');
  const isInline = source
    ? findAll(source, 'bean').some(({ attributes }) => /ConfigString$/.test(attributes['class'] ?? ''))
    : false;
  for (const { text, attributes } of source ? [source, ...findAll(source, 'property', 'value')] : []) {
    const given = attributes['value'] ?? text;
    const file = lists.find(({ name }) => given.trim().split('/').at(-1) === name);
    // The name of a file that was not given is no prefix.
    prefixes.push(...readPrefixes(file?.text ?? (isInline || given.includes('(') ? given : '')));
  }
  const widened = prefixes.map(widen);
  return (url) => {
    const surt = toSurt(url.href);
    return widened.some((prefix) => surt.startsWith(prefix));
  };
}

const readPrefixes = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.replace(/#.*/, '').trim().replace(/^\+/, ''))
    .filter((line) => line !== '')
    .map((line) =>
      line.includes('(')
        ? line.replace(/^https:/, 'http:').replace(/^\(/, 'http://(')
        : toPrefix(toSurt(/^https?:/.test(line) ? line : `http://${line}`)),
    );

/** In lower case, the host in reverse order, with http for https: `http://(com,example,www,)/path`. */
function toSurt(url: string): string {
  const [, authority = '', rest = ''] = /^https?:\/\/(?:[^/@]*@)?([^/]*)(.*)$/.exec(url) ?? [];
  const [host = '', port] = authority.split(':');
  return `http://(${host.toLowerCase().split('.').reverse().join(',')},${port ? `:${port}` : ''})${rest.toLowerCase()}`;
}

/** What follows the last slash of the path is left out; without a path, the host is open to subdomains. */
function toPrefix(surt: string): string {
  const withoutFile = surt.replace(/^(.*\/\/.*\/)[^/]*/, '$1');
  return withoutFile.endsWith('/') ? withoutFile : withoutFile.replace(/^(.*)\)$/, '$1');
}
