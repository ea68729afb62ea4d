import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { IsInt } from 'class-validator';
import { MATCH_ELEMENTS } from '../../domain/policy/match-elements.js';
import { IfGiven, IfGivenOrWithout, IsListOf, IsText, IsTruth } from '../http/fields.js';
import { type Answer, integer, listOfRequested, ownSchema, text } from '../http/schema.js';
import { createValidationPipe } from '../http/validation.js';

const MAX_VALUE = 65_536;
const MAX_ELEMENTS = 1000;

export const RULE_EXAMPLE = '<Rule><Path value="/private"/><Ignore/></Rule>';

/** The same rule in parts. */
const MATCH_EXAMPLE = [{ element: 'Path', value: '/private' }];
const ACTIONS_EXAMPLE = [{ element: 'Ignore' }];

export class RuleMatchDto {
  @IsText({ enum: MATCH_ELEMENTS, maxLength: 32 })
  element!: string;

  @IsText({ required: false, enum: ['url', 'scheme', 'host', 'path', 'query', 'fragment'], maxLength: 32 })
  field?: string;

  @IsText({ required: false, enum: ['exact', 'prefix', 'suffix', 'inside', 'length'], maxLength: 32 })
  kind?: string;

  @IsText({ required: false, enum: ['none', 'lower', 'norm'], maxLength: 32 })
  norm?: string;

  @IsText({
    required: false,
    description: 'Regular expression, or `[minimum:maximum]` for a length.',
    example: '/private',
    maxLength: MAX_VALUE,
  })
  value?: string;

  @IsTruth({
    required: false,
    description: 'Whether special characters are literal and act as operators only after a backslash.',
  })
  litteral?: boolean;

  @ApiProperty({
    required: false,
    type: () => [RuleMatchDto],
    description: 'Elements inside And, Or or Not.',
    example: [],
  })
  @IfGiven()
  @IsListOf(() => RuleMatchDto, MAX_ELEMENTS)
  children?: readonly RuleMatchDto[];
}

export class RuleActionDto {
  @IsText({
    enum: ['Index', 'NoIndex', 'Follow', 'NoFollow', 'Accept', 'Ignore', 'Source', 'AddMeta', 'Priority', 'Render'],
    maxLength: 32,
  })
  element!: string;

  @IsText({ required: false, description: 'For Source and AddMeta.', example: 'department', maxLength: 256 })
  name?: string;

  @IsText({ required: false, description: 'For AddMeta.', example: 'Sales', maxLength: MAX_VALUE })
  value?: string;

  @IsText({ required: false, enum: ['document', 'links'], description: 'For AddMeta.', maxLength: 32 })
  scope?: string;

  @ApiProperty({ required: false, type: 'integer', minimum: -2, maximum: 2, description: 'For Priority.', example: 1 })
  @IfGiven()
  @IsInt()
  shift?: number;

  @IsText({ required: false, enum: ['never', 'auto', 'always'], description: 'For Render.', maxLength: 32 })
  mode?: string;

  @IsText({
    required: false,
    description: 'For Render: a CSS selector, or `js:` and an expression.',
    example: '.content',
    maxLength: MAX_VALUE,
  })
  readyWhen?: string;

  @IsText({
    required: false,
    description: 'For Render: `click SELECTOR; scroll TIMES; wait SECONDS`.',
    example: 'click .more; wait 0.5',
    maxLength: MAX_VALUE,
  })
  steps?: string;
}

export class RuleInputDto {
  @IsText({
    required: false,
    description: 'Group of a new rule. Absent: the group of the rule before it.',
    example: 'intranet',
    maxLength: 256,
  })
  group?: string;

  @IsText({
    required: false,
    description: 'Key of the Rules block into which a new rule is inserted.',
    example: 'private',
    maxLength: 256,
  })
  key?: string;

  @IsText({
    required: false,
    description: 'One Rule element, instead of `match` and `actions`.',
    example: RULE_EXAMPLE,
    maxLength: MAX_VALUE,
  })
  xml?: string;

  @ApiProperty({
    required: false,
    type: () => [RuleMatchDto],
    description: 'Multiple elements are combined with And.',
    example: MATCH_EXAMPLE,
  })
  @IfGivenOrWithout('xml')
  @IsListOf(() => RuleMatchDto, MAX_ELEMENTS)
  match?: RuleMatchDto[];

  @ApiProperty({ required: false, type: () => [RuleActionDto], example: ACTIONS_EXAMPLE })
  @IfGivenOrWithout('xml')
  @IsListOf(() => RuleActionDto, MAX_ELEMENTS)
  actions?: RuleActionDto[];
}

/** A crawl rule to write, as XML (one Rule element) or in parts. */
export type RuleInput = { readonly group?: string; readonly key?: string } & (
  | { readonly xml: string }
  | { readonly match: readonly RuleMatchDto[]; readonly actions: readonly RuleActionDto[] }
);

export const ruleSchema = ownSchema('Rule', {
  index: integer(1, 'Position across all Rules blocks of the crawler.', { minimum: 0 }),
  group: text('intranet'),
  key: text('private').optional(),
  match: listOfRequested(RuleMatchDto, 'Multiple elements are combined with And.', MATCH_EXAMPLE),
  actions: listOfRequested(RuleActionDto, undefined, ACTIONS_EXAMPLE),
  xml: text(RULE_EXAMPLE, 'The Rule element as written in the file.'),
});

export type RuleView = Answer<typeof ruleSchema>;

/** Accepts a rule as JSON or as one Rule element. */
@Injectable()
export class RuleBodyPipe implements PipeTransform<unknown, Promise<RuleInput>> {
  private readonly validation = createValidationPipe();

  async transform(body: unknown, metadata: ArgumentMetadata): Promise<RuleInput> {
    if (typeof body === 'string') return { xml: body };
    const rule: RuleInputDto = await this.validation.transform(body ?? {}, { ...metadata, metatype: RuleInputDto });
    const { group, key, xml, match = [], actions = [] } = rule;
    return xml === undefined ? { group, key, match, actions } : { group, key, xml };
  }
}
