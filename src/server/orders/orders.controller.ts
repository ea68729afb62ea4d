import { Controller, Get, Inject, Param, Post, Query } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import { ORDER_STATES, type OrderKind, type OrderState } from '../../domain/push/order.js';
import type { EngineApi } from '../../engine/engine-api.js';
import { createUnknownNameError } from '../../engine/support/api-errors.js';
import { Audited, ChangeNote } from '../audit/change-note.js';
import { CrawlerFilter, IsOneOf, IsText, WholeNumberPipe } from '../http/fields.js';
import { MAX_URL } from '../http/limits.js';
import { Operation } from '../http/operation.js';
import { mapPage, type Page, PageQuery, PageResponse, parseNumberCursor, toPage } from '../http/paging.js';
import type { Answer } from '../http/schema.js';
import { countSchema } from '../http/schema.js';
import { API, ENGINE } from '../tokens.js';
import { orderSchema } from './order.schema.js';

class OrdersQuery extends PageQuery {
  @CrawlerFilter()
  crawler?: string;

  @IsOneOf(ORDER_STATES, { required: false })
  state?: OrderState;

  @IsOneOf(['add', 'delete'], { required: false })
  kind?: OrderKind;

  @IsText({ required: false, description: 'Exact URI.', maxLength: MAX_URL })
  uri?: string;

  @IsText({ required: false, maxLength: 300 })
  host?: string;
}

class RetryQuery {
  @CrawlerFilter()
  crawler?: string;

  @IsText({ required: false, description: 'Only orders that this sink refused.', maxLength: 256 })
  sink?: string;

  @IsText({
    required: false,
    description: "Only orders whose answer contains this part of the sink's message.",
    maxLength: 1000,
  })
  answer?: string;
}

type OrderAnswer = Answer<typeof orderSchema>;

@Controller(`${API}/orders`)
export class OrdersController {
  constructor(@Inject(ENGINE) private readonly engine: EngineApi) {}

  @Get()
  @Operation({
    id: 'listOrders',
    searches: true,
    summary: 'The ledger of push orders',
    description:
      'Every order on record, newest first: when and why it was decided, attempts, and how the sink responded.',
    role: 'read',
    crawlers: 'query',
  })
  @PageResponse(orderSchema)
  async list(@Query() query: OrdersQuery): Promise<Page<OrderAnswer>> {
    const { cursor, limit, host, ...filter } = query;
    const entries = await this.engine.orders.list({ ...filter, hostKey: host }, parseNumberCursor(cursor), limit + 1);
    return mapPage(
      toPage(entries, limit, (entry) => entry.id),
      orderSchema.from,
    );
  }

  @Post('retry')
  @Operation({
    id: 'retryOrders',
    summary: 'Resend refused orders',
    description:
      'Retries every matching refused order, as `POST /orders/{id}/retry` does with one, for example after the mapping of an index was corrected. Pages are fetched again in the background; `count` is the number of orders.',
    role: 'operate',
    crawlers: 'query',
    problems: { 404: 'There is no sink with that name.' },
  })
  @ApiOkResponse({ schema: countSchema.ref })
  async retryAll(@Query() query: RetryQuery, @Audited() note: ChangeNote): Promise<Answer<typeof countSchema>> {
    this.requireSink(query);
    const count = await this.engine.orders.retryRefused(query);
    note.recordChange(undefined, { ...query, orders: count });
    return { count };
  }

  @Post(':id/retry')
  @Operation({
    id: 'retryOrder',
    summary: 'Resend a refused order',
    description:
      'For an add order, the page is fetched again and the resulting order is sent; a deletion is sent at once. Either way, it is a new order with its own number.',
    role: 'operate',
    problems: { 404: 'There is no such order.', 422: 'The order was not refused.' },
  })
  @ApiOkResponse({ schema: orderSchema.ref })
  async retry(@Param('id', WholeNumberPipe) id: number, @Audited() note: ChangeNote): Promise<OrderAnswer> {
    const entry = await this.engine.orders.retry(id);
    note.recordChange({ state: 'refused' }, { state: entry.state });
    return orderSchema.from(entry);
  }

  /** A caller whose role is limited to crawlers has given one, and learns only the sinks of that one. */
  private requireSink({ sink, crawler }: RetryQuery): void {
    const { sinks, crawlers } = this.engine.definition;
    const names = sinks.map(({ name }) => name);
    if (sink === undefined || names.includes(sink)) return;
    const ownNames = crawler === undefined ? names : crawlers.find(({ name }) => name === crawler)?.pushTo;
    throw createUnknownNameError('sink', sink, ownNames ?? []);
  }
}
