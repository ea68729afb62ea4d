/** DocSearch, Algolia Crawler and ManifoldCF: what each says about a URL. */
import { isAlgoliaCrawler, parseAlgoliaCrawler, splitGlobs, toGlobExpression } from '../formats/algolia.js';
import { listStartUrls } from '../formats/docsearch.js';
import { listJobs, parseManifoldCf } from '../formats/manifoldcf.js';
import { type ImportFile, ImportReport } from '../model.js';
import { type Node, parseYaml } from '../tree.js';
import { EXTENSIONS, isOnDomain, joinCrawls } from './lists.js';
import { compileExpression, NotEvaluable, type Original } from './original.js';

const listOf = (node: Node, name: string): Node[] =>
  node.children.filter((child) => child.name === name && child.children.length === 0);
const textsOf = (node: Node, name: string): string[] => listOf(node, name).map(({ text }) => text);

export const createDocSearch = (files: readonly ImportFile[]): Original =>
  joinCrawls(files.map((file) => (isAlgoliaCrawler(file) ? createAlgoliaCrawler(file) : createScraper(file))));

/** Links have to match a start URL as an expression, whatever its scheme, and none of the stop URLs. */
function createScraper(file: ImportFile): Original {
  const tree = parseYaml(file, new ImportReport());
  const compile = ({ url, node }: { url: string; node: Node }): { label: string; regex: RegExp } => ({
    label: `${node.place} ${url}`,
    regex: compileExpression(url.replace(/^https?(?=:)/, '^https?').replaceAll('(?P<', '(?<'), node.place),
  });
  const listed = listStartUrls(tree);
  const urls = listed.map(({ url }) => url);
  const toLinks = (name: string) => listOf(tree, name).map((node) => ({ url: node.text, node }));
  // Without start URLs, pages are those of sitemaps alone.
  const starts = (urls.length > 0 ? listed : toLinks('sitemap_urls_regexs')).map(compile);
  const stops = toLinks('stop_urls').map(compile);
  const requested = new Set(
    [...urls, ...textsOf(tree, 'sitemap_urls')].map((url) => URL.parse(url.replace(/#.*/, ''))?.href),
  );
  const named = textsOf(tree, 'allowed_domains');
  const hostOf = (url: string): string => /^https?:\/\/([^/?#:]*)/.exec(url)?.[1] ?? '';
  const domains = named.length > 0 ? named : [...urls, ...textsOf(tree, 'stop_urls')].map(hostOf).filter(Boolean);
  return {
    judge(url) {
      const { href, pathname } = url;
      if (requested.has(href)) return { accepted: true, by: 'start_urls or sitemap_urls' };
      const stop = stops.find(({ regex }) => regex.test(href));
      if (stop) return { accepted: false, by: stop.label };
      if (EXTENSIONS.test(pathname.toLowerCase())) return { accepted: false, by: 'what the scraper never follows' };
      if (domains.length > 0 && !domains.some((domain) => isOnDomain(url, domain)))
        return { accepted: false, by: 'allowed_domains' };
      const start = starts.find(({ regex }) => regex.test(href));
      return { accepted: starts.length === 0 || start !== undefined, by: start?.label ?? 'start_urls' };
    },
  };
}

/** Pages of actions and of discoveryPatterns are visited, unless they are excluded. */
function createAlgoliaCrawler(file: ImportFile): Original {
  const tree = parseAlgoliaCrawler(file);
  const config = tree.find('config') ?? tree;
  const compile = (node: Node, name: string): ((href: string) => boolean) => {
    const { any, none } = splitGlobs(node.children.filter((child) => child.name === name));
    const [positive, negative] = [any, none].map((globs) =>
      globs.map(({ text, place }) => {
        const source = toGlobExpression(text.replace(/^!/, ''));
        if (source === undefined) throw new NotEvaluable(`${place}: the pattern ${text} cannot be evaluated`);
        return new RegExp(source);
      }),
    );
    return (href) => positive!.some((one) => one.test(href)) && !negative!.some((one) => one.test(href));
  };
  const actions = config.children.filter(({ name }) => name === 'actions').map((one) => compile(one, 'pathsToMatch'));
  const [isFound, isExcluded] = [compile(config, 'discoveryPatterns'), compile(config, 'exclusionPatterns')];
  const given = ['startUrls', 'extraUrls', 'sitemaps'].flatMap((name) => textsOf(config, name));
  const requested = new Set(given.map((url) => URL.parse(url)?.href));
  const maxDepth = Number(textsOf(config, 'maxDepth')[0] ?? Number.POSITIVE_INFINITY);
  return {
    judge({ href, pathname }) {
      if (isExcluded(href)) return { accepted: false, by: 'exclusionPatterns' };
      if (requested.has(href)) return { accepted: true, by: 'startUrls' };
      if (pathname.split('/').length - 1 > maxDepth) return { accepted: false, by: 'maxDepth' };
      if (actions.some((matches) => matches(href))) return { accepted: true, by: 'pathsToMatch' };
      return { accepted: isFound(href), by: 'discoveryPatterns' };
    },
  };
}

/** One of the included expressions has to be found in a URL, and none of the excluded ones. */
export const createManifoldCf = (files: readonly ImportFile[]): Original =>
  joinCrawls(
    files
      .map(parseManifoldCf)
      .flatMap(listJobs)
      .filter(({ specification }) => specification.find('seeds'))
      .map(({ specification }) => createJob(specification)),
  );

function createJob(specification: Node): Original {
  const read = (name: string): string[] | undefined =>
    textsOf(specification, name)[0]
      ?.split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '' && !line.startsWith('#'));
  const compile = (name: string, standard: string[]) =>
    (read(name) ?? standard).map((source) => ({ source, regex: compileExpression(source, specification.place) }));
  const [included, excluded] = [compile('includes', ['.*']), compile('excludes', [])];
  const hosts = new Set((read('seeds') ?? []).map((seed) => URL.parse(seed)?.hostname));
  const isLimited = (specification.find('limittoseeds')?.attributes['value'] ?? 'false') !== 'false';
  const rules = specification.children.filter(({ name }) => name === 'urlspec');
  // Parameters are in the order of their names, unless a rule says otherwise.
  const sorts = rules.length === 0 || rules.some(({ attributes }) => attributes['reorder'] === 'yes');
  const sort = (query: string): string =>
    query
      .split('&')
      .toSorted((a, b) => (a.split('=')[0]! < b.split('=')[0]! ? -1 : Number(a.split('=')[0] !== b.split('=')[0])))
      .join('&');
  return {
    judge({ href: given, hostname }) {
      const href = sorts ? given.replace(/(?<=\?).*/, sort) : given;
      if (isLimited && !hosts.has(hostname)) return { accepted: false, by: 'limittoseeds' };
      const excluding = excluded.find(({ regex }) => regex.test(href));
      if (excluding) return { accepted: false, by: `excludes: ${excluding.source}` };
      const including = included.find(({ regex }) => regex.test(href));
      return { accepted: including !== undefined, by: `includes: ${including?.source ?? 'none'}` };
    },
  };
}
