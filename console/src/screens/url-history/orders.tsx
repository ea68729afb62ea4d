import type { JSX } from 'preact';
import type { OrderDto } from '../../api/schema.js';
import { EmptyState } from '../../ui/answers.js';
import { Reason } from '../../ui/reasons.js';
import { Badge, StateBadge } from '../../ui/status.js';
import { Table } from '../../ui/table.js';
import { Time } from '../../ui/time.js';

export function Orders({ orders }: { orders: readonly OrderDto[] }): JSX.Element {
  if (orders.length === 0) return <EmptyState>No orders have been decided for this URL.</EmptyState>;
  return (
    <Table
      name="Push orders, newest first"
      headers={['Decided', 'Order', 'Why', 'State', { label: 'Attempts', isNumber: true }, 'Responded', 'Response']}
    >
      {orders.map((order) => (
        <tr key={order.id}>
          <td class="nowrap">
            <Time at={order.decidedAt} />
          </td>
          <td>
            <Badge tone="info">{order.kind}</Badge>
          </td>
          <td>
            <Reason code={order.reason} />
          </td>
          <td>
            <StateBadge name={order.state} />
          </td>
          <td class="number">{order.attempts}</td>
          <td class="nowrap">
            <Time at={order.answeredAt} />
          </td>
          <td>{order.answer ?? ''}</td>
        </tr>
      ))}
    </Table>
  );
}
