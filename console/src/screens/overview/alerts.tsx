/** Shows what needs attention: each alert says what is wrong and links to where it can be fixed. */
import type { JSX } from 'preact';
import { call } from '../../api/client.js';
import type {
  ConfigurationStateDto,
  CrawlerDto,
  HeldDeletionsDto,
  HostDto,
  QuotaLimitDto,
  SinkDto,
} from '../../api/schema.js';
import { getPlaceLink } from '../../state/place.js';
import { useResource } from '../../state/resource.js';
import { href } from '../../state/route.js';
import { addFullStop, formatBytes, formatCount, formatPlural } from '../../ui/format.js';
import { formatTimeOfDay } from '../../ui/time.js';

const POLL_INTERVAL_MS = 10_000;
/** Refused orders are only counted up to this number. */
const MAX_COUNTED = 100;
/** A host is unhealthy if less than this share of its latest visits succeeded. */
const MIN_HEALTHY_SHARE = 0.5;

interface Alert {
  readonly tone: 'warn' | 'bad';
  readonly text: string;
  readonly target: string;
  readonly action: string;
}

export function Alerts({ crawler: { name } }: { crawler: CrawlerDto }): JSX.Element | null {
  const { value: alerts = [] } = useResource(`alerts ${name}`, (signal) => findAlerts(name, signal), POLL_INTERVAL_MS);
  if (alerts.length === 0) return null;
  return (
    <section class="stack" aria-label="Alerts">
      {alerts.map(({ tone, text, target, action }) => (
        <div key={text} class={`notice ${tone}`}>
          <p>{text}</p>
          <a class="button" href={target}>
            {action}
          </a>
        </div>
      ))}
    </section>
  );
}

async function findAlerts(crawler: string, signal: AbortSignal): Promise<Alert[]> {
  const today = new Date().toISOString().slice(0, 10);
  const [crawlers, heldDeletions, sinks, refusedOrders, hosts, configuration, { quotas }] = await Promise.all([
    call('GET /api/v1/crawlers', { signal }),
    call('GET /api/v1/held-deletions', { signal }),
    call('GET /api/v1/sinks', { signal }),
    call('GET /api/v1/orders', { query: { crawler, state: 'refused', limit: MAX_COUNTED }, signal }),
    call('GET /api/v1/hosts', { query: { crawler, limit: 1000 }, signal }),
    call('GET /api/v1/config/state', { signal }),
    call('GET /api/v1/usage', { query: { crawler, from: today, to: today }, signal }),
  ]);
  return [
    ...heldDeletions.items.map(createHeldDeletionsAlert),
    ...createFailureAlerts(crawlers.items),
    ...createSinkAlerts(sinks.items, crawler),
    ...createRefusedAlerts(refusedOrders.items.length, crawler),
    ...hosts.items.flatMap((host) => createHostAlerts(host, crawler)).slice(0, 5),
    ...quotas.filter(({ reached }) => reached).map((quota) => createQuotaAlert(quota, crawler)),
    ...createConfigurationAlerts(configuration, crawler),
  ];
}

const createHeldDeletionsAlert = ({ host, count, changes }: HeldDeletionsDto): Alert => ({
  tone: 'warn',
  text:
    changes.length > 0
      ? `Many pages of ${host} suddenly say the same (${changes.map(({ cause }) => cause).join(', ')}); ${formatPlural(count, 'document')} of the host ${count === 1 ? 'stays as it was' : 'stay as they were'} until it is well again.`
      : `${formatPlural(count, 'deletion')} for ${host} ${count === 1 ? 'is' : 'are'} held, because too many documents of the host would be deleted at once.`,
  target: href('/push', { view: 'held' }),
  action: 'Review',
});

const MAX_NAMES = 3;

/** The overview has a card for each crawler, of which the failing one may be far below. */
function createFailureAlerts(crawlers: readonly CrawlerDto[]): Alert[] {
  const failed = crawlers.filter(({ counts: { error = 0, ...others } }) => {
    const rest = Object.values(others).reduce((sum, count) => sum + count, 0);
    return error > 0 && rest === 0;
  });
  const names = failed.slice(0, MAX_NAMES).map(({ name }) => name);
  if (failed.length > MAX_NAMES) names.push(`and ${failed.length - MAX_NAMES} more`);
  return failed.slice(0, 1).map(({ name }) => ({
    tone: 'bad',
    text: `All URLs of ${names.join(', ')} failed, so that nothing of ${failed.length === 1 ? 'it' : 'them'} is in the index.`,
    target: href('/errors', { crawler: name }),
    action: 'View',
  }));
}

/**
 * Alerts for the sinks to which the crawler pushes. While one of them is unavailable, orders that another one refused
 * are not in the list of refused orders yet.
 */
function createSinkAlerts(allSinks: readonly SinkDto[], crawler: string): Alert[] {
  const sinks = allSinks.filter(({ crawlers }) => crawlers.includes(crawler));
  const unavailableSinks = sinks.filter(({ state }) => state !== 'ready');
  const refusingSinks = unavailableSinks.length > 0 ? sinks.filter(({ refused }) => refused > 0) : [];
  const link = { target: href('/push', { crawler }), action: 'View' };
  return [
    ...unavailableSinks.map((sink) => ({ tone: 'bad' as const, text: describeOutage(sink), ...link })),
    ...refusingSinks.map((sink) => ({ tone: 'warn' as const, text: describeRefusals(sink), ...link })),
  ];
}

const describeOutage = ({ name, message = 'no response' }: SinkDto): string =>
  `The sink ${name} is unavailable: ${addFullStop(message.replace(`sink ${name} at `, ''))} Orders are waiting.`;

const describeRefusals = ({ name, refused, lastRefusal }: SinkDto): string =>
  `The sink ${name} has refused ${formatPlural(refused, 'order')} since the server started${lastRefusal ? `: ${lastRefusal}` : '.'}`;

const createRefusedAlerts = (count: number, crawler: string): Alert[] =>
  count === 0
    ? []
    : [
        {
          tone: 'warn',
          text: `The sinks refused ${count < MAX_COUNTED ? formatPlural(count, 'order') : `${MAX_COUNTED} orders or more`}.`,
          target: href('/push', { crawler, view: 'refused' }),
          action: 'Review',
        },
      ];

function createHostAlerts(host: HostDto, crawler: string): Alert[] {
  const target = href('/host', { crawler, host: host.host });
  const isResting = host.backOffUntil !== undefined && Date.parse(host.backOffUntil) > Date.now();
  const problem = host.paused
    ? 'is paused'
    : isResting
      ? 'asked crawlers to slow down or did not respond, and is not contacted for a while'
      : host.successShare !== undefined && host.successShare < MIN_HEALTHY_SHARE
        ? describeFailures(host.successShare, host.errorClasses)
        : undefined;
  return problem ? [{ tone: 'warn', text: `${host.host} ${problem}.`, target, action: 'View' }] : [];
}

function describeFailures(successShare: number, errorClasses: HostDto['errorClasses']): string {
  const percent = Math.round(successShare * 100);
  const [mostFrequent] = Object.entries(errorClasses).sort(([, a], [, b]) => b - a);
  const cause = mostFrequent ? ` (mostly ${mostFrequent[0]})` : '';
  return percent === 0
    ? `is unhealthy: none of the latest visits succeeded${cause}`
    : `is unhealthy: only ${percent} % of the latest visits succeeded${cause}`;
}

const QUOTA_EFFECTS: Readonly<Record<QuotaLimitDto['limit'], { unit: string; effect: string }>> = {
  urls: { unit: 'stored URLs', effect: 'Links to further URLs are refused' },
  documents: { unit: 'documents', effect: 'Further pages are not indexed' },
  bytes: { unit: 'received today', effect: 'Nothing is fetched' },
  rendering: { unit: 'rendered minutes today', effect: 'Pages that have to be rendered wait' },
};

function createQuotaAlert({ quota, limit, max, until }: QuotaLimitDto, crawler: string): Alert {
  const { unit, effect } = QUOTA_EFFECTS[limit];
  const end = until === undefined ? 'until there is room again' : `until ${formatTimeOfDay(until)}`;
  return {
    tone: 'warn',
    text: `The quota ${quota} is used up: ${limit === 'bytes' ? formatBytes(max) : formatCount(max)} ${unit}. ${effect} ${end}.`,
    target: href('/refused', { crawler }),
    action: 'View',
  };
}

function createConfigurationAlerts({ warnings, rejected }: ConfigurationStateDto, crawler: string): Alert[] {
  const firstProblem = rejected[0] ?? warnings[0];
  if (!firstProblem) return [];
  const target = getPlaceLink(firstProblem, crawler);
  return [
    ...(rejected.length > 0
      ? [
          {
            tone: 'bad' as const,
            text: `The configuration file on disk has ${formatPlural(rejected.length, 'error')} and is not in force: ${rejected[0]?.message}`,
            target,
            action: 'Open',
          },
        ]
      : []),
    ...(warnings.length > 0
      ? [
          {
            tone: 'warn' as const,
            text: `The configuration has ${formatPlural(warnings.length, 'warning')}: ${warnings[0]?.message}`,
            target,
            action: 'Open',
          },
        ]
      : []),
  ];
}
