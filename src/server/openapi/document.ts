import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { getMetadataStorage } from 'class-validator';
import { BODY_PROBLEMS, CLOSED_PROBLEMS, COMMON_PROBLEMS, describeProblem } from '../http/operation.js';
import { SCHEMAS } from '../http/schema.js';
import { PROJECT_ROOT } from '../project-root.js';
import { SERVER_VERSION } from '../version.js';
import { addExamples } from './examples.js';
import { CALL_GROUPS, findGroup } from './tags.js';
import { WEBHOOKS } from './webhooks.js';

const DESCRIPTION = `Crawlway crawls web sites and keeps a search index in sync with them.

Errors are problem documents (RFC 9457, \`application/problem+json\`). Lists return \`{items, next}\`: \`next\` is the \`cursor\` of
the following page. Times are ISO 8601 in UTC; durations are in seconds, with the unit in the name. Strings have no NUL
character. Writes to the
configuration carry \`If-Match\` with the \`ETag\` that was read. If API keys are configured, every call except the health probes requires one. The role of
a key can be limited to crawlers: it then allows calls with one of these crawlers in their path, and others as their descriptions say.`;

const SHARED_PROBLEMS: Readonly<Record<string, string>> = { ...COMMON_PROBLEMS, ...CLOSED_PROBLEMS, ...BODY_PROBLEMS };

type SchemaObjects = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;
type OperationObject = NonNullable<OpenAPIObject['paths'][string]['get']>;

/** Generates the OpenAPI document of the whole API from the controllers. */
export function describeApi(app: INestApplication): OpenAPIObject {
  const config = new DocumentBuilder()
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
  const document = SwaggerModule.createDocument(app, config);
  document.webhooks = WEBHOOKS;
  markOpenOperations(document);
  addBodyProblems(document);
  shareProblemResponses(document);
  tagOperations(document);
  addMissingDescriptions(document);
  addSchemas(document);
  describeRequestsExactly(document, listOperations(document));
  addExamples(document);
  return renameSchemas(document);
}

/** Adds the schemas of answers to those of requests, which Nest describes. */
function addSchemas(document: OpenAPIObject): void {
  const answers = Array.from(SCHEMAS, ([name, { json }]) => [name, json] as const);
  const all = Object.entries({ ...document.components?.schemas, ...Object.fromEntries(answers) });
  const schemas = Object.fromEntries(all.toSorted(([a], [b]) => (a < b ? -1 : 1)));
  document.components = { ...document.components, schemas: schemas as SchemaObjects };
}

function tagOperations(document: OpenAPIObject): void {
  const usedNames = new Set<string>();
  for (const [path, item] of Object.entries(document.paths)) {
    const { name } = findGroup(path);
    usedNames.add(name);
    for (const operation of listPathOperations(item)) operation.tags = [name];
  }
  document.tags = CALL_GROUPS.filter(({ name }) => usedNames.has(name)).map(({ name, description }) => ({
    name,
    description,
  }));
}

/** Names schemas after what they describe instead of after our classes. */
function renameSchemas(document: OpenAPIObject): OpenAPIObject {
  const text = JSON.stringify(document).replaceAll(/(#\/components\/schemas\/\w+?)Dto"/g, '$1"');
  const renamedDocument = JSON.parse(text) as OpenAPIObject;
  const schemas = Object.entries(renamedDocument.components?.schemas ?? {});
  renamedDocument.components = {
    ...renamedDocument.components,
    schemas: Object.fromEntries(schemas.map(([name, schema]) => [name.replace(/Dto$/, ''), schema])),
  };
  return renamedDocument;
}

/** Descriptions of parameters that have the same meaning in every call. */
const PARAMETER_DESCRIPTIONS: Readonly<Record<string, string>> = {
  host: 'Host name, with the port when it is not the default, as the list of hosts shows it.',
  source: 'Only URLs that are waiting in this source.',
  direction: 'Sort direction.',
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
  index: 'Position in the list of rules, counted from 0.',
  version: 'Number of the version, as the list shows it.',
};

/** Describes responses that have no description by their call, and parameters by their name. */
function addMissingDescriptions(document: OpenAPIObject): void {
  for (const { summary = '', responses, parameters = [] } of listOperations(document)) {
    for (const response of Object.values(responses))
      if (response && 'description' in response) response.description ||= `${summary}.`;
    for (const parameter of parameters)
      if ('name' in parameter) parameter.description ??= PARAMETER_DESCRIPTIONS[parameter.name];
  }
}

/** States explicitly that a call has no security requirement, so that this does not look like an oversight. */
function markOpenOperations(document: OpenAPIObject): void {
  for (const operation of listOperations(document)) operation.security ??= [];
}

/** Adds the problems of calls with a body, which is only known once their parameters have been described. */
function addBodyProblems(document: OpenAPIObject): void {
  for (const { requestBody, responses } of listOperations(document)) {
    if (!requestBody) continue;
    for (const [status, description] of Object.entries(BODY_PROBLEMS)) {
      responses[status] ??= describeProblem(Number(status), description);
    }
  }
}

/**
 * Describes only once the problems that every call can return: listing all of them for each call would hide the
 * specific ones.
 */
function shareProblemResponses(document: OpenAPIObject): void {
  const sharedResponses = Object.fromEntries(
    Object.entries(SHARED_PROBLEMS).map(([status, description]) => [
      `Problem${status}`,
      describeProblem(Number(status), description),
    ]),
  );
  document.components = { ...document.components, responses: sharedResponses };
  for (const { responses } of listOperations(document)) {
    for (const [status, description] of Object.entries(SHARED_PROBLEMS)) {
      const response = responses[status];
      if (response && 'description' in response && response.description === description) {
        responses[status] = { $ref: `#/components/responses/Problem${status}` };
      }
    }
  }
}

const listOperations = (document: OpenAPIObject): OperationObject[] =>
  Object.values(document.paths).flatMap(listPathOperations);

const listPathOperations = (item: OpenAPIObject['paths'][string]): OperationObject[] =>
  [item.get, item.put, item.post, item.patch, item.delete].filter((operation) => operation !== undefined);

/**
 * Files of the documentation pages, which the build puts beside the program; without a build, they are in node_modules.
 */
const PAGES_FOLDER = join(PROJECT_ROOT, 'dist', 'program', 'api-pages');

/**
 * Serves the API description at /docs, for reading and trying out, and as JSON at /docs/openapi.json. All files are
 * local.
 */
export function serveApiDocs(app: INestApplication): void {
  SwaggerModule.setup('docs', app, () => describeApi(app), {
    customSwaggerUiPath: existsSync(PAGES_FOLDER) ? PAGES_FOLDER : undefined,
    customSiteTitle: 'Crawlway API',
    jsonDocumentUrl: 'docs/openapi.json',
    yamlDocumentUrl: 'docs/openapi.yaml',
    swaggerOptions: { persistAuthorization: false, displayRequestDuration: true, validatorUrl: null },
  });
}

type Schema = Record<string, unknown> & { readonly oneOf?: readonly Schema[] };

/** Bodies that need one of several sets of fields. */
const ALTERNATIVES: Readonly<Record<string, readonly (readonly string[])[]>> = {
  ConfigurationDraftDto: [['xml'], ['files']],
  RuleInputDto: [['xml'], ['match', 'actions']],
};

/** Describes what a call accepts as exactly as validation checks it, so that a request that fits the description is not refused as malformed. */
function describeRequestsExactly(
  document: OpenAPIObject,
  operations: readonly NonNullable<OpenAPIObject['paths'][string]['get']>[],
): void {
  for (const { parameters = [], requestBody, responses } of operations) {
    for (const parameter of parameters) {
      if (!('in' in parameter)) continue;
      const schema = parameter.schema as unknown as Schema;
      // All numbers in addresses are whole ones; those in paths are positions and identifiers.
      if (schema?.['type'] === 'number')
        Object.assign(schema, { type: 'integer', ...(parameter.in === 'path' ? WHOLE : {}) });
      if (parameter.name === 'cursor')
        responses['422'] ??= describeProblem(422, '`cursor` was not issued by this server.');
    }
    if (!requestBody || !('content' in requestBody)) continue;
    // A body that can be text or an object is text unless it is JSON.
    for (const [type, media] of Object.entries(requestBody.content) as unknown as [string, { schema?: Schema }][]) {
      const text = media.schema?.oneOf?.find((one) => one['type'] === 'string');
      if (text && !type.endsWith('json')) Object.assign(requestBody.content, { [type]: { ...media, schema: text } });
    }
  }
  const { validationMetadatas } = getMetadataStorage() as unknown as {
    validationMetadatas: Map<new () => object, unknown>;
  };
  for (const target of validationMetadatas.keys()) {
    const schema =
      document.components?.schemas?.[target.name.replace(/Dto$/, '')] ?? document.components?.schemas?.[target.name];
    if (schema) describeFields(target, schema as unknown as Schema);
  }
}

const WHOLE = { minimum: 0, maximum: Number.MAX_SAFE_INTEGER };

/** Adds the bounds that validators have where the description does not say them. Unknown fields are refused; see validation.ts. */
function describeFields(target: new () => object, schema: Schema): void {
  schema['additionalProperties'] ??= false;
  const sets = ALTERNATIVES[target.name];
  if (sets) schema['anyOf'] = sets.map((required) => ({ required }));
  const properties = schema['properties'] as Readonly<Record<string, Schema>>;
  const rules = getMetadataStorage().getTargetValidationMetadatas(target, '', false, false);
  for (const { name, propertyName, constraints, each } of rules) {
    const field = properties[propertyName];
    if (!field || each) continue;
    if (name === 'minLength' || name === 'maxLength') field[name] ??= constraints[0];
    if (name === 'matches') field['pattern'] ??= (constraints[0] as RegExp).source;
    if (name === 'isInt' && field['type'] === 'number') field['type'] = 'integer';
  }
}
