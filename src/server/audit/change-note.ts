import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** Created for handlers with a parameter that is decorated with Audited. */
    changeNote?: ChangeNote;
  }
}

/** What a write changed; set by the call's handler and kept in the audit log. */
export class ChangeNote {
  before: unknown;
  after: unknown;

  recordChange(before: unknown, after: unknown): void {
    this.before = before;
    this.after = after;
  }
}

/** Gives a handler the note that the audit log will keep. */
export const Audited = createParamDecorator((_: unknown, context: ExecutionContext): ChangeNote => {
  const request = context.switchToHttp().getRequest<FastifyRequest>();
  request.changeNote ??= new ChangeNote();
  return request.changeNote;
});
