import { RULE_FILE_KINDS } from '../../domain/crawl/rule-file.js';
import type { VersionHeader } from '../../engine/ports/administration.js';
import type { PreviewCounts, PreviewGroup, PreviewReport } from '../../engine/views/crawler-views.js';
import {
  boolean,
  counts,
  integer,
  list,
  listOf,
  one,
  oneOf,
  ownSchema,
  schema,
  text,
  time,
  url,
} from '../http/schema.js';
import type { ConfigurationService } from './configuration.service.js';
import type { RuleFile } from './configuration-file.js';
import { configurationProblemSchema } from './configuration-problem.schema.js';

export const versionSchema = schema<VersionHeader>()('Version', {
  version: integer(2),
  at: time(),
  who: text('admin', 'Name of the API key; `file` if the file was found changed on disk.'),
});

const { version, at, who } = versionSchema.fields;

export const configurationStateSchema = schema<ConfigurationService>()('ConfigurationState', {
  version: version.by(({ current }: ConfigurationService) => current.header.version),
  at: at.by(({ current }: ConfigurationService) => current.header.at),
  who: who.by(({ current }: ConfigurationService) => current.header.who),
  file: text('CrawlConfig.xml', 'Path of the file.').by(
    (configuration: ConfigurationService) => configuration.file.path,
  ),
  etag: text('"5f2b"', 'ETag of the active configuration.'),
  warnings: listOf(configurationProblemSchema, 'Warnings of the configuration in force.').by(
    ({ current }: ConfigurationService) => current.problems,
  ),
  rejected: listOf(
    configurationProblemSchema,
    'Errors because of which the changed file on disk is not in force; empty if it is in force.',
  ).from('rejectedProblems'),
});

const RULE_TEXT = {
  name: text('crawl.rules', 'Name as in the configuration, relative to its folder.'),
  text: text('allow domain example.com'),
};

export const ruleTextSchema = ownSchema('RuleText', RULE_TEXT);

export const ruleFileSchema = schema<RuleFile>()('RuleFile', { ...RULE_TEXT, kind: oneOf(RULE_FILE_KINDS) });

const previewSampleSchema = schema<PreviewGroup['samples'][number]>()('PreviewSample', {
  url: url(),
  reason: text('http-404', 'Reason code of the new verdict.'),
});

const previewGroupSchema = schema<PreviewGroup>()('PreviewGroup', {
  count: integer(3),
  byHost: counts({ 'www.example.com': 3 }),
  samples: listOf(previewSampleSchema),
});

const previewCrawlerSchema = schema<PreviewCounts>()('PreviewCrawler', {
  crawler: text('docs'),
  indexed: integer(42, 'Documents currently in the index.'),
  newlyAccepted: one(previewGroupSchema, 'Stored URLs that are not currently crawled but would be.'),
  excluded: one(previewGroupSchema, 'Stored URLs that would no longer be crawled (status 760).'),
  keptElsewhere: one(
    previewGroupSchema,
    'URLs that would be excluded, with their documents left to another crawler (status 761).',
  ),
  documentsDeleted: one(previewGroupSchema, 'Documents that would be removed from the index.'),
  changedSource: one(previewGroupSchema, 'Stored URLs that would move to another source.'),
});

const removedCrawlerSchema = schema<PreviewReport['removed'][number]>()('RemovedCrawler', {
  crawler: text('docs'),
  urls: integer(51, 'Its stored URLs.'),
  indexed: integer(42, 'Its documents in the index.'),
});

export const previewSchema = schema<PreviewReport>()('Preview', {
  crawlers: listOf(previewCrawlerSchema),
  removed: listOf(
    removedCrawlerSchema,
    'Crawlers that are not in the configuration any more: their documents stay until somebody decides (`decideFormerDocuments`).',
  ),
  judged: integer(12, 'Stored URLs judged so far.'),
  total: integer(42, 'Stored URLs to judge.'),
  done: boolean(),
  needsConfirmation: list(text('docs'), 'Crawlers that would lose more than 10 % of their documents.'),
});
