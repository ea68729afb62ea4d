import type { CrawlerDefinition, ServerDefinition } from '../crawl/definition.js';
import type { ConditionRule, UrlOptions } from '../crawl/policy-definition.js';

/** Whether this configuration may render any URL. */
export const usesRendering = ({ crawlers }: Pick<ServerDefinition, 'crawlers'>): boolean =>
  crawlers.some(crawlerUsesRendering);

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
