import { Controller, Get, Inject } from '@nestjs/common';
import { ERROR_CODES } from '../../domain/fetch/error-codes.js';
import { REASONS } from '../../domain/policy/reasons.js';
import type { ConfigurationFormat } from '../configuration/configuration-format.js';
import { type ElementForm, elementFormSchema } from '../configuration/element.schema.js';
import { Operation } from '../http/operation.js';
import type { Page } from '../http/paging.js';
import { PageResponse } from '../http/paging.js';
import { type Answer, oneOf, ownSchema, text } from '../http/schema.js';
import { API, CONFIGURATION_FORMAT } from '../tokens.js';

const CODES = [...Object.keys(REASONS), ...Object.keys(ERROR_CODES)];

const reasonSchema = ownSchema('Reason', {
  code: oneOf(CODES, 'Stable code, used by the store, the API, the metrics and the console.'),
  kind: oneOf(['reason', 'error'], 'A reason explains a verdict; an error says how a visit failed.'),
  layer: text('crawl-rules', 'For a reason: the layer or part that emits it.').optional(),
  class: oneOf(['permanent', 'temporary'], 'For an error: the default class.').optional(),
  meaning: text('The last matching crawl rule with an Accept or Ignore action uses Ignore.'),
  remedy: text('Change that rule, or put a rule with Accept after it.', 'What to change if this is not what you want.'),
});

type ReasonAnswer = Answer<typeof reasonSchema>;

const ALL_REASONS: readonly ReasonAnswer[] = [
  ...Object.entries(REASONS).map(([code, entry]): ReasonAnswer => ({ code, kind: 'reason', ...entry })),
  ...Object.entries(ERROR_CODES).map(
    ([code, { class: kind, meaning, remedy }]): ReasonAnswer => ({ code, kind: 'error', class: kind, meaning, remedy }),
  ),
];

@Controller(`${API}/reasons`)
export class ReasonsController {
  @Get()
  @Operation({
    id: 'listReasons',
    summary: 'All reason and error codes',
    description: 'What each code means and what to do about it.',
    role: 'read',
    crawlers: 'none',
  })
  @PageResponse(reasonSchema)
  list(): Page<ReasonAnswer> {
    return { items: ALL_REASONS, next: null };
  }
}

@Controller(`${API}/config/elements`)
export class ElementsController {
  constructor(@Inject(CONFIGURATION_FORMAT) private readonly format: ConfigurationFormat) {}

  @Get()
  @Operation({
    id: 'listElements',
    summary: 'What can be written in CrawlConfig.xml',
    description: 'Elements with their attributes, values and defaults: the table from which forms are built.',
    role: 'read',
    crawlers: 'none',
  })
  @PageResponse(elementFormSchema, 'All elements.')
  list(): Page<ElementForm> {
    return { items: this.format.listElements(), next: null };
  }
}
