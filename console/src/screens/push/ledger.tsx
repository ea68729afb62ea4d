import type { JSX } from 'preact';
import { call } from '../../api/client.js';
import type { Calls, OrderDto } from '../../api/schema.js';
import { applyForm, useAddressForm } from '../../state/address-form.js';
import { useCrawler, useCrawlers } from '../../state/crawlers.js';
import { useResource } from '../../state/resource.js';
import { changeQuery, href, useRoute } from '../../state/route.js';
import { useHasRole } from '../../state/session.js';
import { EmptyState, ResourceView } from '../../ui/answers.js';
import { formatPlural } from '../../ui/format.js';
import { runWithNotice } from '../../ui/notices.js';
import { Panel } from '../../ui/panel.js';
import { Reason } from '../../ui/reasons.js';
import { Badge, StateBadge } from '../../ui/status.js';
import { Table } from '../../ui/table.js';
import { Time } from '../../ui/time.js';
import { UrlLink } from '../../ui/url-text.js';

type Query = Calls['GET /api/v1/orders']['query'];
type OrderState = NonNullable<Query['state']>;

const STATES: readonly OrderState[] = [
  'pending',
  'acknowledged',
  'refused',
  'awaiting',
  'held',
  'cancelled',
  'dropped',
];
const PAGE_SIZE = 100;

/** @param state if given, only orders in this state are listed */
export function Ledger({ state }: { state?: OrderState }): JSX.Element {
  const { query } = useRoute();
  const { value: crawlers } = useCrawlers();
  const crawler = useCrawler()?.name;
  const filter: Query = {
    crawler,
    state: state ?? STATES.find((candidate) => candidate === query.get('state')),
    kind: (['add', 'delete'] as const).find((kind) => kind === query.get('kind')),
    uri: query.get('uri') ?? undefined,
    host: query.get('host') ?? undefined,
    cursor: query.get('cursor') ?? undefined,
  };
  const orders = useResource(crawlers && `orders ${JSON.stringify(filter)}`, (signal) =>
    call('GET /api/v1/orders', { query: { ...filter, limit: PAGE_SIZE }, signal }),
  );
  return (
    <Panel
      title={`${state === 'refused' ? 'Refused orders' : 'Order ledger'}${crawler ? ` of ${crawler}` : ''}`}
      aside={
        <button type="button" class="button small" onClick={orders.reload}>
          Reload
        </button>
      }
    >
      <div class="stack">
        {!state && <OrderSearch />}
        <ResourceView resource={orders}>
          {({ items, next }) => (
            <>
              <Orders orders={items} onRetried={orders.reload} refusedOnly={state === 'refused'} crawler={crawler} />
              {next && (
                <nav class="actions end" aria-label="Pages">
                  <button type="button" class="button" onClick={() => changeQuery({ cursor: next })}>
                    Older {PAGE_SIZE}
                  </button>
                </nav>
              )}
            </>
          )}
        </ResourceView>
      </div>
    </Panel>
  );
}

function OrderSearch(): JSX.Element {
  const form = useAddressForm();
  return (
    <form ref={form} class="filters" onSubmit={applyForm}>
      <div class="field grow">
        <label for="order-uri">Exact URI</label>
        <input id="order-uri" name="uri" class="mono" spellcheck={false} />
      </div>
      <div class="field">
        <label for="order-host">Host (with port, if any)</label>
        <input id="order-host" name="host" spellcheck={false} placeholder="docs.example.com:8080" />
      </div>
      <SelectField name="state" label="State" values={STATES} />
      <SelectField name="kind" label="Order" values={['add', 'delete']} />
      <button type="submit" class="button primary">
        Search
      </button>
    </form>
  );
}

interface SelectFieldProps {
  readonly name: string;
  readonly label: string;
  readonly values: readonly string[];
}

const SelectField = ({ name, label, values }: SelectFieldProps): JSX.Element => (
  <div class="field">
    <label for={`order-${name}`}>{label}</label>
    <select id={`order-${name}`} name={name}>
      <option value="">any</option>
      {values.map((value) => (
        <option key={value}>{value}</option>
      ))}
    </select>
  </div>
);

const NoRefusedOrders = ({ crawler }: { crawler?: string }): JSX.Element => (
  <EmptyState>
    There are no refused orders. An order to which another sink has not responded yet is listed among the{' '}
    <a href={href('/push', { crawler, view: 'ledger', state: 'pending' })}>pending orders</a>, with the response of the
    sink that refused it.
  </EmptyState>
);

interface OrdersProps {
  readonly orders: readonly OrderDto[];
  readonly crawler?: string;
  readonly refusedOnly: boolean;
  readonly onRetried: () => void;
}

function Orders({ orders, crawler, refusedOnly, onRetried }: OrdersProps): JSX.Element {
  const mayOperate = useHasRole('operate');
  if (orders.length === 0) {
    return refusedOnly ? <NoRefusedOrders crawler={crawler} /> : <EmptyState>No order matches the search.</EmptyState>;
  }
  const resend = (order: OrderDto): Promise<void> =>
    runWithNotice(async () => {
      await call('POST /api/v1/orders/{id}/retry', { path: { id: order.id } });
      onRetried();
      return order.kind === 'add'
        ? 'The page will be fetched again, and the resulting order will be sent.'
        : 'The order is being sent again.';
    });
  return (
    <Table
      name="Orders, newest first"
      headers={[
        { label: 'No.', isNumber: true },
        'Decided',
        'Order',
        'URI',
        'Why',
        'State',
        'Response',
        { label: 'Resend', hidden: true },
      ]}
    >
      {orders.map((order) => (
        <tr key={order.id}>
          <td class="number">{order.id}</td>
          <td class="nowrap">
            <Time at={order.decidedAt} />
          </td>
          <td>
            <Badge tone="info">{order.kind}</Badge>
          </td>
          <td class="url-cell">
            <UrlLink crawler={order.crawler} url={order.uri} />
          </td>
          <td>
            <Reason code={order.reason} />
          </td>
          <td>
            <StateBadge name={order.state} title={formatPlural(order.attempts, 'attempt')} />
          </td>
          <td>{order.answer ?? ''}</td>
          <td>
            {order.state === 'refused' && mayOperate && (
              <button
                type="button"
                class="button small"
                aria-label={`Resend order ${order.id}`}
                onClick={() => resend(order)}
              >
                Resend
              </button>
            )}
          </td>
        </tr>
      ))}
    </Table>
  );
}
