/**
 * Reads server records. The values of a Parameters element apply to the records after it; values set in a file apply
 * only within the file.
 */
import type { RootDefinition } from '../../../domain/crawl/definition.js';
import type { ServerParameters, ServerRecord, ServersDefinition } from '../../../domain/crawl/policy-definition.js';
import { type IndexerConf, parseIndexerConfInSteps } from '../../../domain/policy/indexer-conf.js';
import { findEncodingProblem } from '../../../domain/policy/rule-file-problems.js';
import type { Secret } from '../../../domain/secret.js';
import { forEachInSteps, type Steps } from '../../../domain/steps.js';
import { isOfKind, type Node } from '../interpret.js';
import type { Problems } from '../problems.js';
import * as policy from '../schema/policy.js';
import type { ReadContext } from './context.js';

export function* readServers(node: ServersNode, context: ReadContext): Steps<ServersDefinition> {
  const file = yield* readIndexerConf(node, context);
  const records: ServerRecord[] = [...(file?.records ?? [])];
  let currentParameters: ServerParameters | undefined;
  /** Applies to the next record only. */
  let login: Secret | undefined;
  let loginPlace = node.place;
  const reportUnusedLogin = (): void => {
    const message =
      'authentication in Parameters applies only to the next Server, and none follows, so it has no effect';
    if (login !== undefined) context.problems.add('no-effect', message, loginPlace);
  };
  yield* forEachInSteps(node.children, (child) => {
    if (child.broken) return;
    if (isOfKind(child, policy.PARAMETERS)) {
      const { authentication, ...otherParameters } = child.values;
      currentParameters = { ...currentParameters, ...omitUndefined(otherParameters) };
      if (authentication === undefined) return;
      reportUnusedLogin();
      login = authentication;
      loginPlace = child.place;
    } else if (isOfKind(child, policy.SERVER)) {
      const { url, authentication, ...parameters } = child.values;
      login = authentication ?? login;
      const authenticationParameter = login === undefined ? {} : { authentication: login };
      records.push({
        url,
        place: child.place,
        parameters: { ...currentParameters, ...authenticationParameter, ...omitUndefined(parameters) },
      });
      login = undefined;
    }
  });
  reportUnusedLogin();
  return {
    followOutside: node.values.followOutside ?? file?.followOutside ?? false,
    deleteNoServer: node.values.deleteNoServer ?? file?.deleteNoServer ?? true,
    records,
    defaults: currentParameters ?? file?.defaults ?? {},
    place: node.place,
  };
}

type ServersNode = Node<typeof policy.SERVERS.attributes>;

function* readIndexerConf(node: ServersNode, context: ReadContext): Steps<ServersDefinition | undefined> {
  const { values, place } = node;
  if (values.file === undefined) return undefined;
  const text = context.readFile(values.file, place, 'server-records');
  if (text === undefined) return undefined;
  const encodingProblem = findEncodingProblem(text, values.file);
  if (encodingProblem) {
    context.problems.addProblem(encodingProblem);
    return undefined;
  }
  const parsed = yield* parseIndexerConfInSteps(text, values.file, context.expandVariables);
  for (const problem of parsed.problems) context.problems.addProblem(problem);
  reportEmptyFile(node, parsed, context);
  return parsed.servers;
}

/**
 * Reports a file without servers as an error, because every document of the crawler would be deleted if an editor or a
 * full disk had emptied the file.
 */
function reportEmptyFile(
  { values, children }: ServersNode,
  { servers, problems }: IndexerConf,
  context: ReadContext,
): void {
  const acceptsOtherUrls =
    (values.followOutside ?? servers.followOutside) || !(values.deleteNoServer ?? servers.deleteNoServer);
  const hasServerElement = children.some((child) => child.spec.name === policy.SERVER.name);
  if (
    acceptsOtherUrls ||
    hasServerElement ||
    servers.records.length > 0 ||
    problems.some(({ severity }) => severity === 'error')
  )
    return;
  const message = `${values.file} has no Server command: nothing would be crawled, and all indexed documents would be deleted. If that is intended, remove the attribute file from Servers`;
  context.problems.add('bad-rule-file', message, servers.place);
}

const omitUndefined = (parameters: ServerParameters): ServerParameters =>
  Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== undefined));

/**
 * Creates the roots of a crawler without Root elements: like mnoGoSearch, it begins at the URLs of its server records.
 */
export function* createRootsFromServers(
  crawler: Node,
  servers: ServersDefinition | undefined,
  problems: Problems,
): Steps<RootDefinition[]> {
  if (!servers) return [];
  const roots = new Map<string, RootDefinition>();
  yield* forEachInSteps(servers.records, ({ url, place }) => {
    const parsedUrl = /^https?:\/\/[^/?#*]+/i.test(url) ? URL.parse(url) : null;
    if (parsedUrl) roots.set(parsedUrl.href, { ...ROOT_DEFAULTS, url: parsedUrl.href, place });
  });
  if (roots.size === 0 && servers.deleteNoServer && !problems.hasErrors) {
    const message =
      'the crawler has neither a Root nor a Server that names a host, so nothing is crawled until a URL is submitted; write <Root url="http://host/" site="false"/>';
    problems.add('no-effect', message, crawler.place);
  }
  return [...roots.values()];
}

/** Site mode is off, because the records determine which links are followed. */
const ROOT_DEFAULTS = { site: false, entireSite: false, priority: 0, metas: [], followLinks: true } as const;
