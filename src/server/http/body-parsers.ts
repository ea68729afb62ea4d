/**
 * Parsers for the only bodies that are accepted, each with a size limit; any other body is refused with 415 before it
 * is read.
 */
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { decodeConfiguration } from '../configuration/configuration-text.js';
import { JSON_TYPE, TEXT_TYPE, XML_TYPE } from './operation.js';
import { ProblemException } from './problem.js';

const MEBIBYTE = 1024 * 1024;
const JSON_LIMIT = MEBIBYTE;
/** Limit for a configuration, in any of its forms. */
const CONFIGURATION_LIMIT = 16 * MEBIBYTE;
/** Enough for a URL list or a pending file of several hundred thousand lines. */
const TEXT_LIMIT = 64 * MEBIBYTE;

/** Media types in which hubs send feeds; these bodies are not read. */
export const FEED_TYPES = [
  'application/atom+xml',
  'application/rss+xml',
  'application/rdf+xml',
  'application/feed+json',
  'application/octet-stream',
  'text/html',
  XML_TYPE,
  'text/xml',
];

/** Maximum nesting of JSON; rules with nested And and Or stay far below it. */
const MAX_DEPTH = 32;

/** Allows a call's JSON to hold a whole configuration. */
export const AcceptsConfiguration = (): MethodDecorator => RouteConfig({ bodyLimit: CONFIGURATION_LIMIT });

export function registerBodyParsers(fastify: FastifyInstance): void {
  fastify.addHook('onRoute', (route) => {
    const { bodyLimit } = (route.config ?? {}) as { bodyLimit?: number };
    if (bodyLimit !== undefined) route.bodyLimit = bodyLimit;
  });
  fastify.removeAllContentTypeParsers();
  const parsers = [
    { types: [JSON_TYPE], bodyLimit: JSON_LIMIT, parse: parseJson },
    { types: FEED_TYPES.filter((type) => !type.endsWith('/xml')), bodyLimit: JSON_LIMIT, parse: () => undefined },
    { types: [TEXT_TYPE], bodyLimit: TEXT_LIMIT, parse: identity },
  ];
  for (const { types, bodyLimit, parse } of parsers) {
    fastify.addContentTypeParser<string>(
      types,
      { parseAs: 'string', bodyLimit },
      async (_: FastifyRequest, body: string) => parse(body),
    );
  }
  fastify.addContentTypeParser<Buffer>(
    [XML_TYPE, 'text/xml'],
    { parseAs: 'buffer', bodyLimit: CONFIGURATION_LIMIT },
    async ({ headers }: FastifyRequest, body: Buffer) =>
      decodeConfiguration(body, /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(headers['content-type'] ?? '')?.[1]),
  );
}

const identity = (text: string): string => text;

function parseJson(text: string): unknown {
  if (text === '') return undefined;
  if (isTooDeep(text))
    throw new ProblemException('invalid-request', `The body is nested deeper than ${MAX_DEPTH} levels.`);
  try {
    return JSON.parse(text, refusePrototype);
  } catch (error) {
    if (error instanceof ProblemException) throw error;
    throw new ProblemException('invalid-request', `The body is not JSON: ${(error as Error).message}`);
  }
}

/** Validation walks the body recursively, so the depth is limited first. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const character = text[i];
    if (inString) {
      if (character === '\\') i++;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === '[' || character === '{') depth++;
    else if (character === ']' || character === '}') depth--;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}

/** A `__proto__` member could reach an object's prototype when fields are copied. */
function refusePrototype(name: string, value: unknown): unknown {
  if (name === '__proto__')
    throw new ProblemException('invalid-request', 'No call has a field __proto__: leave it out.');
  return value;
}
