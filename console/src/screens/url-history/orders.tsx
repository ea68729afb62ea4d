import type { JSX } from 'preact';
import type { OrderDto } from '../../api/schema.js';
import { Empty } from '../../ui/answers.js';
import { Reason } from '../../ui/reasons.js';
import { Scroll } from '../../ui/scroll.js';
import { Badge, State } from '../../ui/status.js';
import { Time } from '../../ui/time.js';

export function Orders({ orders }: { orders: readonly OrderDto[] }): JSX.Element {
  if (orders.length === 0) return <Empty>No order has been decided for it.</Empty>;
  return (
    <Scroll>
      <table>
        <caption class="visually-hidden">Push orders, newest first</caption>
        <thead>
          <tr>
            <th scope="col">Decided</th>
            <th scope="col">Order</th>
            <th scope="col">Why</th>
            <th scope="col">State</th>
            <th scope="col" class="number">
              Attempts
            </th>
            <th scope="col">Answered</th>
            <th scope="col">Answer</th>
          </tr>
        </thead>
        <tbody>
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
                <State name={order.state} />
              </td>
              <td class="number">{order.attempts}</td>
              <td class="nowrap">
                <Time at={order.answeredAt} />
              </td>
              <td>{order.answer ?? ''}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}
