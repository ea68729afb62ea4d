import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { ProblemDto } from '../http/problem.dto.js';
import { SERVER_VERSION } from '../version.js';

const DESCRIPTION = `Crawlway crawls web sites and keeps a search index true to them.

Errors are problem documents (RFC 9457, \`application/problem+json\`). Lists answer \`{items, next}\`: \`next\` is the \`cursor\` of
the following page. Moments are ISO 8601 in UTC; lengths of time are in seconds, with the unit in the name. Writes to the
configuration carry \`If-Match\` with the \`ETag\` that was read. With API keys set, every call but the health probes wants one.`;

/** The whole API as an OpenAPI document, made from the controllers. */
export function describeApi(app: INestApplication): OpenAPIObject {
  const base = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Crawlway')
    .setDescription(DESCRIPTION)
    .setVersion(SERVER_VERSION)
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .addServer('/', 'This server')
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'An API key of CRAWLWAY_API_KEYS.' }, 'bearer')
    .addApiKey(
      { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'The same key, in its own header.' },
      'apiKey',
    )
    .build();
  const document = SwaggerModule.createDocument(app, base, { extraModels: [ProblemDto] });
  markOpenCalls(document);
  return document;
}

/** A call without a security requirement says so, instead of leaving it open whether it was forgotten. */
function markOpenCalls(document: OpenAPIObject): void {
  for (const item of Object.values(document.paths)) {
    for (const operation of [item.get, item.put, item.post, item.delete]) if (operation) operation.security ??= [];
  }
}
