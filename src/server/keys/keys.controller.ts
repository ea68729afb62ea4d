import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Post, Req } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayNotEmpty, IsArray, IsString, Matches, MaxLength, MinLength } from 'class-validator';
import type { FastifyRequest } from 'fastify';
import { type Instant, instant } from '../../domain/time/units.js';
import type { StoredKey } from '../../engine/ports/administration.js';
import type { Clock } from '../../engine/ports/clock.js';
import { Audited, type ChangeNote } from '../audit/change-note.js';
import { IfGiven, IsOneOf, IsTimestamp } from '../http/fields.js';
import { Operation } from '../http/operation.js';
import type { Page } from '../http/paging.js';
import { PageResponse } from '../http/paging.js';
import { ProblemException } from '../http/problem.js';
import { type Answer, boolean, list, oneOf, ownSchema, schema, text, time, timeAhead } from '../http/schema.js';
import {
  findHighestGrant,
  KEY_NAME,
  LOCAL_CALLER,
  parseGrant,
  ROLES,
  type Role,
  type RoleGrant,
} from '../security/api-keys.js';
import { KeyRing } from '../security/key-ring.js';
import { API, CLOCK } from '../tokens.js';
import { SERVER_VERSION } from '../version.js';

class NewKeyDto {
  @ApiProperty({
    description: 'Name that the audit log shows: letters, digits and `. _ @ -`, at most 64 characters.',
    example: 'operations',
  })
  @IsString()
  @Matches(KEY_NAME)
  name!: string;

  @IsOneOf(ROLES, { description: 'Each role includes the permissions of the roles before it.' })
  role!: Role;

  @ApiProperty({
    required: false,
    description: 'Names of the crawlers to which the role is limited. Absent: it is valid for the whole server.',
    example: ['intranet-hr'],
    type: 'array',
    minItems: 1,
    maxItems: 100,
    items: { type: 'string', minLength: 1, maxLength: 256 },
  })
  @IfGiven()
  @IsArray()
  @ArrayNotEmpty()
  @ArrayMaxSize(100)
  @IsString({ each: true })
  @MinLength(1, { each: true })
  @MaxLength(256, { each: true })
  crawlers?: string[];

  @IsTimestamp({
    required: false,
    description: 'When the key becomes invalid. Absent: it never expires.',
    example: '2026-03-09T08:15:30.000Z',
  })
  expiresAt?: string;
}

/** A key of the environment, or one that was created through the API. */
type ListedKey = RoleGrant &
  Pick<StoredKey, 'name'> &
  Partial<Omit<StoredKey, 'role'>> & { readonly from: 'environment' | 'api'; readonly expired: boolean };

const CRAWLERS = list(
  text('intranet-hr'),
  'The crawlers to which the role is limited; absent if it is valid for the whole server.',
);

const keySchema = schema<ListedKey>()('Key', {
  name: text('operations'),
  role: oneOf(ROLES),
  crawlers: CRAWLERS.optional(),
  from: oneOf(['environment', 'api'], 'Whether the key is one of CRAWLWAY_API_KEYS or was created through the API.'),
  createdAt: time().optional(),
  createdBy: text('admin', 'Who created the key.').optional(),
  expiresAt: timeAhead().optional(),
  expired: boolean('Whether the key has expired.'),
});

const createdKeySchema = schema<ListedKey & { readonly key: string }>()('CreatedKey', {
  ...keySchema.fields,
  key: text('cw_read_2f7c1e', 'The key; this is the only response that contains it.'),
});

type KeyAnswer = Answer<typeof keySchema>;

const toListedKey = ({ role, ...key }: StoredKey, now: Instant): ListedKey => ({
  ...key,
  ...(parseGrant(role) ?? { role: 'read', crawlers: [] }),
  from: 'api',
  expired: key.expiresAt !== undefined && now >= key.expiresAt,
});

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
  @PageResponse(keySchema)
  async list(): Promise<Page<KeyAnswer>> {
    const environmentKeys = this.ring.environmentKeys.map(
      ({ name, role, crawlers }): ListedKey => ({ name, role, crawlers, from: 'environment', expired: false }),
    );
    const now = this.clock.now();
    const storedKeys = (await this.ring.list()).map((key) => toListedKey(key, now));
    return { items: [...environmentKeys, ...storedKeys].map(keySchema.from), next: null };
  }

  @Post()
  @HttpCode(201)
  @Operation({
    id: 'createKey',
    summary: 'Create an API key',
    description: 'The response contains the key; the server keeps only a digest of it and cannot show it again.',
    role: 'admin',
    problems: { 422: 'The name is taken, or the expiry is in the past.' },
  })
  @ApiCreatedResponse({ schema: createdKeySchema.ref })
  async create(
    @Body() { name, role, crawlers, expiresAt }: NewKeyDto,
    @Req() request: FastifyRequest,
    @Audited() note: ChangeNote,
  ): Promise<Answer<typeof createdKeySchema>> {
    const now = this.clock.now();
    const expiryTime = expiresAt === undefined ? undefined : instant(Date.parse(expiresAt));
    if (expiryTime !== undefined && !(expiryTime > now))
      throw new ProblemException('unacceptable', `expiresAt ${expiresAt} is not in the future.`);
    const { name: creator } = request.caller ?? LOCAL_CALLER;
    const result = await this.ring.create(name, { role, crawlers }, creator, expiryTime).catch((error: unknown) => {
      throw error instanceof RangeError ? new ProblemException('unacceptable', error.message) : error;
    });
    if (!result)
      throw new ProblemException(
        'unacceptable',
        `There is already a key named ${name}; names must be unique because the audit log shows them.`,
      );
    const listedKey = toListedKey(result.storedKey, now);
    note.recordChange(undefined, keySchema.from(listedKey));
    return createdKeySchema.from({ ...listedKey, key: result.key });
  }

  @Delete(':name')
  @HttpCode(204)
  @Operation({
    id: 'revokeKey',
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
    note.recordChange(revokedKey && keySchema.from(toListedKey(revokedKey, this.clock.now())), undefined);
  }
}

const sessionSchema = ownSchema('Session', {
  name: text(
    'operations',
    'Name of the API key, or `user:` and the name of the user who has signed in; `local` if the server has no keys.',
  ),
  role: oneOf(ROLES, 'The highest role; each includes the permissions of the roles before it.'),
  crawlers: CRAWLERS.optional(),
  keyWanted: boolean('Whether calls require an API key or a sign-in.'),
  version: text('0.1.0', 'Version of the server.'),
});

@Controller(`${API}/session`)
export class SessionController {
  constructor(@Inject(KeyRing) private readonly ring: KeyRing) {}

  @Get()
  @Operation({
    id: 'getSession',
    summary: 'Show who is calling',
    description: 'Name and role of the key sent with the call, so that a client can hide what the role may not do.',
    role: 'read',
    crawlers: 'none',
  })
  @ApiOkResponse({ schema: sessionSchema.ref })
  get(@Req() request: FastifyRequest): Answer<typeof sessionSchema> {
    const caller = request.caller ?? LOCAL_CALLER;
    return { name: caller.name, ...findHighestGrant(caller), keyWanted: !this.ring.isOpen, version: SERVER_VERSION };
  }
}
