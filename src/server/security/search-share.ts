import {
  type CallHandler,
  type ExecutionContext,
  HttpException,
  Inject,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { finalize, from, map, mergeMap, type Observable } from 'rxjs';
import { getClientGone } from '../http/client-gone.js';
import { SEARCHES_KEY } from '../http/operation.js';

/**
 * Maximum number of searches that the store processes at the same time for one key, so that those of other keys come
 * next in its queue.
 */
const MAX_RUNNING = 2;
/** Maximum number of calls of one key that wait for these; a console makes a handful. */
const MAX_WAITING = 50;

/** The searches of one key. */
interface Share {
  running: number;
  readonly waiting: Map<() => void, 'call' | 'step'>;
}

/**
 * Limits the concurrent searches of each key. A search through all stored URLs occupies the store for a tenth of a
 * second, and the store processes requests in order, so many searches of one key would hold up those of others. A call
 * whose client has disconnected is dropped. Each step of a streamed answer counts as a search, and a client that reads
 * slowly as none.
 */
@Injectable()
export class SearchShare implements NestInterceptor {
  private readonly shares = new Map<string, Share>();

  constructor(@Inject(Reflector) private readonly reflector: Reflector) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (!this.reflector.get<boolean>(SEARCHES_KEY, context.getHandler())) return next.handle();
    const http = context.switchToHttp();
    const key = http.getRequest<FastifyRequest>().caller?.name ?? '';
    const clientGone = getClientGone(http.getResponse<FastifyReply>());
    const limitSteps = (answer: unknown): unknown =>
      isAsyncIterable(answer) ? this.readInTurns(answer, key, clientGone) : answer;
    return from(this.acquire(key, clientGone)).pipe(
      mergeMap(() => next.handle().pipe(finalize(() => this.release(key)))),
      map(limitSteps),
    );
  }

  private async *readInTurns<Step>(steps: AsyncIterable<Step>, key: string, clientGone: AbortSignal) {
    const iterator = steps[Symbol.asyncIterator]();
    try {
      for (;;) {
        await this.acquire(key, clientGone, 'step');
        const { done, value } = await iterator.next().finally(() => this.release(key));
        if (done) return;
        yield value;
      }
    } finally {
      await iterator.return?.();
    }
  }

  /** @throws HttpException 429 if too many calls are waiting, 499 if the client disconnected in the meantime. */
  async acquire(key: string, clientGone: AbortSignal, kind: 'call' | 'step' = 'call'): Promise<void> {
    clientGone.throwIfAborted();
    const share = this.shares.get(key) ?? { running: 0, waiting: new Map() };
    this.shares.set(key, share);
    if (share.running < MAX_RUNNING) {
      share.running++;
      return;
    }
    const waitingCalls = [...share.waiting.values()].filter((waiting) => waiting === 'call');
    if (kind === 'call' && waitingCalls.length >= MAX_WAITING)
      throw new HttpException(`${MAX_WAITING} searches of this key are already waiting. Try again later.`, 429);
    await new Promise<void>((resolve, reject) => {
      const onGone = (): void => {
        share.waiting.delete(onTurn);
        reject(clientGone.reason);
      };
      // A call that ends hands its place over, so `running` is unchanged.
      const onTurn = (): void => {
        clientGone.removeEventListener('abort', onGone);
        resolve();
      };
      share.waiting.set(onTurn, kind);
      clientGone.addEventListener('abort', onGone, { once: true });
    });
  }

  release(key: string): void {
    const share = this.shares.get(key);
    if (!share) return;
    const [next] = share.waiting.keys();
    if (next) {
      share.waiting.delete(next);
      next();
    } else if (--share.running === 0) this.shares.delete(key);
  }
}

const isAsyncIterable = (answer: unknown): answer is AsyncIterable<unknown> =>
  typeof answer === 'object' && answer !== null && Symbol.asyncIterator in answer;
