/** Shows what needs a person's attention: each alert says what is wrong and links to where it can be fixed. */
import type { JSX } from 'preact';
import { call } from '../../api/client.js';
import type { ConfigurationStateDto, CrawlerDto, HeldDeletionsDto, HostDto, SinkDto } from '../../api/schema.js';
import { placeLink } from '../../state/place.js';
import { useResource } from '../../state/resource.js';
import { href } from '../../state/route.js';
import { addFullStop, formatPlural } from '../../ui/format.js';

const EVERY_MS = 10_000;
/** Maximum number to which refused orders are counted. */
const COUNTED = 100;
/** A host is unhealthy if a smaller share of its visits succeeded. */
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
  text: `${formatPlural(count, 'deletion')} for ${host} ${count === 1 ? 'is' : 'are'} held: too many came up for one host at once.`,
  target: href('/push', { view: 'held' }),
  action: 'Review',
});

/**
 * Alerts for the sinks to which the crawler pushes. While one is unavailable, orders that another one refused are not
 * recorded as refused.
 */
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

const unavailableText = ({ name, message = 'no response' }: SinkDto): string =>
  `The sink ${name} is unavailable: ${addFullStop(message.replace(`sink ${name} at `, ''))} Orders are waiting.`;

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
      ? 'asked crawlers to slow down or did not respond, and is not contacted for a while'
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
