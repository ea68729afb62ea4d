import type { DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { dump } from 'js-yaml';
import { createAppModule } from '../app.module.js';
import { PART_TOKENS } from '../tokens.js';
import { describeApi } from './document.js';

/** Empty parts: Nest requires every part to exist, even if it does not use them. */
const NO_PARTS: DynamicModule = {
  module: class NoParts {},
  global: true,
  providers: PART_TOKENS.map((provide) => ({ provide, useValue: {} })),
  exports: [...PART_TOKENS],
};

const HEADER = '# Generated from the code by `npm run openapi`; a test fails if the two differ.\n';

/** The text of openapi.yaml. Nothing is started: the description comes from the controllers' declarations alone. */
export async function describeApiAsYaml(): Promise<string> {
  const app = await NestFactory.create(createAppModule(NO_PARTS), new FastifyAdapter(), {
    preview: true,
    logger: false,
    abortOnError: false,
  });
  const document = JSON.parse(JSON.stringify(describeApi(app)));
  return HEADER + dump(document, { lineWidth: 120, noRefs: true });
}
