import { Controller, Get, HttpCode, Inject, NotFoundException, Param, Post, Query } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiOkResponse, ApiParam, ApiProduces, ApiQuery, ApiResponse } from '@nestjs/swagger';
import { parseHubRequest } from '../../domain/signals/websub.js';
import type { EngineApi } from '../../engine/engine-api.js';
import { FEED_TYPES } from '../http/body-parsers.js';
import { Operation } from '../http/operation.js';
import { ENGINE } from '../tokens.js';

const MAX_TOKEN_LENGTH = 2_048;
const PROBLEMS = { 404: 'This server did not request the subscription.' };

@Controller('websub')
export class WebSubController {
  constructor(@Inject(ENGINE) private readonly engine: EngineApi) {}

  @Get(':token')
  @Operation({
    id: 'confirmSubscription',
    summary: 'A hub verifies a subscription (WebSub)',
    description: 'Returns the challenge if this server has subscribed to the feed at the hub.',
    role: 'open',
    problems: PROBLEMS,
  })
  @ApiParam({
    name: 'token',
    description: 'The token that was sent to the hub.',
    example: 'WyJkb2NzIl0.kUl2yG0a8mJmBq3F4Z0w4w',
  })
  @ApiQuery({ name: 'hub.mode', description: '`subscribe`, or `denied`.', example: 'subscribe' })
  @ApiQuery({ name: 'hub.topic', description: 'URL of the feed.', example: 'https://www.example.com/feed' })
  @ApiQuery({
    name: 'hub.challenge',
    description: 'The text to return to the hub.',
    required: false,
    example: 'a1b2c3',
  })
  @ApiQuery({
    name: 'hub.lease_seconds',
    description: 'How long the hub will report changes to the feed.',
    required: false,
    example: '864000',
  })
  @ApiProduces('text/plain')
  @ApiOkResponse({ description: 'The challenge.', schema: { type: 'string' }, example: 'a1b2c3' })
  async confirmSubscription(@Param('token') token: string, @Query() query: Record<string, unknown>): Promise<string> {
    const challenge = await this.engine.subscriptions.confirm(requireValidToken(token), parseHubRequest(query));
    if (challenge === undefined) throw new NotFoundException(PROBLEMS[404]);
    return challenge;
  }

  @Post(':token')
  @HttpCode(202)
  @RouteConfig({ bodyLimit: 4 * 1024 * 1024 })
  @Operation({
    id: 'hubNotifies',
    summary: 'A hub reports that a feed has changed (WebSub)',
    description: 'The feed is visited now. The body is not read: the visit finds what has changed.',
    role: 'open',
    consumes: FEED_TYPES,
    problems: PROBLEMS,
  })
  @ApiParam({
    name: 'token',
    description: 'The token that was sent to the hub.',
    example: 'WyJkb2NzIl0.kUl2yG0a8mJmBq3F4Z0w4w',
  })
  @ApiResponse({ status: 202, description: 'The feed will be visited.' })
  async notifyChange(@Param('token') token: string): Promise<void> {
    if (!(await this.engine.subscriptions.handleNotification(requireValidToken(token))))
      throw new NotFoundException(PROBLEMS[404]);
  }
}

function requireValidToken(token: string): string {
  if (token.length > MAX_TOKEN_LENGTH) throw new NotFoundException(PROBLEMS[404]);
  return token;
}
