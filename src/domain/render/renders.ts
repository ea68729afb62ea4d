import type { CrawlerDefinition, ServerDefinition } from '../crawl/definition.js';
import type { ConditionRule, UrlOptions } from '../crawl/policy-definition.js';

/** Whether any URL may be rendered by this configuration. */
export const rendersAnything = ({ crawlers }: Pick<ServerDefinition, 'crawlers'>): boolean => crawlers.some(renders);

function renders({ render, rules, conditions }: CrawlerDefinition): boolean {
  return (
    render !== 'never' ||
    rules.some(({ actions }) => isOn(actions.render)) ||
    isOn(conditions?.options) ||
    conditions?.rules.some(hasRendering) === true
  );
}

const hasRendering = ({ options, children }: ConditionRule): boolean => isOn(options) || children.some(hasRendering);

const isOn = (options: Pick<UrlOptions, 'renderMode'> | undefined): boolean =>
  options?.renderMode !== undefined && options.renderMode !== 'never';
