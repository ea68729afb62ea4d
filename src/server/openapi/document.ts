import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { BODY_PROBLEMS, CLOSED_PROBLEMS, COMMON_PROBLEMS, PROBLEM_CONTENT } from '../http/operation.js';
import { ProblemDto } from '../http/problem.dto.js';
import { SERVER_VERSION } from '../version.js';
import { addExamples } from './examples.js';
import { OrderBatchDto } from './order-webhook.dto.js';
import { CALL_GROUPS, findGroup } from './tags.js';
import { WEBHOOKS } from './webhooks.js';

const DESCRIPTION = `Crawlway crawls web sites and keeps a search index in sync with them.

Errors are problem documents (RFC 9457, \`application/problem+json\`). Lists return \`{items, next}\`: \`next\` is the \`cursor\` of
the following page. Times are ISO 8601 in UTC; durations are in seconds, with the unit in the name. Writes to the
configuration carry \`If-Match\` with the \`ETag\` that was read. If API keys are configured, every call except the health probes requires one.`;

const EVERYWHERE: Readonly<Record<string, string>> = {
  ...COMMON_PROBLEMS,
  ...CLOSED_PROBLEMS,
  ...BODY_PROBLEMS,
};

type OperationObject = NonNullable<OpenAPIObject['paths'][string]['get']>;

/** The whole API as an OpenAPI document, generated from the controllers. */
export function describeApi(app: INestApplication): OpenAPIObject {
  const base = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Crawlway')
    .setDescription(DESCRIPTION)
    .setVersion(SERVER_VERSION)
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .addServer('/', 'This server')
    .addBearerAuth(
      { type: 'http', scheme: 'bearer', description: 'An API key, from CRAWLWAY_API_KEYS or created through the API.' },
      'bearer',
    )
    .addApiKey(
      { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'The same API key, in a separate header.' },
      'apiKey',
    )
    .build();
  const document = SwaggerModule.createDocument(app, base, { extraModels: [ProblemDto, OrderBatchDto] });
  document.webhooks = WEBHOOKS;
  markOpenOperations(document);
  markRequiredBodies(document);
  shareProblemResponses(document);
  tagOperations(document);
  addMissingDescriptions(document);
  addExamples(document);
  return renameSchemas(document);
}

function tagOperations(document: OpenAPIObject): void {
  const used = new Set<string>();
  for (const [path, item] of Object.entries(document.paths)) {
    const { name } = findGroup(path);
    used.add(name);
    for (const operation of listPathOperations(item)) operation.tags = [name];
  }
  document.tags = CALL_GROUPS.filter(({ name }) => used.has(name)).map(({ name, description }) => ({
    name,
    description,
  }));
}

/** Names schemas after what they describe instead of our classes. */
function renameSchemas(document: OpenAPIObject): OpenAPIObject {
  const text = JSON.stringify(document).replaceAll(/(#\/components\/schemas\/\w+?)Dto"/g, '$1"');
  const renamed = JSON.parse(text) as OpenAPIObject;
  const schemas = Object.entries(renamed.components?.schemas ?? {});
  renamed.components = {
    ...renamed.components,
    schemas: Object.fromEntries(schemas.map(([name, schema]) => [name.replace(/Dto$/, ''), schema])),
  };
  return renamed;
}

/** Descriptions of parameters that have the same meaning in every call. */
const PARAMETERS: Readonly<Record<string, string>> = {
  host: 'Host key: scheme, name and port, as the list of hosts shows it.',
  source: 'Only URLs that are waiting in this source.',
  direction: 'Ascending or descending.',
  format: 'Format of the response.',
  key: 'Key of the site, as in its key file.',
  keyLocation: 'URL of the key file if it is not in the root folder of the host.',
  url: 'Absolute URL.',
  name: 'Name, as the list shows it.',
  login: 'Name of the login.',
  sink: 'Name of the sink in the configuration.',
  crawler: 'Name of the crawler in the configuration.',
  state: 'Only items in this state.',
  kind: 'Only items of this kind.',
  id: 'Number, as the list shows it.',
  index: 'Position in the list of rules, from 1.',
  version: 'Number of the version, as the list shows it.',
};

/** Describes responses that have no description by their call, and parameters by their name. */
function addMissingDescriptions(document: OpenAPIObject): void {
  for (const { summary = '', responses, parameters = [] } of listOperations(document)) {
    for (const response of Object.values(responses))
      if (response && 'description' in response) response.description ||= `${summary}.`;
    for (const parameter of parameters) if ('name' in parameter) parameter.description ??= PARAMETERS[parameter.name];
  }
}

/** States explicitly that a call has no security requirement, so that it does not look forgotten. */
function markOpenOperations(document: OpenAPIObject): void {
  for (const operation of listOperations(document)) operation.security ??= [];
}

/** Whether a call takes a body is only known once its parameters have been described. */
function markRequiredBodies(document: OpenAPIObject): void {
  for (const { requestBody, responses } of listOperations(document)) {
    if (!requestBody) continue;
    for (const [status, description] of Object.entries(BODY_PROBLEMS)) {
      responses[status] ??= { description, content: PROBLEM_CONTENT };
    }
  }
}

/**
 * Describes problems that every call can return only once: listing all of them for each call would hide the specific
 * ones.
 */
function shareProblemResponses(document: OpenAPIObject): void {
  const shared = Object.fromEntries(
    Object.entries(EVERYWHERE).map(([status, description]) => [
      `Problem${status}`,
      { description, content: PROBLEM_CONTENT },
    ]),
  );
  document.components = { ...document.components, responses: shared };
  for (const { responses } of listOperations(document)) {
    for (const [status, description] of Object.entries(EVERYWHERE)) {
      const own = responses[status];
      if (own && 'description' in own && own.description === description) {
        responses[status] = { $ref: `#/components/responses/Problem${status}` };
      }
    }
  }
}

const listOperations = (document: OpenAPIObject): OperationObject[] =>
  Object.values(document.paths).flatMap(listPathOperations);

const listPathOperations = (item: OpenAPIObject['paths'][string]): OperationObject[] =>
  [item.get, item.put, item.post, item.patch, item.delete].filter((one) => one !== undefined);
