/**
 * Writes to the configuration name the version on which they are based (RFC 9110, 13.1.1), so that two people cannot
 * overwrite each other's changes without noticing.
 */
import { ApiHeader } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { IsFlag } from '../http/fields.js';
import { LOCAL_CALLER } from '../security/api-keys.js';
import type { ConfigurationService } from './configuration.service.js';
import type { WriteRequest } from './write-conditions.js';

export class ConfirmQuery {
  @IsFlag({ description: 'Apply the change even if more than 10 % of the documents of a crawler would be deleted.' })
  confirm?: boolean;
}

export const ETAG_PATTERN = { type: 'string' as const, pattern: '^(?:\\*|(?:W/)?"[!#-~]*")$' };

export const IfMatch = (): MethodDecorator =>
  ApiHeader({
    name: 'If-Match',
    required: true,
    schema: ETAG_PATTERN,
    description: 'ETag of the configuration on which the change is based.',
  });

/** Headers of a response that states the version of the configuration. */
export const ETAG = { ETag: { schema: { type: 'string' as const }, description: 'ETag to send in If-Match.' } };

export const CHANGE_PROBLEMS = {
  409:
    'Many documents would be deleted: `crawlers` says how many; repeat with `confirm=true`. Or the file on disk was edited and now ' +
    'has errors: `errors` lists them; fix the file first.',
  412: 'The configuration has changed since it was read, through the API or on disk.',
  422: 'The changed configuration would have errors; `errors` lists all.',
  428: 'If-Match is missing.',
};

export const createWriteRequest = (request: FastifyRequest, query: ConfirmQuery): WriteRequest => ({
  who: (request.caller ?? LOCAL_CALLER).name,
  ifMatch: request.headers['if-match'],
  confirm: query.confirm === true,
  crawlers: request.crawlers,
});

export function setVersionHeaders(reply: FastifyReply, configuration: ConfigurationService): void {
  reply.header('etag', configuration.etag);
  reply.header('cache-control', 'no-cache');
}
