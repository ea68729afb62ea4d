import type { CrawlerDefinition, ServerDefinition } from '../../domain/crawl/definition.js';

/** Everything that a verdict depends on, without the places in the file: moving a line changes no verdict. */
export function policyText(crawler: CrawlerDefinition, server: ServerDefinition): string {
  const {
    name,
    defaultAccept,
    defaultIndex,
    defaultFollow,
    defaultFollowRoots,
    rules,
    linkRules,
    crawlSpace,
    servers,
    conditions,
    traps,
  } = crawler;
  const roots = crawler.roots.map(({ url, site, entireSite, followLinks, metas }) => {
    return { url, site, entireSite, followLinks, metas };
  });
  const policy = {
    name,
    defaultAccept,
    defaultIndex,
    defaultFollow,
    defaultFollowRoots,
    rules,
    linkRules,
    crawlSpace,
    servers,
    conditions,
    traps,
    roots,
  };
  return JSON.stringify({ ...policy, global: server.globalCrawlSpace }, (key, value: unknown) =>
    key === 'place' ? undefined : value,
  );
}
