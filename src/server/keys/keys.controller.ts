import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Post, Req } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { instant } from '../../domain/time/units.js';
import type { Clock } from '../../engine/ports/clock.js';
import { Audited, type ChangeNote } from '../audit/change-note.js';
import { Operation } from '../http/operation.js';
import { PageResponse } from '../http/page-response.js';
import type { Page } from '../http/paging.js';
import { ProblemException } from '../http/problem.js';
import { LOCAL_CALLER } from '../security/api-keys.js';
import { KeyRing } from '../security/key-ring.js';
import { API, CLOCK } from '../tokens.js';
import { CreatedKeyDto, KeyDto, NewKeyDto, toKeyDto } from './key.dto.js';

@ApiTags('Session')
@Controller(`${API}/keys`)
export class KeysController {
  constructor(
    @Inject(KeyRing) private readonly ring: KeyRing,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Get()
  @Operation({
    id: 'listKeys',
    summary: 'API keys',
    description:
      'Names and roles of all keys, including expired ones; those of the environment first. Keys themselves are never shown.',
    role: 'admin',
  })
  @PageResponse(KeyDto)
  async list(): Promise<Page<KeyDto>> {
    const environmentKeys = this.ring.environmentKeys.map(({ name, role }) => ({
      name,
      role,
      from: 'environment',
      expired: false,
    }));
    const now = this.clock.now();
    const storedKeys = (await this.ring.list()).map((key) => toKeyDto(key, now));
    return { items: [...environmentKeys, ...storedKeys], next: null };
  }

  @Post()
  @Operation({
    id: 'createKey',
    summary: 'Create an API key',
    description: 'The response contains the key; the server keeps only a digest of it and cannot show it again.',
    role: 'admin',
    problems: { 422: 'The name is taken, or the expiry is in the past.' },
  })
  @ApiCreatedResponse({ type: CreatedKeyDto })
  async create(
    @Body() { name, role, expiresAt }: NewKeyDto,
    @Req() request: FastifyRequest,
    @Audited() note: ChangeNote,
  ): Promise<CreatedKeyDto> {
    const now = this.clock.now();
    const expiryTime = expiresAt === undefined ? undefined : instant(Date.parse(expiresAt));
    if (expiryTime !== undefined && !(expiryTime > now))
      throw new ProblemException('unacceptable', `expiresAt ${expiresAt} is not in the future.`);
    const { name: creator } = request.caller ?? LOCAL_CALLER;
    const result = await this.ring.create(name, role, creator, expiryTime).catch((error: unknown) => {
      throw error instanceof RangeError ? new ProblemException('unacceptable', error.message) : error;
    });
    if (!result)
      throw new ProblemException(
        'unacceptable',
        `There is already a key named ${name}; names must be unique because the audit log shows them.`,
      );
    const dto = toKeyDto(result.storedKey, now);
    note.recordChange(undefined, dto);
    return { ...dto, key: result.key };
  }

  @Delete(':name')
  @HttpCode(204)
  @Operation({
    id: 'withdrawKey',
    summary: 'Revoke an API key',
    description: 'The key becomes invalid at once; other servers that share the database notice within ten seconds.',
    role: 'admin',
    problems: {
      404: 'There is no key with that name.',
      422: 'The key is one of CRAWLWAY_API_KEYS, which can only be changed by a restart.',
    },
  })
  @ApiNoContentResponse()
  async revoke(@Param('name') name: string, @Audited() note: ChangeNote): Promise<void> {
    if (this.ring.environmentKeys.some((key) => key.name === name))
      throw new ProblemException(
        'unacceptable',
        `The key ${name} is one of CRAWLWAY_API_KEYS: remove it there and restart.`,
      );
    const revokedKey = (await this.ring.list()).find((key) => key.name === name);
    if (!(await this.ring.revoke(name))) throw new ProblemException('not-found', `There is no key named ${name}.`);
    note.recordChange(revokedKey && toKeyDto(revokedKey, this.clock.now()), undefined);
  }
}
