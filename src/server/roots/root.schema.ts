import { IsBoolean, IsInt, IsString, Matches, Max, MaxLength, Min, MinLength } from 'class-validator';
import type { RootView } from '../../engine/views/crawler-views.js';
import { IfGiven, IsListOf } from '../http/fields.js';
import { MAX_URL } from '../http/limits.js';
import { MAX_LISTED } from '../http/line-slices.js';
import {
  type Answer,
  AsAnswered,
  boolean,
  integer,
  listOf,
  one,
  oneOf,
  ownSchema,
  schema,
  text,
  url,
} from '../http/schema.js';
import { urlStateSchema } from '../urls/url-state.schema.js';

const MAX_METAS = 100;

const rootMetaSchema = ownSchema('RootMeta', {
  name: text('department', undefined, { maxLength: 256 }),
  value: text('Sales', undefined, { maxLength: 4096 }),
});

class RootMetaDto {
  @IsString()
  @MinLength(1)
  @MaxLength(256)
  // Whoever may submit roots does not decide who may see documents.
  @Matches(/^(?!acl_(?:allow|deny)$)/i, {
    message: 'name must not be acl_allow or acl_deny, which only the configuration adds',
  })
  name!: string;

  @IsString()
  @MaxLength(4096)
  value!: string;
}

const SUBMITTED = {
  url: text('https://docs.example.com/', undefined, { maxLength: MAX_URL }),
  site: boolean(
    'Stay on the site of this root, and accept its URLs unless a crawl rule says otherwise. Default: true, or false with entireSite.',
  ).optional(),
  entireSite: boolean('Stay in the directory of the root document and below.').optional(),
  priority: integer(0, 'Priority shift; -2 is the highest priority.', { minimum: -2, maximum: 2 }).optional(),
  group: text('intranet', undefined, { maxLength: 256 }).optional(),
  metas: listOf(
    rootMetaSchema,
    'Metas added to every document that is found from this root; not acl_allow and acl_deny.',
    {
      maxItems: MAX_METAS,
    },
  ).optional(),
  followLinks: boolean('If false, the links of the page are listed but not queued.').optional(),
};

export class RootSubmissionDto {
  @AsAnswered(SUBMITTED.url)
  @IsString()
  @MinLength(1)
  @MaxLength(MAX_URL)
  url!: string;

  @AsAnswered(SUBMITTED.site)
  @IfGiven()
  @IsBoolean()
  site?: boolean;

  @AsAnswered(SUBMITTED.entireSite)
  @IfGiven()
  @IsBoolean()
  entireSite?: boolean;

  @AsAnswered(SUBMITTED.priority)
  @IfGiven()
  @IsInt()
  @Min(-2)
  @Max(2)
  priority?: number;

  @AsAnswered(SUBMITTED.group)
  @IfGiven()
  @IsString()
  @MaxLength(256)
  group?: string;

  @AsAnswered(SUBMITTED.metas)
  @IfGiven()
  @IsListOf(() => RootMetaDto, MAX_METAS)
  metas?: RootMetaDto[];

  @AsAnswered(SUBMITTED.followLinks)
  @IfGiven()
  @IsBoolean()
  followLinks?: boolean;
}

export const rootSchema = schema<RootView>()('Root', {
  ...SUBMITTED,
  origin: oneOf(['configuration', 'submitted'], 'Where the root was defined.'),
  state: one(urlStateSchema).optional(),
});

const submitOutcomeSchema = ownSchema('SubmitOutcome', {
  url: url(),
  outcome: oneOf(['new', 'known', 'rejected']),
  line: integer(2, 'Line of the URL list on which the entry begins.', { minimum: 1 }).optional(),
  message: text('longer than 65536 characters', 'Why the entry was rejected.').optional(),
  reason: text('http-404', 'Reason code of the rejection.').optional(),
});

export const urlListOutcomeSchema = ownSchema('UrlListOutcome', {
  new: integer(1, 'URLs that were not known before.'),
  known: integer(12, 'URLs that were already known; they are due now.'),
  rejected: integer(1),
  rejections: listOf(submitOutcomeSchema, 'The first rejected entries, with their reasons.', { maxItems: MAX_LISTED }),
});

export type SubmitOutcomeAnswer = Answer<typeof submitOutcomeSchema>;
export type UrlListOutcomeAnswer = Answer<typeof urlListOutcomeSchema>;
