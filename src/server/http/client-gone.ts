import { createParamDecorator, type ExecutionContext, HttpException } from '@nestjs/common';
import type { FastifyReply } from 'fastify';

/** Handler parameter: a signal that aborts if the client closes the connection before it has received the response. */
export const ClientGone = createParamDecorator((_: unknown, context: ExecutionContext): AbortSignal => {
  const { raw } = context.switchToHttp().getResponse<FastifyReply>();
  const controller = new AbortController();
  raw.once('close', () => {
    if (!raw.writableFinished) controller.abort(new HttpException('The client has closed the connection.', 499));
  });
  return controller.signal;
});
