import type { CrawlerDefinition, ServerDefinition } from '../crawl/definition.js';
import type { ConditionRule, UrlOptions } from '../crawl/policy-definition.js';

/** Whether this configuration may need a browser, for a page or a login. */
export const usesRendering = ({
  crawlers,
  fetchers = [],
}: Pick<ServerDefinition, 'crawlers'> & Partial<Pick<ServerDefinition, 'fetchers'>>): boolean =>
  crawlers.some(crawlerUsesRendering) || fetchers.some(({ logins }) => logins.some(({ type }) => type === 'browser'));

function crawlerUsesRendering({ render, rules, conditions }: CrawlerDefinition): boolean {
  return (
    render !== 'never' ||
    rules.some(({ actions }) => isRenderingOn(actions.render)) ||
    isRenderingOn(conditions?.options) ||
    conditions?.rules.some(conditionUsesRendering) === true
  );
}

const conditionUsesRendering = ({ options, children }: ConditionRule): boolean =>
  isRenderingOn(options) || children.some(conditionUsesRendering);

const isRenderingOn = (options: Pick<UrlOptions, 'renderMode'> | undefined): boolean =>
  options?.renderMode !== undefined && options.renderMode !== 'never';
