/** What needs a person's attention: each alert says what is wrong and leads to where it can be fixed. */
import type { JSX } from 'preact';
import { call } from '../../api/client.js';
import type { ConfigurationStateDto, CrawlerDto, HeldDeletionsDto, HostDto, SinkDto } from '../../api/schema.js';
import { placeLink } from '../../state/place.js';
import { useResource } from '../../state/resource.js';
import { href } from '../../state/route.js';
import { formatPlural, withFullStop } from '../../ui/format.js';

const EVERY_MS = 10_000;
/** Refused orders are counted up to here. */
const COUNTED = 100;
/** Fewer visits than this say nothing about a host's health. */
const ILL_BELOW = 0.5;

interface Alert {
  readonly tone: 'warn' | 'bad';
  readonly text: string;
  readonly target: string;
  readonly action: string;
}

export function Alerts({ crawler: { name } }: { crawler: CrawlerDto }): JSX.Element | null {
  const { value: alerts = [] } = useResource(`alerts ${name}`, (signal) => findAlerts(name, signal), EVERY_MS);
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
  const [held, sinks, refused, hosts, configuration] = await Promise.all([
    call('GET /api/v1/held-deletions', { signal }),
    call('GET /api/v1/sinks', { signal }),
    call('GET /api/v1/orders', { query: { crawler, state: 'refused', limit: COUNTED }, signal }),
    call('GET /api/v1/hosts', { query: { crawler, limit: 1000 }, signal }),
    call('GET /api/v1/config/state', { signal }),
  ]);
  return [
    ...held.items.map(heldDeletionsAlert),
    ...sinkAlerts(sinks.items, crawler),
    ...refusedAlerts(refused.items.length, crawler),
    ...hosts.items.flatMap((host) => hostAlerts(host, crawler)).slice(0, 5),
    ...configurationAlerts(configuration, crawler),
  ];
}

const heldDeletionsAlert = ({ host, count }: HeldDeletionsDto): Alert => ({
  tone: 'warn',
  text: `${formatPlural(count, 'deletion')} of ${host} ${count === 1 ? 'is' : 'are'} held: too many of one host came at once.`,
  target: href('/push', { view: 'held' }),
  action: 'Review',
});

/** For the sinks to which the crawler pushes. While one is unavailable, what another one refused is not recorded as refused. */
function sinkAlerts(all: readonly SinkDto[], crawler: string): Alert[] {
  const sinks = all.filter(({ crawlers }) => crawlers.includes(crawler));
  const away = sinks.filter(({ state }) => state !== 'ready');
  const refusing = away.length > 0 ? sinks.filter(({ refused }) => refused > 0) : [];
  const link = { target: href('/push', { crawler }), action: 'Look' };
  return [
    ...away.map((sink) => ({ tone: 'bad' as const, text: unavailableText(sink), ...link })),
    ...refusing.map((sink) => ({ tone: 'warn' as const, text: refusingText(sink), ...link })),
  ];
}

const unavailableText = ({ name, message = 'no answer' }: SinkDto): string =>
  `The sink ${name} is unavailable: ${withFullStop(message.replace(`sink ${name} at `, ''))} Orders wait.`;

const refusingText = ({ name, refused, lastRefusal }: SinkDto): string =>
  `The sink ${name} refused ${formatPlural(refused, 'order')} since the start${lastRefusal ? `: ${lastRefusal}` : '.'}`;

const refusedAlerts = (number: number, crawler: string): Alert[] =>
  number === 0
    ? []
    : [
        {
          tone: 'warn',
          text: `The sinks refused ${number < COUNTED ? formatPlural(number, 'order') : `${COUNTED} orders or more`}.`,
          target: href('/push', { crawler, view: 'refused' }),
          action: 'Review',
        },
      ];

function hostAlerts(host: HostDto, crawler: string): Alert[] {
  const target = href('/host', { crawler, host: host.host });
  const resting = host.backOffUntil !== undefined && Date.parse(host.backOffUntil) > Date.now();
  const words = host.paused
    ? 'is paused'
    : resting
      ? 'asked for a rest or did not respond, and is left alone for a while'
      : host.successShare !== undefined && host.successShare < ILL_BELOW
        ? `is unhealthy: ${Math.round(host.successShare * 100)} % of the last visits succeeded`
        : undefined;
  return words ? [{ tone: 'warn', text: `${host.host} ${words}.`, target, action: 'Look' }] : [];
}

function configurationAlerts({ warnings, rejected }: ConfigurationStateDto, crawler: string): Alert[] {
  const first = rejected[0] ?? warnings[0];
  if (!first) return [];
  const target = placeLink(first, crawler);
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
