/** The output of `crawlway explain`: the headline first, then everything that supports it. */
import type { JudgedDto, OrderDto, VisitDto } from '../../client/index.js';
import { toPrintable } from '../server/printable.js';

/** Without a server, only what the configuration says. */
export type ExplanationReport = Pick<JudgedDto, 'url' | 'headline' | 'discoveredVia' | 'verdict' | 'trace'> &
  Partial<JudgedDto>;

const DISCOVERED_AS: Readonly<Record<string, string>> = {
  root: 'a root',
  link: 'a link',
  redirect: 'the target of a redirect',
  sitemap: 'a sitemap entry',
  stored: 'a stored URL',
};

const MAX_LINES = 10;

export function formatExplanation(crawler: string, explanation: ExplanationReport): string {
  const { url, headline } = explanation;
  const lines = [
    url,
    `  ${headline.text}`,
    ...(headline.nextStep ? [`  Next step: ${headline.nextStep}`] : []),
    '',
    `  crawler  ${crawler}`,
    ...formatVerdict(explanation),
    ...formatFacts(explanation),
    ...formatHistory(explanation),
    '  policy',
    ...explanation.trace.map((step) => {
      const where = step.place ? `  ${step.place.file}:${step.place.line}` : '';
      return `    ${step.layer.padEnd(14)} ${step.outcome.padEnd(14)} ${[step.test, step.effect].filter(Boolean).join(' → ')}${where}`;
    }),
  ];
  return lines.map(toPrintable).join('\n');
}

function formatVerdict({ discoveredVia, from, verdict, queue }: ExplanationReport): string[] {
  const { accepted, reason, meaning, layer, place, detail, effects } = verdict;
  const shift = queue && queue.shift !== 0 ? ` (${queue.natural} shifted by ${queue.shift})` : '';
  return [
    `  judged   as ${DISCOVERED_AS[discoveredVia] ?? discoveredVia}${from ? ` on ${from}` : ''}`,
    `  verdict  ${accepted ? 'the configuration accepts it' : `the configuration rejects it${layer ? `, by ${layer}` : ''}`}`,
    `  reason   ${reason}: ${meaning}`,
    ...(detail ? [`  detail   ${detail}`] : []),
    ...(place ? [`  place    ${place.file}:${place.line}:${place.column}`] : []),
    ...(accepted ? [`  effects  index ${formatBoolean(effects.index)}, follow ${formatBoolean(effects.follow)}`] : []),
    ...(queue ? [`  source   ${queue.source}${shift}`] : []),
  ];
}

function formatFacts({ robots, state, behind = [] }: ExplanationReport): string[] {
  const ruleLine = robots?.line === undefined ? '' : ` by line ${robots.line}: ${robots.rule}`;
  const nextVisit = state?.dueAt ? `, next visit ${state.dueAt} (${state.source})` : state ? ', not queued' : '';
  return [
    ...(robots ? [`  robots   ${robots.state}${ruleLine}`] : []),
    ...(state ? [`  stored   ${state.status} (${state.reason})${nextVisit}`] : []),
    ...behind.map(
      ({ sink, since }) =>
        `  behind   at sink ${sink} since ${since}: when it catches up, the sink gets the document as indexed by then`,
    ),
  ];
}

function formatHistory({ visits = [], orders = [], refusedLinks = [] }: ExplanationReport): string[] {
  const formatVisit = ({ at, status, outcome, detail }: VisitDto): string =>
    `    ${[at, status ?? '–', outcome, detail].filter((part) => part !== undefined).join('  ')}`;
  const formatOrder = ({ id, decidedAt, kind, state, reason, answer }: OrderDto): string =>
    `    ${decidedAt}  ${kind} ${state} (${reason}, order ${id})${answer ? `: ${answer}` : ''}`;
  return [
    ...formatSection('visits', visits.map(formatVisit)),
    ...formatSection('orders', orders.map(formatOrder)),
    ...formatSection(
      'refused links',
      refusedLinks.map(({ from, reason }) => `    ${reason}  on ${from}`),
    ),
  ];
}

function formatSection(title: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return [];
  const omittedNote =
    lines.length > MAX_LINES ? [`    … and ${lines.length - MAX_LINES} more, in the console or GET …/explain`] : [];
  return [`  ${title}`, ...lines.slice(0, MAX_LINES), ...omittedNote];
}

const formatBoolean = (value: boolean): string => (value ? 'yes' : 'no');
