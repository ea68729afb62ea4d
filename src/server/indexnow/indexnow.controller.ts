import { Body, Controller, Get, HttpException, Inject, Ip, Post, Query, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiBody, ApiOkResponse, ApiQuery, ApiResponse } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { INDEXNOW_STATUSES, parseIndexNow } from '../../domain/signals/indexnow.js';
import type { EngineApi } from '../../engine/engine-api.js';
import { toNetwork } from '../http/connections.js';
import { Operation } from '../http/operation.js';
import { type Answer, ownSchema, text } from '../http/schema.js';
import { ENGINE } from '../tokens.js';

/** Enough for 10,000 URLs of 400 characters. */
const BODY_LIMIT = 4 * 1024 * 1024;

const indexNowSchema = ownSchema('IndexNow', {
  message: text('1 URL will be visited now.', 'What happened to the URLs, in words.'),
});

type IndexNowAnswer = Answer<typeof indexNowSchema>;

const URL_SCHEMA = { type: 'string', format: 'uri' } as const;

const PROBLEMS = { 403: INDEXNOW_STATUSES[403], 422: INDEXNOW_STATUSES[422], 429: INDEXNOW_STATUSES[429] };

@Controller('indexnow')
export class IndexNowController {
  constructor(@Inject(ENGINE) private readonly engine: EngineApi) {}

  @Get()
  @Operation({
    id: 'tellUrl',
    summary: 'A site reports one changed URL (IndexNow)',
    description:
      'Implements the protocol of indexnow.org. No API key is required: the site proves its identity with its key file. The URL is visited now; if the page is gone, its document is deleted.',
    role: 'open',
    problems: PROBLEMS,
  })
  @ApiQuery({ name: 'url', schema: { ...URL_SCHEMA, example: 'https://www.example.com/product.html' } })
  @ApiQuery({ name: 'key', schema: { type: 'string', minLength: 1, example: 'b5d8a1c2e3f44f6a' } })
  @ApiQuery({ name: 'keyLocation', required: false, schema: URL_SCHEMA })
  @ApiOkResponse({ schema: indexNowSchema.ref, description: INDEXNOW_STATUSES[200] })
  @ApiResponse({ status: 202, schema: indexNowSchema.ref, description: INDEXNOW_STATUSES[202] })
  async submitOne(
    @Query() query: Record<string, unknown>,
    @Ip() address: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<IndexNowAnswer> {
    const { url = null, key, keyLocation } = query;
    return this.submitUrls({ url, key, keyLocation }, address, reply);
  }

  @Post()
  @RouteConfig({ bodyLimit: BODY_LIMIT })
  @Operation({
    id: 'tellUrls',
    summary: 'A site reports changed URLs (IndexNow)',
    description: 'Like the GET call, but for up to 10,000 URLs of one host.',
    role: 'open',
    writes: false,
    problems: PROBLEMS,
  })
  @ApiBody({
    schema: {
      type: 'object',
      required: ['host', 'key', 'urlList'],
      properties: {
        host: { type: 'string', example: 'www.example.com' },
        key: { type: 'string', minLength: 1, example: 'b5d8a1c2e3f44f6a' },
        keyLocation: { ...URL_SCHEMA, example: 'https://www.example.com/b5d8a1c2e3f44f6a.txt' },
        urlList: {
          type: 'array',
          minItems: 1,
          maxItems: 10_000,
          items: { ...URL_SCHEMA, example: 'https://www.example.com/a.html' },
        },
      },
    },
  })
  @ApiOkResponse({ schema: indexNowSchema.ref, description: INDEXNOW_STATUSES[200] })
  @ApiResponse({ status: 202, schema: indexNowSchema.ref, description: INDEXNOW_STATUSES[202] })
  submitMany(
    @Body() body: unknown,
    @Ip() address: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<IndexNowAnswer> {
    return this.submitUrls(body, address, reply);
  }

  private async submitUrls(input: unknown, address: string, reply: FastifyReply): Promise<IndexNowAnswer> {
    const result = parseIndexNow(input);
    const { status, message } =
      'status' in result ? result : await this.engine.indexNow.submit(result, toNetwork(address));
    if (status >= 400) throw new HttpException(message, status);
    reply.status(status);
    return { message };
  }
}
