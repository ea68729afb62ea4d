/** `crawlway render`: compares a page as sent by the server with its rendered form. */
import { writeFile } from 'node:fs/promises';
import type { ServerDefinition } from '../domain/crawl/definition.js';
import { toRenderingView } from '../engine/control/first-look.js';
import type { PageResult } from '../engine/ports/page-task.js';
import { openConfigurationFile } from '../server/engine.module.js';
import { toFileError } from '../server/fail.js';
import { UsageError } from '../server/options.js';
import { toPrintable } from '../server/printable.js';
import { createSiteDefinition } from './crawl.js';
import { readPage } from './extract.js';
import { type JsonOption, printJson } from './output.js';
import { formatTable } from './table.js';

interface RenderOptions extends JsonOption {
  readonly picture?: string;
  readonly config?: string;
  readonly crawler?: string;
  readonly sandbox: boolean;
}

const MAX_LINES_SHOWN = 40;

/** The exit code is 0 if the page was rendered, and 2 if it could not be rendered. */
export async function renderPage(url: string, options: RenderOptions): Promise<void> {
  const result = await readPage(url, await createDefinition(url, options), { render: 'always' });
  const report = compareRendering(url, result);
  if (options.picture !== undefined && report.picture !== undefined)
    await saveScreenshot(options.picture, report.picture);
  if (options.json) printJson({ ...report, picture: undefined, pictureFile: options.picture });
  else process.stdout.write(`${formatComparison(report)}\n`);
  if (!report.comparison) process.exitCode = 2;
}

type RenderingReport = ReturnType<typeof compareRendering>;

function compareRendering(url: string, result: PageResult) {
  const view = toRenderingView(result);
  const { outcome } = result;
  if (!view || (outcome.kind !== 'document' && outcome.kind !== 'redirect')) {
    const detail = 'detail' in outcome ? `: ${outcome.detail}` : '';
    throw new UsageError(`${url} does not return a page that scripts could change: ${outcome.kind}${detail}`);
  }
  const links = [...new Set([...result.links, ...result.refused].map((link) => link.url))];
  const sentLinks = new Set(result.rendering?.sent?.links);
  const { time, ...rest } = view;
  return {
    url,
    goesTo: outcome.kind === 'redirect' ? outcome.target : undefined,
    seconds: time / 1000,
    ...rest,
    title: outcome.kind === 'document' ? outcome.facts.title : undefined,
    textLength: outcome.kind === 'document' ? outcome.reading?.textLength : undefined,
    links: links.length,
    newLinks: links.filter((link) => !sentLinks.has(link)),
  };
}

function formatComparison(report: RenderingReport): string {
  const { comparison, failure, goesTo, seconds, requests, refused, readiness, newLinks } = report;
  if (goesTo !== undefined) return `its scripts redirect to ${goesTo}`;
  if (!comparison) return `not rendered: ${failure?.code ?? 'nothing'}: ${failure?.detail ?? ''}`;
  const { sent, added, lost, lostLinks } = comparison;
  const refusals = Object.entries(refused).map(([reason, count]) => `${count} ${reason}`);
  return [
    formatTable(
      ['', 'as sent', 'rendered'],
      [
        ['title', sent.title, report.title ?? ''],
        ['text', `${sent.textLength} characters`, `${report.textLength} characters`],
        ['links', String(sent.links), String(report.links)],
      ],
    ),
    `${seconds} s until ${readiness}, ${requests} requests, refused: ${refusals.join(', ') || 'none'}`,
    ...formatLines('text that only rendering adds', '+', added),
    ...formatLines('text that is gone', '-', lost),
    ...formatLines('links that only rendering finds', '+', newLinks),
    ...formatLines('links that are gone', '-', lostLinks),
  ].join('\n');
}

function formatLines(name: string, sign: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return [];
  const omittedNote = lines.length > MAX_LINES_SHOWN ? [`  … and ${lines.length - MAX_LINES_SHOWN} more`] : [];
  return [
    '',
    `${name}:`,
    ...lines.slice(0, MAX_LINES_SHOWN).map((line) => `${sign} ${toPrintable(line)}`),
    ...omittedNote,
  ];
}

async function createDefinition(url: string, { config, crawler, sandbox }: RenderOptions): Promise<ServerDefinition> {
  if (config === undefined) return createSiteDefinition([url], { delay: '0', sandbox });
  const { definition } = await openConfigurationFile(config).load();
  const namedCrawler = definition?.crawlers.find(({ name }) => crawler === undefined || name === crawler);
  if (!definition || !namedCrawler) throw new UsageError(`${config} has no crawler ${crawler ?? ''}`.trim());
  return { ...definition, crawlers: [namedCrawler] };
}

const saveScreenshot = (path: string, picture: string): Promise<void> =>
  writeFile(path, Buffer.from(picture, 'base64')).catch((error) => {
    throw toFileError(path, 'written', error);
  });
