import { createParamDecorator, type ExecutionContext, HttpException } from '@nestjs/common';
import type { FastifyReply } from 'fastify';

/** One for each response: Node warns of a leak when a response has eleven listeners, and Nest and Fastify add nine. */
const SIGNALS = new WeakMap<FastifyReply['raw'], AbortSignal>();

/** Returns a signal that aborts if the client closes the connection before it has received the response. */
export function getClientGone({ raw }: Pick<FastifyReply, 'raw'>): AbortSignal {
  const existing = SIGNALS.get(raw);
  if (existing) return existing;
  const controller = new AbortController();
  const onClose = (): void => {
    if (!raw.writableFinished) controller.abort(new HttpException('The client has closed the connection.', 499));
  };
  if (raw.destroyed) onClose();
  else raw.once('close', onClose);
  SIGNALS.set(raw, controller.signal);
  return controller.signal;
}

/** Handler parameter: the signal of `getClientGone`. */
export const ClientGone = createParamDecorator(
  (_: unknown, context: ExecutionContext): AbortSignal =>
    getClientGone(context.switchToHttp().getResponse<FastifyReply>()),
);
